//! `eldest sim`: the same machines and searches on virtual time.

mod swarm;
mod sweep;
mod watch;

use crate::question::QuestionArgs;
use crate::trace::{Recorder, TraceArgs};
use crate::{Failure, choices, files, output};
use clap::Args;
use game::Policy;
use report::{Charted, Scaling, Style};
use search::Catalogue;
use sim::Plan;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::time::Duration;
use sweep::Sweep;

/// Largest plan that is read.
const MAX_PLAN_BYTES: u64 = 1 << 20;
/// Most seeds in one go, other than in a swarm.
const MAX_SEEDS: u64 = 10_000;

/// Options of `eldest sim`.
#[derive(Args, Debug)]
#[command(mut_arg("table", |table| table.default_value("0")))]
pub(crate) struct SimArgs {
    /// A plan that describes one run: workers, links, mishaps and what is searched
    #[arg(value_name = "PLAN.toml", conflicts_with_all = [
        "game", "suite", "position", "processors", "latency", "message_cost", "node",
        "bandwidth", "poll", "shared_table",
    ])]
    plan: Option<PathBuf>,
    /// Run so many random plans with all faults and all checkers on, each twice
    #[arg(long, value_name = "N", conflicts_with_all = [
        "plan", "game", "suite", "position", "processors", "latency", "message_cost", "node",
        "bandwidth", "poll", "shared_table", "json", "csv", "svg", "trace", "markdown",
    ])]
    #[arg(value_parser = clap::value_parser!(u64).range(1..))]
    swarm: Option<u64>,
    /// Seeds as in 1..10, both included: of all that is drawn, and of a synthetic tree without a seed
    /// of its own; of a swarm, the first
    #[arg(long, value_name = "N|A..B", value_parser = seeds)]
    seed: Option<RangeInclusive<u64>>,
    #[command(flatten)]
    question: QuestionArgs,
    /// Single-threaded workers, one step per number
    #[arg(long, value_name = "LIST", default_value = "1,4,16,64,256,1024", value_delimiter = ',')]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=i64::from(sim::MAX_WORKERS)))]
    processors: Vec<u32>,
    /// How long a message is under way, as in 100us, or drawn from a range, as in 50us..200us
    #[arg(long, value_name = "T|T..T", default_value = "100us", value_parser = latency)]
    latency: RangeInclusive<u64>,
    /// What the coordinator needs for each message in or out; 0s for nothing
    #[arg(long, value_name = "TIME", default_value = "2us", value_parser = nanoseconds)]
    message_cost: u64,
    /// What a worker needs for a position
    #[arg(long, value_name = "TIME", default_value = "1us", value_parser = nanoseconds)]
    node: u64,
    /// What each link carries in each direction, in bytes per second [default: any amount]
    #[arg(long, value_name = "BYTES", value_parser = clap::value_parser!(u64).range(1..))]
    bandwidth: Option<u64>,
    /// Positions a worker enters between two looks at its mail
    #[arg(long, value_name = "NODES", default_value_t = Plan::NODES_PER_POLL)]
    #[arg(value_parser = clap::value_parser!(u64).range(1..=1_000_000_000))]
    poll: u64,
    /// Let all workers use one ideal table of the size of --table, reached in no time
    #[arg(long)]
    shared_table: bool,
    /// Print the table in Markdown
    #[arg(long)]
    markdown: bool,
    /// Write everything that was found to this file
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

/// Simulates, prints the table, and writes the files.
pub(crate) fn run(args: &SimArgs, catalogue: &Catalogue) -> Result<(), Failure> {
    let seeds = args.seed.clone();
    if let Some(count) = args.swarm {
        return swarm::run(count, *seeds.unwrap_or(1..=1).start());
    }
    let given = [&args.json, &args.csv, &args.svg, &args.trace.trace];
    let [json, csv, svg, _] = files::destinations(given)?;
    let sweep = match &args.plan {
        Some(path) => Sweep::of_plan(read_plan(path, catalogue)?, seeds),
        None => sweep(args, catalogue, seeds.unwrap_or(1..=1))?,
    };
    let recorder = Recorder::start(args.trace.trace.as_deref(), catalogue)?;
    let swept = sweep.run(catalogue, recorder.as_ref());
    let written = recorder.map_or(Ok(()), Recorder::finish);
    let (scaling, effort) = swept?;
    let style = if args.markdown { Style::Markdown } else { Style::Terminal };
    let shown = show(&scaling, &effort, style);
    // Whoever reads the table may have gone away; the files are wanted all the same.
    files::write(json.as_ref(), &report::scaling_json(&scaling))?;
    files::write(csv.as_ref(), &report::scaling_csv(&scaling))?;
    if svg.is_some() {
        files::write(svg.as_ref(), &scaling.charts_svg().map_err(Failure::run)?)?;
    }
    shown.and(written)
}

fn read_plan(path: &Path, catalogue: &Catalogue) -> Result<Plan, Failure> {
    let wrong = |wrong: String| Failure::given(format!("plan {}: {wrong}", path.display()));
    let text = files::read(path, MAX_PLAN_BYTES).map_err(wrong)?;
    Plan::from_toml(&text, catalogue).map_err(|error| wrong(error.to_string()))
}

fn sweep(
    args: &SimArgs,
    catalogue: &Catalogue,
    seeds: RangeInclusive<u64>,
) -> Result<Sweep, Failure> {
    if args.question.policy == Policy::Sequential {
        return Err(Failure::given("--policy sequential is the baseline; give a parallel policy"));
    }
    if args.question.names_nothing() {
        return Err(Failure::given(
            "say what to simulate: a PLAN.toml, --game GAMESPEC, --suite ffo or --swarm N",
        ));
    }
    let questions = args.question.questions(catalogue)?;
    let plan = Plan {
        shared_table: args.shared_table,
        workers: Vec::new(),
        latency_ns: args.latency.clone(),
        bytes_per_s: args.bandwidth,
        message_in_ns: args.message_cost,
        message_out_ns: args.message_cost,
        nodes_per_poll: args.poll,
        ..Plan::steady(questions[0].setup.clone(), 1, 0)
    };
    Ok(Sweep::of_steps(plan, questions, &args.processors, args.node, seeds))
}

fn show(scaling: &Scaling, effort: &str, style: Style) -> Result<(), Failure> {
    let table = report::scaling_table(scaling, style);
    output::print(&format!(
        "{problem}\n\n{table}\n\n\
         S = P·LO·PE/(1+SO) in each run: speed-up against the sequential program on the fastest \
         worker, search overhead\nSO, load LO, performance PE; all but S are means over the seeds. \
         Virtual time charges every position the same, so\nPE is 1 by construction, less what slots \
         wait for their mail. coord.: the share of time in which the coordinator\nwas busy with \
         messages. Every score was compared with the sequential one.\n\n{effort}",
        problem = scaling.problem,
    ))
}

/// Reads `7` or `1..10`, both ends included.
fn seeds(text: &str) -> Result<RangeInclusive<u64>, String> {
    let right = format!("must be a seed, or at most {MAX_SEEDS} as in 1..10, both included");
    let (first, last) = text.split_once("..").unwrap_or((text, text));
    let ends = first.trim().parse::<u64>().ok().zip(last.trim().parse::<u64>().ok());
    let seeds = ends.filter(|(first, last)| first <= last && last - first < MAX_SEEDS);
    seeds.map(|(first, last)| first..=last).ok_or(right)
}

/// Reads `100us` or `50us..200us` in nanoseconds.
fn latency(text: &str) -> Result<RangeInclusive<u64>, String> {
    let (least, most) = text.split_once("..").unwrap_or((text, text));
    let (least, most) = (nanoseconds(least)?, nanoseconds(most)?);
    if least > most {
        return Err(format!("{text} must begin with the shorter time, as in 50us..200us"));
    }
    Ok(least..=most)
}

fn nanoseconds(text: &str) -> Result<u64, String> {
    if text.trim() == "0s" {
        return Ok(0);
    }
    let time: Duration = choices::time(text.trim())?;
    let ns = u64::try_from(time.as_nanos()).ok().filter(|&ns| ns <= sim::MAX_NS);
    ns.ok_or_else(|| "must be at most 11 days".into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seeds_are_one_or_a_range_with_both_ends() {
        assert_eq!(seeds("7"), Ok(7..=7));
        assert_eq!(seeds("1..10"), Ok(1..=10));
        for wrong in ["", "..", "1..", "10..1", "-1", "a", "0..10000"] {
            assert!(seeds(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn latencies_are_one_time_or_a_range() {
        assert_eq!(latency("100us"), Ok(100_000..=100_000));
        assert_eq!(latency("0s..1ms"), Ok(0..=1_000_000));
        for wrong in ["", "100", "2us..1us", "12d", "1us.."] {
            assert!(latency(wrong).is_err(), "{wrong}");
        }
    }
}
