//! What this process found out and others have not been told yet: [`Fresh`].

use game::Finding;
use std::sync::atomic::{AtomicU8, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

/// Nothing is this weighty.
const NOTHING: u8 = u8::MAX;
/// Most findings that wait to be taken; more are not told.
const MAX_WAITING: usize = 4096;
/// Lighter findings are collected too if there were fewer than the limit divided by this. Each ply
/// multiplies their number, by more than two and by less than this in the games that profit.
const SLACK: usize = 8;

/// Findings that weigh enough to be told. Looking whether one does costs one load and comparison.
#[derive(Debug)]
pub(crate) struct Fresh {
    /// Plies that must remain at a position.
    floor: AtomicU8,
    waiting: Mutex<Vec<Finding>>,
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

    /// Keeps the finding if it weighs enough and there is room. Returns whether it does.
    pub(crate) fn offer(&self, finding: Finding) -> bool {
        if finding.entry.remaining < self.floor.load(Relaxed) {
            return false;
        }
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        let room = waiting.len() < MAX_WAITING && self.floor.load(Relaxed) != NOTHING;
        if room {
            waiting.push(finding);
        }
        room
    }

    /// Takes what was collected and adapts the floor to how much of it there was.
    pub(crate) fn take(&self, most: usize) -> Vec<Finding> {
        let taken =
            std::mem::take(&mut *self.waiting.lock().unwrap_or_else(PoisonError::into_inner));
        let floor = self.floor.load(Relaxed);
        if floor == NOTHING {
            return taken;
        }
        if taken.len() > most {
            self.floor.store((floor + 1).min(NOTHING - 1), Relaxed);
        } else if taken.len() < most / SLACK && !taken.is_empty() {
            self.floor.store(floor.saturating_sub(1), Relaxed);
        }
        taken
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use game::{Depth, Entry, Move, Score, Value};

    fn finding(key: u64, remaining: u8) -> Finding {
        let value = Value::exact(Score::ZERO);
        Finding { key, entry: Entry { value, depth: Depth::FULL, best: Move(0), remaining } }
    }

    fn offered(fresh: &Fresh, remaining: u8) -> bool {
        fresh.offer(finding(1, remaining))
    }

    #[test]
    fn nothing_is_collected_before_it_begins() {
        let fresh = Fresh::default();
        assert!(!offered(&fresh, u8::MAX) && !offered(&fresh, 9));
        assert_eq!(fresh.take(8), []);
    }

    #[test]
    fn the_floor_follows_the_flood() {
        let fresh = Fresh::default();
        fresh.begin(10);
        for _ in 0..20 {
            assert!(offered(&fresh, 10));
        }
        assert_eq!(fresh.take(16).len(), 20);
        assert!(!offered(&fresh, 10) && offered(&fresh, 11));
        assert_eq!(fresh.take(16).len(), 1);
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
