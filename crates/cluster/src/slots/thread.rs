//! One search thread: [`spawn`].

use super::mailbox::Mailbox;
use super::{Command, Sink, SlotReport};
use crate::search_thread::spawn_search_thread;
use crate::searches::Prepared;
use game::Window;
use search::{Run, SlotSearch};
use std::any::Any;
use std::io;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use ybw::{Assignment, JobId, SearchId, Slot, SlotEvent, Spent, WindowEffect, Wish};

/// How often a running job says what it cost.
const PROGRESS_INTERVAL: Duration = Duration::from_millis(250);

pub(super) fn spawn(slot: Slot, mailbox: Arc<Mailbox>, sink: Sink) -> io::Result<JoinHandle<()>> {
    let name = format!("search-{}", slot.0);
    spawn_search_thread(name, move || {
        let searcher = Searcher::new(slot, mailbox, sink.clone());
        // The job would wait for ever if nobody heard of the panic.
        if let Err(panic) = panic::catch_unwind(AssertUnwindSafe(|| searcher.live())) {
            sink(slot, SlotReport::Died { cause: last_words(&*panic) });
        }
    })
}

fn last_words(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(ToString::to_string);
    let text = text.or_else(|| panic.downcast_ref::<String>().cloned());
    text.unwrap_or_else(|| "it panicked".to_string())
}

/// How many nodes to search before looking for commands again.
#[derive(Debug)]
struct Pace {
    nodes: u64,
}

impl Pace {
    const TIME: Duration = Duration::from_micros(250);
    /// Few, for a leaf may cost milliseconds.
    const FIRST: u64 = 16;
    const MOST: u64 = 1 << 17;

    fn adapt(&mut self, took: Duration) {
        if took > Self::TIME * 2 {
            let fraction = Self::TIME.as_secs_f64() / took.as_secs_f64();
            self.nodes = ((self.nodes as f64 * fraction) as u64).max(1);
        } else if took < Self::TIME / 2 {
            self.nodes = (self.nodes * 2).min(Self::MOST);
        }
    }
}

#[derive(Debug)]
struct Current {
    job: JobId,
    /// What it is to give, once a split is wished.
    wish: Option<Wish>,
    reported: Instant,
}

struct Searcher {
    slot: Slot,
    mailbox: Arc<Mailbox>,
    sink: Sink,
    /// The search of the last job, kept for the next one.
    search: Option<(Arc<Prepared>, Box<dyn SlotSearch>)>,
    current: Option<Current>,
    pace: Pace,
    /// Since the last event.
    spent: Spent,
}

impl Searcher {
    fn new(slot: Slot, mailbox: Arc<Mailbox>, sink: Sink) -> Searcher {
        Searcher {
            slot,
            mailbox,
            sink,
            search: None,
            current: None,
            pace: Pace { nodes: Pace::FIRST },
            spent: Spent::default(),
        }
    }

    fn live(mut self) {
        loop {
            let idle = self.current.is_none();
            let commands = if idle { self.mailbox.wait() } else { self.mailbox.take() };
            for command in commands {
                match command {
                    Command::Start { assignment, prepared } => self.start(assignment, prepared),
                    Command::Narrow { job, window } => self.narrow(job, window),
                    Command::Stop { job } => self.stop(job),
                    Command::Split { job, wish } => self.wish(job, wish),
                    Command::Forget { search } => self.forget(search),
                    Command::Quit => return,
                }
            }
            self.go_on();
        }
    }

    fn start(&mut self, assignment: Assignment, prepared: Arc<Prepared>) {
        let Assignment { job, search, subtree } = assignment;
        assert!(self.current.is_none(), "a thread is given one job at a time");
        // Search ids of different sessions may be the same; what was prepared is not.
        let ready = self.search.take().filter(|(last, _)| Arc::ptr_eq(last, &prepared));
        let mut slot = match ready {
            Some((_, slot)) => slot,
            None => {
                self.pace = Pace { nodes: Pace::FIRST };
                match prepared.slot() {
                    Ok(slot) => slot,
                    Err(reason) => {
                        (self.sink)(self.slot, SlotReport::Refused { job, search, reason });
                        return;
                    }
                }
            }
        };
        let started = slot.start(&subtree);
        self.mailbox.interrupt_with(Some(slot.interrupt()));
        self.search = Some((prepared, slot));
        match started {
            Ok(()) => {
                self.current = Some(Current { job, wish: None, reported: Instant::now() });
            }
            Err(error) => {
                let reason = format!("job {job} cannot be searched: {error}");
                (self.sink)(self.slot, SlotReport::Refused { job, search, reason });
            }
        }
    }

    /// The running search, if it is the job's.
    fn running(&mut self, job: JobId) -> Option<(&mut Current, &mut dyn SlotSearch)> {
        let current = self.current.as_mut().filter(|current| current.job == job)?;
        let (_, search) = self.search.as_mut()?;
        Some((current, &mut **search))
    }

    fn narrow(&mut self, job: JobId, window: Window) {
        let effect = match self.running(job) {
            Some((_, search)) => WindowEffect::Applied(search.narrow(window)),
            None => WindowEffect::Late,
        };
        self.tell(SlotEvent::Narrowed { job, window, effect });
    }

    fn stop(&mut self, job: JobId) {
        let Some((_, search)) = self.running(job) else { return };
        search.stop();
        self.current = None;
        let spent = self.take_spent();
        self.tell(SlotEvent::Stopped { job, spent });
    }

    fn wish(&mut self, job: JobId, wish: Wish) {
        if let Some((current, _)) = self.running(job) {
            current.wish = Some(wish);
        }
    }

    fn forget(&mut self, search: SearchId) {
        let over = |(last, _): &mut (Arc<Prepared>, _)| last.search() == search;
        if self.current.is_none() && self.search.take_if(over).is_some() {
            self.mailbox.interrupt_with(None);
        }
    }

    /// Searches for a while, if there is a job.
    fn go_on(&mut self) {
        let Some(job) = self.current.as_ref().map(|current| current.job) else { return };
        let Some((_, search)) = &mut self.search else { return };
        let began = Instant::now();
        let run = search.run(self.pace.nodes);
        let now = Instant::now();
        self.pace.adapt(now - began);
        match run {
            Run::Paused => {
                self.offer();
                self.report_progress(now);
            }
            Run::Done { value, line } => {
                self.current = None;
                let spent = self.take_spent();
                self.tell(SlotEvent::Finished { job, value, line, spent });
            }
        }
    }

    /// Grants the wish for a split as soon as there is anything to give.
    fn offer(&mut self) {
        let (Some(current), Some((_, search))) = (&mut self.current, &mut self.search) else {
            return;
        };
        let Some(Wish { next, grain }) = current.wish else { return };
        let Some(nodes) = search.split(grain) else { return };
        let job = std::mem::replace(&mut current.job, next);
        current.wish = None;
        let spent = self.take_spent();
        self.tell(SlotEvent::Offered { job, next, nodes, spent });
    }

    fn report_progress(&mut self, now: Instant) {
        let Some(current) = &mut self.current else { return };
        if now - current.reported < PROGRESS_INTERVAL {
            return;
        }
        current.reported = now;
        let job = current.job;
        let spent = self.take_spent();
        self.tell(SlotEvent::Progressed { job, spent });
    }

    fn take_spent(&mut self) -> Spent {
        let mut spent = std::mem::take(&mut self.spent);
        if let Some((_, search)) = &mut self.search {
            spent.tally += search.take_tally();
        }
        spent
    }

    fn tell(&self, event: SlotEvent) {
        (self.sink)(self.slot, SlotReport::Did(event));
    }
}
