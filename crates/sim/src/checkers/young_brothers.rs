//! Young brothers wait: [`YoungBrothers`].

use super::paths::{Path, Paths};
use crate::{Breach, Finished, Sight, Witness};
use game::{Brother, Interval, Move, Score, Value};
use std::collections::BTreeMap;
use std::ops::Bound;
use ybw::{FromWorker, JobId, Moment, TraceEvent};

/// No young brother leaves before its eldest is resolved.
///
/// It keeps a tree of its own: the brothers of every node that was handed over, in order, and what is
/// known of each, for the side to move at the node.
#[derive(Default)]
pub(super) struct YoungBrothers {
    paths: Paths,
    nodes: BTreeMap<Path, Vec<Brother>>,
    /// The offer taken in last: of each node the move it goes on with, and the brothers.
    offered: Vec<(Move, Vec<Brother>)>,
    offered_by: Option<JobId>,
}

const RULE: &str = "young brothers wait";

impl YoungBrothers {
    fn note(&mut self, event: &TraceEvent) -> Result<(), Breach> {
        match event {
            TraceEvent::JobAssigned { job, path, window, .. } => {
                self.leaves(*job, path, -window.beta())
            }
            TraceEvent::JobResolved { job, value, .. } => {
                let path = self.paths.of(*job).cloned();
                if let Some(path) = path {
                    self.learn(&path, *value);
                }
                Ok(())
            }
            TraceEvent::NodeResolved { path, value } => {
                self.drop_from(path);
                self.learn(path, *value);
                Ok(())
            }
            TraceEvent::NodesAdopted { job, .. } => {
                self.adopt(*job);
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// A brother leaves whose answer matters if it exceeds `alpha`, for the side to move at its node.
    fn leaves(&self, job: JobId, path: &[Move], alpha: Score) -> Result<(), Breach> {
        let Some((mv, node)) = path.split_last() else { return Ok(()) };
        let Some(brothers) = self.nodes.get(node) else {
            return Err(Breach::new(RULE, format!("{job} at {path:?}: {node:?} is not open")));
        };
        if brothers[0].mv == *mv {
            return Ok(());
        }
        let Interval { low, high } = brothers[0].known;
        // A scout that failed high is asked again from just below what it proved.
        if low == high || high <= alpha.successor() {
            return Ok(());
        }
        let seen =
            format!("{job} leaves to {path:?} while of the eldest only {low}..{high} is known");
        Err(Breach::new(RULE, seen))
    }

    fn learn(&mut self, path: &[Move], value: Value) {
        let Some((mv, node)) = path.split_last() else { return };
        let brothers = self.nodes.get_mut(node);
        if let Some(brother) = brothers.and_then(|all| all.iter_mut().find(|b| b.mv == *mv)) {
            brother.known = brother.known.learn(-value);
        }
    }

    /// Forgets a node and everything below it.
    fn drop_from(&mut self, path: &[Move]) {
        let after = (Bound::Included(path), Bound::Unbounded);
        let below = self.nodes.range::<[Move], _>(after).map(|(node, _)| node);
        let below: Vec<Path> = below.take_while(|node| node.starts_with(path)).cloned().collect();
        for node in below {
            self.nodes.remove(&node);
        }
    }

    fn adopt(&mut self, job: JobId) {
        let Some(mut path) = self.paths.of(job).cloned() else { return };
        assert_eq!(
            self.offered_by.take(),
            Some(job),
            "an offer is adopted as soon as it is taken in"
        );
        for (current, brothers) in self.offered.drain(..) {
            self.nodes.insert(path.clone(), brothers);
            path.push(current);
        }
    }
}

impl Witness for YoungBrothers {
    fn see(&mut self, _now: Moment, sight: Sight<'_>) -> Result<(), Breach> {
        if let Sight::TakenIn { message: FromWorker::Offer { job, nodes, .. }, .. } = sight {
            let brothers = nodes.iter().filter_map(|handover| {
                let brothers = &handover.node.brothers;
                Some((brothers.get(handover.current)?.mv, brothers.clone()))
            });
            (self.offered, self.offered_by) = (brothers.collect(), Some(*job));
        }
        if let Sight::Traced(traced) = sight {
            self.note(&traced.event)?;
        }
        self.paths.follow(sight);
        Ok(())
    }

    fn end(&mut self, _finished: &Finished) -> Result<(), Breach> {
        Ok(())
    }
}
