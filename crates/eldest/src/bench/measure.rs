//! The passes of a bench, and the check of every score: [`Measurement`].

use super::loopback::Loopback;
use crate::Failure;
use crate::choices::{ALGORITHMS, POLICIES, name_of};
use crate::engine::Engine;
use crate::question::Question;
use crate::record::value_of;
use crate::trace::Recorder;
use cluster::{Client, Observer};
use game::{Interval, Policy, Setup, Value};
use report::trace::ClockKind;
use report::{Baseline, Comparison, Facts, Run};
use search::Catalogue;
use std::time::{Duration, Instant};

/// Where the processors are.
pub(super) enum Site {
    /// Worker processes of this host, started anew for each pass.
    Loopback {
        /// The games.
        catalogue: Catalogue,
        /// Search threads of each worker.
        threads: u16,
    },
    /// The slots of a running cluster.
    Cluster(Client),
}

/// What is to be measured.
pub(super) struct Measurement<'a> {
    /// The positions of one pass, at least one.
    pub(super) questions: &'a [Question],
    /// Where.
    pub(super) site: Site,
    /// Worker processes, or slots of the cluster, of each step.
    pub(super) steps: Vec<u32>,
    /// How often each step and the baseline are repeated.
    pub(super) runs: u32,
    /// What is told of everything that happens.
    pub(super) trace: Option<&'a Recorder>,
}

impl Measurement<'_> {
    /// Runs baseline and steps in turn, so that a drift of the machine's speed touches all alike.
    ///
    /// Every search begins with an empty table: a loopback pass has new processes, a running
    /// cluster makes a new table for each search.
    pub(super) async fn run(&self) -> Result<Comparison, Failure> {
        let (mut baselines, mut runs) = (Vec::new(), Vec::new());
        let mut truths: Option<Vec<Value>> = None;
        let began = Instant::now();
        for turn in 1..=self.runs {
            let left = self.left(turn, began.elapsed());
            let searches = self.baseline(turn, &left).await?;
            let known =
                truths.get_or_insert_with(|| searches.iter().filter_map(value_of).collect());
            self.check_against(known, &searches, &format!("sequential run {turn}"))?;
            let pass = Run { processors: 1, searches };
            baselines.push(Baseline { seconds: pass.seconds(), nodes: pass.total(Facts::nodes) });
            for &step in &self.steps {
                let run = self.step(step, turn, &left).await?;
                let name = format!("P = {} run {turn}", run.processors);
                self.check_against(known, &run.searches, &name)?;
                runs.push(run);
            }
        }
        Ok(Comparison { problem: self.problem(), baselines, runs })
    }

    /// How long it will take from the beginning of a turn, in words, once that is known.
    fn left(&self, turn: u32, passed: Duration) -> String {
        let done = turn - 1;
        if done == 0 {
            return String::new();
        }
        let left = passed / done * (self.runs - done);
        let seconds = Duration::from_secs(left.as_secs().max(1));
        format!(", about {} left at its start", humantime::format_duration(seconds))
    }

    async fn baseline(&self, turn: u32, left: &str) -> Result<Vec<Facts>, Failure> {
        let plain: Vec<Question> = self.questions.iter().map(sequential).collect();
        let engine = match &self.site {
            Site::Loopback { catalogue, .. } => Engine::sequential(catalogue.clone()),
            Site::Cluster(client) => Engine::Remote { client: client.clone(), processors: 1 },
        };
        let name = format!("sequential run {turn}");
        let searches = self.pass(&engine, &plain, &name, left).await?;
        if let Some(recorder) = self.trace {
            for (question, facts) in plain.iter().zip(&searches) {
                let title = format!("{}, {name}", question.label());
                recorder.note_sequential(&title, ClockKind::Real, &question.setup, facts);
            }
        }
        Ok(searches)
    }

    async fn step(&self, step: u32, turn: u32, left: &str) -> Result<Run, Failure> {
        match &self.site {
            Site::Loopback { catalogue, threads } => {
                let processors = step * u32::from(*threads);
                let name = format!("P = {processors} run {turn}");
                let observer = self.trace.map_or_else(Observer::default, |recorder| {
                    recorder.begin(&name, ClockKind::Real);
                    recorder.observer()
                });
                let loopback = Loopback::start(catalogue.clone(), step, *threads, observer).await?;
                let searches = self.pass(&loopback.engine(), self.questions, &name, left).await?;
                loopback.stop().await?;
                Ok(Run { processors, searches })
            }
            Site::Cluster(client) => {
                let engine = Engine::Remote { client: client.clone(), processors: step };
                let name = format!("P = {step} run {turn}");
                let searches = self.pass(&engine, self.questions, &name, left).await?;
                Ok(Run { processors: step, searches })
            }
        }
    }

    /// One search per question.
    async fn pass(
        &self,
        engine: &Engine,
        questions: &[Question],
        name: &str,
        left: &str,
    ) -> Result<Vec<Facts>, Failure> {
        let mut searches = Vec::new();
        for question in questions {
            let label = format!("{}, {name} of {}", question.label(), self.runs);
            let facts = engine.solve(question, None, &format!("{label}{left}")).await?.facts;
            if value_of(&facts).is_none() {
                return Err(Failure::run(format!("{label}: no score, but {:?}", facts.outcome)));
            }
            searches.push(facts);
        }
        Ok(searches)
    }

    fn check_against(
        &self,
        truths: &[Value],
        searches: &[Facts],
        name: &str,
    ) -> Result<(), Failure> {
        for ((question, facts), truth) in self.questions.iter().zip(searches).zip(truths) {
            let Some(value) = value_of(facts) else { continue };
            let label = question.label();
            if contradict(value, *truth) {
                return Err(Failure::run(format!(
                    "{label}, {name}: score {value} disagrees with the sequential {truth}"
                )));
            }
            if !question.agrees(value) {
                let expected = question.expected.unwrap_or_default();
                return Err(Failure::run(format!(
                    "{label}, {name}: score {value}, but {expected} was expected"
                )));
            }
        }
        Ok(())
    }

    fn problem(&self) -> String {
        let Setup { algorithm, depth, policy, narrowing, table_mib, .. } = &self.questions[0].setup;
        let what = match self.questions {
            [only] => only.label(),
            [first, .., last] => {
                format!(
                    "{} positions from {} to {}",
                    self.questions.len(),
                    first.label(),
                    last.label()
                )
            }
            [] => String::new(),
        };
        let algorithm = name_of(&ALGORITHMS, algorithm);
        let policy = name_of(&POLICIES, policy);
        let narrowing = if *narrowing { "" } else { ", narrowing off" };
        format!(
            "{what}: {algorithm} to depth {depth}, {policy}{narrowing}, table of {table_mib} MiB"
        )
    }
}

fn sequential(question: &Question) -> Question {
    let setup = Setup { policy: Policy::Sequential, ..question.setup.clone() };
    Question { setup, ..question.clone() }
}

/// Whether two statements about one position cannot both be true.
fn contradict(a: Value, b: Value) -> bool {
    let (a, b) = (Interval::UNKNOWN.learn(a), Interval::UNKNOWN.learn(b));
    a.low.max(b.low) > a.high.min(b.high)
}

#[cfg(test)]
mod tests {
    use super::*;
    use game::Score;

    #[test]
    fn statements_contradict_if_no_score_satisfies_both() {
        let check = |a: Value, b: Value, wanted| {
            assert_eq!(contradict(a, b), wanted, "{a} {b}");
            assert_eq!(contradict(b, a), wanted, "{b} {a}");
        };
        let (two, five) = (Score::new(2), Score::new(5));
        check(Value::exact(two), Value::exact(two), false);
        check(Value::exact(two), Value::exact(five), true);
        check(Value::lower(two), Value::exact(five), false);
        check(Value::lower(five), Value::exact(two), true);
        check(Value::upper(two), Value::lower(five), true);
        check(Value::upper(five), Value::lower(two), false);
    }
}
