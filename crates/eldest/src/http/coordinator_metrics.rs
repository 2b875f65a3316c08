//! The metrics of a coordinator: [`CoordinatorMetrics`].

use super::metrics::Exposition;
use crate::watching::Watching;
use prometheus_client::collector::Collector;
use prometheus_client::encoding::DescriptorEncoder;
use report::{Count, Facts, Traffic};
use std::collections::BTreeMap;
use std::fmt;

/// Shows what was folded from the coordinator's events.
#[derive(Debug)]
pub(crate) struct CoordinatorMetrics(pub(crate) Watching);

impl Collector for CoordinatorMetrics {
    fn encode(&self, encoder: DescriptorEncoder<'_>) -> fmt::Result {
        let mut show = Exposition::new(encoder);
        let live = self.0.lock();
        let ledger = live.ledger();
        let facts = ledger.facts();
        show.info("build_info", "The program", ("version", env!("CARGO_PKG_VERSION")))?;
        let (workers, slots) = live.slots();
        show.gauge("workers", "Workers that are there", workers)?;
        show.gauge("slots", "Search threads of all workers", slots)?;
        let (busy, jobs, waiting) = live.standing();
        show.gauge("busy_slots", "Slots of the search that goes on that have a job", busy)?;
        show.gauge("running_jobs", "Jobs at workers", jobs)?;
        show.gauge("waiting_brothers", "Brothers that wait for a worker", waiting)?;
        show.gauge("searching", "Whether a search goes on", u64::from(live.is_searching()))?;
        show.counters("searches", "Searches that ended", "outcome", counts(ledger.searches()))?;
        show.seconds(
            "search_time",
            "How long the searches took that are accounted for",
            ledger.search_ns(),
        )?;
        show.counter("nodes", "Positions entered", facts.nodes())?;
        show.counter(
            "discarded_nodes",
            "Positions entered by jobs that became unwanted",
            facts.discarded_nodes,
        )?;
        show.seconds("busy_time", "Time during which slots had jobs", facts.busy_ns)?;
        show.counter("jobs_assigned", "Subtrees handed to workers", facts.jobs_assigned)?;
        show.counters("jobs", "Jobs that ended", "end", counts(ledger.jobs()))?;
        show.counter(
            "nodes_adopted",
            "Open nodes that moved from workers to the split tree",
            facts.nodes_adopted,
        )?;
        show.counter("splits_wished", "Running jobs asked to split", facts.splits_wished)?;
        show.counter(
            "brothers_reopened",
            "Answers that did not suffice, so that the brother was asked again",
            facts.brothers_reopened,
        )?;
        show.counter("late_messages", "Messages for jobs nobody knew", facts.late_messages)?;
        show.counters("workers_gone", "Workers that went", "departure", counts(ledger.gone()))?;
        show.seconds(
            "coordinator_busy_time",
            "Time in which the coordinator took in messages and decided what to send",
            u64::try_from(self.0.busy().as_nanos()).unwrap_or(u64::MAX),
        )?;
        show_windows(&mut show, &facts, ledger.saved_nodes())?;
        show_traffic(&mut show, &self.0.traffic())
    }
}

fn show_windows(show: &mut Exposition<'_>, facts: &Facts, saved_nodes: u64) -> fmt::Result {
    show.counter("window_pushes", "Narrowed windows sent to running jobs", facts.windows_pushed)?;
    let effects = [
        ("cut", facts.windows_cut),
        ("narrowed", facts.windows_applied.saturating_sub(facts.windows_cut)),
        ("waiting", facts.windows_waiting),
        ("late", facts.windows_late),
    ];
    show.counters("window_updates", "Windows that arrived", "effect", effects)?;
    show.counter("window_saved_nodes", "Positions that windows saved, estimated", saved_nodes)?;
    show.delays(
        "window_delay",
        "From the push of a window until it was heard that it is applied",
        &facts.window_delays,
    )
}

fn show_traffic(show: &mut Exposition<'_>, traffic: &Traffic) -> fmt::Result {
    let all = kinds("to_workers", &traffic.to_workers)
        .chain(kinds("from_workers", &traffic.from_workers));
    let all: Vec<([(&str, &str); 2], Count)> = all.collect();
    let messages = all.iter().map(|(labels, count)| (*labels, count.messages));
    show.family("messages", "Messages to and from workers", messages)?;
    let bytes = all.iter().map(|(labels, count)| (*labels, count.bytes));
    show.family("message_bytes", "Size of those messages, as encoded", bytes)
}

fn counts<'a>(
    counts: &'a BTreeMap<&'static str, u64>,
) -> impl Iterator<Item = (&'static str, u64)> + 'a {
    counts.iter().map(|(&name, &count)| (name, count))
}

fn kinds<'a>(
    direction: &'a str,
    kinds: &'a BTreeMap<String, Count>,
) -> impl Iterator<Item = ([(&'a str, &'a str); 2], Count)> + 'a {
    kinds
        .iter()
        .map(move |(kind, &count)| ([("direction", direction), ("kind", kind.as_str())], count))
}
