//! Who asks a coordinator to search: [`Client`].

use crate::Error;
use crate::error::status_text;
use crate::link::{dial, endpoint};
use std::time::Duration;
use tonic::transport::Channel;
use tonic::{Code, Status, Streaming};
use wire::v1::client_service_client::ClientServiceClient;
use wire::v1::{
    AbortRequest, SearchResponse, StatusRequest, StatusResponse, WatchRequest, WatchResponse,
};
use wire::{Answer, MAX_MESSAGE_BYTES, SearchOrder, SearchUpdate};
use ybw::SearchId;

/// A connection to a coordinator.
#[derive(Clone, Debug)]
pub struct Client {
    url: String,
    service: ClientServiceClient<Channel>,
}

impl Client {
    /// Connects to the coordinator at `url`, as in `http://host:7171`, trying again until
    /// `patience` is over.
    ///
    /// # Errors
    /// If the address makes no sense or nobody answers there in time.
    pub async fn connect(url: &str, patience: Duration) -> Result<Client, Error> {
        let endpoint = endpoint(url)?;
        let channel = dial(&endpoint, Some(patience)).await.map_err(|error| match error {
            Error::Unreachable { patience, cause, .. } => {
                Error::Unreachable { url: url.to_string(), patience, cause }
            }
            error => error,
        })?;
        let service =
            ClientServiceClient::new(channel).max_decoding_message_size(MAX_MESSAGE_BYTES);
        Ok(Client { url: url.to_string(), service })
    }

    /// Queues a search. It lives as long as what is returned: dropped before the answer, it is
    /// given up everywhere.
    ///
    /// # Errors
    /// [`Error::Rejected`] if the coordinator cannot do it, as for a position that makes no sense.
    pub async fn submit(&mut self, order: SearchOrder) -> Result<Followed, Error> {
        let response = self.service.search(wire::v1::SearchRequest::from(order)).await;
        let updates = response.map_err(|status| failure(&self.url, &status))?.into_inner();
        Ok(Followed { url: self.url.clone(), updates })
    }

    /// Gives a search up; whoever follows it is told. Returns whether there was such a search.
    ///
    /// # Errors
    /// If the coordinator breaks off.
    pub async fn abort(&mut self, search: SearchId) -> Result<bool, Error> {
        let response = self.service.abort(AbortRequest { search: search.0 }).await;
        Ok(response.map_err(|status| failure(&self.url, &status))?.into_inner().known)
    }

    /// Watches the coordinator: a snapshot every `interval`, a quarter of a second at least.
    ///
    /// # Errors
    /// If the coordinator breaks off or cannot be watched.
    pub async fn watch(&mut self, interval: Duration) -> Result<Watched, Error> {
        let interval_ms = u32::try_from(interval.as_millis()).unwrap_or(u32::MAX);
        let response = self.service.watch(WatchRequest { interval_ms }).await;
        let snapshots = response.map_err(|status| failure(&self.url, &status))?.into_inner();
        Ok(Watched { url: self.url.clone(), snapshots })
    }

    /// Who is there and what is being done.
    ///
    /// # Errors
    /// If the coordinator breaks off.
    pub async fn status(&mut self) -> Result<StatusResponse, Error> {
        let response = self.service.status(StatusRequest {}).await;
        Ok(response.map_err(|status| failure(&self.url, &status))?.into_inner())
    }
}

/// A coordinator that is watched.
#[derive(Debug)]
pub struct Watched {
    url: String,
    snapshots: Streaming<WatchResponse>,
}

impl Watched {
    /// The next snapshot, as JSON.
    ///
    /// # Errors
    /// If the coordinator ends or breaks off.
    pub async fn next(&mut self) -> Result<String, Error> {
        match self.snapshots.message().await {
            Ok(Some(WatchResponse { json })) => Ok(json),
            Ok(None) => {
                let cause = "the coordinator ends".to_string();
                Err(Error::BrokeOff { url: self.url.clone(), cause })
            }
            Err(status) => Err(Error::WentAway { url: self.url.clone(), source: Box::new(status) }),
        }
    }
}

/// A search that is followed.
#[derive(Debug)]
pub struct Followed {
    url: String,
    updates: Streaming<SearchResponse>,
}

impl Followed {
    /// The next update; the last one is the answer.
    ///
    /// # Errors
    /// If the coordinator breaks off, or there is no update after the answer.
    pub async fn next(&mut self) -> Result<SearchUpdate, Error> {
        match self.updates.message().await {
            Ok(Some(update)) => Ok(SearchUpdate::try_from(update)?),
            Ok(None) => {
                let cause = "there is nothing more to say of this search".to_string();
                Err(Error::BrokeOff { url: self.url.clone(), cause })
            }
            Err(status) => {
                tracing::debug!(%status, "the coordinator went away");
                Err(Error::WentAway { url: self.url.clone(), source: Box::new(status) })
            }
        }
    }

    /// Waits for the answer, passing on what comes before it.
    ///
    /// # Errors
    /// If the coordinator breaks off.
    pub async fn answer(&mut self, mut watch: impl FnMut(SearchUpdate)) -> Result<Answer, Error> {
        loop {
            match self.next().await? {
                SearchUpdate::Answer(answer) => return Ok(*answer),
                update => watch(update),
            }
        }
    }
}

fn failure(url: &str, status: &Status) -> Error {
    match status.code() {
        Code::InvalidArgument | Code::ResourceExhausted => {
            Error::Rejected { reason: status.message().to_string() }
        }
        Code::Unimplemented => {
            Error::Rejected { reason: format!("what answers at {url} is no coordinator of Eldest") }
        }
        _ => {
            tracing::debug!(%status, "the coordinator broke off");
            // A cause within this process is the transport's, in words for nobody.
            let broken = std::error::Error::source(status).is_some();
            let cause = if broken { "the connection broke".into() } else { status_text(status) };
            Error::BrokeOff { url: url.to_string(), cause }
        }
    }
}
