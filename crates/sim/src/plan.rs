//! A simulated run, described: [`Plan`]. All times are virtual nanoseconds.

use game::Setup;
use std::ops::RangeInclusive;

/// Everything that decides a run. The same plan gives the same run, to the last event.
#[derive(Clone, PartialEq, Debug)]
pub struct Plan {
    /// What is searched.
    pub setup: Setup,
    /// The worker processes.
    pub workers: Vec<WorkerPlan>,
    /// How long a message is under way; drawn for each, order within a link is kept.
    pub latency_ns: RangeInclusive<u64>,
    /// What the coordinator needs for a message in or out.
    pub message_ns: u64,
    /// Positions a slot searches before it looks at its mail.
    pub nodes_per_poll: u64,
    /// Seed of all that is drawn.
    pub seed: u64,
    /// When the client gives the search up, if it does.
    pub abort_ns: Option<u64>,
}

/// One worker process.
#[derive(Clone, PartialEq, Debug)]
pub struct WorkerPlan {
    /// Search threads.
    pub slots: u16,
    /// What a slot needs for a position.
    pub node_ns: u64,
    /// When it joins.
    pub joins_ns: u64,
    /// When and how it goes, if it does.
    pub goes: Option<(u64, Going)>,
}

/// How a worker goes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Going {
    /// It is killed; what is under way from it is lost. The coordinator notices after so many
    /// nanoseconds.
    Killed(u64),
    /// It hands its jobs back and says goodbye.
    Drains,
}

impl Plan {
    /// Equal single-threaded workers that are there from the start and stay: one microsecond per
    /// position, a fixed latency, a free coordinator.
    #[must_use]
    pub fn steady(setup: Setup, workers: u32, latency_ns: u64) -> Plan {
        let worker = WorkerPlan { slots: 1, node_ns: 1_000, joins_ns: 0, goes: None };
        Plan {
            setup,
            workers: vec![worker; workers as usize],
            latency_ns: latency_ns..=latency_ns,
            message_ns: 0,
            nodes_per_poll: 100,
            seed: 1,
            abort_ns: None,
        }
    }
}
