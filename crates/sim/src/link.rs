//! Links between the coordinator and its workers: [`Session`] and its two [`Stream`]s.

use crate::{Plan, Rng};
use std::collections::VecDeque;
use ybw::{FromWorker, Moment, ToWorker};

/// What a worker says on its stream.
#[derive(Debug)]
pub(crate) enum Upward {
    Hello,
    Message(FromWorker),
    Goodbye,
}

/// One session of a worker process; its index among all sessions is the worker's id.
#[derive(Debug)]
pub(crate) struct Session {
    /// The process it belongs to.
    pub(crate) process: usize,
    pub(crate) slots: u16,
    pub(crate) down: Stream<ToWorker>,
    pub(crate) up: Stream<Upward>,
    /// Whether what is sent arrives.
    pub(crate) open: bool,
    /// Whether the coordinator knows that it is over.
    pub(crate) departed: bool,
    /// How long the worker waits after it noticed that the link broke.
    pub(crate) rejoins_ns: u64,
}

impl Session {
    pub(crate) fn new(process: usize, slots: u16) -> Session {
        Session {
            process,
            slots,
            down: Stream::new(),
            up: Stream::new(),
            open: true,
            departed: false,
            rejoins_ns: 0,
        }
    }

    /// Nothing that is under way arrives, nor anything sent from now on.
    pub(crate) fn close(&mut self) {
        self.open = false;
        self.down.under_way.clear();
        self.up.under_way.clear();
    }
}

/// Messages in one direction: ordered, delayed, and lost as a whole when the link breaks.
#[derive(Debug)]
pub(crate) struct Stream<M> {
    under_way: VecDeque<M>,
    /// When the last message has left the sender.
    clear_at: Moment,
    last_arrival: Moment,
}

impl<M> Stream<M> {
    fn new() -> Stream<M> {
        Stream {
            under_way: VecDeque::new(),
            clear_at: Moment::default(),
            last_arrival: Moment::default(),
        }
    }

    /// Sends a message of so many bytes at `now`. Returns when it arrives.
    pub(crate) fn send(
        &mut self,
        message: M,
        bytes: u64,
        now: Moment,
        plan: &Plan,
        rng: &mut Rng,
    ) -> Moment {
        const NS_PER_S: u128 = 1_000_000_000;
        let transfer = plan.bytes_per_s.map_or(0, |rate| {
            let ns = u128::from(bytes) * NS_PER_S / u128::from(rate);
            u64::try_from(ns).unwrap_or(u64::MAX)
        });
        self.clear_at = Moment(self.clear_at.max(now).0.saturating_add(transfer));
        let latency = rng.between(*plan.latency_ns.start(), *plan.latency_ns.end());
        let arrival = Moment(self.clear_at.0.saturating_add(latency));
        self.last_arrival = self.last_arrival.max(arrival);
        self.under_way.push_back(message);
        self.last_arrival
    }

    /// The oldest message under way arrives, unless the link broke meanwhile.
    pub(crate) fn arrive(&mut self) -> Option<M> {
        self.under_way.pop_front()
    }

    pub(crate) fn under_way(&self) -> usize {
        self.under_way.len()
    }
}
