//! The worker's half: [`Worker`] hands the coordinator's jobs to the search threads of one process.
//!
//! It commands the slots and relays what they say. The slots are the authority on which job they search:
//! a slot that made an offer searches the offer's next job from that moment on, and ignores commands that
//! name the old one.

use crate::{
    Assignment, FromWorker, JobId, Moment, Peer, SearchId, Slot, Spent, ToWorker, WindowEffect,
    Wish, WorkerId,
};
use game::{Finding, Handover, Move, Setup, Value, Window};
use std::collections::VecDeque;
use std::sync::Arc;

/// What happened, as far as a worker is concerned.
#[derive(Clone, PartialEq, Debug)]
pub enum WorkerInput {
    /// A message came from the coordinator.
    Received(ToWorker),
    /// A slot did something.
    Slot(Slot, SlotEvent),
    /// A search could not be prepared; its jobs will be refused.
    Unprepared {
        /// The search.
        search: SearchId,
        /// Why, in words for a person.
        reason: String,
    },
    /// The stream to the coordinator is gone, and with it every job.
    Disconnected,
    /// The process is about to leave: jobs are to be given back and none taken.
    Draining,
}

/// What a slot did with the job it was started on.
#[derive(Clone, PartialEq, Debug)]
pub enum SlotEvent {
    /// The job is resolved; the slot is free.
    Finished {
        /// The job.
        job: JobId,
        /// The value of its root.
        value: Value,
        /// The best line from there.
        line: Vec<Move>,
        /// What it cost since the slot's last event.
        spent: Spent,
    },
    /// The slot gave up open nodes and goes on with `next`.
    Offered {
        /// The job that ended.
        job: JobId,
        /// The job that goes on.
        next: JobId,
        /// The open nodes.
        nodes: Vec<Handover>,
        /// What it cost since the slot's last event.
        spent: Spent,
    },
    /// The job was stopped; the slot is free.
    Stopped {
        /// The job.
        job: JobId,
        /// What it cost since the slot's last event.
        spent: Spent,
    },
    /// A changed window reached the slot, which goes on with whatever it was at.
    Narrowed {
        /// The job it was meant for.
        job: JobId,
        /// The window.
        window: Window,
        /// What it did.
        effect: WindowEffect,
    },
    /// The job goes on.
    Progressed {
        /// The job.
        job: JobId,
        /// What it cost since the slot's last event.
        spent: Spent,
    },
}

/// What is to be done.
#[derive(Clone, PartialEq, Debug)]
pub enum WorkerOutput {
    /// Send this to the coordinator.
    Send(FromWorker),
    /// Make the slots ready for a search. Answer with [`WorkerInput::Unprepared`] if that fails.
    Prepare {
        /// The search.
        search: SearchId,
        /// What is searched and how.
        setup: Arc<Setup>,
    },
    /// Let an idle slot search a job.
    Start {
        /// The slot.
        slot: Slot,
        /// The job.
        assignment: Assignment,
    },
    /// Change the window of the job, if the slot still searches it.
    Narrow {
        /// The slot.
        slot: Slot,
        /// The job.
        job: JobId,
        /// The new window.
        window: Window,
    },
    /// Give the job up, if the slot still searches it. Answered by [`SlotEvent::Stopped`].
    Stop {
        /// The slot.
        slot: Slot,
        /// The job.
        job: JobId,
    },
    /// Offer open nodes as soon as possible, if the slot still searches the job.
    Split {
        /// The slot.
        slot: Slot,
        /// The job.
        job: JobId,
        /// What is wished for.
        wish: Wish,
    },
    /// Drop what was made ready for a search.
    Forget {
        /// The search.
        search: SearchId,
    },
    /// Tell others what is found out, or no more.
    Peers {
        /// The search.
        search: SearchId,
        /// This process, as the others know it.
        own: WorkerId,
        /// How many processes share, itself included; may be off by a factor of two.
        members: u32,
        /// Whom to tell from now on.
        joined: Vec<Peer>,
        /// Whom to tell no more.
        gone: Vec<WorkerId>,
    },
    /// Store this in the search's table, and tell others.
    Learn {
        /// The search.
        search: SearchId,
        /// What was found out.
        findings: Vec<Finding>,
    },
}

/// A job that waits for a slot.
#[derive(Debug)]
struct Spare {
    assignment: Assignment,
    split: Option<Wish>,
}

/// What a slot is at.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum SlotState {
    Idle,
    Busy { job: JobId, since: Moment, fate: Fate },
}

/// What becomes of a slot's job when the slot lets go of it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Fate {
    /// Its result is wanted.
    Wanted,
    /// It is to be given back.
    GivenBack,
    /// The coordinator that wanted it is gone.
    Abandoned,
}

/// The worker machine.
#[derive(Debug)]
pub struct Worker {
    slots: Vec<SlotState>,
    spares: VecDeque<Spare>,
    unfit: Vec<SearchId>,
    draining: bool,
    outputs: VecDeque<WorkerOutput>,
}

impl Worker {
    /// A worker with so many slots, all idle.
    ///
    /// # Panics
    /// If there is no slot at all.
    #[must_use]
    pub fn new(slots: u16) -> Worker {
        assert!(slots > 0, "a worker needs a slot");
        Worker {
            slots: vec![SlotState::Idle; usize::from(slots)],
            spares: VecDeque::new(),
            unfit: Vec::new(),
            draining: false,
            outputs: VecDeque::new(),
        }
    }

    /// Takes in what happened at `now`.
    ///
    /// # Panics
    /// If the outputs of the last call were not drained.
    pub fn handle(&mut self, now: Moment, input: WorkerInput) {
        assert!(self.outputs.is_empty(), "drain the outputs before the next input");
        match input {
            WorkerInput::Received(message) => self.received(now, message),
            WorkerInput::Slot(slot, event) => self.slot_did(now, slot, event),
            WorkerInput::Unprepared { search, reason } => self.unprepared(search, reason),
            WorkerInput::Disconnected => self.disconnected(),
            WorkerInput::Draining => self.drain(),
        }
        self.start_spares(now);
    }

    /// The next thing to be done, if any.
    pub fn poll_output(&mut self) -> Option<WorkerOutput> {
        self.outputs.pop_front()
    }

    /// Whether no slot has a job.
    #[must_use]
    pub fn is_idle(&self) -> bool {
        self.slots.iter().all(|slot| *slot == SlotState::Idle) && self.spares.is_empty()
    }

    fn received(&mut self, now: Moment, message: ToWorker) {
        match message {
            ToWorker::Prepare { search, setup } => {
                self.outputs.push_back(WorkerOutput::Prepare { search, setup });
            }
            ToWorker::Assign(assignment) => self.assigned(assignment),
            ToWorker::Narrow { job, window } => self.narrow(now, job, window),
            ToWorker::Cancel { job } => self.cancel(job),
            ToWorker::Split { job, wish } => self.split(job, wish),
            ToWorker::Peers { search, own, members, joined, gone } => {
                let peers = WorkerOutput::Peers { search, own, members, joined, gone };
                self.outputs.push_back(peers);
            }
            ToWorker::Learn { search, findings } => {
                self.outputs.push_back(WorkerOutput::Learn { search, findings });
            }
            ToWorker::Forget { search } => {
                self.unfit.retain(|&unfit| unfit != search);
                self.outputs.push_back(WorkerOutput::Forget { search });
            }
        }
    }

    fn assigned(&mut self, assignment: Assignment) {
        if self.draining || self.unfit.contains(&assignment.search) {
            let job = assignment.job;
            self.send(FromWorker::Returned { job, spent: Spent::default() });
        } else {
            self.spares.push_back(Spare { assignment, split: None });
        }
    }

    fn narrow(&mut self, at: Moment, job: JobId, window: Window) {
        let effect = if let Some(spare) = self.spare(job) {
            spare.assignment.subtree.question.window = window;
            WindowEffect::Waiting
        } else if let Some(slot) = self.slot_of(job) {
            self.outputs.push_back(WorkerOutput::Narrow { slot, job, window });
            return;
        } else {
            WindowEffect::Late
        };
        self.send(FromWorker::Narrowed { job, window, effect, at });
    }

    fn cancel(&mut self, job: JobId) {
        if let Some(place) = self.spares.iter().position(|spare| spare.assignment.job == job) {
            self.spares.remove(place);
            self.send(FromWorker::Stopped { job, spent: Spent::default() });
        } else if let Some(slot) = self.slot_of(job) {
            self.outputs.push_back(WorkerOutput::Stop { slot, job });
        }
    }

    fn split(&mut self, job: JobId, wish: Wish) {
        if let Some(spare) = self.spare(job) {
            spare.split = Some(wish);
        } else if let Some(slot) = self.slot_of(job) {
            self.outputs.push_back(WorkerOutput::Split { slot, job, wish });
        }
    }

    fn slot_did(&mut self, now: Moment, slot: Slot, event: SlotEvent) {
        let (job, freed) = match &event {
            SlotEvent::Finished { job, .. } | SlotEvent::Stopped { job, .. } => (*job, true),
            SlotEvent::Offered { job, .. } | SlotEvent::Progressed { job, .. } => (*job, false),
            SlotEvent::Narrowed { job, window, effect } => {
                return self.narrowed(now, slot, *job, *window, *effect);
            }
        };
        let state = &mut self.slots[usize::from(slot.0)];
        let SlotState::Busy { job: current, since, fate } = state else {
            panic!("slot {slot} has no job, yet says {event:?}");
        };
        assert_eq!(*current, job, "slot {slot} speaks of a job it does not have");
        let (fate, busy_ns) = (*fate, now.since(*since));
        *since = now;
        if let SlotEvent::Offered { next, .. } = &event {
            *current = *next;
            if fate != Fate::Wanted {
                // The slot ignores the stop that named the job it has just left.
                self.outputs.push_back(WorkerOutput::Stop { slot, job: *next });
            }
        }
        if freed {
            *state = SlotState::Idle;
        }
        self.relay(fate, busy_ns, event);
    }

    /// A window reached a slot. It may have been meant for a job that the slot has left.
    fn narrowed(
        &mut self,
        at: Moment,
        slot: Slot,
        job: JobId,
        window: Window,
        effect: WindowEffect,
    ) {
        match self.slots[usize::from(slot.0)] {
            SlotState::Busy { fate: Fate::Abandoned, .. } => {}
            SlotState::Busy { .. } | SlotState::Idle => {
                self.send(FromWorker::Narrowed { job, window, effect, at });
            }
        }
    }

    /// Tells the coordinator what a slot did, unless the coordinator that wanted to know is gone.
    fn relay(&mut self, fate: Fate, busy_ns: u64, event: SlotEvent) {
        let timed = |spent: Spent| Spent { busy_ns, ..spent };
        let message = match event {
            SlotEvent::Finished { job, value, line, spent } => {
                FromWorker::Result { job, value, line, spent: timed(spent) }
            }
            SlotEvent::Offered { job, next, nodes, spent } => {
                FromWorker::Offer { job, next, nodes, spent: timed(spent) }
            }
            SlotEvent::Stopped { job, spent } if fate == Fate::GivenBack => {
                FromWorker::Returned { job, spent: timed(spent) }
            }
            SlotEvent::Stopped { job, spent } => FromWorker::Stopped { job, spent: timed(spent) },
            SlotEvent::Progressed { job, spent } => {
                FromWorker::Progress { job, spent: timed(spent) }
            }
            SlotEvent::Narrowed { .. } => unreachable!("told where it came in"),
        };
        match fate {
            Fate::Wanted | Fate::GivenBack => self.send(message),
            Fate::Abandoned => {}
        }
    }

    fn unprepared(&mut self, search: SearchId, reason: String) {
        self.unfit.push(search);
        self.send(FromWorker::Unfit { search, reason });
        let (refused, kept) =
            self.spares.drain(..).partition(|spare| spare.assignment.search == search);
        self.spares = kept;
        let refused: VecDeque<Spare> = refused;
        for spare in refused {
            let job = spare.assignment.job;
            self.send(FromWorker::Returned { job, spent: Spent::default() });
        }
    }

    fn disconnected(&mut self) {
        self.spares.clear();
        self.unfit.clear();
        self.stop_all(Fate::Abandoned);
    }

    fn drain(&mut self) {
        self.draining = true;
        self.send(FromWorker::Leaving);
        while let Some(spare) = self.spares.pop_front() {
            let job = spare.assignment.job;
            self.send(FromWorker::Returned { job, spent: Spent::default() });
        }
        self.stop_all(Fate::GivenBack);
    }

    fn stop_all(&mut self, end: Fate) {
        for (index, state) in self.slots.iter_mut().enumerate() {
            if let SlotState::Busy { job, fate, .. } = state {
                *fate = end;
                let slot = slot_at(index);
                self.outputs.push_back(WorkerOutput::Stop { slot, job: *job });
            }
        }
    }

    fn start_spares(&mut self, now: Moment) {
        for index in 0..self.slots.len() {
            if self.slots[index] != SlotState::Idle {
                continue;
            }
            let Some(Spare { assignment, split }) = self.spares.pop_front() else {
                return;
            };
            let (slot, job) = (slot_at(index), assignment.job);
            self.slots[index] = SlotState::Busy { job, since: now, fate: Fate::Wanted };
            self.outputs.push_back(WorkerOutput::Start { slot, assignment });
            if let Some(wish) = split {
                self.outputs.push_back(WorkerOutput::Split { slot, job, wish });
            }
        }
    }

    fn spare(&mut self, job: JobId) -> Option<&mut Spare> {
        self.spares.iter_mut().find(|spare| spare.assignment.job == job)
    }

    fn slot_of(&self, wanted: JobId) -> Option<Slot> {
        let has = |state: &SlotState| matches!(state, SlotState::Busy { job, fate: Fate::Wanted, .. } if *job == wanted);
        self.slots.iter().position(has).map(slot_at)
    }

    fn send(&mut self, message: FromWorker) {
        self.outputs.push_back(WorkerOutput::Send(message));
    }
}

fn slot_at(index: usize) -> Slot {
    Slot(u16::try_from(index).unwrap_or(u16::MAX))
}
