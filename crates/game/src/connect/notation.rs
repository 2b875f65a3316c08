//! Positions of [`Connect`] as the columns played.

use super::{Connect, ConnectPosition};
use crate::{Game, Move};
use std::collections::BTreeSet;

/// Numbering of columns in text: 9 is followed by `a`.
const COLUMN_RADIX: u32 = 36;

/// The character that names a column counted from 0.
pub(super) fn column_name(column: u32) -> char {
    char::from_digit(column + 1, COLUMN_RADIX).expect("a board of 64 bits has at most 32 columns")
}

impl Connect {
    /// Plays the columns that `text` names.
    pub(super) fn read_columns(&self, text: &str) -> Result<ConnectPosition, String> {
        let mut position = self.start();
        for name in text.chars() {
            let column = match name.to_digit(COLUMN_RADIX) {
                Some(number) if (1..=self.columns).contains(&number) => number - 1,
                _ => {
                    return Err(format!("no column {name:?}; there are {}", self.column_names()));
                }
            };
            if self.final_score(&position).is_some() {
                return Err(format!("the game ends before {name:?} at the latest"));
            }
            if self.landing(position.mask, column) & self.board == 0 {
                return Err(format!("column {name:?} is full; it has {} cells", self.rows));
            }
            position = self.play(&position, Move(column as u16));
        }
        Ok(position)
    }

    fn column_names(&self) -> String {
        match self.columns {
            1 => "1".into(),
            columns => format!("1 to {}", column_name(columns - 1)),
        }
    }

    /// Columns that lead to the position. They are found by taking stones off, newest first.
    ///
    /// Without a run on the board any order does in which colours alternate, for fewer stones make
    /// no run either. With one, taking off the newest stone must leave none.
    pub(super) fn columns_to(&self, position: &ConnectPosition) -> String {
        let mut newest_first = Vec::new();
        let reached = self.take_off(*position, &mut newest_first, &mut BTreeSet::new());
        assert!(reached, "every position is reached from the empty board");
        newest_first.iter().rev().map(|&column| column_name(column)).collect()
    }

    fn take_off(
        &self,
        position: ConnectPosition,
        newest_first: &mut Vec<u32>,
        hopeless: &mut BTreeSet<u64>,
    ) -> bool {
        if position.mask == 0 {
            return true;
        }
        let theirs = position.mine ^ position.mask;
        for column in 0..self.columns {
            let Some(cell) = self.top_stone(position.mask, column) else {
                continue;
            };
            let before = ConnectPosition { mine: theirs ^ cell, mask: position.mask ^ cell };
            if theirs & cell == 0 || self.has_run(before.mine) || hopeless.contains(&before.mask) {
                continue;
            }
            newest_first.push(column);
            if self.take_off(before, newest_first, hopeless) {
                return true;
            }
            newest_first.pop();
        }
        // The stones left determine the rest: their colours are those of the given position.
        hopeless.insert(position.mask);
        false
    }

    fn top_stone(&self, mask: u64, column: u32) -> Option<u64> {
        let top = self.landing(mask, column) >> 1;
        (top & mask != 0).then_some(top)
    }
}
