//! How a serving process is told to stop: [`on_signal`].

use crate::Failure;
use std::process;
use tokio::signal::unix::{SignalKind, signal};
use tokio_util::sync::CancellationToken;

/// What a process that is stopped twice exits with.
const EXIT_TERMINATED: i32 = 143;

/// A token that SIGINT or SIGTERM cancels. The second signal ends the process at once.
pub(crate) fn on_signal() -> Result<CancellationToken, Failure> {
    let deaf = |error| Failure::run(format!("cannot listen for signals: {error}"));
    let mut interrupt = signal(SignalKind::interrupt()).map_err(deaf)?;
    let mut terminate = signal(SignalKind::terminate()).map_err(deaf)?;
    let token = CancellationToken::new();
    let shutdown = token.clone();
    tokio::spawn(async move {
        loop {
            tokio::select! {
                _ = interrupt.recv() => {}
                _ = terminate.recv() => {}
            }
            if shutdown.is_cancelled() {
                process::exit(EXIT_TERMINATED);
            }
            tracing::info!("stopping; a second signal ends the process at once");
            shutdown.cancel();
        }
    });
    Ok(token)
}
