//! The published positions, solved by a cluster and by the plain program.

use crate::programs::{Coordinator, Program, run};
use serde_json::Value;
use std::path::PathBuf;

fn data(name: &str) -> String {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("data").join(name);
    path.to_str().unwrap().to_string()
}

/// Solves part of a suite, and checks that every score agrees with the published one.
fn check(game: &str, suite: &str, only: &str, how: &[&str], expected: usize) {
    let suite = data(suite);
    let what = ["solve", "--json", "--game", game, "--suite", &suite, "--only", only];
    let output = run(&[&what[..], how].concat());
    let text = String::from_utf8_lossy(&output.stdout);
    let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let agreeing = lines.iter().filter(|line| line["agrees"] == true).count();
    assert_eq!(agreeing, expected, "{text}{}", String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success());
}

#[test]
fn othello_endgames_have_their_published_scores() {
    let suite = "othello/ffo-20-59.tsv";
    check("othello", suite, "20-30", &["--policy", "sequential"], 11);
    check("othello", suite, "20-30", &["--threads", "2"], 11);
}

#[test]
fn connect_four_positions_have_their_published_scores() {
    let sequential = ["--policy", "sequential"];
    check("connect", "connect4/7x6-end-easy.txt", "1-40", &sequential, 40);
    check("connect", "connect4/7x6-middle-easy.txt", "1-12", &sequential, 12);
}

#[test]
fn a_cluster_finds_the_published_scores() {
    let coordinator = Coordinator::start();
    let url = coordinator.url.clone();
    let _workers = ["first", "second"].map(|name| Program::worker(&url, name));
    let there = ["--coordinator", url.as_str()];
    check("othello", "othello/ffo-20-59.tsv", "20-24", &there, 5);
    check("connect", "connect4/7x6-middle-easy.txt", "1-4", &there, 4);
}
