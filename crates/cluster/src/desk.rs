//! The coordinator machine among those it deals with: [`Desk`].
//!
//! It carries out what the machine wants: messages go to outboxes or to the coordinator's own
//! threads, answers and progress to whoever asked. It does no I/O and knows the time only from its
//! clock, so that a search in one process works at the same desk as a cluster.

mod record;

use crate::Error;
use crate::clock::Clock;
use crate::crew::Crew;
use crate::meter::Meter;
use crate::observer::Observer;
use crate::outbox::{Outbox, Overflow};
use crate::slots::SlotReport;
use game::Policy;
use record::Record;
pub(crate) use record::Watcher;
use report::Traffic;
use search::Problem;
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use std::time::Instant;
use tonic::Status;
use wire::v1::{self, CoordinatorMessage};
use wire::{CoordinatorSaid, SearchOrder, SearchUpdate};
use ybw::{
    Coordinator, CoordinatorInput, CoordinatorOutput, Departure, FromWorker, Moment, Outcome,
    Request, SearchId, Slot, ToWorker, TraceEvent, Traced, WorkerId,
};

/// The coordinator's own threads as a worker.
const OWN: WorkerId = WorkerId(0);
/// What people call them.
const OWN_NAME: &str = "coordinator";
/// Most searches that wait or are being done.
const MAX_SEARCHES: usize = 1024;

/// A worker's session.
#[derive(Debug)]
struct Session {
    name: String,
    slots: u16,
    outbox: Arc<Outbox<CoordinatorMessage>>,
}

/// Why a search is not accepted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum NotNow {
    /// Too many wait already.
    Full,
    /// The coordinator is about to end.
    Closing,
}

/// The coordinator machine with its workers and clients.
#[derive(Debug)]
pub(crate) struct Desk {
    clock: Clock,
    machine: Coordinator,
    crew: Option<(Crew, u16)>,
    sessions: BTreeMap<WorkerId, Session>,
    /// Searches that have not been answered, in the order they were submitted in.
    searches: BTreeMap<SearchId, Record>,
    meter: Meter,
    observer: Observer,
    next_worker: u64,
    next_search: u64,
    closing: bool,
}

impl Desk {
    /// A desk without workers, but for its own threads if it has any.
    pub(crate) fn new(clock: Clock, crew: Option<(Crew, u16)>, observer: Observer) -> Desk {
        let own = crew.as_ref().map(|&(_, slots)| slots);
        let mut desk = Desk {
            clock,
            machine: Coordinator::new(),
            crew,
            sessions: BTreeMap::new(),
            searches: BTreeMap::new(),
            meter: Meter::default(),
            observer,
            next_worker: OWN.0 + 1,
            next_search: 1,
            closing: false,
        };
        if let Some(slots) = own {
            // Its own threads are told where everybody reaches the coordinator.
            let (name, address) = (OWN_NAME.into(), Some("".into()));
            desk.handle(CoordinatorInput::Joined { worker: OWN, name, slots, address });
        }
        desk
    }

    /// Counts messages with `meter` from now on.
    pub(crate) fn metered_by(self, meter: Meter) -> Desk {
        Desk { meter, ..self }
    }

    /// Where the messages of all sessions are counted.
    pub(crate) fn meter(&self) -> &Meter {
        &self.meter
    }

    /// A worker is there. Returns the name of its session.
    pub(crate) fn join(
        &mut self,
        name: String,
        slots: u16,
        address: Option<Arc<str>>,
        outbox: Arc<Outbox<CoordinatorMessage>>,
    ) -> WorkerId {
        let worker = WorkerId(self.next_worker);
        self.next_worker += 1;
        // The first message of an empty outbox cannot overflow it.
        let _ = outbox.push(CoordinatorSaid::Welcome(worker).into());
        let joined = CoordinatorInput::Joined { worker, name: (&*name).into(), slots, address };
        self.sessions.insert(worker, Session { name, slots, outbox });
        self.handle(joined);
        worker
    }

    /// A worker said something.
    pub(crate) fn received(&mut self, worker: WorkerId, messages: Vec<FromWorker>) {
        for message in messages {
            self.handle(CoordinatorInput::Received { worker, message });
        }
    }

    /// A worker's stream has ended.
    pub(crate) fn departed(&mut self, worker: WorkerId, departure: Departure) {
        if let Some(session) = self.sessions.get(&worker) {
            session.outbox.close();
        }
        self.handle(CoordinatorInput::Departed { worker, departure });
    }

    /// Sends a worker away that broke the protocol.
    pub(crate) fn send_away(&mut self, worker: WorkerId, last_word: Status) {
        let Some(session) = self.sessions.get(&worker) else { return };
        tracing::warn!(%worker, name = session.name, reason = last_word.message(), "sent away");
        session.outbox.fail(last_word);
        self.departed(worker, Departure::SentAway);
    }

    /// One of the coordinator's own threads reports.
    pub(crate) fn reported(&mut self, slot: Slot, report: SlotReport) -> Result<(), Error> {
        let Some((crew, _)) = &mut self.crew else { return Ok(()) };
        let messages = crew.reported(slot, report)?;
        self.heard_within(messages).into_iter().for_each(|input| self.handle(input));
        Ok(())
    }

    /// Whether anybody wants to be told what the coordinator's own threads find out.
    pub(crate) fn has_peers(&self) -> bool {
        self.crew.as_ref().is_some_and(|(crew, _)| crew.has_peers())
    }

    /// Tells the workers what the coordinator's own threads found out.
    pub(crate) fn tell_peers(&mut self) {
        if let Some((crew, _)) = &mut self.crew {
            crew.tell_peers();
        }
    }

    /// Queues a search.
    pub(crate) fn submit(
        &mut self,
        order: SearchOrder,
        problem: Arc<dyn Problem>,
        mut watcher: Watcher,
    ) -> Result<SearchId, NotNow> {
        match (self.closing, self.searches.len() >= MAX_SEARCHES) {
            (true, _) => return Err(NotNow::Closing),
            (false, true) => return Err(NotNow::Full),
            (false, false) => {}
        }
        let search = SearchId(self.next_search);
        self.next_search += 1;
        watcher(SearchUpdate::Accepted(search));
        let SearchOrder { setup, processors, limit } = order;
        // One job that is never split occupies one slot, however many there are.
        let processors = if setup.policy == Policy::Sequential { 1 } else { processors };
        let setup = Arc::new(setup);
        let record = Record::new(setup.clone(), processors, limit, problem, watcher);
        self.searches.insert(search, record);
        self.handle(CoordinatorInput::Submitted(Request { search, setup, processors }));
        Ok(search)
    }

    /// Gives a search up. Returns whether it was known.
    pub(crate) fn abort(&mut self, search: SearchId) -> bool {
        let known = self.searches.contains_key(&search);
        if known {
            self.handle(CoordinatorInput::Aborted(search));
        }
        known
    }

    /// Gives everything up and takes nothing new.
    pub(crate) fn close(&mut self) {
        self.closing = true;
        let searches: Vec<SearchId> = self.searches.keys().copied().collect();
        for search in searches {
            self.abort(search);
        }
    }

    /// Says goodbye to every worker.
    pub(crate) fn dismiss(&mut self, reason: &str) {
        for (_, session) in std::mem::take(&mut self.sessions) {
            let goodbye = CoordinatorSaid::Goodbye { reason: reason.to_string() };
            if session.outbox.push(goodbye.into()).is_ok() {
                session.outbox.close();
            }
        }
    }

    /// Whether there is no search.
    pub(crate) fn is_idle(&self) -> bool {
        self.searches.is_empty()
    }

    /// When to call [`Desk::wake`] at the latest.
    pub(crate) fn deadline(&self) -> Option<Instant> {
        let machine = self.machine.poll_timeout().map(|(moment, _)| moment);
        let limits = self.searches.values().filter_map(Record::deadline);
        limits.chain(machine).min().map(|moment| self.clock.instant(moment))
    }

    /// Looks at the time.
    pub(crate) fn wake(&mut self) {
        let now = self.clock.now();
        let over = |record: &Record| record.deadline().is_some_and(|deadline| deadline <= now);
        let due: Vec<SearchId> =
            self.searches.iter().filter(|(_, r)| over(r)).map(|(&search, _)| search).collect();
        for search in due {
            tracing::info!(%search, "time limit reached");
            if let Some(record) = self.searches.get_mut(&search) {
                record.stop_clock();
            }
            self.abort(search);
        }
        self.handle(CoordinatorInput::Woken);
    }

    /// Tells everybody who waits for an answer how their search stands.
    pub(crate) fn tell_progress(&mut self) {
        let progress = self.machine.progress();
        for (ahead, (search, record)) in (0_u32..).zip(&mut self.searches) {
            match &progress {
                Some(progress) if progress.search == *search => record.tell_progress(progress),
                _ => record.tell_queued(ahead),
            }
        }
    }

    /// Who is there and what is being done.
    pub(crate) fn status(&self) -> v1::StatusResponse {
        let own = self.crew.iter().map(|&(_, slots)| v1::WorkerStatus {
            worker: OWN.0,
            name: OWN_NAME.to_string(),
            slots: slots.into(),
        });
        let workers = self.sessions.iter().map(|(worker, session)| v1::WorkerStatus {
            worker: worker.0,
            name: session.name.clone(),
            slots: session.slots.into(),
        });
        let progress = self.machine.progress();
        let searches = self.searches.iter().map(|(search, record)| {
            let progress = progress.as_ref().filter(|progress| progress.search == *search);
            record.status(*search, progress)
        });
        v1::StatusResponse { workers: own.chain(workers).collect(), searches: searches.collect() }
    }

    /// Hands an input to the machine and carries out everything that follows from it.
    fn handle(&mut self, input: CoordinatorInput) {
        let began = Instant::now();
        let mut inputs = VecDeque::from([input]);
        while let Some(input) = inputs.pop_front() {
            self.machine.handle(self.clock.now(), input);
            let mut within = Vec::new();
            while let Some(output) = self.machine.poll_output() {
                self.carry_out(output, &mut within, &mut inputs);
            }
            for message in within {
                let Some((crew, _)) = &mut self.crew else { continue };
                let messages = crew.handle(ybw::WorkerInput::Received(message));
                inputs.extend(self.heard_within(messages));
            }
        }
        self.meter.spent(began.elapsed());
    }

    fn carry_out(
        &mut self,
        output: CoordinatorOutput,
        within: &mut Vec<ToWorker>,
        inputs: &mut VecDeque<CoordinatorInput>,
    ) {
        match output {
            CoordinatorOutput::Send { worker: OWN, message } => {
                self.meter.sent_within(&message);
                within.push(message);
            }
            CoordinatorOutput::Send { worker, message } => {
                inputs.extend(self.send(worker, message));
            }
            CoordinatorOutput::Disconnect { worker, reason } => {
                if let Some(session) = self.sessions.get(&worker) {
                    tracing::warn!(%worker, name = session.name, reason, "sent away");
                    session.outbox.fail(Status::invalid_argument(reason));
                }
            }
            CoordinatorOutput::Answer { search, outcome } => self.answer(search, &outcome),
            CoordinatorOutput::Trace(traced) => self.note(&traced),
        }
    }

    /// Returns what follows if the worker does not read what it is sent.
    fn send(&mut self, worker: WorkerId, message: ToWorker) -> Option<CoordinatorInput> {
        let outbox = &self.sessions.get(&worker)?.outbox;
        let (narrowed, cancelled) = match &message {
            ToWorker::Narrow { job, .. } => (Some(*job), None),
            ToWorker::Cancel { job } => (None, Some(*job)),
            ToWorker::Prepare { .. }
            | ToWorker::Assign(_)
            | ToWorker::Split { .. }
            | ToWorker::Peers { .. }
            | ToWorker::Learn { .. }
            | ToWorker::Forget { .. } => (None, None),
        };
        let wire = CoordinatorSaid::Machine(message).into();
        if let Some(job) = narrowed {
            outbox.push_window(job, wire);
            return None;
        }
        if let Some(job) = cancelled {
            outbox.drop_window(job);
        }
        match outbox.push(wire) {
            Ok(()) => None,
            Err(Overflow) => {
                tracing::warn!(%worker, "sent away: it does not read what it is sent");
                outbox.fail(Status::resource_exhausted("you do not read what you are sent"));
                Some(CoordinatorInput::Departed { worker, departure: Departure::SentAway })
            }
        }
    }

    fn answer(&mut self, search: SearchId, outcome: &Outcome) {
        if let Some(record) = self.searches.remove(&search) {
            let traffic = if record.has_begun() { self.meter.take() } else { Traffic::default() };
            record.answer(search, outcome, traffic);
        }
    }

    fn note(&mut self, traced: &Traced) {
        self.observer.note(traced);
        let Traced { at, event } = traced;
        match event {
            TraceEvent::SearchStarted { search, .. } => self.begin(*at, *search),
            TraceEvent::SearchEnded { search, outcome } => {
                tracing::info!(%search, outcome = outcome_name(outcome), "search ended");
            }
            TraceEvent::WorkerJoined { worker, name, slots } => {
                tracing::info!(%worker, name, slots, "worker joined");
            }
            TraceEvent::WorkerGone { worker, departure, jobs } => {
                let session = self.sessions.remove(worker);
                let name = session.map(|session| session.name);
                match departure {
                    Departure::Left => tracing::info!(%worker, name, ?jobs, "worker left"),
                    Departure::Lost | Departure::SentAway => {
                        tracing::warn!(%worker, name, ?departure, ?jobs, "worker lost; its jobs wait for another");
                    }
                }
            }
            _ => {}
        }
        for record in self.searches.values_mut() {
            record.note(traced);
        }
    }

    fn begin(&mut self, at: Moment, search: SearchId) {
        // What was said since the last search belongs to neither.
        self.meter.take();
        let own = self.crew.iter().map(|&(_, slots)| (OWN, slots));
        let others = self.sessions.iter().map(|(&worker, session)| (worker, session.slots));
        let present: Vec<(WorkerId, u16)> = own.chain(others).collect();
        if let Some(record) = self.searches.get_mut(&search) {
            record.begin(at, search, &present);
        }
    }

    fn heard_within(&self, messages: Vec<FromWorker>) -> Vec<CoordinatorInput> {
        let heard = |message| {
            self.meter.received_within(&message);
            CoordinatorInput::Received { worker: OWN, message }
        };
        messages.into_iter().map(heard).collect()
    }
}

fn outcome_name(outcome: &Outcome) -> &'static str {
    match outcome {
        Outcome::Solved { .. } => "solved",
        Outcome::Aborted => "aborted",
        Outcome::Failed { .. } => "failed",
    }
}
