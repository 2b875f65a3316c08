//! Names are never reused: [`Names`].

use crate::{Breach, Finished, Sight, Witness};
use ybw::{JobId, Moment, TraceEvent};

/// The name of every new job is above all earlier ones, so that none is ever used again.
#[derive(Default)]
pub(super) struct Names {
    last_job: Option<JobId>,
}

impl Witness for Names {
    fn see(&mut self, _now: Moment, sight: Sight<'_>) -> Result<(), Breach> {
        let Sight::Traced(traced) = sight else { return Ok(()) };
        match traced.event {
            TraceEvent::JobAssigned { job, .. } | TraceEvent::SplitWished { next: job, .. } => {
                rises(&mut self.last_job, job)
            }
            TraceEvent::NodesAdopted { job, next, .. } if job == next => {
                Err(Breach::new(RULE, format!("{job} is handed over and goes on as {next}")))
            }
            _ => Ok(()),
        }
    }

    fn end(&mut self, _finished: &Finished) -> Result<(), Breach> {
        Ok(())
    }
}

const RULE: &str = "names are never reused";

fn rises(last: &mut Option<JobId>, new: JobId) -> Result<(), Breach> {
    match last.replace(new) {
        Some(before) if before >= new => {
            Err(Breach::new(RULE, format!("{new} comes after {before}")))
        }
        _ => Ok(()),
    }
}
