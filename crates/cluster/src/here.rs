//! A search within this process: [`solve_here`].

use crate::clock::Clock;
use crate::crew::Crew;
use crate::desk::Desk;
use crate::memory::check_table;
use crate::observer::Observer;
use crate::slots::{Sink, SlotReport};
use crate::{Error, TableFile};
use search::Catalogue;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use wire::{Answer, SearchOrder, SearchUpdate};
use ybw::Slot;

/// How often progress is told.
const PROGRESS_INTERVAL: Duration = Duration::from_millis(250);
/// How often the abort flag is looked at.
const ABORT_INTERVAL: Duration = Duration::from_millis(20);

/// Searches with `threads` threads of this process: the same machines as on a cluster, without a
/// socket. Their table is kept in the `table_file`, if there is one. Setting `abort` gives the search up, and the answer says so. The `observer` is told of
/// everything that happens.
///
/// # Errors
/// If the game or position cannot be read, the table is larger than this machine's memory, there are no threads, or one dies.
pub fn solve_here(
    catalogue: &Catalogue,
    order: SearchOrder,
    threads: u16,
    table_file: Option<&TableFile>,
    abort: &AtomicBool,
    observer: Observer,
    watch: impl FnMut(SearchUpdate),
) -> Result<Answer, Error> {
    let problem = catalogue.prepare(&order.setup)?;
    check_table(order.setup.table_mib)?;
    let (sender, reports) = mpsc::channel();
    // One sender for all threads: what a thread reports is rare.
    let sender = Mutex::new(sender);
    let sink: Sink = Arc::new(move |slot, report| {
        let sender = sender.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        // Nobody listens any more once the search is answered.
        let _ = sender.send((slot, report));
    });
    let clock = Clock::start();
    let mut crew = Crew::new(clock, catalogue.clone(), threads, &sink)?;
    table_file.cloned().into_iter().for_each(|file| crew.keep_table_in(file));
    let (teller, updates) = mpsc::channel();
    let mut desk = Desk::new(clock, Some((crew, threads)), observer);
    let watcher = Box::new(move |update| drop(teller.send(update)));
    // A new desk is neither full nor closing.
    let search = desk.submit(order, problem, watcher).map_err(|why| Error::Rejected {
        reason: format!("the search was not accepted: {why:?}"),
    })?;
    let mut here = Here { desk, reports, updates, watch, next_progress: Instant::now() };
    loop {
        if let Some(answer) = here.pass_on() {
            return Ok(answer);
        }
        if abort.load(Ordering::Relaxed) {
            here.desk.abort(search);
        }
        here.step()?;
    }
}

struct Here<W> {
    desk: Desk,
    reports: Receiver<(Slot, SlotReport)>,
    updates: Receiver<SearchUpdate>,
    watch: W,
    next_progress: Instant,
}

impl<W: FnMut(SearchUpdate)> Here<W> {
    /// Passes updates on until there is none or it is the answer.
    fn pass_on(&mut self) -> Option<Answer> {
        while let Ok(update) = self.updates.try_recv() {
            match update {
                SearchUpdate::Answer(answer) => return Some(*answer),
                update => (self.watch)(update),
            }
        }
        None
    }

    /// Waits for a report, but not for long.
    fn step(&mut self) -> Result<(), Error> {
        let now = Instant::now();
        if now >= self.next_progress {
            self.next_progress = now + PROGRESS_INTERVAL;
            self.desk.tell_progress();
        }
        let due = self.desk.deadline().map(|due| due.saturating_duration_since(now));
        let wait = due.unwrap_or(ABORT_INTERVAL).min(ABORT_INTERVAL);
        match self.reports.recv_timeout(wait) {
            Ok((slot, report)) => self.desk.reported(slot, report),
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {
                self.desk.wake();
                Ok(())
            }
        }
    }
}
