//! What a coordinator and its workers show while they work: metrics, the page, `eldest top`.

mod program;

use program::{ELDEST, check_refused, printed};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Far longer than anything here takes.
const PATIENCE: Duration = Duration::from_secs(30);

/// A process of a cluster, killed when it is dropped.
struct Process {
    child: Child,
    log: BufReader<std::process::ChildStderr>,
}

impl Process {
    fn start(arguments: &[&str]) -> Process {
        let mut command = Command::new(ELDEST);
        command.args(arguments).env_remove("ELDEST_LOG").stdout(Stdio::null());
        let mut child = command.stderr(Stdio::piped()).spawn().expect("it can be started");
        let log = BufReader::new(child.stderr.take().expect("it was asked for"));
        Process { child, log }
    }

    /// The address in the next line of the log that says `what`.
    fn address(&mut self, what: &str) -> String {
        loop {
            let mut line = String::new();
            let read = self.log.read_line(&mut line).expect("the log is text");
            assert!(read > 0, "the process ended before it said {what:?}");
            if line.contains(what) {
                let (_, address) = line.split_once("address=").expect("it names an address");
                return address.split_whitespace().next().unwrap_or_default().to_string();
            }
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A coordinator and two workers, and where they show themselves.
struct Cluster {
    url: String,
    page: String,
    metrics: Vec<String>,
    _processes: Vec<Process>,
}

impl Cluster {
    fn start() -> Cluster {
        let any = "127.0.0.1:0";
        let shown = ["--http", any, "--metrics", any];
        let mut coordinator = Process::start(
            &[&["coordinator", "--listen", any, "--threads", "0"], &shown[..]].concat(),
        );
        let mut metrics = vec![coordinator.address("metrics served over HTTP")];
        let page = coordinator.address("the page served over HTTP");
        let url = format!("http://{}", coordinator.address("coordinator listens"));
        let mut processes = vec![coordinator];
        for name in ["left", "right"] {
            let worker = ["worker", "--coordinator", &url, "--threads", "1", "--name", name];
            let mut worker = Process::start(&[&worker[..], &["--metrics", any]].concat());
            metrics.push(worker.address("metrics served over HTTP"));
            processes.push(worker);
        }
        let cluster = Cluster { url, page, metrics, _processes: processes };
        cluster.until("both workers", |now| now["workers"].as_array().map(Vec::len) == Some(2));
        cluster
    }

    fn snapshot(&self) -> Value {
        let (status, body) = get(&self.page, "/api/snapshot");
        assert_eq!(status, 200, "{body}");
        serde_json::from_str(&body).expect("it is JSON")
    }

    fn until(&self, what: &str, holds: impl Fn(&Value) -> bool) -> Value {
        let until = Instant::now() + PATIENCE;
        loop {
            let now = self.snapshot();
            if holds(&now) {
                return now;
            }
            assert!(Instant::now() < until, "not seen within {PATIENCE:?}: {what}: {now}");
        }
    }
}

fn request(address: &str, head: &str, body: &str) -> (u16, String) {
    let mut stream = TcpStream::connect(address).expect("somebody listens");
    let length = body.len();
    let text = format!(
        "{head} HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\ncontent-type: \
         application/json\r\ncontent-length: {length}\r\n\r\n{body}"
    );
    stream.write_all(text.as_bytes()).expect("it reads");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("it answers");
    let status = answer.split(' ').nth(1).and_then(|status| status.parse().ok());
    let (_, body) = answer.split_once("\r\n\r\n").unwrap_or_default();
    (status.expect("it has a status"), body.to_string())
}

fn get(address: &str, path: &str) -> (u16, String) {
    request(address, &format!("GET {path}"), "")
}

/// The samples of an exposition by name and labels.
fn scrape(address: &str) -> BTreeMap<String, f64> {
    let (status, text) = get(address, "/metrics");
    assert_eq!(status, 200);
    let samples = text.lines().filter(|line| !line.starts_with('#') && !line.is_empty());
    samples
        .map(|line| {
            let (name, value) = line.rsplit_once(' ').expect("a sample has a value");
            (name.to_string(), value.parse().expect("a value is a number"))
        })
        .collect()
}

const POSITION: &str = "O--OOOOX-OOOOOOXOOXXOOOXOOXOOOXXOOOOOOXX---OOOOX----O--X-------- X";

#[test]
fn metrics_are_the_facts_of_the_searches() {
    let cluster = Cluster::start();
    let solve = ["solve", "--game", "othello", "--position", POSITION, "--json"];
    let record = printed(&[&solve[..], &["--coordinator", &cluster.url]].concat());
    let record: Value = serde_json::from_str(&record).expect("it is JSON");
    assert_eq!(record["score"], 38);
    cluster.until("the end", |now| now["finished"].as_array().map(Vec::len) == Some(1));
    let samples = scrape(&cluster.metrics[0]);
    let facts = &record["run"];
    let check = |name: &str, fact: &str| {
        assert_eq!(Some(samples[name]), facts[fact].as_f64(), "{name} {fact}: {facts}");
    };
    assert_eq!(Some(samples["eldest_nodes_total"]), record["nodes"].as_f64());
    check("eldest_discarded_nodes_total", "discarded_nodes");
    check("eldest_window_pushes_total", "windows_pushed");
    check("eldest_window_updates_total{effect=\"cut\"}", "windows_cut");
    check("eldest_window_updates_total{effect=\"late\"}", "windows_late");
    check("eldest_jobs_assigned_total", "jobs_assigned");
    assert_eq!(samples["eldest_searches_total{outcome=\"solved\"}"], 1.0);
    assert_eq!((samples["eldest_workers"], samples["eldest_slots"]), (2.0, 2.0));
    let applied = facts["windows_applied"].as_f64();
    assert_eq!(Some(samples["eldest_window_delay_seconds_count"]), applied);
    let workers: Vec<_> = cluster.metrics[1..].iter().map(|address| scrape(address)).collect();
    let sum = |name: &str| workers.iter().map(|worker| worker[name]).sum::<f64>();
    assert_eq!(sum("eldest_worker_nodes_total"), samples["eldest_nodes_total"]);
    assert_eq!(sum("eldest_worker_jobs_taken_total"), samples["eldest_jobs_assigned_total"]);
    assert_eq!((sum("eldest_worker_jobs"), sum("eldest_worker_connected")), (0.0, 2.0));
    let assigned = "eldest_messages_total{direction=\"to_workers\",kind=\"assign\"}";
    assert_eq!(samples[assigned], samples["eldest_jobs_assigned_total"]);
}

#[test]
fn the_page_starts_a_search_shows_it_and_gives_one_up() {
    let cluster = Cluster::start();
    for (path, part) in [("/", "<title>Eldest"), ("/page.js", "EventSource"), ("/page.css", "grid")]
    {
        let (status, body) = get(&cluster.page, path);
        assert!(status == 200 && body.contains(part), "{path}: {status}");
    }
    let post = |wanted: Value| request(&cluster.page, "POST /api/searches", &wanted.to_string());
    let (status, answer) = post(json!({ "game": "otello" }));
    assert!(status == 400 && answer.contains("there is no game"), "{status} {answer}");
    let (status, answer) = post(json!({ "game": "nim:3,4", "depth": "deep" }));
    assert!(status == 400 && answer.contains("must be full or plies"), "{status} {answer}");
    let (status, answer) = post(json!({ "game": "othello", "position": POSITION }));
    assert_eq!((status, &*answer), (200, "{\"search\":1}"));
    let grown = cluster.until("a tree", |now| now["tree"].as_array().map_or(0, Vec::len) > 5);
    assert_eq!(grown["search"]["search"], 1);
    let done = cluster.until("the end", |now| !now["finished"].as_array().unwrap().is_empty());
    assert_eq!(done["finished"][0]["value"], "38");
    assert!(!done["updates"].as_array().unwrap().is_empty(), "{done}");
    assert_eq!(post(json!({ "game": "connect:6x7" })).0, 200);
    cluster.until("the next search", |now| now["search"]["search"] == 2);
    assert_eq!(request(&cluster.page, "DELETE /api/searches/2", "").0, 204);
    assert_eq!(request(&cluster.page, "DELETE /api/searches/9", "").0, 404);
    cluster.until("it given up", |now| now["finished"][0]["outcome"] == "aborted");
    assert_eq!(get(&cluster.page, "/api/trace").0, 404, "none is written");
}

#[test]
fn events_of_the_page_are_snapshots() {
    let cluster = Cluster::start();
    let mut stream = TcpStream::connect(&cluster.page).expect("somebody listens");
    let address = &cluster.page;
    write!(stream, "GET /api/events HTTP/1.1\r\nhost: {address}\r\n\r\n").expect("it reads");
    let lines = BufReader::new(stream).lines().map_while(Result::ok);
    let data = lines.filter_map(|line| Some(line.strip_prefix("data: ")?.to_string()));
    let shown: Vec<Value> =
        data.take(2).map(|text| serde_json::from_str(&text).expect("it is JSON")).collect();
    assert_eq!((shown.len(), &shown[1]["version"]), (2, &json!(1)));
    assert!(shown[0]["at_seconds"].as_f64() < shown[1]["at_seconds"].as_f64(), "{shown:?}");
}

#[test]
fn top_shows_the_same_once_and_needs_a_terminal_otherwise() {
    let cluster = Cluster::start();
    let top = ["top", "--coordinator", &cluster.url];
    let snapshot: Value =
        serde_json::from_str(&printed(&[&top[..], &["--once", "--json"]].concat())).expect("JSON");
    assert_eq!(snapshot["workers"].as_array().map(Vec::len), Some(2));
    let text = printed(&[&top[..], &["--once"]].concat());
    assert!(text.contains("nothing is being searched") && text.contains("left: 1 slots"), "{text}");
    assert!(!text.contains('\x1b'), "{text:?}");
    check_refused(&top, "top needs a terminal to draw on");
}

#[test]
fn a_port_in_use_is_named_with_its_option() {
    let taken = std::net::TcpListener::bind("127.0.0.1:0").expect("a port is free");
    let address = taken.local_addr().expect("it has one").to_string();
    let coordinator = ["coordinator", "--listen", "127.0.0.1:0"];
    for option in ["--metrics", "--http"] {
        check_refused(&[&coordinator[..], &[option, &address]].concat(), option);
    }
    let worker = ["worker", "--coordinator", "http://127.0.0.1:1", "--metrics", &address];
    check_refused(&worker, "--metrics");
    check_refused(
        &["top", "--coordinator", "http://127.0.0.1:1", "--patience", "100ms"],
        "127.0.0.1:1",
    );
}
