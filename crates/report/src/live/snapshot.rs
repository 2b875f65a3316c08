//! What people and programs are shown of a coordinator: [`Snapshot`].

use super::tree::NodeNow;
use crate::Terms;
use game::NodeKind;
use serde::{Deserialize, Serialize};
use ybw::{JobId, SearchId, WorkerId};

/// The version of what a snapshot means. Additions do not change it.
pub const SNAPSHOT_VERSION: u32 = 1;

/// A coordinator at one moment.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Snapshot {
    /// See [`SNAPSHOT_VERSION`].
    pub version: u32,
    /// Seconds since the coordinator's start.
    pub at_seconds: f64,
    /// The search that goes on, if one does.
    pub search: Option<SearchNow>,
    /// The workers that are there.
    pub workers: Vec<WorkerNow>,
    /// The jobs at workers, the oldest first; not all if they are very many.
    pub jobs: Vec<JobNow>,
    /// The latest window updates, newest first.
    pub updates: Vec<UpdateNow>,
    /// Window updates since the coordinator's start.
    pub updates_pushed: u64,
    /// The top of the split tree, parents before children.
    pub tree: Vec<NodeNow>,
    /// Speed over time of the search that goes on, or of the last one.
    pub rates: Vec<RateNow>,
    /// Searches that ended, newest first.
    pub finished: Vec<FinishedSearch>,
}

/// The search that goes on.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct SearchNow {
    /// Its name.
    pub search: SearchId,
    /// The game.
    pub game: String,
    /// The position in the game's notation, empty for the usual start.
    pub position: String,
    /// The depth that is searched now.
    pub depth: Option<String>,
    /// Since it began.
    pub seconds: f64,
    /// Positions entered, as far as accounts have come.
    pub nodes: u64,
    /// Positions per second lately.
    pub nodes_per_second: u64,
    /// Slots that may work at it.
    pub slots: u32,
    /// Those of them that have a job.
    pub busy_slots: u32,
    /// The share of the slots' time since it began in which they had jobs.
    pub load: Option<f64>,
    /// Jobs at workers, those that wait there for a slot included.
    pub jobs: u32,
    /// Brothers that wait for a worker.
    pub waiting_brothers: u32,
    /// Narrowed windows sent to running jobs.
    pub windows_pushed: u64,
    /// Windows that reached a running search.
    pub windows_applied: u64,
    /// Applied windows that cut something off at once.
    pub windows_cut: u64,
    /// Positions entered by jobs that became unwanted.
    pub discarded_nodes: u64,
}

/// A worker that is there.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct WorkerNow {
    /// Its name in this session.
    pub worker: WorkerId,
    /// What people call it.
    pub name: String,
    /// Its search threads.
    pub slots: u16,
    /// Jobs it has, those that wait for a slot included.
    pub jobs: u32,
    /// Jobs it had.
    pub ended_jobs: u64,
    /// Positions it entered.
    pub nodes: u64,
}

/// A job at a worker.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct JobNow {
    /// Its name.
    pub job: JobId,
    /// Who has it.
    pub worker: WorkerId,
    /// The moves from the root in the game's notation; empty for the root.
    pub path: String,
    /// The window it began with.
    pub window: String,
    /// The expected kind of its root.
    pub kind: NodeKind,
    /// Since it was assigned.
    pub seconds: f64,
    /// Positions entered, as far as it has reported.
    pub nodes: u64,
}

/// A window update.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct UpdateNow {
    /// Its number since the coordinator's start.
    pub number: u64,
    /// When it was pushed, in seconds since the coordinator's start.
    pub at_seconds: f64,
    /// The job whose result caused it.
    pub cause: JobId,
    /// The path of the brother whose value raised alpha.
    pub raised_by: Option<String>,
    /// The window before.
    pub old: String,
    /// The window from then on.
    pub new: String,
    /// The job told.
    pub job: JobId,
    /// The worker told.
    pub worker: WorkerId,
    /// From the push until the coordinator heard what it did.
    pub round_trip_ms: Option<f64>,
    /// `under way`, `narrowed`, `cut`, `ended`, `waiting` or `late`.
    pub effect: String,
    /// Open nodes it cut off at once.
    pub open_nodes_cut: u32,
    /// Positions it saved, estimated.
    pub saved_nodes: u64,
}

/// A point of the curve of speed over time.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct RateNow {
    /// Since the search began.
    pub seconds: f64,
    /// Positions per second in the half second before.
    pub nodes_per_second: u64,
    /// Slots that had a job.
    pub busy_slots: u32,
}

/// A search that ended.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct FinishedSearch {
    /// Its name.
    pub search: SearchId,
    /// The game.
    pub game: String,
    /// The position in the game's notation, empty for the usual start.
    pub position: String,
    /// `solved`, `aborted` or `failed`.
    pub outcome: String,
    /// The root's value.
    pub value: Option<String>,
    /// The best line; of one that failed the reason.
    pub line: String,
    /// How long it took.
    pub seconds: f64,
    /// Positions entered.
    pub nodes: u64,
    /// The most slots that could work at it at one time.
    pub slots: u32,
    /// Time during which slots had jobs, over all slots.
    pub busy_seconds: f64,
    /// Positions entered by jobs that became unwanted.
    pub discarded_nodes: u64,
    /// Narrowed windows sent to running jobs.
    pub windows_pushed: u64,
    /// Applied windows that cut something off at once.
    pub windows_cut: u64,
    /// Speed-up and its terms, if the same problem was searched sequentially here before.
    pub terms: Option<Terms>,
}
