//! What a run bought: trace events folded into [`Facts`], facts turned into the field's terms.
//!
//! This crate does not know how a run was made: a cluster, one process and a simulated world are
//! all told by the same [`ybw::TraceEvent`]s.

mod facts;
mod fold;

pub use facts::{Count, Facts, Traffic};
pub use fold::Fold;
