//! One subtree, searched sequentially: alpha-beta that can be paused, narrowed and split.
//!
//! This crate knows nothing of workers, time or threads.

mod catalogue;
mod fresh;
mod order;
mod playable;
mod problem;
mod searcher;
mod spine;
mod table;

pub use catalogue::Catalogue;
use game::{Move, Tally, Value};
pub use problem::{Pay, Problem, Run, SlotSearch};
pub use table::{Known, Table};

/// A searched problem.
#[derive(Clone, PartialEq, Debug)]
pub struct Solution {
    /// The root's value, for the side to move there.
    pub value: Value,
    /// The best line, as far as it is known.
    pub line: Vec<Move>,
    /// Counts.
    pub tally: Tally,
}
