//! The active search: its tree and the jobs that workers have.

use super::circle::Circle;
use super::pace::Pace;
use super::tree::{BrotherAt, Guess, SplitTree};
use crate::{JobId, Moment, Outcome, SearchId, WorkerId};
use game::{Depth, Move, NodeKind, Setup, Tally};
use std::collections::BTreeMap;
use std::sync::Arc;

/// A job that some worker has.
#[derive(Debug)]
pub(super) struct Job {
    pub(super) worker: WorkerId,
    pub(super) at: BrotherAt,
    pub(super) remaining: u8,
    pub(super) kind: NodeKind,
    /// Moves from the search's root to the job's.
    pub(super) ply: usize,
    /// Waits at the worker for a slot.
    pub(super) spare: bool,
    /// The name its rest will have, once a split was wished.
    pub(super) wish: Option<JobId>,
    /// What is measured of it; `None` for the rest of another.
    pub(super) timing: Option<Timing>,
}

/// How long a job takes that one slot searches from beginning to end.
#[derive(Clone, Copy, Debug)]
pub(super) struct Timing {
    /// When it was sent to an idle slot; `None` if it had to wait for one.
    pub(super) sent: Option<Moment>,
    /// What it took so far.
    pub(super) busy_ns: u64,
}

#[derive(Debug)]
pub(super) struct Search {
    pub(super) id: SearchId,
    pub(super) setup: Arc<Setup>,
    pub(super) depth: Depth,
    pub(super) tree: SplitTree,
    pub(super) jobs: BTreeMap<JobId, Job>,
    pub(super) wishes: usize,
    pub(super) pace: Pace,
    pub(super) hint: Vec<Move>,
    /// What the last iteration came to.
    pub(super) guess: Option<Guess>,
    pub(super) tally: Tally,
    /// Those who share table entries.
    pub(super) circle: Circle,
    /// Set when nothing more is to be searched.
    pub(super) end: Option<End>,
}

#[derive(Debug)]
pub(super) struct End {
    pub(super) outcome: Outcome,
    pub(super) deadline: Moment,
}

impl Search {
    pub(super) fn new(id: SearchId, setup: Arc<Setup>) -> Search {
        let depth = setup.iterations().next().expect("the last depth is always searched");
        Search {
            id,
            depth,
            tree: SplitTree::new(&setup, depth, None),
            jobs: BTreeMap::new(),
            wishes: 0,
            pace: Pace::new(),
            hint: Vec::new(),
            guess: None,
            tally: Tally::default(),
            circle: Circle::default(),
            end: None,
            setup,
        }
    }

    pub(super) fn admit(&mut self, id: JobId, job: Job) {
        if self.can_split(&job) {
            self.tree.set_divisible(job.at, id, true);
        }
        self.jobs.insert(id, job);
    }

    /// A job that waited at its worker runs now.
    pub(super) fn promote(&mut self, id: JobId) {
        let Some(job) = self.jobs.get_mut(&id) else {
            return;
        };
        job.spare = false;
        let job = &self.jobs[&id];
        if job.wish.is_none() && self.can_split(job) {
            self.tree.set_divisible(job.at, id, true);
        }
    }

    pub(super) fn remove(&mut self, id: JobId) -> Option<BrotherAt> {
        let job = self.jobs.remove(&id)?;
        if job.wish.is_some() {
            self.wishes -= 1;
        }
        Some(job.at)
    }

    /// Whether a running job may ever have open nodes to give.
    fn can_split(&self, job: &Job) -> bool {
        self.setup.policy.allows(job.kind, job.ply)
            && !job.spare
            && job.remaining >= self.setup.min_split
    }

    /// A job took some more time.
    pub(super) fn spend(&mut self, id: JobId, busy_ns: u64) {
        if let Some(Job { timing: Some(timing), .. }) = self.jobs.get_mut(&id) {
            timing.busy_ns += busy_ns;
        }
    }

    /// Learns from a job that is resolved how long such jobs take.
    pub(super) fn time(&mut self, id: JobId, now: Moment) {
        let Some(&Job { remaining, timing: Some(timing), .. }) = self.jobs.get(&id) else { return };
        let Timing { sent, busy_ns } = timing;
        self.pace.learn_busy(remaining, busy_ns);
        if let Some(sent) = sent {
            self.pace.learn_wait(now.since(sent).saturating_sub(busy_ns));
        }
    }

    /// The plies that must remain at a node to be worth an offer, when such a share of the slots is busy.
    pub(super) fn grain(&self, busy_share: f64) -> u8 {
        self.pace.grain(self.setup.min_split, busy_share)
    }

    /// What is left of the last iteration's best line for a job that begins along it.
    pub(super) fn hint_below(&self, path: &[Move]) -> Vec<Move> {
        self.hint.strip_prefix(path).unwrap_or_default().to_vec()
    }
}
