//! No cancelled job is searched on: [`Cancelled`].

use crate::{Breach, Finished, Sight, Witness};
use std::collections::BTreeSet;
use ybw::{JobId, Moment, ToWorker};

/// Once a cancel has been delivered, the job gets no further stretch anywhere. So it is searched no
/// longer than the cancel is under way and the stretch lasts that it was in.
#[derive(Default)]
pub(super) struct Cancelled(BTreeSet<JobId>);

impl Witness for Cancelled {
    fn see(&mut self, now: Moment, sight: Sight<'_>) -> Result<(), Breach> {
        match sight {
            Sight::Delivered { message: ToWorker::Cancel { job }, .. } => {
                self.0.insert(*job);
            }
            Sight::Searches { host, slot, job, .. } if self.0.contains(&job) => {
                let seen = format!("{job} by slot {slot} of process {host} at {}", now.0);
                return Err(Breach::new("no cancelled job is searched on", seen));
            }
            _ => {}
        }
        Ok(())
    }

    fn end(&mut self, _finished: &Finished) -> Result<(), Breach> {
        Ok(())
    }
}
