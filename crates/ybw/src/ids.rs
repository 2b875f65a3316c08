//! Names of things that live in a run, and its time.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::time::Duration;

macro_rules! id {
    ($(#[$doc:meta])* $name:ident, $letter:literal, $inner:ty) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(pub $inner);

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!($letter, "{}"), self.0)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Display::fmt(self, f)
            }
        }
    };
}

id!(
    /// One session of one worker process; a worker that reconnects gets another.
    WorkerId, "w", u64
);
id!(
    /// One assignment of one subtree. Never reused, and changed by every hand-over.
    JobId, "j", u64
);
id!(
    /// One search asked for by a client.
    SearchId, "s", u64
);
id!(
    /// One search thread of a worker, counted from 0.
    Slot, "t", u16
);

/// A point in time: nanoseconds since the owner of the machine started its clock.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Moment(pub u64);

impl Moment {
    /// The moment `later` after this one.
    #[must_use]
    pub fn after(self, later: Duration) -> Moment {
        Moment(self.0.saturating_add(u64::try_from(later.as_nanos()).unwrap_or(u64::MAX)))
    }

    /// Nanoseconds from `earlier` to this moment, 0 if it is not earlier.
    #[must_use]
    pub fn since(self, earlier: Moment) -> u64 {
        self.0.saturating_sub(earlier.0)
    }
}
