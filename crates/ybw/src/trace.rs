//! What happened in a run, declared once: [`TraceEvent`].
//!
//! Every report, metric and picture is made from these and from nothing else.

use crate::{JobId, Moment, SearchId, Spent, WindowEffect, WorkerId};
use game::{Depth, Move, NodeKind, Setup, Tally, Value, Window};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// An event and when it happened on the coordinator's clock.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Traced {
    /// When.
    pub at: Moment,
    /// What.
    #[serde(flatten)]
    pub event: TraceEvent,
}

/// Why a worker is gone.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Departure {
    /// It said goodbye.
    Left,
    /// Its stream broke or fell silent.
    Lost,
    /// It was sent away for a breach of the protocol.
    SentAway,
}

/// How a search ended.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "outcome")]
pub enum Outcome {
    /// The root is resolved.
    Solved {
        /// The root's value, for the side to move there.
        value: Value,
        /// The best line from the root, as far as it is known.
        line: Vec<Move>,
    },
    /// A client, or a time limit, gave it up.
    Aborted,
    /// It cannot be searched.
    Failed {
        /// Why, in words for a person.
        reason: String,
    },
}

/// One fact about a run.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "event")]
pub enum TraceEvent {
    /// A worker process may get jobs.
    WorkerJoined {
        /// The worker.
        worker: WorkerId,
        /// What people call it; need not be unique.
        name: String,
        /// Its search threads.
        slots: u16,
    },
    /// A worker process is gone.
    WorkerGone {
        /// The worker.
        worker: WorkerId,
        /// Why.
        departure: Departure,
        /// Its jobs, which wait for another worker now.
        jobs: Vec<JobId>,
    },
    /// A search began.
    SearchStarted {
        /// The search.
        search: SearchId,
        /// What is searched and how.
        setup: Arc<Setup>,
        /// The slots it may use; 0 for all there are.
        processors: u32,
    },
    /// The tree is searched to this depth from now on, from an empty split tree.
    DepthBegun {
        /// The search.
        search: SearchId,
        /// The depth.
        depth: Depth,
    },
    /// How the active search stands: told when something happened, but not more often than every
    /// millisecond.
    Standing {
        /// Slots it may use.
        slots: u32,
        /// Those of them that have no job.
        idle_slots: u32,
        /// Jobs at workers, those that wait for a slot included.
        jobs: u32,
        /// Brothers that wait for a worker.
        waiting: u32,
    },
    /// A subtree was handed to a worker.
    JobAssigned {
        /// The job.
        job: JobId,
        /// The worker.
        worker: WorkerId,
        /// The moves from the root of the search to the subtree.
        path: Vec<Move>,
        /// The window.
        window: Window,
        /// The expected kind of the subtree's root.
        kind: NodeKind,
        /// Plies that remain there; 255 where nobody knows.
        remaining: u8,
        /// Whether all slots of the worker were taken, so that the job waits there.
        spare: bool,
    },
    /// A worker was asked to give up open nodes.
    SplitWished {
        /// The job.
        job: JobId,
        /// Its name from the offer on.
        next: JobId,
    },
    /// Open nodes moved from a worker to the split tree.
    NodesAdopted {
        /// The job that ended.
        job: JobId,
        /// The job that goes on.
        next: JobId,
        /// The worker that has both.
        worker: WorkerId,
        /// The moves from the root of the search to the subtree of the job that goes on; the nodes above
        /// it are in the split tree now.
        path: Vec<Move>,
        /// What is asked of that subtree.
        window: Window,
        /// The expected kind of that subtree's root.
        kind: NodeKind,
        /// Open nodes taken over.
        nodes: u32,
        /// Brothers among their children that wait for a slot.
        waiting: u32,
        /// What the ended job cost.
        spent: Spent,
    },
    /// A changed window was sent to a running job.
    WindowPushed {
        /// The job.
        job: JobId,
        /// The worker.
        worker: WorkerId,
        /// The window before.
        old: Window,
        /// The window from now on.
        new: Window,
        /// The job whose result (or end) caused it.
        cause: JobId,
        /// The moves from the root of the search to the brother whose value raised alpha; `None` if
        /// a worker had offered its nodes with a window that was out of date.
        raised_by: Option<Vec<Move>>,
    },
    /// The worker said what a changed window did.
    WindowArrived {
        /// The job.
        job: JobId,
        /// The worker.
        worker: WorkerId,
        /// The window. Those pushed to the job before it, and not told of, were overtaken by it.
        window: Window,
        /// What it did.
        #[serde(flatten)]
        effect: WindowEffect,
        /// When it did, on the worker's clock.
        worker_at: Moment,
    },
    /// A job became unwanted.
    JobCancelled {
        /// The job.
        job: JobId,
        /// The worker.
        worker: WorkerId,
        /// The job whose result caused it; `None` if the search itself ended.
        cause: Option<JobId>,
    },
    /// A job ended with a result.
    JobResolved {
        /// The job.
        job: JobId,
        /// The worker.
        worker: WorkerId,
        /// The value of the subtree's root.
        value: Value,
        /// What it cost.
        spent: Spent,
    },
    /// A running job reported what it cost so far.
    JobProgressed {
        /// The job.
        job: JobId,
        /// What it cost.
        spent: Spent,
    },
    /// A job came back without a result and waits for another worker.
    JobReturned {
        /// The job.
        job: JobId,
        /// The worker.
        worker: WorkerId,
        /// What it cost.
        spent: Spent,
    },
    /// An unwanted job is not searched any more. What it cost was thrown away.
    JobDiscarded {
        /// The job.
        job: JobId,
        /// What it cost.
        spent: Spent,
    },
    /// A message came for a job nobody knows (any more) and was dropped.
    LateMessage {
        /// The worker.
        worker: WorkerId,
        /// The job.
        job: JobId,
    },
    /// A brother's answer did not suffice, and it waits to be asked again: a scout failed high, or
    /// the window had moved meanwhile.
    BrotherReopened {
        /// The job whose result did not suffice.
        job: JobId,
    },
    /// A node of the split tree came to a value; everything below it is dropped.
    NodeResolved {
        /// The moves from the root of the search to the node.
        path: Vec<Move>,
        /// Its value, for the side to move there.
        value: Value,
    },
    /// A search ended.
    SearchEnded {
        /// The search.
        search: SearchId,
        /// How.
        outcome: Outcome,
    },
    /// Every job of an ended search is accounted for; nothing of it runs anywhere.
    SearchSettled {
        /// The search.
        search: SearchId,
        /// Positions and cutoffs over all its jobs.
        tally: Tally,
    },
}
