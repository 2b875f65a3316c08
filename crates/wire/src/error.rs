//! What can be wrong with a message: [`Malformed`].

use game::{EmptyWindow, Score};
use thiserror::Error;

/// A message that no correct peer would send.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum Malformed {
    /// A part that must be there is not.
    #[error("{part} is missing")]
    Missing {
        /// The part.
        part: &'static str,
    },
    /// A score beyond what scores can be.
    #[error("score {given} is out of range; its magnitude must be at most {}", Score::LIMIT)]
    Score {
        /// What was given.
        given: i32,
    },
    /// A window that holds nothing.
    #[error(transparent)]
    Window(#[from] EmptyWindow),
    /// A number beyond its limit.
    #[error("{part} is {given}; {low} to {high} are allowed")]
    Number {
        /// What it counts.
        part: &'static str,
        /// What was given.
        given: u64,
        /// The least allowed.
        low: u64,
        /// The most allowed.
        high: u64,
    },
    /// A name of an enumeration that this version does not know.
    #[error("{part} has the unknown code {given}")]
    Code {
        /// The enumeration.
        part: &'static str,
        /// What was given.
        given: i32,
    },
    /// What is known of a child contradicts itself.
    #[error(
        "child {index} is said to lie between {low} and {high}; the first must not exceed the second"
    )]
    Known {
        /// The child's index.
        index: u32,
        /// The lower end.
        low: Score,
        /// The upper end.
        high: Score,
    },
}

impl Malformed {
    /// Passes `given` on if it lies within the limits.
    pub(crate) fn unless_within(
        part: &'static str,
        given: u64,
        low: u64,
        high: u64,
    ) -> Result<u64, Malformed> {
        if (low..=high).contains(&given) {
            Ok(given)
        } else {
            Err(Malformed::Number { part, given, low, high })
        }
    }

    /// Checks a length against a limit.
    pub(crate) fn if_longer(
        part: &'static str,
        length: usize,
        limit: usize,
    ) -> Result<(), Malformed> {
        Malformed::unless_within(part, length as u64, 0, limit as u64).map(|_| ())
    }
}

/// The part, or that it is missing.
pub(crate) fn present<T>(value: Option<T>, part: &'static str) -> Result<T, Malformed> {
    value.ok_or(Malformed::Missing { part })
}
