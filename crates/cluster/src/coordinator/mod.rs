//! The coordinator process: [`Coordinator`].
//!
//! One task, [`attend`], owns the desk and with it the machine. Each connection has its own task that
//! turns frames into [`Event`]s; nobody else touches the machine, and nothing is locked but outboxes.

mod clients;
mod event;
mod sessions;

use crate::clock::Clock;
use crate::crew::{Crew, check_threads};
use crate::desk::Desk;
use crate::error::chain;
use crate::meter::Meter;
use crate::observer::Observer;
use crate::peers::{Ear, Peers, TELL_INTERVAL};
use crate::searches::Searches;
use crate::slots::{Sink, SlotReport};
use crate::snapshots::Snapshots;
use crate::{Error, link, peers};
use clients::Clients;
use event::Event;
use search::Catalogue;
use sessions::Sessions;
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::mpsc::{self, Receiver, UnboundedReceiver, UnboundedSender};
use tokio::task::JoinHandle;
use tokio::time::MissedTickBehavior;
use tokio_util::sync::CancellationToken;
use tonic::metadata::{Ascii, MetadataValue};
use tonic::transport;
use tonic::transport::server::TcpIncoming;
use wire::MAX_MESSAGE_BYTES;
use wire::v1::client_service_server::ClientServiceServer;
use wire::v1::coordinator_service_server::CoordinatorServiceServer;
use ybw::Slot;

/// Events from connections that may wait for the desk; a connection with one more waits itself.
const MAX_EVENTS: usize = 1024;
/// Events taken in before the outboxes are given a chance to be emptied.
const MAX_BATCH: usize = 256;
/// How often clients hear how their search stands.
const PROGRESS_INTERVAL: Duration = Duration::from_millis(250);
/// How far away the next look at the time is when nothing is due.
const NEVER: Duration = Duration::from_secs(3600);

/// What a coordinator is told at its start.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CoordinatorConfig {
    /// Where to listen; port 0 takes any free one.
    pub listen: SocketAddr,
    /// Its own search threads; 0 for none.
    pub threads: u16,
    /// How long running searches and open connections may take to end at a shutdown.
    pub grace: Duration,
}

impl CoordinatorConfig {
    /// Listens at `listen` and searches with `threads` threads of its own.
    #[must_use]
    pub fn new(listen: SocketAddr, threads: u16) -> CoordinatorConfig {
        CoordinatorConfig { listen, threads, grace: Duration::from_secs(5) }
    }
}

/// A coordinator that listens.
#[derive(Debug)]
pub struct Coordinator {
    config: CoordinatorConfig,
    catalogue: Catalogue,
    observer: Observer,
    snapshots: Option<Snapshots>,
    meter: Meter,
    traceparent: Option<MetadataValue<Ascii>>,
    listener: TcpListener,
    address: SocketAddr,
}

impl Coordinator {
    /// Begins to listen; nobody is answered before [`Coordinator::run`].
    ///
    /// # Errors
    /// [`Error::Listen`] if the address is taken or not this host's, [`Error::TooManyThreads`].
    pub fn bind(config: CoordinatorConfig, catalogue: Catalogue) -> Result<Coordinator, Error> {
        if config.threads > 0 {
            check_threads(config.threads)?;
        }
        let failed = |source| Error::Listen { address: config.listen, source };
        let listener = TcpListener::bind(config.listen).map_err(failed)?;
        listener.set_nonblocking(true).map_err(failed)?;
        let address = listener.local_addr().map_err(failed)?;
        let (observer, snapshots) = (Observer::default(), None);
        let meter = Meter::default();
        Ok(Coordinator {
            config,
            catalogue,
            observer,
            snapshots,
            meter,
            traceparent: None,
            listener,
            address,
        })
    }

    /// Lets `observer` be told of everything that happens.
    #[must_use]
    pub fn observed_by(mut self, observer: Observer) -> Coordinator {
        self.observer = observer;
        self
    }

    /// Lets those who watch it be shown these snapshots. Without them nobody can watch it.
    #[must_use]
    pub fn shown_by(mut self, snapshots: Snapshots) -> Coordinator {
        self.snapshots = Some(snapshots);
        self
    }

    /// Tells each worker, in the metadata of its session, the context of the traces that its spans belong
    /// to: a `traceparent` of W3C Trace Context.
    #[must_use]
    pub fn in_context(mut self, traceparent: &str) -> Coordinator {
        self.traceparent = traceparent.parse().ok();
        self
    }

    /// What counts the messages to and from its workers.
    #[must_use]
    pub fn traffic_meter(&self) -> Meter {
        self.meter.clone()
    }

    /// Where it listens.
    #[must_use]
    pub fn local_addr(&self) -> SocketAddr {
        self.address
    }

    /// Works until `shutdown`. Then running searches are answered as aborted, workers are told goodbye,
    /// and whoever does not close its connection within the grace time is cut off.
    ///
    /// # Errors
    /// If the server breaks down or one of its own search threads dies.
    pub async fn run(self, shutdown: CancellationToken) -> Result<(), Error> {
        let (events, inbox) = mpsc::channel(MAX_EVENTS);
        // Bounded by what threads and connections can say: each says the next thing only when it
        // was told something.
        let (prompt, prompt_inbox) = mpsc::unbounded_channel();
        let (desk, searches) = self.desk(&prompt)?;
        let ear = Ear::new(searches);
        let drain = CancellationToken::new();
        let grace = self.config.grace;
        let sessions = Sessions::new(events.clone(), desk.meter().clone(), self.catalogue.names())
            .in_context(self.traceparent);
        let clients =
            Clients::new(events, prompt, self.catalogue).shown_by(self.snapshots, drain.clone());
        tracing::info!(address = %self.address, threads = self.config.threads, "coordinator listens");
        let mut server = serve(self.listener, sessions, clients, ear, drain.clone())?;
        let inboxes = Inboxes { events: inbox, prompt: prompt_inbox };
        let result = tokio::select! {
            result = attend(desk, inboxes, &shutdown, grace) => result,
            ended = &mut server => return Err(broken(ended)),
        };
        drain.cancel();
        if tokio::time::timeout(grace, &mut server).await.is_err() {
            tracing::warn!(?grace, "some peers did not close their connections in time");
            server.abort();
        }
        result
    }

    /// The desk, and the searches that its own threads are ready for.
    fn desk(&self, prompt: &UnboundedSender<Event>) -> Result<(Desk, Searches), Error> {
        let clock = Clock::start();
        let observer = self.observer.clone();
        let threads = self.config.threads;
        if threads == 0 {
            let desk = Desk::new(clock, None, observer).metered_by(self.meter.clone());
            return Ok((desk, Searches::default()));
        }
        let prompt = prompt.clone();
        let sink: Sink = Arc::new(move |slot: Slot, report: SlotReport| {
            // Nobody listens any more once the coordinator ends.
            let _ = prompt.send(Event::Reported { slot, report });
        });
        let mut crew = Crew::new(clock, self.catalogue.clone(), threads, &sink)?;
        // Nobody it tells is where the coordinator is.
        crew.share_with(Peers::new(""));
        let searches = crew.searches();
        let desk = Desk::new(clock, Some((crew, threads)), observer);
        Ok((desk.metered_by(self.meter.clone()), searches))
    }
}

fn broken(ended: Result<Result<(), transport::Error>, tokio::task::JoinError>) -> Error {
    Error::Serve(match ended {
        Ok(Ok(())) => "it stopped listening".to_string(),
        Ok(Err(error)) => chain(&error),
        Err(error) => chain(&error),
    })
}

/// Serves all services, health and reflection until `drain`.
fn serve(
    listener: TcpListener,
    sessions: Sessions,
    clients: Clients,
    ear: Ear,
    drain: CancellationToken,
) -> Result<JoinHandle<Result<(), transport::Error>>, Error> {
    let failed = |error: &dyn std::error::Error| Error::Serve(chain(error));
    let listener = tokio::net::TcpListener::from_std(listener).map_err(|error| failed(&error))?;
    let incoming = TcpIncoming::from(listener)
        .with_nodelay(Some(true))
        .with_keepalive(Some(link::TCP_KEEPALIVE));
    let (reporter, health) = tonic_health::server::health_reporter();
    let describe = || {
        tonic_reflection::server::Builder::configure()
            .register_encoded_file_descriptor_set(wire::FILE_DESCRIPTOR_SET)
            .register_encoded_file_descriptor_set(tonic_health::pb::FILE_DESCRIPTOR_SET)
    };
    let reflection = describe().build_v1().map_err(|error| failed(&error))?;
    let reflection_alpha = describe().build_v1alpha().map_err(|error| failed(&error))?;
    let sessions =
        CoordinatorServiceServer::new(sessions).max_decoding_message_size(MAX_MESSAGE_BYTES);
    let clients = ClientServiceServer::new(clients).max_decoding_message_size(MAX_MESSAGE_BYTES);
    let server = link::server()
        .add_service(health)
        .add_service(reflection)
        .add_service(reflection_alpha)
        .add_service(sessions)
        .add_service(peers::service(ear))
        .add_service(clients);
    Ok(tokio::spawn(async move {
        reporter.set_serving::<CoordinatorServiceServer<Sessions>>().await;
        reporter.set_serving::<ClientServiceServer<Clients>>().await;
        let stop = async {
            drain.cancelled().await;
            // Streams that watch the health end with this.
            reporter.set_not_serving::<CoordinatorServiceServer<Sessions>>().await;
            reporter.set_not_serving::<ClientServiceServer<Clients>>().await;
        };
        server.serve_with_incoming_shutdown(incoming, stop).await
    }))
}

struct Inboxes {
    events: Receiver<Event>,
    prompt: UnboundedReceiver<Event>,
}

impl Inboxes {
    async fn next(&mut self) -> Option<Event> {
        tokio::select! {
            biased;
            event = self.prompt.recv() => event,
            event = self.events.recv() => event,
        }
    }

    fn next_waiting(&mut self) -> Option<Event> {
        self.prompt.try_recv().or_else(|_| self.events.try_recv()).ok()
    }
}

/// Works at the desk until `shutdown` and for what is left to do then.
async fn attend(
    mut desk: Desk,
    mut inboxes: Inboxes,
    shutdown: &CancellationToken,
    grace: Duration,
) -> Result<(), Error> {
    let mut ticker = tokio::time::interval(PROGRESS_INTERVAL);
    let mut telling = tokio::time::interval(TELL_INTERVAL);
    telling.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut end: Option<Instant> = None;
    while end.is_none_or(|end| !desk.is_idle() && Instant::now() < end) {
        let next = [desk.deadline(), end].into_iter().flatten().min();
        let due = next.unwrap_or_else(|| Instant::now() + NEVER);
        tokio::select! {
            Some(event) = inboxes.next() => {
                event.tell(&mut desk)?;
                for _ in 1..MAX_BATCH {
                    let Some(event) = inboxes.next_waiting() else { break };
                    event.tell(&mut desk)?;
                }
            }
            () = tokio::time::sleep_until(due.into()) => desk.wake(),
            _ = telling.tick(), if desk.has_peers() => desk.tell_peers(),
            _ = ticker.tick(), if !desk.is_idle() => desk.tell_progress(),
            () = shutdown.cancelled(), if end.is_none() => {
                tracing::info!("coordinator ends");
                end = Some(Instant::now() + grace);
                desk.close();
            }
        }
    }
    desk.dismiss("the coordinator ends");
    Ok(())
}
