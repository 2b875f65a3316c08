//! Logs on standard error.

use crate::Failure;
use clap::ValueEnum;
use std::io::{self, IsTerminal};
use tracing_subscriber::EnvFilter;

/// How a log line looks.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Format {
    /// For people.
    Text,
    /// One object per line.
    Json,
}

/// Starts logging what `filter` lets through.
pub(crate) fn start(filter: &str, format: Format) -> Result<(), Failure> {
    let filter = EnvFilter::builder().parse(filter).map_err(|error| {
        Failure::given(format!(
            "--log {filter:?}: {error}; give a level or target=level, as in info"
        ))
    })?;
    // Whoever reads the log may go away; complaining of that to the same place would be a panic.
    let log = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(io::stderr)
        .with_ansi(io::stderr().is_terminal())
        .log_internal_errors(false);
    match format {
        Format::Text => log.init(),
        Format::Json => log.json().init(),
    }
    Ok(())
}
