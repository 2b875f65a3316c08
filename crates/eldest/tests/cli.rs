//! The command line as scripts see it: exit codes, one line about what is wrong, JSON.

mod program;

use program::{ELDEST, check_refused, eldest, printed, text};
use serde_json::Value;
use std::io::{BufRead, BufReader, Read};
use std::net::TcpListener;
use std::process::{Child, Command, Output, Stdio};

/// The JSON objects it prints, one per line.
fn objects(arguments: &[&str]) -> Vec<Value> {
    let read = |line| serde_json::from_str(line).expect("each line is JSON");
    printed(arguments).lines().map(read).collect()
}

#[test]
fn bad_usage_gets_one_line_and_exit_code_2() {
    check_refused(&[], "give a command");
    check_refused(&["conquer"], "unrecognized subcommand 'conquer'");
    check_refused(&["solve"], "--game GAMESPEC");
    check_refused(&["solve", "--game", "othello", "--threads", "0"], "--threads");
    check_refused(&["solve", "--game", "othello", "--order", "x"], "left-to-right");
    check_refused(&["solve", "--game", "othello", "--window", "2,2"], "must be ALPHA,BETA");
    check_refused(&["solve", "--game", "othello", "--depth", "many"], "must be full or plies");
    check_refused(&["solve", "--game", "othello", "--time", "5"], "a number and a unit");
    check_refused(&["solve", "--game", "othello", "--deepening"], "a fixed depth");
    check_refused(&["solve", "--game", "othello", "--min-split", "0"], "--min-split");
    check_refused(&["solve", "--game", "othello", "--processors", "2"], "--coordinator");
    check_refused(&["solve", "--game", "othello", "--only", "40"], "--suite");
    check_refused(&["solve", "--game", "othello", "--log", "a=b=c"], "--log");
    check_refused(&["bench", "--workers", "0"], "--workers");
    check_refused(&["bench", "--workers", "1,x"], "--workers");
    check_refused(&["bench", "--runs", "0"], "--runs");
    check_refused(&["bench", "--policy", "sequential"], "is the baseline");
    check_refused(&["bench", "--json", "/nowhere/at/all.json"], "/nowhere/at/all.json");
    check_refused(&["bench", "--coordinator", "http://127.0.0.1:1"], "--processors");
    check_refused(&["bench", "--json", "x.out", "--csv", "./x.out"], "written twice");
    check_refused(&["bench", "--csv", "/proc/bench.csv"], "/proc/bench.csv");
    check_refused(&["solve", "--suite", "ffo", "--only", "40,999"], "999");
    check_refused(&["solve", "--suite", "ffo", "--only", "58-70"], "the suite has 20 to 59");
    check_refused(&["solve", "--suite", "ffo", "--only", "40", "--depth", "3"], "full solves");
    check_refused(&["solve", "--game", "othello", "--narrowing", "maybe"], "on");
    check_refused(&["worker"], "--coordinator");
    check_refused(&["health", "localhost:7171"], "http://host:7171");
    check_refused(&["coordinator", "--listen", "here"], "--listen");
    check_refused(&["perft", "--game", "othello", "--depth", "0"], "--depth");
}

#[test]
fn bad_games_and_positions_get_one_line_and_exit_code_2() {
    let check = |game: &str, position: &str, complaint: &str| {
        check_refused(&["solve", "--game", game, "--position", position], complaint);
        check_refused(
            &["perft", "--depth", "1", "--game", game, "--position", position],
            complaint,
        );
    };
    check("conect", "", "there is no game \"conect\"");
    check("connect:9x9", "", "too large");
    check("connect:4x4,scoring=odd", "", "scoring=odd");
    check("connect:4x4", "19", "9");
    check("connect:4x4", "11111", "11111");
    check("othello", "XO", "64 squares");
    check("othello:8x8", "", "no size");
    check("tictactoe", "XXXX", "XXXX");
    check("tree:/nowhere/tree.json", "", "/nowhere/tree.json");
    check("tree:[[1,2],[3", "", "nested JSON lists");
    check("nim:3,x", "", "x");
    check("synthetic:b=0", "", "b=0");
}

#[test]
fn bad_files_get_one_line_and_exit_code_2() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let path = folder.path().join("file");
    let name = path.to_str().expect("the path is UTF-8");
    let check = |content: &[u8], arguments: &[&str], complaint: &str| {
        std::fs::write(&path, content).expect("the file can be written");
        check_refused(arguments, complaint);
    };
    let tree = format!("tree:{name}");
    check(b"[[1, 2], [3", &["solve", "--game", &tree], "line 1 column 11");
    check(b"[[1, 2], [3, \"x\"]]", &["solve", "--game", &tree], "integer");
    check(b"\xff", &["solve", "--game", &tree], "not a text file");
    let blank = vec![b' '; (1 << 20) + 1];
    check(&blank, &["solve", "--game", &tree], "at most 1048576 bytes");
    let suite = ["solve", "--game", "connect", "--suite", name];
    check(b"", &suite, "holds no position");
    check(b"445 1\n445\n", &suite, "line 2");
    check(b"445 1\n448 1\n", &suite, "position 2 of the suite");
    check(b"445 1\n", &["solve", "--suite", name], "--game GAMESPEC");
    let none_left = [&suite[..], &["--only", "2-3"]].concat();
    check(b"445 1\n", &none_left, "2-3: no such positions; the suite has 1 to 1");
    check_refused(&["solve", "--suite", "/nowhere/suite"], "/nowhere/suite");
}

#[test]
fn a_coordinator_that_is_not_there_is_named_with_the_time_it_was_waited_for() {
    let free = TcpListener::bind("127.0.0.1:0").expect("there is a free port");
    let url = format!("http://{}", free.local_addr().expect("it has an address"));
    drop(free);
    let there = ["--coordinator", &url, "--patience", "200ms"];
    for command in [
        &["solve", "--game", "tictactoe"][..],
        &["worker", "--threads", "1"],
        &["bench", "--processors", "1"],
    ] {
        check_refused(&[command, &there].concat(), "within 200ms");
    }
    check_refused(&["worker", "--threads", "1", "--coordinator", "no address"], "no address");
}

#[cfg(not(feature = "otlp"))]
#[test]
fn spans_need_a_program_that_can_make_them() {
    let otlp = ["--otlp", "http://127.0.0.1:4317"];
    let coordinator = ["coordinator", "--listen", "127.0.0.1:0"];
    check_refused(&[&coordinator[..], &otlp].concat(), "--features otlp");
    let worker = ["worker", "--coordinator", "http://127.0.0.1:1"];
    check_refused(&[&worker[..], &otlp].concat(), "--features otlp");
}

#[test]
fn piped_output_has_no_escape_codes() {
    let folder = tempfile::tempdir().expect("there is room for a folder");
    let trace = folder.path().join("t.jsonl").display().to_string();
    let game = ["--game", "connect:4x4"];
    let calls: [Vec<&str>; 8] = [
        [&["solve"], &game[..], &["--trace", &trace]].concat(),
        [&["solve"], &game[..], &["--json"]].concat(),
        [&["bench"], &game[..], &["--workers", "2", "--runs", "1", "--log", "debug"]].concat(),
        [&["sim"], &game[..], &["--processors", "4"]].concat(),
        vec!["trace", &trace, "summary"],
        vec!["trace", &trace, "jobs"],
        vec!["games"],
        vec!["bench", "--help"],
    ];
    for call in calls {
        let output = eldest(&call);
        let said = text(&output.stdout) + &text(&output.stderr);
        assert!(output.status.success() && !said.is_empty(), "{call:?}: {said}");
        assert!(!said.contains('\x1b'), "{call:?}: {said:?}");
    }
}

#[test]
fn a_port_in_use_is_named() {
    let taken = TcpListener::bind("127.0.0.1:0").expect("there is a free port");
    let address = taken.local_addr().expect("it has an address").to_string();
    check_refused(&["coordinator", "--log", "warn", "--listen", &address], &address);
}

#[test]
fn alpha_beta_visits_the_published_interior_nodes() {
    let check = |board: &str, order: &str, interior: u64| {
        let game = format!("connect:{board},scoring=outcome");
        let plain = ["--policy", "sequential", "--algorithm", "alpha-beta", "--table", "0"];
        let what = ["solve", "--json", "--window", "-2,2", "--order", order, "--game", &game];
        let record = &objects(&[&what[..], &plain].concat())[0];
        assert_eq!(record["interior"], interior, "{board} {order}");
        assert_eq!((&record["score"], &record["bound"]), (&0.into(), &"exact".into()));
    };
    check("3x3", "left-to-right", 213);
    check("4x3", "left-to-right", 749);
    check("3x4", "left-to-right", 2_826);
    check("4x4", "left-to-right", 43_827);
    check("4x4", "centre-first", 108_671);
    check("4x3", "best-first", 601);
    check("4x3", "worst-first", 1_286);
}

#[test]
fn the_textbook_tree_is_six() {
    let game = "tree:[[[[9,6],[4,7]],[[7,6],[1,-9]]],[[[1,9],[0,-4]],[[4,-1],[2,-3]]]]";
    let check = |algorithm: &str, leaves: u64| {
        let record = &objects(&[
            "solve",
            "--json",
            "--policy",
            "sequential",
            "--table",
            "0",
            "--order",
            "left-to-right",
            "--game",
            game,
            "--algorithm",
            algorithm,
        ])[0];
        assert_eq!((&record["score"], &record["leaves"]), (&6.into(), &leaves.into()));
    };
    check("minimax", 16);
    check("alpha-beta", 7);
}

#[test]
fn a_record_has_every_field_and_the_facts_of_its_run() {
    let record = &objects(&["solve", "--json", "--game", "tictactoe", "--threads", "2"])[0];
    for field in [
        "game",
        "position",
        "score",
        "bound",
        "best_move",
        "pv",
        "nodes",
        "interior",
        "leaves",
        "table_cutoffs",
        "quiescence",
        "seconds",
        "run",
    ] {
        assert!(record.get(field).is_some(), "{field} is missing in {record}");
    }
    assert_eq!((&record["score"], &record["run"]["slots"]), (&0.into(), &2.into()));
}

#[test]
fn the_counts_of_a_record_add_up() {
    let othello = ["--suite", "ffo", "--only", "21"];
    let noisy = ["--game", "synthetic:b=5,d=7,noisy=0.5", "--depth", "4", "--quiescence", "3"];
    let deepening = ["--game", "connect:5x5", "--depth", "7", "--deepening", "--min-split", "3"];
    for what in [&othello[..], &noisy, &deepening] {
        for policy in [&["--policy", "sequential"][..], &["--threads", "2"]] {
            let record = &objects(&[&["solve", "--json"], what, policy].concat())[0];
            let count = |name: &str| record[name].as_u64().expect("every count is a number");
            let entered = count("nodes") + count("quiescence");
            let found = count("interior") + count("leaves") + count("table_cutoffs");
            assert_eq!(entered, found, "{record}");
        }
    }
}

#[test]
fn a_guess_that_is_wrong_does_not_change_the_answer() {
    for seed in 1..=4 {
        // Values of independent leaves say nothing about each other, so most guesses are wrong.
        let game = format!("synthetic:b=6,d=7,range=20,seed={seed}");
        let solve =
            ["solve", "--json", "--game", &game, "--depth", "7", "--deepening=3", "--min-split=2"];
        let score = |policy: &[&str]| objects(&[&solve[..], policy].concat())[0]["score"].clone();
        let sequential = score(&["--policy", "sequential"]);
        assert_eq!(score(&["--policy", "aspiring", "--threads", "4"]), sequential, "{game}");
    }
}

#[test]
fn a_move_that_proves_more_than_the_window_is_given_and_none_that_proves_less() {
    for policy in [&["--policy", "sequential"][..], &["--threads", "1"]] {
        let best = |game: &str, window: &str| {
            let solve = ["solve", "--json", "--game", game, "--window", window];
            let record = &objects(&[&solve[..], policy].concat())[0];
            (record["bound"].clone(), record["best_move"].clone())
        };
        assert_eq!(best("connect:3x3", "-1,0"), ("lower".into(), "2".into()), "{policy:?}");
        assert_eq!(best("tictactoe", "0,1"), ("upper".into(), Value::Null), "{policy:?}");
        // What the first move is worth is known exactly, but the other may be worth more.
        assert_eq!(best("tree:[1,[2,3]]", "5,6"), ("upper".into(), Value::Null), "{policy:?}");
    }
}

#[test]
fn an_unexpected_score_is_exit_code_1() {
    let solve = ["solve", "--policy", "sequential", "--game", "tictactoe"];
    assert!(eldest(&[&solve[..], &["--expect", "0"]].concat()).status.success());
    let output = eldest(&[&solve[..], &["--expect", "-1"]].concat());
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains("score 0, but -1 was expected"));
    // A bound is held against the expected score as what it says.
    let window = [&solve[..], &["--window", "-3,-1", "--expect"]].concat();
    assert!(eldest(&[&window[..], &["1"]].concat()).status.success());
    assert_eq!(eldest(&[&window[..], &["-2"]].concat()).status.code(), Some(1));
}

#[test]
fn a_search_that_takes_too_long_is_exit_code_1() {
    for policy in ["sequential", "ybw"] {
        let output = eldest(&[
            "solve",
            "--game",
            "othello",
            "--time",
            "100ms",
            "--policy",
            policy,
            "--threads",
            "1",
            "--json",
        ]);
        assert_eq!(output.status.code(), Some(1), "{policy}");
        let record: Value = serde_json::from_slice(&output.stdout).expect("it is JSON");
        assert!(record["nodes"].as_u64().is_some_and(|nodes| nodes > 0), "{record}");
        assert!(text(&output.stderr).contains("given up after 100ms"), "{policy}");
    }
}

#[test]
fn a_suite_ends_with_a_summary() {
    let lines =
        objects(&["solve", "--json", "--threads", "1", "--suite", "ffo", "--only", "20-22"]);
    assert_eq!(lines.len(), 4);
    assert_eq!((&lines[0]["id"], &lines[0]["agrees"]), (&20.into(), &true.into()));
    assert_eq!((&lines[3]["summary"], &lines[3]["agree"]), (&true.into(), &3.into()));
}

#[test]
fn a_position_may_begin_with_a_hyphen_and_narrowing_be_switched_off() {
    let position = "--XXXXX--OOOXX-O-OOOXXOX-OXOXXOXOXXXOXXOXXXXOXOO--XXXOOO--XXXXX- X";
    let solve = ["solve", "--game", "othello", "--position", position, "--depth", "2", "--json"];
    for narrowing in ["on", "off"] {
        let lines = objects(&[&solve[..], &["--narrowing", narrowing]].concat());
        assert_eq!(lines[0]["position"], position);
    }
}

#[test]
fn perft_counts_othello() {
    let othello = ["perft", "--game", "othello", "--depth"];
    let counted = |rest: &[&str]| printed(&[&othello[..], rest].concat());
    assert_eq!(counted(&["6"]), "1 4\n2 12\n3 56\n4 244\n5 1396\n6 8200\n");
    let start = format!("{}OX------XO{} X", "-".repeat(27), "-".repeat(27));
    assert_eq!(counted(&["2", "--position", &start]), "1 4\n2 12\n");
}

/// Runs it with nobody at the other end of its standard output.
fn unread(arguments: &[&str]) -> Output {
    let (reader, writer) = std::io::pipe().expect("a pipe can be made");
    drop(reader);
    let output = Command::new(ELDEST).args(arguments).stdout(writer).output();
    output.expect("the program can be started")
}

#[test]
fn nobody_is_told_that_nobody_reads() {
    for arguments in [&["games"][..], &["solve", "--game", "nim:1", "--json"]] {
        let output = unread(arguments);
        assert_eq!(output.status.code(), Some(141), "{arguments:?}");
        assert_eq!(text(&output.stderr), "", "{arguments:?}");
    }
}

#[test]
fn a_wrong_score_is_a_failed_run_even_if_nobody_reads_it() {
    let output = unread(&["solve", "--game", "nim:1", "--expect", "-1"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains("but -1 was expected"), "{}", text(&output.stderr));
}

/// A process that is killed at the end of the test.
struct Process(Child);

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A coordinator with so many threads of its own, and where it listens.
fn coordinator(threads: &str) -> (Process, String) {
    let mut child = Command::new(ELDEST)
        .args(["coordinator", "--listen", "127.0.0.1:0", "--threads", threads])
        .args(["--log", "info", "--log-format", "json"])
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program can be started");
    let log = child.stderr.take().expect("its log is piped");
    let process = Process(child);
    for line in BufReader::new(log).lines() {
        let line: Value = serde_json::from_str(&line.expect("the log can be read")).expect("JSON");
        if let Some(address) = line["fields"]["address"].as_str() {
            return (process, format!("http://{address}"));
        }
    }
    panic!("the coordinator ended without saying where it listens");
}

#[test]
fn a_cluster_solves_and_is_measured() {
    let (_coordinator, url) = coordinator("1");
    let there = ["--coordinator", &url];
    let solve = ["solve", "--json", "--suite", "ffo", "--only", "21"];
    let lines = objects(&[&solve[..], &there].concat());
    assert_eq!(lines[0]["agrees"], true);
    let bench = ["bench", "--suite", "ffo", "--only", "21", "--runs", "1", "--markdown"];
    let table = printed(&[&bench[..], &there, &["--processors", "1"]].concat());
    assert!(
        table.lines().any(|line| line.starts_with("|   1 ") || line.starts_with("| 1 ")),
        "{table}"
    );
    check_refused(&[&bench[..], &there, &["--processors", "1,64"]].concat(), "1 slots");
    check_refused(&[&solve[..], &there, &["--processors", "2"]].concat(), "1 slots");
}

#[test]
fn a_search_that_waits_for_workers_says_so_and_when_they_come() {
    let (_coordinator, url) = coordinator("0");
    let mut child = Command::new(ELDEST)
        .args(["solve", "--json", "--game", "tictactoe", "--coordinator", &url])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program can be started");
    let said = BufReader::new(child.stderr.take().expect("it is piped"));
    let mut results = BufReader::new(child.stdout.take().expect("it is piped"));
    let _solve = Process(child);
    let mut said = said.lines().map(|line| line.expect("it can be read"));
    let first = said.next().expect("it says that it waits");
    assert_eq!(first, "tictactoe: waits for workers; the coordinator has none");
    let worker = Command::new(ELDEST)
        .args(["worker", "--threads", "3", "--log", "warn", "--coordinator", &url])
        .spawn();
    let _worker = Process(worker.expect("the program can be started"));
    let rest: Vec<String> = said.collect();
    assert!(rest.iter().all(|line| line == "tictactoe: goes on with 3 slots"), "{rest:?}");
    let mut result = String::new();
    results.read_to_string(&mut result).expect("it can be read");
    let record: Value = serde_json::from_str(&result).expect("standard output is one object");
    assert_eq!(record["score"], 0);
}

#[test]
fn bench_measures_processes_and_writes_its_files() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let (json, csv) = (folder.path().join("bench.json"), folder.path().join("bench.csv"));
    printed(&[
        "bench",
        "--suite",
        "ffo",
        "--only",
        "21-22",
        "--workers",
        "1,2",
        "--runs",
        "1",
        "--narrowing",
        "off",
        "--json",
        json.to_str().expect("UTF-8"),
        "--csv",
        csv.to_str().expect("UTF-8"),
    ]);
    let document = std::fs::read_to_string(json).expect("the JSON file is there");
    let document: Value = serde_json::from_str(&document).expect("it is JSON");
    let problem = document["problem"].as_str().expect("it is a text");
    assert!(problem.contains("narrowing off"), "{problem}");
    for (row, processors) in [(0, 1), (1, 2)] {
        let row = &document["rows"][row];
        assert_eq!(row["windows_pushed"], 0);
        let term = |name: &str| row[name].as_f64().expect("every term is a number");
        assert_eq!(row["processors"], processors);
        let product = term("processors") * term("load") * term("performance")
            / (1.0 + term("search_overhead"));
        assert!((product / term("speed_up") - 1.0).abs() < 1e-9, "{row}");
    }
    assert_eq!(std::fs::read_to_string(csv).expect("the CSV file is there").lines().count(), 4);
}
