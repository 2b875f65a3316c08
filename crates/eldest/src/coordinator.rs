//! `eldest coordinator`: owns the top of the tree and hands subtrees to workers.

use crate::Failure;
use crate::http::{self, CoordinatorMetrics, Page};
use crate::otlp::OtlpArgs;
use crate::shutdown::on_signal;
use crate::trace::{Recorder, TraceArgs};
use crate::watching::Watching;
use clap::Args;
use cluster::{Coordinator, CoordinatorConfig, Observer};
use report::trace::ClockKind;
use search::Catalogue;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

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
    /// Show what goes on, and start searches, on a page at this address, as in 127.0.0.1:8080
    #[arg(long, value_name = "ADDRESS", env = "ELDEST_HTTP")]
    http: Option<SocketAddr>,
    /// Show metrics for Prometheus at http://ADDRESS/metrics
    #[arg(long, value_name = "ADDRESS", env = "ELDEST_METRICS")]
    metrics: Option<SocketAddr>,
    #[command(flatten)]
    otlp: OtlpArgs,
}

/// Serves until it is told to stop.
pub(crate) async fn run(args: CoordinatorArgs, catalogue: Catalogue) -> Result<(), Failure> {
    let shutdown = on_signal()?;
    let config = CoordinatorConfig::new(args.listen, args.threads);
    let coordinator = Coordinator::bind(config, catalogue.clone())?;
    let watching = Watching::new(&catalogue, coordinator.traffic_meter());
    let url = format!("http://{}", reachable(coordinator.local_addr()));
    show(&args, &catalogue, &watching, url)?;
    let recorder = Recorder::start(args.trace.trace.as_deref(), &catalogue)?;
    let recorded = recorder.as_ref().map_or_else(Observer::default, |recorder| {
        recorder.begin("coordinator", ClockKind::Real);
        recorder.observer()
    });
    let mut spans = args.otlp.coordinator()?;
    let observer = watching.observer().and(recorded).and(std::mem::take(&mut spans.observer));
    let mut coordinator = coordinator.observed_by(observer).shown_by(watching.snapshots());
    if let Some(traceparent) = &spans.traceparent {
        coordinator = coordinator.in_context(traceparent);
    }
    let folding = tokio::spawn(watching.fold());
    let ended = coordinator.run(shutdown).await;
    folding.abort();
    spans.finish();
    let written = recorder.map_or(Ok(()), Recorder::finish);
    ended?;
    written
}

/// Begins to serve what is to be served over HTTP.
fn show(
    args: &CoordinatorArgs,
    catalogue: &Catalogue,
    watching: &Watching,
    coordinator: String,
) -> Result<(), Failure> {
    let metrics = args.metrics.map(|address| http::listen("--metrics", address)).transpose()?;
    let page = args.http.map(|address| http::listen("--http", address)).transpose()?;
    if let Some(listener) = metrics {
        let metrics = CoordinatorMetrics(watching.clone());
        http::serve("metrics", listener, http::metrics_routes(metrics))?;
    }
    if let Some(listener) = page {
        let (watching, catalogue) = (watching.clone(), catalogue.clone());
        let trace = args.trace.trace.clone();
        let page = Page { watching, catalogue, coordinator, trace };
        http::serve("the page", listener, http::page_routes(page))?;
    }
    Ok(())
}

/// Where this process reaches itself if it listens everywhere.
fn reachable(address: SocketAddr) -> SocketAddr {
    let ip = match address.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => Ipv4Addr::LOCALHOST.into(),
        IpAddr::V6(ip) if ip.is_unspecified() => Ipv6Addr::LOCALHOST.into(),
        ip => ip,
    };
    SocketAddr::new(ip, address.port())
}
