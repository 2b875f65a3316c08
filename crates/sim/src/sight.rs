//! What can be seen of a simulated world: [`Sight`], and who looks at it: [`Witness`].

use std::fmt;
use ybw::{FromWorker, JobId, Moment, Slot, ToWorker, Traced, WorkerId};

/// Something that happens in a world.
#[derive(Clone, Copy, Debug)]
pub enum Sight<'a> {
    /// The coordinator noted a fact.
    Traced(&'a Traced),
    /// The coordinator takes in a message.
    TakenIn {
        /// From whom.
        worker: WorkerId,
        /// The message.
        message: &'a FromWorker,
    },
    /// A message entered a link in either direction.
    Sent {
        /// The session.
        worker: WorkerId,
        /// Slots of the worker.
        slots: u16,
        /// Messages under way there now.
        under_way: usize,
    },
    /// A worker takes in a message.
    Delivered {
        /// The worker.
        worker: WorkerId,
        /// The message.
        message: &'a ToWorker,
    },
    /// A slot begins to search on. The worker need not be connected.
    Searches {
        /// The worker process, which keeps its number over its sessions.
        host: usize,
        /// The slot.
        slot: Slot,
        /// The job.
        job: JobId,
        /// Positions it enters before it looks at its mail.
        nodes: u64,
    },
}

/// Somebody who watches a world.
pub trait Witness {
    /// Sees what happens at `now`.
    ///
    /// # Errors
    /// If it must not happen.
    fn see(&mut self, now: Moment, sight: Sight<'_>) -> Result<(), Breach>;

    /// Sees how it ended.
    ///
    /// # Errors
    /// If it must not end like that.
    fn end(&mut self, finished: &crate::Finished) -> Result<(), Breach>;
}

/// A rule was broken.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Breach {
    /// Which.
    pub rule: &'static str,
    /// What was seen.
    pub seen: String,
}

impl Breach {
    /// A breach of `rule`.
    #[must_use]
    pub fn new(rule: &'static str, seen: impl Into<String>) -> Breach {
        Breach { rule, seen: seen.into() }
    }
}

impl fmt::Display for Breach {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.rule, self.seen)
    }
}

/// A message about to enter or leave a worker process, to be tampered with by tests that show what
/// the checkers catch.
#[derive(Debug)]
pub enum Crossing<'a> {
    /// From the worker.
    Leaving(&'a mut FromWorker),
    /// To the worker.
    Arriving(&'a mut ToWorker),
}
