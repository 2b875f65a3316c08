//! Connect Four and its relatives of other sizes: [`Connect`].
//!
//! Boards are bits, column after column from the bottom up, with one sentinel bit above each column so
//! that shifted lines never run from one column into the next (John Tromp's layout; the key, the
//! distance score and the threat ordering follow Pascal Pons, "Solving Connect 4", 2015).

mod notation;

use crate::hash::scramble;
use crate::{Depth, Game, GameError, GameSpec, Move, MoveList, Score};
use arrayvec::ArrayVec;

/// Drop stones into columns; the first to have K in line wins.
///
/// A position is the columns played so far, as text: `44455`. Columns are numbered from 1, those
/// after 9 by letters from `a`. Move codes are columns counted from 0.
#[derive(Clone, Debug)]
pub struct Connect {
    rows: u32,
    columns: u32,
    run: u32,
    scoring: Scoring,
    /// The lowest cell of each column.
    bottom: u64,
    /// Every cell, sentinels excluded.
    board: u64,
    /// Shifts along lines that are long enough to hold a run.
    directions: ArrayVec<u32, 4>,
}

/// What a win is worth.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Scoring {
    /// One.
    Outcome,
    /// Half the stones the winner has left before the winning one, rounded up.
    Distance,
}

/// A position of [`Connect`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ConnectPosition {
    /// The stones of the side to move.
    mine: u64,
    /// All stones.
    mask: u64,
}

/// Most cells of a board, with one sentinel per column.
const MAX_CELLS: u32 = u64::BITS;
const SIZES: &str = "ROWSxCOLUMNS or ROWSxCOLUMNSxRUN, as in 6x7 or 4x5x3";
/// Plies left below which splitting does not pay in a full solve.
const SPLIT_FLOOR_FULL: u8 = 10;
/// Remaining depth below which splitting does not pay in a search to a fixed depth.
const SPLIT_FLOOR_FIXED: u8 = 7;
/// Promise of a move that wins at once.
const WINS: i32 = 1 << 20;
/// Promise of a move that keeps the opponent from winning at once.
const BLOCKS: i32 = 1 << 16;
/// Promise of each cell that would complete a run. Exceeds every centre distance.
const THREAT: i32 = 1 << 6;

impl Connect {
    /// The game that `spec` describes: `connect:ROWSxCOLUMNS[xRUN][,scoring=outcome|distance]`,
    /// without size 6 rows, 7 columns and runs of 4.
    ///
    /// # Errors
    /// If the size is malformed or too large for 64 bits, or an option is unknown.
    pub fn from_spec(spec: &GameSpec) -> Result<Connect, GameError> {
        spec.expect(true, &["scoring"])?;
        let size = spec.only_size(SIZES)?.unwrap_or("6x7x4");
        let numbers: Option<Vec<u32>> = size.split('x').map(|part| part.parse().ok()).collect();
        let (rows, columns, run) = match numbers.as_deref() {
            Some(&[rows, columns]) => (rows, columns, 4),
            Some(&[rows, columns, run]) if run > rows.max(columns) => {
                let right = "give a shorter one or a larger board";
                return Err(spec.wrong(format!("no line of it holds a run of {run}; {right}")));
            }
            Some(&[rows, columns, run]) => (rows, columns, run),
            _ => return Err(spec.wrong(format!("size {size:?} must be {SIZES}"))),
        };
        if rows == 0 || columns == 0 || run < 2 {
            return Err(spec.wrong("needs at least 1 row, 1 column and a run of 2"));
        }
        if rows.saturating_add(1).saturating_mul(columns) > MAX_CELLS {
            let right = format!("(rows + 1) x columns must be at most {MAX_CELLS}");
            return Err(spec.wrong(format!("the board is too large; {right}")));
        }
        let scoring =
            spec.option("scoring", Scoring::Distance, "outcome or distance", |text| match text {
                "outcome" => Some(Scoring::Outcome),
                "distance" => Some(Scoring::Distance),
                _ => None,
            })?;
        Ok(Connect::new(rows, columns, run, scoring))
    }

    fn new(rows: u32, columns: u32, run: u32, scoring: Scoring) -> Connect {
        let height = rows + 1;
        let bottom = (0..columns).fold(0, |bits, column| bits | 1 << (column * height));
        let lines = [
            (1, rows),
            (height, columns),
            (height - 1, rows.min(columns)),
            (height + 1, rows.min(columns)),
        ];
        let directions =
            lines.into_iter().filter(|&(_, cells)| cells >= run).map(|(shift, _)| shift).collect();
        // A column of ones is 2^rows - 1, so the whole board is the bottom times that.
        let board = bottom * ((1 << rows) - 1);
        Connect { rows, columns, run, scoring, bottom, board, directions }
    }

    /// The cell that a stone dropped into `column` takes; the sentinel if the column is full.
    fn landing(&self, mask: u64, column: u32) -> u64 {
        let shift = column * (self.rows + 1);
        let column_bits = ((1 << self.rows) - 1) << shift;
        (mask & column_bits) + (1 << shift)
    }

    /// The cells on which the next stone of any column lands.
    fn landings(&self, mask: u64) -> u64 {
        (mask + self.bottom) & self.board
    }

    fn has_run(&self, stones: u64) -> bool {
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
    fn completing(&self, stones: u64) -> u64 {
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

    fn stones_left(&self, position: &ConnectPosition) -> u32 {
        (self.board & !position.mask).count_ones()
    }

    /// What a win is worth when so many cells are empty after it.
    fn win(&self, empty: u32) -> i32 {
        match self.scoring {
            Scoring::Outcome => 1,
            Scoring::Distance => 1 + empty as i32 / 2,
        }
    }
}

impl Game for Connect {
    type Position = ConnectPosition;

    fn start(&self) -> ConnectPosition {
        ConnectPosition { mine: 0, mask: 0 }
    }

    fn parse_position(&self, text: &str) -> Result<ConnectPosition, GameError> {
        self.read_columns(text.trim()).map_err(|wrong| GameError::position(text, wrong))
    }

    /// Columns in an order that leads to the position, not always the one it was reached in.
    fn position_text(&self, position: &ConnectPosition) -> String {
        self.columns_to(position)
    }

    fn move_text(&self, _position: &ConnectPosition, mv: Move) -> String {
        notation::column_name(u32::from(mv.0)).to_string()
    }

    fn final_score(&self, position: &ConnectPosition) -> Option<Score> {
        if self.has_run(position.mine ^ position.mask) {
            return Some(Score::new(-self.win(self.stones_left(position))));
        }
        (position.mask == self.board).then_some(Score::ZERO)
    }

    fn moves(&self, position: &ConnectPosition, moves: &mut MoveList) {
        let open = |&column: &u32| self.landing(position.mask, column) & self.board != 0;
        moves.extend((0..self.columns).filter(open).map(|column| Move(column as u16)));
    }

    fn play(&self, position: &ConnectPosition, mv: Move) -> ConnectPosition {
        ConnectPosition {
            mine: position.mine ^ position.mask,
            mask: position.mask | self.landing(position.mask, u32::from(mv.0)),
        }
    }

    /// Threats the side to move has more than the opponent, at most what a win at once scores.
    /// Zero where wins score 1, which leaves no room between a draw and a win.
    fn evaluate(&self, position: &ConnectPosition) -> Score {
        if self.scoring == Scoring::Outcome {
            return Score::ZERO;
        }
        let threats = |stones| (self.completing(stones) & !position.mask).count_ones() as i32;
        let most = self.win(self.stones_left(position) - 1);
        let lead = threats(position.mine) - threats(position.mine ^ position.mask);
        Score::new(lead.clamp(-most, most))
    }

    fn key(&self, position: &ConnectPosition) -> u64 {
        // Each column reads as a one above its stones, then a bit per stone: unique.
        scramble(position.mine + position.mask + self.bottom)
    }

    fn split_floor(&self, depth: Depth) -> u8 {
        if depth == Depth::FULL { SPLIT_FLOOR_FULL } else { SPLIT_FLOOR_FIXED }
    }

    fn plies_left(&self, position: &ConnectPosition) -> u32 {
        self.stones_left(position)
    }

    fn promise(&self, position: &ConnectPosition, mv: Move) -> i32 {
        let cell = self.landing(position.mask, u32::from(mv.0));
        let mine = position.mine | cell;
        let nearness = -(self.centre_distance(mv) as i32);
        if self.has_run(mine) {
            return WINS + nearness;
        }
        let mask = position.mask | cell;
        let replies = self.completing(position.mine ^ position.mask) & self.landings(mask);
        let blocks = if replies == 0 { BLOCKS } else { 0 };
        let threats = (self.completing(mine) & !mask).count_ones() as i32;
        blocks + THREAT * threats + nearness
    }

    fn centre_distance(&self, mv: Move) -> u32 {
        (2 * u32::from(mv.0)).abs_diff(self.columns - 1)
    }
}

#[cfg(test)]
mod tests;
