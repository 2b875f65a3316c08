//! Threads that search: [`spawn_search_thread`].

use std::io;
use std::thread::{self, JoinHandle};

/// How much nicer than the rest of the process search threads are, so that windows do not wait for
/// a processor that searches.
const NICENESS: i32 = 10;
/// Stack of a search thread. Its recursion is as deep as the game is long.
const STACK_BYTES: usize = 64 << 20;

/// Starts a thread that searches: with a deep stack, and at a low priority. The sequential program
/// runs on one too, so that both are measured alike.
///
/// # Errors
/// If the system has no more threads to give.
pub fn spawn_search_thread<T: Send + 'static>(
    name: String,
    search: impl FnOnce() -> T + Send + 'static,
) -> io::Result<JoinHandle<T>> {
    thread::Builder::new().name(name).stack_size(STACK_BYTES).spawn(move || {
        lower_priority();
        search()
    })
}

/// On Linux this concerns the calling thread only; elsewhere it would concern the whole process.
fn lower_priority() {
    #[cfg(target_os = "linux")]
    if let Err(error) = rustix::process::setpriority_process(None, NICENESS) {
        tracing::debug!(%error, "search threads keep the normal priority");
    }
}
