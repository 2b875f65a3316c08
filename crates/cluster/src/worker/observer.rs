//! Who is told what a worker process hears and says: [`WorkerObserver`].

use std::fmt;
use std::sync::Arc;
use ybw::{FromWorker, ToWorker, WorkerId};

/// Something that happened at a worker process.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum WorkerFact<'a> {
    /// A session was opened; the coordinator may have told the context of its traces.
    Opened {
        /// As W3C Trace Context writes it.
        traceparent: Option<&'a str>,
    },
    /// The coordinator took it in.
    Joined(WorkerId),
    /// The session ended, whoever ended it.
    Parted,
    /// The coordinator said something.
    Heard(&'a ToWorker),
    /// The worker said something.
    Said(&'a FromWorker),
}

type Note = dyn Fn(WorkerFact<'_>) + Send + Sync;

/// Is told what a worker hears and says as soon as it happens, on the thread of its network. What it does
/// with it must not take long.
#[derive(Clone, Default)]
pub struct WorkerObserver(Option<Arc<Note>>);

impl WorkerObserver {
    /// An observer that does this with every fact.
    pub fn new(note: impl Fn(WorkerFact<'_>) + Send + Sync + 'static) -> WorkerObserver {
        WorkerObserver(Some(Arc::new(note)))
    }

    /// Both this one and the other, in this order.
    #[must_use]
    pub fn and(self, other: WorkerObserver) -> WorkerObserver {
        match (self.0, other.0) {
            (Some(first), Some(second)) => WorkerObserver::new(move |fact| {
                first(fact);
                second(fact);
            }),
            (first, second) => WorkerObserver(first.or(second)),
        }
    }

    pub(super) fn note(&self, fact: WorkerFact<'_>) {
        if let Some(note) = &self.0 {
            note(fact);
        }
    }
}

impl fmt::Debug for WorkerObserver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("WorkerObserver").field(&self.0.is_some()).finish()
    }
}
