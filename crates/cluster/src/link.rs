//! How connections are set up, from both ends: constants, [`dial`] and [`Backoff`].

use crate::Error;
use crate::error::chain;
use std::hash::{BuildHasher, RandomState};
use std::time::{Duration, Instant};
use tonic::Code;
use tonic::transport::{Channel, Endpoint, Server};
use wire::v1::StatusRequest;
use wire::v1::client_service_client::ClientServiceClient;

/// Receive window of a stream, in bytes: what a stalled reader lets pile up.
const STREAM_WINDOW: u32 = 64 << 10;
/// Receive window of a connection, in bytes. Half of it is what h2 allows in small unread frames
/// before it takes them for an attack; a full stream window of the smallest frames costs less.
const CONNECTION_WINDOW: u32 = 8 << 20;
/// How often a peer is asked whether it is there.
const KEEPALIVE_INTERVAL: Duration = Duration::from_secs(2);
/// How long it may take to answer. A silent peer is found within the sum of both.
const KEEPALIVE_TIMEOUT: Duration = Duration::from_secs(4);
/// Metadata of a session's answer: what the spans of both processes belong to, as W3C Trace Context
/// writes it.
pub(crate) const TRACEPARENT: &str = "traceparent";
/// How often the system itself probes an idle connection.
pub(crate) const TCP_KEEPALIVE: Duration = Duration::from_secs(30);
/// Most streams of one connection.
const MAX_STREAMS: u32 = 64;
/// Longest wait for one attempt to connect.
pub(crate) const CONNECT_TIMEOUT: Duration = Duration::from_secs(3);

/// The coordinator's address, checked.
pub(crate) fn endpoint(url: &str) -> Result<Endpoint, Error> {
    let wrong = |wrong: &str| Error::Address { given: url.to_string(), wrong: wrong.to_string() };
    let rest =
        url.strip_prefix("http://").ok_or_else(|| wrong("it does not begin with http://"))?;
    if rest.is_empty() {
        return Err(wrong("the host is missing"));
    }
    let endpoint = Endpoint::from_shared(url.to_string()).map_err(|error| wrong(&chain(&error)))?;
    Ok(endpoint
        .connect_timeout(CONNECT_TIMEOUT)
        .tcp_nodelay(true)
        .tcp_keepalive(Some(TCP_KEEPALIVE))
        .initial_stream_window_size(STREAM_WINDOW)
        .initial_connection_window_size(CONNECTION_WINDOW)
        .http2_keep_alive_interval(KEEPALIVE_INTERVAL)
        .keep_alive_timeout(KEEPALIVE_TIMEOUT)
        .keep_alive_while_idle(true))
}

/// A server whose connections live and end as those of [`endpoint`] do.
pub(crate) fn server() -> Server {
    Server::builder()
        .initial_stream_window_size(STREAM_WINDOW)
        .initial_connection_window_size(CONNECTION_WINDOW)
        .http2_keepalive_interval(Some(KEEPALIVE_INTERVAL))
        .http2_keepalive_timeout(Some(KEEPALIVE_TIMEOUT))
        .max_concurrent_streams(MAX_STREAMS)
}

/// Connects, trying again until `patience` is over; `None` tries for ever. Within a stated patience
/// the peer must also answer a call: one that accepts connections may be silent, or no coordinator.
pub(crate) async fn dial(
    endpoint: &Endpoint,
    patience: Option<Duration>,
) -> Result<Channel, Error> {
    let began = Instant::now();
    let mut backoff = Backoff::default();
    loop {
        let left = patience.map(|patience| patience.saturating_sub(began.elapsed()));
        let result = match left {
            None => endpoint.connect().await.map_err(|error| chain(&error)),
            Some(left) => match tokio::time::timeout(left, connect_and_ask(endpoint)).await {
                Ok(result) => result,
                Err(_) => Err("it did not answer".to_string()),
            },
        };
        let cause = match result {
            Ok(channel) => return Ok(channel),
            Err(cause) => cause,
        };
        let wait = backoff.next_wait();
        match patience {
            Some(patience) if began.elapsed() + wait >= patience => {
                tokio::time::sleep(patience.saturating_sub(began.elapsed())).await;
                let url = endpoint.uri().to_string();
                return Err(Error::Unreachable { url, patience, cause });
            }
            _ => tracing::debug!(%cause, ?wait, "no connection yet"),
        }
        tokio::time::sleep(wait).await;
    }
}

/// Connects and has one call answered. An answer that the call is unknown is one, too: the next
/// call tells who that is.
async fn connect_and_ask(endpoint: &Endpoint) -> Result<Channel, String> {
    let channel = endpoint.connect().await.map_err(|error| chain(&error))?;
    match ClientServiceClient::new(channel.clone()).status(StatusRequest {}).await {
        Ok(_) => Ok(channel),
        Err(status) if status.code() == Code::Unimplemented => Ok(channel),
        Err(status) => {
            tracing::debug!(%status, "no answer to the first call");
            Err("what listens there does not answer as a coordinator does".to_string())
        }
    }
}

/// Waits between attempts: a random share of a time that doubles (full jitter), so that the
/// workers of a cluster do not all come back at once.
#[derive(Debug, Default)]
pub(crate) struct Backoff {
    attempts: u32,
}

impl Backoff {
    const FIRST: Duration = Duration::from_millis(100);
    /// No wait is longer.
    pub(crate) const MOST: Duration = Duration::from_secs(5);

    pub(crate) fn next_wait(&mut self) -> Duration {
        let most = Self::FIRST.saturating_mul(1 << self.attempts.min(10)).min(Self::MOST);
        self.attempts += 1;
        most.mul_f64(random_share())
    }
}

/// A random number from 0 to 1, from the keys that hash maps are seeded with.
fn random_share() -> f64 {
    let bits = RandomState::new().hash_one(0) >> 32;
    f64::from(u32::try_from(bits).unwrap_or(u32::MAX)) / f64::from(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_grow_up_to_a_limit() {
        let mut backoff = Backoff::default();
        for attempt in 0..40 {
            let most = Backoff::FIRST * (1 << attempt.min(10));
            assert!(backoff.next_wait() <= most.min(Backoff::MOST));
        }
    }

    #[test]
    fn what_is_no_address_is_refused() {
        for given in ["", "localhost:7171", "http://", "http://a b", "ftp://host"] {
            let error = endpoint(given).unwrap_err();
            assert!(error.is_usage() && error.to_string().contains("http://host:7171"), "{error}");
        }
        assert!(endpoint("http://localhost:7171").is_ok());
    }
}
