//! Every position is accounted for: [`Accounts`].

use crate::{Breach, Finished, Sight, Witness};
use game::Tally;
use std::collections::BTreeSet;
use ybw::{Departure, FromWorker, JobId, Moment, TraceEvent};

/// If no worker was lost and every cancelled job was answered for, the search's count is what all slots
/// counted, to the position; else it is no more than that.
#[derive(Default)]
pub(super) struct Accounts {
    settled: Option<Tally>,
    /// Cancelled jobs that have not been answered for.
    open: BTreeSet<JobId>,
    lost: bool,
}

const RULE: &str = "every position is accounted for";

impl Accounts {
    fn note(&mut self, event: &TraceEvent) {
        match event {
            TraceEvent::JobCancelled { job, .. } => {
                self.open.insert(*job);
            }
            TraceEvent::JobDiscarded { job, .. } => {
                self.open.remove(job);
            }
            TraceEvent::WorkerGone { departure, .. } => {
                self.lost |= *departure != Departure::Left;
            }
            TraceEvent::SearchSettled { tally, .. } => {
                self.settled = Some(*tally);
                self.lost |= !self.open.is_empty();
            }
            _ => {}
        }
    }
}

impl Witness for Accounts {
    fn see(&mut self, _now: Moment, sight: Sight<'_>) -> Result<(), Breach> {
        match sight {
            // The rest of a job that was cancelled before its offer came is cancelled in its turn.
            Sight::TakenIn { message: FromWorker::Offer { job, next, .. }, .. }
                if self.open.contains(job) =>
            {
                self.open.insert(*next);
            }
            Sight::Traced(traced) => self.note(&traced.event),
            _ => {}
        }
        Ok(())
    }

    fn end(&mut self, finished: &Finished) -> Result<(), Breach> {
        let Some(settled) = self.settled else { return Ok(()) };
        let (told, done) = (settled.nodes, finished.tally.nodes);
        if told > done || !self.lost && settled != finished.tally {
            return Err(Breach::new(RULE, format!("{told} of {done} positions")));
        }
        Ok(())
    }
}
