//! Simulated runs over seeds and numbers of processors: [`Sweep`].

use super::watch::Watch;
use crate::choices::{ALGORITHMS, POLICIES, name_of};
use crate::question::Question;
use crate::record::value_of;
use crate::trace::Recorder;
use crate::{Failure, output};
use game::{GameSpec, Policy, Setup};
use report::trace::ClockKind;
use report::{Baseline, Facts, Run, Sample, Scaling};
use search::Catalogue;
use sim::{Checkers, Finished, Group, Plan, Stopped, Truth};
use std::collections::BTreeMap;
use std::ops::RangeInclusive;
use std::time::Instant;
use ybw::Outcome;

/// What is to be simulated.
pub(super) struct Sweep {
    /// All knobs but the setup and the seed, one plan a step.
    steps: Vec<Plan>,
    /// The positions of one run.
    questions: Vec<Question>,
    seeds: RangeInclusive<u64>,
    /// Whether the seeds decide the synthetic trees too.
    seeds_trees: bool,
    problem: String,
}

/// What the simulation itself took.
#[derive(Default)]
struct Effort {
    runs: u64,
    events: u64,
    nodes: u64,
    seconds: f64,
}

impl Sweep {
    /// A plan as it is, or with other seeds.
    pub(super) fn of_plan(plan: Plan, seeds: Option<RangeInclusive<u64>>) -> Sweep {
        let question = Question { id: None, setup: plan.setup.clone(), expected: None };
        let problem = describe(&question.setup, 1);
        let (seeds_trees, seeds) = (seeds.is_some(), seeds.unwrap_or(plan.seed..=plan.seed));
        Sweep { steps: vec![plan], questions: vec![question], seeds, seeds_trees, problem }
    }

    /// The `plan` with so many single-threaded workers, one step per number.
    pub(super) fn of_steps(
        plan: Plan,
        questions: Vec<Question>,
        processors: &[u32],
        node_ns: u64,
        seeds: RangeInclusive<u64>,
    ) -> Sweep {
        let step = |&count: &u32| Plan {
            workers: vec![Group { node_ns, ..Group::steady(count) }],
            ..plan.clone()
        };
        let problem = describe(&questions[0].setup, questions.len());
        let steps = processors.iter().map(step).collect();
        Sweep { steps, questions, seeds, seeds_trees: true, problem }
    }

    /// Runs everything, and says what it took.
    pub(super) fn run(
        &self,
        catalogue: &Catalogue,
        trace: Option<&Recorder>,
    ) -> Result<(Scaling, String), Failure> {
        let mut effort = Effort::default();
        let mut samples = Vec::new();
        let mut truths = BTreeMap::new();
        for seed in self.seeds.clone() {
            for plan in &self.steps {
                let sample = self.sample(catalogue, plan, seed, &mut truths, &mut effort, trace)?;
                samples.push(sample);
            }
        }
        let scaling = Scaling { problem: self.problem.clone(), samples };
        Ok((scaling, effort.to_string()))
    }

    /// One run: every position with the same plan and seed.
    fn sample(
        &self,
        catalogue: &Catalogue,
        plan: &Plan,
        seed: u64,
        truths: &mut BTreeMap<(String, String), Truth>,
        effort: &mut Effort,
        trace: Option<&Recorder>,
    ) -> Result<Sample, Failure> {
        let processors = match u32::try_from(plan.slots()).unwrap_or(u32::MAX) {
            slots if plan.processors == 0 => slots,
            slots => slots.min(plan.processors),
        };
        let (mut nodes, mut ns, mut coordinator_busy_ns) = (0, 0, 0);
        let mut searches = Vec::new();
        for question in &self.questions {
            let setup = self.seeded(&question.setup, seed)?;
            let label = format!("{}, P = {processors}, seed {seed}", question.label());
            let progress = &mut output::Progress::new("sim");
            let truth = match truths.get(&(setup.game.clone(), setup.position.clone())) {
                Some(&truth) => truth,
                None => {
                    progress.show(&format!("{label}: sequential search"));
                    let truth = Truth::of(&setup, catalogue)?;
                    truths.insert((setup.game.clone(), setup.position.clone()), truth);
                    truth
                }
            };
            progress.show(&label);
            let sequential_ns = truth.nodes() * plan.fastest_node_ns() + truth.toll_ns;
            if let Some(recorder) = trace {
                tell_baseline(recorder, &label, &setup, &truth, sequential_ns);
                recorder.begin(&label, ClockKind::Virtual);
            }
            let plan = Plan { setup, seed, ..plan.clone() };
            let (facts, finished) = observe(catalogue, &plan, &truth, trace, effort)
                .map_err(|failure| prefixed(&label, failure))?;
            check_expected(question, &facts, &label)?;
            nodes += truth.nodes();
            ns += sequential_ns;
            coordinator_busy_ns += finished.coordinator_busy_ns;
            searches.push(facts);
        }
        let baseline = Baseline { seconds: seconds(ns), nodes };
        Ok(Sample { seed, baseline, run: Run { processors, searches }, coordinator_busy_ns })
    }

    /// The setup with the tree that belongs to the seed, if its game is synthetic and has none.
    fn seeded(&self, setup: &Setup, seed: u64) -> Result<Setup, Failure> {
        let spec: GameSpec = setup.game.parse()?;
        let unseeded = spec.name == "synthetic" && !setup.game.contains("seed=");
        if !self.seeds_trees || !unseeded {
            return Ok(setup.clone());
        }
        let separator = if setup.game.contains(':') { ',' } else { ':' };
        Ok(Setup { game: format!("{}{separator}seed={seed}", setup.game), ..setup.clone() })
    }
}

/// Puts the sequential search of the same position into the trace, so that it can be compared.
fn tell_baseline(recorder: &Recorder, label: &str, setup: &Setup, truth: &Truth, ns: u64) {
    let setup = Setup { policy: Policy::Sequential, ..setup.clone() };
    let outcome = Outcome::Solved { value: truth.value, line: Vec::new() };
    let facts = Facts::sequential(outcome, ns, truth.tally);
    let title = format!("{label}: sequential search");
    recorder.note_sequential(&title, ClockKind::Virtual, &setup, &facts);
}

/// One simulated search under the eyes of all checkers.
fn observe(
    catalogue: &Catalogue,
    plan: &Plan,
    truth: &Truth,
    trace: Option<&Recorder>,
    effort: &mut Effort,
) -> Result<(Facts, Finished), Failure> {
    let mut watch = Watch::new(Checkers::new(plan, truth), trace);
    let began = Instant::now();
    let finished = sim::run(plan, catalogue, &mut watch).map_err(|stopped| match stopped {
        Stopped::Plan(error) => Failure::given(error),
        Stopped::Breach(breach) => Failure::run(breach),
    })?;
    effort.runs += 1;
    effort.events += finished.events;
    effort.nodes += finished.tally.nodes + finished.tally.quiescence;
    effort.seconds += began.elapsed().as_secs_f64();
    Ok((watch.facts(&finished), finished))
}

/// A score that a suite knows is compared with that too.
fn check_expected(question: &Question, facts: &Facts, label: &str) -> Result<(), Failure> {
    match value_of(facts) {
        Some(value) if !question.agrees(value) => {
            let expected = question.expected.unwrap_or_default();
            let wrong = format!("{label}: score {value}, but {expected} was expected");
            Err(Failure::run(wrong))
        }
        _ => Ok(()),
    }
}

fn prefixed(label: &str, failure: Failure) -> Failure {
    match failure {
        Failure::Run(wrong) => Failure::run(format!(
            "{label}: {wrong}; replay it: the same command with this P and seed alone"
        )),
        failure @ (Failure::Given(_) | Failure::Interrupted | Failure::Unread) => failure,
    }
}

fn describe(setup: &Setup, positions: usize) -> String {
    let Setup { game, depth, algorithm, policy, narrowing, table_mib, .. } = setup;
    let algorithm = name_of(&ALGORITHMS, algorithm);
    let policy = name_of(&POLICIES, policy);
    let narrowing = if *narrowing { "" } else { ", narrowing off" };
    let positions = match positions {
        1 => String::new(),
        count => format!(", {count} positions"),
    };
    format!(
        "{game}{positions}: {algorithm} to depth {depth}, {policy}{narrowing}, table of {table_mib} \
         MiB, simulated"
    )
}

impl std::fmt::Display for Effort {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let [events, nodes] = [self.events, self.nodes].map(report::grouped);
        let Effort { runs, seconds, .. } = self;
        write!(f, "{runs} runs: {events} events and {nodes} positions in {seconds:.1} s")
    }
}

#[expect(clippy::cast_precision_loss, reason = "2^53 ns are 104 days")]
fn seconds(ns: u64) -> f64 {
    ns as f64 / 1e9
}
