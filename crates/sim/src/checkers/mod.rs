//! The rules of a run, each watched over by a small [`Witness`] of its own: [`Checkers`].

mod accounts;
mod cancelled;
mod ending;
mod in_flight;
mod liveness;
mod names;
mod paths;
mod places;
mod score;
mod windows;
mod young_brothers;

pub use score::Truth;

use crate::{Breach, Finished, Plan, Sight, Witness};
use ybw::Moment;

/// All checkers together.
pub struct Checkers(Vec<Box<dyn Witness>>);

impl Checkers {
    /// Checkers of one run of `plan`, whose answer must agree with the `truth`.
    #[must_use]
    pub fn new(plan: &Plan, truth: &Truth) -> Checkers {
        Checkers(vec![
            Box::new(score::Score::new(plan, truth)),
            Box::new(ending::Ending::new(plan)),
            Box::new(names::Names::default()),
            Box::new(places::Places::default()),
            Box::new(young_brothers::YoungBrothers::new(plan.setup.policy)),
            Box::new(windows::Windows::default()),
            Box::new(cancelled::Cancelled::default()),
            Box::new(in_flight::InFlight),
            Box::new(accounts::Accounts::default()),
        ])
    }

    /// Adds one that asks for an end of the search by `deadline`.
    #[must_use]
    pub fn with_deadline(mut self, deadline: Moment) -> Checkers {
        self.0.push(Box::new(liveness::Liveness::new(deadline)));
        self
    }
}

impl Witness for Checkers {
    fn see(&mut self, now: Moment, sight: Sight<'_>) -> Result<(), Breach> {
        self.0.iter_mut().try_for_each(|checker| checker.see(now, sight))
    }

    fn end(&mut self, finished: &Finished) -> Result<(), Breach> {
        self.0.iter_mut().try_for_each(|checker| checker.end(finished))
    }
}
