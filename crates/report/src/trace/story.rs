//! What a trace comes to: [`Story`], told event by event to a [`Telling`].

use super::clocks::ClockOffset;
use super::lanes::Lanes;
use super::{ClockKind, Header};
use crate::{Facts, Fold};
use game::{Depth, Move, NodeKind, Policy, Setup, Value, Window};
use serde::Serialize;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use ybw::{
    Departure, JobId, Moment, Outcome, SearchId, Spent, TraceEvent, Traced, WindowEffect, WorkerId,
};

/// What happened at one coordinator.
#[derive(Clone, Debug)]
pub struct Story {
    /// What was being done, for people.
    pub title: String,
    /// Whose time it is.
    pub clock: ClockKind,
    /// The workers that were there.
    pub workers: BTreeMap<WorkerId, WorkerStory>,
    /// The searches in the order of their start.
    pub searches: Vec<SearchStory>,
    /// The jobs in the order of their assignment.
    pub jobs: Vec<JobStory>,
    /// The window updates in the order of their push.
    pub updates: Vec<Update>,
    /// Nodes of the split tree that came to a value, in that order.
    pub nodes: Vec<NodeStory>,
    /// The last moment that was told of.
    pub last: Moment,
}

/// A worker process.
#[derive(Clone, PartialEq, Debug)]
pub struct WorkerStory {
    /// What people call it.
    pub name: String,
    /// Its search threads.
    pub slots: u16,
    /// When it came.
    pub joined: Moment,
    /// When and how it went, if it did.
    pub gone: Option<(Moment, Departure)>,
    /// By how much moments of its clock, told on the coordinator's, may be wrong; `None` if it never
    /// acknowledged a window.
    pub clock_uncertainty_ns: Option<u64>,
}

/// A search.
#[derive(Clone, PartialEq, Debug)]
pub struct SearchStory {
    /// Its name.
    pub search: SearchId,
    /// What was searched and how.
    pub setup: Arc<Setup>,
    /// When it began.
    pub started: Moment,
    /// When it ended; `None` if the trace ends before.
    pub ended: Option<Moment>,
    /// When it went on to each depth.
    pub depths: Vec<(Moment, Depth)>,
    /// What it came to.
    pub facts: Facts,
}

/// A job: one assignment, or what was left of one after a hand-over.
#[derive(Clone, PartialEq, Debug)]
pub struct JobStory {
    /// Its name.
    pub job: JobId,
    /// The place of its search in [`Story::searches`].
    pub search: usize,
    /// Who had it.
    pub worker: WorkerId,
    /// The moves from the root of the search to its subtree.
    pub path: Vec<Move>,
    /// What was asked first.
    pub window: Window,
    /// The expected kind of the subtree's root.
    pub kind: NodeKind,
    /// The job that gave its open nodes up, if it goes on with one.
    pub continues: Option<JobId>,
    /// When it was handed to the worker, or went on under this name.
    pub assigned: Moment,
    /// When it got a slot, and which, as the coordinator took it; `None` if it never did.
    pub began: Option<(Moment, usize)>,
    /// When and how it ended; `None` if the trace ends before.
    pub end: Option<(Moment, JobEnd)>,
    /// What it cost under this name.
    pub spent: Spent,
    /// Windows pushed to it.
    pub updates: u32,
}

impl JobStory {
    /// Positions entered under this name.
    #[must_use]
    pub fn nodes(&self) -> u64 {
        self.spent.tally.nodes + self.spent.tally.quiescence
    }
}

/// How a job ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "kebab-case", tag = "end")]
pub enum JobEnd {
    /// It came to a value.
    Resolved {
        /// The value of its root, for the side to move there.
        value: Value,
    },
    /// It gave its open nodes up and goes on as another.
    HandedOver {
        /// That one.
        next: JobId,
        /// Open nodes given up.
        nodes: u32,
    },
    /// It became unwanted.
    Cancelled {
        /// The job whose result made it so; `None` at the end of the search.
        cause: Option<JobId>,
    },
    /// Its worker gave it back.
    Returned,
    /// Its worker was lost.
    Lost,
}

/// A window sent to a running job.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Update {
    /// The place of its search in [`Story::searches`].
    pub search: usize,
    /// The job whose result (or end) caused it.
    pub cause: JobId,
    /// The moves to the brother whose value raised alpha, if that is what happened.
    pub raised_by: Option<Vec<Move>>,
    /// The window before.
    pub old: Window,
    /// The window from then on.
    pub new: Window,
    /// The job told.
    pub job: JobId,
    /// The worker told.
    pub worker: WorkerId,
    /// When it was sent.
    pub pushed: Moment,
    /// What became of it.
    #[serde(flatten)]
    pub fate: Fate,
}

/// What became of a window update.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "kebab-case", tag = "fate")]
pub enum Fate {
    /// The worker said what it did.
    Arrived {
        /// What.
        #[serde(flatten)]
        effect: WindowEffect,
        /// When, as well as that is known on the coordinator's clock.
        arrived: Moment,
        /// When the coordinator heard of it.
        heard: Moment,
    },
    /// The next window for the job took its place before it arrived.
    Overtaken,
    /// The job ended before it could arrive.
    Moot,
    /// The trace ends before.
    UnderWay,
}

impl Update {
    /// Positions that it saved, estimated.
    #[must_use]
    pub fn saved(&self) -> u64 {
        match self.fate {
            Fate::Arrived { effect: WindowEffect::Applied(cutback), .. } => cutback.saved,
            Fate::Arrived { .. } | Fate::Overtaken | Fate::Moot | Fate::UnderWay => 0,
        }
    }

    /// Nanoseconds from the push to its arrival.
    #[must_use]
    pub fn delay_ns(&self) -> Option<u64> {
        match self.fate {
            Fate::Arrived { arrived, .. } => Some(arrived.since(self.pushed)),
            Fate::Overtaken | Fate::Moot | Fate::UnderWay => None,
        }
    }
}

/// A node of the split tree that came to a value.
#[derive(Clone, PartialEq, Debug)]
pub struct NodeStory {
    /// The place of its search in [`Story::searches`].
    pub search: usize,
    /// The moves from the root of the search.
    pub path: Vec<Move>,
    /// Its value, for the side to move there.
    pub value: Value,
    /// When.
    pub resolved: Moment,
}

/// A story that is being told.
#[derive(Debug)]
pub struct Telling {
    story: Story,
    lanes: Lanes,
    clocks: BTreeMap<WorkerId, ClockOffset>,
    /// The slots of the workers that are there.
    present: BTreeMap<WorkerId, u16>,
    fold: Option<Fold>,
    /// Where a job is in the story.
    jobs: HashMap<JobId, usize>,
    /// What jobs were to be called after a hand-over, to tell whose cost it was if they were
    /// cancelled meanwhile.
    wishes: HashMap<JobId, JobId>,
    /// Updates whose fate is open, by job, oldest first.
    pending: HashMap<JobId, Vec<usize>>,
    /// When the worker's clock showed what, for updates that arrived; translated at the end.
    arrivals: Vec<(usize, Moment)>,
}

impl Telling {
    /// A story that begins.
    #[must_use]
    pub fn new(header: Header) -> Telling {
        let Header { title, clock, .. } = header;
        let story = Story {
            title,
            clock,
            workers: BTreeMap::new(),
            searches: Vec::new(),
            jobs: Vec::new(),
            updates: Vec::new(),
            nodes: Vec::new(),
            last: Moment::default(),
        };
        Telling {
            story,
            lanes: Lanes::default(),
            clocks: BTreeMap::new(),
            present: BTreeMap::new(),
            fold: None,
            jobs: HashMap::new(),
            wishes: HashMap::new(),
            pending: HashMap::new(),
            arrivals: Vec::new(),
        }
    }

    /// Takes in the next event.
    pub fn note(&mut self, traced: &Traced) {
        let Traced { at, event } = traced;
        self.story.last = self.story.last.max(*at);
        if let TraceEvent::SearchStarted { search, setup, .. } = event {
            self.begin_search(*at, *search, setup);
        }
        if let Some(fold) = &mut self.fold {
            fold.note(traced);
        }
        match event {
            TraceEvent::WorkerJoined { .. } | TraceEvent::WorkerGone { .. } => {
                self.note_worker(*at, event);
            }
            TraceEvent::SearchStarted { .. }
            | TraceEvent::DepthBegun { .. }
            | TraceEvent::SearchEnded { .. }
            | TraceEvent::SearchSettled { .. } => self.note_search(*at, event),
            TraceEvent::WindowPushed { .. } | TraceEvent::WindowArrived { .. } => {
                self.note_window(*at, event);
            }
            TraceEvent::NodeResolved { path, value } => self.story.nodes.push(NodeStory {
                search: self.current(),
                path: path.clone(),
                value: *value,
                resolved: *at,
            }),
            TraceEvent::JobAssigned { .. }
            | TraceEvent::NodesAdopted { .. }
            | TraceEvent::JobCancelled { .. }
            | TraceEvent::JobResolved { .. }
            | TraceEvent::JobProgressed { .. }
            | TraceEvent::JobReturned { .. }
            | TraceEvent::JobDiscarded { .. } => self.note_job(*at, event),
            TraceEvent::SplitWished { job, next } => {
                self.wishes.insert(*next, *job);
            }
            TraceEvent::Standing { .. }
            | TraceEvent::LateMessage { .. }
            | TraceEvent::BrotherReopened { .. } => {}
        }
    }

    /// The story as far as it was told.
    #[must_use]
    pub fn finish(mut self) -> Story {
        self.end_search();
        for (job, updates) in std::mem::take(&mut self.pending) {
            let ended = self.job(job).is_none_or(|job| job.end.is_some());
            let fate = if ended { Fate::Moot } else { Fate::UnderWay };
            updates.into_iter().for_each(|update| self.story.updates[update].fate = fate);
        }
        for &(update, worker_at) in &self.arrivals {
            let Update { worker, pushed, fate, .. } = &mut self.story.updates[update];
            if let Fate::Arrived { arrived, heard, .. } = fate {
                let offset = self.clocks.get(worker).copied().unwrap_or_default();
                *arrived = offset.translate(worker_at, *pushed, *heard);
            }
        }
        for (worker, offset) in &self.clocks {
            if let Some(told) = self.story.workers.get_mut(worker) {
                told.clock_uncertainty_ns = offset.uncertainty_ns();
            }
        }
        self.story
    }

    fn note_worker(&mut self, at: Moment, event: &TraceEvent) {
        match event {
            TraceEvent::WorkerJoined { worker, name, slots } => {
                self.lanes.join(*worker, *slots);
                self.present.insert(*worker, *slots);
                let told = WorkerStory {
                    name: name.clone(),
                    slots: *slots,
                    joined: at,
                    gone: None,
                    clock_uncertainty_ns: None,
                };
                self.story.workers.insert(*worker, told);
            }
            TraceEvent::WorkerGone { worker, departure, jobs } => {
                self.present.remove(worker);
                jobs.iter().for_each(|&job| self.end_job(at, job, JobEnd::Lost));
                self.lanes.leave(*worker);
                if let Some(told) = self.story.workers.get_mut(worker) {
                    told.gone = Some((at, *departure));
                }
            }
            _ => {}
        }
    }

    fn begin_search(&mut self, at: Moment, search: SearchId, setup: &Arc<Setup>) {
        self.end_search();
        let mut fold = Fold::new(search);
        for (&worker, &slots) in &self.present {
            let name = String::new();
            let event = TraceEvent::WorkerJoined { worker, name, slots };
            fold.note(&Traced { at, event });
        }
        self.fold = Some(fold);
        self.story.searches.push(SearchStory {
            search,
            setup: setup.clone(),
            started: at,
            ended: None,
            depths: Vec::new(),
            facts: Facts::nothing(),
        });
    }

    fn note_search(&mut self, at: Moment, event: &TraceEvent) {
        match event {
            TraceEvent::DepthBegun { depth, .. } => {
                if let Some(told) = self.story.searches.last_mut() {
                    told.depths.push((at, *depth));
                }
            }
            TraceEvent::SearchEnded { search, .. } => {
                if let Some(told) = self.story.searches.last_mut()
                    && told.search == *search
                {
                    told.ended = Some(at);
                }
            }
            TraceEvent::SearchSettled { .. } => self.end_search(),
            _ => {}
        }
    }

    fn end_search(&mut self) {
        let Some(fold) = self.fold.take() else { return };
        let Some(told) = self.story.searches.last_mut() else { return };
        told.facts = fold.finish();
        if told.ended.is_none() {
            told.facts.elapsed_ns = self.story.last.since(told.started);
        }
        if told.setup.policy == Policy::Sequential && told.facts.slots == 0 {
            // The plain program has no coordinator that would tell of its one thread.
            let Facts { outcome, elapsed_ns, tally, .. } = told.facts.clone();
            told.facts = Facts::sequential(outcome, elapsed_ns, tally);
        }
    }

    fn note_window(&mut self, at: Moment, event: &TraceEvent) {
        match event {
            TraceEvent::WindowPushed { job, worker, old, new, cause, raised_by } => {
                let place = self.story.updates.len();
                self.pending.entry(*job).or_default().push(place);
                self.story.updates.push(Update {
                    search: self.current(),
                    cause: *cause,
                    raised_by: raised_by.clone(),
                    old: *old,
                    new: *new,
                    job: *job,
                    worker: *worker,
                    pushed: at,
                    fate: Fate::UnderWay,
                });
                if let Some(told) = self.job_mut(*job) {
                    told.updates += 1;
                }
            }
            TraceEvent::WindowArrived { job, worker, window, effect, worker_at } => {
                self.note_arrival(at, *job, *worker, *window, *effect, *worker_at);
            }
            _ => {}
        }
    }

    fn note_arrival(
        &mut self,
        heard: Moment,
        job: JobId,
        worker: WorkerId,
        window: Window,
        effect: WindowEffect,
        worker_at: Moment,
    ) {
        let Some(pending) = self.pending.get_mut(&job) else { return };
        let updates = &mut self.story.updates;
        let Some(place) = pending.iter().position(|&update| updates[update].new == window) else {
            return;
        };
        for overtaken in pending.drain(..place) {
            updates[overtaken].fate = Fate::Overtaken;
        }
        let update = pending.remove(0);
        self.clocks.entry(worker).or_default().note(updates[update].pushed, worker_at, heard);
        updates[update].fate = Fate::Arrived { effect, arrived: heard, heard };
        self.arrivals.push((update, worker_at));
    }

    fn note_job(&mut self, at: Moment, event: &TraceEvent) {
        match event {
            TraceEvent::JobAssigned { job, worker, path, window, kind, spare, .. } => {
                let slot = self.lanes.assign(*worker, *job, *spare);
                self.begin_job(JobStory {
                    job: *job,
                    search: self.current(),
                    worker: *worker,
                    path: path.clone(),
                    window: *window,
                    kind: *kind,
                    continues: None,
                    assigned: at,
                    began: slot.map(|slot| (at, slot)),
                    end: None,
                    spent: Spent::default(),
                    updates: 0,
                });
            }
            TraceEvent::NodesAdopted {
                job,
                next,
                worker,
                path,
                window,
                kind,
                nodes,
                spent,
                ..
            } => {
                self.spend(*job, spent);
                let slot = self.job(*job).and_then(|job| job.began).map(|(_, slot)| slot);
                let end = JobEnd::HandedOver { next: *next, nodes: *nodes };
                if let Some(told) = self.job_mut(*job) {
                    told.end = Some((at, end));
                }
                self.lanes.rename(*worker, *job, *next);
                self.begin_job(JobStory {
                    job: *next,
                    search: self.current(),
                    worker: *worker,
                    path: path.clone(),
                    window: *window,
                    kind: *kind,
                    continues: Some(*job),
                    assigned: at,
                    began: slot.map(|slot| (at, slot)),
                    end: None,
                    spent: Spent::default(),
                    updates: 0,
                });
            }
            TraceEvent::JobCancelled { job, cause, .. } => {
                self.end_job(at, *job, JobEnd::Cancelled { cause: *cause });
            }
            TraceEvent::JobResolved { job, value, spent, .. } => {
                self.spend(*job, spent);
                self.end_job(at, *job, JobEnd::Resolved { value: *value });
            }
            TraceEvent::JobReturned { job, spent, .. } => {
                self.spend(*job, spent);
                self.end_job(at, *job, JobEnd::Returned);
            }
            TraceEvent::JobProgressed { job, spent } | TraceEvent::JobDiscarded { job, spent } => {
                self.spend(*job, spent);
            }
            _ => {}
        }
    }

    fn begin_job(&mut self, told: JobStory) {
        self.jobs.insert(told.job, self.story.jobs.len());
        self.story.jobs.push(told);
    }

    /// The job keeps its slot no longer.
    fn end_job(&mut self, at: Moment, job: JobId, end: JobEnd) {
        let Some(told) = self.job_mut(job) else { return };
        told.end = Some((at, end));
        let worker = told.worker;
        if let Some((promoted, slot)) = self.lanes.end(worker, job)
            && let Some(told) = self.job_mut(promoted)
        {
            told.began = Some((at, slot));
        }
    }

    fn spend(&mut self, job: JobId, spent: &Spent) {
        let known = self.jobs.contains_key(&job);
        let job = if known { job } else { self.wishes.get(&job).copied().unwrap_or(job) };
        if let Some(told) = self.job_mut(job) {
            told.spent += *spent;
        }
    }

    /// The place of the search that is going on.
    fn current(&self) -> usize {
        self.story.searches.len().saturating_sub(1)
    }

    fn job(&self, job: JobId) -> Option<&JobStory> {
        self.jobs.get(&job).map(|&place| &self.story.jobs[place])
    }

    fn job_mut(&mut self, job: JobId) -> Option<&mut JobStory> {
        self.jobs.get(&job).map(|&place| &mut self.story.jobs[place])
    }
}

impl SearchStory {
    /// How it ended, in a word.
    #[must_use]
    pub fn outcome(&self) -> &'static str {
        match (&self.facts.outcome, self.ended) {
            (_, None) => "goes on",
            (Outcome::Solved { .. }, _) => "solved",
            (Outcome::Aborted, _) => "aborted",
            (Outcome::Failed { .. }, _) => "failed",
        }
    }
}
