//! What a game must say of itself to be searched: [`Game`].

use crate::{Depth, GameError, Interval, Score, Tally, Value, Window};
use arrayvec::ArrayVec;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// Most legal moves a position may have.
pub const MAX_MOVES: usize = 256;

/// A move as an opaque code. Each game chooses its own; codes of the legal moves of one position
/// differ.
#[derive(
    Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default, Serialize, Deserialize,
)]
#[serde(transparent)]
pub struct Move(pub u16);

/// The legal moves of one position.
pub type MoveList = ArrayVec<Move, MAX_MOVES>;

/// Artificial work per static or final value, so that a synthetic tree can weigh what a real
/// game's evaluation weighs. Whoever runs the search pays it; the game only names the price.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum LeafCost {
    /// None.
    #[default]
    Free,
    /// Spin for so many rounds of a hash.
    Busy(u32),
    /// Wait without using the processor.
    Sleep(Duration),
}

/// A two-player, zero-sum game of perfect information.
///
/// The value of `Self` holds the rules (a board size, say), a [`Game::Position`] the state of one
/// game. All scores are for the side to move. The same position must always give the same answers.
pub trait Game: Clone + Send + Sync + 'static {
    /// One state of the game.
    type Position: Clone + Send + Sync + 'static;

    /// The usual first position.
    fn start(&self) -> Self::Position;

    /// Reads a position in the game's notation.
    ///
    /// # Errors
    /// [`GameError::Position`] that says what was given, what is wrong and what would be right.
    fn parse_position(&self, text: &str) -> Result<Self::Position, GameError>;

    /// The position in the notation [`Game::parse_position`] reads.
    fn position_text(&self, position: &Self::Position) -> String;

    /// A legal move of `position` in the game's notation.
    fn move_text(&self, position: &Self::Position, mv: Move) -> String;

    /// The score of a decided position, `None` while the game goes on.
    fn final_score(&self, position: &Self::Position) -> Option<Score>;

    /// Appends the legal moves of an undecided position, at least one, in the game's natural order
    /// (left to right). A pass is a move.
    fn moves(&self, position: &Self::Position, moves: &mut MoveList);

    /// The position after a legal move.
    fn play(&self, position: &Self::Position, mv: Move) -> Self::Position;

    /// A static estimate of an undecided position.
    fn evaluate(&self, position: &Self::Position) -> Score;

    /// A hash of everything the value of the position depends on. Positions of the same value for
    /// the same reason, mirror images say, may share a key.
    fn key(&self, position: &Self::Position) -> u64;

    /// A move as it reads in the position that [`Game::key`] stands for, where several share a key; and
    /// back, for it is its own inverse.
    fn move_in_key(&self, _position: &Self::Position, mv: Move) -> Move {
        mv
    }

    /// At most so many plies until the game ends; a pass need not be counted.
    fn plies_left(&self, _position: &Self::Position) -> u32 {
        u32::MAX
    }

    /// Appends moves of an undecided position of which one is best if the game is searched to its
    /// end: the legal moves, less those that are known to be no better than others. In the order of
    /// [`Game::moves`].
    fn sound_moves(&self, position: &Self::Position, moves: &mut MoveList) {
        self.moves(position, moves);
    }

    /// What can be said of the value of an undecided position at the end of the game without searching
    /// it: a true statement. It need be no narrower than what decides `window`.
    fn bounds(&self, _position: &Self::Position, _window: Window) -> Interval {
        Interval::UNKNOWN
    }

    /// Plies left from which, in a full solve, all children are looked at before one is searched: whether
    /// [`Game::bounds`] or the table refutes the position by one of them. `None` means never.
    fn looks_ahead_from(&self) -> Option<u32> {
        None
    }

    /// How promising a move looks without searching it; higher is tried earlier.
    fn promise(&self, _position: &Self::Position, _mv: Move) -> i32 {
        0
    }

    /// How far from the middle of the board a move is, in half squares.
    fn centre_distance(&self, _mv: Move) -> u32 {
        0
    }

    /// Appends the moves that may not be left to a static estimate (captures, say).
    fn noisy_moves(&self, _position: &Self::Position, _moves: &mut MoveList) {}

    /// What each static or final value costs beyond computing it.
    fn leaf_cost(&self) -> LeafCost {
        LeafCost::Free
    }

    /// Remaining plies below which splitting a node does not pay: a subtree should be worth many times
    /// what a message costs, and the stack of open nodes little of what is below it. `depth` is that
    /// of the whole search.
    fn split_floor(&self, _depth: Depth) -> u8 {
        4
    }

    /// Plies left at which [`Game::solve`] takes over in a full solve; 0 means never.
    fn solves_within(&self) -> u32 {
        0
    }

    /// Solves an undecided position with at most [`Game::solves_within`] plies left by the game's
    /// own endgame search, counting every position entered below it in `tally`. A true statement that
    /// decides `window` (fail-soft).
    fn solve(&self, position: &Self::Position, window: Window, tally: &mut Tally) -> Value {
        let _ = (position, window, tally);
        unreachable!("a game whose solves_within() is 0 is never asked to solve")
    }
}
