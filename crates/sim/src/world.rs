//! A discrete-event world for the real machines: [`run`].

use crate::host::{Host, HostOutput, Kit, Tables, Telling, Told};
use crate::link::{Session, Upward};
use crate::size::{Weighed, told_bytes};
use crate::{Breach, Crossing, Plan, PlanError, Rng, Sight, What, Witness};
use game::{Sharing, Tally};
use search::{Catalogue, Problem, Table};
use slab::Slab;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};
use std::sync::Arc;
use thiserror::Error;
use ybw::{
    Coordinator, CoordinatorInput, CoordinatorOutput, Departure, Moment, Outcome, Request,
    SearchId, Slot, ToWorker, TraceEvent, WorkerId,
};

/// The one search of a simulated run.
pub const SEARCH: SearchId = SearchId(1);
/// More events than this in no time at all are a world that goes round in circles.
const MAX_EVENTS_AT_ONCE: u64 = 10_000_000;

/// How a run went.
#[derive(Clone, PartialEq, Debug)]
pub struct Finished {
    /// How the search ended; `None` if nobody was told.
    pub outcome: Option<Outcome>,
    /// When the root was resolved or the search given up, in virtual nanoseconds.
    pub at: Moment,
    /// What all slots did, whether the coordinator was told of it or not.
    pub tally: Tally,
    /// Slots that still had a job when nothing more happened.
    pub busy_slots: usize,
    /// Messages to workers by kind.
    pub to_workers: BTreeMap<&'static str, Sent>,
    /// Messages from workers by kind.
    pub from_workers: BTreeMap<&'static str, Sent>,
    /// What processes told each other without the coordinator.
    pub among_workers: Sent,
    /// Virtual nanoseconds the coordinator was busy until the search ended.
    pub coordinator_busy_ns: u64,
    /// Events the world went through.
    pub events: u64,
}

/// Messages of one kind and their estimated size.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Sent {
    /// How many.
    pub messages: u64,
    /// Their bytes.
    pub bytes: u64,
}

/// Why a run has no end to speak of.
#[derive(Debug, Error)]
pub enum Stopped {
    /// The plan cannot be run.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// A rule was broken.
    #[error("{0}")]
    Breach(Breach),
}

/// Runs a plan to its end before the eyes of `witness`.
///
/// # Errors
/// If the plan cannot be run, or the witness or the world itself sees a rule broken.
///
/// # Panics
/// If a machine finds its own rules broken.
pub fn run(
    plan: &Plan,
    catalogue: &Catalogue,
    witness: &mut dyn Witness,
) -> Result<Finished, Stopped> {
    run_tampered(plan, catalogue, witness, &mut |_, _| ())
}

/// As [`run`], with every message that crosses the border of a worker process shown to `tamper` first.
///
/// # Errors
/// As [`run`].
///
/// # Panics
/// As [`run`].
pub fn run_tampered(
    plan: &Plan,
    catalogue: &Catalogue,
    witness: &mut dyn Witness,
    tamper: &mut dyn FnMut(WorkerId, Crossing<'_>),
) -> Result<Finished, Stopped> {
    plan.check()?;
    let problem = catalogue.prepare(&plan.setup).map_err(PlanError::from)?;
    let mut world = World::new(plan, problem, witness, tamper);
    world.populate();
    let mut at_once = 0;
    while let Some(Reverse(entry)) = world.queue.pop() {
        at_once = if entry.at == world.now { at_once + 1 } else { 0 };
        if at_once > MAX_EVENTS_AT_ONCE {
            world.breach("time goes on", format!("{at_once} events at {}", entry.at.0));
        }
        world.now = entry.at;
        world.events += 1;
        world.happen(entry.event);
        if let Some(breach) = world.breach.take() {
            return Err(Stopped::Breach(breach));
        }
    }
    let finished = world.finished();
    witness.end(&finished).map_err(Stopped::Breach)?;
    Ok(finished)
}

#[derive(PartialEq, Eq, PartialOrd, Ord, Clone, Copy, Debug)]
enum Event {
    /// A process opens a session, its first or another.
    Joins(usize),
    /// A mishap of its plan befalls a process.
    Befalls(usize, usize),
    /// The coordinator notices that a session is over.
    Noticed(usize),
    /// The worker notices that its session is over.
    Severed(usize),
    /// The oldest message under way to the worker arrives.
    Down(usize),
    /// The oldest message under way from the worker arrives.
    Up(usize),
    SlotDue(usize, Slot),
    /// A process tells its neighbours what is new.
    Tells(usize),
    /// What one process told another arrives.
    Hears(usize),
    Submitted,
    Aborted,
    Woken,
}

#[derive(PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Entry {
    at: Moment,
    serial: u64,
    event: Event,
}

/// A worker process.
struct Process {
    host: Host,
    /// Its place in the plan.
    group: usize,
    /// Its current session.
    session: Option<usize>,
    stalled_until: Moment,
    /// It has joined, and joins again whenever it is idle and has no session.
    rejoins: bool,
    draining: bool,
    gone: bool,
}

struct World<'a> {
    plan: &'a Plan,
    witness: &'a mut dyn Witness,
    tamper: &'a mut dyn FnMut(WorkerId, Crossing<'_>),
    breach: Option<Breach>,
    problem: Arc<dyn Problem>,
    coordinator: Coordinator,
    processes: Vec<Process>,
    sessions: Vec<Session>,
    rng: Rng,
    now: Moment,
    queue: BinaryHeap<Reverse<Entry>>,
    serial: u64,
    /// When the coordinator has worked off all messages so far.
    free_at: Moment,
    /// When it is to be woken, as far as that is in the queue.
    wakes_at: Option<Moment>,
    answer: Option<Outcome>,
    ended_at: Moment,
    busy_ns: u64,
    busy_ns_at_end: u64,
    to_workers: BTreeMap<&'static str, Sent>,
    from_workers: BTreeMap<&'static str, Sent>,
    among_workers: Sent,
    /// What processes have told each other and is under way, and to whom.
    told: Slab<(usize, Told)>,
    events: u64,
    /// What a host wants to be done, kept to be used again.
    outputs: Vec<HostOutput>,
}

impl<'a> World<'a> {
    fn new(
        plan: &'a Plan,
        problem: Arc<dyn Problem>,
        witness: &'a mut dyn Witness,
        tamper: &'a mut dyn FnMut(WorkerId, Crossing<'_>),
    ) -> World<'a> {
        World {
            plan,
            witness,
            tamper,
            breach: None,
            problem,
            coordinator: Coordinator::new(),
            processes: Vec::new(),
            sessions: Vec::new(),
            rng: Rng::new(plan.seed),
            now: Moment::default(),
            queue: BinaryHeap::new(),
            serial: 0,
            free_at: Moment::default(),
            wakes_at: None,
            answer: None,
            ended_at: Moment::default(),
            busy_ns: 0,
            busy_ns_at_end: 0,
            to_workers: BTreeMap::new(),
            from_workers: BTreeMap::new(),
            among_workers: Sent::default(),
            told: Slab::new(),
            events: 0,
            outputs: Vec::new(),
        }
    }

    fn populate(&mut self) {
        self.schedule(0, Event::Submitted);
        let plan = self.plan;
        let mib = plan.setup.table_mib;
        let one =
            || if mib > 0 { Tables::Shared(Arc::new(Table::new(mib))) } else { Tables::Own(0) };
        let ideal = plan.shared_table.then(one);
        let tables = |slots: u16| match (&ideal, plan.setup.sharing) {
            (Some(ideal), _) => ideal.clone(),
            (None, Sharing::Off) if mib > 0 => Tables::Own((mib / u32::from(slots)).max(1)),
            (None, _) => one(),
        };
        for (group, workers) in plan.workers.iter().enumerate() {
            for _ in 0..workers.count {
                let kit = Kit {
                    problem: &self.problem,
                    tables: tables(workers.slots),
                    slots: workers.slots,
                    node_ns: workers.node_ns,
                    nodes_per_poll: plan.nodes_per_poll,
                    telling: Telling {
                        interval_ns: plan.tell_interval_ns,
                        message_ns: plan.peer_message_ns,
                        finding_ns: plan.finding_ns,
                    },
                };
                self.admit(Host::new(kit), group);
            }
        }
        if let Some(at) = plan.abort_ns {
            self.schedule(at, Event::Aborted);
        }
    }

    fn admit(&mut self, host: Host, group: usize) {
        let index = self.processes.len();
        self.processes.push(Process {
            host,
            group,
            session: None,
            stalled_until: Moment::default(),
            rejoins: false,
            draining: false,
            gone: false,
        });
        let workers = &self.plan.workers[group];
        let later = self.rng.between(0, workers.spread_ns);
        let joins = workers.joins_ns + later;
        self.schedule(joins, Event::Joins(index));
        for (number, mishap) in workers.mishaps.iter().enumerate() {
            let at = (mishap.at_ns + later).max(joins + 1);
            self.schedule(at, Event::Befalls(index, number));
        }
    }

    fn finished(self) -> Finished {
        let mut tally = Tally::default();
        let mut busy_slots = 0;
        for process in &self.processes {
            tally += process.host.tally();
            busy_slots += if process.gone { 0 } else { process.host.busy_slots() };
        }
        Finished {
            outcome: self.answer,
            at: self.ended_at,
            tally,
            busy_slots,
            to_workers: self.to_workers,
            from_workers: self.from_workers,
            among_workers: self.among_workers,
            coordinator_busy_ns: self.busy_ns_at_end,
            events: self.events,
        }
    }

    fn schedule(&mut self, at_ns: u64, event: Event) {
        self.serial += 1;
        self.queue.push(Reverse(Entry { at: Moment(at_ns), serial: self.serial, event }));
    }

    fn breach(&mut self, rule: &'static str, seen: String) {
        self.breach.get_or_insert(Breach { rule, seen });
    }

    fn see(&mut self, sight: Sight<'_>) {
        if let Err(breach) = self.witness.see(self.now, sight) {
            self.breach.get_or_insert(breach);
        }
    }

    fn happen(&mut self, event: Event) {
        match event {
            Event::Joins(process) => self.joins(process),
            Event::Befalls(process, mishap) => self.befalls(process, mishap),
            Event::Noticed(session) => self.departs(session, Departure::Lost),
            Event::Severed(session) => self.severed(session),
            Event::Down(session) => self.arrives_down(session),
            Event::Up(session) => self.arrives_up(session),
            Event::SlotDue(process, slot) => {
                let now = self.now;
                self.with_host(process, |host, out| host.slot_due(now, slot, out));
            }
            Event::Tells(process) => {
                if !self.postponed(process, event) {
                    let now = self.now;
                    self.with_host(process, |host, out| host.tell(now, out));
                }
            }
            Event::Hears(index) => {
                let (process, _) = self.told[index];
                if !self.postponed(process, event) {
                    let (_, told) = self.told.remove(index);
                    self.with_host(process, |host, _| host.hear(told));
                }
            }
            Event::Submitted => {
                let mut setup = self.plan.setup.clone();
                if self.plan.shared_table {
                    setup.sharing = setup.sharing.min(Sharing::Process);
                }
                let setup = Arc::new(setup);
                let processors = self.plan.processors;
                let request = Request { search: SEARCH, setup, processors };
                self.tell(CoordinatorInput::Submitted(request));
            }
            Event::Aborted => self.tell(CoordinatorInput::Aborted(SEARCH)),
            Event::Woken => {
                self.wakes_at = None;
                self.tell(CoordinatorInput::Woken);
            }
        }
    }

    fn joins(&mut self, index: usize) {
        if !self.postponed(index, Event::Joins(index)) {
            self.processes[index].rejoins = true;
            self.with_host(index, |_, _| ());
        }
    }

    /// Whether the process stands still, so that the event happens when it goes on.
    fn postponed(&mut self, index: usize, event: Event) -> bool {
        let until = self.processes[index].stalled_until;
        if until > self.now {
            self.schedule(until.0, event);
        }
        until > self.now
    }

    fn befalls(&mut self, index: usize, number: usize) {
        let process = &self.processes[index];
        let session = process.session;
        match self.plan.workers[process.group].mishaps[number].what {
            What::Killed { unnoticed_ns } => {
                self.processes[index].gone = true;
                if let Some(session) = session {
                    self.sessions[session].close();
                    self.schedule(self.now.0 + unnoticed_ns, Event::Noticed(session));
                }
            }
            What::Drains => {
                if !self.postponed(index, Event::Befalls(index, number)) {
                    let now = self.now;
                    self.processes[index].draining = true;
                    self.with_host(index, |host, out| host.drain(now, out));
                }
            }
            What::Stalls { for_ns } => self.stalls(index, for_ns),
            What::Breaks { coordinator_notices_ns, worker_notices_ns, rejoins_ns } => {
                if let Some(session) = session {
                    self.sessions[session].close();
                    self.sessions[session].rejoins_ns = rejoins_ns;
                    self.schedule(self.now.0 + coordinator_notices_ns, Event::Noticed(session));
                    self.schedule(self.now.0 + worker_notices_ns, Event::Severed(session));
                }
            }
        }
    }

    fn stalls(&mut self, index: usize, for_ns: u64) {
        let process = &mut self.processes[index];
        let until = Moment(self.now.0 + for_ns);
        let longer = until.since(process.stalled_until.max(self.now));
        process.stalled_until = process.stalled_until.max(until);
        process.host.stall(longer);
        if let Some(session) = process.session
            && for_ns >= self.plan.silence_ns
        {
            self.schedule(self.now.0 + self.plan.silence_ns, Event::Noticed(session));
            self.schedule(until.0, Event::Severed(session));
        }
    }

    /// The coordinator learns that a session is over.
    fn departs(&mut self, index: usize, departure: Departure) {
        let session = &mut self.sessions[index];
        if !std::mem::replace(&mut session.departed, true) {
            session.close();
            self.tell(CoordinatorInput::Departed { worker: id(index), departure });
        }
    }

    /// The worker learns that its session is over.
    fn severed(&mut self, session: usize) {
        let Session { process, rejoins_ns, .. } = self.sessions[session];
        if self.postponed(process, Event::Severed(session)) {
            return;
        }
        let now = self.now;
        let severed = &mut self.processes[process];
        if severed.session == Some(session) {
            severed.session = None;
            severed.rejoins = false;
            self.with_host(process, |host, out| host.disconnect(now, out));
            self.schedule(now.0 + rejoins_ns, Event::Joins(process));
        }
    }

    fn arrives_down(&mut self, session: usize) {
        let process = self.sessions[session].process;
        if self.postponed(process, Event::Down(session)) {
            return;
        }
        let Some(mut message) = self.sessions[session].down.arrive() else {
            return;
        };
        if self.processes[process].gone {
            return;
        }
        let (now, worker) = (self.now, id(session));
        self.see(Sight::Delivered { worker, message: &message });
        (self.tamper)(worker, Crossing::Arriving(&mut message));
        self.with_host(process, |host, out| host.receive(now, message, out));
    }

    fn arrives_up(&mut self, index: usize) {
        let worker = id(index);
        let session = &mut self.sessions[index];
        match session.up.arrive() {
            None => {}
            Some(Upward::Hello) => {
                let (slots, name) = (session.slots, format!("process-{}", session.process).into());
                self.tell(CoordinatorInput::Joined {
                    worker,
                    name,
                    slots,
                    address: Some("".into()),
                });
            }
            Some(Upward::Message(message)) => {
                self.see(Sight::TakenIn { worker, message: &message });
                self.tell(CoordinatorInput::Received { worker, message });
            }
            Some(Upward::Goodbye) => self.departs(index, Departure::Left),
        }
    }

    /// Lets a living host do something and carries out what it wants.
    fn with_host(&mut self, index: usize, act: impl FnOnce(&mut Host, &mut Vec<HostOutput>)) {
        let process = &mut self.processes[index];
        if process.gone {
            return;
        }
        let mut outputs = std::mem::take(&mut self.outputs);
        act(&mut process.host, &mut outputs);
        for output in outputs.drain(..) {
            match output {
                HostOutput::Send(message) => self.send_up(index, Upward::Message(message)),
                HostOutput::RunSlot(slot, after) => {
                    self.schedule(self.now.0 + after, Event::SlotDue(index, slot));
                }
                HostOutput::Searched(slot, job, nodes) => {
                    self.see(Sight::Searches { host: index, slot, job, nodes });
                }
                HostOutput::Tell(to, told) => self.carry(to, told),
                HostOutput::TellAfter(ns) => self.schedule(self.now.0 + ns, Event::Tells(index)),
            }
        }
        self.outputs = outputs;
        let process = &mut self.processes[index];
        if !process.host.is_idle() {
            return;
        }
        if process.draining {
            process.gone = true;
            self.send_up(index, Upward::Goodbye);
        } else if process.session.is_none() && process.rejoins {
            process.session = Some(self.sessions.len());
            let slots = self.plan.workers[process.group].slots;
            self.sessions.push(Session::new(index, slots));
            self.send_up(index, Upward::Hello);
        }
    }

    /// Brings something from one process to another; what is meant for a session that is over is lost.
    fn carry(&mut self, to: WorkerId, told: Told) {
        let session = usize::try_from(to.0).expect("worker ids are indices of sessions");
        self.among_workers.messages += 1;
        self.among_workers.bytes += told_bytes(&told.findings);
        let Some(session) = self.sessions.get(session).filter(|session| session.open) else {
            return;
        };
        let process = session.process;
        let latency = &self.plan.latency_ns;
        let arrival = self.now.0 + self.rng.between(*latency.start(), *latency.end());
        let index = self.told.insert((process, told));
        self.schedule(arrival, Event::Hears(index));
    }

    fn send_up(&mut self, process: usize, mut message: Upward) {
        let Some(index) = self.processes[process].session.filter(|&s| self.sessions[s].open) else {
            return;
        };
        let bytes = match &mut message {
            Upward::Message(message) => {
                (self.tamper)(id(index), Crossing::Leaving(message));
                let bytes = message.bytes();
                count(&mut self.from_workers, message.kind(), bytes);
                bytes
            }
            Upward::Hello | Upward::Goodbye => 0,
        };
        let session = &mut self.sessions[index];
        let arrival = session.up.send(message, bytes, self.now, self.plan, &mut self.rng);
        let (slots, under_way) = (session.slots, session.up.under_way());
        self.schedule(arrival.0, Event::Up(index));
        self.see(Sight::Sent { worker: id(index), slots, under_way });
    }

    fn send_down(&mut self, worker: WorkerId, message: ToWorker) {
        let index = usize::try_from(worker.0).expect("worker ids are indices of sessions");
        let session = &mut self.sessions[index];
        if !session.open {
            return;
        }
        let bytes = message.bytes();
        count(&mut self.to_workers, message.kind(), bytes);
        let leaves = self.free_at.max(self.now);
        let arrival = session.down.send(message, bytes, leaves, self.plan, &mut self.rng);
        let (slots, under_way) = (session.slots, session.down.under_way());
        self.schedule(arrival.0, Event::Down(index));
        self.see(Sight::Sent { worker, slots, under_way });
    }

    /// The coordinator takes in a fact, when it gets to it, and its outputs are carried out.
    fn tell(&mut self, input: CoordinatorInput) {
        self.busy(self.plan.message_in_ns);
        self.coordinator.handle(self.free_at, input);
        while let Some(output) = self.coordinator.poll_output() {
            match output {
                CoordinatorOutput::Send { worker, message } => {
                    self.busy(self.plan.message_out_ns);
                    self.send_down(worker, message);
                }
                CoordinatorOutput::Disconnect { worker, reason } => {
                    self.breach("workers keep to the protocol", format!("{worker}: {reason}"));
                }
                CoordinatorOutput::Answer { outcome, .. } => self.answered(outcome),
                CoordinatorOutput::Trace(traced) => {
                    if matches!(traced.event, TraceEvent::SearchEnded { .. }) {
                        (self.ended_at, self.busy_ns_at_end) = (traced.at, self.busy_ns);
                    }
                    self.see(Sight::Traced(&traced));
                }
            }
        }
        if let Some((due, _)) = self.coordinator.poll_timeout() {
            let due = due.max(self.now);
            if self.wakes_at.is_none_or(|wakes| due < wakes) {
                self.wakes_at = Some(due);
                self.schedule(due.0, Event::Woken);
            }
        }
    }

    fn answered(&mut self, outcome: Outcome) {
        if let Some(first) = self.answer.replace(outcome) {
            self.breach("a search is answered once", format!("after {first:?}"));
        }
    }

    fn busy(&mut self, ns: u64) {
        self.free_at = Moment(self.free_at.max(self.now).0 + ns);
        self.busy_ns += ns;
    }
}

fn count(kinds: &mut BTreeMap<&'static str, Sent>, kind: &'static str, bytes: u64) {
    let sent = kinds.entry(kind).or_default();
    sent.messages += 1;
    sent.bytes += bytes;
}

impl Finished {
    /// Messages and bytes in both directions.
    #[must_use]
    pub fn traffic(&self) -> Sent {
        let all = self.to_workers.values().chain(self.from_workers.values());
        all.fold(Sent::default(), |sum, sent| Sent {
            messages: sum.messages + sent.messages,
            bytes: sum.bytes + sent.bytes,
        })
    }
}

fn id(session: usize) -> WorkerId {
    WorkerId(session as u64)
}
