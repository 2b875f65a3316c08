//! A coordinator among peers that do not behave.

#![allow(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

use eldest_cluster::{Coordinator, CoordinatorConfig, Error, WorkerConfig, run_worker};
use search::Catalogue;
use std::pin::Pin;
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc::{self, UnboundedSender};
use tokio::task::JoinHandle;
use tokio_stream::wrappers::{TcpListenerStream, UnboundedReceiverStream};
use tokio_stream::{Stream, StreamExt};
use tokio_util::sync::CancellationToken;
use tonic::transport::Server;
use tonic::{Code, Request, Response, Status, Streaming};
use tonic_health::pb::HealthCheckRequest;
use tonic_health::pb::health_client::HealthClient;
use wire::v1::coordinator_message::Message as Said;
use wire::v1::coordinator_service_client::CoordinatorServiceClient;
use wire::v1::coordinator_service_server::{CoordinatorService, CoordinatorServiceServer};
use wire::v1::worker_message::Message;
use wire::v1::{self, SessionRequest, SessionResponse, WorkerMessage};
use wire::{Greeting, PROTOCOL_VERSION, WorkerSaid};

const PATIENCE: Duration = Duration::from_secs(20);

struct Running {
    url: String,
    shutdown: CancellationToken,
    task: JoinHandle<Result<(), Error>>,
}

fn coordinator() -> Running {
    let mut config = CoordinatorConfig::new("127.0.0.1:0".parse().unwrap(), 0);
    config.grace = Duration::from_millis(300);
    let coordinator = Coordinator::bind(config, Catalogue::standard()).unwrap();
    let url = format!("http://{}", coordinator.local_addr());
    let shutdown = CancellationToken::new();
    let task = tokio::spawn(coordinator.run(shutdown.clone()));
    Running { url, shutdown, task }
}

fn hello() -> Greeting {
    let games = vec!["connect".to_string()];
    Greeting { version: PROTOCOL_VERSION, slots: 1, name: "odd".to_string(), games, address: None }
}

fn frame(messages: Vec<WorkerMessage>) -> SessionRequest {
    SessionRequest { messages }
}

type Session = (UnboundedSender<SessionRequest>, Streaming<SessionResponse>);

/// Opens a session with this first frame.
async fn open(url: &str, first: SessionRequest) -> Result<Session, Status> {
    let mut client = CoordinatorServiceClient::connect(url.to_string()).await.unwrap();
    let (sender, requests) = mpsc::unbounded_channel();
    sender.send(first).unwrap();
    let response = client.session(UnboundedReceiverStream::new(requests)).await?;
    Ok((sender, response.into_inner()))
}

async fn check_refused(greeting: Greeting, complaints: &[&str]) {
    let running = coordinator();
    let first = frame(vec![WorkerSaid::Hello(greeting).into()]);
    let status = open(&running.url, first).await.unwrap_err();
    assert_eq!(status.code(), Code::FailedPrecondition);
    for complaint in complaints {
        assert!(status.message().contains(complaint), "{}", status.message());
    }
}

#[tokio::test]
async fn another_protocol_version_is_refused_naming_both() {
    let ours = format!("coordinator version {PROTOCOL_VERSION}");
    check_refused(Greeting { version: 99, ..hello() }, &["protocol version 99", &ours]).await;
}

#[tokio::test]
async fn a_worker_without_a_game_in_common_is_refused_naming_both() {
    let games = vec!["go".to_string()];
    check_refused(Greeting { games, ..hello() }, &["[go]", "connect, nim"]).await;
}

#[tokio::test]
async fn a_session_begins_with_a_hello_alone() {
    let running = coordinator();
    let leaving = WorkerMessage { message: Some(Message::Leaving(v1::Leaving {})) };
    let hello: WorkerMessage = WorkerSaid::Hello(hello()).into();
    for first in [vec![], vec![leaving.clone()], vec![hello, leaving]] {
        let status = open(&running.url, frame(first)).await.unwrap_err();
        assert_eq!(status.code(), Code::InvalidArgument);
        assert!(status.message().contains("must hold a Hello and nothing else"));
    }
}

async fn check_sent_away(breach: WorkerMessage, complaint: &str) {
    let running = coordinator();
    let first = frame(vec![WorkerSaid::Hello(hello()).into()]);
    let (sender, mut responses) = open(&running.url, first).await.unwrap();
    let welcome = responses.message().await.unwrap().unwrap().messages.remove(0);
    assert!(matches!(welcome.message, Some(Said::Welcome(_))));
    sender.send(frame(vec![breach])).unwrap();
    let status = responses.message().await.unwrap_err();
    assert_eq!(status.code(), Code::InvalidArgument);
    assert!(status.message().contains(complaint), "{}", status.message());
}

#[tokio::test]
async fn a_worker_that_talks_nonsense_is_sent_away_and_told_why() {
    check_sent_away(WorkerMessage { message: None }, "is missing").await;
    check_sent_away(WorkerSaid::Hello(hello()).into(), "a second Hello").await;
    let value = Some(v1::Value { score: i32::MAX, bound: v1::Bound::Exact.into() });
    let result = v1::JobResult { job: 1, value, ..v1::JobResult::default() };
    let message = Some(Message::JobResult(result));
    check_sent_away(WorkerMessage { message }, "score 2147483647 is out of range").await;
}

#[tokio::test]
async fn a_peer_that_never_speaks_does_not_keep_the_coordinator_from_ending() {
    let running = coordinator();
    let address = running.url.strip_prefix("http://").unwrap();
    let _silent = TcpStream::connect(address).await.unwrap();
    let first = frame(vec![WorkerSaid::Hello(hello()).into()]);
    let (_sender, mut responses) = open(&running.url, first).await.unwrap();
    running.shutdown.cancel();
    let mut last = None;
    while let Some(frame) = responses.message().await.unwrap() {
        last = frame.messages.into_iter().next_back();
    }
    let last = last.and_then(|message| message.message);
    assert!(matches!(last, Some(Said::Goodbye(_))), "{last:?}");
    tokio::time::timeout(PATIENCE, running.task).await.unwrap().unwrap().unwrap();
}

#[tokio::test]
async fn health_says_that_it_serves() {
    let running = coordinator();
    let channel = tonic::transport::Endpoint::from_shared(running.url).unwrap();
    let mut health = HealthClient::new(channel.connect().await.unwrap());
    let service = "eldest.v1.CoordinatorService".to_string();
    let response = health.check(HealthCheckRequest { service }).await.unwrap();
    assert_eq!(response.into_inner().status(), tonic_health::ServingStatus::Serving.into());
}

/// A coordinator that refuses everybody.
struct Refuses;

#[tonic::async_trait]
impl CoordinatorService for Refuses {
    type SessionStream = Pin<Box<dyn Stream<Item = Result<SessionResponse, Status>> + Send>>;

    async fn session(
        &self,
        _request: Request<Streaming<SessionRequest>>,
    ) -> Result<Response<Self::SessionStream>, Status> {
        Err(Status::failed_precondition("version 1 here, version 2 there"))
    }
}

#[tokio::test]
async fn a_refused_worker_ends_and_says_why() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let service = CoordinatorServiceServer::new(Refuses);
    let incoming = TcpListenerStream::new(listener).map(|stream| stream);
    tokio::spawn(Server::builder().add_service(service).serve_with_incoming(incoming));
    let worker =
        run_worker(WorkerConfig::new(url, 1), Catalogue::standard(), CancellationToken::new());
    let error = tokio::time::timeout(PATIENCE, worker).await.unwrap().unwrap_err();
    assert!(matches!(error, Error::Refused { .. }) && error.is_usage(), "{error}");
    assert!(error.to_string().contains("version 1 here, version 2 there"), "{error}");
}
