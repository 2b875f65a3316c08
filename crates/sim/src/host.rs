//! A simulated worker process: the real worker machine on real searches, on virtual time.

use game::{Finding, Setup, Tally};
use search::{Problem, Run, SlotSearch, Table};
use std::sync::Arc;
use ybw::{
    Assignment, FromWorker, JobId, Moment, Slot, SlotEvent, Spent, ToWorker, Worker, WorkerInput,
    WorkerOutput,
};

/// What a slot is told while it searches; it looks when it pauses.
#[derive(Debug)]
enum Mail {
    Narrow(JobId, game::Window),
    Stop(JobId),
    Split(JobId, JobId),
}

/// A search thread.
struct SlotHost {
    search: Box<dyn SlotSearch>,
    job: Option<JobId>,
    mail: Vec<Mail>,
    wish: Option<JobId>,
    spent: Spent,
    /// What the search came to, to be told when the time it took has passed.
    finished: Option<SlotEvent>,
}

/// A worker process.
pub(crate) struct Host {
    pub(crate) machine: Worker,
    slots: Vec<SlotHost>,
    table: Option<Arc<Table>>,
    node_ns: u64,
    nodes_per_poll: u64,
    /// Positions its slots have entered in all.
    pub(crate) tally: Tally,
}

/// What a host wants the world to do.
#[derive(Debug)]
pub(crate) enum HostOutput {
    Send(FromWorker),
    /// Call [`Host::slot_due`] after so many nanoseconds.
    RunSlot(Slot, u64),
}

impl Host {
    pub(crate) fn new(
        problem: &Arc<dyn Problem>,
        setup: &Setup,
        slots: u16,
        node_ns: u64,
        nodes_per_poll: u64,
    ) -> Host {
        let table = (setup.table_mib > 0).then(|| Arc::new(Table::new(setup.table_mib)));
        let slot = |_| SlotHost {
            search: problem.slot(table.clone(), |_| ()),
            job: None,
            mail: Vec::new(),
            wish: None,
            spent: Spent::default(),
            finished: None,
        };
        Host {
            machine: Worker::new(slots),
            slots: (0..slots).map(slot).collect(),
            table,
            node_ns,
            nodes_per_poll,
            tally: Tally::default(),
        }
    }

    pub(crate) fn receive(&mut self, now: Moment, message: ToWorker) -> Vec<HostOutput> {
        self.handle(now, WorkerInput::Received(message))
    }

    pub(crate) fn drain(&mut self, now: Moment) -> Vec<HostOutput> {
        self.handle(now, WorkerInput::Draining)
    }

    /// The time that the slot's last stretch of searching took has passed.
    pub(crate) fn slot_due(&mut self, now: Moment, slot: Slot) -> Vec<HostOutput> {
        let host = &mut self.slots[usize::from(slot.0)];
        if let Some(event) = host.finished.take() {
            host.job = None;
            host.wish = None;
            host.spent.windows_late += host.drop_mail();
            return self.handle(now, WorkerInput::Slot(slot, event));
        }
        match host.read_mail() {
            // The next job, if there is one, was started with a due time of its own.
            Some(event @ SlotEvent::Stopped { .. }) => {
                self.handle(now, WorkerInput::Slot(slot, event))
            }
            Some(event) => {
                let mut outputs = self.handle(now, WorkerInput::Slot(slot, event));
                outputs.push(self.search_on(slot));
                outputs
            }
            None => vec![self.search_on(slot)],
        }
    }

    fn handle(&mut self, now: Moment, input: WorkerInput) -> Vec<HostOutput> {
        let mut outputs = Vec::new();
        self.machine.handle(now, input);
        while let Some(output) = self.machine.poll_output() {
            match output {
                WorkerOutput::Send(message) => outputs.push(HostOutput::Send(message)),
                WorkerOutput::Start { slot, assignment } => {
                    outputs.push(self.start(slot, assignment));
                }
                WorkerOutput::Narrow { slot, job, window } => {
                    self.post(slot, Mail::Narrow(job, window));
                }
                WorkerOutput::Stop { slot, job } => self.post(slot, Mail::Stop(job)),
                WorkerOutput::Split { slot, job, next } => self.post(slot, Mail::Split(job, next)),
                WorkerOutput::Learn { findings, .. } => self.learn(&findings),
                WorkerOutput::Prepare { .. }
                | WorkerOutput::Peers { .. }
                | WorkerOutput::Forget { .. } => {}
            }
        }
        outputs
    }

    /// Stores what the coordinator concluded.
    fn learn(&self, findings: &[Finding]) {
        if let Some(table) = &self.table {
            for &Finding { key, entry } in findings {
                table.store(key, entry);
            }
        }
    }

    fn post(&mut self, slot: Slot, mail: Mail) {
        self.slots[usize::from(slot.0)].mail.push(mail);
    }

    fn start(&mut self, slot: Slot, assignment: Assignment) -> HostOutput {
        let host = &mut self.slots[usize::from(slot.0)];
        assert_eq!(host.job, None, "a slot gets one job at a time");
        let legal = host.search.start(&assignment.subtree);
        legal.expect("the coordinator hands out only what workers offered");
        host.job = Some(assignment.job);
        HostOutput::RunSlot(slot, 0)
    }

    /// Searches a stretch at once, and reports when its time will have passed.
    fn search_on(&mut self, slot: Slot) -> HostOutput {
        let host = &mut self.slots[usize::from(slot.0)];
        let run = host.search.run(self.nodes_per_poll);
        let tally = host.search.take_tally();
        self.tally += tally;
        host.spent.tally += tally;
        if let (Run::Done { value, line }, Some(job)) = (run, host.job) {
            let spent = std::mem::take(&mut host.spent);
            host.finished = Some(SlotEvent::Finished { job, value, line, spent });
        }
        let nodes = tally.nodes + tally.quiescence;
        HostOutput::RunSlot(slot, nodes.max(1) * self.node_ns)
    }
}

impl SlotHost {
    /// Does what the mail says. Commands for a job that the slot has left are ignored.
    fn read_mail(&mut self) -> Option<SlotEvent> {
        for mail in std::mem::take(&mut self.mail) {
            match mail {
                Mail::Narrow(job, window) if self.job == Some(job) => {
                    self.spent.windows_applied += 1;
                    self.spent.windows_cut += u64::from(self.search.narrow(window));
                }
                Mail::Split(job, next) if self.job == Some(job) => self.wish = Some(next),
                Mail::Stop(job) if self.job == Some(job) => {
                    self.search.stop();
                    (self.job, self.wish) = (None, None);
                    let spent = std::mem::take(&mut self.spent);
                    return Some(SlotEvent::Stopped { job, spent });
                }
                Mail::Narrow(..) => self.spent.windows_late += 1,
                Mail::Split(..) | Mail::Stop(_) => {}
            }
        }
        self.offer()
    }

    fn offer(&mut self) -> Option<SlotEvent> {
        let (job, next) = (self.job?, self.wish?);
        let nodes = self.search.split()?;
        self.wish = None;
        self.job = Some(next);
        let spent = std::mem::take(&mut self.spent);
        Some(SlotEvent::Offered { job, next, nodes, spent })
    }

    /// Drops the mail of a job that is done. Returns how many windows came too late.
    fn drop_mail(&mut self) -> u64 {
        let late = |mail: &Mail| matches!(mail, Mail::Narrow(..));
        self.mail.drain(..).filter(late).count() as u64
    }
}
