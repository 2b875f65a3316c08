//! What is said over the network, counted by kind, and the time the coordinator needs for it: [`Meter`].

use prost::Message;
use report::{Count, Traffic};
use std::collections::BTreeMap;
use std::mem;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use wire::Kind;

/// Counts that all sessions of a coordinator share.
#[derive(Clone, Debug, Default)]
pub struct Meter(Arc<Mutex<Counts>>);

#[derive(Debug, Default)]
struct Counts {
    /// What was counted before the last call of [`Meter::take`].
    before: Traffic,
    since: Traffic,
    busy: Duration,
}

impl Meter {
    /// Counts messages that go out to a worker.
    pub(crate) fn sent<M: Message + Kind>(&self, messages: &[M]) {
        count(&mut self.lock().since.to_workers, messages);
    }

    /// Counts messages that came from a worker.
    pub(crate) fn received<M: Message + Kind>(&self, messages: &[M]) {
        count(&mut self.lock().since.from_workers, messages);
    }

    /// Counts a message to the coordinator's own threads, which needs no bytes.
    pub(crate) fn sent_within(&self, message: &impl Kind) {
        add(&mut self.lock().since.to_workers, message.kind(), 0);
    }

    /// Counts a message from the coordinator's own threads, which needs no bytes.
    pub(crate) fn received_within(&self, message: &impl Kind) {
        add(&mut self.lock().since.from_workers, message.kind(), 0);
    }

    /// Adds time that the coordinator needed for messages, one after the other.
    pub(crate) fn spent(&self, time: Duration) {
        self.lock().busy += time;
    }

    /// The time since the start in which the coordinator took in what happened, decided what to do and queued
    /// its messages. Encoding, decoding and the network come on top, on other threads.
    #[must_use]
    pub fn busy(&self) -> Duration {
        self.lock().busy
    }

    /// The counts since the last call.
    pub(crate) fn take(&self) -> Traffic {
        let mut counts = self.lock();
        let since = mem::take(&mut counts.since);
        counts.before += &since;
        since
    }

    /// Everything since the start.
    #[must_use]
    pub fn total(&self) -> Traffic {
        let counts = self.lock();
        let mut total = counts.before.clone();
        total += &counts.since;
        total
    }

    fn lock(&self) -> MutexGuard<'_, Counts> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn count<M: Message + Kind>(counts: &mut BTreeMap<String, Count>, messages: &[M]) {
    for message in messages {
        add(counts, message.kind(), message.encoded_len());
    }
}

fn add(counts: &mut BTreeMap<String, Count>, kind: &str, bytes: usize) {
    let one = Count { messages: 1, bytes: bytes as u64 };
    match counts.get_mut(kind) {
        Some(count) => *count += one,
        None => drop(counts.insert(kind.to_string(), one)),
    }
}
