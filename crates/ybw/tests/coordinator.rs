//! The coordinator machine, told of results by hand.

#![allow(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

use eldest_ybw::{
    Assignment, Coordinator, CoordinatorInput, CoordinatorOutput, Departure, FromWorker, JobId,
    Moment, Peer, Request, SearchId, Spent, ToWorker, WorkerId,
};
use game::{
    Algorithm, Brother, Depth, Entry, Finding, Handover, Interval, Move, NodeKind, OpenNode,
    Policy, Score, Setup, Sharing, Value, Window,
};
use std::sync::Arc;

const SEARCH: SearchId = SearchId(1);
const FIRST: WorkerId = WorkerId(1);
const SECOND: WorkerId = WorkerId(2);

/// A coordinator and what it last said.
struct Desk {
    machine: Coordinator,
    said: Vec<(WorkerId, ToWorker)>,
}

impl Desk {
    /// With two workers of one slot each, the first of which has the root.
    fn new(sharing: Sharing) -> Desk {
        Desk::searching(Setup { sharing, ..Setup::new("opaque") })
    }

    fn searching(setup: Setup) -> Desk {
        let mut desk = Desk { machine: Coordinator::new(), said: Vec::new() };
        for worker in [FIRST, SECOND] {
            let address = Some(format!("at {worker}").into());
            desk.tell(CoordinatorInput::Joined { worker, name: "w".into(), slots: 1, address });
        }
        let setup = Arc::new(setup);
        desk.tell(CoordinatorInput::Submitted(Request { search: SEARCH, setup, processors: 0 }));
        desk
    }

    fn tell(&mut self, input: CoordinatorInput) {
        self.machine.handle(Moment::default(), input);
        self.said.clear();
        while let Some(output) = self.machine.poll_output() {
            match output {
                CoordinatorOutput::Send { worker, message } => self.said.push((worker, message)),
                CoordinatorOutput::Disconnect { reason, .. } => panic!("{reason}"),
                CoordinatorOutput::Answer { .. } | CoordinatorOutput::Trace(_) => {}
            }
        }
    }

    /// The worker resolves its job, with a score for the side to move at the job's root.
    fn resolve(&mut self, worker: WorkerId, job: JobId, value: Value) {
        let message = FromWorker::Result { job, value, line: Vec::new(), spent: Spent::default() };
        self.tell(CoordinatorInput::Received { worker, message });
    }

    /// The first worker grants the wish for a split of its job, and goes on with what this returns.
    fn offer(&mut self, nodes: Vec<Handover>) -> JobId {
        let (job, next) = self.wished().expect("the second worker is idle");
        let message = FromWorker::Offer { job, next, nodes, spent: Spent::default() };
        self.tell(CoordinatorInput::Received { worker: FIRST, message });
        next
    }

    fn wished(&self) -> Option<(JobId, JobId)> {
        self.said.iter().find_map(|(_, message)| match message {
            ToWorker::Split { job, wish } => Some((*job, wish.next)),
            _ => None,
        })
    }

    /// What was handed out, and to whom.
    fn assigned(&self) -> Vec<(WorkerId, &Assignment)> {
        let said = self.said.iter().filter_map(|(worker, message)| match message {
            ToWorker::Assign(assignment) => Some((*worker, assignment)),
            _ => None,
        });
        said.collect()
    }

    fn learnt(&self) -> Vec<(WorkerId, &[Finding])> {
        let said = self.said.iter().filter_map(|(worker, message)| match message {
            ToWorker::Learn { findings, .. } => Some((*worker, findings.as_slice())),
            _ => None,
        });
        said.collect()
    }

    /// Who was told of whom, and who is said to be gone.
    fn peers(&self) -> Vec<(WorkerId, Vec<WorkerId>, Vec<WorkerId>)> {
        let ids = |peers: &[Peer]| peers.iter().map(|peer| peer.worker).collect();
        let said = self.said.iter().filter_map(|(worker, message)| match message {
            ToWorker::Peers { joined, gone, .. } => Some((*worker, ids(joined), gone.clone())),
            _ => None,
        });
        said.collect()
    }
}

fn score(points: i32) -> Score {
    Score::new(points)
}

fn exact(points: i32) -> Interval {
    Interval { low: score(points), high: score(points) }
}

/// A node with so many children, of which the first few are known.
fn node(children: u16, known: &[Interval]) -> OpenNode {
    let brother = |index: u16| Brother {
        mv: Move(index),
        key: 100 + u64::from(index),
        known: known.get(usize::from(index)).copied().unwrap_or(Interval::UNKNOWN),
    };
    let line = if known.is_empty() { Vec::new() } else { vec![Move(0)] };
    let brothers = (0..children).map(brother).collect();
    OpenNode::restored(Window::FULL, NodeKind::Pv, 10, brothers, line).unwrap()
}

#[test]
fn brothers_stay_while_one_that_leads_is_searched_exactly() {
    let mut desk = Desk::new(Sharing::Process);
    let leader = desk.offer(vec![Handover { node: node(5, &[exact(0)]), current: 1 }]);
    let [(SECOND, scout)] = desk.assigned()[..] else { panic!("{:?}", desk.said) };
    let scout = scout.job;

    // The first young brother is worth 5 or more: its exact value is wanted.
    desk.resolve(FIRST, leader, Value::upper(score(-5)));
    let [(FIRST, again)] = desk.assigned()[..] else { panic!("{:?}", desk.said) };
    assert_eq!(again.subtree.path, [Move(1)]);
    assert_eq!(again.subtree.question.kind, NodeKind::Pv);
    let again = again.job;

    // The second is refuted; the others wait for what the first is worth.
    desk.resolve(SECOND, scout, Value::lower(score(-5)));
    assert_eq!(desk.assigned(), []);
    assert_eq!(desk.wished().map(|(job, _)| job), Some(again), "the idle slot wants to help there");

    desk.resolve(FIRST, again, Value::exact(score(-7)));
    let paths: Vec<&[Move]> =
        desk.assigned().iter().map(|(_, assignment)| &*assignment.subtree.path).collect();
    assert_eq!(paths, [[Move(3)], [Move(4)]]);
    for (_, assignment) in desk.assigned() {
        assert_eq!(assignment.subtree.question.window, -Window::null(score(7)));
    }
}

/// A search of two iterations, the first of which found the root worth 10.
fn deepened(policy: Policy, algorithm: Algorithm) -> Desk {
    let depth = Depth::plies(2).unwrap();
    let setup = Setup { depth, deepening: 1, policy, algorithm, ..Setup::new("opaque") };
    let mut desk = Desk::searching(setup);
    desk.resolve(FIRST, JobId(1), Value::exact(score(10)));
    desk
}

#[test]
fn brothers_on_the_principal_variation_are_scouted_against_a_guess() {
    let mut desk = deepened(Policy::Aspiring, Algorithm::Pvs);
    let leader = desk.offer(vec![Handover { node: node(3, &[]), current: 0 }]);
    let [(SECOND, scout)] = desk.assigned()[..] else { panic!("{:?}", desk.said) };
    assert_eq!(scout.subtree.path, [Move(1)]);
    assert_eq!(scout.subtree.question.window, -Window::null(score(8)), "10, and 2 to be safe");
    let scout = scout.job;

    // It is refuted, and is not asked again for now: the last brother is.
    desk.resolve(SECOND, scout, Value::lower(score(-8)));
    let [(SECOND, last)] = desk.assigned()[..] else { panic!("{:?}", desk.said) };
    assert_eq!(last.subtree.path, [Move(2)]);
    let last = last.job;

    // The eldest is worth less than was guessed, so the scout under way is asked for more. What was found
    // out of the first suffices no longer.
    desk.resolve(FIRST, leader, Value::exact(score(-5)));
    let window = -Window::null(score(5));
    assert!(desk.said.contains(&(SECOND, ToWorker::Narrow { job: last, window })));
    let [(FIRST, again)] = desk.assigned()[..] else { panic!("{:?}", desk.said) };
    assert_eq!(again.subtree.path, [Move(1)]);
    assert_eq!(again.subtree.question.window, window);
}

#[test]
fn a_good_guess_leaves_nothing_to_be_done() {
    let mut desk = deepened(Policy::Aspiring, Algorithm::Pvs);
    let leader = desk.offer(vec![Handover { node: node(2, &[]), current: 0 }]);
    let scout = desk.assigned()[0].1.job;
    desk.resolve(SECOND, scout, Value::lower(score(-8)));
    desk.resolve(FIRST, leader, Value::exact(score(-9)));
    let forget = ToWorker::Forget { search: SEARCH };
    assert!(desk.said.contains(&(FIRST, forget)), "{:?}", desk.said);
}

#[test]
fn young_brothers_wait_where_nothing_may_be_guessed() {
    let cases = [(Policy::Ybw, Algorithm::Pvs), (Policy::Aspiring, Algorithm::Minimax)];
    for (policy, algorithm) in cases {
        let mut desk = deepened(policy, algorithm);
        desk.offer(vec![Handover { node: node(3, &[]), current: 0 }]);
        assert_eq!(desk.assigned(), []);
    }
}

/// Hands over the root and its eldest child, and resolves that child's children.
fn resolve_a_node(desk: &mut Desk) {
    let root = Handover { node: node(3, &[]), current: 0 };
    let eldest = Handover { node: node(3, &[exact(2)]), current: 1 };
    let job = desk.offer(vec![root, eldest]);
    let other = desk.assigned()[0].1.job;
    desk.resolve(FIRST, job, Value::lower(score(-2)));
    assert_eq!(desk.learnt(), []);
    desk.resolve(SECOND, other, Value::lower(score(-1)));
}

#[test]
fn a_node_that_was_handed_over_is_learnt_when_it_is_resolved() {
    let mut desk = Desk::new(Sharing::Process);
    resolve_a_node(&mut desk);
    let value = Value::exact(score(2));
    let entry = Entry { value, depth: Depth::FULL, best: Move(0), remaining: 10 };
    assert_eq!(desk.learnt(), [(SECOND, &[Finding { key: 100, entry }][..])]);
}

#[test]
fn nothing_is_learnt_where_tables_are_not_shared() {
    let mut desk = Desk::new(Sharing::Off);
    resolve_a_node(&mut desk);
    assert_eq!(desk.learnt(), []);
}

#[test]
fn workers_of_a_search_learn_of_each_other() {
    let mut desk = Desk::new(Sharing::Cluster);
    assert_eq!(desk.peers(), [], "the second has no job yet");
    desk.offer(vec![Handover { node: node(4, &[exact(0)]), current: 1 }]);
    assert_eq!(desk.peers(), [(FIRST, vec![SECOND], vec![]), (SECOND, vec![FIRST], vec![])]);
    desk.tell(CoordinatorInput::Departed { worker: SECOND, departure: Departure::Lost });
    assert_eq!(desk.peers(), [(FIRST, vec![], vec![SECOND])]);
}

#[test]
fn processes_that_share_nothing_stay_strangers() {
    for sharing in [Sharing::Off, Sharing::Process] {
        let mut desk = Desk::new(sharing);
        desk.offer(vec![Handover { node: node(4, &[exact(0)]), current: 1 }]);
        assert_eq!(desk.peers(), []);
    }
}
