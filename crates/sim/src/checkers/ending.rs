//! Every search is answered, and nothing of it runs on: [`Ending`].

use crate::{Breach, Finished, Plan, Sight, Witness};
use ybw::{Moment, Outcome, TraceEvent};

/// A search is answered as it may be, all it started is over, and no slot is left with a job.
pub(super) struct Ending {
    may_be_aborted: bool,
    settled: bool,
}

impl Ending {
    pub(super) fn new(plan: &Plan) -> Ending {
        Ending { may_be_aborted: plan.abort_ns.is_some(), settled: false }
    }
}

impl Witness for Ending {
    fn see(&mut self, _now: Moment, sight: Sight<'_>) -> Result<(), Breach> {
        if let Sight::Traced(traced) = sight
            && matches!(traced.event, TraceEvent::SearchSettled { .. })
        {
            self.settled = true;
        }
        Ok(())
    }

    fn end(&mut self, finished: &Finished) -> Result<(), Breach> {
        let breach = |seen: String| Err(Breach::new("every search is answered", seen));
        match &finished.outcome {
            None => return breach("it is not, and nothing happens any more".into()),
            Some(Outcome::Failed { reason }) => return breach(format!("it failed: {reason}")),
            Some(Outcome::Aborted) if !self.may_be_aborted => {
                return breach("aborted, though nobody gave it up".into());
            }
            Some(Outcome::Solved { .. } | Outcome::Aborted) => {}
        }
        // One that was given up before it began has nothing to settle.
        let settled = self.settled || finished.outcome == Some(Outcome::Aborted);
        if finished.busy_slots > 0 || !settled {
            let seen = format!("{} slots, settled: {settled}", finished.busy_slots);
            return Err(Breach::new("nothing is left running at the end", seen));
        }
        Ok(())
    }
}
