//! What is kept of a simulated run: [`Watch`].

use crate::trace::Recorder;
use report::{Count, Facts, Fold, Traffic};
use sim::{Breach, Checkers, Finished, Sent, Sight, Witness};
use std::collections::BTreeMap;
use ybw::Moment;

/// Checks every rule, folds the trace into facts and writes it down.
pub(super) struct Watch<'a> {
    checkers: Checkers,
    fold: Fold,
    trace: Option<&'a Recorder>,
}

impl<'a> Watch<'a> {
    pub(super) fn new(checkers: Checkers, trace: Option<&'a Recorder>) -> Watch<'a> {
        Watch { checkers, fold: Fold::new(sim::SEARCH), trace }
    }

    /// The facts of a run that ended like this.
    pub(super) fn facts(self, finished: &Finished) -> Facts {
        let traffic = Traffic {
            to_workers: counts(&finished.to_workers),
            from_workers: counts(&finished.from_workers),
        };
        Facts { traffic, ..self.fold.finish() }
    }
}

fn counts(kinds: &BTreeMap<&'static str, Sent>) -> BTreeMap<String, Count> {
    let count = |sent: &Sent| Count { messages: sent.messages, bytes: sent.bytes };
    kinds.iter().map(|(kind, sent)| (kind.to_string(), count(sent))).collect()
}

impl Witness for Watch<'_> {
    fn see(&mut self, now: Moment, sight: Sight<'_>) -> Result<(), Breach> {
        if let Sight::Traced(traced) = sight {
            self.fold.note(traced);
            if let Some(recorder) = self.trace {
                recorder.note(traced);
            }
        }
        self.checkers.see(now, sight)
    }

    fn end(&mut self, finished: &Finished) -> Result<(), Breach> {
        self.checkers.end(finished)
    }
}
