//! A deterministic world for Eldest's machines.
//!
//! The coordinator and worker machines of [`ybw`] and the searches of [`search`] are the ones that
//! production runs; only time, links and failures are simulated. There is no thread, no socket and no clock
//! here, and all chance comes from the plan's seed. A [`Plan`] describes a run, [`run`] carries it out
//! before the eyes of a [`Witness`], [`Checkers`] are witnesses that know the rules, and [`Swarm`]
//! draws plans to try the rules with.

mod checkers;
mod host;
mod link;
mod plan;
mod rng;
mod sight;
mod size;
mod swarm;
mod toll;
mod world;

pub use checkers::{Checkers, Truth};
pub use plan::{Group, MAX_NS, MAX_WORKERS, Mishap, Plan, PlanError, What};
pub use rng::Rng;
pub use sight::{Breach, Crossing, Sight, Witness};
pub use swarm::{Swarm, Trial};
pub use world::{Finished, SEARCH, Sent, Stopped, run, run_tampered};
