//! What a coordinator counted since its start: [`Ledger`].

use crate::{Facts, Fold};
use std::collections::BTreeMap;
use ybw::{Departure, Outcome, TraceEvent, Traced, WindowEffect, WorkerId};

/// Sums over all searches of a coordinator, the one that goes on included.
#[derive(Clone, Debug)]
pub struct Ledger {
    /// Facts of the searches that are accounted for, summed.
    done: Facts,
    fold: Option<Fold>,
    present: BTreeMap<WorkerId, TraceEvent>,
    /// Searches by outcome.
    searches: BTreeMap<&'static str, u64>,
    /// How long they took, in nanoseconds.
    search_ns: u64,
    /// Jobs by how they ended.
    jobs: BTreeMap<&'static str, u64>,
    /// Workers that went, by how.
    gone: BTreeMap<&'static str, u64>,
    saved_nodes: u64,
}

impl Default for Ledger {
    fn default() -> Ledger {
        Ledger {
            done: Facts::nothing(),
            fold: None,
            present: BTreeMap::new(),
            searches: BTreeMap::from([("solved", 0), ("aborted", 0), ("failed", 0)]),
            search_ns: 0,
            jobs: ["resolved", "handed_over", "cancelled", "returned", "lost"]
                .map(|end| (end, 0))
                .into(),
            gone: BTreeMap::from([("left", 0), ("lost", 0), ("sent_away", 0)]),
            saved_nodes: 0,
        }
    }
}

impl Ledger {
    /// Takes in the next event.
    pub(super) fn note(&mut self, traced: &Traced) {
        match &traced.event {
            TraceEvent::WorkerJoined { worker, .. } => {
                self.present.insert(*worker, traced.event.clone());
            }
            TraceEvent::WorkerGone { worker, departure, jobs } => {
                self.present.remove(worker);
                let how = match departure {
                    Departure::Left => "left",
                    Departure::Lost => "lost",
                    Departure::SentAway => "sent_away",
                };
                *self.gone.entry(how).or_default() += 1;
                *self.jobs.entry("lost").or_default() += jobs.len() as u64;
            }
            TraceEvent::SearchStarted { search, .. } => {
                self.close();
                let mut fold = Fold::new(*search);
                for event in self.present.values() {
                    fold.note(&Traced { at: traced.at, event: event.clone() });
                }
                self.fold = Some(fold);
            }
            TraceEvent::SearchEnded { outcome, .. } => {
                let how = match outcome {
                    Outcome::Solved { .. } => "solved",
                    Outcome::Aborted => "aborted",
                    Outcome::Failed { .. } => "failed",
                };
                *self.searches.entry(how).or_default() += 1;
            }
            TraceEvent::JobResolved { .. } => self.end_job("resolved"),
            TraceEvent::NodesAdopted { .. } => self.end_job("handed_over"),
            TraceEvent::JobCancelled { .. } => self.end_job("cancelled"),
            TraceEvent::JobReturned { .. } => self.end_job("returned"),
            TraceEvent::WindowArrived { effect: WindowEffect::Applied(cutback), .. } => {
                self.saved_nodes += cutback.saved;
            }
            _ => {}
        }
        if let Some(fold) = &mut self.fold {
            fold.note(traced);
        }
        if matches!(traced.event, TraceEvent::SearchSettled { .. }) {
            self.close();
        }
    }

    fn end_job(&mut self, how: &'static str) {
        *self.jobs.entry(how).or_default() += 1;
    }

    fn close(&mut self) {
        if let Some(fold) = self.fold.take() {
            let facts = fold.finish();
            self.search_ns += facts.elapsed_ns;
            self.done += &facts;
        }
    }

    /// The facts of the search that goes on, or nothing.
    #[must_use]
    pub fn current(&self) -> Facts {
        self.fold.clone().map_or_else(Facts::nothing, Fold::finish)
    }

    /// A quantity over all searches.
    #[must_use]
    pub fn total(&self, quantity: impl Fn(&Facts) -> u64) -> u64 {
        let current = self.fold.as_ref().map_or(0, |fold| quantity(fold.facts()));
        quantity(&self.done) + current
    }

    /// Positions entered by all searches.
    #[must_use]
    pub fn nodes(&self) -> u64 {
        self.total(Facts::nodes)
    }

    /// All sums over searches that are accounted for and the one that goes on.
    #[must_use]
    pub fn facts(&self) -> Facts {
        let mut all = self.done.clone();
        all += &self.current();
        all
    }

    /// Searches that ended, by outcome.
    #[must_use]
    pub fn searches(&self) -> &BTreeMap<&'static str, u64> {
        &self.searches
    }

    /// How long the searches took that are accounted for, in nanoseconds.
    #[must_use]
    pub fn search_ns(&self) -> u64 {
        self.search_ns
    }

    /// Jobs that ended, by how.
    #[must_use]
    pub fn jobs(&self) -> &BTreeMap<&'static str, u64> {
        &self.jobs
    }

    /// Workers that went, by how.
    #[must_use]
    pub fn gone(&self) -> &BTreeMap<&'static str, u64> {
        &self.gone
    }

    /// Positions that windows saved, estimated.
    #[must_use]
    pub fn saved_nodes(&self) -> u64 {
        self.saved_nodes
    }
}
