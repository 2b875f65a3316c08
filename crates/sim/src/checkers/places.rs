//! Every brother is in one place: [`Places`].

use super::paths::{Change, Path, Paths};
use crate::{Breach, Finished, Sight, Witness};
use game::Move;
use std::collections::BTreeMap;
use std::ops::Bound;
use ybw::{JobId, Moment};

/// No two jobs search the same subtree, nor one a part of what another does.
#[derive(Default)]
pub(super) struct Places {
    paths: Paths,
    running: BTreeMap<Path, JobId>,
}

const RULE: &str = "every brother is in one place";

impl Places {
    fn begin(&mut self, job: JobId) -> Result<(), Breach> {
        let Some(path) = self.paths.of(job).cloned() else {
            return Err(Breach::new(RULE, format!("nobody knows where {job} is")));
        };
        if let Some(other) = self.around(&path) {
            let seen = format!("{job} at {path:?} while {other} searches there");
            return Err(Breach::new(RULE, seen));
        }
        self.running.insert(path, job);
        Ok(())
    }

    /// A job at the path, above or below it.
    fn around(&self, path: &[Move]) -> Option<JobId> {
        let above = (0..=path.len()).find_map(|end| self.running.get(&path[..end]));
        let after = (Bound::Included(path), Bound::Unbounded);
        let next = || self.running.range::<[Move], _>(after).next();
        let below = || next().filter(|(other, _)| other.starts_with(path)).map(|(_, job)| job);
        above.or_else(below).copied()
    }
}

impl Witness for Places {
    fn see(&mut self, _now: Moment, sight: Sight<'_>) -> Result<(), Breach> {
        match self.paths.follow(sight) {
            None => Ok(()),
            Some(Change::Began(job)) => self.begin(job),
            Some(Change::Ended(jobs)) => {
                for (_, path) in jobs {
                    self.running.remove(&path);
                }
                Ok(())
            }
            Some(Change::WentOn { from, next }) => {
                self.running.remove(&from);
                self.begin(next)
            }
        }
    }

    fn end(&mut self, _finished: &Finished) -> Result<(), Breach> {
        match self.paths.len() {
            0 => Ok(()),
            left => Err(Breach::new(RULE, format!("{left} jobs were forgotten at the end"))),
        }
    }
}
