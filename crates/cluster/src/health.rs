//! How processes of the cluster say that they are well, and how they are asked: the standard health
//! service of gRPC.

use crate::Error;
use crate::error::{chain, status_text};
use crate::link::{CONNECT_TIMEOUT, endpoint};
use std::time::Duration;
use tokio::sync::watch;
use tonic::{Code, Request};
use tonic_health::ServingStatus;
use tonic_health::pb::HealthCheckRequest;
use tonic_health::pb::health_check_response::ServingStatus as Said;
use tonic_health::pb::health_client::HealthClient;
use tonic_health::server::HealthReporter;
use wire::v1::peer_service_server::SERVICE_NAME as PEER_SERVICE;

/// What a process says of itself, or why it says nothing.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Health {
    /// It serves.
    Serving,
    /// It answers, and does not serve: it ends, or it is a worker without a coordinator.
    NotServing,
    /// It answers, and has no such service.
    UnknownService,
    /// Nobody answers, with the cause.
    Silent(String),
}

/// Asks the process at `url` for the health of `service`, or of all of it if that is empty, and waits for
/// the answer no longer than `patience`.
///
/// # Errors
/// [`Error::Address`] if the address makes no sense. Nobody there is [`Health::Silent`].
pub async fn ask_health(url: &str, service: &str, patience: Duration) -> Result<Health, Error> {
    let endpoint = endpoint(url)?.connect_timeout(CONNECT_TIMEOUT.min(patience));
    let asked = async {
        let channel = endpoint.connect().await.map_err(|error| chain(&error))?;
        let request = Request::new(HealthCheckRequest { service: service.to_string() });
        match HealthClient::new(channel).check(request).await {
            Ok(response) => Ok(match response.into_inner().status() {
                Said::Serving => Health::Serving,
                Said::ServiceUnknown => Health::UnknownService,
                Said::NotServing | Said::Unknown => Health::NotServing,
            }),
            Err(status) if status.code() == Code::NotFound => Ok(Health::UnknownService),
            Err(status) => Err(status_text(&status)),
        }
    };
    let answered = tokio::time::timeout(patience, asked).await;
    let answered = answered.unwrap_or_else(|_| Err(format!("no answer within {patience:?}")));
    Ok(answered.unwrap_or_else(Health::Silent))
}

/// Reports for as long as it is polled that a worker's service for its peers serves while the worker is
/// with a coordinator. The process as a whole serves all the time.
pub(crate) async fn report_joined(reporter: HealthReporter, mut joined: watch::Receiver<bool>) {
    loop {
        let status = match *joined.borrow_and_update() {
            true => ServingStatus::Serving,
            false => ServingStatus::NotServing,
        };
        reporter.set_service_status(PEER_SERVICE, status).await;
        if joined.changed().await.is_err() {
            return;
        }
    }
}
