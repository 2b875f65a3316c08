//! Every way to search a tree agrees with minimax, and the spine with plain recursion.

#![allow(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

use eldest_search::{Catalogue, Run, SlotSearch, Solution, Table};
use game::{
    Algorithm, Bound, Depth, Interval, Order, Policy, Score, Setup, Subtree, Tally, Value, Window,
};
use game::{NodeKind, Question};
use proptest::prelude::*;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

fn free(_: game::LeafCost) {}

fn solve(setup: &Setup) -> Solution {
    let problem = Catalogue::standard().prepare(setup).unwrap();
    let table = (setup.table_mib > 0).then(|| Arc::new(Table::new(setup.table_mib)));
    problem.solve(table, free, &Arc::new(AtomicBool::new(false))).unwrap()
}

fn slot(setup: &Setup) -> Box<dyn SlotSearch> {
    let problem = Catalogue::standard().prepare(setup).unwrap();
    let table = (setup.table_mib > 0).then(|| Arc::new(Table::new(setup.table_mib)));
    let mut slot = problem.slot(table, free);
    let question = Question { window: setup.window, kind: NodeKind::Pv };
    let (path, depth, hint) = (Vec::new(), setup.depth, Vec::new());
    slot.start(&Subtree { path, depth, question, hint }).unwrap();
    slot
}

fn run_to_end(slot: &mut dyn SlotSearch) -> (Value, Tally) {
    loop {
        if let Run::Done { value, .. } = slot.run(50) {
            return (value, slot.take_tally());
        }
    }
}

fn minimax(setup: &Setup) -> Score {
    let window = Window::FULL;
    solve(&Setup { algorithm: Algorithm::Minimax, window, ..setup.clone() }).value.score
}

/// Whether the value is a true statement about a position worth `truth` that decides the window.
fn answers(value: Value, truth: Score, window: Window) -> bool {
    let holds = match value.bound {
        Bound::Exact => value.score == truth,
        Bound::Lower => value.score <= truth,
        Bound::Upper => value.score >= truth,
    };
    holds && Interval::UNKNOWN.learn(value).decides(window.alpha(), window.beta())
}

fn games() -> impl Strategy<Value = (String, u8)> {
    let kinds = prop_oneof![Just("leaves"), Just("edges")];
    let orders = prop_oneof![Just("random"), Just("perfect"), Just("0.7")];
    let synthetic = (2..6u8, 1..6u8, 0..500u16, kinds, orders, 1..20u8, 0..2u8).prop_map(
        |(b, d, seed, kind, order, range, noisy)| {
            let noisy = if kind == "edges" && order != "perfect" && noisy > 0 { ",noisy=0.3" } else { "" };
            (format!("synthetic:b={b},d={d},seed={seed},kind={kind},order={order},range={range}{noisy}"), d)
        },
    );
    prop_oneof![
        4 => synthetic,
        1 => Just(("connect:3x4".to_string(), 7)),
        1 => Just(("tictactoe".to_string(), 6)),
        1 => Just(("nim:2,3,2".to_string(), 6)),
    ]
}

fn setups() -> impl Strategy<Value = Setup> {
    let algorithms = prop_oneof![Just(Algorithm::AlphaBeta), Just(Algorithm::Pvs)];
    let orders = prop_oneof![
        3 => Just(Order::Static), 1 => Just(Order::LeftToRight), 1 => Just(Order::CentreFirst),
        1 => Just(Order::WorstFirst)
    ];
    let windows = prop_oneof![1 => Just((-1000, 1000)), 2 => (-9..9i32, 1..6i32).prop_map(|(a, w)| (a, a + w))];
    (games(), algorithms, orders, windows, 0..8u8, 0..2u32, 1..4u8, 0..3u8, 0..4u8).prop_map(
        |(
            (game, d),
            algorithm,
            order,
            (a, b),
            depth,
            table_mib,
            min_split,
            quiescence,
            deepening,
        )| {
            let depth = depth.min(d);
            Setup {
                depth: if depth == d { Depth::FULL } else { Depth::plies(depth).unwrap() },
                window: Window::new(Score::new(a), Score::new(b)).unwrap(),
                algorithm,
                order,
                table_mib,
                min_split,
                quiescence,
                deepening,
                ..Setup::new(game)
            }
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn every_algorithm_answers_as_minimax_does(setup in setups()) {
        let truth = minimax(&setup);
        let found = solve(&setup).value;
        prop_assert!(answers(found, truth, setup.window), "{found} for a truth of {truth}");
    }

    #[test]
    fn an_undisturbed_spine_does_exactly_what_recursion_does(setup in setups()) {
        let setup = Setup { deepening: 0, ..setup };
        let plain = solve(&setup);
        let (value, tally) = run_to_end(&mut *slot(&setup));
        prop_assert_eq!(value, plain.value);
        prop_assert_eq!(tally, plain.tally);
    }

    #[test]
    fn a_window_may_change_at_any_pause(
        setup in setups(),
        moves in prop::collection::vec((1..40u64, -9..9i32, 1..6i32), 0..6),
    ) {
        let truth = minimax(&setup);
        let mut slot = slot(&setup);
        let mut window = setup.window;
        for (nodes, alpha, width) in moves {
            if let Run::Done { value, .. } = slot.run(nodes) {
                prop_assert!(answers(value, truth, window), "{value} for {truth} in {window}");
                return Ok(());
            }
            window = Window::new(Score::new(alpha), Score::new(alpha + width)).unwrap();
            slot.narrow(window);
        }
        let (value, _) = run_to_end(&mut *slot);
        prop_assert!(answers(value, truth, window), "{value} for {truth} in {window}");
    }

    #[test]
    fn what_is_left_after_a_split_is_the_current_child(setup in setups(), nodes in 1..60u64) {
        let setup = Setup { policy: Policy::Ybw, deepening: 0, ..setup };
        let mut slot = slot(&setup);
        if let Run::Done { .. } = slot.run(nodes) { return Ok(()); }
        let Some(given) = slot.split(0) else { return Ok(()) };
        let mut path = Vec::new();
        for handover in &given {
            path.push(handover.node.brothers[handover.current].mv);
        }
        let last = given.last().unwrap();
        prop_assert!(last.node.is_split_point());
        let question = last.node.question(last.current, setup.algorithm).unwrap();
        let mut depth = setup.depth;
        for _ in &given { depth = depth.child(); }
        let problem = Catalogue::standard().prepare(&Setup { table_mib: 0, ..setup.clone() }).unwrap();
        let mut whole = problem.slot(None, free);
        whole.start(&Subtree { path: path.clone(), depth, question: Question { window: Window::FULL, kind: NodeKind::Pv }, hint: vec![] }).unwrap();
        let (truth, _) = run_to_end(&mut *whole);
        let (value, _) = run_to_end(&mut *slot);
        prop_assert!(answers(value, truth.score, question.window), "{value} for {truth}");
    }
}

#[test]
fn connect_visits_the_known_numbers_of_interior_nodes() {
    let check = |board: &str, order, interior| {
        let window = Window::new(Score::new(-2), Score::new(2)).unwrap();
        let game = format!("connect:{board},scoring=outcome");
        let algorithm = Algorithm::AlphaBeta;
        let found = solve(&Setup { window, order, algorithm, table_mib: 0, ..Setup::new(game) });
        assert_eq!(found.value, Value::exact(Score::ZERO), "{board} is a draw");
        assert_eq!(found.tally.interior, interior, "{board} {order:?}");
    };
    for (board, plain, centre, best, worst) in [
        ("3x3", 213, 213, 213, 213),
        ("4x3", 749, 749, 601, 1_286),
        ("3x4", 2_826, 2_826, 2_302, 6_128),
    ] {
        check(board, Order::LeftToRight, plain);
        check(board, Order::CentreFirst, centre);
        check(board, Order::BestFirst, best);
        check(board, Order::WorstFirst, worst);
    }
    check("4x4", Order::LeftToRight, 43_827);
    check("4x4", Order::CentreFirst, 108_671);
}
