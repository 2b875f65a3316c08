//! The metrics of a worker: [`WorkerMetrics`].

use super::metrics::Exposition;
use cluster::{WorkerFact, WorkerObserver};
use prometheus_client::collector::Collector;
use prometheus_client::encoding::DescriptorEncoder;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use ybw::{FromWorker, Spent, ToWorker, WindowEffect};

/// Counts what a worker hears and says.
#[derive(Clone, Debug)]
pub(crate) struct WorkerMetrics {
    slots: u16,
    counts: Arc<Mutex<Counts>>,
}

#[derive(Debug, Default)]
struct Counts {
    connected: bool,
    sessions: u64,
    /// Jobs it has, those that wait for a slot included.
    jobs: u64,
    taken: u64,
    ended: BTreeMap<&'static str, u64>,
    effects: BTreeMap<&'static str, u64>,
    saved_nodes: u64,
    spent: Spent,
}

impl WorkerMetrics {
    /// Nothing has happened yet to a worker of so many search threads.
    pub(crate) fn new(slots: u16) -> WorkerMetrics {
        let ends = ["resolved", "handed_over", "stopped", "returned"].map(|end| (end, 0));
        let effects = ["cut", "narrowed", "waiting", "late"].map(|effect| (effect, 0));
        let counts = Counts { ended: ends.into(), effects: effects.into(), ..Counts::default() };
        WorkerMetrics { slots, counts: Arc::new(Mutex::new(counts)) }
    }

    /// Is told what the worker hears and says.
    pub(crate) fn observer(&self) -> WorkerObserver {
        let metrics = self.clone();
        WorkerObserver::new(move |fact| metrics.lock().note(fact))
    }

    fn lock(&self) -> MutexGuard<'_, Counts> {
        self.counts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Counts {
    fn note(&mut self, fact: WorkerFact<'_>) {
        match fact {
            WorkerFact::Joined(_) => {
                self.connected = true;
                self.sessions += 1;
            }
            WorkerFact::Parted => {
                // What it had is given up with the session.
                (self.connected, self.jobs) = (false, 0);
            }
            WorkerFact::Heard(ToWorker::Assign(_)) => {
                self.jobs += 1;
                self.taken += 1;
            }
            WorkerFact::Heard(_) | WorkerFact::Opened { .. } => {}
            WorkerFact::Said(message) => self.note_said(message),
        }
    }

    fn note_said(&mut self, message: &FromWorker) {
        match message {
            FromWorker::Result { spent, .. } => self.end("resolved", *spent),
            FromWorker::Stopped { spent, .. } => self.end("stopped", *spent),
            FromWorker::Returned { spent, .. } => self.end("returned", *spent),
            FromWorker::Offer { spent, .. } => {
                // It goes on under another name.
                self.end("handed_over", *spent);
                self.jobs += 1;
            }
            FromWorker::Progress { spent, .. } => self.spent += *spent,
            FromWorker::Narrowed { effect, .. } => {
                let name = match effect {
                    WindowEffect::Waiting => "waiting",
                    WindowEffect::Late => "late",
                    WindowEffect::Applied(cutback) => {
                        self.saved_nodes += cutback.saved;
                        if cutback.is_some() { "cut" } else { "narrowed" }
                    }
                };
                *self.effects.entry(name).or_default() += 1;
            }
            FromWorker::Leaving | FromWorker::Unfit { .. } => {}
        }
    }

    fn end(&mut self, how: &'static str, spent: Spent) {
        *self.ended.entry(how).or_default() += 1;
        self.jobs = self.jobs.saturating_sub(1);
        self.spent += spent;
    }
}

impl Collector for WorkerMetrics {
    fn encode(&self, encoder: DescriptorEncoder<'_>) -> fmt::Result {
        let mut show = Exposition::new(encoder);
        let counts = self.lock();
        let Spent { tally, busy_ns } = counts.spent;
        let slots = u64::from(self.slots);
        let all = |counts: &BTreeMap<&'static str, u64>| -> Vec<(&'static str, u64)> {
            counts.iter().map(|(&name, &count)| (name, count)).collect()
        };
        show.info("build_info", "The program", ("version", env!("CARGO_PKG_VERSION")))?;
        show.gauge(
            "worker_connected",
            "Whether the coordinator took this worker in",
            u64::from(counts.connected),
        )?;
        show.counter(
            "worker_sessions",
            "How often the coordinator took this worker in",
            counts.sessions,
        )?;
        show.gauge("worker_slots", "Search threads", slots)?;
        show.gauge("worker_busy_slots", "Search threads with a job", counts.jobs.min(slots))?;
        show.gauge("worker_jobs", "Jobs it has, also those that wait for a slot", counts.jobs)?;
        show.counter("worker_jobs_taken", "Subtrees it was handed", counts.taken)?;
        show.counters("worker_jobs_ended", "Jobs that ended", "end", all(&counts.ended))?;
        show.counter("worker_nodes", "Positions entered", tally.nodes + tally.quiescence)?;
        show.seconds("worker_busy_time", "Time during which slots had jobs", busy_ns)?;
        show.counters(
            "worker_window_updates",
            "Windows that arrived",
            "effect",
            all(&counts.effects),
        )?;
        show.counter(
            "worker_window_saved_nodes",
            "Positions that windows saved, estimated",
            counts.saved_nodes,
        )?;
        show.counter("worker_table_probes", "Table lookups", tally.probes)?;
        show.counter("worker_table_hits", "Table lookups that found an entry", tally.hits)?;
        show.counter("worker_shared_entries", "Entries told to other processes", tally.shared)?;
        show.counter(
            "worker_shared_hits",
            "Table lookups that found what another process found out",
            tally.shared_hits,
        )?;
        show.counter(
            "worker_shared_cutoffs",
            "Nodes that such an entry decided",
            tally.shared_cutoffs,
        )
    }
}
