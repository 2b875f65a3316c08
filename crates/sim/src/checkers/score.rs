//! The score equals the sequential score: [`Score`].

use crate::{Breach, Finished, Plan, Sight, Witness, toll};
use game::{GameError, Interval, Setup, Tally, Value, Window};
use search::{Catalogue, Table};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use ybw::{Moment, Outcome};

/// What the sequential program says.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Truth {
    /// The value of the root.
    pub value: Value,
    /// What it took to find it.
    pub tally: Tally,
    /// What its leaves cost beyond their positions.
    pub toll_ns: u64,
}

impl Truth {
    /// Asks the plain program, with a table of the setup's size.
    ///
    /// # Errors
    /// If the game or position cannot be read.
    ///
    /// # Panics
    /// If the program gives up, which nobody tells it to.
    pub fn of(setup: &Setup, catalogue: &Catalogue) -> Result<Truth, GameError> {
        let problem = catalogue.prepare(setup)?;
        let table = (setup.table_mib > 0).then(|| Arc::new(Table::new(setup.table_mib)));
        toll::take();
        let solution = problem.solve(table, toll::charge, &Arc::new(AtomicBool::new(false)));
        let solution = solution.expect("nobody stops it");
        Ok(Truth { value: solution.value, tally: solution.tally, toll_ns: toll::take() })
    }

    /// Positions it entered.
    #[must_use]
    pub fn nodes(&self) -> u64 {
        self.tally.nodes + self.tally.quiescence
    }

    /// Whether no score satisfies both this and `value`.
    fn contradicts(&self, value: Value) -> bool {
        let (mine, other) = (Interval::UNKNOWN.learn(self.value), Interval::UNKNOWN.learn(value));
        mine.low.max(other.low) > mine.high.min(other.high)
    }
}

/// The score equals the sequential score, as far as the window asks for it.
pub(super) struct Score {
    truth: Truth,
    window: Window,
}

const RULE: &str = "the score equals the sequential score";

impl Score {
    pub(super) fn new(plan: &Plan, truth: &Truth) -> Score {
        Score { truth: *truth, window: plan.setup.window }
    }
}

impl Witness for Score {
    fn see(&mut self, _now: Moment, _sight: Sight<'_>) -> Result<(), Breach> {
        Ok(())
    }

    fn end(&mut self, finished: &Finished) -> Result<(), Breach> {
        let Some(Outcome::Solved { value, .. }) = &finished.outcome else {
            return Ok(());
        };
        if self.truth.contradicts(*value) || !value.decides(self.window) {
            let (truth, window) = (self.truth.value, self.window);
            return Err(Breach::new(
                RULE,
                format!("found {value} in {window}, sequential {truth}"),
            ));
        }
        Ok(())
    }
}
