//! A simulated run, described: [`Plan`]. All times are virtual nanoseconds.

mod file;

pub use file::PlanError;

use game::Setup;
use serde::{Deserialize, Serialize};
use std::ops::RangeInclusive;
use ybw::Relay;

/// Most worker processes of a plan.
pub const MAX_WORKERS: u32 = 1 << 16;
/// Most memory for the tables of all processes together, in MiB.
pub(crate) const MAX_TABLES_MIB: u64 = 1 << 14;
/// The longest time in a plan: 11 days.
pub const MAX_NS: u64 = 1_000_000_000_000_000;

/// Everything that decides a run. The same plan gives the same run, to the last event.
#[derive(Clone, PartialEq, Debug)]
pub struct Plan {
    /// What is searched. `table_mib` is the size of each process's table.
    pub setup: Setup,
    /// Whether all processes use one table of that size, reached in no time: an ideal that no
    /// network can give, to tell what private tables cost.
    pub shared_table: bool,
    /// The worker processes.
    pub workers: Vec<Group>,
    /// Slots the search may use; 0 for all there are.
    pub processors: u32,
    /// How long a message is under way; drawn for each, order within a link is kept.
    pub latency_ns: RangeInclusive<u64>,
    /// What a link carries in each direction, messages one after the other; `None` for any amount.
    pub bytes_per_s: Option<u64>,
    /// What the coordinator needs to take in a message, or anything else that it is told.
    pub message_in_ns: u64,
    /// What the coordinator needs to send a message.
    pub message_out_ns: u64,
    /// How often worker processes tell each other what they found out.
    pub tell_interval_ns: u64,
    /// What a worker process needs for a message from or to another one.
    pub peer_message_ns: u64,
    /// What it needs to take in one table entry in such a message.
    pub finding_ns: u64,
    /// Positions a slot searches before it looks at its mail.
    pub nodes_per_poll: u64,
    /// A worker that is silent for so long is taken for dead.
    pub silence_ns: u64,
    /// Seed of all that is drawn.
    pub seed: u64,
    /// When the client gives the search up, if it does.
    pub abort_ns: Option<u64>,
}

/// Worker processes that are alike.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Group {
    /// How many.
    #[serde(default = "one_worker")]
    pub count: u32,
    /// Search threads of each.
    #[serde(default = "one_slot")]
    pub slots: u16,
    /// What a slot needs for a position. A leaf of a synthetic tree that sleeps costs that too.
    #[serde(default = "one_microsecond")]
    pub node_ns: u64,
    /// When they join.
    #[serde(default)]
    pub joins_ns: u64,
    /// Everything happens to each of them up to so much later, drawn once for each.
    #[serde(default)]
    pub spread_ns: u64,
    /// What happens to each of them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub mishaps: Vec<Mishap>,
}

/// What befalls a worker, and when. What is due before it has joined happens just after.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Mishap {
    /// When.
    pub at_ns: u64,
    /// What.
    #[serde(flatten)]
    pub what: What,
}

/// What befalls a worker.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "what")]
pub enum What {
    /// It is killed; what is under way from and to it is lost.
    Killed {
        /// How long the coordinator does not notice.
        unnoticed_ns: u64,
    },
    /// It hands its jobs back, says goodbye and ends.
    Drains,
    /// It stands still, as if stopped by SIGSTOP: it neither searches nor reads nor sends.
    Stalls {
        /// For how long. If that is [`Plan::silence_ns`] or more, it is given up meanwhile, and joins
        /// again as a new session.
        for_ns: u64,
    },
    /// Its link breaks; what is under way is lost. It joins again as a new session.
    Breaks {
        /// How long the coordinator does not notice.
        coordinator_notices_ns: u64,
        /// How long the worker does not notice.
        worker_notices_ns: u64,
        /// How long it waits then, and until its slots are idle.
        rejoins_ns: u64,
    },
}

impl Group {
    /// Single-threaded workers that are there from the start and stay: one microsecond per position.
    #[must_use]
    pub fn steady(count: u32) -> Group {
        Group {
            count,
            slots: one_slot(),
            node_ns: one_microsecond(),
            joins_ns: 0,
            spread_ns: 0,
            mishaps: Vec::new(),
        }
    }
}

fn one_worker() -> u32 {
    1
}

fn one_slot() -> u16 {
    1
}

fn one_microsecond() -> u64 {
    1_000
}

impl Plan {
    /// A silent worker is given up after six seconds, as in production.
    pub const SILENCE_NS: u64 = 6_000_000_000;
    /// What a message from one worker process to another costs each of them, if not said otherwise.
    pub const PEER_MESSAGE_NS: u64 = 20_000;
    /// What a table entry in it costs the receiver, if not said otherwise: a miss of all caches.
    pub const FINDING_NS: u64 = 100;
    /// Positions between two looks at the mail, unless said otherwise.
    pub const NODES_PER_POLL: u64 = 100;

    /// Equal workers as [`Group::steady`] has them, a fixed latency, links of any bandwidth and a free
    /// coordinator.
    #[must_use]
    pub fn steady(setup: Setup, workers: u32, latency_ns: u64) -> Plan {
        Plan {
            setup,
            shared_table: false,
            workers: vec![Group::steady(workers)],
            processors: 0,
            latency_ns: latency_ns..=latency_ns,
            bytes_per_s: None,
            message_in_ns: 0,
            message_out_ns: 0,
            tell_interval_ns: Relay::INTERVAL_NS,
            peer_message_ns: Plan::PEER_MESSAGE_NS,
            finding_ns: Plan::FINDING_NS,
            nodes_per_poll: Plan::NODES_PER_POLL,
            silence_ns: Plan::SILENCE_NS,
            seed: 1,
            abort_ns: None,
        }
    }

    /// Slots of all workers.
    #[must_use]
    pub fn slots(&self) -> u64 {
        self.workers.iter().map(|group| u64::from(group.count) * u64::from(group.slots)).sum()
    }

    /// What the fastest worker needs for a position: that is where the sequential program would run.
    #[must_use]
    pub fn fastest_node_ns(&self) -> u64 {
        self.workers.iter().map(|group| group.node_ns).min().unwrap_or(one_microsecond())
    }
}
