//! The command line: [`main_with`] reads it, runs one command and says how that went.

use crate::{
    Failure, bench, coordinator, games, health, logging, perft, sim, solve, top, trace, worker,
};
use clap::error::ErrorKind;
use clap::{Args, Parser, Subcommand};
use logging::Format;
use search::Catalogue;
use std::io::{self, Write};
use std::process::ExitCode;

/// A distributed parallel alpha-beta engine: young brothers wait, windows narrow on other machines
#[derive(Parser, Debug)]
#[command(name = "eldest", version, max_term_width = 100)]
#[command(after_help = "Exit codes: 0 ok; 1 a run failed (a score disagrees, or a search was \
                        given up); 2 bad usage or input; 130 interrupted; 141 nobody reads what \
                        is printed.")]
struct Cli {
    #[command(flatten)]
    global: Global,
    #[command(subcommand)]
    command: Command,
}

#[derive(Args, Debug)]
struct Global {
    /// What is logged to standard error, as in `debug` or `warn,eldest_cluster=trace`
    /// [default: info for coordinator and worker, else warn]
    #[arg(long, global = true, value_name = "FILTER", env = "ELDEST_LOG")]
    log: Option<String>,
    /// How it is logged
    #[arg(long, global = true, value_enum, default_value = "text")]
    log_format: Format,
}

#[derive(Subcommand, Debug)]
enum Command {
    /// Owns the top of the tree and hands subtrees to workers
    Coordinator(coordinator::CoordinatorArgs),
    /// Searches subtrees for a coordinator
    Worker(worker::WorkerArgs),
    /// Searches a position or a suite, here or on a cluster
    Solve(Box<solve::SolveArgs>),
    /// Measures what processors buy against the sequential program
    Bench(Box<bench::BenchArgs>),
    /// Simulates a cluster on virtual time: any number of processors, and any fault
    Sim(Box<sim::SimArgs>),
    /// Shows what goes on at a coordinator, live
    Top(top::TopArgs),
    /// Tells what a trace holds: what happened to every window, and what it saved
    Trace(Box<trace::TraceCommand>),
    /// Asks a coordinator or worker whether it is well, as gRPC health does
    Health(health::HealthArgs),
    /// Lists the games and their notation
    Games,
    /// Counts the paths of so many moves
    Perft(perft::PerftArgs),
}

impl Command {
    fn default_log(&self) -> &'static str {
        match self {
            Command::Coordinator(_) | Command::Worker(_) => "info",
            Command::Solve(_)
            | Command::Bench(_)
            | Command::Sim(_)
            | Command::Top(_)
            | Command::Trace(_)
            | Command::Health(_)
            | Command::Games
            | Command::Perft(_) => "warn",
        }
    }
}

/// The whole `eldest` command over the games of `catalogue`: reads the arguments of the process,
/// does what they say, and returns what the process is to exit with.
///
/// Results go to standard output, logs and one line about a failure to standard error.
#[must_use]
pub fn main_with(catalogue: Catalogue) -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) if !error.use_stderr() => {
            let _ = error.print();
            return ExitCode::SUCCESS;
        }
        Err(error) => return report(&Failure::given(complaint(&error))),
    };
    match run(cli, catalogue) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => report(&failure),
    }
}

fn run(cli: Cli, catalogue: Catalogue) -> Result<(), Failure> {
    let filter = cli.global.log.as_deref().unwrap_or(cli.command.default_log());
    logging::start(filter, cli.global.log_format)?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime =
        runtime.map_err(|error| Failure::run(format!("cannot start the runtime: {error}")))?;
    runtime.block_on(async {
        match cli.command {
            Command::Coordinator(args) => coordinator::run(args, catalogue).await,
            Command::Worker(args) => worker::run(args, catalogue).await,
            Command::Solve(args) => solve::run(*args, catalogue).await,
            Command::Bench(args) => bench::run(*args, catalogue).await,
            Command::Sim(args) => sim::run(&args, &catalogue),
            Command::Top(args) => top::run(&args).await,
            Command::Trace(args) => trace::run(&args, &catalogue),
            Command::Health(args) => health::run(&args).await,
            Command::Games => games::run(&catalogue),
            Command::Perft(args) => perft::run(&args, &catalogue),
        }
    })
}

fn report(failure: &Failure) -> ExitCode {
    if *failure != Failure::Unread {
        // Whoever read standard error may be gone too.
        let _ = writeln!(io::stderr(), "error: {failure}");
    }
    ExitCode::from(failure.exit_code())
}

/// The first paragraph of what clap has to say, without its prefix.
fn complaint(error: &clap::Error) -> String {
    if error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand {
        return "give a command, as in `eldest solve`; try --help".into();
    }
    let text = error.to_string();
    let text = text.strip_prefix("error: ").unwrap_or(&text);
    let paragraph = text.split("\n\n").next().unwrap_or(text);
    format!("{}; try --help", paragraph.trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn complaints_are_cut_to_what_is_wrong() {
        let check = |arguments: &[&str], wanted: &str| {
            let error = Cli::try_parse_from(arguments).unwrap_err();
            let line = Failure::given(complaint(&error)).to_string();
            assert!(line.contains(wanted) && !line.contains('\n'), "{arguments:?}: {line}");
        };
        check(&["eldest", "solve", "--depth", "x"], "--depth <D|full>': must be full or plies");
        check(&["eldest", "solve", "--order", "x"], "[possible values: static, left-to-right");
        check(&["eldest", "perft"], "required arguments were not provided: --game");
        check(&["eldest"], "give a command");
        check(&["eldest", "conquer"], "unrecognized subcommand 'conquer'");
    }
}
