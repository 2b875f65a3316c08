//! A deterministic world for Eldest's machines.
//!
//! The coordinator and worker machines of [`ybw`] and the searches of [`search`] are the ones that
//! production runs; only time, links and failures are simulated. There is no thread, no socket and no clock
//! here, and all chance comes from the plan's seed.

mod host;
mod plan;
mod rng;
mod world;

pub use plan::{Going, Plan, WorkerPlan};
pub use rng::Rng;
pub use world::{Finished, SEARCH, run};
