//! Protobuf messages of Eldest, and their conversion to and from what the machines say.
//!
//! Everything that comes from outside becomes a value of `game` or `ybw` here or is refused as
//! [`Malformed`]; behind this crate nothing needs to be checked again. Conversions never panic.

mod answer;
mod client;
mod error;
mod findings;
mod from_worker;
mod kind;
mod offer;
#[cfg(test)]
mod tests;
mod to_worker;
mod vocabulary;

pub use answer::Answer;
pub use client::{SearchOrder, SearchUpdate, Standing};
pub use error::Malformed;
pub use findings::Shared;
pub use from_worker::{Greeting, WorkerSaid};
pub use kind::Kind;
pub use to_worker::CoordinatorSaid;

/// The generated messages and services.
#[expect(missing_docs, reason = "the comments are in the .proto files")]
#[allow(clippy::all, clippy::unwrap_used, clippy::semicolon_if_nothing_returned)]
#[allow(clippy::too_many_lines, clippy::cast_lossless, clippy::uninlined_format_args)]
#[allow(clippy::redundant_closure_for_method_calls, rust_2018_idioms)]
pub mod v1 {
    tonic::include_proto!("eldest.v1");
}

/// The compiled protobuf files, for reflection.
pub const FILE_DESCRIPTOR_SET: &[u8] = tonic::include_file_descriptor_set!("eldest_descriptor");

/// The version of the protocol. Raised by every change that an older peer would misunderstand.
pub const PROTOCOL_VERSION: u32 = 5;

/// A frame is filled with what waits until it has this size; a larger message travels alone.
pub const MAX_FRAME_BYTES: usize = 256 << 10;
/// Largest frame that is read. The largest message, a long game to be prepared, needs a third of it.
pub const MAX_MESSAGE_BYTES: usize = 4 << 20;
/// Most search threads of one worker.
pub const MAX_SLOTS: u32 = 4096;
/// Longest name of a worker or a game, in bytes.
pub const MAX_NAME: usize = 256;
/// Most games of one worker.
pub const MAX_GAMES: usize = 1024;
/// Most findings in one message.
pub const MAX_FINDINGS: usize = 8192;
/// Most peers that join or go in one message.
pub const MAX_PEERS: usize = 4096;
/// Longest text that says why, in bytes; a longer one is cut short by its sender.
pub const MAX_REASON: usize = 4096;
/// Longest position text, in bytes.
pub const MAX_POSITION: usize = 1 << 16;
/// Largest table of one process, in MiB.
pub const MAX_TABLE_MIB: u32 = 1 << 16;
/// Most kinds of messages that an answer counts in each direction.
pub const MAX_KINDS: usize = 64;
