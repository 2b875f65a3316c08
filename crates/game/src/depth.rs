//! Remaining depth: [`Depth`].

use serde::{Deserialize, Serialize};
use std::fmt;

/// How many plies remain to be searched, or [`Depth::FULL`]: to the end of the game.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Depth(u8);

impl Depth {
    /// Static values only.
    pub const ZERO: Depth = Depth(0);
    /// To the end of the game, however far that is.
    pub const FULL: Depth = Depth(u8::MAX);
    /// The deepest fixed depth.
    pub const MAX_FIXED: u8 = u8::MAX - 1;

    /// A fixed depth in plies, or `None` if it exceeds [`Depth::MAX_FIXED`].
    #[must_use]
    pub fn plies(plies: u8) -> Option<Depth> {
        (plies <= Self::MAX_FIXED).then_some(Depth(plies))
    }

    /// The byte that stands for it: the plies, or 255 for [`Depth::FULL`].
    #[must_use]
    pub const fn code(self) -> u8 {
        self.0
    }

    /// The depth that [`Depth::code`] made the byte from.
    #[must_use]
    pub const fn from_code(code: u8) -> Depth {
        Depth(code)
    }

    /// The depth of a child: one less, and full stays full.
    ///
    /// # Panics
    /// At depth zero, where nothing is expanded.
    #[must_use]
    pub fn child(self) -> Depth {
        assert!(self != Depth::ZERO, "a node at depth zero has no children");
        if self == Depth::FULL { self } else { Depth(self.0 - 1) }
    }

    /// Plies that really remain when the game lasts at most `plies_left` more.
    #[must_use]
    pub fn at_most(self, plies_left: u32) -> u8 {
        self.0.min(u8::try_from(plies_left).unwrap_or(u8::MAX))
    }
}

impl fmt::Display for Depth {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if *self == Depth::FULL { f.write_str("full") } else { write!(f, "{}", self.0) }
    }
}

impl fmt::Debug for Depth {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
