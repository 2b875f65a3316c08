//! Tables that are saved and loaded.

#![allow(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

mod program;

use program::{ELDEST, check_refused, eldest, printed, text};
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Far longer than anything here takes.
const PATIENCE: Duration = Duration::from_secs(60);

fn solve(file: &Path, game: &str, more: &[&str]) -> Value {
    let fixed = ["solve", "--json", "--game", game, "--table-file", file.to_str().unwrap()];
    serde_json::from_str(&printed(&[&fixed[..], more].concat())).expect("one JSON object")
}

fn nodes(record: &Value) -> u64 {
    record["run"]["tally"]["nodes"].as_u64().expect("a number")
}

#[test]
fn a_second_run_goes_on_with_what_the_first_found_out() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("table");
    for how in [&["--policy", "sequential"][..], &["--threads", "2"]] {
        let _ = fs::remove_file(&file);
        let first = solve(&file, "connect:4x5", how);
        let second = solve(&file, "connect:4x5", how);
        assert_eq!(first["score"], second["score"]);
        let [first, second] = [first, second].map(|record| nodes(&record));
        assert!(second * 20 < first, "{first} nodes, then {second}");
        let smaller = solve(&file, "connect:4x5", &[how, &["--table", "1"]].concat());
        assert!(nodes(&smaller) * 20 < first, "{first} nodes, then {smaller}");
    }
    let other = solve(&file, "connect:4x4", &[]);
    assert_eq!(other["score"], 0, "a file serves any search");
    let names: Vec<_> = fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap()).collect();
    assert_eq!(names.len(), 1, "nothing else is left behind: {names:?}");
}

#[test]
fn the_positions_of_a_suite_share_the_table_and_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let (file, suite) = (folder.path().join("table"), folder.path().join("suite"));
    fs::write(&suite, "33\t0\n33\t0\n").unwrap();
    let arguments = ["solve", "--json", "--game", "connect:4x5", "--threads", "1", "--suite"];
    let given = [suite.to_str().unwrap(), "--table-file", file.to_str().unwrap()];
    let output = eldest(&[&arguments[..], &given].concat());
    let records: Vec<Value> =
        text(&output.stdout).lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!(nodes(&records[1]) * 20 < nodes(&records[0]), "{records:?}");
}

#[test]
fn a_file_that_is_damaged_or_of_another_program_is_refused_and_stays_as_it_was() {
    let folder = tempfile::tempdir().unwrap();
    let good = folder.path().join("good");
    solve(&good, "tictactoe", &[]);
    let bytes = fs::read(&good).unwrap();
    let file = folder.path().join("bad");
    let check = |name: &str, change: &dyn Fn(&mut Vec<u8>), complaint: &str| {
        let mut bytes = bytes.clone();
        change(&mut bytes);
        fs::write(&file, &bytes).unwrap();
        let path = file.to_str().unwrap();
        let solve = ["solve", "--game", "tictactoe", "--table-file", path];
        let worker = ["worker", "--coordinator", "http://127.0.0.1:1", "--table-file", path];
        check_refused(&solve, complaint);
        check_refused(&worker, complaint);
        assert_eq!(fs::read(&file).unwrap(), bytes, "{name}");
    };
    let last = bytes.len() - 1;
    let middle = bytes.len() / 2;
    check("foreign", &|bytes| bytes[..4].copy_from_slice(b"%PDF"), "is no table that Eldest saved");
    check("empty", &|bytes| bytes.clear(), "is no table that Eldest saved");
    check("format", &|bytes| bytes[8] = 9, "has format 9");
    check("version", &|bytes| bytes[12] = b'7', "was saved by version 7");
    check("short", &|bytes| bytes.truncate(middle), "should have");
    check("long", &|bytes| bytes.push(0), "should have");
    check("count", &|bytes| bytes[44..52].fill(0xff), "should have");
    check("bit", &|bytes| bytes[middle / 16 * 16 + 4] ^= 1, "it is damaged");
    check("checksum", &|bytes| bytes[last] ^= 0x80, "does not have the checksum");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2, "nothing is left behind");
}

#[test]
fn a_place_where_nothing_can_be_written_is_refused_before_the_search() {
    let folder = tempfile::tempdir().unwrap();
    let no_folder = folder.path().join("missing").join("table");
    let path = no_folder.to_str().unwrap();
    check_refused(&["solve", "--game", "connect:6x7", "--table-file", path], "can be written to");
    let path = folder.path().to_str().unwrap();
    check_refused(&["solve", "--game", "connect:6x7", "--table-file", path], "is no table");
    let table = folder.path().join("table");
    let file = table.to_str().unwrap();
    let given = ["solve", "--game", "tictactoe", "--table-file", file];
    check_refused(&[&given[..], &["--table", "0"]].concat(), "needs a table");
    check_refused(&[&given[..], &["--table-sharing", "off"]].concat(), "--table-sharing process");
    let remote = ["--coordinator", "http://127.0.0.1:1"];
    let output = eldest(&[&given[..], &remote].concat());
    assert_eq!(output.status.code(), Some(2), "{}", text(&output.stderr));
}

#[test]
fn an_interrupted_search_saves_its_table_and_keeps_others_away_meanwhile() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("table");
    let path = file.to_str().unwrap();
    let long = ["solve", "--game", "connect:6x7", "--threads", "1", "--table-file", path];
    let child = Command::new(ELDEST).args(long).stderr(Stdio::piped()).spawn().unwrap();
    let started = Instant::now();
    while !folder.path().join("table.new").exists() {
        assert!(started.elapsed() < PATIENCE, "it never begins");
        std::thread::yield_now();
    }
    // It is locked at once after it is made; a process that comes between would be no error of this one.
    std::thread::sleep(Duration::from_millis(500));
    check_refused(
        &["solve", "--game", "tictactoe", "--table-file", path],
        "another process uses it",
    );
    let pid = child.id().to_string();
    assert!(Command::new("kill").args(["-INT", &pid]).status().unwrap().success());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130), "{}", text(&output.stderr));
    let saved = fs::metadata(&file).unwrap().len();
    assert!(saved > 100, "{saved} bytes");
    assert_eq!(solve(&file, "connect:4x4", &[])["score"], 0);
}

/// What a worker process knows is kept from coordinator to coordinator.
#[test]
fn a_worker_that_comes_back_knows_what_it_knew() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("table");
    let cost = || {
        let mut coordinator = Command::new(ELDEST)
            .args(["coordinator", "--listen", "127.0.0.1:0", "--threads", "0", "--log", "info"])
            .args(["--log-format", "json"])
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut log = std::io::BufReader::new(coordinator.stderr.take().unwrap());
        let mut line = String::new();
        std::io::BufRead::read_line(&mut log, &mut line).unwrap();
        let line: Value = serde_json::from_str(&line).unwrap();
        let url = format!("http://{}", line["fields"]["address"].as_str().unwrap());
        let mut worker = Command::new(ELDEST)
            .args(["worker", "--threads", "1", "--coordinator", &url, "--table-file"])
            .arg(&file)
            .spawn()
            .unwrap();
        let solve = ["solve", "--json", "--game", "connect:4x5", "--coordinator", &url];
        let record: Value = serde_json::from_str(&printed(&solve)).unwrap();
        let pid = worker.id().to_string();
        assert!(Command::new("kill").args(["-TERM", &pid]).status().unwrap().success());
        assert!(worker.wait().unwrap().success());
        coordinator.kill().unwrap();
        coordinator.wait().unwrap();
        (record["score"].clone(), nodes(&record))
    };
    let (first, second) = (cost(), cost());
    assert_eq!(first.0, second.0);
    assert!(second.1 * 20 < first.1, "{first:?}, then {second:?}");
}
