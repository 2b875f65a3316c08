//! Games behind one face: [`Problem`] and [`SlotSearch`] hide which game is searched.
//!
//! Only whole subtrees cross this boundary, so the indirection costs nothing that can be measured.

use crate::{Solution, Table};
use game::{Cutback, GameError, Handover, LeafCost, Move, Subtree, Tally, Value, Window};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// Pays a game's [`LeafCost`]: spins, sleeps, or charges a virtual clock.
pub type Pay = fn(LeafCost);

/// One root position of one game with the settings of a search: ready to be searched by any number
/// of threads.
pub trait Problem: Send + Sync {
    /// The search of one thread, idle. Threads of one process share the `table`.
    fn slot(&self, table: Option<Arc<Table>>, pay: Pay) -> Box<dyn SlotSearch>;

    /// The whole problem by the plain sequential program. `stop` gives it up, which returns what it
    /// counted until then.
    fn solve(
        &self,
        table: Option<Arc<Table>>,
        pay: Pay,
        stop: &Arc<AtomicBool>,
    ) -> Result<Solution, Tally>;

    /// The paths of `depth` moves from the root; a game that ends earlier has none.
    fn perft(&self, depth: u8) -> u64;

    /// The game's own minimum split depth for this problem: see [`game::Game::split_floor`].
    fn split_floor(&self) -> u8;

    /// A line from the root in the game's notation, as far as it is legal.
    fn line_text(&self, line: &[Move]) -> Vec<String>;

    /// The root position in the game's notation.
    fn position_text(&self) -> String;
}

/// How far a search came.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Run {
    /// It goes on when run again.
    Paused,
    /// It is done and the slot is idle.
    Done {
        /// What is now known of the subtree's root, for the side to move there.
        value: Value,
        /// The best line from there, as far as it is known.
        line: Vec<Move>,
    },
}

/// The search of one thread: idle, or at one subtree.
pub trait SlotSearch: Send {
    /// Begins a subtree.
    ///
    /// # Errors
    /// If the path holds a move that is not legal; the slot stays idle.
    ///
    /// # Panics
    /// If the slot is not idle.
    fn start(&mut self, subtree: &Subtree) -> Result<(), GameError>;

    /// Searches on, until the subtree is resolved or about `nodes` more positions were entered.
    ///
    /// # Panics
    /// If the slot is idle.
    fn run(&mut self, nodes: u64) -> Run;

    /// Changes the window of the subtree's root. Returns what that cut off.
    fn narrow(&mut self, window: Window) -> Cutback;

    /// Gives up the open nodes from the subtree's root down to the shallowest that has brothers to
    /// give and is no expected cut node, or else to the shallowest that has any, if the policy
    /// allows one. The search goes on with the last one's current child. Nodes with fewer than `grain` plies
    /// remaining are not worth it.
    fn split(&mut self, grain: u8) -> Option<Vec<Handover>>;

    /// Gives the subtree up; the slot is idle.
    fn stop(&mut self);

    /// Setting it makes a running [`SlotSearch::run`] return soon, at the price of repeating the
    /// small subtree it was in. `run` clears it.
    fn interrupt(&self) -> Arc<AtomicBool>;

    /// The counts since the last call.
    fn take_tally(&mut self) -> Tally;
}
