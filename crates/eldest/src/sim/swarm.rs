//! `eldest sim --swarm`: random plans.

use crate::{Failure, output};
use sim::{Swarm, Trial};
use std::time::Instant;

/// Trials between two lines of progress.
const TRIALS_A_LINE: u64 = 100;

/// Runs `count` trials from the seed `first` on. A single one is shown as a plan first.
pub(super) fn run(count: u64, first: u64) -> Result<(), Failure> {
    if count == 1 {
        let trial = Trial::draw(first);
        output::print(&format!("# calm from {} ns\n{}", trial.calm.0, trial.plan.to_toml()))?;
    }
    let mut progress = output::Progress::new("sim");
    let (mut trials, mut events, began) = (0, 0, Instant::now());
    let breach = Swarm { first, count }.run(|_, finished| {
        trials += 1;
        events += finished.events;
        if trials % TRIALS_A_LINE == 0 {
            progress.show(&format!("{trials} of {count} plans"));
        }
    });
    drop(progress);
    if let Some((seed, breach)) = breach {
        return Err(Failure::run(format!(
            "plan {seed}: {breach}; replay it: eldest sim --swarm 1 --seed {seed}"
        )));
    }
    output::print(&format!(
        "{trials} plans from seed {first} on, each run twice: every rule was kept\n\
         {} events in the first runs, {:.1} s",
        report::grouped(events),
        began.elapsed().as_secs_f64()
    ))
}
