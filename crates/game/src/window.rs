//! The open interval alpha-beta searches with: [`Window`].

use crate::Score;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::ops::Neg;
use thiserror::Error;

/// The open interval (alpha, beta) of scores that still matter. An empty one cannot exist.
///
/// ```
/// use eldest_game::{Score, Window};
/// let window = Window::new(Score::new(-1), Score::new(4)).unwrap();
/// assert_eq!((-window).alpha(), Score::new(-4));
/// assert!(Window::new(Score::new(4), Score::new(4)).is_none());
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "(Score, Score)", into = "(Score, Score)")]
pub struct Window {
    alpha: Score,
    beta: Score,
}

impl Window {
    /// Every score lies inside.
    pub const FULL: Window = Window { alpha: Score::new(-Score::LIMIT), beta: Score::INFINITY };

    /// The window (alpha, beta), or `None` if alpha >= beta.
    #[must_use]
    pub fn new(alpha: Score, beta: Score) -> Option<Window> {
        (alpha < beta).then_some(Window { alpha, beta })
    }

    /// The null window (alpha, alpha + 1): it asks only whether a value exceeds alpha.
    ///
    /// # Panics
    /// If `alpha` is [`Score::INFINITY`], above which nothing lies.
    #[must_use]
    pub fn null(alpha: Score) -> Window {
        assert!(alpha < Score::INFINITY, "no null window above infinity");
        Window { alpha, beta: alpha.successor() }
    }

    /// Scores at or below this are all alike.
    #[must_use]
    pub const fn alpha(self) -> Score {
        self.alpha
    }

    /// Scores at or above this are all alike.
    #[must_use]
    pub const fn beta(self) -> Score {
        self.beta
    }

    /// Whether it asks a yes-or-no question.
    #[must_use]
    pub fn is_null(self) -> bool {
        self.alpha.successor() == self.beta
    }

    /// Whether every score inside `inner` is inside `self` too.
    #[must_use]
    pub fn contains(self, inner: Window) -> bool {
        self.alpha <= inner.alpha && inner.beta <= self.beta
    }

    /// The window with alpha raised to `alpha`, unless that empties it.
    #[must_use]
    pub fn above(self, alpha: Score) -> Option<Window> {
        Window::new(self.alpha.max(alpha), self.beta)
    }
}

impl Neg for Window {
    type Output = Window;
    /// The same window from the opponent's side.
    fn neg(self) -> Window {
        Window { alpha: -self.beta, beta: -self.alpha }
    }
}

impl fmt::Display for Window {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "({}, {})", self.alpha, self.beta)
    }
}

impl fmt::Debug for Window {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// A window whose alpha is not below its beta.
#[derive(Debug, Error, PartialEq, Eq)]
#[error("window ({0}, {1}) is empty; alpha must be below beta")]
pub struct EmptyWindow(pub Score, pub Score);

impl TryFrom<(Score, Score)> for Window {
    type Error = EmptyWindow;
    fn try_from((alpha, beta): (Score, Score)) -> Result<Window, EmptyWindow> {
        Window::new(alpha, beta).ok_or(EmptyWindow(alpha, beta))
    }
}

impl From<Window> for (Score, Score) {
    fn from(window: Window) -> (Score, Score) {
        (window.alpha, window.beta)
    }
}
