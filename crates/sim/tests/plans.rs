//! Random plans, with splits, narrowings, cancels, delays and every fault, keep every rule.

#![allow(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

use eldest_sim::{Breach, Finished, Sight, Swarm, Trial, Witness, run};
use search::Catalogue;
use std::collections::BTreeMap;
use ybw::Moment;

/// Trials with all checkers on, each run twice.
const TRIALS: u64 = 1_000;

#[test]
fn random_plans_keep_every_rule() {
    let swarm = Swarm { first: 0, count: TRIALS };
    if let Some((seed, breach)) = swarm.run(|_, _| ()) {
        panic!("{breach}; replay it: eldest sim --swarm 1 --seed {seed}");
    }
}

/// Counts trace events by name.
#[derive(Default)]
struct Census(BTreeMap<String, u64>);

impl Witness for Census {
    fn see(&mut self, _now: Moment, sight: Sight<'_>) -> Result<(), Breach> {
        if let Sight::Traced(traced) = sight {
            let text = format!("{:?}", traced.event);
            let name = text.split([' ', '(']).next().unwrap_or_default().to_string();
            *self.0.entry(name).or_default() += 1;
        }
        Ok(())
    }

    fn end(&mut self, _finished: &Finished) -> Result<(), Breach> {
        Ok(())
    }
}

#[test]
fn the_plans_exercise_everything() {
    let catalogue = Catalogue::standard();
    let mut census = Census::default();
    for seed in 0..1_000 {
        run(&Trial::draw(seed).plan, &catalogue, &mut census).unwrap();
    }
    for name in [
        "WorkerGone",
        "JobAssigned",
        "SplitWished",
        "NodesAdopted",
        "NodeResolved",
        "WindowPushed",
        "JobCancelled",
        "JobReturned",
        "JobDiscarded",
        "BrotherReopened",
    ] {
        assert!(census.0.get(name).is_some_and(|&count| count > 30), "{name}: {:?}", census.0);
    }
}
