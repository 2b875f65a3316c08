//! A trace for Perfetto's page (ui.perfetto.dev), written as the events come: [`PerfettoWriter`].
//!
//! Each worker is a process with a track per slot; jobs are slices there. The coordinator has a track for
//! searches, one for what it says and hears, and counters. Arrows (flows) lead from each assignment to the
//! job, from the job to its result, from a window's push to its arrival, and from a cancel to the job. A slice is
//! written when it ends, so that it can say how, and only what still runs is kept in memory. Times are the
//! coordinator's; the arrival of a window is translated from the worker's clock.

mod packets;
#[cfg(test)]
pub(crate) mod tests;
mod tracks;

use super::clocks::ClockOffset;
use super::lanes::Lanes;
use super::{Header, Line, Spell, Speller, spell_codes};
use game::{Move, NodeKind, Window};
use packets::EventType;
use std::collections::{BTreeMap, HashMap, VecDeque};
use std::io::{self, Write};
use tracks::{Mark, Tracks};
use ybw::{JobId, Moment, SearchId, Spent, TraceEvent, Traced, WindowEffect, WorkerId};

/// Window updates that wait to be acknowledged; older ones are written without an arrow.
const MAX_PENDING: usize = 1 << 16;
/// How often the message rate is told.
const RATE_INTERVAL_NS: u64 = 100_000_000;
/// Between the parts of a trace that different coordinators told.
const GAP_NS: u64 = 1_000_000;

/// Turns lines of a trace into a Perfetto trace.
pub struct PerfettoWriter<W> {
    tracks: Tracks<W>,
    speller: Speller,
    spell: Spell,
    /// What is added to the moments of the coordinator that tells now.
    base: u64,
    last: u64,
    lanes: Lanes,
    jobs: HashMap<JobId, Live>,
    clocks: BTreeMap<WorkerId, ClockOffset>,
    pending: VecDeque<Pending>,
    search: Option<(SearchId, u64, String)>,
    depth: Option<(u64, String)>,
    messages: u64,
    rate_since: u64,
}

/// A job that has not ended.
struct Live {
    worker: WorkerId,
    assigned: u64,
    continues: Option<JobId>,
    began: Option<(u64, usize)>,
    path: Vec<Move>,
    window: Window,
    kind: NodeKind,
    remaining: Option<u8>,
    spent: Spent,
}

/// A window that was pushed and not acknowledged yet.
struct Pending {
    job: JobId,
    worker: WorkerId,
    pushed: Moment,
    old: Window,
    new: Window,
    cause: JobId,
    raised_by: Option<Vec<Move>>,
}

impl<W: Write> PerfettoWriter<W> {
    /// Writes to `out`.
    pub fn new(out: W, speller: Speller) -> PerfettoWriter<W> {
        PerfettoWriter {
            tracks: Tracks::new(out),
            speller,
            spell: Box::new(|_| String::new()),
            base: 0,
            last: 0,
            lanes: Lanes::default(),
            jobs: HashMap::new(),
            clocks: BTreeMap::new(),
            pending: VecDeque::new(),
            search: None,
            depth: None,
            messages: 0,
            rate_since: 0,
        }
    }

    /// Takes in the next line.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn note(&mut self, line: &Line) -> io::Result<()> {
        match line {
            Line::Header(header) => self.begin(header),
            Line::Event(traced) => self.note_event(traced),
            Line::Lost { lost } => {
                let mark = Mark::new("events lost").count("number", *lost);
                self.tracks.instant(self.last, self.tracks.coordinator(), mark)
            }
        }
    }

    /// Writes what has not ended, and hands the output back.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn finish(mut self) -> io::Result<W> {
        self.close()?;
        Ok(self.tracks.into_inner())
    }

    /// What was written up to now reaches the output.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn flush(&mut self) -> io::Result<()> {
        self.tracks.flush()
    }

    fn begin(&mut self, header: &Header) -> io::Result<()> {
        self.close()?;
        self.base = if self.last == 0 { 0 } else { self.last + GAP_NS };
        self.last = self.base;
        self.rate_since = self.base;
        self.spell = spell_codes(&game::Setup::new(""));
        self.lanes = Lanes::default();
        self.clocks.clear();
        self.tracks.begin(&header.title)
    }

    fn close(&mut self) -> io::Result<()> {
        let mut left: Vec<JobId> = self.jobs.keys().copied().collect();
        left.sort_unstable();
        for job in left {
            self.end_job(self.last, job, "runs at the end of the trace", None)?;
        }
        while let Some(pending) = self.pending.pop_front() {
            self.never_arrived(&pending)?;
        }
        self.end_depth(self.last)?;
        self.end_search(self.last, "goes on")
    }

    fn note_event(&mut self, traced: &Traced) -> io::Result<()> {
        let at = self.base + traced.at.0;
        self.last = self.last.max(at);
        self.count_message(at, &traced.event)?;
        match &traced.event {
            TraceEvent::WorkerJoined { .. } | TraceEvent::WorkerGone { .. } => {
                self.note_worker(at, &traced.event)
            }
            TraceEvent::SearchStarted { .. }
            | TraceEvent::DepthBegun { .. }
            | TraceEvent::SearchEnded { .. } => self.note_search(at, &traced.event),
            TraceEvent::Standing { slots, idle_slots, jobs, waiting } => {
                let busy = slots.saturating_sub(*idle_slots);
                let counts =
                    [("busy slots", busy), ("waiting brothers", *waiting), ("jobs", *jobs)];
                counts
                    .into_iter()
                    .try_for_each(|(name, count)| self.tracks.count(at, name, u64::from(count)))
            }
            TraceEvent::WindowPushed { job, worker, old, new, cause, raised_by } => {
                self.pending.push_back(Pending {
                    job: *job,
                    worker: *worker,
                    pushed: traced.at,
                    old: *old,
                    new: *new,
                    cause: *cause,
                    raised_by: raised_by.clone(),
                });
                if self.pending.len() <= MAX_PENDING {
                    return Ok(());
                }
                let oldest = self.pending.pop_front();
                oldest.map_or(Ok(()), |pending| self.never_arrived(&pending))
            }
            TraceEvent::WindowArrived { job, worker, window, effect, worker_at } => {
                self.note_arrival(traced.at, *job, *worker, *window, *effect, *worker_at)
            }
            TraceEvent::NodeResolved { path, value } => {
                let mark = Mark::new("node resolved")
                    .text("path", self.spelt(path))
                    .text("value", value.to_string());
                self.tracks.instant(at, self.tracks.coordinator(), mark)
            }
            TraceEvent::SplitWished { job, .. } => {
                let mark = Mark::new(format!("split {job}"));
                self.tracks.instant(at, self.tracks.coordinator(), mark)
            }
            TraceEvent::JobAssigned { .. }
            | TraceEvent::NodesAdopted { .. }
            | TraceEvent::JobCancelled { .. }
            | TraceEvent::JobResolved { .. }
            | TraceEvent::JobProgressed { .. }
            | TraceEvent::JobReturned { .. }
            | TraceEvent::JobDiscarded { .. } => self.note_job(at, &traced.event),
            TraceEvent::LateMessage { .. }
            | TraceEvent::BrotherReopened { .. }
            | TraceEvent::SearchSettled { .. } => Ok(()),
        }
    }

    fn note_worker(&mut self, at: u64, event: &TraceEvent) -> io::Result<()> {
        match event {
            TraceEvent::WorkerJoined { worker, name, slots } => {
                self.lanes.join(*worker, *slots);
                self.tracks.worker(*worker, name)
            }
            TraceEvent::WorkerGone { worker, jobs, .. } => {
                for &job in jobs {
                    self.end_job(at, job, "lost", None)?;
                }
                self.lanes.leave(*worker);
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn note_search(&mut self, at: u64, event: &TraceEvent) -> io::Result<()> {
        match event {
            TraceEvent::SearchStarted { search, setup, .. } => {
                self.end_depth(at)?;
                self.end_search(at, "goes on")?;
                self.spell = (self.speller)(setup);
                let name = format!("{search} {} {}", setup.game, setup.position);
                self.search = Some((*search, at, name));
                Ok(())
            }
            TraceEvent::DepthBegun { depth, .. } => {
                self.end_depth(at)?;
                self.depth = Some((at, format!("depth {depth}")));
                Ok(())
            }
            TraceEvent::SearchEnded { outcome, .. } => {
                self.end_depth(at)?;
                let outcome = match outcome {
                    ybw::Outcome::Solved { value, .. } => value.to_string(),
                    ybw::Outcome::Aborted => "aborted".into(),
                    ybw::Outcome::Failed { reason } => reason.clone(),
                };
                self.end_search(at, &outcome)
            }
            _ => Ok(()),
        }
    }

    fn end_search(&mut self, at: u64, outcome: &str) -> io::Result<()> {
        let Some((_, began, name)) = self.search.take() else { return Ok(()) };
        let mark = Mark::new(name).text("outcome", outcome);
        self.tracks.slice(began, at, self.tracks.searches(), mark, Vec::new())
    }

    fn end_depth(&mut self, at: u64) -> io::Result<()> {
        let Some((began, name)) = self.depth.take() else { return Ok(()) };
        self.tracks.slice(began, at, self.tracks.depths(), Mark::new(name), Vec::new())
    }

    fn note_job(&mut self, at: u64, event: &TraceEvent) -> io::Result<()> {
        match event {
            TraceEvent::JobAssigned { job, worker, path, window, kind, remaining, spare } => {
                let slot = self.lanes.assign(*worker, *job, *spare);
                self.jobs.insert(
                    *job,
                    Live {
                        worker: *worker,
                        assigned: at,
                        continues: None,
                        began: slot.map(|slot| (at, slot)),
                        path: path.clone(),
                        window: *window,
                        kind: *kind,
                        remaining: Some(*remaining),
                        spent: Spent::default(),
                    },
                );
                Ok(())
            }
            TraceEvent::NodesAdopted { .. } => self.note_adopted(at, event),
            TraceEvent::JobCancelled { job, cause, .. } => {
                let cause =
                    cause.map_or_else(|| "cancelled".into(), |by| format!("cancelled by {by}"));
                self.end_job(at, *job, &cause, None)
            }
            TraceEvent::JobResolved { job, value, spent, .. } => {
                self.spend(*job, spent);
                self.end_job(at, *job, &value.to_string(), Some("result"))
            }
            TraceEvent::JobReturned { job, spent, .. } => {
                self.spend(*job, spent);
                self.end_job(at, *job, "returned", Some("returned"))
            }
            TraceEvent::JobProgressed { job, spent } | TraceEvent::JobDiscarded { job, spent } => {
                self.spend(*job, spent);
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// The job ends, and what is left of it goes on in the same slot.
    fn note_adopted(&mut self, at: u64, event: &TraceEvent) -> io::Result<()> {
        let TraceEvent::NodesAdopted {
            job, next, worker, path, window, kind, nodes, spent, ..
        } = event
        else {
            return Ok(());
        };
        self.spend(*job, spent);
        let slot = self.jobs.get(job).and_then(|job| job.began).map(|(_, slot)| slot);
        self.lanes.rename(*worker, *job, *next);
        let verdict = format!("{nodes} nodes up, goes on as {next}");
        self.end_job(at, *job, &verdict, Some("offer"))?;
        let live = Live {
            worker: *worker,
            assigned: at,
            continues: Some(*job),
            began: slot.map(|slot| (at, slot)),
            path: path.clone(),
            window: *window,
            kind: *kind,
            remaining: None,
            spent: Spent::default(),
        };
        self.jobs.insert(*next, live);
        Ok(())
    }

    fn spend(&mut self, job: JobId, spent: &Spent) {
        if let Some(live) = self.jobs.get_mut(&job) {
            live.spent += *spent;
        }
    }

    /// Writes the job with its arrows. `said` is what the worker said when it ended; without it the
    /// coordinator ended it.
    fn end_job(
        &mut self,
        at: u64,
        job: JobId,
        verdict: &str,
        said: Option<&str>,
    ) -> io::Result<()> {
        let Some(live) = self.jobs.remove(&job) else { return Ok(()) };
        if let Some((promoted, slot)) = self.lanes.end(live.worker, job)
            && let Some(promoted) = self.jobs.get_mut(&promoted)
        {
            promoted.began = Some((at, slot));
        }
        let coordinator = self.tracks.coordinator();
        let assigned = match live.continues {
            Some(before) => Mark::new(format!("{job} continues {before}")),
            None => Mark::new(format!("assign {job}")),
        };
        let (to_job, back) = (self.tracks.flow(), self.tracks.flow());
        self.tracks.instant(live.assigned, coordinator, assigned.flow_out(to_job))?;
        let Some((began, slot)) = live.began else {
            let mark = Mark::new(format!("{job} {verdict}")).flow_in(to_job);
            return self.tracks.instant(at, coordinator, mark);
        };
        let track = self.tracks.slot(live.worker, slot)?;
        let nodes = live.spent.tally.nodes + live.spent.tally.quiescence;
        let mut mark = Mark::new(format!("{job} {}", self.spelt(&live.path)))
            .category(kind_name(live.kind))
            .text("path", self.spelt(&live.path))
            .text("kind", kind_name(live.kind))
            .text("window", live.window.to_string())
            .text("verdict", verdict)
            .count("nodes", nodes)
            .count("waited ns", began - live.assigned)
            .flow_in(to_job);
        if let Some(remaining) = live.remaining.filter(|&remaining| remaining < u8::MAX) {
            mark = mark.count("depth", u64::from(remaining));
        }
        match said {
            Some(said) => {
                self.tracks.slice(began, at, track, mark, vec![back])?;
                let mark =
                    Mark::new(format!("{said} {job}")).text("verdict", verdict).flow_in(back);
                self.tracks.instant(at, coordinator, mark)
            }
            None => {
                self.tracks.slice(began, at, track, mark, Vec::new())?;
                let sent = Mark::new(format!("{job} {verdict}")).flow_out(back);
                self.tracks.instant(at, coordinator, sent)?;
                self.tracks.instant(at, track, Mark::new(verdict.to_string()).flow_in(back))
            }
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
    ) -> io::Result<()> {
        let told = |pending: &Pending| pending.job == job && pending.new == window;
        let Some(place) = self.pending.iter().position(told) else { return Ok(()) };
        let Some(pending) = self.pending.remove(place) else { return Ok(()) };
        self.drop_overtaken(job, place)?;
        let clock = self.clocks.entry(worker).or_default();
        clock.note(pending.pushed, worker_at, heard);
        let arrived = self.base + clock.translate(worker_at, pending.pushed, heard).0;
        let flow = self.tracks.flow();
        let pushed = self.push_mark(&pending).flow_out(flow);
        self.tracks.instant(self.base + pending.pushed.0, self.tracks.coordinator(), pushed)?;
        let mark = Mark::new(format!("window {} for {job}", pending.new)).flow_in(flow);
        let mark = match effect {
            WindowEffect::Applied(cut) => mark
                .text("effect", if cut.ended { "ended the job" } else { "applied" })
                .count("open nodes cut", u64::from(cut.open_nodes))
                .count("nodes saved", cut.saved),
            WindowEffect::Waiting => mark.text("effect", "the job waits"),
            WindowEffect::Late => mark.text("effect", "too late"),
        };
        let slot = self.jobs.get(&job).and_then(|live| live.began);
        match slot {
            Some((began, slot)) => {
                let track = self.tracks.slot(worker, slot)?;
                self.tracks.instant(arrived.max(began), track, mark)
            }
            None => {
                let track = self.tracks.worker_itself(worker)?;
                self.tracks.instant(arrived, track, mark)
            }
        }
    }

    /// Windows for the job that were pushed before the one at `place` will never arrive.
    fn drop_overtaken(&mut self, job: JobId, place: usize) -> io::Result<()> {
        let older = self.pending.iter().take(place).enumerate();
        let places: Vec<usize> =
            older.filter(|(_, pending)| pending.job == job).map(|(index, _)| index).collect();
        for index in places.into_iter().rev() {
            if let Some(pending) = self.pending.remove(index) {
                self.never_arrived(&pending)?;
            }
        }
        Ok(())
    }

    fn never_arrived(&mut self, pending: &Pending) -> io::Result<()> {
        let mark = self.push_mark(pending).text("effect", "overtaken or moot");
        self.tracks.instant(self.base + pending.pushed.0, self.tracks.coordinator(), mark)
    }

    fn push_mark(&self, pending: &Pending) -> Mark {
        let Pending { job, worker, old, new, cause, raised_by, .. } = pending;
        let mark = Mark::new(format!("push {new} to {job}"))
            .category("window")
            .text("old", old.to_string())
            .text("new", new.to_string())
            .text("cause", cause.to_string())
            .text("worker", worker.to_string());
        match raised_by {
            Some(path) => mark.text("raised by", self.spelt(path)),
            None => mark,
        }
    }

    fn spelt(&self, path: &[Move]) -> String {
        super::tables::or_root((self.spell)(path))
    }

    /// Counts events that stand for a message, and tells their rate now and then.
    fn count_message(&mut self, at: u64, event: &TraceEvent) -> io::Result<()> {
        self.messages += u64::from(is_message(event));
        let passed = at.saturating_sub(self.rate_since);
        if passed < RATE_INTERVAL_NS {
            return Ok(());
        }
        let rate = u128::from(self.messages) * 1_000_000_000 / u128::from(passed);
        (self.messages, self.rate_since) = (0, at);
        self.tracks.count(at, "messages per second", u64::try_from(rate).unwrap_or(u64::MAX))
    }
}

/// Whether the event was, or was caused by, one message to or from a worker.
fn is_message(event: &TraceEvent) -> bool {
    match event {
        TraceEvent::JobAssigned { .. }
        | TraceEvent::SplitWished { .. }
        | TraceEvent::NodesAdopted { .. }
        | TraceEvent::WindowPushed { .. }
        | TraceEvent::WindowArrived { .. }
        | TraceEvent::JobCancelled { .. }
        | TraceEvent::JobResolved { .. }
        | TraceEvent::JobProgressed { .. }
        | TraceEvent::JobReturned { .. }
        | TraceEvent::JobDiscarded { .. }
        | TraceEvent::LateMessage { .. } => true,
        TraceEvent::WorkerJoined { .. }
        | TraceEvent::WorkerGone { .. }
        | TraceEvent::SearchStarted { .. }
        | TraceEvent::DepthBegun { .. }
        | TraceEvent::Standing { .. }
        | TraceEvent::BrotherReopened { .. }
        | TraceEvent::NodeResolved { .. }
        | TraceEvent::SearchEnded { .. }
        | TraceEvent::SearchSettled { .. } => false,
    }
}

fn kind_name(kind: NodeKind) -> &'static str {
    match kind {
        NodeKind::Pv => "PV",
        NodeKind::All => "all",
        NodeKind::Cut => "cut",
    }
}

impl<W> std::fmt::Debug for PerfettoWriter<W> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PerfettoWriter").field("last", &self.last).finish_non_exhaustive()
    }
}
