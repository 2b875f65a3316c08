//! What travels from table to table: [`Relay`].
//!
//! The processes that share table entries form a tree in which each has few neighbours
//! ([`ToWorker::Peers`](crate::ToWorker::Peers)). Each tells its neighbours what it found out, and passes on to
//! the others what it hears from one. So everybody hears everything, and nobody has to know everybody.

use crate::{Moment, WorkerId};
use game::Finding;
use std::collections::BTreeMap;

/// Findings that a process can take in within a second, from all others together: at 100 ns each, one
/// percent of a core.
const HEARD_PER_S: f64 = 100_000.0;
/// Findings that a process may tell at once after it was silent.
const BURST: f64 = 64.0;
/// Findings that wait for one neighbour; what comes then is not told it.
const MAX_WAITING: usize = 8192;

/// What one process has to tell its neighbours.
#[derive(Debug, Default)]
pub struct Relay {
    neighbours: BTreeMap<WorkerId, Vec<Finding>>,
    members: u32,
    /// Own findings that may be told.
    credit: f64,
    credit_at: Moment,
}

impl Relay {
    /// How often neighbours are told something, in nanoseconds.
    pub const INTERVAL_NS: u64 = 5_000_000;

    /// Whether nobody wants to be told anything.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.neighbours.is_empty()
    }

    /// Takes in who is a neighbour from now on, who is none any more, and how many processes share in all. A
    /// new neighbour is told what comes from now on.
    pub fn change(
        &mut self,
        joined: impl IntoIterator<Item = WorkerId>,
        gone: &[WorkerId],
        members: u32,
    ) {
        self.members = members;
        for worker in gone {
            self.neighbours.remove(worker);
        }
        for worker in joined {
            self.neighbours.entry(worker).or_default();
        }
    }

    /// How many of its own findings the process may tell at `now`.
    pub fn allowance(&mut self, now: Moment) -> usize {
        let seconds = now.since(self.credit_at) as f64 * 1e-9;
        let others = f64::from(self.members.saturating_sub(1).max(1));
        let fills = BURST.max(Relay::INTERVAL_NS as f64 * 1e-9 * HEARD_PER_S / others);
        self.credit = (self.credit + seconds * HEARD_PER_S / others).min(fills);
        self.credit_at = now;
        self.credit as usize
    }

    /// Takes in what the process found out itself.
    pub fn found(&mut self, findings: &[Finding]) {
        self.credit -= findings.len() as f64;
        self.pass_on(None, findings);
    }

    /// Takes in what a neighbour told and was new.
    pub fn heard(&mut self, from: WorkerId, findings: &[Finding]) {
        self.pass_on(Some(from), findings);
    }

    fn pass_on(&mut self, from: Option<WorkerId>, findings: &[Finding]) {
        for (&neighbour, waiting) in &mut self.neighbours {
            if Some(neighbour) != from {
                let room = MAX_WAITING.saturating_sub(waiting.len());
                waiting.extend(findings.iter().take(room));
            }
        }
    }

    /// What every neighbour is to be told now, as far as there is anything.
    pub fn take(&mut self) -> Vec<(WorkerId, Vec<Finding>)> {
        let waits = |(&neighbour, waiting): (&WorkerId, &mut Vec<Finding>)| {
            (!waiting.is_empty()).then(|| (neighbour, std::mem::take(waiting)))
        };
        self.neighbours.iter_mut().filter_map(waits).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use game::{Depth, Entry, Move, Score, Value};

    const A: WorkerId = WorkerId(1);
    const B: WorkerId = WorkerId(2);

    fn finding(key: u64) -> Finding {
        let value = Value::exact(Score::ZERO);
        Finding { key, entry: Entry { value, depth: Depth::FULL, best: Move(0), remaining: 9 } }
    }

    fn relay() -> Relay {
        let mut relay = Relay::default();
        relay.change([A, B], &[], 3);
        relay
    }

    #[test]
    fn what_was_heard_goes_to_all_others_and_what_was_found_to_all() {
        let mut relay = relay();
        relay.heard(A, &[finding(1)]);
        assert_eq!(relay.take(), [(B, vec![finding(1)])]);
        relay.found(&[finding(2)]);
        relay.heard(WorkerId(9), &[finding(3)]);
        let both = vec![finding(2), finding(3)];
        assert_eq!(relay.take(), [(A, both.clone()), (B, both)]);
        assert_eq!(relay.take(), []);
    }

    #[test]
    fn who_is_gone_is_told_nothing() {
        let mut relay = relay();
        relay.found(&[finding(1)]);
        relay.change([], &[A], 2);
        assert_eq!(relay.take(), [(B, vec![finding(1)])]);
        relay.change([], &[B], 1);
        assert!(relay.is_empty());
    }

    #[test]
    fn all_processes_together_tell_each_no_more_than_it_can_take_in() {
        for members in [2, 3, 1_000] {
            let mut relay = relay();
            relay.change([], &[], members);
            let mut told = 0;
            for tick in 1..=2_000 {
                let most = relay.allowance(Moment(tick * Relay::INTERVAL_NS));
                relay.found(&vec![finding(tick); most]);
                relay.take();
                told += most;
            }
            let heard = told as f64 * f64::from(members - 1) / 10.0;
            assert!((0.99..1.1).contains(&(heard / HEARD_PER_S)), "{members}: {heard}");
        }
    }

    #[test]
    fn a_neighbour_that_is_not_told_fast_enough_misses_something() {
        let mut relay = relay();
        for key in 0..2 * MAX_WAITING as u64 {
            relay.heard(A, &[finding(key)]);
        }
        assert_eq!(relay.take().iter().map(|(_, told)| told.len()).sum::<usize>(), MAX_WAITING);
    }
}
