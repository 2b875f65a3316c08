//! Othello on the usual 8×8 board: [`Othello`].

mod board;
mod endgame;
mod notation;
mod stability;

use crate::hash::scramble;
use crate::{Depth, Game, GameError, GameSpec, Move, MoveList, Score, Tally, Value, Window};
use board::{Board, CORNERS, SQUARES, Squares};
use endgame::Solver;

/// Othello, X first. The score is the difference in discs; empty squares go to the winner.
///
/// A position is 64 characters `X`, `O` or `-`, from a1, b1 to h8, and if wanted a space and the side to
/// move. Move codes are squares 0 to 63 in that order, and 64 for a pass.
#[derive(Clone, Copy, Debug, Default)]
pub struct Othello;

/// A position of [`Othello`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct OthelloPosition {
    board: Board,
    x_to_move: bool,
}

/// The code of a pass.
const PASS: Move = Move(SQUARES as u16);
/// Plies left below which splitting does not pay in a full solve.
const SPLIT_FLOOR_FULL: u8 = 11;
/// Remaining depth below which splitting does not pay in a search to a fixed depth.
const SPLIT_FLOOR_FIXED: u8 = 5;
/// Empties at which the solver without a table takes over.
const SOLVES_WITHIN: u32 = 8;

impl Othello {
    /// The game that `spec` describes.
    ///
    /// # Errors
    /// If it has a size or options.
    pub fn from_spec(spec: &GameSpec) -> Result<Othello, GameError> {
        spec.expect(false, &[])?;
        Ok(Othello)
    }
}

impl Game for Othello {
    type Position = OthelloPosition;

    fn start(&self) -> OthelloPosition {
        const X: Squares = 1 << 28 | 1 << 35;
        const O: Squares = 1 << 27 | 1 << 36;
        OthelloPosition { board: Board { mine: X, theirs: O }, x_to_move: true }
    }

    fn parse_position(&self, text: &str) -> Result<OthelloPosition, GameError> {
        if text.trim().is_empty() {
            return Ok(self.start());
        }
        notation::read_position(text).map_err(|wrong| GameError::position(text, wrong))
    }

    fn position_text(&self, position: &OthelloPosition) -> String {
        notation::write_position(position)
    }

    fn move_text(&self, _position: &OthelloPosition, mv: Move) -> String {
        if mv == PASS { "pass".into() } else { notation::square_name(mv.0) }
    }

    fn final_score(&self, position: &OthelloPosition) -> Option<Score> {
        let board = position.board;
        let decided = board.moves() == 0 && board.swapped().moves() == 0;
        decided.then(|| Score::new(board.final_difference()))
    }

    fn moves(&self, position: &OthelloPosition, moves: &mut MoveList) {
        match position.board.moves() {
            0 => moves.push(PASS),
            squares => moves.extend(board::each_square(squares).map(|square| Move(square as u16))),
        }
    }

    fn play(&self, position: &OthelloPosition, mv: Move) -> OthelloPosition {
        let board = match mv {
            PASS => position.board.swapped(),
            Move(square) => {
                let square = u32::from(square);
                position.board.after(square, position.board.flips(square))
            }
        };
        OthelloPosition { board, x_to_move: !position.x_to_move }
    }

    /// A guess at the final difference from what decides games: moves, corners, discs that are
    /// stable or exposed. Not tuned.
    fn evaluate(&self, position: &OthelloPosition) -> Score {
        const MOST: i32 = SQUARES as i32;
        let lead = standing(position.board) - standing(position.board.swapped());
        Score::new((lead / POINTS_PER_DISC).clamp(-MOST, MOST))
    }

    fn key(&self, position: &OthelloPosition) -> u64 {
        let Board { mine, theirs } = position.board;
        scramble(scramble(mine).wrapping_add(theirs))
    }

    fn split_floor(&self, depth: Depth) -> u8 {
        if depth == Depth::FULL { SPLIT_FLOOR_FULL } else { SPLIT_FLOOR_FIXED }
    }

    fn plies_left(&self, position: &OthelloPosition) -> u32 {
        position.board.empties().count_ones()
    }

    fn promise(&self, position: &OthelloPosition, mv: Move) -> i32 {
        if mv == PASS { 0 } else { promise(position.board, u32::from(mv.0)) }
    }

    fn centre_distance(&self, mv: Move) -> u32 {
        let from_middle = |line: u16| (2 * u32::from(line)).abs_diff(7);
        match mv {
            PASS => 0,
            Move(square) => from_middle(square / 8) + from_middle(square % 8),
        }
    }

    fn solves_within(&self) -> u32 {
        SOLVES_WITHIN
    }

    fn solve(&self, position: &OthelloPosition, window: Window, tally: &mut Tally) -> Value {
        // Every score lies from -64 to 64, so a wider window asks the same question.
        const MOST: i32 = SQUARES as i32;
        let alpha = window.alpha().points().clamp(-MOST - 1, MOST);
        let beta = window.beta().points().clamp(-MOST, MOST + 1);
        let mut solver = Solver::default();
        let score = solver.solve(position.board, alpha, beta);
        tally.nodes += solver.nodes;
        tally.interior += solver.interior - 1;
        tally.leaves += solver.leaves;
        Value::judged(Score::new(score), window)
    }
}

/// The unit of [`standing`].
const POINTS_PER_DISC: i32 = 8;

/// How well the side to move stands, in eighths of a disc.
fn standing(board: Board) -> i32 {
    const MOVE: i32 = 8;
    const POTENTIAL_MOVE: i32 = 4;
    const CORNER: i32 = 40;
    const STABLE_DISC: i32 = 12;
    let count = |squares: Squares| squares.count_ones() as i32;
    MOVE * count(board.moves())
        + POTENTIAL_MOVE * count(board.potential_moves())
        + CORNER * count(board.mine & CORNERS)
        + STABLE_DISC * count(stability::stable(board))
}

/// How promising a move looks: few replies, few places for later replies, stable discs, an odd
/// quadrant, and squares that seldom harm.
fn promise(board: Board, square: u32) -> i32 {
    const REPLY: i32 = 64;
    const POTENTIAL_REPLY: i32 = 8;
    const STABLE_DISC: i32 = 16;
    const ODD_QUADRANT: i32 = 8;
    const SQUARE: i32 = 4;
    let child = board.after(square, board.flips(square));
    if child.mine == 0 {
        return i32::MAX;
    }
    let count = |squares: Squares| squares.count_ones() as i32;
    let replies = child.moves();
    let odd = endgame::odd_quadrants(board.empties()) >> square & 1 == 1;
    STABLE_DISC * count(stability::stable(child.swapped()))
        + ODD_QUADRANT * i32::from(odd)
        + SQUARE * square_worth(square)
        - REPLY * (count(replies) + count(replies & CORNERS))
        - POTENTIAL_REPLY * count(child.potential_moves())
}

/// Which squares are good to have, from 0 next to a corner to 9 in one.
fn square_worth(square: u32) -> i32 {
    const QUADRANT: [[i32; 4]; 4] = [[9, 2, 8, 6], [2, 0, 3, 4], [8, 3, 7, 5], [6, 4, 5, 1]];
    let fold = |line: u32| line.min(7 - line) as usize;
    QUADRANT[fold(square / 8)][fold(square % 8)]
}

#[cfg(test)]
mod tests;
