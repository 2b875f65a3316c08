//! `eldest solve`: searches a position or a suite, here or on a cluster.

use crate::engine::{Engine, interruptible};
use crate::question::{Question, QuestionArgs};
use crate::record::{Record, Summary};
use crate::trace::{Recorder, TraceArgs};
use crate::{Failure, choices, output};
use clap::Args;
use cluster::{Observer, TableFile};
use game::{Policy, Score, Sharing};
use report::trace::ClockKind;
use search::Catalogue;
use std::path::PathBuf;
use std::time::Duration;
use ybw::Outcome;

/// Options of `eldest solve`.
#[derive(Args, Debug)]
pub(crate) struct SolveArgs {
    #[command(flatten)]
    question: QuestionArgs,
    /// Search threads of this process [default: all cores]
    #[arg(long, value_name = "N", conflicts_with = "coordinator")]
    #[arg(value_parser = clap::value_parser!(u16).range(1..=i64::from(wire::MAX_SLOTS)))]
    threads: Option<u16>,
    /// Search on the cluster of this coordinator, as in http://host:7171
    #[arg(long, value_name = "URL")]
    coordinator: Option<String>,
    /// Slots of the cluster that may work at it, spread over the hosts [default: all]
    #[arg(long, value_name = "N", requires = "coordinator")]
    #[arg(value_parser = clap::value_parser!(u32).range(1..))]
    processors: Option<u32>,
    /// How long to wait for a coordinator to answer
    #[arg(long, value_name = "TIME", default_value = "10s", value_parser = choices::time)]
    patience: Duration,
    /// Begin with the table in this file, if it is there, and save the table there in the end, or when
    /// interrupted
    #[arg(long, value_name = "FILE", conflicts_with = "coordinator")]
    table_file: Option<PathBuf>,
    /// Give a search up after this time, as in 30s
    #[arg(long, value_name = "TIME", value_parser = choices::time)]
    time: Option<Duration>,
    /// Fail if the score is another one
    #[arg(long, value_name = "SCORE", conflicts_with = "suite", allow_hyphen_values = true)]
    #[arg(value_parser = choices::score)]
    expect: Option<Score>,
    /// Print one JSON object per position
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    trace: TraceArgs,
}

/// Searches what the options name and compares every score with the one expected.
pub(crate) async fn run(args: SolveArgs, catalogue: Catalogue) -> Result<(), Failure> {
    let mut questions = args.question.questions(&catalogue)?;
    for question in &mut questions {
        question.expected = question.expected.or(args.expect);
    }
    if args.trace.trace.is_some() && args.coordinator.is_some() {
        return Err(Failure::given(
            "--trace is of a search in this process; a cluster's is written by its coordinator:              `eldest coordinator --trace FILE`",
        ));
    }
    let table_file = table_file(&args, &questions)?;
    let recorder = Recorder::start(args.trace.trace.as_deref(), &catalogue)?;
    let engine = engine(&args, &catalogue, recorder.as_ref()).await?;
    let engine = engine.keeping_table_in(table_file.clone());
    let solved = solve(&args, &questions, &catalogue, recorder.as_ref(), engine).await;
    let written = recorder.map_or(Ok(()), Recorder::finish);
    let saved = table_file.map_or(Ok(()), |file| save(&file));
    solved.and(written).and(saved)
}

/// The file that the table is kept in, checked.
fn table_file(args: &SolveArgs, questions: &[Question]) -> Result<Option<TableFile>, Failure> {
    let Some(path) = &args.table_file else { return Ok(None) };
    if let Some(Question { setup, .. }) = questions.first() {
        if setup.table_mib == 0 {
            return Err(Failure::given("--table-file needs a table; give --table 1 or more MiB"));
        }
        if setup.sharing == Sharing::Off {
            return Err(Failure::given(
                "--table-file is of the table that threads share; give --table-sharing process",
            ));
        }
    }
    Ok(Some(TableFile::open(path)?))
}

/// Saves what is known now. Threads that were told to stop may still be at it.
fn save(file: &TableFile) -> Result<(), Failure> {
    if let Some(entries) = file.save()? {
        tracing::info!(entries, "table saved");
    }
    Ok(())
}

async fn solve(
    args: &SolveArgs,
    questions: &[Question],
    catalogue: &Catalogue,
    recorder: Option<&Recorder>,
    engine: Engine,
) -> Result<(), Failure> {
    let mut summary = Summary::new();
    let mut failure = None;
    for question in questions {
        let position = catalogue.prepare(&question.setup)?.position_text();
        if let (Some(recorder), Engine::Here { .. }) = (recorder, &engine) {
            recorder.begin(&question.label(), ClockKind::Real);
        }
        let answer = interruptible(engine.solve(question, args.time, &question.label())).await?;
        if let (Some(recorder), Engine::Sequential { .. }) = (recorder, &engine) {
            let (label, setup) = (question.label(), &question.setup);
            recorder.note_sequential(&label, ClockKind::Real, setup, &answer.facts);
        }
        let complaint = complaint(question, &answer.facts.outcome, args.time);
        let record = Record::new(question, position, answer);
        let printed = output::print(&if args.json { record.json() } else { record.text() });
        summary.add(&record);
        failure = failure.or(complaint);
        if let Err(unprinted) = printed {
            // A wrong score is not to be missed, whether anybody reads the records or not.
            return Err(failure.unwrap_or(unprinted));
        }
    }
    if args.question.suite.is_some() {
        output::print(&if args.json { summary.json() } else { summary.text() })?;
    }
    failure.map_or(Ok(()), Err)
}

async fn engine(
    args: &SolveArgs,
    catalogue: &Catalogue,
    recorder: Option<&Recorder>,
) -> Result<Engine, Failure> {
    match &args.coordinator {
        Some(url) => {
            let processors = args.processors.unwrap_or(0);
            interruptible(Engine::remote(url, args.patience, processors)).await
        }
        None if args.question.policy == Policy::Sequential => {
            Ok(Engine::sequential(catalogue.clone()))
        }
        None => {
            let observer = recorder.map_or_else(Observer::default, Recorder::observer);
            Ok(Engine::here(catalogue.clone(), args.threads, observer))
        }
    }
}

/// What is wrong with an answer, if anything.
fn complaint(question: &Question, outcome: &Outcome, limit: Option<Duration>) -> Option<Failure> {
    let label = question.label();
    match outcome {
        Outcome::Solved { value, .. } if question.agrees(*value) => None,
        Outcome::Solved { value, .. } => {
            let expected = question.expected.map_or(String::new(), |score| score.to_string());
            Some(Failure::run(format!("{label}: score {value}, but {expected} was expected")))
        }
        Outcome::Aborted => {
            let why = match limit {
                Some(limit) => format!("given up after {}", humantime::format_duration(limit)),
                None => "given up by another client, or because the coordinator ends".to_string(),
            };
            Some(Failure::run(format!("{label}: {why}")))
        }
        Outcome::Failed { reason } => Some(Failure::run(format!("{label}: {reason}"))),
    }
}
