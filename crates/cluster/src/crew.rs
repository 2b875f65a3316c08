//! A worker machine and the threads it commands: [`Crew`].
//!
//! The same for a worker process, for the coordinator's own threads and for a search in one
//! process: messages for the machine go in, messages for the coordinator come out.

use crate::clock::Clock;
use crate::memory::check_table;
use crate::peers::Peers;
use crate::searches::{Prepared, Searches};
use crate::slots::{Command, Sink, SlotReport, Slots};
use crate::{Error, TableFile};
use game::Setup;
use search::Catalogue;
use std::collections::{BTreeSet, VecDeque};
use ybw::{
    Assignment, FromWorker, JobId, SearchId, Slot, SlotEvent, Spent, Worker, WorkerInput,
    WorkerOutput,
};

/// A worker machine joined to its threads.
#[derive(Debug)]
pub(crate) struct Crew {
    clock: Clock,
    catalogue: Catalogue,
    machine: Worker,
    slots: Slots,
    threads: u16,
    searches: Searches,
    /// Whom to tell what is found out, in a process that others can reach.
    peers: Option<Peers>,
    /// Where the table that its threads share is kept from search to search.
    table_file: Option<TableFile>,
    /// Jobs that a thread could not search. They go back although the machine calls them stopped.
    refused: BTreeSet<JobId>,
}

impl Crew {
    /// So many idle threads, whose reports go to `sink` and from there to [`Crew::reported`].
    pub(crate) fn new(
        clock: Clock,
        catalogue: Catalogue,
        threads: u16,
        sink: &Sink,
    ) -> Result<Crew, Error> {
        check_threads(threads)?;
        Ok(Crew {
            clock,
            catalogue,
            machine: Worker::new(threads),
            slots: Slots::start(threads, sink)?,
            threads,
            searches: Searches::default(),
            peers: None,
            table_file: None,
            refused: BTreeSet::new(),
        })
    }

    /// The searches it is ready for.
    pub(crate) fn searches(&self) -> Searches {
        self.searches.clone()
    }

    /// From now on shares with others what it finds out. Needs a runtime to talk to them.
    pub(crate) fn share_with(&mut self, peers: Peers) {
        self.peers = Some(peers);
    }

    /// From now on keeps the table that its threads share in this file.
    pub(crate) fn keep_table_in(&mut self, file: TableFile) {
        self.table_file = Some(file);
    }

    /// Whether anybody wants to be told what it finds out.
    pub(crate) fn has_peers(&self) -> bool {
        self.peers.as_ref().is_some_and(|peers| !peers.is_empty())
    }

    /// Tells its neighbours what is new.
    pub(crate) fn tell_peers(&mut self) {
        let Some(peers) = &mut self.peers else { return };
        let Some(search) = peers.search() else { return };
        let Some(prepared) = self.searches.find(search) else { return };
        for (neighbour, findings) in prepared.take_news(self.clock.now()) {
            peers.tell(neighbour, findings);
        }
    }

    /// Takes in what happened and does what is to be done. Returns what to tell the coordinator.
    pub(crate) fn handle(&mut self, input: WorkerInput) -> Vec<FromWorker> {
        let disconnected = matches!(input, WorkerInput::Disconnected);
        let mut messages = Vec::new();
        let mut inputs = VecDeque::from([input]);
        while let Some(input) = inputs.pop_front() {
            self.machine.handle(self.clock.now(), input);
            while let Some(output) = self.machine.poll_output() {
                self.carry_out(output, &mut messages, &mut inputs);
            }
        }
        if disconnected {
            // After the threads were told to stop, so that they are idle when they read it.
            self.forget_all();
        }
        messages
    }

    /// Takes in what a thread reports. Returns what to tell the coordinator.
    ///
    /// # Errors
    /// If the thread died.
    pub(crate) fn reported(
        &mut self,
        slot: Slot,
        report: SlotReport,
    ) -> Result<Vec<FromWorker>, Error> {
        match report {
            SlotReport::Did(event) => Ok(self.handle(WorkerInput::Slot(slot, event))),
            SlotReport::Refused { job, search, reason } => {
                let mut messages = self.handle(WorkerInput::Unprepared { search, reason });
                let back = self.give_back(slot, job);
                messages.extend(self.handle(back));
                Ok(messages)
            }
            SlotReport::Died { cause } => Err(Error::ThreadDied { slot, cause }),
        }
    }

    /// Whether no thread has a job.
    pub(crate) fn is_idle(&self) -> bool {
        self.machine.is_idle()
    }

    fn carry_out(
        &mut self,
        output: WorkerOutput,
        messages: &mut Vec<FromWorker>,
        inputs: &mut VecDeque<WorkerInput>,
    ) {
        match output {
            WorkerOutput::Send(message) => messages.push(self.corrected(message)),
            WorkerOutput::Prepare { search, setup } => inputs.extend(self.prepare(search, &setup)),
            WorkerOutput::Start { slot, assignment } => {
                inputs.extend(self.start(slot, assignment));
            }
            WorkerOutput::Narrow { slot, job, window } => {
                self.slots.command(slot, Command::Narrow { job, window });
            }
            WorkerOutput::Stop { slot, job } => self.slots.command(slot, Command::Stop { job }),
            WorkerOutput::Split { slot, job, wish } => {
                self.slots.command(slot, Command::Split { job, wish });
            }
            WorkerOutput::Peers { search, own, members, joined, gone } => {
                let (Some(peers), Some(prepared)) = (&mut self.peers, self.searches.find(search))
                else {
                    return;
                };
                peers.change(search, own, &joined, &gone);
                prepared.tell(&joined, &gone, members);
            }
            WorkerOutput::Learn { search, findings } => {
                if let Some(prepared) = self.searches.find(search) {
                    prepared.store(&findings);
                }
            }
            WorkerOutput::Forget { search } => self.forget(search),
        }
    }

    fn prepare(&mut self, search: SearchId, setup: &Setup) -> Option<WorkerInput> {
        let problem = self.catalogue.prepare(setup).map_err(Error::from);
        match problem.and_then(|problem| check_table(setup.table_mib).map(|()| problem)) {
            Ok(problem) => {
                let threads = self.threads.into();
                let file = self.table_file.clone();
                self.searches.insert(Prepared::new(search, problem, setup, threads, file));
                None
            }
            Err(error) => Some(WorkerInput::Unprepared { search, reason: error.to_string() }),
        }
    }

    fn start(&mut self, slot: Slot, assignment: Assignment) -> Vec<WorkerInput> {
        if let Some(prepared) = self.searches.find(assignment.search) {
            self.slots.command(slot, Command::Start { assignment, prepared });
            return Vec::new();
        }
        let Assignment { job, search, .. } = assignment;
        let reason = format!("job {job} belongs to search {search}, which was never prepared");
        vec![WorkerInput::Unprepared { search, reason }, self.give_back(slot, job)]
    }

    fn give_back(&mut self, slot: Slot, job: JobId) -> WorkerInput {
        self.refused.insert(job);
        WorkerInput::Slot(slot, SlotEvent::Stopped { job, spent: Spent::default() })
    }

    fn corrected(&mut self, message: FromWorker) -> FromWorker {
        match message {
            FromWorker::Stopped { job, spent } if self.refused.remove(&job) => {
                FromWorker::Returned { job, spent }
            }
            message => message,
        }
    }

    fn forget(&mut self, search: SearchId) {
        self.searches.remove(search);
        self.slots.forget(search);
        if let Some(peers) = &mut self.peers
            && peers.search() == Some(search)
        {
            peers.clear();
        }
    }

    fn forget_all(&mut self) {
        self.refused.clear();
        self.peers.iter_mut().for_each(Peers::clear);
        while let Some(search) = self.searches.pop() {
            self.slots.forget(search);
        }
    }
}

/// Refuses a number of threads that no worker may have.
pub(crate) fn check_threads(threads: u16) -> Result<(), Error> {
    match threads {
        0 => Err(Error::NoThreads),
        given if u32::from(given) > wire::MAX_SLOTS => Err(Error::TooManyThreads { given }),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use game::{Depth, Move, NodeKind, Question, Score, Subtree, Value, Window};
    use std::sync::mpsc::{self, Receiver};
    use std::sync::{Arc, Mutex};
    use ybw::ToWorker;

    const SEARCH: SearchId = SearchId(1);

    /// A crew of one, and what its thread reports.
    fn crew() -> (Crew, Receiver<(Slot, SlotReport)>) {
        let (sender, reports) = mpsc::channel();
        let sender = Mutex::new(sender);
        let sink: Sink = Arc::new(move |slot, report| {
            let _ = sender.lock().unwrap().send((slot, report));
        });
        (Crew::new(Clock::start(), Catalogue::standard(), 1, &sink).unwrap(), reports)
    }

    fn prepare(game: &str) -> WorkerInput {
        let setup = Arc::new(Setup { table_mib: 1, ..Setup::new(game) });
        WorkerInput::Received(ToWorker::Prepare { search: SEARCH, setup })
    }

    fn assign(job: u64, path: &[Move]) -> WorkerInput {
        let question = Question { window: Window::FULL, kind: NodeKind::Pv };
        let (path, depth, hint) = (path.to_vec(), Depth::FULL, Vec::new());
        let subtree = Subtree { path, depth, question, hint };
        let assignment = Assignment { job: JobId(job), search: SEARCH, subtree };
        WorkerInput::Received(ToWorker::Assign(assignment))
    }

    /// What the crew says until it is idle.
    fn finish(crew: &mut Crew, reports: &Receiver<(Slot, SlotReport)>) -> Vec<FromWorker> {
        let mut messages = Vec::new();
        while !crew.is_idle() {
            let (slot, report) = reports.recv().unwrap();
            messages.extend(crew.reported(slot, report).unwrap());
        }
        messages
    }

    fn check_given_back(messages: &[FromWorker], complaint: &str) {
        match messages {
            [FromWorker::Unfit { search: SEARCH, reason }, FromWorker::Returned { job, .. }] => {
                assert_eq!(*job, JobId(1));
                assert!(reason.contains(complaint), "{reason}");
            }
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_job_that_cannot_be_searched_goes_back_with_the_reason() {
        let (mut crew, reports) = crew();
        assert_eq!(crew.handle(prepare("tictactoe")), []);
        assert_eq!(crew.handle(assign(1, &[Move(99)])), []);
        check_given_back(&finish(&mut crew, &reports), "job j1 cannot be searched");
    }

    #[test]
    fn a_job_of_a_search_that_was_never_prepared_goes_back() {
        let (mut crew, _reports) = crew();
        check_given_back(&crew.handle(assign(1, &[])), "never prepared");
        assert!(crew.is_idle());
    }

    #[test]
    fn a_job_of_an_unknown_game_goes_back() {
        let (mut crew, _reports) = crew();
        let mut messages = crew.handle(prepare("draughts"));
        messages.extend(crew.handle(assign(1, &[])));
        check_given_back(&messages, "draughts");
    }

    #[test]
    fn the_same_ids_from_another_coordinator_mean_other_searches() {
        let (mut crew, reports) = crew();
        for (game, score) in [("nim:1", 1), ("nim:1,1", -1), ("tictactoe", 0)] {
            crew.handle(prepare(game));
            crew.handle(assign(1, &[]));
            let messages = finish(&mut crew, &reports);
            let [FromWorker::Result { value, .. }] = messages.as_slice() else {
                panic!("{messages:?}");
            };
            assert_eq!(*value, Value::exact(Score::new(score)), "{game}");
            assert_eq!(crew.handle(WorkerInput::Disconnected), []);
        }
    }

    #[test]
    fn a_window_that_is_applied_is_acknowledged_at_once() {
        let (mut crew, reports) = crew();
        crew.handle(prepare("synthetic:b=8,d=12,cost=sleep:1ms"));
        crew.handle(assign(1, &[]));
        let (job, window) = (JobId(1), Window::null(Score::ZERO));
        crew.handle(WorkerInput::Received(ToWorker::Narrow { job, window }));
        let acknowledged = |message: &FromWorker| match message {
            FromWorker::Narrowed { job: of, window: applied, .. } => {
                (*of, *applied) == (job, window)
            }
            _ => false,
        };
        let mut told = false;
        while !told {
            let (slot, report) = reports.recv().unwrap();
            told = crew.reported(slot, report).unwrap().iter().any(acknowledged);
        }
        crew.handle(WorkerInput::Received(ToWorker::Cancel { job }));
        finish(&mut crew, &reports);
    }

    #[test]
    fn a_stop_interrupts_a_long_search() {
        let (mut crew, reports) = crew();
        crew.handle(prepare("connect:6x7"));
        crew.handle(assign(1, &[]));
        let cancel = ToWorker::Cancel { job: JobId(1) };
        assert_eq!(crew.handle(WorkerInput::Received(cancel)), []);
        let messages = finish(&mut crew, &reports);
        assert!(matches!(messages.last(), Some(FromWorker::Stopped { .. })), "{messages:?}");
    }
}
