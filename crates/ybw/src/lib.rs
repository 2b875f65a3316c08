//! The distributed half of Eldest, without I/O: young brothers wait.
//!
//! Two machines talk to each other in [`ToWorker`] and [`FromWorker`]: the [`Coordinator`] owns the split
//! tree and decides who searches what, the [`Worker`] hands jobs to its slots. Both are driven the
//! same way: `handle(now, input)`, then `poll_output()` until `None`, then `poll_timeout()`.
//! They know nothing of a game's rules, of how a subtree is searched, of threads or sockets.

mod coordinator;
mod ids;
mod message;
mod relay;
mod trace;
mod worker;

pub use coordinator::{Coordinator, CoordinatorInput, CoordinatorOutput, Progress, Request};
pub use ids::{JobId, Moment, SearchId, Slot, WorkerId};
pub use message::{
    Assignment, FromWorker, MAX_OFFERED_BROTHERS, MAX_OFFERED_NODES, MAX_PATH, Peer, Spent,
    ToWorker, WindowEffect, Wish,
};
pub use relay::Relay;
pub use trace::{Departure, Outcome, TraceEvent, Traced};
pub use worker::{SlotEvent, Worker, WorkerInput, WorkerOutput};
