//! Coordinators, workers and clients in one process, joined by real streams over loopback.

#![allow(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

use eldest_cluster::{
    Answer, Client, Coordinator, CoordinatorConfig, Error, Followed, Observer, SearchOrder,
    SearchUpdate, WorkerConfig, run_worker, solve_here,
};
use game::{Policy, Setup, Value};
use search::Catalogue;
use std::net::SocketAddr;
use std::sync::atomic::AtomicBool;
use std::time::Duration;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;
use ybw::Outcome;

/// Far longer than anything here takes; a test that reaches it has failed.
const PATIENCE: Duration = Duration::from_secs(20);

/// A process that runs as a task.
struct Process {
    shutdown: CancellationToken,
    task: JoinHandle<Result<(), Error>>,
}

impl Process {
    fn worker(config: WorkerConfig) -> Process {
        let shutdown = CancellationToken::new();
        let worker = run_worker(config, Catalogue::standard(), shutdown.clone());
        Process { shutdown, task: tokio::spawn(worker) }
    }

    async fn end(self) -> Result<(), Error> {
        self.shutdown.cancel();
        self.ended().await
    }

    async fn ended(self) -> Result<(), Error> {
        tokio::time::timeout(PATIENCE, self.task).await.expect("it ends").expect("no panic")
    }

    /// Its connections break in the middle of whatever it says.
    async fn kill(self) {
        self.task.abort();
        assert!(self.task.await.expect_err("it was killed").is_cancelled());
    }
}

/// A coordinator and its address.
struct Cluster {
    coordinator: Process,
    address: SocketAddr,
}

impl Cluster {
    fn start(threads: u16) -> Cluster {
        Cluster::start_at("127.0.0.1:0".parse().unwrap(), threads)
    }

    fn start_at(listen: SocketAddr, threads: u16) -> Cluster {
        let config = CoordinatorConfig::new(listen, threads);
        let coordinator = Coordinator::bind(config, Catalogue::standard()).unwrap();
        let address = coordinator.local_addr();
        let shutdown = CancellationToken::new();
        let task = tokio::spawn(coordinator.run(shutdown.clone()));
        Cluster { coordinator: Process { shutdown, task }, address }
    }

    fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    fn worker(&self, name: &str) -> Process {
        let name = Some(name.to_string());
        Process::worker(WorkerConfig { name, ..WorkerConfig::new(self.url(), 1) })
    }

    async fn client(&self) -> Client {
        Client::connect(&self.url(), PATIENCE).await.unwrap()
    }

    /// Waits until so many workers are there, the coordinator's own threads included.
    async fn wait_for_workers(&self, count: usize) {
        let mut client = self.client().await;
        while client.status().await.unwrap().workers.len() != count {
            tokio::task::yield_now().await;
        }
    }
}

/// A tree on which searching costs no processor time, about four seconds for one slot.
fn slow() -> Setup {
    let mut setup = Setup::new("synthetic:b=6,d=7,seed=3,kind=edges,cost=sleep:2ms");
    setup.min_split = 2;
    setup
}

fn order(setup: Setup) -> SearchOrder {
    SearchOrder { setup, processors: 0, limit: None }
}

/// What the plain sequential program says, of the same tree without the waiting.
fn sequential(setup: &Setup) -> Value {
    let game = setup.game.replace("cost=sleep:2ms", "cost=none");
    let setup = Setup { game, policy: Policy::Sequential, ..setup.clone() };
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

fn value(answer: &Answer) -> Value {
    match &answer.facts.outcome {
        Outcome::Solved { value, .. } => *value,
        other => panic!("not solved: {other:?}"),
    }
}

async fn answer(followed: &mut Followed) -> Answer {
    tokio::time::timeout(PATIENCE, followed.answer(|_| {})).await.expect("an answer").unwrap()
}

/// Follows a search until its progress is as wanted.
async fn follow_until(followed: &mut Followed, wanted: impl Fn(&SearchUpdate) -> bool) {
    let follow = async {
        loop {
            let update = followed.next().await.unwrap();
            assert!(!matches!(update, SearchUpdate::Answer(_)), "it ended too early");
            if wanted(&update) {
                return;
            }
        }
    };
    tokio::time::timeout(PATIENCE, follow).await.expect("the progress that was waited for");
}

fn works_with(slots: u32) -> impl Fn(&SearchUpdate) -> bool {
    move |update| match update {
        SearchUpdate::Progress(standing) => standing.slots == slots && standing.jobs >= slots,
        _ => false,
    }
}

#[tokio::test]
async fn workers_find_what_the_sequential_program_finds() {
    let cluster = Cluster::start(0);
    let workers = [cluster.worker("one"), cluster.worker("two")];
    cluster.wait_for_workers(2).await;
    let mut client = cluster.client().await;
    let mut setup = Setup::new("connect:4x5");
    setup.min_split = 2;
    let mut followed = client.submit(order(setup.clone())).await.unwrap();
    let found = answer(&mut followed).await;
    assert_eq!(value(&found), sequential(&setup));
    assert!(!found.line_text.is_empty());
    let facts = &found.facts;
    assert_eq!(facts.slots, 2);
    assert!(facts.splits_wished > 0 && facts.nodes_adopted > 0, "{facts:?}");
    let assigned = facts.traffic.to_workers["assign"];
    assert_eq!(assigned.messages, facts.jobs_assigned);
    assert!(assigned.bytes > 0 && facts.traffic.from_workers["result"].messages > 0);
    for worker in workers {
        worker.end().await.unwrap();
    }
    cluster.coordinator.end().await.unwrap();
}

#[tokio::test]
async fn a_coordinator_with_threads_needs_no_worker() {
    let cluster = Cluster::start(2);
    let mut client = cluster.client().await;
    let setup = Setup::new("tictactoe");
    let mut followed = client.submit(order(setup.clone())).await.unwrap();
    let found = answer(&mut followed).await;
    assert_eq!(value(&found), sequential(&setup));
    assert_eq!(found.facts.traffic.total().bytes, 0);
    assert!(found.facts.traffic.total().messages > 0);
}

#[tokio::test]
async fn the_plain_program_takes_one_slot_of_many() {
    let cluster = Cluster::start(2);
    let mut client = cluster.client().await;
    let setup = Setup { policy: Policy::Sequential, ..Setup::new("tictactoe") };
    let facts = answer(&mut client.submit(order(setup)).await.unwrap()).await.facts;
    assert_eq!((facts.slots, facts.jobs_assigned), (1, 1));
}

#[tokio::test]
async fn a_worker_lost_in_mid_search_loses_only_time() {
    let cluster = Cluster::start(0);
    let lost = cluster.worker("lost");
    let _kept = [cluster.worker("kept"), cluster.worker("kept too")];
    cluster.wait_for_workers(3).await;
    let mut client = cluster.client().await;
    let mut followed = client.submit(order(slow())).await.unwrap();
    follow_until(&mut followed, works_with(3)).await;
    lost.kill().await;
    let found = answer(&mut followed).await;
    assert_eq!(value(&found), sequential(&slow()));
    assert_eq!(found.facts.workers_lost, 1);
}

#[tokio::test]
async fn a_worker_that_joins_in_mid_search_gets_work() {
    let cluster = Cluster::start(0);
    let _first = cluster.worker("first");
    let mut client = cluster.client().await;
    let mut followed = client.submit(order(slow())).await.unwrap();
    follow_until(&mut followed, works_with(1)).await;
    let _second = cluster.worker("second");
    follow_until(&mut followed, works_with(2)).await;
    let found = answer(&mut followed).await;
    assert_eq!(value(&found), sequential(&slow()));
    assert_eq!(found.facts.slots, 2);
}

#[tokio::test]
async fn a_worker_that_leaves_says_so_and_costs_only_time() {
    let cluster = Cluster::start(0);
    let (_stays, leaves) = (cluster.worker("stays"), cluster.worker("leaves"));
    cluster.wait_for_workers(2).await;
    let mut client = cluster.client().await;
    let mut followed = client.submit(order(slow())).await.unwrap();
    follow_until(&mut followed, works_with(2)).await;
    leaves.end().await.unwrap();
    cluster.wait_for_workers(1).await;
    let found = answer(&mut followed).await;
    assert_eq!(value(&found), sequential(&slow()));
    // Between two jobs it has none to give back, but it says that it leaves.
    assert!(found.facts.traffic.from_workers["leaving"].messages > 0);
}

/// A tree that no slot comes to the end of, with leaves that sleep.
fn endless() -> Setup {
    Setup::new("synthetic:b=8,d=12,seed=3,kind=edges,cost=sleep:2ms")
}

/// Whether the worker has said anything of its job yet.
fn has_counted(update: &SearchUpdate) -> bool {
    matches!(update, SearchUpdate::Progress(standing) if standing.tally.nodes > 0)
}

#[tokio::test]
async fn a_job_that_its_worker_is_at_comes_back_when_the_worker_leaves() {
    let cluster = Cluster::start(0);
    let leaves = cluster.worker("leaves");
    let mut client = cluster.client().await;
    let mut followed = client.submit(order(endless())).await.unwrap();
    follow_until(&mut followed, has_counted).await;
    leaves.end().await.unwrap();
    let _takes_over = cluster.worker("takes over");
    follow_until(&mut followed, works_with(1)).await;
    let [search] = client.status().await.unwrap().searches.try_into().unwrap();
    client.abort(ybw::SearchId(search.search)).await.unwrap();
    let facts = answer(&mut followed).await.facts;
    assert_eq!(facts.traffic.from_workers["returned"].messages, 1);
    assert_eq!(facts.jobs_assigned, 2);
}

#[tokio::test]
async fn an_aborted_search_is_answered_and_leaves_the_workers_free() {
    let cluster = Cluster::start(0);
    let _worker = cluster.worker("only");
    let mut client = cluster.client().await;
    let mut followed = client.submit(order(slow())).await.unwrap();
    let SearchUpdate::Accepted(search) = followed.next().await.unwrap() else {
        panic!("first comes the name");
    };
    follow_until(&mut followed, works_with(1)).await;
    assert!(client.abort(search).await.unwrap());
    let given_up = answer(&mut followed).await;
    assert_eq!(given_up.facts.outcome, Outcome::Aborted);
    assert!(!client.abort(search).await.unwrap(), "it is over");
    let mut next = client.submit(order(Setup::new("tictactoe"))).await.unwrap();
    assert_eq!(value(&answer(&mut next).await), sequential(&Setup::new("tictactoe")));
}

#[tokio::test]
async fn a_search_that_nobody_waits_for_is_given_up() {
    let cluster = Cluster::start(0);
    let _worker = cluster.worker("only");
    let mut client = cluster.client().await;
    let mut followed = client.submit(order(slow())).await.unwrap();
    follow_until(&mut followed, works_with(1)).await;
    drop(followed);
    while !client.status().await.unwrap().searches.is_empty() {
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn searches_wait_for_each_other_and_time_limits_hold() {
    let cluster = Cluster::start(1);
    let mut client = cluster.client().await;
    let limited = SearchOrder { limit: Some(Duration::from_millis(300)), ..order(slow()) };
    let mut first = client.submit(limited).await.unwrap();
    let mut second = client.submit(order(Setup::new("tictactoe"))).await.unwrap();
    let queued = |update: &SearchUpdate| matches!(update, SearchUpdate::Queued { ahead: 1 });
    follow_until(&mut second, queued).await;
    assert_eq!(answer(&mut first).await.facts.outcome, Outcome::Aborted);
    assert!(matches!(answer(&mut second).await.facts.outcome, Outcome::Solved { .. }));
}

#[tokio::test]
async fn a_coordinator_that_ends_answers_and_its_workers_wait_for_the_next() {
    let cluster = Cluster::start(0);
    let worker = cluster.worker("faithful");
    let mut client = cluster.client().await;
    let mut followed = client.submit(order(slow())).await.unwrap();
    follow_until(&mut followed, works_with(1)).await;
    let address = cluster.address;
    cluster.coordinator.shutdown.cancel();
    assert_eq!(answer(&mut followed).await.facts.outcome, Outcome::Aborted);
    drop((followed, client));
    cluster.coordinator.ended().await.unwrap();
    let next = Cluster::start_at(address, 0);
    next.wait_for_workers(1).await;
    let mut client = next.client().await;
    let mut followed = client.submit(order(Setup::new("tictactoe"))).await.unwrap();
    assert_eq!(value(&answer(&mut followed).await), sequential(&Setup::new("tictactoe")));
    worker.end().await.unwrap();
}

#[tokio::test]
async fn what_cannot_be_searched_is_refused_in_words() {
    let cluster = Cluster::start(1);
    let mut client = cluster.client().await;
    let mut check = async |setup: Setup, complaint: &str| {
        let error = client.submit(order(setup)).await.unwrap_err();
        assert!(error.is_usage() && error.to_string().contains(complaint), "{error}");
    };
    check(Setup::new("draughts"), "draughts").await;
    check(Setup { position: "9".into(), ..Setup::new("connect:6x7") }, "position \"9\"").await;
    check(Setup { min_split: 0, ..Setup::new("othello") }, "minimum split depth is 0").await;
}

/// A table that no machine of less than 64 GiB can hold.
fn too_large() -> Option<Setup> {
    let memory = std::fs::read_to_string("/proc/meminfo").ok()?;
    let kib: u64 = memory.split_whitespace().nth(1)?.parse().ok()?;
    let setup = Setup { table_mib: wire::MAX_TABLE_MIB, ..Setup::new("tictactoe") };
    (kib >> 10 <= wire::MAX_TABLE_MIB.into()).then_some(setup)
}

#[tokio::test]
async fn a_table_without_memory_fails_the_search_and_spares_the_worker() {
    let Some(setup) = too_large() else { return };
    let cluster = Cluster::start(0);
    let worker = cluster.worker("small");
    cluster.wait_for_workers(1).await;
    let mut client = cluster.client().await;
    let mut followed = client.submit(order(setup.clone())).await.unwrap();
    match answer(&mut followed).await.facts.outcome {
        Outcome::Failed { reason } => assert!(reason.contains("65536 MiB"), "{reason}"),
        other => panic!("{other:?}"),
    }
    let mut next = client.submit(order(Setup::new("tictactoe"))).await.unwrap();
    assert_eq!(value(&answer(&mut next).await), sequential(&Setup::new("tictactoe")));
    worker.end().await.unwrap();
    let never = AtomicBool::new(false);
    let error = solve_here(
        &Catalogue::standard(),
        order(setup),
        1,
        None,
        &never,
        Observer::default(),
        |_| {},
    )
    .unwrap_err();
    assert!(error.is_usage() && error.to_string().contains("65536 MiB"), "{error}");
}

#[tokio::test]
async fn a_port_in_use_is_refused_in_words() {
    let cluster = Cluster::start(0);
    let config = CoordinatorConfig::new(cluster.address, 0);
    let error = Coordinator::bind(config, Catalogue::standard()).unwrap_err();
    let text = error.to_string();
    assert!(error.is_usage() && text.contains(&cluster.address.to_string()), "{text}");
}

/// An address where nobody listens: taken, and let go of again.
fn nobody() -> String {
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    format!("http://{}", taken.local_addr().unwrap())
}

#[tokio::test]
async fn a_coordinator_that_is_not_there_is_named_after_the_stated_time() {
    let patience = Duration::from_millis(250);
    let url = nobody();
    let check = |error: Error| {
        let text = error.to_string();
        assert!(error.is_usage() && text.contains(&url) && text.contains("250ms"), "{text}");
    };
    check(Client::connect(&url, patience).await.unwrap_err());
    let config = WorkerConfig { connect_patience: patience, ..WorkerConfig::new(&url, 1) };
    check(Process::worker(config).ended().await.unwrap_err());
}

/// Somebody who accepts connections and says this on each.
async fn stranger(words: &'static [u8]) -> String {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(async move {
        let mut kept = Vec::new();
        while let Ok((stream, _)) = listener.accept().await {
            stream.writable().await.unwrap();
            stream.try_write(words).unwrap();
            kept.push(stream);
        }
    });
    url
}

#[tokio::test]
async fn who_listens_but_is_no_coordinator_is_found_out_in_the_stated_time() {
    let patience = Duration::from_millis(250);
    for words in [&b""[..], b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n"] {
        let url = stranger(words).await;
        let check = |error: Error| {
            let text = error.to_string();
            assert!(error.is_usage() && text.contains(&url) && text.contains("250ms"), "{text}");
        };
        check(Client::connect(&url, patience).await.unwrap_err());
        let config = WorkerConfig { connect_patience: patience, ..WorkerConfig::new(&url, 1) };
        check(Process::worker(config).ended().await.unwrap_err());
    }
}

#[tokio::test]
async fn a_name_that_cannot_be_sent_or_shown_is_refused() {
    for name in ["x".repeat(wire::MAX_NAME + 1), "a\nb".to_string()] {
        let config = WorkerConfig { name: Some(name), ..WorkerConfig::new(nobody(), 1) };
        let error = Process::worker(config).ended().await.unwrap_err();
        assert!(error.is_usage() && error.to_string().contains("256 bytes"), "{error}");
    }
}

#[tokio::test]
async fn a_coordinator_that_dies_in_mid_search_is_named_in_one_sentence() {
    let (sender, address) = tokio::sync::oneshot::channel();
    let (kill, killed) = tokio::sync::oneshot::channel::<()>();
    // A runtime of its own: with its end all connections break.
    let coordinator = std::thread::spawn(move || {
        let process = async {
            let cluster = Cluster::start(0);
            sender.send(cluster.address).unwrap();
            let _ = killed.await;
        };
        eldest_cluster::block_on(process).unwrap();
    });
    let url = format!("http://{}", address.await.unwrap());
    let mut client = Client::connect(&url, PATIENCE).await.unwrap();
    let mut followed = client.submit(order(slow())).await.unwrap();
    kill.send(()).unwrap();
    coordinator.join().unwrap();
    let error = tokio::time::timeout(PATIENCE, followed.answer(|_| {})).await.unwrap().unwrap_err();
    assert_eq!(error.to_string(), format!("the coordinator at {url} went away in mid-search"));
}

#[tokio::test]
async fn a_worker_without_threads_is_refused() {
    let error = Process::worker(WorkerConfig::new(nobody(), 0)).ended().await.unwrap_err();
    assert!(error.is_usage() && error.to_string().contains("give at least 1"), "{error}");
}

#[tokio::test]
async fn a_search_in_this_process_can_be_aborted() {
    let abort = AtomicBool::new(true);
    let given_up = solve_here(
        &Catalogue::standard(),
        order(slow()),
        1,
        None,
        &abort,
        Observer::default(),
        |_| {},
    )
    .unwrap();
    assert_eq!(given_up.facts.outcome, Outcome::Aborted);
}
