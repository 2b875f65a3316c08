//! The coordinator's half: [`Coordinator`] owns the split tree and decides who searches what.
//!
//! One search is active at a time; others queue. While it is active, [`Coordinator::feed`] is
//! where scheduling happens: brothers that may leave go to idle slots first, then one spare job per slot
//! hides the latency of the next assignment, and if slots are still idle, running jobs are asked to
//! split. Everything that a result means for other jobs happens in [`SplitTree::settle`].

mod circle;
mod fleet;
mod interface;
mod odds;
mod offer;
mod pace;
mod search;
mod sharing;
mod tree;

pub use interface::{CoordinatorInput, CoordinatorOutput, Progress, Request};

use crate::{
    Assignment, Departure, FromWorker, JobId, Moment, Outcome, SearchId, Spent, ToWorker,
    TraceEvent, Traced, Wish, WorkerId,
};
use fleet::Fleet;
use game::{Handover, Move, Question, Value, Window};
use search::{End, Job, Search, Timing};
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use std::time::Duration;
use tree::{BrotherAt, Divisible, Effect, Guess, Ready, SplitTree};

/// Jobs that wait at a worker for each of its slots.
const SPARES_PER_SLOT: usize = 1;
/// As long as some job could be asked to split that is so many times as needed as a brother that waits, the
/// brother waits on.
const SPECULATION: f64 = 8.0;
/// How often it is told, at most, how the active search stands.
const STANDING_INTERVAL: Duration = Duration::from_millis(1);
/// How long an ended search waits for the last accounts of its jobs.
const SETTLE_TIME: Duration = Duration::from_secs(3);

/// The job whose result or offer something follows from, and who had it.
#[derive(Clone, Copy, Debug)]
struct Cause {
    job: JobId,
    worker: WorkerId,
}

/// The coordinator machine.
#[derive(Debug)]
pub struct Coordinator {
    fleet: Fleet,
    queue: VecDeque<Request>,
    active: Option<Search>,
    /// Unwanted jobs that have not been accounted for yet.
    cancelled: BTreeMap<JobId, WorkerId>,
    next_job: u64,
    /// When it may be told again how the search stands.
    standing_due: Moment,
    now: Moment,
    outputs: VecDeque<CoordinatorOutput>,
}

impl Default for Coordinator {
    fn default() -> Coordinator {
        Coordinator::new()
    }
}

impl Coordinator {
    /// A coordinator without workers or searches.
    #[must_use]
    pub fn new() -> Coordinator {
        Coordinator {
            fleet: Fleet::new(SPARES_PER_SLOT),
            queue: VecDeque::new(),
            active: None,
            cancelled: BTreeMap::new(),
            next_job: 1,
            standing_due: Moment::default(),
            now: Moment::default(),
            outputs: VecDeque::new(),
        }
    }

    /// Takes in what happened at `now`.
    ///
    /// # Panics
    /// If the outputs of the last call were not drained.
    pub fn handle(&mut self, now: Moment, input: CoordinatorInput) {
        assert!(self.outputs.is_empty(), "drain the outputs before the next input");
        self.now = self.now.max(now);
        match input {
            CoordinatorInput::Joined { worker, name, slots, address } => {
                self.joined(worker, &name, slots, address);
            }
            CoordinatorInput::Received { worker, message } => self.received(worker, message),
            CoordinatorInput::Departed { worker, departure } => self.departed(worker, departure),
            CoordinatorInput::Submitted(request) => self.queue.push_back(request),
            CoordinatorInput::Aborted(search) => self.aborted(search),
            CoordinatorInput::Woken => {}
        }
        self.finish_settled();
        self.start_next();
        self.feed();
        self.tell_standing();
    }

    /// The next thing to be done, if any.
    pub fn poll_output(&mut self) -> Option<CoordinatorOutput> {
        self.outputs.pop_front()
    }

    /// When to send [`CoordinatorInput::Woken`] at the latest, and what for.
    #[must_use]
    pub fn poll_timeout(&self) -> Option<(Moment, &'static str)> {
        let end = self.active.as_ref()?.end.as_ref()?;
        Some((end.deadline, "the last accounts of an ended search are due"))
    }

    /// How the active search stands, if there is one.
    #[must_use]
    pub fn progress(&self) -> Option<Progress> {
        let search = self.active.as_ref()?;
        Some(Progress {
            search: search.id,
            depth: search.depth,
            tally: search.tally,
            slots: self.fleet.slots(),
            idle_slots: self.fleet.idle_slots(),
            jobs: search.jobs.len(),
            waiting: search.tree.waiting(),
            line: search.tree.line().to_vec(),
        })
    }

    fn joined(&mut self, worker: WorkerId, name: &str, slots: u16, address: Option<Arc<str>>) {
        assert!(slots > 0, "a worker needs a slot");
        self.fleet.join(worker, slots, address);
        self.trace(TraceEvent::WorkerJoined { worker, name: name.to_string(), slots });
    }

    fn received(&mut self, worker: WorkerId, message: FromWorker) {
        if !self.fleet.contains(worker) {
            return;
        }
        match message {
            FromWorker::Result { job, value, line, spent } => {
                self.account(spent);
                self.resulted(worker, job, value, &line, spent);
            }
            FromWorker::Offer { job, next, nodes, spent } => {
                self.account(spent);
                self.offered(worker, job, next, nodes, spent);
            }
            FromWorker::Stopped { job, spent } => {
                self.account(spent);
                self.discarded(worker, job, spent);
            }
            FromWorker::Progress { job, spent } => {
                self.account(spent);
                if self.owns(worker, job) {
                    if let Some(search) = &mut self.active {
                        search.spend(job, spent.busy_ns);
                    }
                    self.trace(TraceEvent::JobProgressed { job, spent });
                } else {
                    self.trace(TraceEvent::JobDiscarded { job, spent });
                }
            }
            FromWorker::Narrowed { job, window, effect, at } => {
                self.trace(TraceEvent::WindowArrived {
                    job,
                    worker,
                    window,
                    effect,
                    worker_at: at,
                });
            }
            FromWorker::Returned { job, spent } => {
                self.account(spent);
                self.returned(worker, job, spent);
            }
            FromWorker::Leaving => self.fleet.retire(worker),
            FromWorker::Unfit { search, reason } => self.unfit(worker, search, reason),
        }
    }

    fn account(&mut self, spent: Spent) {
        if let Some(search) = &mut self.active {
            search.tally += spent.tally;
        }
    }

    /// Whether the job is wanted and this worker's.
    fn owns(&self, worker: WorkerId, job: JobId) -> bool {
        let search = self.active.as_ref();
        search.and_then(|search| search.jobs.get(&job)).is_some_and(|job| job.worker == worker)
    }

    fn resulted(
        &mut self,
        worker: WorkerId,
        job: JobId,
        value: Value,
        line: &[Move],
        spent: Spent,
    ) {
        if !self.owns(worker, job) {
            return self.discarded(worker, job, spent);
        }
        if let Some(search) = &mut self.active {
            search.spend(job, spent.busy_ns);
            search.time(job, self.now);
        }
        let Some(at) = self.release(job) else { return };
        self.trace(TraceEvent::JobResolved { job, worker, value, spent });
        let Some(search) = &mut self.active else {
            return;
        };
        if !search.tree.learn(at, value, line) {
            self.trace(TraceEvent::BrotherReopened { job });
        }
        self.settle(Some(Cause { job, worker }));
    }

    fn offered(
        &mut self,
        worker: WorkerId,
        job: JobId,
        next: JobId,
        nodes: Vec<Handover>,
        spent: Spent,
    ) {
        if !self.owns(worker, job) {
            self.offered_in_vain(worker, job, next, spent);
            return;
        }
        let Some(search) = &mut self.active else {
            return;
        };
        let Some(old) = search.jobs.get(&job) else {
            return;
        };
        if let Err(wrong) = offer::check(&nodes, next, old.wish, old.ply, search.tree.depth(old.at))
        {
            return self.send_away(worker, format!("offer for job {job}: {wrong}"));
        }
        let Some(old) = search.jobs.remove(&job) else {
            return;
        };
        search.wishes -= 1;
        let (adopted, ply) = (nodes.len(), old.ply + nodes.len());
        let waiting = nodes.iter().map(offer::waiting).sum();
        let (at, Question { window, kind }) = search.tree.adopt(old.at, nodes, next);
        let remaining = search.tree.remaining_below(at.node);
        let rest = Job { worker, at, remaining, kind, ply, spare: false, wish: None, timing: None };
        search.admit(next, rest);
        self.fleet.rename(worker, job, next);
        let nodes = u32::try_from(adopted).unwrap_or(u32::MAX);
        let search = self.active.as_ref().expect("it was active just now");
        let path = search.tree.path(at);
        self.trace(TraceEvent::NodesAdopted {
            job,
            next,
            worker,
            path,
            window,
            kind,
            nodes,
            waiting,
            spent,
        });
        self.settle(Some(Cause { job, worker }));
    }

    /// An offer for a job that is not wanted any more: its rest is not wanted either.
    fn offered_in_vain(&mut self, worker: WorkerId, job: JobId, next: JobId, spent: Spent) {
        if self.cancelled.get(&job) == Some(&worker) {
            self.cancelled.remove(&job);
            self.trace(TraceEvent::JobDiscarded { job, spent });
            self.cancelled.insert(next, worker);
            self.send(worker, ToWorker::Cancel { job: next });
        } else {
            self.trace(TraceEvent::LateMessage { worker, job });
        }
    }

    /// A job that is not wanted has ended.
    fn discarded(&mut self, worker: WorkerId, job: JobId, spent: Spent) {
        if self.cancelled.get(&job) == Some(&worker) {
            self.cancelled.remove(&job);
            self.trace(TraceEvent::JobDiscarded { job, spent });
        } else if self.owns(worker, job) {
            self.send_away(worker, format!("job {job} was stopped, but nobody cancelled it"));
        } else {
            self.trace(TraceEvent::LateMessage { worker, job });
        }
    }

    fn returned(&mut self, worker: WorkerId, job: JobId, spent: Spent) {
        if !self.owns(worker, job) {
            return self.discarded(worker, job, spent);
        }
        let Some(at) = self.release(job) else { return };
        self.trace(TraceEvent::JobReturned { job, worker, spent });
        if let Some(search) = &mut self.active {
            search.tree.vacate(at);
        }
        self.settle(None);
    }

    fn unfit(&mut self, worker: WorkerId, search: SearchId, reason: String) {
        let others = self.fleet.exclude(worker, search);
        if !others && self.active.as_ref().is_some_and(|s| s.id == search && s.end.is_none()) {
            self.end(Outcome::Failed { reason });
        }
    }

    fn departed(&mut self, worker: WorkerId, departure: Departure) {
        if !self.fleet.contains(worker) {
            return;
        }
        self.part_from(worker);
        self.fleet.remove(worker);
        self.cancelled.retain(|_, &mut at| at != worker);
        let mut lost = Vec::new();
        if let Some(search) = &mut self.active {
            lost.extend(search.jobs.iter().filter(|(_, j)| j.worker == worker).map(|(&id, _)| id));
            for &job in &lost {
                if let Some(at) = search.remove(job) {
                    search.tree.vacate(at);
                }
            }
        }
        self.trace(TraceEvent::WorkerGone { worker, departure, jobs: lost });
        self.settle(None);
    }

    fn send_away(&mut self, worker: WorkerId, reason: String) {
        self.outputs.push_back(CoordinatorOutput::Disconnect { worker, reason });
        self.departed(worker, Departure::SentAway);
    }

    fn aborted(&mut self, search: SearchId) {
        if let Some(place) = self.queue.iter().position(|request| request.search == search) {
            self.queue.remove(place);
            let outcome = Outcome::Aborted;
            self.outputs.push_back(CoordinatorOutput::Answer { search, outcome });
        } else if self.active.as_ref().is_some_and(|s| s.id == search && s.end.is_none()) {
            self.end(Outcome::Aborted);
        }
    }

    /// The job is over, for good or for ill. Returns the brother it was searching.
    fn release(&mut self, job: JobId) -> Option<BrotherAt> {
        let search = self.active.as_mut()?;
        let worker = search.jobs.get(&job)?.worker;
        let at = search.remove(job);
        if let Some(promoted) = self.fleet.release(worker, job) {
            search.promote(promoted);
        }
        at
    }

    /// Works off what changed in the tree, for the sake of the `cause`.
    fn settle(&mut self, cause: Option<Cause>) {
        let Some(search) = self.active.as_mut().filter(|search| search.end.is_none()) else {
            return;
        };
        let mut effects = Vec::new();
        let resolved = search.tree.settle(&mut effects);
        let mut findings = Vec::new();
        for effect in effects {
            if let Effect::Resolved { finding: Some(finding), .. } = &effect {
                findings.push(*finding);
            }
            self.carry_out(effect, cause.map(|cause| cause.job));
        }
        if let Some(Cause { worker, .. }) = cause {
            self.pass_on(worker, findings);
        }
        if let Some((value, line)) = resolved {
            self.root_resolved(value, line);
        }
    }

    fn carry_out(&mut self, effect: Effect, cause: Option<JobId>) {
        match effect {
            Effect::Cancel(job) => self.cancel(job, cause),
            Effect::Narrow { job, old, new, raised_by } => {
                self.narrow(job, old, new, raised_by, cause);
            }
            Effect::Resolved { path, value, .. } => {
                self.trace(TraceEvent::NodeResolved { path, value });
            }
        }
    }

    fn cancel(&mut self, job: JobId, cause: Option<JobId>) {
        let search = self.active.as_ref().expect("only an active search has jobs");
        let worker = search.jobs.get(&job).expect("the tree knows only jobs that exist").worker;
        self.release(job);
        self.cancelled.insert(job, worker);
        self.trace(TraceEvent::JobCancelled { job, worker, cause });
        self.send(worker, ToWorker::Cancel { job });
    }

    fn narrow(
        &mut self,
        job: JobId,
        old: Window,
        new: Window,
        raised_by: Option<Vec<Move>>,
        cause: Option<JobId>,
    ) {
        let search = self.active.as_ref().expect("only an active search has jobs");
        if !search.setup.narrowing {
            return;
        }
        let worker = search.jobs.get(&job).expect("the tree knows only jobs that exist").worker;
        let cause = cause.unwrap_or(job);
        self.trace(TraceEvent::WindowPushed { job, worker, old, new, cause, raised_by });
        self.send(worker, ToWorker::Narrow { job, window: new });
    }

    fn root_resolved(&mut self, value: Value, line: Vec<Move>) {
        let search = self.active.as_mut().expect("only an active search has a root");
        let Some(deeper) = search.setup.iterations().find(|&depth| depth > search.depth) else {
            return self.end(Outcome::Solved { value, line });
        };
        search.depth = deeper;
        let guess = Guess::new(value, search.guess);
        search.guess = Some(guess);
        search.tree = SplitTree::new(&search.setup, deeper, Some(guess));
        search.hint = line;
        let id = search.id;
        self.trace(TraceEvent::DepthBegun { search: id, depth: deeper });
    }

    /// Ends the active search; its jobs are cancelled, and their accounts awaited.
    fn end(&mut self, outcome: Outcome) {
        let Some(search) = &mut self.active else {
            return;
        };
        let id = search.id;
        search.end = Some(End { outcome: outcome.clone(), deadline: self.now.after(SETTLE_TIME) });
        let mut effects = Vec::new();
        search.tree.cancel_all(&mut effects);
        for effect in effects {
            self.carry_out(effect, None);
        }
        self.trace(TraceEvent::SearchEnded { search: id, outcome });
    }

    /// Answers the client when an ended search is accounted for, or its time is up.
    fn finish_settled(&mut self) {
        let settled = self.cancelled.is_empty();
        let now = self.now;
        let due = |search: &mut Search| {
            search.end.as_ref().is_some_and(|end| settled || now >= end.deadline)
        };
        let Some(Search { id, end: Some(End { outcome, .. }), tally, .. }) =
            self.active.take_if(due)
        else {
            return;
        };
        self.cancelled.clear();
        for worker in self.fleet.prepared(id) {
            self.send(worker, ToWorker::Forget { search: id });
        }
        self.trace(TraceEvent::SearchSettled { search: id, tally });
        self.outputs.push_back(CoordinatorOutput::Answer { search: id, outcome });
    }

    fn start_next(&mut self) {
        if self.active.is_some() {
            return;
        }
        let Some(Request { search, setup, processors }) = self.queue.pop_front() else {
            return;
        };
        self.fleet.limit(processors);
        let started = Search::new(search, setup);
        let (setup, depth) = (started.setup.clone(), started.depth);
        self.active = Some(started);
        self.trace(TraceEvent::SearchStarted { search, setup, processors });
        self.trace(TraceEvent::DepthBegun { search, depth });
    }

    /// Gives work to slots that lack it.
    fn feed(&mut self) {
        if self.active.as_ref().is_none_or(|search| search.end.is_some()) {
            return;
        }
        while let Some(worker) = self.fleet.idlest()
            && let Some(ready) = self.next_ready()
            && !self.wishes_instead(ready.need)
        {
            self.assign(worker, ready.at);
        }
        while let Some(worker) = self.fleet.roomiest()
            && let Some(ready) = self.next_ready().filter(Ready::is_certain)
        {
            self.assign(worker, ready.at);
        }
        while self.wishes_for_split(0.0) {}
        if let Some(search) = &mut self.active {
            search.tree.refresh();
        }
    }

    fn next_ready(&mut self) -> Option<Ready> {
        self.active.as_mut()?.tree.next_ready()
    }

    /// Wishes for splits of jobs that are much more needed than a brother that waits. Returns whether that
    /// provides for all idle slots.
    fn wishes_instead(&mut self, need: f64) -> bool {
        while self.wishes_for_split(need * SPECULATION) {}
        self.active.as_ref().is_some_and(|search| search.wishes >= self.fleet.idle_slots())
    }

    fn assign(&mut self, worker: WorkerId, at: BrotherAt) {
        let job = self.new_job();
        let search = self.active.as_mut().expect("only an active search has brothers");
        let remaining = search.tree.remaining_below(at.node);
        let mut subtree = search.tree.subtree(at);
        subtree.hint = search.hint_below(&subtree.path);
        let Question { window, kind } = subtree.question;
        search.tree.run(at, job, subtree.question);
        let (id, setup) = (search.id, search.setup.clone());
        let spare = self.fleet.assign(worker, job);
        let ply = subtree.path.len();
        let timing = Some(Timing { sent: (!spare).then_some(self.now), busy_ns: 0 });
        search.admit(job, Job { worker, at, remaining, kind, ply, spare, wish: None, timing });
        if self.fleet.prepare(worker, id) {
            self.send(worker, ToWorker::Prepare { search: id, setup });
            self.introduce(worker);
        }
        let path = subtree.path.clone();
        self.trace(TraceEvent::JobAssigned { job, worker, path, window, kind, remaining, spare });
        self.send(worker, ToWorker::Assign(Assignment { job, search: id, subtree }));
    }

    /// Asks a running job that is more needed than that to split, if there is one and fewer wishes are open
    /// than slots are idle.
    fn wishes_for_split(&mut self, need: f64) -> bool {
        let Some(search) = &mut self.active else { return false };
        if search.wishes >= self.fleet.idle_slots() {
            return false;
        }
        let grain = search.grain(self.fleet.busy_share());
        let wanted = |job: &Divisible| job.need > need && job.remaining >= grain;
        let Some(divisible) = search.tree.next_divisible().filter(wanted) else {
            return false;
        };
        search.wishes += 1;
        let (job, next) = (divisible.job, JobId(self.next_job));
        self.next_job += 1;
        let wished = search.jobs.get_mut(&job).expect("the tree knows only jobs that exist");
        wished.wish = Some(next);
        let (worker, at) = (wished.worker, wished.at);
        search.tree.set_divisible(at, job, false);
        self.trace(TraceEvent::SplitWished { job, next });
        self.send(worker, ToWorker::Split { job, wish: Wish { next, grain } });
        true
    }

    fn tell_standing(&mut self) {
        let Some(Search { tree, jobs, end: None, .. }) = &self.active else { return };
        if self.outputs.is_empty() || self.now < self.standing_due {
            return;
        }
        let number = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
        let (slots, idle_slots) = (number(self.fleet.slots()), number(self.fleet.idle_slots()));
        let (jobs, waiting) = (number(jobs.len()), number(tree.waiting()));
        self.trace(TraceEvent::Standing { slots, idle_slots, jobs, waiting });
        self.standing_due = self.now.after(STANDING_INTERVAL);
    }

    fn new_job(&mut self) -> JobId {
        let job = JobId(self.next_job);
        self.next_job += 1;
        job
    }

    fn send(&mut self, worker: WorkerId, message: ToWorker) {
        self.outputs.push_back(CoordinatorOutput::Send { worker, message });
    }

    fn trace(&mut self, event: TraceEvent) {
        self.outputs.push_back(CoordinatorOutput::Trace(Traced { at: self.now, event }));
    }
}
