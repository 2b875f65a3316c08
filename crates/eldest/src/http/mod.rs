//! What processes show over HTTP: metrics for Prometheus, and the coordinator's page.

mod coordinator_metrics;
mod metrics;
mod page;
mod worker_metrics;

pub(crate) use coordinator_metrics::CoordinatorMetrics;
pub(crate) use metrics::routes as metrics_routes;
pub(crate) use page::{Page, routes as page_routes};
pub(crate) use worker_metrics::WorkerMetrics;

use crate::Failure;
use axum::Router;
use std::io;
use std::net::{SocketAddr, TcpListener};

/// Listens at the address that `option` gave.
pub(crate) fn listen(option: &str, address: SocketAddr) -> Result<TcpListener, Failure> {
    let listen = || {
        let listener = TcpListener::bind(address)?;
        listener.set_nonblocking(true)?;
        Ok(listener)
    };
    listen().map_err(|error: io::Error| {
        let right = "give an address of this host and a free port, or port 0 for any";
        Failure::given(format!("{option} {address}: cannot listen there: {error}; {right}"))
    })
}

/// Answers requests on the runtime of the calling thread until the process ends.
pub(crate) fn serve(
    what: &'static str,
    listener: TcpListener,
    routes: Router,
) -> Result<(), Failure> {
    let failed = |error: io::Error| Failure::run(format!("cannot serve {what}: {error}"));
    let address = listener.local_addr().map_err(failed)?;
    let listener = tokio::net::TcpListener::from_std(listener).map_err(failed)?;
    tracing::info!(%address, "{what} served over HTTP");
    tokio::spawn(async move {
        if let Err(error) = axum::serve(listener, routes).await {
            tracing::error!(%error, "{what} served no longer");
        }
    });
    Ok(())
}
