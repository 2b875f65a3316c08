//! Where a trial's knobs come from: [`trial`].

use super::Trial;
use crate::{Group, Mishap, Plan, Rng, What};
use game::{Algorithm, Depth, Order, Policy, Score, Setup, Sharing, Window};
use ybw::{Moment, Relay};

/// Draws every knob from the seed.
pub(super) fn trial(seed: u64) -> Trial {
    let mut rng = Rng::new(seed);
    let setup = setup(&mut rng);
    let storm = about(&mut rng, 5, 8);
    let mut workers = vec![calm_group(&mut rng, storm)];
    for _ in 0..rng.below(4) {
        workers.push(stormy_group(&mut rng, storm));
    }
    // Anywhere in the order of workers, for the coordinator goes by that.
    let place = rng.below(workers.len() as u64) as usize;
    workers.swap(0, place);
    let latency = one_of(&mut rng, &[0, 1_000, 5_000, 10_000, 30_000, 100_000, 1_000_000]);
    let plan = Plan {
        setup,
        shared_table: rng.once_in(4),
        processors: if rng.once_in(6) { rng.between(1, 6) as u32 } else { 0 },
        workers,
        latency_ns: latency / 4..=latency,
        bytes_per_s: rng.once_in(3).then(|| about(&mut rng, 6, 9)),
        message_in_ns: one_of(&mut rng, &[0, 0, 2_000, 20_000]),
        tell_interval_ns: one_of(&mut rng, &[20_000, 200_000, Relay::INTERVAL_NS]),
        peer_message_ns: one_of(&mut rng, &[0, Plan::PEER_MESSAGE_NS]),
        finding_ns: one_of(&mut rng, &[0, Plan::FINDING_NS]),
        message_out_ns: one_of(&mut rng, &[0, 0, 1_000, 10_000]),
        nodes_per_poll: one_of(&mut rng, &[1, 5, 50, 500]),
        silence_ns: one_of(&mut rng, &[100_000, 1_000_000, Plan::SILENCE_NS]),
        seed: rng.next_u64(),
        abort_ns: rng.once_in(20).then(|| rng.below(3_000_000)),
    };
    let calm = Moment(plan.workers.iter().map(|group| calm_from(group, &plan)).max().unwrap_or(0));
    Trial { seed, plan, calm }
}

/// When nothing more befalls a group, and its sessions are what they are.
fn calm_from(group: &Group, plan: &Plan) -> u64 {
    let after = |mishap: &Mishap| {
        mishap.at_ns
            + match mishap.what {
                What::Killed { unnoticed_ns } => unnoticed_ns,
                What::Drains => 0,
                What::Stalls { for_ns } => for_ns.max(plan.silence_ns),
                What::Breaks { coordinator_notices_ns, worker_notices_ns, rejoins_ns } => {
                    coordinator_notices_ns.max(worker_notices_ns + rejoins_ns)
                }
            }
    };
    let mishaps = group.mishaps.iter().map(after).sum::<u64>();
    group.joins_ns + group.spread_ns + mishaps
}

fn calm_group(rng: &mut Rng, storm: u64) -> Group {
    Group { count: rng.between(1, 2) as u32, mishaps: Vec::new(), ..group(rng, storm) }
}

fn stormy_group(rng: &mut Rng, storm: u64) -> Group {
    let mishaps = (0..rng.between(1, 4)).map(|_| mishap(rng, storm)).collect();
    Group { mishaps, ..group(rng, storm) }
}

fn group(rng: &mut Rng, storm: u64) -> Group {
    Group {
        count: rng.between(1, 5) as u32,
        slots: rng.between(1, 3) as u16,
        node_ns: one_of(rng, &[100, 1_000, 1_000, 10_000]),
        joins_ns: if rng.once_in(4) { rng.below(storm) } else { 0 },
        spread_ns: if rng.once_in(4) { rng.below(storm) } else { 0 },
        mishaps: Vec::new(),
    }
}

fn mishap(rng: &mut Rng, storm: u64) -> Mishap {
    let what = match rng.below(7) {
        0 => What::Killed { unnoticed_ns: rng.below(storm) },
        1 | 2 => What::Drains,
        3 | 4 => What::Stalls { for_ns: rng.below(storm) },
        _ => What::Breaks {
            coordinator_notices_ns: rng.below(storm),
            worker_notices_ns: rng.below(storm),
            rejoins_ns: rng.below(storm),
        },
    };
    // As many early as late, for nobody knows how long the search will last.
    let latest = about(rng, 4, 8).min(storm);
    Mishap { at_ns: rng.below(latest), what }
}

fn setup(rng: &mut Rng) -> Setup {
    let (game, plies) = game(rng);
    let small = plies <= 4;
    let depth = match rng.once_in(3) {
        true => Depth::from_code((plies - 1).min(6) as u8),
        false => Depth::FULL,
    };
    let algorithm = match rng.below(8) {
        0 if small => Algorithm::Minimax,
        0..3 => Algorithm::AlphaBeta,
        _ => Algorithm::Pvs,
    };
    let order = match rng.below(8) {
        0 => Order::LeftToRight,
        1 => Order::CentreFirst,
        2 if small => one_of(rng, &[Order::BestFirst, Order::WorstFirst]),
        _ => Order::Static,
    };
    let everything = algorithm == Algorithm::Minimax || rng.once_in(2);
    Setup {
        depth,
        window: if everything { Window::FULL } else { window(rng) },
        algorithm,
        order,
        quiescence: if rng.once_in(4) { rng.between(1, 3) as u8 } else { 0 },
        deepening: if depth != Depth::FULL && rng.once_in(3) { rng.between(1, 3) as u8 } else { 0 },
        policy: one_of(
            rng,
            &[
                Policy::Ybw,
                Policy::Ybw,
                Policy::Aspiring,
                Policy::Aspiring,
                Policy::Ybw,
                Policy::PvSplit,
                Policy::RootSplit,
            ],
        ),
        min_split: rng.between(1, 4) as u8,
        narrowing: !rng.once_in(4),
        table_mib: rng.below(2) as u32,
        sharing: one_of(rng, &[Sharing::Off, Sharing::Process, Sharing::Cluster, Sharing::Cluster]),
        ..Setup::new(game)
    }
}

/// A small game and the plies of it that are worth a search.
fn game(rng: &mut Rng) -> (String, u64) {
    match rng.below(8) {
        0 => (one_of(rng, &["connect:3x4", "connect:4x3,scoring=outcome"]).to_string(), 9),
        1 => ("tictactoe".to_string(), 7),
        2 => (one_of(rng, &["nim:2,3,2", "nim:1,2,3,1"]).to_string(), 7),
        _ => {
            // Up to some ten thousand positions, a few more if the order is bad.
            let b = rng.between(2, 7);
            let least = if rng.once_in(8) { 2 } else { 11 - b };
            let d = rng.between(least, 14 - b);
            let kind = one_of(rng, &["leaves", "edges"]);
            let order = one_of(rng, &["random", "0.5", "0.7", "perfect"]);
            let noisy = one_of(rng, &["0", "0", "0.2"]);
            let (range, seed) = (rng.between(1, 30), rng.below(1_000));
            let shape = format!("b={b},d={d},kind={kind},order={order},noisy={noisy}");
            (format!("synthetic:{shape},range={range},seed={seed}"), d)
        }
    }
}

fn window(rng: &mut Rng) -> Window {
    let alpha = rng.between(0, 20) as i32 - 10;
    let beta = alpha + rng.between(1, 8) as i32;
    Window::new(Score::new(alpha), Score::new(beta)).expect("alpha is below beta")
}

/// A number of the order of magnitude 10^`low` to 10^`high`.
fn about(rng: &mut Rng, low: u32, high: u32) -> u64 {
    let magnitude = rng.between(u64::from(low), u64::from(high - 1));
    let least = 10_u64.pow(magnitude as u32);
    rng.between(least, 10 * least)
}

fn one_of<T: Copy>(rng: &mut Rng, choices: &[T]) -> T {
    choices[rng.below(choices.len() as u64) as usize]
}
