//! What was found out about a position, for a table or for another process: [`Finding`].

use crate::{Bound, Depth, Move, Score, Value};
use serde::{Deserialize, Serialize};

/// What a table knows of a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Entry {
    /// A true statement about the position searched to `depth`.
    pub value: Value,
    /// The depth it was searched to.
    pub depth: Depth,
    /// The best move, or the one that refuted the position.
    pub best: Move,
    /// Plies that remained, for the choice of what to overwrite and what to tell others.
    pub remaining: u8,
}

/// An entry and whose it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Finding {
    /// The position's key in the table: of the position, the game and the settings it depends on.
    pub key: u64,
    /// What was found out.
    pub entry: Entry,
}

impl Entry {
    /// The bits of [`Entry::to_bits`] that are always 0, free for whoever keeps it.
    pub const SPARE_BITS: u64 = 0x3f << 56;

    /// Score 24 bits, move 16, depth 8, remaining 8, spare 6, bound 2; never 0.
    #[must_use]
    pub fn to_bits(self) -> u64 {
        let Entry { value: Value { score, bound }, depth, best, remaining } = self;
        let score = (score.points() + Score::LIMIT) as u64;
        let bound = match bound {
            Bound::Exact => 1,
            Bound::Lower => 2,
            Bound::Upper => 3,
        };
        score
            | u64::from(best.0) << 24
            | u64::from(depth.code()) << 40
            | u64::from(remaining) << 48
            | bound << 62
    }

    /// The entry that these bits are, whatever the spare ones say; `None` if there is none.
    #[must_use]
    pub fn from_bits(bits: u64) -> Option<Entry> {
        let bound = match bits >> 62 {
            1 => Bound::Exact,
            2 => Bound::Lower,
            3 => Bound::Upper,
            _ => return None,
        };
        let points = (bits & 0xff_ffff) as i64 - i64::from(Score::LIMIT);
        Some(Entry {
            value: Value { score: Score::checked(points)?, bound },
            best: Move((bits >> 24) as u16),
            depth: Depth::from_code((bits >> 40) as u8),
            remaining: Entry::remaining_in(bits),
        })
    }

    /// The remaining plies of the entry that these bits are.
    #[must_use]
    pub fn remaining_in(bits: u64) -> u8 {
        (bits >> 48) as u8
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn zero_is_no_entry() {
        assert_eq!(Entry::from_bits(0), None);
    }

    proptest! {
        #[test]
        fn any_bits_are_no_entry_or_one_that_comes_back(bits: u64) {
            if let Some(entry) = Entry::from_bits(bits) {
                prop_assert_eq!(entry.to_bits(), bits & !Entry::SPARE_BITS);
            }
        }
    }
}
