//! `eldest worker`: searches subtrees for a coordinator.

use crate::engine::cores;
use crate::http::{self, WorkerMetrics};
use crate::otlp::OtlpArgs;
use crate::shutdown::on_signal;
use crate::{Failure, choices};
use clap::Args;
use cluster::WorkerConfig;
use search::Catalogue;
use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

/// Options of `eldest worker`.
#[derive(Args, Debug)]
pub(crate) struct WorkerArgs {
    /// The coordinator, as in http://host:7171
    #[arg(long, value_name = "URL", env = "ELDEST_COORDINATOR")]
    coordinator: String,
    /// Search threads [default: all cores]
    #[arg(long, value_name = "N")]
    #[arg(value_parser = clap::value_parser!(u16).range(1..=i64::from(wire::MAX_SLOTS)))]
    threads: Option<u16>,
    /// The name it is known by [default: the host's name]
    #[arg(long)]
    name: Option<String>,
    /// Where other workers reach this one to share table entries, and where it is asked for its health;
    /// port 0 takes a free one, and 0.0.0.0 all interfaces [default: the interface this host reaches the
    /// coordinator by, any free port]
    #[arg(long, value_name = "ADDRESS", env = "ELDEST_WORKER_LISTEN")]
    listen: Option<SocketAddr>,
    /// Begin with the table in this file, if it is there, keep the table from search to search, and save it
    /// there in the end; not for searches with --table-sharing off
    #[arg(long, value_name = "FILE")]
    table_file: Option<PathBuf>,
    /// How long to try to reach the coordinator before giving up
    #[arg(long, value_name = "TIME", default_value = "1m", value_parser = choices::time)]
    patience: Duration,
    /// Show metrics for Prometheus at http://ADDRESS/metrics
    #[arg(long, value_name = "ADDRESS", env = "ELDEST_METRICS")]
    metrics: Option<SocketAddr>,
    #[command(flatten)]
    otlp: OtlpArgs,
    /// End when standard input ends, and so with the process that holds its other end
    #[arg(long, hide = true)]
    while_stdin: bool,
}

/// Works until it is told to stop.
pub(crate) async fn run(args: WorkerArgs, catalogue: Catalogue) -> Result<(), Failure> {
    let shutdown = on_signal()?;
    if args.while_stdin {
        let shutdown = shutdown.clone();
        std::thread::spawn(move || {
            // Nothing is ever said there: whether it ends or breaks, the other end is gone.
            let _ = io::copy(&mut io::stdin(), &mut io::sink());
            shutdown.cancel();
        });
    }
    let threads = args.threads.unwrap_or_else(cores);
    let metrics = WorkerMetrics::new(threads);
    let mut spans = args.otlp.worker()?;
    let observer = metrics.observer().and(std::mem::take(&mut spans.observer));
    if let Some(address) = args.metrics {
        http::serve("metrics", http::listen("--metrics", address)?, http::metrics_routes(metrics))?;
    }
    let config = WorkerConfig {
        name: args.name,
        listen: args.listen,
        table_file: args.table_file,
        connect_patience: args.patience,
        ..WorkerConfig::new(args.coordinator, threads)
    };
    let ended = cluster::run_observed_worker(config, catalogue, observer, shutdown).await;
    spans.finish();
    Ok(ended?)
}
