//! From trace events to [`Facts`]: [`Fold`].

use crate::Facts;
use game::Window;
use std::collections::BTreeMap;
use ybw::{JobId, Moment, SearchId, Spent, TraceEvent, Traced, WindowEffect, WorkerId};

/// Folds the trace of one coordinator into the facts of one search.
///
/// It is told every event from before the search until [`TraceEvent::SearchSettled`]. One search
/// is active at a time, so every job event in between belongs to it.
#[derive(Clone, Debug)]
pub struct Fold {
    search: SearchId,
    /// Slots of the workers seen to join, and [`Fold::with_slots`] under no worker's name.
    present: BTreeMap<Option<WorkerId>, u32>,
    processors: u32,
    started: Moment,
    ended: Moment,
    stage: Stage,
    /// Positions reported by jobs that still run.
    progress: BTreeMap<JobId, u64>,
    /// Windows pushed to jobs that still run, and not known to be applied.
    pushed: BTreeMap<JobId, Vec<(Window, Moment)>>,
    facts: Facts,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Stage {
    Queued,
    Running,
    Ended,
    Settled,
}

impl Fold {
    /// A fold that waits for `search` to start.
    #[must_use]
    pub fn new(search: SearchId) -> Fold {
        Fold {
            search,
            present: BTreeMap::new(),
            processors: 0,
            started: Moment::default(),
            ended: Moment::default(),
            stage: Stage::Queued,
            progress: BTreeMap::new(),
            pushed: BTreeMap::new(),
            facts: Facts::nothing(),
        }
    }

    /// Counts `slots` that were there before the first event this fold is told.
    #[must_use]
    pub fn with_slots(mut self, slots: u32) -> Fold {
        self.present.insert(None, slots);
        self
    }

    /// Takes in the next event.
    pub fn note(&mut self, traced: &Traced) {
        let Traced { at, event } = traced;
        match event {
            TraceEvent::WorkerJoined { worker, slots, .. } => {
                self.present.insert(Some(*worker), u32::from(*slots));
                self.count_slots();
            }
            TraceEvent::WorkerGone { worker, .. } => {
                self.present.remove(&Some(*worker));
                if self.stage == Stage::Running {
                    self.facts.workers_lost += 1;
                }
            }
            TraceEvent::SearchStarted { search, processors, .. } if *search == self.search => {
                self.stage = Stage::Running;
                self.processors = *processors;
                (self.started, self.ended) = (*at, *at);
                self.count_slots();
            }
            TraceEvent::SearchEnded { search, outcome } if *search == self.search => {
                self.ended = *at;
                self.stage = Stage::Ended;
                self.facts.outcome = outcome.clone();
            }
            TraceEvent::SearchSettled { search, tally } if *search == self.search => {
                self.stage = Stage::Settled;
                self.facts.tally = *tally;
            }
            TraceEvent::WindowPushed { job, new, .. } if self.is_open() => {
                self.facts.windows_pushed += 1;
                self.pushed.entry(*job).or_default().push((*new, *at));
            }
            TraceEvent::WindowArrived { job, window, effect, .. } if self.is_open() => {
                self.note_arrived(*job, *window, *effect, *at);
            }
            _ if self.is_open() => self.note_job(event),
            _ => {}
        }
    }

    /// Whether the search ended and is accounted for.
    #[must_use]
    pub fn is_settled(&self) -> bool {
        self.stage == Stage::Settled
    }

    /// The facts so far, without the time since its start.
    pub(crate) fn facts(&self) -> &Facts {
        &self.facts
    }

    /// The facts. Of a search that has not ended they say that it was aborted.
    #[must_use]
    pub fn finish(self) -> Facts {
        Facts { elapsed_ns: self.ended.since(self.started), ..self.facts }
    }

    fn is_open(&self) -> bool {
        matches!(self.stage, Stage::Running | Stage::Ended)
    }

    fn count_slots(&mut self) {
        if self.stage != Stage::Running {
            return;
        }
        let present: u32 = self.present.values().sum();
        let usable = if self.processors == 0 { present } else { present.min(self.processors) };
        self.facts.slots = self.facts.slots.max(usable);
    }

    fn note_job(&mut self, event: &TraceEvent) {
        let facts = &mut self.facts;
        match event {
            TraceEvent::JobAssigned { .. } => facts.jobs_assigned += 1,
            TraceEvent::SplitWished { .. } => facts.splits_wished += 1,
            TraceEvent::JobCancelled { .. } => facts.jobs_cancelled += 1,
            TraceEvent::LateMessage { .. } => facts.late_messages += 1,
            TraceEvent::BrotherReopened { .. } => facts.brothers_reopened += 1,
            TraceEvent::NodesAdopted { job, nodes, spent, .. } => {
                facts.nodes_adopted += u64::from(*nodes);
                self.end_job(*job);
                self.spend(spent);
            }
            TraceEvent::JobResolved { job, spent, .. }
            | TraceEvent::JobReturned { job, spent, .. } => {
                self.end_job(*job);
                self.spend(spent);
            }
            TraceEvent::JobProgressed { job, spent } => {
                *self.progress.entry(*job).or_default() += positions(spent);
                self.spend(spent);
            }
            TraceEvent::JobDiscarded { job, spent } => {
                let before = self.end_job(*job);
                self.facts.discarded_nodes += before + positions(spent);
                self.spend(spent);
            }
            TraceEvent::WorkerJoined { .. }
            | TraceEvent::WorkerGone { .. }
            | TraceEvent::WindowPushed { .. }
            | TraceEvent::WindowArrived { .. }
            | TraceEvent::Standing { .. }
            | TraceEvent::DepthBegun { .. }
            | TraceEvent::NodeResolved { .. }
            | TraceEvent::SearchStarted { .. }
            | TraceEvent::SearchEnded { .. }
            | TraceEvent::SearchSettled { .. } => {}
        }
    }

    fn note_arrived(&mut self, job: JobId, window: Window, effect: WindowEffect, at: Moment) {
        match effect {
            WindowEffect::Waiting => self.facts.windows_waiting += 1,
            WindowEffect::Late => self.facts.windows_late += 1,
            WindowEffect::Applied(cutback) => {
                self.facts.windows_applied += 1;
                self.facts.windows_cut += u64::from(cutback.is_some());
                self.note_delay(job, window, at);
            }
        }
    }

    /// Windows that were still under way when the next one for the job came are overtaken by it: only the last is
    /// applied.
    fn note_delay(&mut self, job: JobId, window: Window, at: Moment) {
        let Some(pushed) = self.pushed.get_mut(&job) else { return };
        let Some(place) = pushed.iter().position(|(pushed, _)| *pushed == window) else { return };
        let (_, since) = pushed[place];
        pushed.drain(..=place);
        let us = at.since(since).div_ceil(NS_PER_US);
        self.facts.window_delays.note(u32::try_from(us).unwrap_or(u32::MAX), 1);
    }

    /// The job says nothing more. Returns the positions that it has reported before.
    fn end_job(&mut self, job: JobId) -> u64 {
        self.pushed.remove(&job);
        self.progress.remove(&job).unwrap_or(0)
    }

    fn spend(&mut self, spent: &Spent) {
        let Spent { tally, busy_ns } = *spent;
        self.facts.tally += tally;
        self.facts.busy_ns += busy_ns;
    }
}

const NS_PER_US: u64 = 1_000;

fn positions(spent: &Spent) -> u64 {
    spent.tally.nodes + spent.tally.quiescence
}

#[cfg(test)]
mod tests {
    use super::*;
    use game::{Cutback, Score, Setup, Tally, Value};
    use std::sync::Arc;
    use ybw::{Departure, Outcome};

    const SEARCH: SearchId = SearchId(7);

    fn spent(nodes: u64, busy_ns: u64) -> Spent {
        let tally = Tally { nodes, ..Tally::default() };
        Spent { tally, busy_ns }
    }

    fn solved() -> Outcome {
        Outcome::Solved { value: Value::exact(Score::new(3)), line: Vec::new() }
    }

    fn fold(events: &[(u64, TraceEvent)]) -> Facts {
        let mut fold = Fold::new(SEARCH);
        for (at, event) in events {
            fold.note(&Traced { at: Moment(*at), event: event.clone() });
        }
        fold.finish()
    }

    fn started(search: SearchId, processors: u32) -> TraceEvent {
        TraceEvent::SearchStarted { search, setup: Arc::new(Setup::new("nim")), processors }
    }

    fn joined(worker: u64, slots: u16) -> TraceEvent {
        TraceEvent::WorkerJoined { worker: WorkerId(worker), name: "w".into(), slots }
    }

    fn gone(worker: u64) -> TraceEvent {
        let departure = Departure::Lost;
        TraceEvent::WorkerGone { worker: WorkerId(worker), departure, jobs: Vec::new() }
    }

    #[test]
    fn time_runs_from_start_to_end_and_costs_count_until_settled() {
        let job = JobId(1);
        let resolved = TraceEvent::JobResolved {
            job,
            worker: WorkerId(1),
            value: Value::exact(Score::new(3)),
            spent: spent(10, 80),
        };
        let facts = fold(&[
            (5, joined(1, 2)),
            (90, TraceEvent::JobDiscarded { job: JobId(9), spent: spent(1_000, 1_000) }),
            (100, started(SEARCH, 0)),
            (150, TraceEvent::JobProgressed { job: JobId(2), spent: spent(5, 50) }),
            (190, resolved),
            (200, TraceEvent::SearchEnded { search: SEARCH, outcome: solved() }),
            (210, TraceEvent::JobDiscarded { job: JobId(2), spent: spent(7, 20) }),
        ]);
        assert_eq!(facts.outcome, solved());
        assert_eq!((facts.elapsed_ns, facts.busy_ns, facts.slots), (100, 150, 2));
        assert_eq!((facts.tally.nodes, facts.discarded_nodes), (22, 12));
    }

    #[test]
    fn windows_take_from_push_to_acknowledgement() {
        let window = |alpha| Window::null(Score::new(alpha));
        let push = |job, alpha| TraceEvent::WindowPushed {
            job: JobId(job),
            worker: WorkerId(1),
            old: Window::FULL,
            new: window(alpha),
            cause: JobId(9),
            raised_by: None,
        };
        let arrived = |job, alpha, effect| TraceEvent::WindowArrived {
            job: JobId(job),
            worker: WorkerId(1),
            window: window(alpha),
            effect,
            worker_at: Moment(0),
        };
        let cutback = Cutback { open_nodes: 1, saved: 5, ended: false };
        let applied = |job, alpha| arrived(job, alpha, WindowEffect::Applied(cutback));
        let discarded = TraceEvent::JobDiscarded { job: JobId(2), spent: Spent::default() };
        let facts = fold(&[
            (0, started(SEARCH, 0)),
            (1_000, push(1, 1)),
            (2_000, push(1, 2)),
            (2_500, push(2, 2)),
            (9_000, applied(1, 2)),
            (9_001, applied(1, 1)),
            (12_400, applied(2, 2)),
            (12_500, push(2, 3)),
            (13_000, discarded),
            (14_000, arrived(2, 3, WindowEffect::Late)),
        ]);
        let delays: Vec<(u32, u64)> = facts.window_delays.buckets().collect();
        assert_eq!((facts.windows_pushed, delays), (4, vec![(7, 1), (10, 1)]));
        assert_eq!((facts.windows_applied, facts.windows_cut, facts.windows_late), (3, 3, 1));
    }

    #[test]
    fn another_search_is_not_counted() {
        let settled =
            |id| TraceEvent::SearchSettled { search: SearchId(id), tally: Tally::default() };
        let cost = TraceEvent::JobDiscarded { job: JobId(1), spent: spent(4, 4) };
        let facts = fold(&[
            (1, started(SearchId(6), 0)),
            (2, cost.clone()),
            (3, settled(6)),
            (4, started(SearchId(7), 0)),
            (5, settled(7)),
            (6, started(SearchId(8), 0)),
            (7, cost),
        ]);
        assert_eq!((facts.discarded_nodes, facts.busy_ns), (0, 0));
    }

    #[test]
    fn slots_are_the_most_that_could_work_at_one_time() {
        let start = |processors| (3, started(SEARCH, processors));
        let check = |events: &[(u64, TraceEvent)], slots, lost| {
            let facts = fold(events);
            assert_eq!((facts.slots, facts.workers_lost), (slots, lost), "{events:?}");
        };
        check(&[(1, joined(1, 4)), start(0)], 4, 0);
        check(&[(1, joined(1, 4)), start(2)], 2, 0);
        check(&[(1, joined(1, 4)), (2, gone(1)), (2, joined(2, 1)), start(0)], 1, 0);
        check(&[(1, joined(1, 4)), start(0), (4, gone(1)), (5, joined(2, 3))], 4, 1);
        check(&[(1, joined(1, 4)), start(0), (5, joined(2, 3))], 7, 0);
    }

    #[test]
    fn facts_survive_json_with_the_outcome_in_line() {
        let facts = Facts { outcome: solved(), ..Facts::nothing() };
        let json = serde_json::to_value(&facts).unwrap();
        assert_eq!(json["outcome"], "solved");
        assert_eq!(json["value"]["score"], 3);
        assert_eq!(serde_json::from_value::<Facts>(json).unwrap(), facts);
    }
}
