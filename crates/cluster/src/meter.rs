//! What is said over the network, counted by kind: [`Meter`].

use prost::Message;
use report::{Count, Traffic};
use std::collections::BTreeMap;
use std::mem;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use wire::Kind;

/// Counts that all sessions of a coordinator share.
#[derive(Clone, Debug, Default)]
pub(crate) struct Meter(Arc<Mutex<Traffic>>);

impl Meter {
    /// Counts messages that go out to a worker.
    pub(crate) fn sent<M: Message + Kind>(&self, messages: &[M]) {
        count(&mut self.lock().to_workers, messages);
    }

    /// Counts messages that came from a worker.
    pub(crate) fn received<M: Message + Kind>(&self, messages: &[M]) {
        count(&mut self.lock().from_workers, messages);
    }

    /// Counts a message to the coordinator's own threads, which needs no bytes.
    pub(crate) fn sent_within(&self, message: &impl Kind) {
        add(&mut self.lock().to_workers, message.kind(), 0);
    }

    /// Counts a message from the coordinator's own threads, which needs no bytes.
    pub(crate) fn received_within(&self, message: &impl Kind) {
        add(&mut self.lock().from_workers, message.kind(), 0);
    }

    /// The counts since the last call.
    pub(crate) fn take(&self) -> Traffic {
        mem::take(&mut self.lock())
    }

    fn lock(&self) -> MutexGuard<'_, Traffic> {
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
