//! The service that clients call: [`Clients`].

use super::event::Event;
use crate::desk::{NotNow, Watcher};
use crate::snapshots::Snapshots;
use search::Catalogue;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::sync::mpsc::{self, Receiver, Sender, UnboundedSender};
use tokio::sync::oneshot;
use tokio::time::MissedTickBehavior;
use tokio_stream::Stream;
use tokio_stream::wrappers::ReceiverStream;
use tokio_util::sync::CancellationToken;
use tonic::{Request, Response, Status};
use wire::v1::client_service_server::ClientService;
use wire::v1::{
    AbortRequest, AbortResponse, SearchRequest, SearchResponse, StatusRequest, StatusResponse,
    WatchRequest, WatchResponse,
};
use wire::{SearchOrder, SearchUpdate};
use ybw::SearchId;

/// Updates that may wait for a client. Progress that finds less than two places free is dropped,
/// so that there is always one for the answer.
const MAX_UPDATES: usize = 8;
/// Shortest time between two snapshots for one watcher.
const MIN_WATCH_INTERVAL: Duration = Duration::from_millis(250);

/// Calls of clients.
#[derive(Clone, Debug)]
pub(super) struct Clients {
    events: Sender<Event>,
    prompt: UnboundedSender<Event>,
    catalogue: Catalogue,
    snapshots: Option<Snapshots>,
    drain: CancellationToken,
}

impl Clients {
    pub(super) fn new(
        events: Sender<Event>,
        prompt: UnboundedSender<Event>,
        catalogue: Catalogue,
    ) -> Clients {
        let drain = CancellationToken::new();
        Clients { events, prompt, catalogue, snapshots: None, drain }
    }

    /// Shows these snapshots to those who watch, until `drain`.
    pub(super) fn shown_by(
        self,
        snapshots: Option<Snapshots>,
        drain: CancellationToken,
    ) -> Clients {
        Clients { snapshots, drain, ..self }
    }

    async fn ask<T>(&self, event: impl FnOnce(oneshot::Sender<T>) -> Event) -> Result<T, Status> {
        let ends = || Status::unavailable("the coordinator ends");
        let (reply, answer) = oneshot::channel();
        self.events.send(event(reply)).await.map_err(|_| ends())?;
        answer.await.map_err(|_| ends())
    }
}

#[tonic::async_trait]
impl ClientService for Clients {
    type SearchStream = Followed;
    type WatchStream = ReceiverStream<Result<WatchResponse, Status>>;

    async fn search(&self, request: Request<SearchRequest>) -> Result<Response<Followed>, Status> {
        let order = SearchOrder::try_from(request.into_inner())
            .map_err(|malformed| Status::invalid_argument(malformed.to_string()))?;
        let problem = self
            .catalogue
            .prepare(&order.setup)
            .map_err(|error| Status::invalid_argument(error.to_string()))?;
        let (sender, updates) = mpsc::channel(MAX_UPDATES);
        let watcher = watcher(sender);
        // A task of its own: if the client goes away meanwhile, what is dropped at its end gives
        // the search up.
        let prompt = self.prompt.clone();
        let events = self.clone();
        let submit = async move {
            let accepted =
                events.ask(|reply| Event::Submitted { order, problem, watcher, reply }).await?;
            let search = accepted.map_err(|not_now| match not_now {
                NotNow::Full => Status::resource_exhausted("too many searches wait already"),
                NotNow::Closing => Status::unavailable("the coordinator ends"),
            })?;
            Ok(Followed { updates, search, prompt })
        };
        let followed = tokio::spawn(submit).await;
        let followed: Result<Followed, Status> =
            followed.map_err(|_| Status::unavailable("the coordinator ends"))?;
        Ok(Response::new(followed?))
    }

    async fn abort(
        &self,
        request: Request<AbortRequest>,
    ) -> Result<Response<AbortResponse>, Status> {
        let search = SearchId(request.into_inner().search);
        let known = self.ask(|reply| Event::Aborted { search, reply }).await?;
        Ok(Response::new(AbortResponse { known }))
    }

    async fn status(
        &self,
        _request: Request<StatusRequest>,
    ) -> Result<Response<StatusResponse>, Status> {
        Ok(Response::new(self.ask(|reply| Event::Asked { reply }).await?))
    }

    async fn watch(
        &self,
        request: Request<WatchRequest>,
    ) -> Result<Response<Self::WatchStream>, Status> {
        let Some(snapshots) = self.snapshots.clone() else {
            return Err(Status::failed_precondition("this coordinator cannot be watched"));
        };
        let interval = Duration::from_millis(request.into_inner().interval_ms.into());
        // With room for one only, somebody who reads slowly is shown fewer snapshots, not older ones.
        let (sender, shown) = mpsc::channel(1);
        tokio::spawn(show(snapshots, interval.max(MIN_WATCH_INTERVAL), sender, self.drain.clone()));
        Ok(Response::new(ReceiverStream::new(shown)))
    }
}

/// Shows snapshots until the watcher is gone or the coordinator ends.
async fn show(
    snapshots: Snapshots,
    interval: Duration,
    sender: Sender<Result<WatchResponse, Status>>,
    drain: CancellationToken,
) {
    let mut ticker = tokio::time::interval(interval);
    ticker.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            _ = ticker.tick() => {}
            () = drain.cancelled() => return,
            () = sender.closed() => return,
        }
        let Ok(place) = sender.reserve().await else { return };
        place.send(Ok(WatchResponse { json: snapshots.take() }));
    }
}

/// Passes updates on to a client that may be slow.
fn watcher(sender: Sender<SearchUpdate>) -> Watcher {
    Box::new(move |update| {
        let last = matches!(update, SearchUpdate::Answer(_));
        if last || sender.capacity() > 1 {
            // It fails if the client is gone, of which the desk hears elsewhere.
            let _ = sender.try_send(update);
        }
    })
}

/// The updates of one search. Dropped before the answer, it gives the search up.
pub(super) struct Followed {
    updates: Receiver<SearchUpdate>,
    search: SearchId,
    prompt: UnboundedSender<Event>,
}

impl Stream for Followed {
    type Item = Result<SearchResponse, Status>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.updates.poll_recv(cx).map(|update| update.map(|update| Ok(update.into())))
    }
}

impl Drop for Followed {
    fn drop(&mut self) {
        // After the answer the search is unknown, and nothing happens.
        let _ = self.prompt.send(Event::Unwatched { search: self.search });
    }
}
