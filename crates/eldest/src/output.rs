//! What commands print: results to standard output, progress to a terminal.

use crate::Failure;
use std::io::{self, IsTerminal, Write};
use std::time::{Duration, Instant};

/// Prints one or more lines of a result.
pub(crate) fn print(text: &str) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    let written = writeln!(out, "{text}").and_then(|()| out.flush());
    written.map_err(|error| match error.kind() {
        io::ErrorKind::BrokenPipe => Failure::Unread,
        _ => Failure::run(format!("cannot write to standard output: {error}")),
    })
}

/// Says on standard error what is not as it should be, though the command goes on.
pub(crate) fn warn(text: &str) {
    let _ = writeln!(io::stderr(), "warning: {text}");
}

/// A line on standard error that is overwritten by the next one and goes away with its owner. If that
/// is no terminal, a plain line now and then.
pub(crate) struct Progress {
    name: String,
    shown: bool,
    terminal: bool,
    /// When something was said last.
    said: Instant,
}

/// How often something is said where it stays, at most.
const PLAIN_INTERVAL: Duration = Duration::from_secs(10);

impl Progress {
    /// Shows nothing yet. Every line will begin with `name`.
    pub(crate) fn new(name: &str) -> Progress {
        let terminal = io::stderr().is_terminal();
        Progress { name: name.to_string(), shown: false, terminal, said: Instant::now() }
    }

    /// Says a line that stays, on a terminal or not.
    pub(crate) fn say(&mut self, text: &str) {
        let clear = if std::mem::take(&mut self.shown) { CLEAR } else { "" };
        let _ = writeln!(io::stderr(), "{clear}{}: {text}", self.name);
    }

    /// Shows `text` instead of what was shown before.
    pub(crate) fn show(&mut self, text: &str) {
        if self.terminal {
            // A terminal that is gone is no reason to end the search.
            let _ = write!(io::stderr(), "{CLEAR}{}: {text}", self.name);
            self.shown = true;
        } else if self.said.elapsed() >= PLAIN_INTERVAL {
            self.said = Instant::now();
            let _ = writeln!(io::stderr(), "{}: {text}", self.name);
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if self.shown {
            let _ = write!(io::stderr(), "{CLEAR}");
        }
    }
}

/// Goes to the beginning of the line and erases it.
const CLEAR: &str = "\r\x1b[K";
