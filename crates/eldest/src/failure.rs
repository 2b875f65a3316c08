//! How a command can fail, and the exit code that says so: [`Failure`].

use game::GameError;
use std::fmt;

/// Why a command did not do what was asked.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Failure {
    /// Something given is wrong: bad usage or input.
    Given(String),
    /// A run failed: a score disagrees, or a search was given up.
    Run(String),
    /// Ctrl-C.
    Interrupted,
    /// Whoever read the results went away, as `head` does. Nobody is told.
    Unread,
}

impl Failure {
    /// A [`Failure::Given`].
    pub(crate) fn given(wrong: impl fmt::Display) -> Failure {
        Failure::Given(wrong.to_string())
    }

    /// A [`Failure::Run`].
    pub(crate) fn run(wrong: impl fmt::Display) -> Failure {
        Failure::Run(wrong.to_string())
    }

    /// What the process exits with.
    pub(crate) fn exit_code(&self) -> u8 {
        match self {
            Failure::Run(_) => 1,
            Failure::Given(_) => 2,
            Failure::Interrupted => 130,
            Failure::Unread => 141,
        }
    }
}

impl fmt::Display for Failure {
    /// Always one line.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Given(wrong) | Failure::Run(wrong) => {
                let words: Vec<&str> = wrong.lines().map(str::trim).collect();
                f.write_str(&words.join(" "))
            }
            Failure::Interrupted => f.write_str("interrupted; the search was given up"),
            Failure::Unread => f.write_str("nobody reads standard output any more"),
        }
    }
}

impl From<GameError> for Failure {
    fn from(error: GameError) -> Failure {
        Failure::given(error)
    }
}

impl From<cluster::Error> for Failure {
    fn from(error: cluster::Error) -> Failure {
        if error.is_usage() { Failure::given(error) } else { Failure::run(error) }
    }
}
