//! Processes say whether they are well to those who restart them.

use crate::programs::{Coordinator, PATIENCE, Program, run};
use rustix::process::Signal;
use std::net::TcpListener;
use std::time::Instant;

/// What a worker's peers and `eldest health --service` call its service.
const PEERS: &str = "eldest.v1.PeerService";

/// Asks until the exit code is the one wanted; returns what was said then.
fn wait_for(arguments: &[&str], code: i32) -> String {
    let began = Instant::now();
    loop {
        let output = run(&[&["health"], arguments].concat());
        let said = [output.stdout, output.stderr].concat();
        let said = String::from_utf8_lossy(&said).into_owned();
        if output.status.code() == Some(code) {
            return said;
        }
        assert!(began.elapsed() < PATIENCE, "{arguments:?} never ends with {code}: {said}");
    }
}

/// An address of this host that nobody listens at.
fn free_address() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.local_addr().unwrap().to_string()
}

#[test]
fn a_coordinator_that_is_gone_stopped_or_of_another_kind_is_not_healthy() {
    let coordinator = Coordinator::start();
    let url = coordinator.url.as_str();
    assert_eq!(wait_for(&[url], 0), "serving\n");
    assert!(wait_for(&[url, "--service", "chess"], 1).contains("no service \"chess\""));
    coordinator.signal(Signal::STOP);
    assert!(wait_for(&[url, "--patience", "300ms"], 1).contains("no answer within 300ms"));
    coordinator.signal(Signal::KILL);
    assert!(wait_for(&[url], 1).contains("does not answer"));
}

#[test]
fn a_worker_serves_its_peers_while_it_is_with_a_coordinator() {
    let mut coordinator = Coordinator::start();
    let listen = free_address();
    let worker = format!("http://{listen}");
    let arguments = ["worker", "--coordinator", &coordinator.url, "--listen", &listen];
    let _worker = Program::start(&[&arguments[..], &["--threads", "1"]].concat());
    coordinator.wait_for("worker joined");
    assert_eq!(wait_for(&[&worker, "--service", PEERS], 0), "serving\n");
    drop(coordinator);
    assert!(wait_for(&[&worker, "--service", PEERS], 1).contains("does not serve"));
    assert_eq!(wait_for(&[&worker], 0), "serving\n", "it waits for the coordinator to return");
}
