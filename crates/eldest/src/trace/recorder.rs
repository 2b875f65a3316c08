//! Writes a trace while a run goes on: [`Recorder`].

use super::spelling;
use crate::Failure;
use clap::Args;
use cluster::Observer;
use game::Setup;
use report::Facts;
use report::trace::{ClockKind, Header, Line, PerfettoWriter};
use search::Catalogue;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::mpsc::{Receiver, SyncSender, TryRecvError, TrySendError, sync_channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use ybw::{Moment, SearchId, TraceEvent, Traced};

/// Lines that may wait to be written; what happens while so many wait is counted as lost.
const MAX_WAITING: usize = 1 << 16;
/// How often it is looked whether there is something to write.
const LOOK_INTERVAL: Duration = Duration::from_millis(20);
/// How long a line may wait in memory: so much is lost at most if the process is killed.
const FLUSH_INTERVAL: Duration = Duration::from_millis(200);
/// Bytes that are written at once.
const BUFFER_BYTES: usize = 1 << 18;

/// The option that asks for a trace.
#[derive(Args, Debug)]
pub(crate) struct TraceArgs {
    /// Write everything that happens to this file while it happens: FILE.jsonl for `eldest trace`, or
    /// FILE.perfetto-trace for ui.perfetto.dev
    #[arg(long, value_name = "FILE")]
    pub(crate) trace: Option<PathBuf>,
}

/// How a trace is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Format {
    /// One JSON object a line.
    Lines,
    /// Perfetto's protobuf.
    Perfetto,
}

impl Format {
    /// The format that the name of a file asks for.
    pub(crate) fn of(path: &Path) -> Result<Format, Failure> {
        match path.extension().and_then(|extension| extension.to_str()) {
            Some("jsonl") => Ok(Format::Lines),
            Some("perfetto-trace") => Ok(Format::Perfetto),
            _ => Err(Failure::given(format!(
                "{}: the name of a trace must end in .jsonl (for `eldest trace`) or .perfetto-trace \
                 (for ui.perfetto.dev)",
                path.display()
            ))),
        }
    }
}

enum Message {
    Line(Line),
    End,
}

/// Writes a trace on a thread of its own. A coordinator that it observes never waits for the disk:
/// what does not fit into the memory set aside is left out, and the trace says how much that was.
pub(crate) struct Recorder {
    path: PathBuf,
    sender: SyncSender<Message>,
    lost: Arc<AtomicU64>,
    /// Returns how many events were lost.
    thread: JoinHandle<io::Result<u64>>,
}

impl Recorder {
    /// Begins a trace in the file of that name, if there is one.
    pub(crate) fn start(
        path: Option<&Path>,
        catalogue: &Catalogue,
    ) -> Result<Option<Recorder>, Failure> {
        let Some(path) = path else { return Ok(None) };
        let format = Format::of(path)?;
        let unwritten = |error| {
            let right = "give a file that can be written, in a folder that exists";
            Failure::given(format!("cannot write {}: {error}; {right}", path.display()))
        };
        let out = BufWriter::with_capacity(BUFFER_BYTES, File::create(path).map_err(unwritten)?);
        let sink = match format {
            Format::Lines => Sink::Lines(out),
            Format::Perfetto => {
                let speller = spelling(catalogue.clone());
                Sink::Perfetto(Box::new(PerfettoWriter::new(out, speller)))
            }
        };
        let (sender, receiver) = sync_channel(MAX_WAITING);
        let lost = Arc::new(AtomicU64::new(0));
        let counted = lost.clone();
        let thread = std::thread::Builder::new().name("trace".into());
        let thread = thread.spawn(move || write(sink, &receiver, &counted)).map_err(unwritten)?;
        Ok(Some(Recorder { path: path.to_path_buf(), sender, lost, thread }))
    }

    /// Tells that another coordinator begins: its clock, jobs and workers begin anew.
    pub(crate) fn begin(&self, title: &str, clock: ClockKind) {
        self.say(Message::Line(Line::Header(Header::new(title, clock))));
    }

    /// Notes a search by the plain sequential program, which has no coordinator.
    pub(crate) fn note_sequential(
        &self,
        title: &str,
        clock: ClockKind,
        setup: &Setup,
        facts: &Facts,
    ) {
        self.begin(title, clock);
        let (search, end) = (SearchId(1), Moment(facts.elapsed_ns));
        let setup = Arc::new(setup.clone());
        let (outcome, tally) = (facts.outcome.clone(), facts.tally);
        let events = [
            (Moment(0), TraceEvent::SearchStarted { search, setup, processors: 1 }),
            (end, TraceEvent::SearchEnded { search, outcome }),
            (end, TraceEvent::SearchSettled { search, tally }),
        ];
        for (at, event) in events {
            self.note(&Traced { at, event });
        }
    }

    /// Notes an event, and waits until there is room for it.
    pub(crate) fn note(&self, traced: &Traced) {
        self.say(Message::Line(Line::Event(traced.clone())));
    }

    /// Is told every event of a coordinator, and never waits.
    pub(crate) fn observer(&self) -> Observer {
        let (sender, lost) = (self.sender.clone(), self.lost.clone());
        Observer::new(move |traced| {
            match sender.try_send(Message::Line(Line::Event(traced.clone()))) {
                Ok(()) | Err(TrySendError::Disconnected(_)) => {}
                Err(TrySendError::Full(_)) => {
                    lost.fetch_add(1, Relaxed);
                }
            }
        })
    }

    /// Ends the trace. What could not be written, or had to be left out, is an error.
    pub(crate) fn finish(self) -> Result<(), Failure> {
        self.say(Message::End);
        let path = self.path.display();
        match self.thread.join() {
            Ok(Ok(0)) => Ok(()),
            Ok(Ok(lost)) => {
                let why = "the disk was too slow for them";
                Err(Failure::run(format!("trace {path} lacks {lost} events lost: {why}")))
            }
            Ok(Err(error)) => {
                Err(Failure::run(format!("trace {path} is incomplete: cannot write it: {error}")))
            }
            Err(_) => Err(Failure::run(format!("trace {path} is incomplete: its thread died"))),
        }
    }

    /// Waits for room; the thread goes on taking messages until the end even if it cannot write.
    fn say(&self, message: Message) {
        let _ = self.sender.send(message);
    }
}

/// Writes what comes until it is told to end. After an error it goes on taking what comes.
///
/// It looks now and then instead of waiting for each line: a thread that is woken takes a core away from a
/// search, and waking it takes the coordinator's time.
fn write(mut sink: Sink, receiver: &Receiver<Message>, lost: &AtomicU64) -> io::Result<u64> {
    let (mut result, mut all_lost) = (Ok(()), 0);
    let mut flushed = Instant::now();
    loop {
        let done = match receiver.try_recv() {
            Ok(Message::Line(line)) if result.is_ok() => {
                sink.note(&line).and_then(|()| sink.note_lost(lost, &mut all_lost))
            }
            Ok(Message::Line(_)) => Ok(()),
            Err(TryRecvError::Empty) => {
                std::thread::sleep(LOOK_INTERVAL);
                if flushed.elapsed() >= FLUSH_INTERVAL && result.is_ok() {
                    flushed = Instant::now();
                    sink.flush()
                } else {
                    Ok(())
                }
            }
            Ok(Message::End) | Err(TryRecvError::Disconnected) => break,
        };
        if let Err(error) = done
            && result.is_ok()
        {
            tracing::error!(%error, "the trace cannot be written any more");
            result = Err(error);
        }
    }
    result?;
    sink.note_lost(lost, &mut all_lost)?;
    sink.finish()?;
    Ok(all_lost)
}

enum Sink {
    Lines(BufWriter<File>),
    Perfetto(Box<PerfettoWriter<BufWriter<File>>>),
}

impl Sink {
    fn note(&mut self, line: &Line) -> io::Result<()> {
        match self {
            Sink::Lines(out) => out.write_all(line.json().as_bytes()),
            Sink::Perfetto(writer) => writer.note(line),
        }
    }

    /// Notes what was lost since the last time, and adds it to `all`.
    fn note_lost(&mut self, lost: &AtomicU64, all: &mut u64) -> io::Result<()> {
        match lost.swap(0, Relaxed) {
            0 => Ok(()),
            lost => {
                *all += lost;
                self.note(&Line::Lost { lost })
            }
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Sink::Lines(out) => out.flush(),
            Sink::Perfetto(writer) => writer.flush(),
        }
    }

    fn finish(self) -> io::Result<()> {
        match self {
            Sink::Lines(mut out) => out.flush(),
            Sink::Perfetto(writer) => writer.finish()?.flush(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use report::trace::{Reading, read_trace};
    use std::io::BufReader;
    use std::process::Command;
    use ybw::JobId;

    #[test]
    fn a_disk_that_stalls_is_not_waited_for_and_what_is_lost_is_counted() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("pipe.jsonl");
        assert!(Command::new("mkfifo").arg(&path).status().unwrap().success());
        let other_end = path.clone();
        let (go_on, told) = sync_channel::<()>(0);
        let reader = std::thread::spawn(move || {
            let pipe = File::open(other_end).unwrap();
            told.recv().unwrap();
            let mut events = 0_u64;
            let reading = read_trace(BufReader::new(pipe), |line| {
                events += u64::from(matches!(line, Line::Event(_)));
            });
            (events, reading.unwrap())
        });
        let recorder = Recorder::start(Some(&path), &Catalogue::empty()).unwrap().unwrap();
        recorder.begin("a stalled disk", ClockKind::Real);
        let observer = recorder.observer();
        let told = 4 * MAX_WAITING as u64;
        let began = Instant::now();
        for at in 0..told {
            let event = TraceEvent::BrotherReopened { job: JobId(at) };
            observer.note(&Traced { at: Moment(at), event });
        }
        assert!(began.elapsed() < Duration::from_secs(10), "nobody waits for the disk");
        go_on.send(()).unwrap();
        // The disk is there again: what is told now says how much was lost.
        recorder.note(&Traced {
            at: Moment(told),
            event: TraceEvent::BrotherReopened { job: JobId(0) },
        });
        let failure = recorder.finish();
        let (events, Reading { lost, cut_off, unknown, .. }) = reader.join().unwrap();
        assert_eq!(events + lost, told + 1);
        assert!(lost > 0 && !cut_off && unknown == 0);
        assert!(failure.is_err_and(|failure| failure.to_string().contains("events lost")));
    }
}
