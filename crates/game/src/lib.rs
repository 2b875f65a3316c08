//! The vocabulary of game-tree search, and the games of Eldest.
//!
//! This crate knows what a score, a window, a position and an open node are. It knows nothing of
//! how a tree is searched or of messages between machines.

mod connect;
mod cutback;
mod depth;
mod error;
mod finding;
mod hash;
mod nim;
mod open_node;
mod othello;
#[cfg(test)]
mod plain;
mod rules;
mod score;
mod settings;
mod spec;
mod synthetic;
mod tally;
mod tictactoe;
mod tree;
mod window;

pub use connect::{Connect, ConnectPosition};
pub use cutback::Cutback;
pub use depth::Depth;
pub use error::GameError;
pub use finding::{Entry, Finding};
pub use nim::{Nim, NimPosition};
pub use open_node::{Brother, Handover, NodeKind, OpenNode, Question, Subtree};
pub use othello::{Othello, OthelloPosition};
pub use rules::{Game, LeafCost, MAX_MOVES, Move, MoveList};
pub use score::{Bound, Interval, Score, Value};
pub use settings::{Algorithm, Order, Policy, Setup, Sharing};
pub use spec::GameSpec;
pub use synthetic::{Synthetic, SyntheticPosition};
pub use tally::{CUTOFF_PLACES, Tally};
pub use tictactoe::{TicTacToe, TicTacToePosition};
pub use tree::{Tree, TreePosition};
pub use window::{EmptyWindow, Window};
