//! Trace files: one JSON object a line, [`Line`].
//!
//! The first line of a trace, and of each part of it that another coordinator made, is a [`Header`].
//! Readers skip events they do not know, so that a newer program may add some.

use serde::{Deserialize, Serialize};
use std::io::{self, BufRead, Read};
use thiserror::Error;
use ybw::Traced;

/// The version of the schema that this program writes. It changes when the meaning of something that
/// older readers know changes; additions do not change it.
pub const TRACE_VERSION: u32 = 1;
/// Longest line that is read: the setup of a search holds a whole game tree at most.
const MAX_LINE_BYTES: u64 = 64 << 20;

/// What follows is told by one coordinator; its clock, jobs and workers begin anew.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Header {
    /// Always `eldest`.
    pub trace: String,
    /// See [`TRACE_VERSION`].
    pub version: u32,
    /// What was being done, for people.
    pub title: String,
    /// Whose time it is.
    pub clock: ClockKind,
}

/// Whose time the moments of a trace are.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ClockKind {
    /// That of a real coordinator.
    Real,
    /// That of a simulated world.
    Virtual,
}

impl Header {
    /// The header of what is being done.
    #[must_use]
    pub fn new(title: impl Into<String>, clock: ClockKind) -> Header {
        Header { trace: "eldest".into(), version: TRACE_VERSION, title: title.into(), clock }
    }
}

/// A line of a trace file.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[serde(untagged)]
pub enum Line {
    /// A coordinator begins.
    Header(Header),
    /// Something happened.
    Event(Traced),
    /// So many events could not be written because the disk was too slow.
    Lost {
        /// How many.
        lost: u64,
    },
}

impl Line {
    /// The line as JSON, with its end.
    #[must_use]
    pub fn json(&self) -> String {
        let text = serde_json::to_string(self);
        text.expect("numbers and texts can be written as JSON") + "\n"
    }
}

/// Why a file cannot be read as a trace.
#[derive(Debug, Error)]
pub enum TraceError {
    /// The file cannot be read at all.
    #[error("cannot be read: {0}")]
    Unreadable(#[from] io::Error),
    /// It does not begin like a trace.
    #[error(
        "is not an Eldest trace: line 1 must be like {{\"trace\":\"eldest\",\"version\":{TRACE_VERSION},...}}, \
         as `--trace FILE.jsonl` writes it"
    )]
    NotATrace,
    /// A line in its middle makes no sense.
    #[error("line {number}: {wrong}")]
    Malformed {
        /// Counted from 1.
        number: u64,
        /// What is wrong with it.
        wrong: String,
    },
}

/// What was noticed while a trace was read.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Reading {
    /// Lines that were understood.
    pub lines: u64,
    /// Events of kinds that this program does not know.
    pub unknown: u64,
    /// Events that were lost when the trace was written.
    pub lost: u64,
    /// Whether the last line breaks off.
    pub cut_off: bool,
}

/// Reads a trace line by line. Unknown events are counted and skipped, and so is a last line that breaks off.
///
/// # Errors
/// If it cannot be read, is no trace, or has a malformed line before its last one.
pub fn read_trace(
    mut input: impl BufRead,
    mut take: impl FnMut(Line),
) -> Result<Reading, TraceError> {
    let mut reading = Reading::default();
    let mut text = Vec::new();
    for number in 1.. {
        text.clear();
        input.by_ref().take(MAX_LINE_BYTES).read_until(b'\n', &mut text)?;
        if text.is_empty() {
            break;
        }
        let whole = text.last() == Some(&b'\n');
        let line = match understand(&text) {
            Ok(line) => line,
            Err(_) if !whole && number > 1 => {
                reading.cut_off = true;
                break;
            }
            Err(_) if number == 1 => return Err(TraceError::NotATrace),
            Err(wrong) => return Err(TraceError::Malformed { number, wrong }),
        };
        if number == 1 && !matches!(line, Some(Line::Header(_))) {
            return Err(TraceError::NotATrace);
        }
        match line {
            None => reading.unknown += 1,
            Some(line) => {
                reading.lines += 1;
                if let Line::Lost { lost } = line {
                    reading.lost += lost;
                }
                take(line);
            }
        }
    }
    if reading.lines == 0 { Err(TraceError::NotATrace) } else { Ok(reading) }
}

/// Any line, as far as its kind.
#[derive(Deserialize)]
struct Outline {
    trace: Option<String>,
    lost: Option<u64>,
    event: Option<String>,
}

/// The line, or `None` for an event of an unknown kind.
fn understand(text: &[u8]) -> Result<Option<Line>, String> {
    if let Ok(traced) = serde_json::from_slice::<Traced>(text) {
        return Ok(Some(Line::Event(traced)));
    }
    let outline: Outline = serde_json::from_slice(text).map_err(|error| error.to_string())?;
    match outline {
        Outline { trace: Some(name), .. } if name == "eldest" => {
            let header = serde_json::from_slice(text).map_err(|error| error.to_string())?;
            Ok(Some(Line::Header(header)))
        }
        Outline { lost: Some(lost), .. } => Ok(Some(Line::Lost { lost })),
        Outline { event: Some(name), .. } if !KNOWN_EVENTS.contains(&&*name) => Ok(None),
        Outline { event: Some(_), .. } => {
            let wrong = serde_json::from_slice::<Traced>(text).err();
            Err(wrong.map_or_else(String::new, |error| error.to_string()))
        }
        _ => Err("is neither a header nor an event".into()),
    }
}

/// The names of the events that this program knows. An event of one of these names that cannot be
/// understood is malformed.
pub(crate) const KNOWN_EVENTS: [&str; 20] = [
    "worker-joined",
    "worker-gone",
    "search-started",
    "depth-begun",
    "standing",
    "job-assigned",
    "split-wished",
    "nodes-adopted",
    "window-pushed",
    "window-arrived",
    "job-cancelled",
    "job-resolved",
    "job-progressed",
    "job-returned",
    "job-discarded",
    "late-message",
    "brother-reopened",
    "node-resolved",
    "search-ended",
    "search-settled",
];
