//! What people do with a cluster, with real processes, streams and signals.

#![allow(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

mod faults;
mod health;
mod programs;
mod suites;
