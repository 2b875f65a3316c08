//! The live picture of a coordinator in this process: [`Watching`].

use crate::trace::spelling;
use cluster::{Observer, Snapshots, TrafficMeter};
use report::Traffic;
use report::live::{Live, Snapshot};
use search::Catalogue;
use std::fmt;
use std::ops::Deref;
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tokio::time::MissedTickBehavior;
use ybw::Traced;

/// Events that may wait until they are folded.
const MAX_WAITING: usize = 1 << 16;
/// How often they are folded if nobody looks.
const FOLD_INTERVAL: Duration = Duration::from_millis(20);

/// Folds the events of a coordinator, for whoever looks. The coordinator only leaves them here.
#[derive(Clone)]
pub(crate) struct Watching {
    picture: Arc<Mutex<Picture>>,
    events: SyncSender<(Instant, Traced)>,
    traffic: TrafficMeter,
}

/// A picture, when it changed, and what it has not taken in yet.
pub(crate) struct Picture {
    live: Live,
    changed: Instant,
    waiting: Receiver<(Instant, Traced)>,
}

impl Picture {
    fn catch_up(&mut self) {
        while let Ok((at, traced)) = self.waiting.try_recv() {
            self.live.note(&traced);
            self.changed = at;
        }
    }
}

impl Deref for Picture {
    type Target = Live;

    fn deref(&self) -> &Live {
        &self.live
    }
}

impl Watching {
    /// The picture of a coordinator whose messages are counted by `traffic`.
    pub(crate) fn new(catalogue: &Catalogue, traffic: TrafficMeter) -> Watching {
        let live = Live::new(spelling(catalogue.clone()));
        let (events, waiting) = sync_channel(MAX_WAITING);
        let picture = Picture { live, changed: Instant::now(), waiting };
        Watching { picture: Arc::new(Mutex::new(picture)), events, traffic }
    }

    /// Is told every event of the coordinator.
    pub(crate) fn observer(&self) -> Observer {
        let (events, watching) = (self.events.clone(), self.clone());
        Observer::new(move |traced| {
            let event = (Instant::now(), traced.clone());
            if let Err(TrySendError::Full((at, traced))) = events.try_send(event) {
                // Whoever should have folded them did not get to it.
                let mut picture = watching.lock();
                picture.live.note(&traced);
                picture.changed = at;
            }
        })
    }

    /// Folds what comes, for ever.
    pub(crate) async fn fold(self) {
        let mut interval = tokio::time::interval(FOLD_INTERVAL);
        interval.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            interval.tick().await;
            drop(self.lock());
        }
    }

    /// What those who watch are shown.
    pub(crate) fn snapshots(&self) -> Snapshots {
        let watching = self.clone();
        Snapshots::new(move || watching.json())
    }

    /// How everything is now.
    pub(crate) fn snapshot(&self) -> Snapshot {
        let picture = self.lock();
        // No event came since, so that the coordinator's clock is known from ours.
        let since: Duration = picture.changed.elapsed();
        picture.live.snapshot(picture.live.last().after(since))
    }

    pub(crate) fn json(&self) -> String {
        let snapshot = self.snapshot();
        serde_json::to_string(&snapshot).expect("numbers and texts can be written as JSON")
    }

    /// The picture with everything in it that has happened.
    pub(crate) fn lock(&self) -> MutexGuard<'_, Picture> {
        let mut picture = self.picture.lock().unwrap_or_else(PoisonError::into_inner);
        picture.catch_up();
        picture
    }

    /// The time in which the coordinator was busy with what happened.
    pub(crate) fn busy(&self) -> Duration {
        self.traffic.busy()
    }

    /// Messages to and from workers since the coordinator's start.
    pub(crate) fn traffic(&self) -> Traffic {
        self.traffic.total()
    }
}

impl fmt::Debug for Watching {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Watching")
    }
}
