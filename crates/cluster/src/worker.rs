//! The worker process: [`run_worker`].

mod hearing;
mod observer;
mod session;

pub use observer::{WorkerFact, WorkerObserver};

use crate::clock::Clock;
use crate::crew::{Crew, check_threads};
use crate::link::{Backoff, dial, endpoint};
use crate::peers::Peers;
use crate::slots::{Sink, SlotReport};
use crate::{Error, TableFile};
use hearing::Hearing;
use search::Catalogue;
use session::{Ended, Session};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::mpsc::{self, UnboundedReceiver};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;
use tonic::transport::{Channel, Endpoint};
use wire::{Greeting, MAX_NAME, PROTOCOL_VERSION};
use ybw::{Slot, WorkerInput};

/// What a worker is told at its start.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct WorkerConfig {
    /// The coordinator's address, as in `http://host:7171`.
    pub coordinator: String,
    /// Its search threads, at least 1.
    pub threads: u16,
    /// What people call it; the host's name if it is not given.
    pub name: Option<String>,
    /// Where other workers reach this one to share table entries, port 0 for any free one; without it
    /// the interface by which this host reaches the coordinator, and a free port. With an unspecified
    /// address it listens on all interfaces, and others are told that one.
    pub listen: Option<SocketAddr>,
    /// Where the table that its threads share is kept from search to search and from run to run. Searches
    /// that share nothing do not use it.
    pub table_file: Option<PathBuf>,
    /// How long to try to reach the coordinator for the first time. Later it is tried for ever.
    pub connect_patience: Duration,
    /// How long jobs may take to be given back at a shutdown.
    pub grace: Duration,
}

impl WorkerConfig {
    /// A worker of the coordinator at `coordinator` with `threads` search threads.
    #[must_use]
    pub fn new(coordinator: impl Into<String>, threads: u16) -> WorkerConfig {
        WorkerConfig {
            coordinator: coordinator.into(),
            threads,
            name: None,
            listen: None,
            table_file: None,
            connect_patience: Duration::from_secs(30),
            grace: Duration::from_secs(5),
        }
    }
}

/// Works for a coordinator until `shutdown`; then gives its jobs back and says goodbye. A coordinator
/// that goes away is waited for. In the end the table is saved, if there is a file for it.
///
/// # Errors
/// If the address makes no sense, nobody answers there in time, the coordinator refuses this
/// worker, a search thread dies, or the table cannot be loaded or saved.
pub async fn run_worker(
    config: WorkerConfig,
    catalogue: Catalogue,
    shutdown: CancellationToken,
) -> Result<(), Error> {
    run_observed_worker(config, catalogue, WorkerObserver::default(), shutdown).await
}

/// The same as [`run_worker`], and tells the `observer` what the worker hears and says.
///
/// # Errors
/// As [`run_worker`].
pub async fn run_observed_worker(
    config: WorkerConfig,
    catalogue: Catalogue,
    observer: WorkerObserver,
    shutdown: CancellationToken,
) -> Result<(), Error> {
    let endpoint = endpoint(&config.coordinator)?;
    check_threads(config.threads)?;
    config.name.as_deref().map_or(Ok(()), check_name)?;
    let table_file = config.table_file.as_ref().map(TableFile::open).transpose()?;
    let greeting = Greeting {
        version: PROTOCOL_VERSION,
        slots: config.threads,
        name: config.name.clone().unwrap_or_else(host_name),
        games: catalogue.names(),
        address: None,
    };
    // Bounded: a thread says the next thing only when it was told something, or a while later.
    let (sender, reports) = mpsc::unbounded_channel();
    let sink: Sink = Arc::new(move |slot, report| {
        // Nobody listens any more once the worker ends.
        let _ = sender.send((slot, report));
    });
    let mut crew = Crew::new(Clock::start(), catalogue, config.threads, &sink)?;
    crew.share_with(Peers::new(&config.coordinator));
    table_file.clone().into_iter().for_each(|file| crew.keep_table_in(file));
    let joined = watch::Sender::new(false);
    let hearing = match config.listen {
        Some(address) => Some(Hearing::at(address, crew.searches(), joined.subscribe()).await?),
        None => None,
    };
    let process =
        Process { config, endpoint, greeting, crew, observer, reports, hearing, joined, shutdown };
    let ended = process.run().await;
    let saved = match table_file {
        Some(file) => save(file).await,
        None => Ok(()),
    };
    ended.and(saved)
}

/// Saves the table, on a thread of its own: it may be large.
async fn save(file: TableFile) -> Result<(), Error> {
    let saved = tokio::task::spawn_blocking(move || file.save()).await;
    let saved = saved.unwrap_or_else(|panic| std::panic::resume_unwind(panic.into_panic()))?;
    if let Some(entries) = saved {
        tracing::info!(entries, "table saved");
    }
    Ok(())
}

/// Refuses a name that was given and cannot be sent or shown.
fn check_name(name: &str) -> Result<(), Error> {
    let wrong = if name.len() > MAX_NAME {
        format!("has {} bytes", name.len())
    } else if name.chars().any(char::is_control) {
        format!("{name:?} has control characters")
    } else {
        return Ok(());
    };
    Err(Error::Name { wrong })
}

/// The name of this host, as the system knows it.
fn host_name() -> String {
    let uname = rustix::system::uname();
    uname.nodename().to_string_lossy().chars().take(MAX_NAME / 4).collect()
}

/// A worker process between its sessions.
struct Process {
    config: WorkerConfig,
    endpoint: Endpoint,
    greeting: Greeting,
    crew: Crew,
    observer: WorkerObserver,
    reports: UnboundedReceiver<(Slot, SlotReport)>,
    /// Where others reach this process, once that is settled.
    hearing: Option<Hearing>,
    /// Whether a coordinator has welcomed it and the connection holds.
    joined: watch::Sender<bool>,
    shutdown: CancellationToken,
}

impl Process {
    async fn run(mut self) -> Result<(), Error> {
        let began = Instant::now();
        let (mut backoff, mut welcomed) = (Backoff::default(), false);
        loop {
            let patience = self.config.connect_patience.saturating_sub(began.elapsed());
            let channel = tokio::select! {
                channel = dial(&self.endpoint, (!welcomed).then_some(patience)) => channel,
                () = self.shutdown.cancelled() => return Ok(()),
            };
            let channel = channel.map_err(|error| self.with_whole_patience(error))?;
            let opened = Instant::now();
            let cause = match self.session(channel, &mut welcomed).await? {
                Ended::Drained => return Ok(()),
                Ended::Dismissed { reason } => reason,
                Ended::Lost { cause } => cause,
            };
            if !welcomed && began.elapsed() >= self.config.connect_patience {
                return Err(self.unreachable(cause));
            }
            if opened.elapsed() > Backoff::MOST {
                backoff = Backoff::default();
            }
            let wait = backoff.next_wait();
            if welcomed {
                tracing::warn!(cause, ?wait, "coordinator lost; trying again");
            } else {
                tracing::debug!(cause, ?wait, "not joined yet");
            }
            self.abandon_jobs().await?;
            tokio::select! {
                () = tokio::time::sleep(wait) => {}
                () = self.shutdown.cancelled() => return Ok(()),
            }
        }
    }

    async fn session(&mut self, channel: Channel, welcomed: &mut bool) -> Result<Ended, Error> {
        self.listen_to_others().await;
        let observer = &self.observer;
        let mut session =
            Session::new(&mut self.crew, &mut self.reports, &self.config, observer, &self.joined);
        let ended = session.run(channel, &self.greeting, &self.shutdown).await;
        self.joined.send_replace(false);
        if session.was_welcomed() {
            *welcomed = true;
            observer.note(WorkerFact::Parted);
        }
        ended
    }

    /// Without an address of its own choice the worker listens where it reaches the coordinator from.
    async fn listen_to_others(&mut self) {
        if self.hearing.is_none() {
            let joined = self.joined.subscribe();
            match Hearing::near(self.endpoint.uri(), self.crew.searches(), joined).await {
                Ok(hearing) => self.hearing = Some(hearing),
                Err(error) => tracing::warn!(%error, "this worker shares no table entries"),
            }
        }
        self.greeting.address = None;
        if let Some(hearing) = &self.hearing {
            match hearing.reached_at(self.endpoint.uri()).await {
                Ok(address) => self.greeting.address = Some(address.to_string()),
                Err(error) => {
                    tracing::warn!(%error, "this worker cannot tell where others reach it");
                }
            }
        }
    }

    /// Stops everything that was searched for a coordinator that is gone.
    async fn abandon_jobs(&mut self) -> Result<(), Error> {
        self.crew.handle(WorkerInput::Disconnected);
        while !self.crew.is_idle() {
            let Some((slot, report)) = self.reports.recv().await else { break };
            self.crew.reported(slot, report)?;
        }
        Ok(())
    }

    /// Names the time that was given in the beginning, not what was left of it.
    fn with_whole_patience(&self, error: Error) -> Error {
        match error {
            Error::Unreachable { cause, .. } => self.unreachable(cause),
            error => error,
        }
    }

    fn unreachable(&self, cause: String) -> Error {
        let url = self.config.coordinator.clone();
        Error::Unreachable { url, patience: self.config.connect_patience, cause }
    }
}
