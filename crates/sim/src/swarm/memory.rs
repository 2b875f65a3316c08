//! A trace that is remembered and compared with the next one: [`Memory`].

use crate::{Breach, Checkers, Finished, Sight, Witness};
use ybw::{Moment, Traced};

pub(super) const RULE: &str = "the same plan gives the same trace";

/// Remembers a trace, or compares one with it.
pub(super) struct Memory {
    trace: Vec<Traced>,
    /// The event that is due next, when comparing.
    next: Option<usize>,
}

impl Memory {
    pub(super) fn new() -> Memory {
        Memory { trace: Vec::new(), next: None }
    }

    pub(super) fn comparing(self) -> Memory {
        Memory { next: Some(0), ..self }
    }
}

impl Witness for Memory {
    fn see(&mut self, _now: Moment, sight: Sight<'_>) -> Result<(), Breach> {
        let Sight::Traced(traced) = sight else { return Ok(()) };
        let Some(place) = &mut self.next else {
            self.trace.push(traced.clone());
            return Ok(());
        };
        let before = self.trace.get(*place);
        *place += 1;
        if before == Some(traced) {
            return Ok(());
        }
        Err(Breach::new(RULE, format!("event {place} is {traced:?}, and was {before:?}")))
    }

    fn end(&mut self, _finished: &Finished) -> Result<(), Breach> {
        match self.next {
            Some(place) if place != self.trace.len() => {
                Err(Breach::new(RULE, format!("{place} events, and were {}", self.trace.len())))
            }
            _ => Ok(()),
        }
    }
}

/// Two witnesses.
pub(super) struct Both(pub(super) Checkers, pub(super) Memory);

impl Witness for Both {
    fn see(&mut self, now: Moment, sight: Sight<'_>) -> Result<(), Breach> {
        self.0.see(now, sight)?;
        self.1.see(now, sight)
    }

    fn end(&mut self, finished: &Finished) -> Result<(), Breach> {
        self.0.end(finished)?;
        self.1.end(finished)
    }
}
