//! Trace files: written while a run goes on, and read for what happened to every window.
//!
//! [`Line`] is what a file is made of, [`Story`] what one coordinator's part of it comes to: jobs, window updates
//! and searches with their fates. Tables and pictures are made from stories. [`PerfettoWriter`] needs no
//! story: it turns events into a Perfetto trace as they come.

mod clocks;
mod file;
mod lanes;
mod perfetto;
mod split_tree;
mod story;
mod tables;
#[cfg(test)]
pub(crate) mod tests;
mod timeline;

pub use file::{ClockKind, Header, Line, Reading, TRACE_VERSION, TraceError, read_trace};
pub use perfetto::PerfettoWriter;
pub use split_tree::{SplitView, split_dot, split_text};
pub use story::{
    Fate, JobEnd, JobStory, NodeStory, SearchStory, Story, Telling, Update, WorkerStory,
};
pub(crate) use tables::problem_of;
pub use tables::{
    SearchRow, UpdateTotals, jobs_table, search_rows, summary_table, totals_text, windows_table,
};
pub use timeline::{Span, timeline_svg};

use game::{Move, Setup};

/// Spells a line of moves that begins at the root of a search.
pub type Spell = Box<dyn Fn(&[Move]) -> String + Send>;

/// Makes the [`Spell`] of a search.
pub type Speller = Box<dyn Fn(&Setup) -> Spell + Send>;

/// Spells moves as the numbers they are in the trace, for games that nobody here knows.
#[must_use]
pub fn spell_codes(_: &Setup) -> Spell {
    Box::new(|moves| {
        let codes: Vec<String> = moves.iter().map(|mv| mv.0.to_string()).collect();
        codes.join(" ")
    })
}
