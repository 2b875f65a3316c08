//! A coordinator as it is now: [`Live`], folded from its events with bounded memory, and the
//! [`Snapshot`] that people and programs are shown.

mod ledger;
mod rates;
mod snapshot;
#[cfg(test)]
mod tests;
mod tree;
mod updates;

pub use ledger::Ledger;
pub use snapshot::{
    FinishedSearch, JobNow, RateNow, SNAPSHOT_VERSION, SearchNow, Snapshot, UpdateNow, WorkerNow,
};
pub use tree::{NodeNow, NodeState};

use crate::trace::{Spell, Speller, problem_of};
use crate::{Baseline, Cost, Facts, Terms};
use game::{Depth, Move, NodeKind, Policy, Setup, Window};
use rates::Rates;
use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::Arc;
use tree::LiveTree;
use updates::Updates;
use ybw::{JobId, Moment, Outcome, SearchId, Spent, TraceEvent, Traced, WorkerId};

/// Finished searches that are remembered.
const MAX_FINISHED: usize = 50;
/// Running jobs that are shown.
const MAX_JOBS: usize = 256;

/// What is going on at a coordinator.
pub struct Live {
    ledger: Ledger,
    now: Moment,
    workers: BTreeMap<WorkerId, Member>,
    jobs: HashMap<JobId, Running>,
    search: Option<Search>,
    standing: Standing,
    /// When it was told, and the busy slots times nanoseconds of the search until then.
    stood: Moment,
    busy_slot_ns: u64,
    rates: Rates,
    updates: Updates,
    tree: LiveTree,
    finished: VecDeque<FinishedSearch>,
    /// The latest sequential searches: what was searched, and what it took.
    baselines: VecDeque<(Setup, Baseline)>,
    speller: Speller,
    /// Spells the moves of the last search.
    spell: Option<Spell>,
}

struct Member {
    name: String,
    slots: u16,
    jobs: u32,
    ended: u64,
    nodes: u64,
}

struct Running {
    worker: WorkerId,
    path: Vec<Move>,
    window: Window,
    kind: NodeKind,
    assigned: Moment,
    nodes: u64,
}

struct Search {
    search: SearchId,
    setup: Arc<Setup>,
    started: Moment,
    depth: Option<Depth>,
}

/// What the last [`TraceEvent::Standing`] said.
#[derive(Clone, Copy, Default)]
struct Standing {
    slots: u32,
    idle_slots: u32,
    jobs: u32,
    waiting: u32,
}

impl Standing {
    fn busy(self) -> u32 {
        self.slots.saturating_sub(self.idle_slots)
    }
}

impl Live {
    /// A coordinator at its start. Moves are spelled by `speller`.
    #[must_use]
    pub fn new(speller: Speller) -> Live {
        Live {
            ledger: Ledger::default(),
            now: Moment::default(),
            workers: BTreeMap::new(),
            jobs: HashMap::new(),
            search: None,
            standing: Standing::default(),
            stood: Moment::default(),
            busy_slot_ns: 0,
            rates: Rates::default(),
            updates: Updates::default(),
            tree: LiveTree::default(),
            finished: VecDeque::new(),
            baselines: VecDeque::new(),
            speller,
            spell: None,
        }
    }

    /// The time of the last event.
    #[must_use]
    pub fn last(&self) -> Moment {
        self.now
    }

    /// The workers that are there, and their slots.
    #[must_use]
    pub fn slots(&self) -> (u64, u64) {
        let slots = self.workers.values().map(|member| u64::from(member.slots)).sum();
        (self.workers.len() as u64, slots)
    }

    /// Busy slots, jobs at workers and brothers that wait, of the search that goes on.
    #[must_use]
    pub fn standing(&self) -> (u64, u64, u64) {
        let Standing { jobs, waiting, .. } = self.standing;
        (u64::from(self.standing.busy()), u64::from(jobs), u64::from(waiting))
    }

    /// Whether a search goes on.
    #[must_use]
    pub fn is_searching(&self) -> bool {
        self.search.is_some()
    }

    /// What was counted since the coordinator's start.
    #[must_use]
    pub fn ledger(&self) -> &Ledger {
        &self.ledger
    }

    /// Takes in the next event.
    pub fn note(&mut self, traced: &Traced) {
        let Traced { at, event } = traced;
        self.now = self.now.max(*at);
        self.ledger.note(traced);
        self.updates.note(traced);
        match event {
            TraceEvent::WorkerJoined { worker, name, slots } => {
                let (name, slots) = (name.clone(), *slots);
                self.workers.insert(*worker, Member { name, slots, jobs: 0, ended: 0, nodes: 0 });
            }
            TraceEvent::WorkerGone { worker, jobs, .. } => {
                jobs.iter().for_each(|&job| self.end_job(job, None));
                self.workers.remove(worker);
            }
            TraceEvent::SearchStarted { search, setup, .. } => self.begin(*at, *search, setup),
            TraceEvent::DepthBegun { depth, .. } => {
                self.tree.clear();
                if let Some(search) = &mut self.search {
                    search.depth = Some(*depth);
                }
            }
            TraceEvent::Standing { slots, idle_slots, jobs, waiting } => {
                let (slots, idle_slots, jobs, waiting) = (*slots, *idle_slots, *jobs, *waiting);
                self.busy_slot_ns = self.busy_until(*at);
                self.stood = *at;
                self.standing = Standing { slots, idle_slots, jobs, waiting };
                self.sample(*at);
            }
            TraceEvent::SearchEnded { outcome, .. } => self.end(*at, outcome),
            TraceEvent::NodeResolved { path, value } => self.tree.resolve(path, *value),
            TraceEvent::JobAssigned { .. }
            | TraceEvent::NodesAdopted { .. }
            | TraceEvent::JobCancelled { .. }
            | TraceEvent::JobResolved { .. }
            | TraceEvent::JobProgressed { .. }
            | TraceEvent::JobReturned { .. }
            | TraceEvent::JobDiscarded { .. } => self.note_job(*at, event),
            TraceEvent::SplitWished { .. }
            | TraceEvent::WindowPushed { .. }
            | TraceEvent::WindowArrived { .. }
            | TraceEvent::LateMessage { .. }
            | TraceEvent::BrotherReopened { .. }
            | TraceEvent::SearchSettled { .. } => {}
        }
    }

    fn begin(&mut self, at: Moment, search: SearchId, setup: &Arc<Setup>) {
        if let Some(spell) = &self.spell {
            self.updates.spell(spell);
        }
        self.spell = Some((self.speller)(setup));
        self.tree.clear();
        self.jobs.clear();
        self.rates.clear(at, self.ledger.nodes());
        (self.standing, self.stood, self.busy_slot_ns) = (Standing::default(), at, 0);
        self.search = Some(Search { search, setup: setup.clone(), started: at, depth: None });
    }

    fn end(&mut self, at: Moment, outcome: &Outcome) {
        let Some(search) = self.search.take() else { return };
        let facts = self.ledger.current();
        let (outcome, value, line) = match outcome {
            Outcome::Solved { value, line } => {
                ("solved", Some(value.to_string()), self.spelt(line))
            }
            Outcome::Aborted => ("aborted", None, String::new()),
            Outcome::Failed { reason } => ("failed", None, reason.clone()),
        };
        let passed = at.since(search.started);
        let terms = self.compare(&search.setup, outcome == "solved", &facts, passed);
        self.finished.push_front(FinishedSearch {
            search: search.search,
            game: search.setup.game.clone(),
            position: search.setup.position.clone(),
            outcome: outcome.to_string(),
            value,
            line,
            seconds: crate::facts::seconds(passed),
            nodes: facts.nodes(),
            slots: facts.slots,
            busy_seconds: facts.busy_seconds(),
            discarded_nodes: facts.discarded_nodes,
            windows_pushed: facts.windows_pushed,
            windows_cut: facts.windows_cut,
            terms,
        });
        self.finished.truncate(MAX_FINISHED);
        self.jobs.clear();
        self.standing = Standing::default();
        for member in self.workers.values_mut() {
            member.jobs = 0;
        }
    }

    /// The terms of a search, if the same problem was searched sequentially before; a sequential
    /// one is remembered for the next.
    fn compare(&mut self, setup: &Setup, solved: bool, facts: &Facts, ns: u64) -> Option<Terms> {
        if !solved {
            return None;
        }
        let (problem, seconds) = (problem_of(setup), crate::facts::seconds(ns));
        if setup.policy == Policy::Sequential {
            self.baselines.push_front((problem, Baseline { seconds, nodes: facts.nodes() }));
            self.baselines.truncate(MAX_FINISHED);
            return None;
        }
        let (_, baseline) = self.baselines.iter().find(|(known, _)| *known == problem)?;
        let cost = Cost {
            processors: facts.slots,
            seconds,
            nodes: facts.nodes(),
            busy_seconds: facts.busy_seconds(),
        };
        Terms::new(baseline, &cost)
    }

    fn note_job(&mut self, at: Moment, event: &TraceEvent) {
        match event {
            TraceEvent::JobAssigned { job, worker, path, window, kind, .. } => {
                self.tree.run(path, *kind);
                self.begin_job(at, *job, *worker, path.clone(), *window, *kind);
            }
            TraceEvent::NodesAdopted { job, next, worker, path, window, kind, spent, .. } => {
                self.spend(*job, *worker, spent);
                self.end_job(*job, None);
                self.tree.open(path, *kind);
                self.begin_job(at, *next, *worker, path.clone(), *window, *kind);
            }
            TraceEvent::JobCancelled { job, .. } => self.end_job(*job, Some(NodeState::Cancelled)),
            TraceEvent::JobResolved { job, worker, spent, value } => {
                self.spend(*job, *worker, spent);
                if let Some(running) = self.jobs.get(job) {
                    self.tree.resolve(&running.path, *value);
                }
                self.end_job(*job, None);
            }
            TraceEvent::JobReturned { job, worker, spent } => {
                self.spend(*job, *worker, spent);
                self.end_job(*job, Some(NodeState::Waiting));
            }
            TraceEvent::JobProgressed { job, spent } => {
                let worker = self.jobs.get(job).map(|running| running.worker);
                worker.into_iter().for_each(|worker| self.spend(*job, worker, spent));
            }
            _ => {}
        }
        self.sample(at);
    }

    fn begin_job(
        &mut self,
        assigned: Moment,
        job: JobId,
        worker: WorkerId,
        path: Vec<Move>,
        window: Window,
        kind: NodeKind,
    ) {
        self.jobs.insert(job, Running { worker, path, window, kind, assigned, nodes: 0 });
        if let Some(member) = self.workers.get_mut(&worker) {
            member.jobs += 1;
        }
    }

    /// The job runs no longer; its node is in that state then, if it was not resolved.
    fn end_job(&mut self, job: JobId, state: Option<NodeState>) {
        let Some(running) = self.jobs.remove(&job) else { return };
        if let Some(state) = state {
            self.tree.leave(&running.path, state);
        }
        if let Some(member) = self.workers.get_mut(&running.worker) {
            member.jobs = member.jobs.saturating_sub(1);
            member.ended += 1;
        }
    }

    fn spend(&mut self, job: JobId, worker: WorkerId, spent: &Spent) {
        let nodes = spent.tally.nodes + spent.tally.quiescence;
        if let Some(running) = self.jobs.get_mut(&job) {
            running.nodes += nodes;
            self.tree.spend(&running.path, nodes);
        }
        if let Some(member) = self.workers.get_mut(&worker) {
            member.nodes += nodes;
        }
    }

    /// The share of the slots' time in which they had jobs, `passed` nanoseconds after the start.
    #[expect(clippy::cast_precision_loss, reason = "2^53 ns are 104 days")]
    fn load(&self, passed: u64, now: Moment) -> Option<f64> {
        let time = u64::from(self.standing.slots) as f64 * passed as f64;
        (time > 0.0).then(|| (self.busy_until(now) as f64 / time).min(1.0))
    }

    fn spelt(&self, path: &[Move]) -> String {
        self.spell.as_ref().map_or_else(String::new, |spell| spell(path))
    }

    /// Busy slots times nanoseconds of the search until then.
    fn busy_until(&self, at: Moment) -> u64 {
        self.busy_slot_ns + u64::from(self.standing.busy()) * at.since(self.stood)
    }

    fn sample(&mut self, at: Moment) {
        self.rates.note(at, self.ledger.nodes(), self.standing.busy());
    }

    /// How everything is `now`, which is the time of the last event at the earliest.
    #[must_use]
    pub fn snapshot(&self, now: Moment) -> Snapshot {
        let now = self.now.max(now);
        let spell = |path: &[Move]| self.spelt(path);
        let facts = self.ledger.current();
        let Standing { slots, jobs, waiting, .. } = self.standing;
        let search = self.search.as_ref().map(|search| SearchNow {
            search: search.search,
            game: search.setup.game.clone(),
            position: search.setup.position.clone(),
            depth: search.depth.map(|depth| depth.to_string()),
            seconds: crate::facts::seconds(now.since(search.started)),
            nodes: facts.nodes(),
            nodes_per_second: self.rates.nodes_per_second(),
            slots,
            busy_slots: self.standing.busy(),
            load: self.load(now.since(search.started), now),
            jobs,
            waiting_brothers: waiting,
            windows_pushed: facts.windows_pushed,
            windows_applied: facts.windows_applied,
            windows_cut: facts.windows_cut,
            discarded_nodes: facts.discarded_nodes,
        });
        let workers = self.workers.iter().map(|(&worker, member)| WorkerNow {
            worker,
            name: member.name.clone(),
            slots: member.slots,
            jobs: member.jobs,
            ended_jobs: member.ended,
            nodes: member.nodes,
        });
        let mut running: Vec<(&JobId, &Running)> = self.jobs.iter().collect();
        running.sort_by_key(|(job, _)| **job);
        let running = running.into_iter().take(MAX_JOBS).map(|(&job, running)| JobNow {
            job,
            worker: running.worker,
            path: spell(&running.path),
            window: running.window.to_string(),
            kind: running.kind,
            seconds: crate::facts::seconds(now.since(running.assigned)),
            nodes: running.nodes,
        });
        Snapshot {
            version: SNAPSHOT_VERSION,
            at_seconds: crate::facts::seconds(now.0),
            search,
            workers: workers.collect(),
            jobs: running.collect(),
            updates: self.updates.latest(&spell),
            updates_pushed: self.ledger.total(|facts| facts.windows_pushed),
            tree: self.tree.nodes(&spell),
            rates: self.rates.history(),
            finished: self.finished.iter().cloned().collect(),
        }
    }
}

impl std::fmt::Debug for Live {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Live").field("now", &self.now).finish_non_exhaustive()
    }
}
