//! Eldest: one game tree searched by many machines.
//!
//! This is the whole program as a library, for people who bring their own game. Implement
//! [`game::Game`], add it to a [`Catalogue`] and hand that to [`main_with`]: the result is an
//! `eldest` command whose coordinator, workers, solver and bench know the game too. Every process
//! of a cluster must be that same program.
//!
//! ```no_run
//! use eldest::game::{Game, GameError, GameSpec, Move, MoveList, Score};
//!
//! /// Players take one, two or three from a pile; whoever takes the last wins.
//! #[derive(Clone)]
//! struct Pile {
//!     height: u32,
//! }
//!
//! impl Pile {
//!     /// Reads `pile:20`.
//!     fn from_spec(spec: &GameSpec) -> Result<Pile, GameError> {
//!         spec.expect(true, &[])?;
//!         let height = spec.only_size("one height")?.unwrap_or("20").parse();
//!         let height = height.map_err(|_| spec.wrong("the height must be a whole number"))?;
//!         Ok(Pile { height })
//!     }
//! }
//!
//! impl Game for Pile {
//!     type Position = u32;
//!
//!     fn start(&self) -> u32 {
//!         self.height
//!     }
//!     fn parse_position(&self, text: &str) -> Result<u32, GameError> {
//!         text.parse().map_err(|_| GameError::position(text, "must be the height of the pile"))
//!     }
//!     fn position_text(&self, height: &u32) -> String {
//!         height.to_string()
//!     }
//!     fn move_text(&self, _height: &u32, mv: Move) -> String {
//!         mv.0.to_string()
//!     }
//!     fn final_score(&self, height: &u32) -> Option<Score> {
//!         (*height == 0).then_some(Score::new(-1))
//!     }
//!     fn moves(&self, height: &u32, moves: &mut MoveList) {
//!         moves.extend((1..=3).filter(|&taken| u32::from(taken) <= *height).map(Move));
//!     }
//!     fn play(&self, height: &u32, mv: Move) -> u32 {
//!         height - u32::from(mv.0)
//!     }
//!     fn evaluate(&self, _height: &u32) -> Score {
//!         Score::ZERO
//!     }
//!     fn key(&self, height: &u32) -> u64 {
//!         u64::from(*height).wrapping_mul(0x9E37_79B9_7F4A_7C15)
//!     }
//! }
//!
//! fn main() -> std::process::ExitCode {
//!     eldest::main_with(eldest::Catalogue::standard().with("pile", Pile::from_spec))
//! }
//! ```

mod bench;
mod choices;
mod cli;
mod coordinator;
mod engine;
mod failure;
mod files;
mod games;
mod health;
mod http;
mod logging;
mod otlp;
mod output;
mod perft;
mod question;
mod record;
mod shutdown;
mod sim;
mod solve;
mod suite;
mod top;
mod trace;
mod watching;
mod worker;

pub use cli::main_with;
pub(crate) use failure::Failure;
/// The vocabulary of game-tree search, and the games that come with Eldest.
pub use game;
pub use search::Catalogue;
