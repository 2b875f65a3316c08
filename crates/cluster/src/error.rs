//! What can go wrong in a coordinator, a worker or a client: [`Error`].

use game::GameError;
use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;
use thiserror::Error;
use wire::Malformed;
use ybw::Slot;

/// Why a process of the cluster, or a call to one, ended.
#[derive(Debug, Error)]
pub enum Error {
    /// The coordinator's address cannot be listened on.
    #[error("cannot listen on {address}: {source}; give an address of this host and a free port")]
    Listen {
        /// The address given.
        address: SocketAddr,
        /// What the system says.
        source: io::Error,
    },
    /// An address that is no address.
    #[error("coordinator {given:?}: {wrong}; give it as in http://host:7171")]
    Address {
        /// The text given.
        given: String,
        /// What is wrong with it.
        wrong: String,
    },
    /// Nobody answers.
    #[error("no coordinator answered at {url} within {patience:?}: {cause}")]
    Unreachable {
        /// The address.
        url: String,
        /// How long was tried.
        patience: Duration,
        /// What the last try said.
        cause: String,
    },
    /// The coordinator does not want this worker.
    #[error("the coordinator at {url} refused this worker: {reason}")]
    Refused {
        /// The coordinator's address.
        url: String,
        /// What the coordinator says.
        reason: String,
    },
    /// The coordinator cannot do this search.
    #[error("{reason}")]
    Rejected {
        /// What the coordinator says.
        reason: String,
    },
    /// A worker, or a search in this process, without threads.
    #[error("0 threads cannot search; give at least 1 and at most {}", wire::MAX_SLOTS)]
    NoThreads,
    /// More threads than a worker may have.
    #[error("{given} threads are too many; give at most {}", wire::MAX_SLOTS)]
    TooManyThreads {
        /// How many were asked for.
        given: u16,
    },
    /// A table that this machine cannot hold.
    #[error("there is no memory for a table of {mib} MiB: {wrong}; give a smaller one")]
    Table {
        /// The size asked for.
        mib: u32,
        /// Why it cannot be.
        wrong: String,
    },
    /// A file of a saved table that cannot be used.
    #[error("table file {}: it {wrong}", path.display())]
    TableFile {
        /// The file.
        path: PathBuf,
        /// What is wrong with it, and what would be right.
        wrong: String,
    },
    /// A table that could not be saved.
    #[error("the table was not saved to {}, which is as it was: {source}", path.display())]
    TableUnsaved {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// A worker's name that cannot be shown or sent.
    #[error(
        "the worker's name {wrong}; give at most {} bytes without control characters",
        wire::MAX_NAME
    )]
    Name {
        /// What is wrong with it.
        wrong: String,
    },
    /// A game or position that cannot be read.
    #[error(transparent)]
    Game(#[from] GameError),
    /// The coordinator went away, or broke the call off.
    #[error("the coordinator at {url} broke off: {cause}")]
    BrokeOff {
        /// The coordinator's address.
        url: String,
        /// Why, as far as it is known.
        cause: String,
    },
    /// The coordinator went away before it answered a search.
    #[error("the coordinator at {url} went away in mid-search")]
    WentAway {
        /// The coordinator's address.
        url: String,
        /// What the connection says.
        source: Box<tonic::Status>,
    },
    /// The coordinator sent what no coordinator of this version sends.
    #[error("the coordinator's answer makes no sense: {0}; is it of another version?")]
    Malformed(#[from] Malformed),
    /// A search thread died.
    #[error("search thread {slot} died: {cause}")]
    ThreadDied {
        /// The thread.
        slot: Slot,
        /// Its last words.
        cause: String,
    },
    /// The system refuses to start a thread.
    #[error("cannot start a search thread: {0}")]
    Spawn(#[source] io::Error),
    /// The server broke down.
    #[error("the server broke down: {0}")]
    Serve(String),
}

impl Error {
    /// Whether what was asked for, or the surroundings, are to blame, rather than the run itself.
    #[must_use]
    pub fn is_usage(&self) -> bool {
        match self {
            Error::Listen { .. }
            | Error::Address { .. }
            | Error::Unreachable { .. }
            | Error::Refused { .. }
            | Error::Rejected { .. }
            | Error::NoThreads
            | Error::TooManyThreads { .. }
            | Error::Table { .. }
            | Error::TableFile { .. }
            | Error::Name { .. }
            | Error::Game(_) => true,
            Error::BrokeOff { .. }
            | Error::TableUnsaved { .. }
            | Error::WentAway { .. }
            | Error::Malformed(_)
            | Error::ThreadDied { .. }
            | Error::Spawn(_)
            | Error::Serve(_) => false,
        }
    }
}

/// An error and everything behind it in one line.
pub(crate) fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(next) = cause {
        let next_text = next.to_string();
        if !text.ends_with(&next_text) {
            text = format!("{text}: {next_text}");
        }
        cause = next.source();
    }
    text
}

/// What a status says, with its cause if it has one.
pub(crate) fn status_text(status: &tonic::Status) -> String {
    let message = status.message();
    let message = if message.is_empty() { status.code().description() } else { message };
    match std::error::Error::source(status) {
        Some(cause) => format!("{message}: {}", chain(cause)),
        None => message.to_string(),
    }
}
