//! Workers come and go, and clients change their minds, in mid-search.

use crate::programs::{Coordinator, PATIENCE, Program, object, run};
use cluster::Client;
use rustix::process::Signal;
use std::time::{Duration, Instant};

/// A tree whose leaves wait, so that it takes a while without using the processor: 4 to 8 s for one
/// worker.
const SLOW: &str = "synthetic:b=8,d=6,kind=edges,order=0.7,seed=3,cost=sleep:2ms";
/// The same tree without the waiting.
const FAST: &str = "synthetic:b=8,d=6,kind=edges,order=0.7,seed=3";

fn solve(url: &str) -> Program {
    Program::start(&["solve", "--game", SLOW, "--coordinator", url, "--json"])
}

fn sequential_score() -> serde_json::Value {
    object(&run(&["solve", "--game", FAST, "--policy", "sequential", "--json"]))["score"].clone()
}

/// Asks the coordinator for its status until `wanted` holds of it. Returns how long that took.
fn wait_until(url: &str, wanted: impl Fn(&cluster::StatusResponse) -> bool) -> Duration {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let mut client = Client::connect(url, PATIENCE).await.unwrap();
        let started = Instant::now();
        while !wanted(&client.status().await.unwrap()) {
            assert!(started.elapsed() < PATIENCE, "the coordinator never comes to that");
        }
        started.elapsed()
    })
}

/// Slots that have a job.
fn busy(status: &cluster::StatusResponse) -> u32 {
    let progress = status.searches.iter().find_map(|search| search.progress.as_ref());
    progress.map_or(0, |progress| progress.slots - progress.idle_slots)
}

#[test]
fn a_killed_worker_loses_only_time() {
    let mut coordinator = Coordinator::start();
    let url = coordinator.url.clone();
    let workers = ["first", "second", "third"].map(|name| Program::worker(&url, name));
    for _ in &workers {
        coordinator.wait_for("worker joined");
    }
    let solve = solve(&url);
    wait_until(&url, |status| busy(status) == 3);
    workers[1].signal(Signal::KILL);
    let lost = coordinator.wait_for("worker lost; its jobs wait for another");
    assert_eq!(lost["name"], "second");
    assert!(lost["jobs"].as_str().unwrap().contains('j'), "it says whose jobs went back: {lost}");
    let answer = object(&solve.output());
    assert_eq!(answer["score"], sequential_score());
    assert_eq!(answer["run"]["workers_lost"], 1);
}

#[test]
fn a_worker_that_joins_in_mid_search_has_work_within_a_second() {
    let mut coordinator = Coordinator::start();
    let url = coordinator.url.clone();
    let _first = Program::worker(&url, "first");
    coordinator.wait_for("worker joined");
    let solve = solve(&url);
    wait_until(&url, |status| busy(status) == 1);
    let _second = Program::worker(&url, "second");
    coordinator.wait_for("worker joined");
    let waited = wait_until(&url, |status| busy(status) == 2);
    assert!(waited < Duration::from_secs(1), "it waited {waited:?}");
    assert_eq!(object(&solve.output())["score"], sequential_score());
}

#[test]
fn an_interrupted_solve_leaves_no_job_running() {
    let mut coordinator = Coordinator::start();
    let url = coordinator.url.clone();
    let _workers = ["first", "second"].map(|name| Program::worker(&url, name));
    wait_until(&url, |status| status.workers.len() == 2);
    let solve = solve(&url);
    wait_until(&url, |status| busy(status) == 2);
    solve.signal(Signal::INT);
    assert_eq!(solve.output().status.code(), Some(130));
    assert_eq!(coordinator.wait_for("search ended")["outcome"], "aborted");
    wait_until(&url, |status| status.searches.is_empty());
    let next = run(&["solve", "--game", FAST, "--coordinator", &url, "--json"]);
    assert_eq!(object(&next)["score"], sequential_score(), "the workers are free again");
}

#[test]
fn a_worker_told_to_leave_gives_its_jobs_back_and_ends_well() {
    let mut coordinator = Coordinator::start();
    let url = coordinator.url.clone();
    let workers = ["stays", "leaves"].map(|name| Program::worker(&url, name));
    wait_until(&url, |status| status.workers.len() == 2);
    let solve = solve(&url);
    wait_until(&url, |status| busy(status) == 2);
    let [_stays, leaves] = workers;
    leaves.signal(Signal::TERM);
    assert_eq!(coordinator.wait_for("worker left")["name"], "leaves");
    assert_eq!(leaves.output().status.code(), Some(0));
    assert_eq!(object(&solve.output())["score"], sequential_score());
}

/// Whoever shares table entries with others can go at any time: what it has told stays true, and nobody
/// waits for what it would have told.
fn check_peer_that(signal: Signal) {
    let coordinator = Coordinator::start();
    let url = coordinator.url.clone();
    let workers = ["first", "second", "third"].map(|name| Program::worker(&url, name));
    wait_until(&url, |status| status.workers.len() == 3);
    let solve = ["solve", "--game", "connect:5x6", "--coordinator", &url, "--json"];
    let solve = Program::start(&solve);
    wait_until(&url, |status| busy(status) == 3);
    workers[1].signal(signal);
    let answer = object(&solve.output());
    assert_eq!(answer["score"], 0, "the known value of that board");
    let shared = answer["run"]["tally"]["shared"].as_u64().unwrap();
    assert!(shared > 0, "entries were told: {answer}");
}

#[test]
fn a_table_peer_that_is_killed_changes_no_score() {
    check_peer_that(Signal::KILL);
}

#[test]
fn a_table_peer_that_is_stopped_changes_no_score() {
    check_peer_that(Signal::STOP);
}
