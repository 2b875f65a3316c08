//! The live picture of a coordinator in this process: [`Watching`].

use crate::trace::spelling;
use cluster::{Observer, Snapshots, TrafficMeter};
use report::Traffic;
use report::live::{Live, Snapshot};
use search::Catalogue;
use std::fmt;
use std::ops::Deref;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Folds the events of a coordinator, for whoever looks.
#[derive(Clone)]
pub(crate) struct Watching {
    picture: Arc<Mutex<Picture>>,
    traffic: TrafficMeter,
}

/// A picture, and when it changed.
pub(crate) struct Picture {
    live: Live,
    changed: Instant,
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
        let picture = Picture { live, changed: Instant::now() };
        Watching { picture: Arc::new(Mutex::new(picture)), traffic }
    }

    /// Is told every event of the coordinator.
    pub(crate) fn observer(&self) -> Observer {
        let picture = self.picture.clone();
        Observer::new(move |traced| {
            let mut picture = picture.lock().unwrap_or_else(PoisonError::into_inner);
            picture.live.note(traced);
            picture.changed = Instant::now();
        })
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

    pub(crate) fn lock(&self) -> MutexGuard<'_, Picture> {
        self.picture.lock().unwrap_or_else(PoisonError::into_inner)
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
