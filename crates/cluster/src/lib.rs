//! The processes of Eldest: coordinator, worker and client, and a search within one process.
//!
//! The machines of `ybw` decide everything; this crate gives them threads that search, streams
//! that carry their messages, and the time. It is written for a single-threaded tokio runtime, on which
//! small messages travel fastest; searches run on threads of their own.

mod client;
mod clock;
mod coordinator;
mod crew;
mod desk;
mod error;
mod health;
mod here;
mod link;
mod memory;
mod meter;
mod observer;
mod outbox;
mod pay;
mod peers;
mod search_thread;
mod searches;
mod slots;
mod snapshots;
mod table_file;
mod worker;

pub use client::{Client, Followed, Watched};
pub use coordinator::{Coordinator, CoordinatorConfig};
pub use error::Error;
pub use health::{Health, ask_health};
pub use here::solve_here;
pub use memory::make_table;
pub use meter::Meter as TrafficMeter;
pub use observer::Observer;
pub use pay::pay;
pub use search_thread::spawn_search_thread;
pub use snapshots::Snapshots;
pub use table_file::TableFile;
pub use wire::v1::{SearchStatus, StatusResponse, WorkerStatus};
pub use wire::{Answer, SearchOrder, SearchUpdate, Standing};
pub use worker::{WorkerConfig, WorkerFact, WorkerObserver, run_observed_worker, run_worker};

use std::future::Future;
use std::io;

/// Runs one of the processes to its end on a runtime of the calling thread.
///
/// # Errors
/// If the system refuses the runtime what it needs.
pub fn block_on<T>(process: impl Future<Output = T>) -> io::Result<T> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    Ok(runtime.block_on(process))
}
