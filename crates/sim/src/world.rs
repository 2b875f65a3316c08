//! A discrete-event world for the real machines: [`run`].

use crate::host::{Host, HostOutput};
use crate::{Going, Plan, Rng};
use game::{GameError, Tally};
use search::{Catalogue, Problem};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap, VecDeque};
use std::sync::Arc;
use ybw::{
    Coordinator, CoordinatorInput, CoordinatorOutput, Departure, FromWorker, Moment, Outcome,
    Request, SearchId, Slot, ToWorker, TraceEvent, Traced, WorkerId,
};

/// The one search of a simulated run.
pub const SEARCH: SearchId = SearchId(1);

/// How a run went.
#[derive(Clone, PartialEq, Debug)]
pub struct Finished {
    /// How the search ended.
    pub outcome: Outcome,
    /// When the root was resolved or the search given up, in virtual nanoseconds.
    pub at: Moment,
    /// What all hosts did, whether anybody was told of it or not.
    pub tally: Tally,
    /// Messages sent to workers and to the coordinator.
    pub messages: u64,
    /// Virtual nanoseconds the coordinator was busy with messages.
    pub coordinator_busy_ns: u64,
    /// Events the world went through.
    pub events: u64,
}

/// Runs a plan to its end and shows every trace event to `watch`.
///
/// # Errors
/// If the plan's game or position cannot be read.
///
/// # Panics
/// If a machine breaks a rule: the search does not end, something runs on after its end, or a worker
/// that keeps to the protocol is sent away.
pub fn run(
    plan: &Plan,
    catalogue: &Catalogue,
    watch: &mut dyn FnMut(&Traced),
) -> Result<Finished, GameError> {
    let problem = catalogue.prepare(&plan.setup)?;
    let mut world = World::new(plan, problem, watch);
    world.populate();
    while let Some(Reverse(entry)) = world.queue.pop() {
        world.now = entry.at;
        world.events += 1;
        world.happen(entry.event);
    }
    Ok(world.finished())
}

#[derive(PartialEq, Eq, PartialOrd, Ord, Clone, Copy, Debug)]
enum Event {
    Joins(usize),
    Goes(usize),
    /// The coordinator notices that a worker is dead.
    Noticed(usize),
    /// The oldest message under way to the worker arrives.
    Down(usize),
    /// The oldest message under way from the worker arrives.
    Up(usize),
    SlotDue(usize, Slot),
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

/// A message stream in one direction: ordered, delayed, and lost as a whole when it breaks.
struct Stream<M> {
    under_way: VecDeque<M>,
    last_arrival: Moment,
}

impl<M> Stream<M> {
    fn new() -> Stream<M> {
        Stream { under_way: VecDeque::new(), last_arrival: Moment::default() }
    }
}

struct Link {
    host: Host,
    down: Stream<ToWorker>,
    up: Stream<Upward>,
    alive: bool,
    draining: bool,
}

#[derive(Debug)]
enum Upward {
    Hello,
    Message(FromWorker),
    Goodbye,
}

struct World<'a> {
    plan: &'a Plan,
    problem: Arc<dyn Problem>,
    watch: &'a mut dyn FnMut(&Traced),
    coordinator: Coordinator,
    links: BTreeMap<usize, Link>,
    rng: Rng,
    now: Moment,
    queue: BinaryHeap<Reverse<Entry>>,
    serial: u64,
    /// When the coordinator has worked off all messages so far.
    free_at: Moment,
    answer: Option<Outcome>,
    ended_at: Moment,
    tally: Tally,
    messages: u64,
    coordinator_busy_ns: u64,
    events: u64,
}

impl<'a> World<'a> {
    fn new(
        plan: &'a Plan,
        problem: Arc<dyn Problem>,
        watch: &'a mut dyn FnMut(&Traced),
    ) -> World<'a> {
        World {
            plan,
            problem,
            watch,
            coordinator: Coordinator::new(),
            links: BTreeMap::new(),
            rng: Rng::new(plan.seed),
            now: Moment::default(),
            queue: BinaryHeap::new(),
            serial: 0,
            free_at: Moment::default(),
            answer: None,
            ended_at: Moment::default(),
            tally: Tally::default(),
            messages: 0,
            coordinator_busy_ns: 0,
            events: 0,
        }
    }

    fn populate(&mut self) {
        self.schedule(Moment(0), Event::Submitted);
        for (index, worker) in self.plan.workers.iter().enumerate() {
            self.schedule(Moment(worker.joins_ns), Event::Joins(index));
            if let Some((at, _)) = worker.goes {
                self.schedule(Moment(at.max(worker.joins_ns + 1)), Event::Goes(index));
            }
        }
        if let Some(at) = self.plan.abort_ns {
            self.schedule(Moment(at), Event::Aborted);
        }
    }

    fn finished(self) -> Finished {
        assert!(self.coordinator.progress().is_none(), "the search is over");
        let idle = |link: &Link| !link.alive || link.host.machine.is_idle();
        assert!(self.links.values().all(idle), "nothing runs after the end");
        let outcome = self.answer.expect("every search is answered");
        let tally = self.links.values().fold(self.tally, |mut sum, link| {
            sum += link.host.tally;
            sum
        });
        Finished {
            outcome,
            at: self.ended_at,
            tally,
            messages: self.messages,
            coordinator_busy_ns: self.coordinator_busy_ns,
            events: self.events,
        }
    }

    fn schedule(&mut self, at: Moment, event: Event) {
        self.serial += 1;
        self.queue.push(Reverse(Entry { at, serial: self.serial, event }));
    }

    fn happen(&mut self, event: Event) {
        match event {
            Event::Joins(index) => self.joins(index),
            Event::Goes(index) => self.goes(index),
            Event::Noticed(index) => self.departs(index, Departure::Lost),
            Event::Down(index) => self.arrives_down(index),
            Event::Up(index) => self.arrives_up(index),
            Event::SlotDue(index, slot) => {
                let now = self.now;
                self.with_host(index, |host| host.slot_due(now, slot));
            }
            Event::Submitted => {
                let setup = Arc::new(self.plan.setup.clone());
                let request = Request { search: SEARCH, setup, processors: 0 };
                self.tell(CoordinatorInput::Submitted(request));
            }
            Event::Aborted => self.tell(CoordinatorInput::Aborted(SEARCH)),
            Event::Woken => self.tell(CoordinatorInput::Woken),
        }
    }

    fn joins(&mut self, index: usize) {
        let plan = &self.plan.workers[index];
        let polls = self.plan.nodes_per_poll;
        let host = Host::new(&self.problem, &self.plan.setup, plan.slots, plan.node_ns, polls);
        let (down, up) = (Stream::new(), Stream::new());
        self.links.insert(index, Link { host, down, up, alive: true, draining: false });
        self.send_up(index, Upward::Hello);
    }

    fn goes(&mut self, index: usize) {
        let Some((_, going)) = self.plan.workers[index].goes else {
            return;
        };
        match going {
            Going::Killed(unnoticed_ns) => {
                if let Some(link) = self.links.get_mut(&index) {
                    link.alive = false;
                    link.up.under_way.clear();
                }
                self.schedule(Moment(self.now.0 + unnoticed_ns), Event::Noticed(index));
            }
            Going::Drains => {
                let now = self.now;
                if let Some(link) = self.links.get_mut(&index) {
                    link.draining = true;
                }
                self.with_host(index, |host| host.drain(now));
            }
        }
    }

    fn departs(&mut self, index: usize, departure: Departure) {
        self.tell(CoordinatorInput::Departed { worker: id(index), departure });
    }

    fn arrives_down(&mut self, index: usize) {
        let now = self.now;
        let Some(link) = self.links.get_mut(&index) else {
            return;
        };
        let Some(message) = link.down.under_way.pop_front() else {
            return;
        };
        self.with_host(index, |host| host.receive(now, message));
    }

    fn arrives_up(&mut self, index: usize) {
        let Some(link) = self.links.get_mut(&index) else {
            return;
        };
        let Some(message) = link.up.under_way.pop_front() else {
            return;
        };
        let worker = id(index);
        match message {
            Upward::Hello => {
                let slots = self.plan.workers[index].slots;
                let address = None;
                self.tell(CoordinatorInput::Joined { worker, slots, address });
            }
            Upward::Message(message) => self.tell(CoordinatorInput::Received { worker, message }),
            Upward::Goodbye => self.departs(index, Departure::Left),
        }
    }

    /// Lets a living host do something and carries out what it wants.
    fn with_host(&mut self, index: usize, act: impl FnOnce(&mut Host) -> Vec<HostOutput>) {
        let Some(link) = self.links.get_mut(&index).filter(|link| link.alive) else {
            return;
        };
        for output in act(&mut link.host) {
            match output {
                HostOutput::Send(message) => self.send_up(index, Upward::Message(message)),
                HostOutput::RunSlot(slot, after) => {
                    self.schedule(Moment(self.now.0 + after), Event::SlotDue(index, slot));
                }
            }
        }
        let Some(link) = self.links.get_mut(&index) else {
            return;
        };
        if link.draining && link.host.machine.is_idle() {
            link.alive = false;
            self.send_up(index, Upward::Goodbye);
        }
    }

    fn send_up(&mut self, index: usize, message: Upward) {
        let arrival = self.arrival(self.now);
        let Some(link) = self.links.get_mut(&index) else {
            return;
        };
        link.up.under_way.push_back(message);
        link.up.last_arrival = link.up.last_arrival.max(arrival);
        self.messages += 1;
        let at = link.up.last_arrival;
        self.schedule(at, Event::Up(index));
    }

    fn send_down(&mut self, worker: WorkerId, message: ToWorker) {
        let index = usize::try_from(worker.0).expect("worker ids are small");
        let arrival = self.arrival(self.free_at.max(self.now));
        let Some(link) = self.links.get_mut(&index) else {
            return;
        };
        link.down.under_way.push_back(message);
        link.down.last_arrival = link.down.last_arrival.max(arrival);
        self.messages += 1;
        let at = link.down.last_arrival;
        self.schedule(at, Event::Down(index));
    }

    fn arrival(&mut self, leaves: Moment) -> Moment {
        let (low, high) = (*self.plan.latency_ns.start(), *self.plan.latency_ns.end());
        Moment(leaves.0 + self.rng.between(low, high))
    }

    /// The coordinator takes in a fact, when it gets to it, and its outputs are carried out.
    fn tell(&mut self, input: CoordinatorInput) {
        self.busy();
        let now = self.free_at;
        self.coordinator.handle(now, input);
        while let Some(output) = self.coordinator.poll_output() {
            match output {
                CoordinatorOutput::Send { worker, message } => {
                    self.busy();
                    self.send_down(worker, message);
                }
                CoordinatorOutput::Disconnect { worker, reason } => {
                    panic!("{worker} keeps to the protocol, yet is sent away: {reason}");
                }
                CoordinatorOutput::Answer { outcome, .. } => {
                    assert!(self.answer.is_none(), "a search is answered once");
                    self.answer = Some(outcome);
                }
                CoordinatorOutput::Trace(traced) => {
                    if matches!(traced.event, TraceEvent::SearchEnded { .. }) {
                        self.ended_at = traced.at;
                    }
                    (self.watch)(&traced);
                }
            }
        }
        if let Some((due, _)) = self.coordinator.poll_timeout() {
            self.schedule(due.max(self.now), Event::Woken);
        }
    }

    fn busy(&mut self) {
        self.free_at = self.free_at.max(self.now);
        self.free_at.0 += self.plan.message_ns;
        self.coordinator_busy_ns += self.plan.message_ns;
    }
}

fn id(index: usize) -> WorkerId {
    WorkerId(index as u64)
}
