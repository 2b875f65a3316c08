//! What messages weigh: [`Weighed`].
//!
//! The rule, close to what a compact binary encoding needs: a number takes a byte that names it and a
//! byte for every seven bits it has; a zero takes nothing. A list and a message within a message take
//! two bytes more than their content, and so does the frame around each message. Keys take
//! eight bytes, and so do table entries.

use game::{Brother, Finding, Handover, Interval, Move, Setup, Value, Window};
use ybw::{Assignment, FromWorker, Peer, Spent, ToWorker, WindowEffect};

/// A message with a kind and a size.
pub(crate) trait Weighed {
    /// Its kind, as reports call it.
    fn kind(&self) -> &'static str;

    /// Its estimated size in bytes.
    fn bytes(&self) -> u64;
}

/// What a list, a message within a message or a frame needs beyond its content.
const AROUND: u64 = 2;
const KEY: u64 = 8;
/// The numbers of a setup that are not texts: a byte or two each.
const SETUP_NUMBERS: u64 = 24;

/// What one process tells another.
pub(crate) fn told_bytes(findings: &[Finding]) -> u64 {
    4 * AROUND + findings.len() as u64 * 2 * KEY
}

impl Weighed for ToWorker {
    fn kind(&self) -> &'static str {
        match self {
            ToWorker::Prepare { .. } => "prepare",
            ToWorker::Assign(_) => "assign",
            ToWorker::Narrow { .. } => "narrow",
            ToWorker::Cancel { .. } => "cancel",
            ToWorker::Split { .. } => "split",
            ToWorker::Forget { .. } => "forget",
            ToWorker::Peers { .. } => "peers",
            ToWorker::Learn { .. } => "learn",
        }
    }

    fn bytes(&self) -> u64 {
        AROUND
            + match self {
                ToWorker::Prepare { search, setup } => number(search.0) + setup_bytes(setup),
                ToWorker::Assign(assignment) => assignment_bytes(assignment),
                ToWorker::Narrow { job, window } => number(job.0) + window_bytes(*window),
                ToWorker::Cancel { job } => number(job.0),
                ToWorker::Split { job, wish } => number(job.0) + number(wish.next.0) + 1,
                ToWorker::Forget { search } => number(search.0),
                ToWorker::Peers { search, own, members, joined, gone } => {
                    let joined: u64 = joined.iter().map(peer_bytes).sum();
                    let gone: u64 = gone.iter().map(|worker| groups(worker.0)).sum();
                    let numbers = number(search.0) + number(own.0) + number((*members).into());
                    numbers + joined + AROUND + gone
                }
                ToWorker::Learn { search, findings } => {
                    number(search.0) + 3 * AROUND + findings.len() as u64 * 2 * KEY
                }
            }
    }
}

impl Weighed for FromWorker {
    fn kind(&self) -> &'static str {
        match self {
            FromWorker::Result { .. } => "result",
            FromWorker::Offer { .. } => "offer",
            FromWorker::Stopped { .. } => "stopped",
            FromWorker::Progress { .. } => "progress",
            FromWorker::Narrowed { .. } => "narrowed",
            FromWorker::Returned { .. } => "returned",
            FromWorker::Leaving => "leaving",
            FromWorker::Unfit { .. } => "unfit",
        }
    }

    fn bytes(&self) -> u64 {
        AROUND
            + match self {
                FromWorker::Result { job, value, line, spent } => {
                    number(job.0) + value_bytes(*value) + moves(line) + spent_bytes(spent)
                }
                FromWorker::Offer { job, next, nodes, spent } => {
                    let nodes: u64 = nodes.iter().map(handover_bytes).sum();
                    number(job.0) + number(next.0) + nodes + spent_bytes(spent)
                }
                FromWorker::Stopped { job, spent }
                | FromWorker::Progress { job, spent }
                | FromWorker::Returned { job, spent } => number(job.0) + spent_bytes(spent),
                FromWorker::Narrowed { job, window, effect, at } => {
                    let effect = match effect {
                        WindowEffect::Waiting | WindowEffect::Late => AROUND,
                        WindowEffect::Applied(cutback) => {
                            AROUND + number(cutback.open_nodes.into()) + number(cutback.saved)
                        }
                    };
                    number(job.0) + window_bytes(*window) + effect + number(at.0)
                }
                FromWorker::Leaving => 0,
                FromWorker::Unfit { search, reason } => {
                    number(search.0) + AROUND + reason.len() as u64
                }
            }
    }
}

/// A number with the byte that names it.
fn number(number: u64) -> u64 {
    if number == 0 { 0 } else { 1 + groups(number) }
}

fn groups(number: u64) -> u64 {
    u64::from((u64::BITS - number.leading_zeros()).div_ceil(7).max(1))
}

/// Signed numbers are folded, so that small ones stay small.
fn signed(number_: i32) -> u64 {
    number(u64::from(number_.unsigned_abs()) * 2)
}

fn moves(moves: &[Move]) -> u64 {
    if moves.is_empty() {
        return 0;
    }
    AROUND + moves.iter().map(|mv| groups(u64::from(mv.0))).sum::<u64>()
}

fn window_bytes(window: Window) -> u64 {
    AROUND + signed(window.alpha().points()) + signed(window.beta().points())
}

fn value_bytes(value: Value) -> u64 {
    AROUND + signed(value.score.points()) + 2
}

fn spent_bytes(spent: &Spent) -> u64 {
    let Spent { tally, busy_ns } = spent;
    let counts = [tally.nodes, tally.interior, tally.leaves, tally.quiescence];
    let probes = [tally.probes, tally.hits, tally.table_cutoffs];
    let shared = [tally.shared, tally.shared_hits, tally.shared_cutoffs];
    let cutoffs: u64 = tally.cutoffs.iter().map(|&count| groups(count)).sum();
    let numbers = counts.into_iter().chain(probes).chain(shared).map(number).sum::<u64>();
    3 * AROUND + cutoffs + numbers + number(*busy_ns)
}

fn setup_bytes(setup: &Setup) -> u64 {
    (setup.game.len() + setup.position.len()) as u64 + SETUP_NUMBERS
}

fn assignment_bytes(assignment: &Assignment) -> u64 {
    let Assignment { job, search, subtree } = assignment;
    number(job.0)
        + number(search.0)
        + moves(&subtree.path)
        + number(subtree.depth.code().into())
        + window_bytes(subtree.question.window)
        + 2
        + moves(&subtree.hint)
}

fn peer_bytes(peer: &Peer) -> u64 {
    2 * AROUND + number(peer.worker.0) + peer.address.len() as u64
}

fn handover_bytes(handover: &Handover) -> u64 {
    let Handover { node, current } = handover;
    let keyed = node.brothers.iter().any(|brother| brother.key != 0);
    let brother_bytes = |brother: &Brother| {
        let Interval { low, high } = brother.known;
        let known = match brother.known == Interval::UNKNOWN {
            true => 0,
            false => AROUND + 2 + signed(low.points()) + signed(high.points()),
        };
        groups(u64::from(brother.mv.0)) + known + if keyed { KEY } else { 0 }
    };
    let brothers: u64 = node.brothers.iter().map(brother_bytes).sum();
    let numbers = 2 + number(node.remaining.into()) + number(*current as u64);
    3 * AROUND + window_bytes(node.window) + brothers + moves(&node.line) + numbers
}

#[cfg(test)]
mod tests {
    use super::*;
    use ybw::JobId;

    #[test]
    fn numbers_take_a_byte_for_every_seven_bits() {
        let check = |job, bytes| {
            assert_eq!(ToWorker::Cancel { job: JobId(job) }.bytes(), bytes, "{job}");
        };
        check(0, 2);
        check(1, 4);
        check(127, 4);
        check(128, 5);
        check(u64::MAX, 13);
    }
}
