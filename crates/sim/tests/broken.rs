//! Broken machines are caught: messages tampered with at the border of a worker make it one that
//! breaks a rule, and a forged trace makes the coordinator one.

#![allow(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

use eldest_sim::{
    Breach, Checkers, Crossing, Finished, Sight, Stopped, Trial, Witness, run, run_tampered,
};
use game::{Bound, Window};
use search::Catalogue;
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use ybw::{FromWorker, JobId, Moment, ToWorker, TraceEvent, Traced, WorkerId};

/// Trials within which a broken machine must be caught.
const TRIALS: u64 = 150;

/// Runs trials, each with a new broken machine, and returns the rules that caught it.
fn caught(mut broken: impl FnMut() -> Box<dyn FnMut(WorkerId, Crossing<'_>)>) -> Vec<&'static str> {
    let catalogue = Catalogue::standard();
    let mut rules = Vec::new();
    for seed in 0..TRIALS {
        let trial = Trial::draw(seed);
        let mut checkers = trial.checkers(&trial.truth(&catalogue).unwrap());
        let mut tamper = broken();
        let ended = catch_unwind(AssertUnwindSafe(|| {
            run_tampered(&trial.plan, &catalogue, &mut checkers, &mut *tamper)
        }));
        match ended {
            Ok(Err(Stopped::Breach(breach))) => rules.push(breach.rule),
            Ok(Ok(_)) => {}
            Ok(Err(Stopped::Plan(error))) => panic!("seed {seed}: {error}"),
            Err(_) => rules.push("machines keep their own rules"),
        }
    }
    rules
}

fn check_caught(
    broken: impl FnMut() -> Box<dyn FnMut(WorkerId, Crossing<'_>)>,
    rule: &'static str,
) {
    let rules = caught(broken);
    assert!(rules.contains(&rule), "{rule}: {rules:?}");
}

#[test]
fn a_sound_machine_is_not_caught() {
    assert_eq!(caught(|| Box::new(|_, _| ())), [] as [&str; 0]);
}

#[test]
fn a_hand_over_that_keeps_its_job_id_is_caught() {
    let keeps = || -> Box<dyn FnMut(WorkerId, Crossing<'_>)> {
        Box::new(|_, crossing| {
            if let Crossing::Leaving(FromWorker::Offer { job, next, .. }) = crossing {
                *next = *job;
            }
        })
    };
    check_caught(keeps, "workers keep to the protocol");
}

/// Windows decide what is asked, never what an answer means. So what was sent to a job before its
/// hand-over does no harm even if it reaches the job that goes on, whose root is another node.
#[test]
fn a_window_meant_for_another_node_changes_no_score() {
    let confuses = || -> Box<dyn FnMut(WorkerId, Crossing<'_>)> {
        let mut names: BTreeMap<JobId, JobId> = BTreeMap::new();
        Box::new(move |_, crossing| match crossing {
            Crossing::Leaving(FromWorker::Offer { job, next, .. }) => {
                names.insert(*job, *next);
            }
            Crossing::Arriving(ToWorker::Narrow { job, .. }) => {
                while let Some(&next) = names.get(job) {
                    *job = next;
                }
            }
            Crossing::Leaving(_) | Crossing::Arriving(_) => {}
        })
    };
    assert_eq!(caught(confuses), [] as [&str; 0]);
}

#[test]
fn a_best_score_mistaken_for_inherited_alpha_is_caught() {
    // A result that no child exceeded alpha is reported as if alpha had been reached.
    let mistakes = || -> Box<dyn FnMut(WorkerId, Crossing<'_>)> {
        Box::new(|_, crossing| {
            if let Crossing::Leaving(FromWorker::Result { value, .. }) = crossing
                && value.bound == Bound::Upper
            {
                value.bound = Bound::Exact;
            }
        })
    };
    check_caught(mistakes, "the score equals the sequential score");
}

#[test]
fn a_worker_that_ignores_cancels_is_caught() {
    let ignores = || -> Box<dyn FnMut(WorkerId, Crossing<'_>)> {
        Box::new(|_, crossing| {
            if let Crossing::Arriving(ToWorker::Cancel { job }) = crossing {
                *job = JobId(0);
            }
        })
    };
    check_caught(ignores, "no cancelled job is searched on");
}

#[test]
fn a_worker_that_keeps_positions_to_itself_is_caught() {
    let hides = || -> Box<dyn FnMut(WorkerId, Crossing<'_>)> {
        Box::new(|_, crossing| {
            if let Crossing::Leaving(FromWorker::Result { spent, .. }) = crossing {
                spent.tally.nodes = spent.tally.nodes.saturating_sub(1);
            }
        })
    };
    check_caught(hides, "every position is accounted for");
}

/// Shows the checkers another trace than the one there is.
struct Forger<F> {
    checkers: Checkers,
    /// Changes an event, or drops it.
    forge: F,
}

impl<F: FnMut(&mut TraceEvent) -> bool> Witness for Forger<F> {
    fn see(&mut self, now: Moment, sight: Sight<'_>) -> Result<(), Breach> {
        let Sight::Traced(traced) = sight else {
            return self.checkers.see(now, sight);
        };
        let mut forged: Traced = traced.clone();
        match (self.forge)(&mut forged.event) {
            true => self.checkers.see(now, Sight::Traced(&forged)),
            false => Ok(()),
        }
    }

    fn end(&mut self, finished: &Finished) -> Result<(), Breach> {
        self.checkers.end(finished)
    }
}

fn check_forged(mut forge: impl FnMut(&mut TraceEvent) -> bool, rule: &str) {
    let catalogue = Catalogue::standard();
    let mut rules = Vec::new();
    for seed in 0..TRIALS {
        let trial = Trial::draw(seed);
        let checkers = trial.checkers(&trial.truth(&catalogue).unwrap());
        let mut forger = Forger { checkers, forge: &mut forge };
        if let Err(Stopped::Breach(breach)) = run(&trial.plan, &catalogue, &mut forger) {
            rules.push(breach.rule);
        }
    }
    assert!(rules.contains(&rule), "{rule}: {rules:?}");
}

#[test]
fn a_coordinator_that_breaks_a_rule_is_caught() {
    let unresolved = |event: &mut TraceEvent| {
        !matches!(event, TraceEvent::NodeResolved { .. } | TraceEvent::JobResolved { .. })
    };
    check_forged(unresolved, "every brother is in one place");
    let not_known = |event: &mut TraceEvent| !matches!(event, TraceEvent::NodeResolved { .. });
    check_forged(not_known, "young brothers wait");
    let widens = |event: &mut TraceEvent| {
        if let TraceEvent::WindowPushed { new, .. } = event {
            *new = Window::FULL;
        }
        true
    };
    check_forged(widens, "windows only narrow, or a scout's moves as a whole");
    let reuses = |event: &mut TraceEvent| {
        if let TraceEvent::SplitWished { next, .. } = event {
            *next = JobId(1);
        }
        true
    };
    check_forged(reuses, "names are never reused");
    let keeps = |event: &mut TraceEvent| {
        if let TraceEvent::NodesAdopted { job, next, .. } = event {
            *next = *job;
        }
        true
    };
    check_forged(keeps, "names are never reused");
    let endless = |event: &mut TraceEvent| !matches!(event, TraceEvent::SearchSettled { .. });
    check_forged(endless, "nothing is left running at the end");
}
