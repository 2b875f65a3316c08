//! One search in numbers: [`Facts`].

use crate::Delays;
use game::Tally;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::ops::AddAssign;
use ybw::Outcome;

/// What is known of one search when nothing of it runs any more.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Facts {
    /// How it ended.
    #[serde(flatten)]
    pub outcome: Outcome,
    /// From its start to its end on the coordinator's clock.
    pub elapsed_ns: u64,
    /// The most slots that could work at it at one time.
    pub slots: u32,
    /// Positions and cutoffs over all its jobs.
    pub tally: Tally,
    /// Positions entered by jobs that became unwanted.
    pub discarded_nodes: u64,
    /// Time during which slots had jobs of it, over all slots.
    pub busy_ns: u64,
    /// Narrowed windows sent to running jobs.
    pub windows_pushed: u64,
    /// Windows that reached a running search.
    pub windows_applied: u64,
    /// Applied windows that cut off at least one open node at once.
    pub windows_cut: u64,
    /// Windows that reached a job that waited at its worker for a slot.
    #[serde(default)]
    pub windows_waiting: u64,
    /// Windows that arrived when their job had ended or moved on. The rest of those pushed were
    /// overtaken by the next one for the same job, or by the end of the job, and never arrived.
    pub windows_late: u64,
    /// Subtrees handed to workers.
    pub jobs_assigned: u64,
    /// Running jobs asked to give up open nodes.
    pub splits_wished: u64,
    /// Open nodes that moved from workers to the coordinator.
    pub nodes_adopted: u64,
    /// Jobs that became unwanted.
    pub jobs_cancelled: u64,
    /// Answers that did not suffice, so that the brother was asked again.
    pub brothers_reopened: u64,
    /// Messages for jobs nobody knew (any more).
    pub late_messages: u64,
    /// Workers that left or were lost during the search.
    pub workers_lost: u64,
    /// What was said over the network; empty where there is none.
    #[serde(default)]
    pub traffic: Traffic,
    /// From when each window was pushed until the coordinator heard that it was applied, on its own clock:
    /// both ways of the messages, and how long the slot took to look. Windows that a later one of
    /// the same job overtook, or that came too late, are not among them.
    #[serde(default)]
    pub window_delays: Delays,
}

impl Facts {
    /// Facts of nothing: a search that was given up before anything happened.
    #[must_use]
    pub fn nothing() -> Facts {
        Facts { slots: 0, ..Facts::sequential(Outcome::Aborted, 0, Tally::default()) }
    }

    /// Facts of a search by the plain sequential program, which is busy all the time.
    #[must_use]
    pub fn sequential(outcome: Outcome, elapsed_ns: u64, tally: Tally) -> Facts {
        Facts {
            outcome,
            elapsed_ns,
            slots: 1,
            tally,
            discarded_nodes: 0,
            busy_ns: elapsed_ns,
            windows_pushed: 0,
            windows_applied: 0,
            windows_cut: 0,
            windows_waiting: 0,
            windows_late: 0,
            jobs_assigned: 0,
            splits_wished: 0,
            nodes_adopted: 0,
            jobs_cancelled: 0,
            brothers_reopened: 0,
            late_messages: 0,
            workers_lost: 0,
            traffic: Traffic::default(),
            window_delays: Delays::default(),
        }
    }

    /// Positions entered, those of the quiescence search included.
    #[must_use]
    pub fn nodes(&self) -> u64 {
        self.tally.nodes + self.tally.quiescence
    }

    /// From its start to its end.
    #[must_use]
    pub fn seconds(&self) -> f64 {
        seconds(self.elapsed_ns)
    }

    /// Time during which slots had jobs of it, over all slots.
    #[must_use]
    pub fn busy_seconds(&self) -> f64 {
        seconds(self.busy_ns)
    }
}

impl AddAssign<&Facts> for Facts {
    /// Sums what can be summed: the outcome stays, and of the slots the most count.
    fn add_assign(&mut self, other: &Facts) {
        self.slots = self.slots.max(other.slots);
        self.tally += other.tally;
        self.traffic += &other.traffic;
        self.window_delays += &other.window_delays;
        let sums = [
            (&mut self.elapsed_ns, other.elapsed_ns),
            (&mut self.discarded_nodes, other.discarded_nodes),
            (&mut self.busy_ns, other.busy_ns),
            (&mut self.windows_pushed, other.windows_pushed),
            (&mut self.windows_applied, other.windows_applied),
            (&mut self.windows_cut, other.windows_cut),
            (&mut self.windows_waiting, other.windows_waiting),
            (&mut self.windows_late, other.windows_late),
            (&mut self.jobs_assigned, other.jobs_assigned),
            (&mut self.splits_wished, other.splits_wished),
            (&mut self.nodes_adopted, other.nodes_adopted),
            (&mut self.jobs_cancelled, other.jobs_cancelled),
            (&mut self.brothers_reopened, other.brothers_reopened),
            (&mut self.late_messages, other.late_messages),
            (&mut self.workers_lost, other.workers_lost),
        ];
        for (mine, theirs) in sums {
            *mine += theirs;
        }
    }
}

/// Nanoseconds as seconds.
#[expect(clippy::cast_precision_loss, reason = "2^53 ns are 104 days")]
pub(crate) fn seconds(ns: u64) -> f64 {
    ns as f64 / 1e9
}

/// Messages and bytes by kind of message.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Traffic {
    /// From the coordinator to its workers.
    pub to_workers: BTreeMap<String, Count>,
    /// From the workers to the coordinator.
    pub from_workers: BTreeMap<String, Count>,
}

impl Traffic {
    /// Everything in both directions.
    #[must_use]
    pub fn total(&self) -> Count {
        let mut total = Count::default();
        for count in self.to_workers.values().chain(self.from_workers.values()) {
            total += *count;
        }
        total
    }
}

impl AddAssign<&Traffic> for Traffic {
    fn add_assign(&mut self, other: &Traffic) {
        let directions = [
            (&mut self.to_workers, &other.to_workers),
            (&mut self.from_workers, &other.from_workers),
        ];
        for (mine, theirs) in directions {
            for (kind, count) in theirs {
                *mine.entry(kind.clone()).or_default() += *count;
            }
        }
    }
}

/// Messages of one kind.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Count {
    /// How many.
    pub messages: u64,
    /// Their size as encoded, without framing.
    pub bytes: u64,
}

impl AddAssign for Count {
    fn add_assign(&mut self, other: Count) {
        self.messages += other.messages;
        self.bytes += other.bytes;
    }
}
