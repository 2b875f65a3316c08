//! Noughts and crosses: [`TicTacToe`].

use crate::hash::scramble;
use crate::{Game, GameError, GameSpec, Move, MoveList, Score};

/// Three in a row on nine cells, X first. A win scores 1, a draw 0.
///
/// Cells and move codes are 0 to 8, row by row. A position is nine characters `X`, `O`, `-` and,
/// if wanted, a space and the side to move: `XOX-O---- X`.
#[derive(Clone, Copy, Debug, Default)]
pub struct TicTacToe;

/// A position of [`TicTacToe`]: one bit per cell.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TicTacToePosition {
    mine: u16,
    theirs: u16,
    x_to_move: bool,
}

const CELLS: u16 = 9;
const ALL_CELLS: u16 = (1 << CELLS) - 1;
const LINES: [u16; 8] = [
    0b000_000_111,
    0b000_111_000,
    0b111_000_000,
    0b001_001_001,
    0b010_010_010,
    0b100_100_100,
    0b100_010_001,
    0b001_010_100,
];

impl TicTacToe {
    /// The game that `spec` describes.
    ///
    /// # Errors
    /// If it has a size or options.
    pub fn from_spec(spec: &GameSpec) -> Result<TicTacToe, GameError> {
        spec.expect(false, &[])?;
        Ok(TicTacToe)
    }
}

impl Game for TicTacToe {
    type Position = TicTacToePosition;

    fn start(&self) -> TicTacToePosition {
        TicTacToePosition { mine: 0, theirs: 0, x_to_move: true }
    }

    fn parse_position(&self, text: &str) -> Result<TicTacToePosition, GameError> {
        if text.trim().is_empty() {
            return Ok(self.start());
        }
        read_position(text.trim()).map_err(|wrong| GameError::position(text, wrong))
    }

    fn position_text(&self, position: &TicTacToePosition) -> String {
        let TicTacToePosition { mine, theirs, x_to_move } = *position;
        let (x, o) = if x_to_move { (mine, theirs) } else { (theirs, mine) };
        let symbol = |cell| match (x >> cell & 1, o >> cell & 1) {
            (1, _) => 'X',
            (_, 1) => 'O',
            _ => '-',
        };
        let cells: String = (0..CELLS).map(symbol).collect();
        format!("{cells} {}", if x_to_move { 'X' } else { 'O' })
    }

    fn move_text(&self, _position: &TicTacToePosition, mv: Move) -> String {
        mv.0.to_string()
    }

    fn final_score(&self, position: &TicTacToePosition) -> Option<Score> {
        if has_line(position.theirs) {
            return Some(Score::new(-1));
        }
        (position.mine | position.theirs == ALL_CELLS).then_some(Score::ZERO)
    }

    fn moves(&self, position: &TicTacToePosition, moves: &mut MoveList) {
        let taken = position.mine | position.theirs;
        moves.extend((0..CELLS).filter(|cell| taken >> cell & 1 == 0).map(Move));
    }

    fn play(&self, position: &TicTacToePosition, mv: Move) -> TicTacToePosition {
        TicTacToePosition {
            mine: position.theirs,
            theirs: position.mine | 1 << mv.0,
            x_to_move: !position.x_to_move,
        }
    }

    fn evaluate(&self, _position: &TicTacToePosition) -> Score {
        Score::ZERO
    }

    fn key(&self, position: &TicTacToePosition) -> u64 {
        scramble(u64::from(position.mine) << CELLS | u64::from(position.theirs))
    }

    fn plies_left(&self, position: &TicTacToePosition) -> u32 {
        (ALL_CELLS ^ position.mine ^ position.theirs).count_ones()
    }

    /// Lines that could still be completed through the cell.
    fn promise(&self, position: &TicTacToePosition, mv: Move) -> i32 {
        let cell = 1 << mv.0;
        let open = |line: &&u16| *line & cell != 0 && *line & position.theirs == 0;
        LINES.iter().filter(open).map(|line| 1 + (line & position.mine).count_ones() as i32).sum()
    }

    fn centre_distance(&self, mv: Move) -> u32 {
        let (row, column) = (u32::from(mv.0 / 3), u32::from(mv.0 % 3));
        2 * (row.abs_diff(1) + column.abs_diff(1))
    }
}

fn has_line(stones: u16) -> bool {
    LINES.iter().any(|line| stones & line == *line)
}

fn read_position(text: &str) -> Result<TicTacToePosition, String> {
    let (cells, side) = match text.split_once(' ') {
        Some((cells, side)) => (cells, Some(side.trim())),
        None => (text, None),
    };
    if cells.chars().count() != usize::from(CELLS) {
        return Err("must have 9 cells X, O or -, then if wanted a space and X or O to move".into());
    }
    let (mut x, mut o) = (0_u16, 0_u16);
    for (cell, symbol) in cells.chars().enumerate() {
        match symbol {
            'X' | 'x' => x |= 1 << cell,
            'O' | 'o' => o |= 1 << cell,
            '-' | '.' => {}
            _ => return Err(format!("{symbol:?} is not a cell; it must be X, O or -")),
        }
    }
    let x_to_move = match (x.count_ones(), o.count_ones()) {
        (xs, os) if xs == os => true,
        (xs, os) if xs == os + 1 => false,
        (xs, os) => {
            return Err(format!("{xs} X and {os} O cannot be; X begins, then in turn"));
        }
    };
    let expected = if x_to_move { "X" } else { "O" };
    if side.is_some_and(|side| !side.eq_ignore_ascii_case(expected)) {
        return Err(format!("with these cells {expected} is to move"));
    }
    let (mine, theirs) = if x_to_move { (x, o) } else { (o, x) };
    if has_line(mine) {
        return Err("the side to move has already won; the game ends with a win".into());
    }
    Ok(TicTacToePosition { mine, theirs, x_to_move })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plain;

    #[test]
    fn the_game_is_a_draw() {
        assert_eq!(plain::value(&TicTacToe, &TicTacToe.start()), Score::ZERO);
    }

    #[test]
    fn only_the_move_that_blocks_draws() {
        let position = TicTacToe.parse_position("XOX-O---- X").unwrap();
        let mut moves = MoveList::new();
        TicTacToe.moves(&position, &mut moves);
        for mv in moves {
            let value = -plain::value(&TicTacToe, &TicTacToe.play(&position, mv));
            assert_eq!(value, Score::new(if mv == Move(7) { 0 } else { -1 }), "move {mv:?}");
        }
    }

    #[test]
    fn positions_round_trip_and_bad_ones_are_refused() {
        plain::check_positions(&TicTacToe, 200, 9);
        let side_left_out = TicTacToe.parse_position("X--------").unwrap();
        assert_eq!(TicTacToe.position_text(&side_left_out), "X-------- O");
        plain::check_refused(&TicTacToe, "XOX", "must have 9 cells");
        plain::check_refused(&TicTacToe, "XOZ------", "'Z' is not a cell");
        plain::check_refused(&TicTacToe, "XXX------", "3 X and 0 O cannot be");
        plain::check_refused(&TicTacToe, "XO------- O", "X is to move");
        plain::check_refused(&TicTacToe, "XXXOOO---", "already won");
    }

    #[test]
    fn sizes_and_options_are_refused() {
        plain::check_spec_refused(TicTacToe::from_spec, "tictactoe:4", "has no size");
        plain::check_spec_refused(TicTacToe::from_spec, "tictactoe:a=1", "unknown option");
    }
}
