//! Everything survives the wire; nothing that comes from it panics.

use crate::*;
use game::{
    Algorithm, Bound, Brother, Cutback, Depth, Entry, Finding, Handover, Interval, Move, NodeKind,
    OpenNode, Order, Policy, Question, Score, Setup, Sharing, Subtree, Tally, Value, Window,
};
use proptest::prelude::*;
use proptest::sample::select;
use prost::Message;
use std::sync::Arc;
use std::time::Duration;
use ybw::{
    Assignment, FromWorker, JobId, Moment, Outcome, Peer, SearchId, Spent, ToWorker, WindowEffect,
    Wish, WorkerId,
};

fn score() -> impl Strategy<Value = Score> {
    prop_oneof![-Score::LIMIT..=Score::LIMIT, -3..=3].prop_map(Score::new)
}

fn window() -> impl Strategy<Value = Window> {
    (score(), score()).prop_filter_map("empty", |(a, b)| Window::new(a.min(b), a.max(b)))
}

fn interval() -> impl Strategy<Value = Interval> {
    let some = (score(), score()).prop_map(|(a, b)| Interval { low: a.min(b), high: a.max(b) });
    prop_oneof![Just(Interval::UNKNOWN), some]
}

fn value() -> impl Strategy<Value = Value> {
    let bound = select(vec![Bound::Exact, Bound::Lower, Bound::Upper]);
    (score(), bound).prop_map(|(score, bound)| Value { score, bound })
}

fn line() -> impl Strategy<Value = Vec<Move>> {
    prop::collection::vec(any::<u16>().prop_map(Move), 0..20)
}

fn kind() -> impl Strategy<Value = NodeKind> {
    select(vec![NodeKind::Pv, NodeKind::All, NodeKind::Cut])
}

fn tally() -> impl Strategy<Value = Tally> {
    (prop::array::uniform10(0..1_u64 << 40), prop::array::uniform8(0..3_u64)).prop_map(
        |(counts, cutoffs)| {
            let [nodes, interior, leaves, quiescence, probes, hits, table_cutoffs, ..] = counts;
            let [.., shared_hits, shared_cutoffs, shared] = counts;
            Tally {
                nodes,
                interior,
                leaves,
                quiescence,
                probes,
                hits,
                table_cutoffs,
                shared_hits,
                shared_cutoffs,
                shared,
                cutoffs,
            }
        },
    )
}

fn spent() -> impl Strategy<Value = Spent> {
    (tally(), 0..1_u64 << 40).prop_map(|(tally, busy_ns)| Spent { tally, busy_ns })
}

fn setup() -> impl Strategy<Value = Setup> {
    let choices = (
        select(vec![Algorithm::Minimax, Algorithm::AlphaBeta, Algorithm::Pvs]),
        select(vec![
            Order::Static,
            Order::LeftToRight,
            Order::CentreFirst,
            Order::BestFirst,
            Order::WorstFirst,
        ]),
        select(vec![
            Policy::Sequential,
            Policy::RootSplit,
            Policy::PvSplit,
            Policy::Ybw,
            Policy::Aspiring,
        ]),
        any::<u8>(),
        any::<bool>(),
        select(vec![Sharing::Off, Sharing::Process, Sharing::Cluster]),
    );
    let sizes = (any::<u8>(), any::<u8>(), 1..=u8::MAX, 0..=MAX_TABLE_MIB, window());
    (".{0,20}", ".{0,20}", choices, sizes).prop_map(|(game, position, choices, sizes)| {
        let (algorithm, order, policy, deepening, narrowing, sharing) = choices;
        let (depth, quiescence, min_split, table_mib, window) = sizes;
        Setup {
            game,
            position,
            depth: Depth::from_code(depth),
            window,
            algorithm,
            order,
            quiescence,
            deepening,
            policy,
            min_split,
            narrowing,
            table_mib,
            sharing,
        }
    })
}

fn handover() -> impl Strategy<Value = Handover> {
    let key = prop_oneof![Just(0), any::<u64>()];
    let brother = (any::<u16>().prop_map(Move), key, interval())
        .prop_map(|(mv, key, known)| Brother { mv, key, known });
    let brothers = prop::collection::vec(brother, 1..30);
    (window(), kind(), 1..=u8::MAX, brothers, line(), any::<prop::sample::Index>()).prop_map(
        |(window, kind, remaining, brothers, line, current)| {
            let current = current.index(brothers.len());
            let node = OpenNode::restored(window, kind, remaining, brothers, line).unwrap();
            Handover { node, current }
        },
    )
}

fn job() -> impl Strategy<Value = JobId> {
    any::<u64>().prop_map(JobId)
}

fn effect() -> impl Strategy<Value = WindowEffect> {
    let cutback = (any::<u32>(), 0..1_u64 << 40, any::<bool>());
    prop_oneof![
        Just(WindowEffect::Waiting),
        cutback.prop_map(|(open_nodes, saved, ended)| {
            WindowEffect::Applied(Cutback { open_nodes, saved, ended })
        }),
        Just(WindowEffect::Late),
    ]
}

fn from_worker() -> impl Strategy<Value = FromWorker> {
    prop_oneof![
        (job(), value(), line(), spent()).prop_map(|(job, value, line, spent)| {
            FromWorker::Result { job, value, line, spent }
        }),
        (job(), job(), prop::collection::vec(handover(), 1..6), spent())
            .prop_map(|(job, next, nodes, spent)| FromWorker::Offer { job, next, nodes, spent }),
        (job(), spent()).prop_map(|(job, spent)| FromWorker::Stopped { job, spent }),
        (job(), spent()).prop_map(|(job, spent)| FromWorker::Progress { job, spent }),
        (job(), window(), effect(), 0..1_u64 << 60).prop_map(|(job, window, effect, at)| {
            FromWorker::Narrowed { job, window, effect, at: Moment(at) }
        }),
        (job(), spent()).prop_map(|(job, spent)| FromWorker::Returned { job, spent }),
        Just(FromWorker::Leaving),
        (any::<u64>().prop_map(SearchId), ".{0,40}")
            .prop_map(|(search, reason)| FromWorker::Unfit { search, reason }),
    ]
}

fn worker_said() -> impl Strategy<Value = WorkerSaid> {
    let games = prop::collection::vec("[a-z]+", 0..4);
    let address = prop::option::of("[a-z:]{0,9}");
    let greeting = (any::<u32>(), 1..100_u16, ".{0,20}", games, address).prop_map(
        |(version, slots, name, games, address)| Greeting { version, slots, name, games, address },
    );
    prop_oneof![
        8 => from_worker().prop_map(WorkerSaid::Machine),
        1 => greeting.prop_map(WorkerSaid::Hello),
        1 => ".{0,20}".prop_map(|reason| WorkerSaid::Goodbye { reason }),
    ]
}

fn findings() -> impl Strategy<Value = Vec<Finding>> {
    let finding = (any::<u64>(), value(), any::<[u8; 2]>(), any::<u16>()).prop_map(
        |(key, value, [depth, remaining], best)| {
            let depth = Depth::from_code(depth);
            Finding { key, entry: Entry { value, depth, best: Move(best), remaining } }
        },
    );
    prop::collection::vec(finding, 0..20)
}

fn to_worker() -> impl Strategy<Value = ToWorker> {
    let search = || any::<u64>().prop_map(SearchId);
    let worker = || any::<u64>().prop_map(WorkerId);
    let peer = (worker(), "[a-z:]{0,9}")
        .prop_map(|(worker, address)| Peer { worker, address: address.into() });
    let subtree = (line(), any::<u8>(), window(), kind(), line()).prop_map(
        |(path, depth, window, kind, hint)| {
            let question = Question { window, kind };
            Subtree { path, depth: Depth::from_code(depth), question, hint }
        },
    );
    prop_oneof![
        (search(), setup())
            .prop_map(|(search, setup)| ToWorker::Prepare { search, setup: Arc::new(setup) }),
        (job(), search(), subtree).prop_map(|(job, search, subtree)| {
            ToWorker::Assign(Assignment { job, search, subtree })
        }),
        (job(), window()).prop_map(|(job, window)| ToWorker::Narrow { job, window }),
        job().prop_map(|job| ToWorker::Cancel { job }),
        (job(), job(), any::<u8>())
            .prop_map(|(job, next, grain)| ToWorker::Split { job, wish: Wish { next, grain } }),
        search().prop_map(|search| ToWorker::Forget { search }),
        (
            (search(), worker(), any::<u32>()),
            prop::collection::vec(peer, 0..4),
            prop::collection::vec(worker(), 0..4)
        )
            .prop_map(|((search, own, members), joined, gone)| ToWorker::Peers {
                search,
                own,
                members,
                joined,
                gone
            }),
        (search(), findings()).prop_map(|(search, findings)| ToWorker::Learn { search, findings }),
    ]
}

fn coordinator_said() -> impl Strategy<Value = CoordinatorSaid> {
    prop_oneof![
        8 => to_worker().prop_map(CoordinatorSaid::Machine),
        1 => any::<u64>().prop_map(|id| CoordinatorSaid::Welcome(WorkerId(id))),
        1 => ".{0,20}".prop_map(|reason| CoordinatorSaid::Goodbye { reason }),
    ]
}

fn outcome() -> impl Strategy<Value = Outcome> {
    prop_oneof![
        (value(), line()).prop_map(|(value, line)| Outcome::Solved { value, line }),
        Just(Outcome::Aborted),
        ".{0,20}".prop_map(|reason| Outcome::Failed { reason }),
    ]
}

fn traffic() -> impl Strategy<Value = report::Traffic> {
    let count = (0..1_u64 << 40, 0..1_u64 << 40)
        .prop_map(|(messages, bytes)| report::Count { messages, bytes });
    let counts = || prop::collection::btree_map("[a-z]+", count.clone(), 0..5);
    (counts(), counts())
        .prop_map(|(to_workers, from_workers)| report::Traffic { to_workers, from_workers })
}

fn answer() -> impl Strategy<Value = Answer> {
    let counts = prop::array::uniform15(0..1_u64 << 40);
    let delays = prop::collection::vec((any::<u32>(), 1..1_u64 << 40), 0..5);
    let line_text = prop::collection::vec(".{1,4}", 0..9);
    (outcome(), tally(), any::<u32>(), counts, traffic(), delays, line_text).prop_map(
        |(outcome, tally, slots, counts, traffic, delays, line_text)| {
            let facts = report::Facts {
                outcome,
                tally,
                slots,
                traffic,
                window_delays: delays.into(),
                elapsed_ns: counts[0],
                discarded_nodes: counts[1],
                busy_ns: counts[2],
                windows_pushed: counts[3],
                windows_applied: counts[4],
                windows_cut: counts[5],
                windows_late: counts[6],
                jobs_assigned: counts[7],
                splits_wished: counts[8],
                nodes_adopted: counts[9],
                jobs_cancelled: counts[10],
                brothers_reopened: counts[11],
                late_messages: counts[12],
                workers_lost: counts[13],
                windows_waiting: counts[14],
            };
            Answer { line_text, facts }
        },
    )
}

fn update() -> impl Strategy<Value = SearchUpdate> {
    let numbers = prop::array::uniform4(any::<u32>());
    let standing = (any::<u8>(), tally(), numbers, prop::collection::vec(".{1,4}", 0..9)).prop_map(
        |(depth, tally, [slots, idle_slots, jobs, waiting], line_text)| Standing {
            depth: Depth::from_code(depth),
            tally,
            slots,
            idle_slots,
            jobs,
            waiting,
            line_text,
        },
    );
    prop_oneof![
        any::<u64>().prop_map(|id| SearchUpdate::Accepted(SearchId(id))),
        any::<u32>().prop_map(|ahead| SearchUpdate::Queued { ahead }),
        standing.prop_map(SearchUpdate::Progress),
        answer().prop_map(|answer| SearchUpdate::Answer(Box::new(answer))),
    ]
}

fn order() -> impl Strategy<Value = SearchOrder> {
    let limit = prop::option::of((1..u64::MAX).prop_map(Duration::from_millis));
    (setup(), any::<u32>(), limit).prop_map(|(setup, processors, limit)| SearchOrder {
        setup,
        processors,
        limit,
    })
}

/// Sends `given` over the wire and takes it back.
fn there_and_back<Wire, Ours>(given: &Ours) -> Ours
where
    Wire: Message + Default + From<Ours>,
    Ours: Clone + TryFrom<Wire, Error = Malformed>,
{
    let bytes = Wire::from(given.clone()).encode_to_vec();
    Ours::try_from(Wire::decode(bytes.as_slice()).unwrap()).unwrap()
}

/// Changes a few bytes of a message. Whatever comes out must be read or refused.
fn damaged<Wire: Message + Default>(
    wire: &Wire,
    damage: &[(prop::sample::Index, u8)],
) -> Option<Wire> {
    let mut bytes = wire.encode_to_vec();
    for (place, byte) in damage {
        let length = bytes.len();
        if length > 0 {
            bytes[place.index(length)] = *byte;
        }
    }
    Wire::decode(bytes.as_slice()).ok()
}

fn damage() -> impl Strategy<Value = Vec<(prop::sample::Index, u8)>> {
    prop::collection::vec(any::<(prop::sample::Index, u8)>(), 1..4)
}

proptest! {
    #[test]
    fn what_workers_say_survives(said in worker_said()) {
        prop_assert_eq!(there_and_back::<v1::WorkerMessage, _>(&said), said);
    }

    #[test]
    fn what_the_coordinator_says_survives(said in coordinator_said()) {
        prop_assert_eq!(there_and_back::<v1::CoordinatorMessage, _>(&said), said);
    }

    #[test]
    fn what_clients_ask_and_are_told_survives(order in order(), update in update()) {
        prop_assert_eq!(there_and_back::<v1::SearchRequest, _>(&order), order);
        prop_assert_eq!(there_and_back::<v1::SearchResponse, _>(&update), update);
    }

    #[test]
    fn kinds_are_the_same_before_and_on_the_wire(from in from_worker(), to in to_worker()) {
        let kind = from.kind();
        prop_assert_eq!(v1::WorkerMessage::from(WorkerSaid::Machine(from)).kind(), kind);
        let kind = to.kind();
        prop_assert_eq!(v1::CoordinatorMessage::from(CoordinatorSaid::Machine(to)).kind(), kind);
    }

    #[test]
    fn damaged_messages_never_panic(
        from in worker_said(),
        to in coordinator_said(),
        order in order(),
        update in update(),
        damage in damage(),
    ) {
        let _ = damaged(&v1::WorkerMessage::from(from), &damage).map(WorkerSaid::try_from);
        let _ = damaged(&v1::CoordinatorMessage::from(to), &damage).map(CoordinatorSaid::try_from);
        let _ = damaged(&v1::SearchRequest::from(order), &damage).map(SearchOrder::try_from);
        let _ = damaged(&v1::SearchResponse::from(update), &damage).map(SearchUpdate::try_from);
    }
}

fn open_node() -> v1::OpenNode {
    v1::OpenNode {
        window: Some(v1::Window { alpha: -1, beta: 1 }),
        kind: v1::NodeKind::Cut.into(),
        remaining: 3,
        moves: vec![5, 6],
        ..v1::OpenNode::default()
    }
}

fn check_refused(change: impl FnOnce(&mut v1::OpenNode), complaint: &str) {
    let mut node = open_node();
    change(&mut node);
    let error = Handover::try_from(node).unwrap_err().to_string();
    assert!(error.contains(complaint), "{error}");
}

#[test]
fn a_wrong_open_node_is_refused_in_words() {
    assert!(Handover::try_from(open_node()).is_ok());
    check_refused(|node| node.window = None, "the window is missing");
    check_refused(
        |node| node.window = Some(v1::Window { alpha: 2, beta: 2 }),
        "window (2, 2) is empty",
    );
    check_refused(
        |node| {
            node.window = Some(v1::Window { alpha: 0, beta: 9_000_000 });
        },
        "score 9000000 is out of range",
    );
    check_refused(|node| node.kind = 0, "the kind of node is missing");
    check_refused(|node| node.kind = 77, "the kind of node has the unknown code 77");
    check_refused(|node| node.moves.clear(), "any child of an open node is missing");
    check_refused(|node| node.moves[0] = 1 << 16, "a move is 65536; 0 to 65535 are allowed");
    check_refused(|node| node.moves = vec![1; 257], "the number of children is 257");
    check_refused(|node| node.current = 2, "the index of the current child is 2; 0 to 1");
    check_refused(|node| node.keys = vec![1], "the number of keys is 1; 2 to 2");
    check_refused(|node| node.remaining = 0, "the remaining plies is 0; 1 to 255");
    check_refused(|node| node.line = vec![1; 513], "the length of the line is 513");
    let known = |index, low, high| vec![v1::Known { index, low, high }];
    check_refused(|node| node.known = known(2, None, None), "the index of a known child is 2");
    check_refused(
        |node| node.known = known(1, Some(4), Some(3)),
        "child 1 is said to lie between 4 and 3",
    );
}

#[test]
fn an_offer_sends_only_what_is_known() {
    let moves: Vec<Move> = (0..30).map(Move).collect();
    let node = OpenNode::new(Window::FULL, NodeKind::Cut, 9, &moves);
    let bytes = v1::OpenNode::from(&Handover { node, current: 0 }).encoded_len();
    assert!(bytes < 60, "{bytes} bytes for 30 moves of which nothing is known");
}

#[test]
fn a_long_reason_is_cut_short_between_characters() {
    let reason = "ä".repeat(MAX_REASON);
    let said = WorkerSaid::Goodbye { reason };
    let WorkerSaid::Goodbye { reason } = there_and_back::<v1::WorkerMessage, _>(&said) else {
        panic!("a goodbye stays a goodbye");
    };
    assert_eq!(reason.len(), MAX_REASON);
}
