//! What goes into the coordinator machine and what comes out of it.

use crate::{Departure, FromWorker, Outcome, SearchId, ToWorker, Traced, WorkerId};
use game::{Depth, Move, Setup, Tally};
use std::sync::Arc;

/// What happened, as far as the coordinator is concerned.
#[derive(Clone, PartialEq, Debug)]
pub enum CoordinatorInput {
    /// A worker process is there.
    Joined {
        /// Its session, never used before.
        worker: WorkerId,
        /// What people call it; need not be unique.
        name: Arc<str>,
        /// Its search threads, at least 1.
        slots: u16,
        /// Where it listens to other workers, empty for where the coordinator does; `None` if it
        /// shares nothing.
        address: Option<Arc<str>>,
    },
    /// A message came from a worker.
    Received {
        /// Its session.
        worker: WorkerId,
        /// The message.
        message: FromWorker,
    },
    /// A worker process is gone.
    Departed {
        /// Its session.
        worker: WorkerId,
        /// How.
        departure: Departure,
    },
    /// A client wants something searched.
    Submitted(Request),
    /// A client, or a time limit, gives a search up.
    Aborted(SearchId),
    /// Time passed.
    Woken,
}

/// A search as asked for.
#[derive(Clone, PartialEq, Debug)]
pub struct Request {
    /// Its name, never used before.
    pub search: SearchId,
    /// What to search and how.
    pub setup: Arc<Setup>,
    /// How many slots may work at it, spread over the workers; 0 for all there are.
    pub processors: u32,
}

/// What is to be done.
#[derive(Clone, PartialEq, Debug)]
pub enum CoordinatorOutput {
    /// Send this to a worker.
    Send {
        /// Its session.
        worker: WorkerId,
        /// The message.
        message: ToWorker,
    },
    /// End a worker's session. Not to be answered by [`CoordinatorInput::Departed`].
    Disconnect {
        /// Its session.
        worker: WorkerId,
        /// What it did wrong, in words for a person.
        reason: String,
    },
    /// Tell the client how its search ended; no job of it runs any more.
    Answer {
        /// The search.
        search: SearchId,
        /// How it ended.
        outcome: Outcome,
    },
    /// Note a fact.
    Trace(Traced),
}

/// How the active search stands.
#[derive(Clone, PartialEq, Debug)]
pub struct Progress {
    /// The search.
    pub search: SearchId,
    /// The depth searched now.
    pub depth: Depth,
    /// What is accounted for so far.
    pub tally: Tally,
    /// Slots it may use.
    pub slots: usize,
    /// Slots without a job.
    pub idle_slots: usize,
    /// Jobs at workers.
    pub jobs: usize,
    /// Brothers that wait for a slot.
    pub waiting: usize,
    /// The best line so far; empty while there is none.
    pub line: Vec<Move>,
}
