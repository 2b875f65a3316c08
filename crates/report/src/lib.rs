//! What a run bought: trace events folded into [`Facts`], facts turned into the field's terms.
//!
//! This crate does not know how a run was made: a cluster, one process and a simulated world are
//! all told by the same [`ybw::TraceEvent`]s.

mod charts;
mod comparison;
mod delays;
mod facts;
mod files;
mod fold;
pub mod live;
mod scaling;
mod table;
mod terms;
pub mod trace;

pub use charts::Charted;
pub use comparison::{Comparison, Row, Run};
pub use delays::Delays;
pub use facts::{Count, Facts, Traffic};
pub use files::{CSV_COLUMNS, Destination, SCALING_COLUMNS, csv, json, scaling_csv, scaling_json};
pub use fold::Fold;
pub use scaling::{Sample, Scaling, Spread, Step};
pub use table::{Style, grouped, scaling_table, terms_table, traffic_table};
pub use terms::{Baseline, Cost, Terms};
