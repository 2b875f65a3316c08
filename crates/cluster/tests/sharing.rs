//! Tables shared between processes, over real streams, and peers that lie.

#![allow(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

use eldest_cluster::{
    Answer, Client, Coordinator, CoordinatorConfig, Observer, SearchOrder, WorkerConfig,
    run_worker, solve_here,
};
use game::{Bound, Depth, Entry, Finding, Move, Policy, Score, Setup, Sharing, Value};
use search::Catalogue;
use std::net::SocketAddr;
use std::sync::atomic::AtomicBool;
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::sync::mpsc::{self, UnboundedSender};
use tokio_stream::wrappers::UnboundedReceiverStream;
use tokio_util::sync::{CancellationToken, DropGuard};
use tonic::Code;
use wire::v1::coordinator_service_client::CoordinatorServiceClient;
use wire::v1::peer_service_client::PeerServiceClient;
use wire::v1::{Findings, SessionRequest, ShareRequest};
use wire::{Greeting, PROTOCOL_VERSION, Shared, WorkerSaid};
use ybw::{Outcome, SearchId, WorkerId};

/// Far longer than anything here takes.
const PATIENCE: Duration = Duration::from_secs(60);

/// A coordinator with a thread of its own and some workers; they end with it.
struct Cluster {
    url: String,
    _ends: DropGuard,
}

impl Cluster {
    async fn start(workers: usize) -> Cluster {
        let shutdown = CancellationToken::new();
        let config = CoordinatorConfig::new("127.0.0.1:0".parse().unwrap(), 1);
        let coordinator = Coordinator::bind(config, Catalogue::standard()).unwrap();
        let url = format!("http://{}", coordinator.local_addr());
        tokio::spawn(coordinator.run(shutdown.clone()));
        for _ in 0..workers {
            let config = WorkerConfig::new(&url, 1);
            tokio::spawn(run_worker(config, Catalogue::standard(), shutdown.clone()));
        }
        let mut client = Client::connect(&url, PATIENCE).await.unwrap();
        while client.status().await.unwrap().workers.len() != workers + 1 {
            tokio::task::yield_now().await;
        }
        Cluster { url, _ends: shutdown.drop_guard() }
    }

    async fn solve(&self, setup: Setup) -> Answer {
        let mut client = Client::connect(&self.url, PATIENCE).await.unwrap();
        let mut followed = client.submit(order(setup)).await.unwrap();
        let answer = tokio::time::timeout(PATIENCE, followed.answer(|_| ()));
        answer.await.expect("an answer").unwrap()
    }
}

/// A game in which many paths lead to one position.
fn transposing(board: &str, sharing: Sharing) -> Setup {
    Setup { sharing, min_split: 5, table_mib: 8, ..Setup::new(board) }
}

fn order(setup: Setup) -> SearchOrder {
    SearchOrder { setup, processors: 0, limit: None }
}

fn value(answer: &Answer) -> Value {
    match &answer.facts.outcome {
        Outcome::Solved { value, .. } => *value,
        other => panic!("not solved: {other:?}"),
    }
}

fn sequential(setup: &Setup) -> Value {
    let setup = Setup { policy: Policy::Sequential, ..setup.clone() };
    let never = AtomicBool::new(false);
    value(
        &solve_here(
            &Catalogue::standard(),
            order(setup),
            1,
            None,
            &never,
            Observer::default(),
            |_| {},
        )
        .unwrap(),
    )
}

#[tokio::test]
async fn processes_profit_from_what_others_found_out() {
    let cluster = Cluster::start(2).await;
    for (sharing, board) in [
        (Sharing::Off, "connect:4x4"),
        (Sharing::Process, "connect:4x4"),
        (Sharing::Cluster, "connect:5x5"),
    ] {
        let setup = transposing(board, sharing);
        let answer = cluster.solve(setup.clone()).await;
        assert_eq!(value(&answer), sequential(&setup), "{sharing:?}");
        let tally = answer.facts.tally;
        let shared = [tally.shared, tally.shared_hits, tally.shared_cutoffs];
        match sharing {
            Sharing::Off | Sharing::Process => assert_eq!(shared, [0; 3], "{sharing:?}"),
            Sharing::Cluster => assert!(shared.iter().all(|&count| count > 0), "{shared:?}"),
        }
    }
}

fn lie(number: u64) -> Finding {
    let bound = [Bound::Exact, Bound::Lower, Bound::Upper][number as usize % 3];
    let value = Value { score: Score::new(number as i32 % 40 - 20), bound };
    let entry = Entry { value, depth: Depth::FULL, best: Move(number as u16), remaining: 20 };
    Finding { key: number.wrapping_mul(0x9e37_79b9_7f4a_7c15), entry }
}

#[tokio::test]
async fn a_peer_that_speaks_of_positions_at_random_changes_nothing() {
    let cluster = Cluster::start(1).await;
    let mut liar = PeerServiceClient::connect(cluster.url.clone()).await.unwrap();
    let (lies, said) = tokio::sync::mpsc::channel(1);
    let telling =
        tokio::spawn(
            async move { liar.share(tokio_stream::wrappers::ReceiverStream::new(said)).await },
        );
    let chatter = tokio::spawn(async move {
        for number in 0.. {
            let findings = (0..1_000).map(|index| lie(number * 1_000 + index)).collect();
            let (search, from) = (SearchId(1 + number % 3), WorkerId(number % 5));
            let shared = Shared { search, from, findings };
            if lies.send(ShareRequest::from(shared)).await.is_err() {
                return;
            }
        }
    });
    let setup = transposing("connect:5x5", Sharing::Cluster);
    let answer = cluster.solve(setup.clone()).await;
    assert_eq!(value(&answer), sequential(&setup));
    assert!(!telling.is_finished(), "what makes sense is listened to");
    chatter.abort();
    telling.abort();
}

#[tokio::test]
async fn a_peer_that_makes_no_sense_is_told_so() {
    let cluster = Cluster::start(0).await;
    let mut peer = PeerServiceClient::connect(cluster.url.clone()).await.unwrap();
    for (findings, complaint) in [
        (None, "the findings"),
        (Some(Findings { keys: vec![1, 2], entries: vec![0] }), "the number of entries"),
        (Some(Findings { keys: vec![1], entries: vec![0] }), "the bound or score"),
        (Some(Findings { keys: vec![0; 10_000], entries: vec![0; 10_000] }), "10000"),
    ] {
        let request = ShareRequest { search: 1, findings, from: 1 };
        let status = peer.share(tokio_stream::iter([request])).await.unwrap_err();
        assert_eq!(status.code(), Code::InvalidArgument, "{status}");
        assert!(status.message().contains(complaint), "{}", status.message());
    }
}

/// A worker that takes a job, never does it, and wants to be told at this address what others find out.
/// Leaves when the sender is dropped.
async fn join_as_peer(url: &str, address: SocketAddr) -> UnboundedSender<SessionRequest> {
    let games = Catalogue::standard().names();
    let address = Some(address.to_string());
    let name = "odd".to_string();
    let hello = Greeting { version: PROTOCOL_VERSION, slots: 1, name, games, address };
    let mut client = CoordinatorServiceClient::connect(url.to_string()).await.unwrap();
    let (sender, requests) = mpsc::unbounded_channel();
    sender.send(SessionRequest { messages: vec![WorkerSaid::Hello(hello).into()] }).unwrap();
    let response = client.session(UnboundedReceiverStream::new(requests)).await.unwrap();
    let mut messages = response.into_inner();
    tokio::spawn(async move { while let Ok(Some(_)) = messages.message().await {} });
    sender
}

/// While a search is on, a peer takes connections and reads nothing, then closes them.
#[tokio::test]
async fn a_peer_that_is_stuck_and_then_cut_off_changes_nothing() {
    let cluster = Cluster::start(1).await;
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let session = join_as_peer(&cluster.url, listener.local_addr().unwrap()).await;
    let setup = transposing("connect:5x5", Sharing::Cluster);
    let act = async {
        let (stuck, _) = listener.accept().await.unwrap();
        // Longer than what is told in the meantime fits into its buffers.
        tokio::time::sleep(Duration::from_millis(300)).await;
        drop(stuck);
        let again = listener.accept().await.unwrap();
        drop((again, listener, session));
    };
    let act = tokio::time::timeout(PATIENCE, act);
    let (answer, acted) = tokio::join!(cluster.solve(setup.clone()), act);
    acted.expect("it is told, and told again after its line was cut");
    assert_eq!(value(&answer), sequential(&setup));
    assert_eq!(answer.facts.workers_lost, 1);
}
