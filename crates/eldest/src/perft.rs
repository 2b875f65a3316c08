//! `eldest perft`: counts the paths of so many moves, a test of a game's rules.

use crate::question::inline_tree;
use crate::{Failure, output};
use clap::Args;
use game::Setup;
use search::Catalogue;

/// Options of `eldest perft`.
#[derive(Args, Debug)]
pub(crate) struct PerftArgs {
    /// The game: name[:size][,key=value...]
    #[arg(long, value_name = "GAMESPEC")]
    game: String,
    /// The position in the game's notation [default: the game's usual start]
    #[arg(long, default_value = "", hide_default_value = true, allow_hyphen_values = true)]
    position: String,
    /// The longest paths, in moves
    #[arg(long, value_name = "D")]
    #[arg(value_parser = clap::value_parser!(u8).range(1..=64))]
    depth: u8,
}

/// Prints a depth and its paths per line.
pub(crate) fn run(args: &PerftArgs, catalogue: &Catalogue) -> Result<(), Failure> {
    let position = args.position.clone();
    let setup = Setup { position, ..Setup::new(inline_tree(&args.game)?) };
    let problem = catalogue.prepare(&setup)?;
    for depth in 1..=args.depth {
        output::print(&format!("{depth} {}", problem.perft(depth)))?;
    }
    Ok(())
}
