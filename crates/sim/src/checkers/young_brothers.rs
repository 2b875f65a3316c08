//! Young brothers wait: [`YoungBrothers`].

use super::paths::{Path, Paths};
use crate::{Breach, Finished, Sight, Witness};
use game::{Brother, Interval, Move, NodeKind, Policy, Value, Window};
use std::collections::BTreeMap;
use std::ops::Bound;
use ybw::{FromWorker, JobId, Moment, TraceEvent};

/// No young brother leaves before its eldest is resolved, unless the policy has those of PV nodes scouted
/// against a guess.
///
/// It keeps a tree of its own: the brothers of every node that was handed over, in order, and what is
/// known of each, for the side to move at the node.
pub(super) struct YoungBrothers {
    policy: Policy,
    paths: Paths,
    nodes: BTreeMap<Path, Node>,
    /// The offer taken in last: of each node the move it goes on with.
    offered: Vec<(Move, Node)>,
    offered_by: Option<JobId>,
}

struct Node {
    kind: NodeKind,
    brothers: Vec<Brother>,
}

const RULE: &str = "young brothers wait";

impl YoungBrothers {
    pub(super) fn new(policy: Policy) -> YoungBrothers {
        YoungBrothers {
            policy,
            paths: Paths::default(),
            nodes: BTreeMap::new(),
            offered: Vec::new(),
            offered_by: None,
        }
    }

    fn note(&mut self, event: &TraceEvent) -> Result<(), Breach> {
        match event {
            TraceEvent::JobAssigned { job, path, window, .. } => self.leaves(*job, path, -*window),
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

    /// A brother leaves and is asked this, for the side to move at its node.
    fn leaves(&self, job: JobId, path: &[Move], window: Window) -> Result<(), Breach> {
        let Some((mv, node)) = path.split_last() else { return Ok(()) };
        let Some(Node { kind, brothers }) = self.nodes.get(node) else {
            return Err(Breach::new(RULE, format!("{job} at {path:?}: {node:?} is not open")));
        };
        let guessed = self.policy == Policy::Aspiring && *kind == NodeKind::Pv && window.is_null();
        if brothers[0].mv == *mv || guessed {
            return Ok(());
        }
        let Interval { low, high } = brothers[0].known;
        // A scout that failed high is asked again from just below what it proved.
        if low == high || high <= window.alpha().successor() {
            return Ok(());
        }
        let seen =
            format!("{job} leaves to {path:?} while of the eldest only {low}..{high} is known");
        Err(Breach::new(RULE, seen))
    }

    fn learn(&mut self, path: &[Move], value: Value) {
        let Some((mv, node)) = path.split_last() else { return };
        let brothers = self.nodes.get_mut(node).map(|node| &mut node.brothers);
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
        for (current, node) in self.offered.drain(..) {
            self.nodes.insert(path.clone(), node);
            path.push(current);
        }
    }
}

impl Witness for YoungBrothers {
    fn see(&mut self, _now: Moment, sight: Sight<'_>) -> Result<(), Breach> {
        if let Sight::TakenIn { message: FromWorker::Offer { job, nodes, .. }, .. } = sight {
            let nodes = nodes.iter().filter_map(|handover| {
                let (kind, brothers) = (handover.node.kind, handover.node.brothers.clone());
                Some((brothers.get(handover.current)?.mv, Node { kind, brothers }))
            });
            (self.offered, self.offered_by) = (nodes.collect(), Some(*job));
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
