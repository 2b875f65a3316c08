//! The service that workers dial: [`Sessions`].

use super::event::Event;
use crate::link::TRACEPARENT;
use crate::meter::Meter;
use crate::outbox::Outbox;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc::Sender;
use tokio::sync::oneshot;
use tokio::time::timeout;
use tokio_stream::{Stream, StreamExt};
use tonic::metadata::{Ascii, MetadataValue};
use tonic::{Request, Response, Status, Streaming};
use wire::v1::coordinator_service_server::CoordinatorService;
use wire::v1::{CoordinatorMessage, SessionRequest, SessionResponse};
use wire::{Greeting, PROTOCOL_VERSION, WorkerSaid};
use ybw::{Departure, FromWorker, WorkerId};

/// How long a worker may take to introduce itself.
const HELLO_PATIENCE: Duration = Duration::from_secs(5);

/// Sessions of workers.
#[derive(Clone, Debug)]
pub(super) struct Sessions {
    events: Sender<Event>,
    meter: Meter,
    games: Vec<String>,
    traceparent: Option<MetadataValue<Ascii>>,
}

impl Sessions {
    pub(super) fn new(events: Sender<Event>, meter: Meter, games: Vec<String>) -> Sessions {
        Sessions { events, meter, games, traceparent: None }
    }

    /// Tells each worker the context of the traces that its spans belong to.
    pub(super) fn in_context(self, traceparent: Option<MetadataValue<Ascii>>) -> Sessions {
        Sessions { traceparent, ..self }
    }
}

#[tonic::async_trait]
impl CoordinatorService for Sessions {
    type SessionStream = Pin<Box<dyn Stream<Item = Result<SessionResponse, Status>> + Send>>;

    async fn session(
        &self,
        request: Request<Streaming<SessionRequest>>,
    ) -> Result<Response<Self::SessionStream>, Status> {
        let peer = request.remote_addr();
        let mut inbound = request.into_inner();
        let greeting = greeting(&mut inbound).await?;
        if let Err(refusal) = fit(&greeting, &self.games) {
            tracing::warn!(
                ?peer,
                name = greeting.name,
                reason = refusal.message(),
                "worker refused"
            );
            return Err(refusal);
        }
        let outbox = Outbox::new();
        let meter = self.meter.clone();
        let frames = outbox.frames().map(move |frame| {
            let messages = frame?;
            meter.sent(&messages);
            Ok(SessionResponse { messages })
        });
        let (events, meter) = (self.events.clone(), self.meter.clone());
        let listener = Listener { events, meter, outbox };
        tokio::spawn(listener.attend(greeting, inbound));
        let mut response: Response<Self::SessionStream> = Response::new(Box::pin(frames));
        if let Some(traceparent) = &self.traceparent {
            response.metadata_mut().insert(TRACEPARENT, traceparent.clone());
        }
        Ok(response)
    }
}

/// The first frame of a session: a Hello and nothing else.
async fn greeting(inbound: &mut Streaming<SessionRequest>) -> Result<Greeting, Status> {
    let late = |_| {
        let message = format!("the first frame must be a Hello and come within {HELLO_PATIENCE:?}");
        Status::deadline_exceeded(message)
    };
    let first = timeout(HELLO_PATIENCE, inbound.message()).await.map_err(late)??;
    let not_hello =
        || Status::invalid_argument("the first frame must hold a Hello and nothing else");
    let mut messages = first.map(|frame| frame.messages).unwrap_or_default();
    let (Some(first), true) = (messages.pop(), messages.is_empty()) else {
        return Err(not_hello());
    };
    match WorkerSaid::try_from(first) {
        Ok(WorkerSaid::Hello(greeting)) => Ok(greeting),
        Ok(WorkerSaid::Machine(_) | WorkerSaid::Goodbye { .. }) => Err(not_hello()),
        Err(malformed) => Err(Status::invalid_argument(malformed.to_string())),
    }
}

/// Refuses a worker that could not work here.
fn fit(greeting: &Greeting, games: &[String]) -> Result<(), Status> {
    if greeting.version != PROTOCOL_VERSION {
        return Err(Status::failed_precondition(format!(
            "the worker speaks protocol version {}, the coordinator version {PROTOCOL_VERSION}; \
             run the same release on both",
            greeting.version
        )));
    }
    if !greeting.games.iter().any(|game| games.contains(game)) {
        return Err(Status::failed_precondition(format!(
            "the worker knows the games [{}], the coordinator [{}]; they need one in common",
            greeting.games.join(", "),
            games.join(", ")
        )));
    }
    if let Some(address) = &greeting.address
        && address.parse::<SocketAddr>().is_err()
    {
        return Err(Status::invalid_argument(format!(
            "other workers cannot reach the worker at {address:?}; it must be an IP address and a \
             port, as in 10.0.0.7:40123"
        )));
    }
    Ok(())
}

/// Listens to one worker.
struct Listener {
    events: Sender<Event>,
    meter: Meter,
    outbox: Arc<Outbox<CoordinatorMessage>>,
}

impl Listener {
    /// From the worker's joining to its end.
    async fn attend(self, greeting: Greeting, mut inbound: Streaming<SessionRequest>) {
        let (reply, id) = oneshot::channel();
        let outbox = self.outbox.clone();
        if self.events.send(Event::Joined { greeting, outbox, reply }).await.is_err() {
            return;
        }
        let Ok(worker) = id.await else { return };
        let end = self.listen(worker, &mut inbound).await;
        // The desk is gone when the coordinator ends.
        let _ = self.events.send(end).await;
    }

    /// Passes on what the worker says until there is no more of it.
    async fn listen(&self, worker: WorkerId, inbound: &mut Streaming<SessionRequest>) -> Event {
        loop {
            let frame = match inbound.message().await {
                Ok(Some(frame)) => frame,
                // Without a goodbye the worker is lost, however the stream ended.
                Ok(None) => return Event::Departed { worker, departure: Departure::Lost },
                Err(status) => {
                    tracing::debug!(%worker, reason = status.message(), "stream broke");
                    return Event::Departed { worker, departure: Departure::Lost };
                }
            };
            self.meter.received(&frame.messages);
            let (messages, end) = understood(worker, frame);
            if !messages.is_empty()
                && self.events.send(Event::Said { worker, messages }).await.is_err()
            {
                return Event::Departed { worker, departure: Departure::Left };
            }
            if let Some(end) = end {
                return end;
            }
            if self.outbox.is_closed() {
                return Event::Departed { worker, departure: Departure::SentAway };
            }
        }
    }
}

/// The messages of a frame, and the end if it holds one.
fn understood(worker: WorkerId, frame: SessionRequest) -> (Vec<FromWorker>, Option<Event>) {
    let mut messages = Vec::with_capacity(frame.messages.len());
    for message in frame.messages {
        let breach = match WorkerSaid::try_from(message) {
            Ok(WorkerSaid::Machine(message)) => {
                messages.push(message);
                continue;
            }
            Ok(WorkerSaid::Goodbye { .. }) => {
                return (messages, Some(Event::Departed { worker, departure: Departure::Left }));
            }
            Ok(WorkerSaid::Hello(_)) => "a second Hello; one begins a session".to_string(),
            Err(malformed) => malformed.to_string(),
        };
        let last_word = Status::invalid_argument(breach);
        return (messages, Some(Event::Breached { worker, last_word }));
    }
    (messages, None)
}
