//! The time the machines are told: [`Clock`].

use std::time::{Duration, Instant};
use ybw::Moment;

/// A monotonic clock that started with its process's machines.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Clock(Instant);

impl Clock {
    pub(crate) fn start() -> Clock {
        Clock(Instant::now())
    }

    pub(crate) fn now(self) -> Moment {
        Moment::default().after(self.0.elapsed())
    }

    /// When the moment is, or was.
    pub(crate) fn instant(self, moment: Moment) -> Instant {
        self.0 + Duration::from_nanos(moment.0)
    }
}
