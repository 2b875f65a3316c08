//! What this process found out and others have not been told yet: [`Fresh`].

use game::Finding;
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU8, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Nothing is this weighty.
const NOTHING: u8 = u8::MAX;
/// Findings that may be left behind; with more, only weightier ones are collected from then on.
const MAX_LEFT: usize = 256;
/// Lighter findings are collected too if there were fewer than the limit divided by this. Each ply
/// multiplies their number, by more than two and by less than this in the games that profit.
const SLACK: usize = 8;
/// For so many times in a row.
const QUIET: u32 = 4;
/// Most findings that wait to be taken; more are not told.
const MAX_WAITING: usize = 4096;

/// Findings that weigh enough to be told, the weightiest first: those with the most plies remaining. Looking
/// whether one does costs one load and comparison.
#[derive(Debug)]
pub(crate) struct Fresh {
    /// Plies that must remain at a position.
    floor: AtomicU8,
    waiting: Mutex<Waiting>,
}

#[derive(Debug, Default)]
struct Waiting {
    /// By weight, then in the order they came.
    findings: BTreeMap<(Reverse<u8>, u64), Finding>,
    came: u64,
    quiet: u32,
}

impl Default for Fresh {
    fn default() -> Fresh {
        Fresh { floor: AtomicU8::new(NOTHING), waiting: Mutex::default() }
    }
}

impl Fresh {
    /// Begins to collect, from so many remaining plies on, unless it has begun already.
    pub(crate) fn begin(&self, floor: u8) {
        let _ = self.floor.compare_exchange(NOTHING, floor.min(NOTHING - 1), Relaxed, Relaxed);
    }

    /// Collects nothing any more, and forgets what was not taken.
    pub(crate) fn end(&self) {
        let mut waiting = self.lock();
        self.floor.store(NOTHING, Relaxed);
        *waiting = Waiting::default();
    }

    /// Keeps the finding if it weighs enough and there is room. Returns whether it does.
    pub(crate) fn offer(&self, finding: Finding) -> bool {
        let weight = finding.entry.remaining;
        if weight < self.floor.load(Relaxed) {
            return false;
        }
        let mut waiting = self.lock();
        let room = waiting.findings.len() < MAX_WAITING && self.floor.load(Relaxed) != NOTHING;
        if room {
            waiting.came += 1;
            let place = (Reverse(weight), waiting.came);
            waiting.findings.insert(place, finding);
        }
        room
    }

    /// Takes the weightiest, at most so many, and adapts the floor to how many there were.
    pub(crate) fn take(&self, most: usize) -> Vec<Finding> {
        let mut waiting = self.lock();
        let mut taken = Vec::with_capacity(most.min(waiting.findings.len()));
        while taken.len() < most
            && let Some((_, finding)) = waiting.findings.pop_first()
        {
            taken.push(finding);
        }
        let floor = self.floor.load(Relaxed);
        let few = taken.len() < most / SLACK && floor != NOTHING;
        waiting.quiet = if few { waiting.quiet + 1 } else { 0 };
        if waiting.findings.len() > MAX_LEFT {
            let higher = (floor + 1).min(NOTHING - 1);
            waiting.findings.retain(|(Reverse(weight), _), _| *weight >= higher);
            self.floor.store(higher, Relaxed);
        } else if waiting.quiet >= QUIET {
            waiting.quiet = 0;
            self.floor.store(floor.saturating_sub(1), Relaxed);
        }
        taken
    }

    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use game::{Depth, Entry, Move, Score, Value};

    fn offered(fresh: &Fresh, remaining: u8) -> bool {
        let value = Value::exact(Score::ZERO);
        let entry = Entry { value, depth: Depth::FULL, best: Move(0), remaining };
        fresh.offer(Finding { key: 1, entry })
    }

    fn weights(findings: &[Finding]) -> Vec<u8> {
        findings.iter().map(|finding| finding.entry.remaining).collect()
    }

    #[test]
    fn nothing_is_collected_before_it_begins() {
        let fresh = Fresh::default();
        assert!(!offered(&fresh, u8::MAX) && !offered(&fresh, 9));
        assert_eq!(fresh.take(8), []);
    }

    #[test]
    fn the_weightiest_go_first() {
        let fresh = Fresh::default();
        fresh.begin(3);
        for weight in [4, 9, 3, 7] {
            assert!(offered(&fresh, weight));
        }
        assert_eq!(weights(&fresh.take(2)), [9, 7]);
        assert_eq!(weights(&fresh.take(9)), [4, 3]);
    }

    #[test]
    fn the_floor_follows_the_flood() {
        let fresh = Fresh::default();
        fresh.begin(10);
        for _ in 0..2 * MAX_LEFT {
            assert!(offered(&fresh, 10));
        }
        assert_eq!(fresh.take(16).len(), 16);
        assert!(!offered(&fresh, 10) && offered(&fresh, 11));
        assert_eq!(weights(&fresh.take(16)), [11]);
        for _ in 1..QUIET {
            assert!(!offered(&fresh, 10));
            assert_eq!(fresh.take(16), []);
        }
        assert!(offered(&fresh, 10) && !offered(&fresh, 9));
    }

    #[test]
    fn a_full_collection_takes_no_more() {
        let fresh = Fresh::default();
        fresh.begin(1);
        let kept = (0..2 * MAX_WAITING).filter(|_| offered(&fresh, 3)).count();
        assert_eq!(kept, MAX_WAITING);
        assert_eq!(fresh.take(MAX_WAITING).len(), MAX_WAITING);
    }
}
