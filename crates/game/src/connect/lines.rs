//! Runs of [`Connect`], and what may still become one.

use super::{Connect, MAX_CELLS};
use arrayvec::ArrayVec;

/// The usual run, for which there are shorter ways.
const FOUR: u32 = 4;

impl Connect {
    pub(super) fn has_run(&self, stones: u64) -> bool {
        self.directions.iter().any(|&direction| {
            let (mut starts, mut length) = (stones, 1);
            while length < self.run {
                let step = length.min(self.run - length);
                starts &= starts >> (direction * step);
                length += step;
            }
            starts != 0
        })
    }

    /// The cells, empty or not, that would complete a run of `stones`.
    pub(super) fn completing(&self, stones: u64) -> u64 {
        if self.run == FOUR { self.completing_four(stones) } else { self.completing_any(stones) }
    }

    fn completing_four(&self, stones: u64) -> u64 {
        let mut cells = 0;
        for &direction in &self.directions {
            let (after, before) = (stones >> direction, stones << direction);
            let pair_after = after & stones >> (2 * direction);
            let pair_before = before & stones << (2 * direction);
            cells |= pair_after & (before | stones >> (3 * direction));
            cells |= pair_before & (after | stones << (3 * direction));
        }
        cells & self.board
    }

    fn completing_any(&self, stones: u64) -> u64 {
        let mut cells = 0;
        for &direction in &self.directions {
            // after[n]: cells followed by at least n stones; before: preceded by at least n.
            let mut after: ArrayVec<u64, { MAX_CELLS as usize }> = ArrayVec::new();
            let mut followed = u64::MAX;
            for _ in 0..self.run {
                after.push(followed);
                followed = (stones & followed) >> direction;
            }
            let mut before = u64::MAX;
            for &followed in after.iter().rev() {
                cells |= before & followed;
                before = (stones & before) << direction;
            }
        }
        cells & self.board
    }

    /// The cells of all lines that may still become a run of these stones, where `mask` are all stones.
    pub(super) fn live(&self, stones: u64, mask: u64) -> u64 {
        let usable = self.board & !(mask ^ stones);
        let mut cells = 0;
        for &direction in &self.directions {
            let (mut starts, mut length) = (usable, 1);
            while length < self.run {
                let step = length.min(self.run - length);
                starts &= starts >> (direction * step);
                length += step;
            }
            let mut length = 1;
            while length < self.run {
                let step = length.min(self.run - length);
                starts |= starts << (direction * step);
                length += step;
            }
            cells |= starts;
        }
        cells
    }
}
