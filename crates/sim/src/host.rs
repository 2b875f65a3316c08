//! A simulated worker process: the real worker machine on real searches, on virtual time.

use crate::toll;
use game::{Finding, Tally};
use search::{Problem, Run, SlotSearch, Table};
use std::sync::Arc;
use ybw::{
    Assignment, FromWorker, JobId, Moment, Relay, Slot, SlotEvent, Spent, ToWorker, WindowEffect,
    Wish, Worker, WorkerId, WorkerInput, WorkerOutput,
};

/// What a slot is told while it searches; it looks when it pauses.
#[derive(Debug)]
enum Mail {
    Narrow(JobId, game::Window),
    Stop(JobId),
    Split(JobId, Wish),
}

/// A search thread.
struct SlotHost {
    search: Box<dyn SlotSearch>,
    job: Option<JobId>,
    mail: Vec<Mail>,
    wish: Option<Wish>,
    spent: Spent,
    /// What the search came to, to be told when the time it took has passed.
    finished: Option<SlotEvent>,
    /// By how much the process stood still during the stretch that is under way.
    late_ns: u64,
}

/// A worker process.
pub(crate) struct Host {
    machine: Worker,
    slots: Vec<SlotHost>,
    /// What its slots share.
    table: Option<Arc<Table>>,
    /// Entries are told to others from so many remaining plies on.
    floor: u8,
    node_ns: u64,
    nodes_per_poll: u64,
    telling: Telling,
    relay: Relay,
    /// This process, as the others know it.
    own: WorkerId,
    /// Whether [`HostOutput::TellAfter`] was said and [`Host::tell`] has not been called since.
    tells: bool,
    /// Positions its slots have entered in all.
    tally: Tally,
}

/// How often a process tells others what it found out, and what it costs it to tell or to be told.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Telling {
    pub(crate) interval_ns: u64,
    pub(crate) message_ns: u64,
    pub(crate) finding_ns: u64,
}

/// What one process tells another.
#[derive(Debug)]
pub(crate) struct Told {
    pub(crate) from: WorkerId,
    pub(crate) findings: Vec<Finding>,
}

/// What a host wants the world to do.
#[derive(Debug)]
pub(crate) enum HostOutput {
    Send(FromWorker),
    /// Call [`Host::slot_due`] after so many nanoseconds.
    RunSlot(Slot, u64),
    /// A slot searched so many positions of a job.
    Searched(Slot, JobId, u64),
    /// Bring this to the process that has this session.
    Tell(WorkerId, Told),
    /// Call [`Host::tell`] after so many nanoseconds.
    TellAfter(u64),
}

/// The tables of a host's slots.
#[derive(Clone)]
pub(crate) enum Tables {
    /// None, or one for each slot of so many MiB.
    Own(u32),
    /// One for all of them, which may be that of other hosts too.
    Shared(Arc<Table>),
}

impl Tables {
    fn of_slot(&self) -> Option<Arc<Table>> {
        match self {
            Tables::Own(0) => None,
            Tables::Own(mib) => Some(Arc::new(Table::new(*mib))),
            Tables::Shared(table) => Some(table.clone()),
        }
    }
}

/// What a host is made of.
pub(crate) struct Kit<'a> {
    pub(crate) problem: &'a Arc<dyn Problem>,
    /// The tables of its slots.
    pub(crate) tables: Tables,
    pub(crate) slots: u16,
    pub(crate) node_ns: u64,
    pub(crate) nodes_per_poll: u64,
    pub(crate) telling: Telling,
}

impl Host {
    pub(crate) fn new(kit: Kit<'_>) -> Host {
        let slot = |_| SlotHost {
            search: kit.problem.slot(kit.tables.of_slot(), toll::charge),
            job: None,
            mail: Vec::new(),
            wish: None,
            spent: Spent::default(),
            finished: None,
            late_ns: 0,
        };
        Host {
            machine: Worker::new(kit.slots),
            slots: (0..kit.slots).map(slot).collect(),
            table: match kit.tables {
                Tables::Own(_) => None,
                Tables::Shared(table) => Some(table),
            },
            floor: kit.problem.split_floor(),
            node_ns: kit.node_ns,
            nodes_per_poll: kit.nodes_per_poll,
            telling: kit.telling,
            relay: Relay::default(),
            own: WorkerId(0),
            tells: false,
            tally: Tally::default(),
        }
    }

    /// Whether no slot has a job.
    pub(crate) fn is_idle(&self) -> bool {
        self.machine.is_idle()
    }

    /// Slots with a job.
    pub(crate) fn busy_slots(&self) -> usize {
        self.slots.iter().filter(|slot| slot.job.is_some()).count()
    }

    /// Positions its slots have entered in all.
    pub(crate) fn tally(&self) -> Tally {
        self.tally
    }

    pub(crate) fn receive(&mut self, now: Moment, message: ToWorker, out: &mut Vec<HostOutput>) {
        self.handle(now, WorkerInput::Received(message), out);
    }

    pub(crate) fn drain(&mut self, now: Moment, out: &mut Vec<HostOutput>) {
        self.handle(now, WorkerInput::Draining, out);
    }

    pub(crate) fn disconnect(&mut self, now: Moment, out: &mut Vec<HostOutput>) {
        self.relay = Relay::default();
        self.handle(now, WorkerInput::Disconnected, out);
    }

    /// The process stands still for so long: what its slots are at takes that much longer.
    pub(crate) fn stall(&mut self, for_ns: u64) {
        for slot in self.slots.iter_mut().filter(|slot| slot.job.is_some()) {
            slot.late_ns += for_ns;
        }
    }

    /// The time that the slot's last stretch of searching took has passed.
    pub(crate) fn slot_due(&mut self, now: Moment, slot: Slot, out: &mut Vec<HostOutput>) {
        let host = &mut self.slots[usize::from(slot.0)];
        let late = std::mem::take(&mut host.late_ns);
        if late > 0 {
            out.push(HostOutput::RunSlot(slot, late));
            return;
        }
        let mut events = Vec::new();
        if let Some(event) = host.finished.take() {
            (host.job, host.wish) = (None, None);
            // The mail is for a job that is done.
            host.read_mail(&mut events);
            events.push(event);
        } else {
            host.read_mail(&mut events);
        }
        // A job that is started next has a due time of its own.
        let goes_on = host.job.is_some();
        for event in events {
            self.handle(now, WorkerInput::Slot(slot, event), out);
        }
        if goes_on {
            self.search_on(slot, out);
        }
    }

    fn handle(&mut self, now: Moment, input: WorkerInput, out: &mut Vec<HostOutput>) {
        self.machine.handle(now, input);
        while let Some(output) = self.machine.poll_output() {
            match output {
                WorkerOutput::Send(message) => out.push(HostOutput::Send(message)),
                WorkerOutput::Start { slot, assignment } => self.start(slot, assignment, out),
                WorkerOutput::Narrow { slot, job, window } => {
                    self.post(slot, Mail::Narrow(job, window));
                }
                WorkerOutput::Stop { slot, job } => self.post(slot, Mail::Stop(job)),
                WorkerOutput::Split { slot, job, wish } => self.post(slot, Mail::Split(job, wish)),
                WorkerOutput::Learn { findings, .. } => self.learn(&findings),
                WorkerOutput::Peers { own, members, joined, gone, .. } => {
                    self.own = own;
                    let joined = joined.iter().map(|peer| peer.worker);
                    self.relay.change(joined, &gone, members);
                    self.table.iter().for_each(|table| table.share_from(self.floor));
                    self.tell_later(out);
                }
                WorkerOutput::Forget { .. } => self.relay = Relay::default(),
                WorkerOutput::Prepare { .. } => {}
            }
        }
    }

    /// Stores what the coordinator concluded.
    fn learn(&self, findings: &[Finding]) {
        if let Some(table) = &self.table {
            for &Finding { key, entry } in findings {
                table.store(key, entry);
            }
        }
    }

    /// Tells the neighbours what is new.
    pub(crate) fn tell(&mut self, now: Moment, out: &mut Vec<HostOutput>) {
        self.tells = false;
        if let Some(table) = &self.table {
            let own = table.take_fresh(self.relay.allowance(now));
            self.relay.found(&own);
        }
        for (neighbour, findings) in self.relay.take() {
            self.lose(self.telling.message_ns);
            out.push(HostOutput::Tell(neighbour, Told { from: self.own, findings }));
        }
        self.tell_later(out);
    }

    fn tell_later(&mut self, out: &mut Vec<HostOutput>) {
        if !self.relay.is_empty() && !std::mem::replace(&mut self.tells, true) {
            out.push(HostOutput::TellAfter(self.telling.interval_ns));
        }
    }

    /// Stores what a neighbour told, to be told to the other ones as far as it is new.
    pub(crate) fn hear(&mut self, Told { from, mut findings }: Told) {
        let Telling { message_ns, finding_ns, .. } = self.telling;
        self.lose(message_ns + finding_ns * findings.len() as u64);
        if let Some(table) = &self.table {
            findings.retain(|&finding| table.learn(finding));
        }
        self.relay.heard(from, &findings);
    }

    /// The process is busy otherwise for so long, at the expense of its slots.
    fn lose(&mut self, ns: u64) {
        let each = ns / self.slots.len() as u64;
        self.stall(each);
    }

    fn post(&mut self, slot: Slot, mail: Mail) {
        self.slots[usize::from(slot.0)].mail.push(mail);
    }

    fn start(&mut self, slot: Slot, assignment: Assignment, out: &mut Vec<HostOutput>) {
        let host = &mut self.slots[usize::from(slot.0)];
        assert_eq!(host.job, None, "a slot gets one job at a time");
        let legal = host.search.start(&assignment.subtree);
        legal.expect("the coordinator hands out only what workers offered");
        host.job = Some(assignment.job);
        out.push(HostOutput::RunSlot(slot, 0));
    }

    /// Searches a stretch at once, and reports when its time will have passed. What it stores in its table
    /// is there from the beginning of the stretch on.
    fn search_on(&mut self, slot: Slot, out: &mut Vec<HostOutput>) {
        let host = &mut self.slots[usize::from(slot.0)];
        let job = host.job.expect("a slot that searches has a job");
        toll::take();
        let run = host.search.run(self.nodes_per_poll);
        let tally = host.search.take_tally();
        self.tally += tally;
        host.spent.tally += tally;
        if let Run::Done { value, line } = run {
            let spent = std::mem::take(&mut host.spent);
            host.finished = Some(SlotEvent::Finished { job, value, line, spent });
        }
        let nodes = tally.nodes + tally.quiescence;
        out.push(HostOutput::Searched(slot, job, nodes));
        out.push(HostOutput::RunSlot(slot, nodes.max(1) * self.node_ns + toll::take()));
    }
}

impl SlotHost {
    /// Does what the mail says. Commands for a job that the slot has left are ignored.
    fn read_mail(&mut self, events: &mut Vec<SlotEvent>) {
        for mail in std::mem::take(&mut self.mail) {
            match mail {
                Mail::Narrow(job, window) => {
                    let effect = if self.job == Some(job) {
                        WindowEffect::Applied(self.search.narrow(window))
                    } else {
                        WindowEffect::Late
                    };
                    events.push(SlotEvent::Narrowed { job, window, effect });
                }
                Mail::Split(job, wish) if self.job == Some(job) => self.wish = Some(wish),
                Mail::Stop(job) if self.job == Some(job) => {
                    self.search.stop();
                    (self.job, self.wish) = (None, None);
                    let spent = std::mem::take(&mut self.spent);
                    events.push(SlotEvent::Stopped { job, spent });
                }
                Mail::Split(..) | Mail::Stop(_) => {}
            }
        }
        events.extend(self.offer());
    }

    fn offer(&mut self) -> Option<SlotEvent> {
        let (job, Wish { next, grain }) = (self.job?, self.wish?);
        let nodes = self.search.split(grain)?;
        self.wish = None;
        self.job = Some(next);
        let spent = std::mem::take(&mut self.spent);
        Some(SlotEvent::Offered { job, next, nodes, spent })
    }
}
