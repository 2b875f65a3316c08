//! Whether an offer is one that a worker may make.

use crate::{JobId, MAX_OFFERED_BROTHERS, MAX_OFFERED_NODES, MAX_PATH};
use game::{Depth, Handover, MAX_MOVES};

/// Refuses an offer that no worker of ours would make, in words that say what is wrong.
pub(super) fn check(
    nodes: &[Handover],
    next: JobId,
    wished: Option<JobId>,
    ply: usize,
    depth: Depth,
) -> Result<(), String> {
    if wished != Some(next) {
        return Err(match wished {
            Some(wished) => format!("its rest is called {next}, but was to be called {wished}"),
            None => "nobody asked for it".to_string(),
        });
    }
    if nodes.is_empty() || nodes.len() > MAX_OFFERED_NODES {
        return Err(format!("{} open nodes; 1 to {MAX_OFFERED_NODES} are allowed", nodes.len()));
    }
    if ply + nodes.len() > MAX_PATH {
        return Err(format!("it reaches beyond ply {MAX_PATH}"));
    }
    if depth != Depth::FULL && nodes.len() > usize::from(depth.code()) {
        return Err(format!("{} open nodes below depth {depth}", nodes.len()));
    }
    let brothers: usize = nodes.iter().map(|handover| handover.node.brothers.len()).sum();
    if brothers > MAX_OFFERED_BROTHERS {
        return Err(format!("{brothers} brothers; at most {MAX_OFFERED_BROTHERS} are allowed"));
    }
    for (place, Handover { node, current }) in nodes.iter().enumerate() {
        let count = node.brothers.len();
        if count > MAX_MOVES {
            return Err(format!(
                "node {place} has {count} children; at most {MAX_MOVES} are allowed"
            ));
        }
        if *current >= count {
            return Err(format!("node {place} goes on with child {current} of {count}"));
        }
        if node.is_cut() || node.is_resolved(*current) {
            return Err(format!("node {place} goes on with a child that is already resolved"));
        }
    }
    Ok(())
}

/// How many brothers of an offered node wait.
pub(super) fn waiting(handover: &Handover) -> u32 {
    let Handover { node, current } = handover;
    let waits = |&index: &usize| index != *current && !node.is_resolved(index);
    u32::try_from((0..node.brothers.len()).filter(waits).count()).unwrap_or(u32::MAX)
}
