//! Random plans that try every rule: [`Trial`], and many of them: [`Swarm`].
//!
//! A trial has two phases. In the storm workers join, drain, die, stand still and lose their links,
//! and only what must never happen is looked for. In the calm nothing more befalls anybody, one
//! worker at least is there to stay, and the search must come to its end in good time as well.

mod draw;
mod memory;

use crate::{Breach, Checkers, Finished, Plan, Stopped, Truth, run};
use game::{GameError, Setup, Window};
use memory::{Both, Memory};
use search::Catalogue;
use std::panic::{AssertUnwindSafe, catch_unwind};
use ybw::Moment;

/// In the calm, the search may enter so many times the positions of the sequential one, each as slow as a
/// job of its own, before it is taken not to end.
const PATIENCE: u64 = 64;
/// Positions granted to the smallest search.
const LEAST_NODES: u64 = 1_000;
/// Bytes and messages granted to a position.
const BYTES_A_NODE: u64 = 1_000;
const MESSAGES_A_NODE: u64 = 8;

/// Trials with consecutive seeds.
#[derive(Clone, Debug)]
pub struct Swarm {
    /// The seed of the first.
    pub first: u64,
    /// How many.
    pub count: u64,
}

impl Swarm {
    /// Runs trial after trial until one breaks a rule, and returns its seed and the breach. `told` hears
    /// of every trial that went well.
    pub fn run(&self, mut told: impl FnMut(u64, &Finished)) -> Option<(u64, Breach)> {
        let catalogue = Catalogue::standard();
        for seed in (self.first..).take(usize::try_from(self.count).unwrap_or(usize::MAX)) {
            match Trial::draw(seed).run(&catalogue) {
                Ok(finished) => told(seed, &finished),
                Err(breach) => return Some((seed, breach)),
            }
        }
        None
    }
}

/// A random plan.
#[derive(Clone, PartialEq, Debug)]
pub struct Trial {
    /// What decided every knob.
    pub seed: u64,
    /// The knobs.
    pub plan: Plan,
    /// When the storm is over.
    pub calm: Moment,
}

impl Trial {
    /// Draws every knob.
    #[must_use]
    pub fn draw(seed: u64) -> Trial {
        draw::trial(seed)
    }

    /// Runs the plan with all checkers on, and once more to see the same.
    ///
    /// # Errors
    /// If a rule was broken, be it one of the machines' own.
    pub fn run(&self, catalogue: &Catalogue) -> Result<Finished, Breach> {
        let run = AssertUnwindSafe(|| self.run_twice(catalogue));
        catch_unwind(run).unwrap_or_else(|panic| {
            let text = panic.downcast_ref::<String>().map(String::as_str);
            let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
            Err(Breach::new("machines keep their own rules", text.unwrap_or("a panic")))
        })
    }

    /// What the sequential program says.
    ///
    /// # Errors
    /// If the game cannot be read, which a drawn one can.
    pub fn truth(&self, catalogue: &Catalogue) -> Result<Truth, GameError> {
        let setup = &self.plan.setup;
        Truth::of(&Setup { window: Window::FULL, table_mib: 1, ..setup.clone() }, catalogue)
    }

    /// The checkers of this trial.
    #[must_use]
    pub fn checkers(&self, truth: &Truth) -> Checkers {
        Checkers::new(&self.plan, truth).with_deadline(self.deadline(truth))
    }

    fn run_twice(&self, catalogue: &Catalogue) -> Result<Finished, Breach> {
        let unreadable =
            |error: GameError| Breach::new("a drawn plan can be run", error.to_string());
        let truth = self.truth(catalogue).map_err(unreadable)?;
        let mut first = Both(self.checkers(&truth), Memory::new());
        let finished = run(&self.plan, catalogue, &mut first).map_err(breach_of)?;
        let mut second = first.1.comparing();
        let again = run(&self.plan, catalogue, &mut second).map_err(breach_of)?;
        if again != finished {
            return Err(Breach::new(memory::RULE, format!("{again:?} after {finished:?}")));
        }
        Ok(finished)
    }

    fn deadline(&self, truth: &Truth) -> Moment {
        let plan = &self.plan;
        let slowest = plan.workers.iter().map(|group| group.node_ns).max().unwrap_or(0);
        let messages = MESSAGES_A_NODE * (plan.message_in_ns + plan.message_out_ns);
        let transfer = BYTES_A_NODE * 1_000_000_000 / plan.bytes_per_s.unwrap_or(u64::MAX).max(1);
        let node = slowest + 4 * plan.latency_ns.end() + messages + transfer;
        Moment(self.calm.0 + PATIENCE * (truth.nodes() + LEAST_NODES) * node)
    }
}

fn breach_of(stopped: Stopped) -> Breach {
    match stopped {
        Stopped::Breach(breach) => breach,
        Stopped::Plan(error) => Breach::new("a drawn plan can be run", error.to_string()),
    }
}
