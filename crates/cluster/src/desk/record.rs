//! One search and the client that waits for it: [`Record`].

use game::Setup;
use report::{Fold, Traffic};
use search::Problem;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;
use wire::{Answer, SearchUpdate, Standing, v1};
use ybw::{Moment, Outcome, Progress, SearchId, TraceEvent, Traced, WorkerId};

/// Who wants to know how a search goes on.
pub(crate) type Watcher = Box<dyn FnMut(SearchUpdate) + Send>;

/// A search that has not been answered.
pub(super) struct Record {
    setup: Arc<Setup>,
    processors: u32,
    limit: Option<Duration>,
    problem: Arc<dyn Problem>,
    watcher: Watcher,
    /// Since it was begun.
    fold: Option<Fold>,
    deadline: Option<Moment>,
}

impl Record {
    pub(super) fn new(
        setup: Arc<Setup>,
        processors: u32,
        limit: Option<Duration>,
        problem: Arc<dyn Problem>,
        watcher: Watcher,
    ) -> Record {
        Record { setup, processors, limit, problem, watcher, fold: None, deadline: None }
    }

    /// The search is being done from now on, by the workers present and those that come.
    pub(super) fn begin(&mut self, at: Moment, search: SearchId, present: &[(WorkerId, u16)]) {
        let (game, position) = (short(&self.setup.game), short(&self.setup.position));
        tracing::info!(%search, game, position, processors = self.processors, "search started");
        self.deadline = self.limit.map(|limit| at.after(limit));
        let mut fold = Fold::new(search);
        for &(worker, slots) in present {
            let name = String::new();
            fold.note(&Traced { at, event: TraceEvent::WorkerJoined { worker, name, slots } });
        }
        self.fold = Some(fold);
    }

    pub(super) fn has_begun(&self) -> bool {
        self.fold.is_some()
    }

    pub(super) fn note(&mut self, traced: &Traced) {
        if let Some(fold) = &mut self.fold {
            fold.note(traced);
        }
    }

    /// When its time is up.
    pub(super) fn deadline(&self) -> Option<Moment> {
        self.deadline
    }

    /// Its time does not matter any more.
    pub(super) fn stop_clock(&mut self) {
        self.deadline = None;
    }

    pub(super) fn tell_progress(&mut self, progress: &Progress) {
        let standing = self.standing(progress);
        (self.watcher)(SearchUpdate::Progress(standing));
    }

    fn standing(&self, progress: &Progress) -> Standing {
        let number = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
        Standing {
            depth: progress.depth,
            tally: progress.tally,
            slots: number(progress.slots),
            idle_slots: number(progress.idle_slots),
            jobs: number(progress.jobs),
            waiting: number(progress.waiting),
            line_text: self.problem.line_text(&progress.line),
        }
    }

    pub(super) fn tell_queued(&mut self, ahead: u32) {
        (self.watcher)(SearchUpdate::Queued { ahead });
    }

    pub(super) fn answer(mut self, search: SearchId, outcome: &Outcome, traffic: Traffic) {
        let mut facts = self.fold.take().unwrap_or_else(|| Fold::new(search)).finish();
        facts.outcome = outcome.clone();
        facts.traffic = traffic;
        let line_text = match outcome {
            Outcome::Solved { line, .. } => self.problem.line_text(line),
            Outcome::Aborted | Outcome::Failed { .. } => Vec::new(),
        };
        (self.watcher)(SearchUpdate::Answer(Box::new(Answer { line_text, facts })));
    }

    pub(super) fn status(&self, search: SearchId, progress: Option<&Progress>) -> v1::SearchStatus {
        v1::SearchStatus {
            search: search.0,
            game: short(&self.setup.game),
            position: short(&self.setup.position),
            processors: self.processors,
            progress: progress.map(|progress| self.standing(progress).into()),
        }
    }
}

/// The beginning of a text; some games are a megabyte long.
fn short(text: &str) -> String {
    const MOST: usize = 120;
    text.chars().take(MOST).collect()
}

impl fmt::Debug for Record {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Record").field("setup", &self.setup).finish_non_exhaustive()
    }
}
