//! The programs of a cluster as child processes: [`Coordinator`], [`Program`].

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use std::io::{BufRead, BufReader};
use std::process::{Child, ChildStderr, Command, Output, Stdio};
use std::time::{Duration, Instant};

/// Far longer than anything here takes; a test that reaches it has failed.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

/// A child process, killed at the end of its test.
pub(crate) struct Program(Child);

impl Program {
    pub(crate) fn start(arguments: &[&str]) -> Program {
        let child = command(arguments).spawn().expect("the program can be started");
        Program(child)
    }

    /// A worker with one search thread.
    pub(crate) fn worker(url: &str, name: &str) -> Program {
        Program::start(&["worker", "--coordinator", url, "--threads", "1", "--name", name])
    }

    pub(crate) fn signal(&self, signal: Signal) {
        let pid = Pid::from_raw(self.0.id().try_into().unwrap()).unwrap();
        kill_process(pid, signal).expect("the process is there");
    }

    /// What it printed and how it ended.
    pub(crate) fn output(mut self) -> Output {
        let child = std::mem::replace(&mut self.0, nothing());
        child.wait_with_output().expect("it ends")
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A coordinator without search threads, and its log.
pub(crate) struct Coordinator {
    program: Program,
    log: BufReader<ChildStderr>,
    pub(crate) url: String,
}

impl Coordinator {
    pub(crate) fn start() -> Coordinator {
        let listen = ["coordinator", "--listen", "127.0.0.1:0", "--threads", "0"];
        let logs = ["--log", "info", "--log-format", "json"];
        let mut program = Program::start(&[&listen[..], &logs].concat());
        let log = BufReader::new(program.0.stderr.take().unwrap());
        let mut coordinator = Coordinator { program, log, url: String::new() };
        let line = coordinator.wait_for("coordinator listens");
        coordinator.url = format!("http://{}", line["address"].as_str().unwrap());
        coordinator
    }

    pub(crate) fn signal(&self, signal: Signal) {
        self.program.signal(signal);
    }

    /// Reads the log up to a line with this message and returns its fields.
    pub(crate) fn wait_for(&mut self, message: &str) -> Value {
        let started = Instant::now();
        loop {
            let mut line = String::new();
            let read = self.log.read_line(&mut line).expect("the log can be read");
            assert!(read > 0 && started.elapsed() < PATIENCE, "no {message:?} in the log");
            let line: Value = serde_json::from_str(&line).expect("the log is JSON");
            if line["fields"]["message"] == message {
                return line["fields"].clone();
            }
        }
    }
}

/// Runs the program to its end.
pub(crate) fn run(arguments: &[&str]) -> Output {
    command(arguments).output().expect("the program can be started")
}

/// The one JSON object that a run printed.
pub(crate) fn object(output: &Output) -> Value {
    let complaint = String::from_utf8_lossy(&output.stderr);
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {complaint}"))
}

fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_eldest-under-test"));
    command.args(arguments).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn nothing() -> Child {
    Command::new("true").stdout(Stdio::null()).spawn().expect("`true` can be started")
}
