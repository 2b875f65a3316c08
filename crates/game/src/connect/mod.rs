//! Connect Four and its relatives of other sizes: [`Connect`].
//!
//! What makes a solver strong: only moves are tried that do not lose at once; chains of forced moves are
//! followed without searching; positions that differ in stones of no line, or are mirror images, share a
//! key; and moves that make the most winning cells come first.
//!
//! Boards are bits, column after column from the bottom up, with one sentinel bit above each column so
//! that shifted lines never run from one column into the next (John Tromp's layout; the key, the
//! distance score and the threat ordering follow Pascal Pons, "Solving Connect 4", 2015).

mod lines;
mod notation;

use crate::hash::scramble;
use crate::{Depth, Game, GameError, GameSpec, Interval, Move, MoveList, Score, Value, Window};
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

/// A position without the stones that no run can go through any more: they only fill their cells.
#[derive(Clone, Copy)]
struct View {
    /// The live stones of the side to move, and how high the columns are.
    mine: u64,
    /// The live stones of the opponent.
    theirs: u64,
}

impl View {
    fn key(self) -> u64 {
        scramble(scramble(self.mine).wrapping_add(self.theirs))
    }
}

/// Most cells of a board, with one sentinel per column.
const MAX_CELLS: u32 = u64::BITS;
const SIZES: &str = "ROWSxCOLUMNS or ROWSxCOLUMNSxRUN, as in 6x7 or 4x5x3";
/// Plies left below which splitting does not pay in a full solve.
const SPLIT_FLOOR_FULL: u8 = 10;
/// Remaining depth below which splitting does not pay in a search to a fixed depth.
const SPLIT_FLOOR_FIXED: u8 = 7;
/// Cells left from which children are looked up before one is searched.
const LOOKS_AHEAD_FROM: u32 = 4;
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

    /// The landings after which the opponent does not win at once; none if there is no such.
    fn safe_landings(&self, position: &ConnectPosition) -> u64 {
        let landings = self.landings(position.mask);
        let losing = self.completing(position.mine ^ position.mask) & !position.mask;
        let forced = landings & losing;
        let choices = match forced {
            0 => landings,
            forced if forced.is_power_of_two() => forced,
            _ => 0,
        };
        // Below a cell where the opponent wins no stone may be dropped.
        choices & !(losing >> 1)
    }

    /// What is known of an undecided position at once, or by following moves that have no alternative,
    /// until `window` is decided.
    fn bounds_of(&self, position: ConnectPosition, window: Window) -> Interval {
        let exactly = |points| Interval::UNKNOWN.learn(Value::exact(Score::new(points)));
        let left = self.stones_left(&position);
        if self.completing(position.mine) & self.landings(position.mask) != 0 {
            return exactly(self.win(left - 1));
        }
        let safe = self.safe_landings(&position);
        match left {
            0..=2 if safe != 0 => return exactly(0),
            _ if safe == 0 => return exactly(-self.win(left - 2)),
            _ => {}
        }
        // Nobody wins with the next stone; later, whoever has a line left may.
        let theirs = position.mine ^ position.mask;
        let low =
            if left < 4 || self.live(theirs, position.mask) == 0 { 0 } else { -self.win(left - 4) };
        let high =
            if self.live(position.mine, position.mask) == 0 { 0 } else { self.win(left - 3) };
        let known = Interval { low: Score::new(low), high: Score::new(high) };
        if !safe.is_power_of_two() || known.decides(window.alpha(), window.beta()) {
            return known;
        }
        let child = ConnectPosition { mine: theirs, mask: position.mask | safe };
        known.and(-self.bounds_of(child, -window))
    }

    /// What the value of a position depends on.
    fn view(&self, position: &ConnectPosition) -> View {
        let ConnectPosition { mine, mask } = *position;
        let live = |stones| stones & self.live(stones, mask);
        // Each column reads as a one above its stones, then a bit per stone: unique.
        View { mine: live(mine) + mask + self.bottom, theirs: live(mine ^ mask) }
    }

    fn mirrored_view(&self, view: View) -> View {
        View { mine: self.mirrored(view.mine), theirs: self.mirrored(view.theirs) }
    }

    /// The columns in reverse.
    fn mirrored(&self, bits: u64) -> u64 {
        let height = self.rows + 1;
        let column = (1 << height) - 1;
        let last = self.columns - 1;
        (0..self.columns).fold(0, |mirrored, index| {
            mirrored | (bits >> (index * height) & column) << ((last - index) * height)
        })
    }

    fn mirrored_move(&self, mv: Move) -> Move {
        Move(self.columns as u16 - 1 - mv.0)
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
        let view = self.view(position);
        view.key().min(self.mirrored_view(view).key())
    }

    fn move_in_key(&self, position: &ConnectPosition, mv: Move) -> Move {
        let view = self.view(position);
        let mirrored = self.mirrored_view(view).key() < view.key();
        if mirrored && u32::from(mv.0) < self.columns { self.mirrored_move(mv) } else { mv }
    }

    fn sound_moves(&self, position: &ConnectPosition, moves: &mut MoveList) {
        let landings = self.landings(position.mask);
        let wins = self.completing(position.mine) & landings;
        let cells = match (wins, self.safe_landings(position)) {
            (0, 0) => landings,
            (0, safe) => safe,
            (wins, _) => wins,
        };
        let open = |&column: &u32| self.landing(position.mask, column) & cells != 0;
        moves.extend((0..self.columns).filter(open).map(|column| Move(column as u16)));
    }

    fn bounds(&self, position: &ConnectPosition, window: Window) -> Interval {
        self.bounds_of(*position, window)
    }

    fn looks_ahead_from(&self) -> Option<u32> {
        Some(LOOKS_AHEAD_FROM)
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
