//! Windows only narrow, or a scout's moves as a whole: [`Windows`].

use crate::{Breach, Finished, Sight, Witness};
use game::Window;
use std::collections::BTreeMap;
use ybw::{JobId, Moment, TraceEvent};

/// Each window pushed to a job replaces the one it had, and lies within it unless both are null windows.
#[derive(Default)]
pub(super) struct Windows(BTreeMap<JobId, Window>);

const RULE: &str = "windows only narrow, or a scout's moves as a whole";

impl Windows {
    fn pushed(&mut self, job: JobId, old: Window, new: Window) -> Result<(), Breach> {
        let before = self.0.insert(job, new).unwrap_or(old);
        if before != old {
            return Err(Breach::new(RULE, format!("{job} had {before}, not {old}")));
        }
        let narrows = old.contains(new) && old != new;
        let moves = old.is_null() && new.is_null() && old != new;
        if narrows || moves {
            return Ok(());
        }
        Err(Breach::new(RULE, format!("{job} gets {new} after {old}")))
    }
}

impl Witness for Windows {
    fn see(&mut self, _now: Moment, sight: Sight<'_>) -> Result<(), Breach> {
        let Sight::Traced(traced) = sight else { return Ok(()) };
        match &traced.event {
            TraceEvent::JobAssigned { job, window, .. } => {
                self.0.insert(*job, *window);
            }
            TraceEvent::WindowPushed { job, old, new, .. } => {
                return self.pushed(*job, *old, *new);
            }
            TraceEvent::NodesAdopted { job, .. }
            | TraceEvent::JobResolved { job, .. }
            | TraceEvent::JobReturned { job, .. }
            | TraceEvent::JobCancelled { job, .. } => {
                self.0.remove(job);
            }
            TraceEvent::WorkerGone { jobs, .. } => {
                for job in jobs {
                    self.0.remove(job);
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn end(&mut self, _finished: &Finished) -> Result<(), Breach> {
        Ok(())
    }
}
