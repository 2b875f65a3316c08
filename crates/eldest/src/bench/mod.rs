//! `eldest bench`: measures what processors buy against the sequential program.

mod loopback;
mod measure;

use crate::engine::{connect, interruptible};
use crate::question::QuestionArgs;
use crate::trace::{Recorder, TraceArgs};
use crate::{Failure, choices, files, output};
use clap::Args;
use game::Policy;
use measure::{Measurement, Site};
use report::{Charted, Comparison, Style};
use search::Catalogue;
use std::path::PathBuf;
use std::time::Duration;

/// The positions of the FFO suite that are searched when nothing is named: some seven seconds for the
/// sequential program, so that three runs of all steps take about a minute.
const DEFAULT_POSITIONS: &str = "40-42";

/// Options of `eldest bench`.
#[derive(Args, Debug)]
pub(crate) struct BenchArgs {
    #[command(flatten)]
    question: QuestionArgs,
    /// Worker processes started on this host, one step per number
    #[arg(long, value_name = "LIST", default_value = "1,2", value_delimiter = ',')]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=1024), conflicts_with = "coordinator")]
    workers: Vec<u32>,
    /// Search threads of each worker process
    #[arg(long, value_name = "N", default_value_t = 1, conflicts_with = "coordinator")]
    #[arg(value_parser = clap::value_parser!(u16).range(1..=i64::from(wire::MAX_SLOTS)))]
    threads_per_worker: u16,
    /// Measure on the running cluster of this coordinator instead, as in http://host:7171
    #[arg(long, value_name = "URL", requires = "processors")]
    coordinator: Option<String>,
    /// Slots of that cluster, one step per number, as in 1,2,4,8
    #[arg(long, value_name = "LIST", value_delimiter = ',', requires = "coordinator")]
    #[arg(value_parser = clap::value_parser!(u32).range(1..))]
    processors: Vec<u32>,
    /// How long to wait for that coordinator to answer
    #[arg(long, value_name = "TIME", default_value = "10s", value_parser = choices::time)]
    patience: Duration,
    /// Times each step and the baseline are repeated
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..=1000))]
    runs: u32,
    /// Print the tables in Markdown
    #[arg(long)]
    markdown: bool,
    /// Write everything that was measured to this file
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Write the table to this file
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
    /// Draw speed-up, the use of the processors' time, and window traffic into this file
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    #[command(flatten)]
    trace: TraceArgs,
}

/// Measures, prints the tables, and writes the files.
pub(crate) async fn run(mut args: BenchArgs, catalogue: Catalogue) -> Result<(), Failure> {
    if args.question.policy == Policy::Sequential {
        return Err(Failure::given("--policy sequential is the baseline; give a parallel policy"));
    }
    if args.question.names_nothing() {
        args.question.choose_suite("ffo", DEFAULT_POSITIONS)?;
    }
    if args.trace.trace.is_some() && args.coordinator.is_some() {
        return Err(Failure::given(
            "--trace is of worker processes started here; a cluster's is written by its coordinator: \
             `eldest coordinator --trace FILE`",
        ));
    }
    let given = [&args.json, &args.csv, &args.svg, &args.trace.trace];
    let [json, csv, svg, _] = files::destinations(given)?;
    let questions = args.question.questions(&catalogue)?;
    let recorder = Recorder::start(args.trace.trace.as_deref(), &catalogue)?;
    let (site, steps) = interruptible(site(&args, catalogue)).await?;
    let (runs, trace) = (args.runs, recorder.as_ref());
    let measurement = Measurement { questions: &questions, site, steps, runs, trace };
    let measured = interruptible(measurement.run()).await;
    let written = recorder.map_or(Ok(()), Recorder::finish);
    let comparison = measured?;
    let shown = show(&comparison, if args.markdown { Style::Markdown } else { Style::Terminal });
    // Whoever reads the tables may have gone away; the files are wanted all the same.
    files::write(json.as_ref(), &report::json(&comparison))?;
    files::write(csv.as_ref(), &report::csv(&comparison))?;
    if svg.is_some() {
        files::write(svg.as_ref(), &comparison.charts_svg().map_err(Failure::run)?)?;
    }
    shown.and(written)
}

async fn site(args: &BenchArgs, catalogue: Catalogue) -> Result<(Site, Vec<u32>), Failure> {
    let Some(url) = &args.coordinator else {
        let threads = args.threads_per_worker;
        return Ok((Site::Loopback { catalogue, threads }, args.workers.clone()));
    };
    let most = args.processors.iter().copied().max().unwrap_or(0);
    let client = connect(url, args.patience, most).await?;
    Ok((Site::Cluster(client), args.processors.clone()))
}

fn show(comparison: &Comparison, style: Style) -> Result<(), Failure> {
    let runs = comparison.baselines.len();
    let terms = report::terms_table(comparison, style);
    let traffic = report::traffic_table(comparison, style);
    output::print(&format!(
        "{problem}\n\n{terms}\n\n\
         Each row is the median of {runs} by time. S = P·LO·PE/(1+SO): speed-up against the \
         sequential program (seq),\nsearch overhead SO, load LO, performance PE. Pushed: windows \
         sent to running jobs; cut: those that cut off;\ndiscarded: nodes of cancelled jobs.\nApplied after: from the push of a window until the \
         coordinator heard that a running job has it.\n\n\
         {traffic}",
        problem = comparison.problem,
    ))
}
