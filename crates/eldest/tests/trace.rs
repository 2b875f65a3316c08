//! `--trace` and `eldest trace` as people and scripts see them.

mod program;

use program::{check_refused, eldest, printed, text};
use serde_json::Value;
use std::fs;
use std::path::Path;
use tempfile::TempDir;

fn folder() -> TempDir {
    tempfile::tempdir().expect("there is room for a folder")
}

fn path(folder: &Path, name: &str) -> String {
    folder.join(name).display().to_string()
}

fn objects(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).expect("it is JSON")).collect()
}

#[test]
fn bad_usage_gets_one_line_and_exit_code_2() {
    let folder = folder();
    let [nothing, picture] = ["nothing.jsonl", "picture.jsonl"].map(|n| path(folder.path(), n));
    fs::write(&picture, "GIF89a").expect("it can be written");
    check_refused(&["trace", &nothing, "summary"], "cannot be read");
    check_refused(&["trace", &picture, "summary"], "is not an Eldest trace");
    check_refused(&["trace", &picture, "convert", "x.json"], "must end in .jsonl");
    check_refused(&["trace", &picture, "convert", "x.jsonl"], "ends in .perfetto-trace");
    check_refused(&["trace", &picture, "windows", "--job", "w3"], "must be a job, as in j17");
    check_refused(&["solve", "--game", "nim:3,4", "--trace", "x"], "must end in .jsonl");
    check_refused(&["solve", "--game", "nim:3,4", "--trace", "/nowhere/x.jsonl"], "cannot write");
    let remote = ["--game", "nim:3,4", "--trace", "x.jsonl", "--coordinator", "http://127.0.0.1:1"];
    check_refused(&[&["solve"], &remote[..]].concat(), "eldest coordinator --trace FILE");
    let remote = [&["bench"], &remote[..], &["--processors", "1"]].concat();
    check_refused(&remote, "eldest coordinator --trace FILE");
}

#[test]
fn the_sums_of_a_trace_are_the_counters_of_the_bench() {
    let folder = folder();
    let [trace, json] = ["b.jsonl", "b.json"].map(|name| path(folder.path(), name));
    let game = "synthetic:b=12,d=5,order=random,seed=1,cost=sleep:20us";
    let bench = ["bench", "--game", game, "--workers", "4", "--runs", "1", "--policy", "pv-split"];
    printed(&[&bench[..], &["--trace", &trace, "--json", &json]].concat());
    let bench: Value =
        serde_json::from_str(&fs::read_to_string(json).expect("it was written")).expect("JSON");
    let facts = &bench["measured"]["runs"][0]["searches"][0];
    let rows = objects(&printed(&["trace", &trace, "summary", "--json"]));
    assert_eq!(rows.len(), 2, "the sequential search and that of four workers: {rows:?}");
    let told = &rows[1]["facts"];
    for counter in [
        "outcome",
        "value",
        "elapsed_ns",
        "slots",
        "tally",
        "discarded_nodes",
        "busy_ns",
        "windows_pushed",
        "windows_applied",
        "windows_cut",
        "windows_waiting",
        "windows_late",
        "jobs_assigned",
        "splits_wished",
        "nodes_adopted",
        "jobs_cancelled",
        "brothers_reopened",
        "window_delays",
    ] {
        assert_eq!(told[counter], facts[counter], "{counter}");
    }
    let row = &bench["rows"][0];
    let speed_up = |terms: &Value| terms["speed_up"].as_f64().expect("there is a baseline");
    let (told, known) = (speed_up(&rows[1]["terms"]), speed_up(row));
    assert!((told / known - 1.0).abs() < 1e-6, "{told} {known}");
    let updates = objects(&printed(&["trace", &trace, "windows", "--json"]));
    let count = |wanted: &dyn Fn(&Value) -> bool| {
        Value::from(updates.iter().filter(|update| wanted(update)).count())
    };
    assert!(updates.len() > 5, "{updates:?}");
    assert_eq!(count(&|_| true), facts["windows_pushed"]);
    assert_eq!(count(&|update| update["effect"] == "applied"), facts["windows_applied"]);
    assert_eq!(count(&|update| update["open_nodes"].as_u64() > Some(0)), facts["windows_cut"]);
    assert_eq!(count(&|update| update["effect"] == "late"), facts["windows_late"]);
    let jobs = objects(&printed(&["trace", &trace, "jobs", "--json"]));
    let nodes: u64 = jobs.iter().filter_map(|job| job["nodes"].as_u64()).sum();
    assert_eq!(Value::from(nodes), facts["tally"]["nodes"]);
    check_best(&trace, &updates);
}

/// `windows --top` finds the updates that saved most, and `--job` those of one job.
fn check_best(trace: &str, updates: &[Value]) {
    let saved = |update: &Value| update["saved"].as_u64().unwrap_or(0);
    let best = objects(&printed(&["trace", trace, "windows", "--json", "--top", "1"]));
    assert_eq!(best.len(), 1);
    assert_eq!(Some(saved(&best[0])), updates.iter().map(saved).max());
    let job = format!("j{}", best[0]["job"]);
    let of_job = objects(&printed(&["trace", trace, "windows", "--json", "--job", &job]));
    let wanted = |u: &&Value| u["job"] == best[0]["job"] || u["cause"] == best[0]["job"];
    assert_eq!(of_job.len(), updates.iter().filter(wanted).count());
    let shown = printed(&["trace", trace, "windows", "--top", "3"]);
    let totals = format!("{} updates: ", updates.len());
    assert!(shown.contains("raised by") && shown.contains(&totals), "{shown}");
}

#[test]
fn pictures_are_made_of_a_simulated_trace_and_a_cut_off_line_is_no_harm() {
    let folder = folder();
    let names = ["s.jsonl", "s.svg", "s.perfetto-trace", "t.perfetto-trace"];
    let [trace, svg, perfetto, direct] = names.map(|name| path(folder.path(), name));
    let sim = ["sim", "--game", "synthetic:b=8,d=6,seed=2,order=0.6", "--processors", "4"];
    printed(&[&sim[..], &["--trace", &trace]].concat());
    printed(&[&sim[..], &["--trace", &direct]].concat());
    let summary = printed(&["trace", &trace, "summary"]);
    assert!(summary.contains("sequential search") && summary.contains("P = 4"), "{summary}");
    printed(&["trace", &trace, "timeline", "--svg", &svg]);
    assert!(fs::read_to_string(svg).expect("it was written").starts_with("<svg "));
    printed(&["trace", &trace, "convert", &perfetto]);
    let converted = fs::read(perfetto).expect("it was written");
    assert!(converted == fs::read(direct).expect("it was written"), "both ways agree");
    let tree = printed(&["trace", &trace, "tree", "--depth", "1"]);
    assert!(tree.starts_with("root pv: ") && tree.lines().count() > 2, "{tree}");
    assert!(printed(&["trace", &trace, "tree", "--dot"]).starts_with("digraph split_tree {"));
    let whole = fs::read(&trace).expect("it was written");
    fs::write(&trace, &whole[..whole.len() - 20]).expect("it can be written");
    let output = eldest(&["trace", &trace, "windows", "--totals"]);
    assert!(output.status.success());
    assert!(text(&output.stderr).contains("breaks off in its last line"), "{output:?}");
}

#[test]
fn a_solve_is_traced_with_its_sequential_search() {
    let folder = folder();
    for (policy, jobs) in [("ybw", true), ("sequential", false)] {
        let trace = path(folder.path(), &format!("{policy}.jsonl"));
        let game = ["--game", "connect:4x4", "--policy", policy];
        printed(&[&["solve"], &game[..], &["--trace", &trace]].concat());
        let rows = objects(&printed(&["trace", &trace, "summary", "--json"]));
        assert_eq!((rows.len(), &rows[0]["outcome"]), (1, &Value::from("solved")));
        let assigned = rows[0]["facts"]["jobs_assigned"].as_u64();
        assert_eq!(assigned.is_some_and(|jobs| jobs > 0), jobs, "{rows:?}");
    }
}
