//! Thousands of random runs, with splits, narrowings, cancels, delays, deaths and drains: each must
//! end with what the sequential search says.

#![allow(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

use eldest_sim::{Going, Plan, Rng, WorkerPlan, run};
use game::{Algorithm, Bound, Depth, Order, Policy, Score, Setup, Value, Window};
use search::{Catalogue, Table};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use ybw::Outcome;

/// Seeds tried in one go.
const PLANS: u64 = 4_000;

fn one_of<T: Copy>(rng: &mut Rng, choices: &[T]) -> T {
    choices[rng.below(choices.len() as u64) as usize]
}

fn draw_setup(rng: &mut Rng) -> Setup {
    let (game, depth) = match rng.below(8) {
        0 => (one_of(rng, &["connect:3x4", "connect:4x3,scoring=outcome"]).to_string(), 9),
        1 => ("tictactoe".to_string(), 7),
        2 => (one_of(rng, &["nim:2,3,2", "nim:1,2,3,1"]).to_string(), 7),
        _ => {
            let (b, d) = (rng.between(2, 6), rng.between(2, 7));
            let kind = one_of(rng, &["leaves", "edges"]);
            let order = one_of(rng, &["random", "0.5", "0.7", "perfect"]);
            let (range, seed) = (rng.between(1, 30), rng.below(1_000));
            (
                format!(
                    "synthetic:b={b},d={d},kind={kind},order={order},range={range},seed={seed}"
                ),
                d,
            )
        }
    };
    let cut_short = rng.once_in(3);
    let alpha = rng.between(0, 20) as i32 - 10;
    let window = if rng.once_in(2) {
        Window::FULL
    } else {
        Window::new(Score::new(alpha), Score::new(alpha + rng.between(1, 8) as i32)).unwrap()
    };
    Setup {
        depth: if cut_short {
            Depth::plies((depth - 1).min(6) as u8).unwrap()
        } else {
            Depth::FULL
        },
        window,
        algorithm: one_of(rng, &[Algorithm::AlphaBeta, Algorithm::Pvs, Algorithm::Pvs]),
        order: one_of(rng, &[Order::Static, Order::Static, Order::LeftToRight, Order::CentreFirst]),
        deepening: rng.once_in(4),
        policy: one_of(
            rng,
            &[Policy::Ybw, Policy::Ybw, Policy::Ybw, Policy::PvSplit, Policy::RootSplit],
        ),
        min_split: rng.between(1, 4) as u8,
        narrowing: !rng.once_in(4),
        table_mib: rng.below(2) as u32,
        ..Setup::new(game)
    }
}

fn draw_plan(seed: u64) -> Plan {
    let mut rng = Rng::new(seed);
    let setup = draw_setup(&mut rng);
    let processors = one_of(&mut rng, &[1, 2, 3, 5, 8, 16]);
    let draw_worker = |rng: &mut Rng, stays: bool| WorkerPlan {
        slots: rng.between(1, 3) as u16,
        node_ns: one_of(rng, &[100, 1_000, 1_000, 10_000]),
        joins_ns: if stays || rng.once_in(2) { 0 } else { rng.below(1_000_000) },
        goes: (!stays && rng.once_in(2)).then(|| {
            let going =
                if rng.once_in(2) { Going::Drains } else { Going::Killed(rng.below(500_000)) };
            (rng.below(2_000_000), going)
        }),
    };
    let workers = (0..processors).map(|index| draw_worker(&mut rng, index == 0)).collect();
    let latency = one_of(&mut rng, &[0, 1_000, 100_000, 1_000_000]);
    Plan {
        setup,
        workers,
        latency_ns: latency / 4..=latency,
        message_ns: one_of(&mut rng, &[0, 0, 2_000, 20_000]),
        nodes_per_poll: one_of(&mut rng, &[1, 5, 50, 500]),
        seed: rng.next_u64(),
        abort_ns: rng.once_in(20).then(|| rng.below(3_000_000)),
    }
}

/// Whether the value is a true statement about a position worth `truth` that decides the window.
fn answers(value: Value, truth: Score, window: Window) -> bool {
    let holds = match value.bound {
        Bound::Exact => value.score == truth,
        Bound::Lower => value.score <= truth,
        Bound::Upper => value.score >= truth,
    };
    holds && value.decides(window)
}

fn sequential(setup: &Setup) -> Score {
    let full = Setup { window: Window::FULL, ..setup.clone() };
    let table = Arc::new(Table::new(1));
    let problem = Catalogue::standard().prepare(&full).unwrap();
    problem.solve(Some(table), |_| (), &Arc::new(AtomicBool::new(false))).unwrap().value.score
}

#[test]
fn every_run_ends_with_the_sequential_score() {
    let catalogue = Catalogue::standard();
    let first = std::env::var("ELDEST_SEED").ok().map(|seed| seed.parse().unwrap());
    let seeds = first.map_or(0..PLANS, |seed: u64| seed..seed + 1);
    for seed in seeds {
        let plan = draw_plan(seed);
        let check = || {
            let finished = run(&plan, &catalogue, &mut |_| ()).unwrap();
            match &finished.outcome {
                Outcome::Solved { value, .. } => {
                    let truth = sequential(&plan.setup);
                    assert!(
                        answers(*value, truth, plan.setup.window),
                        "found {value} in {}, sequential {truth}",
                        plan.setup.window
                    );
                }
                Outcome::Aborted => assert!(plan.abort_ns.is_some(), "nobody gave it up"),
                Outcome::Failed { reason } => panic!("failed: {reason}"),
            }
        };
        if let Err(panic) = std::panic::catch_unwind(std::panic::AssertUnwindSafe(check)) {
            eprintln!("{plan:#?}");
            eprintln!("replay: ELDEST_SEED={seed} cargo test -p eldest-sim --test plans");
            std::panic::resume_unwind(panic);
        }
    }
}

#[test]
fn the_same_plan_gives_the_same_trace() {
    let catalogue = Catalogue::standard();
    for seed in 0..40 {
        let trace = || {
            let mut events = Vec::new();
            let watch = &mut |event: &ybw::Traced| events.push(event.clone());
            let finished = run(&draw_plan(seed), &catalogue, watch).unwrap();
            (finished, events)
        };
        assert_eq!(trace(), trace(), "seed {seed}");
    }
}

#[test]
fn the_plans_exercise_everything() {
    let catalogue = Catalogue::standard();
    let mut counts = std::collections::BTreeMap::<String, u64>::new();
    for seed in 0..300 {
        let watch = &mut |traced: &ybw::Traced| {
            let text = format!("{:?}", traced.event);
            let name = text.split([' ', '(']).next().unwrap_or_default().to_string();
            *counts.entry(name).or_default() += 1;
        };
        run(&draw_plan(seed), &catalogue, watch).unwrap();
    }
    for name in [
        "WorkerGone",
        "JobAssigned",
        "SplitWished",
        "NodesAdopted",
        "WindowPushed",
        "JobCancelled",
        "JobReturned",
        "JobDiscarded",
        "BrotherReopened",
    ] {
        assert!(counts.get(name).is_some_and(|&count| count > 10), "{name}: {counts:?}");
    }
}
