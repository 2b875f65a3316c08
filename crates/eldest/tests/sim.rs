//! `eldest sim` as scripts see it.

mod program;

use serde_json::Value;
use std::fs;
use std::path::Path;

fn printed(arguments: &[&str]) -> String {
    program::printed(&[&["sim"], arguments].concat())
}

fn check_refused(arguments: &[&str], complaint: &str) {
    program::check_refused(&[&["sim"], arguments].concat(), complaint);
}

fn path(folder: &Path, name: &str) -> String {
    folder.join(name).display().to_string()
}

#[test]
fn bad_usage_gets_one_line_and_exit_code_2() {
    let tree = ["--game", "synthetic:b=4,d=4"];
    let check = |rest: &[&str], complaint| check_refused(&[&tree[..], rest].concat(), complaint);
    check_refused(&[], "--game GAMESPEC");
    check_refused(&["nowhere.toml"], "plan nowhere.toml: cannot be read");
    check_refused(&["--swarm", "0"], "--swarm");
    check_refused(&["--swarm", "1", "--game", "othello"], "--game");
    check_refused(&["plan.toml", "--processors", "4"], "--processors");
    check(&["--processors", "0"], "--processors");
    check(&["--seed", "3..1"], "as in 1..10, both included");
    check(&["--latency", "2us..1us"], "begin with the shorter time");
    check(&["--message-cost", "2"], "a number and a unit");
    check(&["--policy", "sequential"], "is the baseline");
    check(&["--trace", "x.json"], "must end in .jsonl (for `eldest trace`)");
    check(&["--json", "x", "--svg", "./x"], "written twice");
    check(&["--csv", "/nowhere/at/all.csv"], "/nowhere/at/all.csv");
    check(&["--table", "16", "--processors", "4096"], "must be from 0 to 16384");
}

#[test]
fn a_sweep_prints_a_table_and_writes_its_files() {
    let folder = tempfile::tempdir().expect("there is room for a folder");
    let [json, csv, svg] = ["a.json", "a.csv", "a.svg"].map(|name| path(folder.path(), name));
    let text = printed(&[
        "--game",
        "synthetic:b=8,d=8,kind=edges,order=0.7",
        "--processors=1,8",
        "--seed=1..2",
        "--latency=10us",
        "--markdown",
        "--json",
        &json,
        "--csv",
        &csv,
        "--svg",
        &svg,
    ]);
    assert!(text.contains("| P | seeds |") && text.contains("4 runs: "), "{text}");
    let document = fs::read_to_string(json).expect("it was written");
    let document: Value = serde_json::from_str(&document).expect("it is JSON");
    let samples = document["samples"].as_array().expect("it has samples");
    assert_eq!(samples.len(), 4);
    assert_ne!(samples[0]["baseline"]["nodes"], samples[2]["baseline"]["nodes"], "two trees");
    assert!(document["steps"][1]["speed_up"]["mean"].as_f64() > Some(2.0), "{document}");
    assert_eq!(fs::read_to_string(csv).expect("it was written").lines().count(), 3);
    assert!(fs::read_to_string(svg).expect("it was written").contains("ZUGZWANG"));
}

#[test]
fn the_same_plan_gives_the_same_trace_to_the_byte() {
    let folder = tempfile::tempdir().expect("there is room for a folder");
    let plan = path(folder.path(), "plan.toml");
    let text = r#"
        latency_ns = [20_000, 80_000]
        message_in_ns = 2_000
        message_out_ns = 2_000
        bytes_per_s = 100_000_000
        [setup]
        game = "synthetic:b=6,d=6,kind=edges,order=0.7"
        min_split = 2
        [[workers]]
        count = 3
        slots = 2
        [[workers]]
        mishaps = [
            { at_ns = 300_000, what = "stalls", for_ns = 500_000 },
            { at_ns = 900_000, what = "breaks", coordinator_notices_ns = 100_000,
              worker_notices_ns = 50_000, rejoins_ns = 10_000 },
        ]
    "#
    .replace(",\n              worker", ", worker");
    fs::write(&plan, text).expect("it can be written");
    let trace = |name: &str, seed: &str| {
        let trace = path(folder.path(), name);
        printed(&[&plan, "--seed", seed, "--trace", &trace]);
        fs::read_to_string(trace).expect("it was written")
    };
    let (first, second, other) =
        (trace("1.jsonl", "7"), trace("2.jsonl", "7"), trace("3.jsonl", "8"));
    assert!(first.lines().count() > 20 && first.contains("search-settled"), "{first}");
    assert_eq!(first, second);
    assert_ne!(first, other);
}

#[test]
fn a_swarm_keeps_every_rule_and_one_trial_shows_its_plan() {
    let text = printed(&["--swarm", "200"]);
    assert!(text.contains("200 plans from seed 1 on"), "{text}");
    let text = printed(&["--swarm", "1", "--seed", "7"]);
    assert!(text.contains("[setup]") && text.contains("[[workers]]"), "{text}");
}
