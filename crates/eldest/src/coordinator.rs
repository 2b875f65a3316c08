//! `eldest coordinator`: owns the top of the tree and hands subtrees to workers.

use crate::Failure;
use crate::shutdown::on_signal;
use crate::trace::{Recorder, TraceArgs};
use clap::Args;
use cluster::{Coordinator, CoordinatorConfig};
use report::trace::ClockKind;
use search::Catalogue;
use std::net::SocketAddr;

/// Options of `eldest coordinator`.
#[derive(Args, Debug)]
pub(crate) struct CoordinatorArgs {
    /// Address and port for workers and clients; port 0 takes a free one
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:7171", env = "ELDEST_LISTEN")]
    listen: SocketAddr,
    /// Search threads of its own, at low priority; 0 for a pure coordinator
    #[arg(long, value_name = "N", default_value_t = 1)]
    #[arg(value_parser = clap::value_parser!(u16).range(..=i64::from(wire::MAX_SLOTS)))]
    threads: u16,
    #[command(flatten)]
    trace: TraceArgs,
}

/// Serves until it is told to stop.
pub(crate) async fn run(args: CoordinatorArgs, catalogue: Catalogue) -> Result<(), Failure> {
    let shutdown = on_signal()?;
    let config = CoordinatorConfig::new(args.listen, args.threads);
    let coordinator = Coordinator::bind(config, catalogue.clone())?;
    let Some(recorder) = Recorder::start(args.trace.trace.as_deref(), &catalogue)? else {
        return Ok(coordinator.run(shutdown).await?);
    };
    recorder.begin("coordinator", ClockKind::Real);
    let ended = coordinator.observed_by(recorder.observer()).run(shutdown).await;
    let written = recorder.finish();
    ended?;
    written
}
