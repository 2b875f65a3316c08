//! A search comes to its end: [`Liveness`].

use crate::{Breach, Finished, Sight, Witness};
use ybw::{Moment, TraceEvent};

/// The search ends by a deadline.
pub(super) struct Liveness {
    deadline: Moment,
    ended: bool,
}

impl Liveness {
    pub(super) fn new(deadline: Moment) -> Liveness {
        Liveness { deadline, ended: false }
    }
}

impl Witness for Liveness {
    fn see(&mut self, now: Moment, sight: Sight<'_>) -> Result<(), Breach> {
        if let Sight::Traced(traced) = sight
            && matches!(traced.event, TraceEvent::SearchEnded { .. })
        {
            self.ended = true;
        }
        if now > self.deadline && !self.ended {
            let seen = format!("at {} it goes on, though it was due at {}", now.0, self.deadline.0);
            return Err(Breach::new("a search comes to its end", seen));
        }
        Ok(())
    }

    fn end(&mut self, _finished: &Finished) -> Result<(), Breach> {
        Ok(())
    }
}
