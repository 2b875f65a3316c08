//! What coordinator and worker say to each other.
//!
//! A position travels as the root of its search and a path of move codes, so neither machine knows the
//! rules of a game. Messages of one stream arrive in the order sent.

use crate::{JobId, Moment, SearchId, WorkerId};
use game::{Cutback, Finding, Handover, Move, Setup, Subtree, Tally, Value, Window};
use serde::{Deserialize, Serialize};
use std::ops::AddAssign;
use std::sync::Arc;

/// Longest path from a search's root to a job's root, in plies.
pub const MAX_PATH: usize = 512;
/// Most open nodes in one offer.
pub const MAX_OFFERED_NODES: usize = 512;
/// Most brothers in one offer, over all its nodes.
pub const MAX_OFFERED_BROTHERS: usize = 16_384;

/// A worker process that others can tell of what they found out.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Peer {
    /// Its session.
    pub worker: WorkerId,
    /// Where it listens; empty for where the coordinator does.
    pub address: Arc<str>,
}

/// What a job that is asked to split is to do.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Wish {
    /// The job's name from the offer on.
    pub next: JobId,
    /// Nodes with fewer plies remaining are not worth an offer.
    pub grain: u8,
}

/// From the coordinator to a worker.
#[derive(Clone, PartialEq, Debug)]
pub enum ToWorker {
    /// A search whose jobs will follow.
    Prepare {
        /// Its name.
        search: SearchId,
        /// What is searched and how.
        setup: Arc<Setup>,
    },
    /// Search this subtree.
    Assign(Assignment),
    /// The window of a job changed.
    Narrow {
        /// The job.
        job: JobId,
        /// Its new window, for the side to move at the job's root. A scout's moves as a whole.
        window: Window,
    },
    /// The result of a job is not wanted any more. Answered by [`FromWorker::Stopped`].
    Cancel {
        /// The job.
        job: JobId,
    },
    /// Somebody is idle: offer open nodes as soon as there are any to give.
    Split {
        /// The job.
        job: JobId,
        /// What is wished for.
        wish: Wish,
    },
    /// No more jobs of this search will come.
    Forget {
        /// The search.
        search: SearchId,
    },
    /// Whom to tell what is found out in a search, and what others told: see [`Relay`](crate::Relay).
    Peers {
        /// The search.
        search: SearchId,
        /// The receiver, as those it tells know it.
        own: WorkerId,
        /// How many processes share, itself included; may be off by a factor of two.
        members: u32,
        /// Those who are new.
        joined: Vec<Peer>,
        /// Those who are gone.
        gone: Vec<WorkerId>,
    },
    /// What the coordinator concluded from results: worth a place in the table, and telling others.
    Learn {
        /// The search.
        search: SearchId,
        /// Each about a node that was handed over.
        findings: Vec<Finding>,
    },
}

/// One subtree to be searched.
#[derive(Clone, PartialEq, Debug)]
pub struct Assignment {
    /// Its name.
    pub job: JobId,
    /// The search it belongs to.
    pub search: SearchId,
    /// What to search.
    pub subtree: Subtree,
}

/// What a part of a search cost, since the last message that said so.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Spent {
    /// Positions and cutoffs.
    pub tally: Tally,
    /// Time during which a slot had the job, in nanoseconds.
    pub busy_ns: u64,
}

impl AddAssign for Spent {
    fn add_assign(&mut self, other: Spent) {
        let Spent { tally, busy_ns } = other;
        self.tally += tally;
        self.busy_ns += busy_ns;
    }
}

/// What a changed window did where it arrived.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "effect")]
pub enum WindowEffect {
    /// The job waited for a slot, and will begin with it.
    Waiting,
    /// The search goes on with it, or is over by it.
    Applied(Cutback),
    /// The job had ended or moved on.
    Late,
}

/// From a worker to the coordinator.
#[derive(Clone, PartialEq, Debug)]
pub enum FromWorker {
    /// A job is done.
    Result {
        /// The job.
        job: JobId,
        /// What is now known of its root, for the side to move there.
        value: Value,
        /// The best line from there, as far as it is known.
        line: Vec<Move>,
        /// What it cost.
        spent: Spent,
    },
    /// The answer to [`ToWorker::Split`]: these open nodes are the coordinator's now. The worker
    /// goes on with the last one's current child, under the new name.
    Offer {
        /// The job that ends with this message.
        job: JobId,
        /// The job that goes on.
        next: JobId,
        /// The open nodes from the job's root downwards, at least one.
        nodes: Vec<Handover>,
        /// What the job cost.
        spent: Spent,
    },
    /// A cancelled job is not searched any more.
    Stopped {
        /// The job.
        job: JobId,
        /// What it cost.
        spent: Spent,
    },
    /// A job goes on.
    Progress {
        /// The job.
        job: JobId,
        /// What it cost.
        spent: Spent,
    },
    /// A changed window arrived.
    Narrowed {
        /// The job.
        job: JobId,
        /// The window.
        window: Window,
        /// What it did.
        effect: WindowEffect,
        /// When, on the worker's clock.
        at: Moment,
    },
    /// A job given back without a result: the worker is about to leave.
    Returned {
        /// The job.
        job: JobId,
        /// What it cost.
        spent: Spent,
    },
    /// The worker is about to leave and takes no more jobs; those it has come back as
    /// [`FromWorker::Returned`].
    Leaving,
    /// The worker cannot take jobs of a search.
    Unfit {
        /// The search.
        search: SearchId,
        /// Why, in words for a person.
        reason: String,
    },
}
