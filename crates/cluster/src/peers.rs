//! Table entries shared with the other processes of a cluster: [`Peers`] tells, [`Ear`] hears.
//!
//! Every process keeps what the others found out in its own table, so that a probe never waits for
//! anybody. Entries are told to a few neighbours in bulk, those that weigh most first, and passed on by them
//! ([`ybw::Relay`]). A peer that does not listen misses something and costs nothing.

use crate::link::{self, dial, endpoint};
use crate::searches::Searches;
use game::Finding;
use std::collections::BTreeMap;
use std::time::Duration;
use tokio::sync::mpsc::error::TrySendError;
use tokio::sync::mpsc::{self, Receiver, Sender};
use tokio::task::AbortHandle;
use tokio_stream::wrappers::ReceiverStream;
use tonic::{Request, Response, Status, Streaming};
use wire::v1::peer_service_client::PeerServiceClient;
use wire::v1::peer_service_server::PeerService;
use wire::v1::{ShareRequest, ShareResponse};
use wire::{MAX_MESSAGE_BYTES, Shared};
use ybw::{Peer, Relay, SearchId, WorkerId};

/// How often others are told what was found out.
pub(crate) const TELL_INTERVAL: Duration = Duration::from_nanos(Relay::INTERVAL_NS);
/// Messages that wait for a slow peer; it misses what comes then.
const MAX_WAITING: usize = 16;

/// Those who want to be told what this process finds out.
#[derive(Debug)]
pub(crate) struct Peers {
    /// Where the coordinator listens.
    coordinator: String,
    search: Option<SearchId>,
    /// This process, as the others know it.
    own: WorkerId,
    lines: BTreeMap<WorkerId, Line>,
}

/// The connection to one of them, for as long as it is wanted.
#[derive(Debug)]
struct Line {
    messages: Sender<ShareRequest>,
    missed: u64,
    task: AbortHandle,
}

impl Drop for Line {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Peers {
    /// Nobody yet.
    pub(crate) fn new(coordinator: impl Into<String>) -> Peers {
        let (coordinator, own) = (coordinator.into(), WorkerId(0));
        Peers { coordinator, search: None, own, lines: BTreeMap::new() }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }

    /// The search these are the peers of.
    pub(crate) fn search(&self) -> Option<SearchId> {
        self.search
    }

    /// Begins to tell those who joined and ends telling those who are gone.
    pub(crate) fn change(
        &mut self,
        search: SearchId,
        own: WorkerId,
        joined: &[Peer],
        gone: &[WorkerId],
    ) {
        self.own = own;
        if self.search.replace(search) != Some(search) {
            self.lines.clear();
        }
        for worker in gone {
            self.lines.remove(worker);
        }
        for Peer { worker, address } in joined {
            let url = match &**address {
                "" => self.coordinator.clone(),
                address => format!("http://{address}"),
            };
            let (messages, inbox) = mpsc::channel(MAX_WAITING);
            let task = tokio::spawn(tell(url, inbox)).abort_handle();
            self.lines.insert(*worker, Line { messages, missed: 0, task });
        }
    }

    /// Tells nobody any more.
    pub(crate) fn clear(&mut self) {
        self.search = None;
        self.lines.clear();
    }

    /// Tells a neighbour, if it has room for it.
    pub(crate) fn tell(&mut self, worker: WorkerId, findings: Vec<Finding>) {
        let (Some(search), Some(line)) = (self.search, self.lines.get_mut(&worker)) else {
            return;
        };
        let request = ShareRequest::from(Shared { search, from: self.own, findings });
        if let Err(TrySendError::Full(_)) = line.messages.try_send(request) {
            line.missed += 1;
            if line.missed.is_power_of_two() {
                tracing::debug!(%worker, missed = line.missed, "a peer is slow to listen");
            }
        }
    }
}

/// Keeps a stream open to a peer and passes on what comes in; what comes while there is no
/// connection is lost.
async fn tell(url: String, mut inbox: Receiver<ShareRequest>) {
    let endpoint = match endpoint(&url) {
        Ok(endpoint) => endpoint,
        Err(error) => return tracing::warn!(url, %error, "a peer cannot be told anything"),
    };
    let mut backoff = link::Backoff::default();
    while let Ok(channel) = dial(&endpoint, None).await {
        let (messages, outbox) = mpsc::channel(MAX_WAITING);
        let mut client = PeerServiceClient::new(channel);
        let mut call = std::pin::pin!(client.share(ReceiverStream::new(outbox)));
        loop {
            tokio::select! {
                ended = &mut call => {
                    let reason = ended.err().map(|status| status.message().to_string());
                    tracing::debug!(url, reason, "a peer does not listen any more");
                    break;
                }
                message = inbox.recv() => match message {
                    // A peer that is full misses this, as one that is away would.
                    Some(message) => drop(messages.try_send(message)),
                    None => return,
                },
            }
        }
        tokio::time::sleep(backoff.next_wait()).await;
    }
}

/// Hears what others found out.
#[derive(Clone, Debug)]
pub(crate) struct Ear {
    searches: Searches,
}

impl Ear {
    /// Stores what is heard in the tables of these searches.
    pub(crate) fn new(searches: Searches) -> Ear {
        Ear { searches }
    }
}

#[tonic::async_trait]
impl PeerService for Ear {
    async fn share(
        &self,
        request: Request<Streaming<ShareRequest>>,
    ) -> Result<Response<ShareResponse>, Status> {
        let mut inbound = request.into_inner();
        while let Some(request) = inbound.message().await? {
            let malformed = |wrong: wire::Malformed| Status::invalid_argument(wrong.to_string());
            let Shared { search, from, findings } = request.try_into().map_err(malformed)?;
            if let Some(prepared) = self.searches.find(search) {
                prepared.learn(from, findings);
            }
        }
        Ok(Response::new(ShareResponse {}))
    }
}

/// The service that others tell what they found out.
pub(crate) fn service(ear: Ear) -> wire::v1::peer_service_server::PeerServiceServer<Ear> {
    wire::v1::peer_service_server::PeerServiceServer::new(ear)
        .max_decoding_message_size(MAX_MESSAGE_BYTES)
}
