//! Search threads and how they are commanded: [`Slots`].
//!
//! A thread is the authority on which job it searches. Commands name the job they mean; one that
//! names another job comes too late and is ignored, because the thread has said, or is about to
//! say, what became of that job.

mod mailbox;
mod thread;

use crate::Error;
use crate::searches::Prepared;
use game::Window;
use mailbox::Mailbox;
use std::sync::Arc;
use std::thread::JoinHandle;
use ybw::{Assignment, JobId, SearchId, Slot, SlotEvent, Wish};

/// Where threads report to; never blocks.
pub(crate) type Sink = Arc<dyn Fn(Slot, SlotReport) + Send + Sync>;

/// What a thread has to say.
#[derive(Debug)]
pub(crate) enum SlotReport {
    /// It did something with its job.
    Did(SlotEvent),
    /// It cannot search the job it was given, and is idle.
    Refused {
        /// The job.
        job: JobId,
        /// Its search.
        search: SearchId,
        /// Why, in words for a person.
        reason: String,
    },
    /// It is no more.
    Died {
        /// Its last words.
        cause: String,
    },
}

/// What a thread is told.
#[derive(Debug)]
pub(crate) enum Command {
    /// Search this; it must be idle.
    Start { assignment: Assignment, prepared: Arc<Prepared> },
    /// The window changed.
    Narrow { job: JobId, window: Window },
    /// Give the job up.
    Stop { job: JobId },
    /// Offer open nodes as soon as there are any to give.
    Split { job: JobId, wish: Wish },
    /// Drop what belongs to this search.
    Forget { search: SearchId },
    /// End.
    Quit,
}

/// The search threads of one process.
#[derive(Debug)]
pub(crate) struct Slots {
    threads: Vec<(Arc<Mailbox>, Option<JoinHandle<()>>)>,
}

impl Slots {
    /// Starts so many idle threads.
    pub(crate) fn start(count: u16, sink: &Sink) -> Result<Slots, Error> {
        let mut slots = Slots { threads: Vec::new() };
        for slot in (0..count).map(Slot) {
            let mailbox = Arc::new(Mailbox::default());
            let handle =
                thread::spawn(slot, mailbox.clone(), sink.clone()).map_err(Error::Spawn)?;
            slots.threads.push((mailbox, Some(handle)));
        }
        Ok(slots)
    }

    pub(crate) fn command(&self, slot: Slot, command: Command) {
        self.threads[usize::from(slot.0)].0.post(command);
    }

    /// Tells every thread to drop what belongs to the search.
    pub(crate) fn forget(&self, search: SearchId) {
        for (mailbox, _) in &self.threads {
            mailbox.post(Command::Forget { search });
        }
    }
}

impl Drop for Slots {
    fn drop(&mut self) {
        for (mailbox, _) in &self.threads {
            mailbox.post(Command::Quit);
        }
        for (_, handle) in &mut self.threads {
            // A thread that panicked has already reported that it died.
            let _ = handle.take().map(JoinHandle::join);
        }
    }
}
