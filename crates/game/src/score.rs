//! Scores and what they claim: [`Score`], [`Bound`], [`Value`] and [`Interval`].

use crate::Window;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::ops::Neg;

/// The worth of a position for the side to move, in the game's own unit.
///
/// Every score a game returns lies strictly between `-Score::INFINITY` and `Score::INFINITY`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Score(i32);

impl Score {
    /// Above every score of every game; only windows use it.
    pub const INFINITY: Score = Score(Self::LIMIT);
    /// A draw, or an even position.
    pub const ZERO: Score = Score(0);
    /// The magnitude of [`Score::INFINITY`]; it fits the 24 bits a table entry has for a score.
    pub const LIMIT: i32 = 8_000_000;

    /// A score from a number.
    ///
    /// # Panics
    /// If the magnitude exceeds [`Score::LIMIT`].
    #[must_use]
    pub const fn new(points: i32) -> Score {
        assert!(points >= -Self::LIMIT && points <= Self::LIMIT, "score out of range");
        Score(points)
    }

    /// A score from a number of unknown origin, or `None` if its magnitude exceeds [`Score::LIMIT`].
    #[must_use]
    pub fn checked(points: i64) -> Option<Score> {
        let points = i32::try_from(points).ok()?;
        (-Self::LIMIT..=Self::LIMIT).contains(&points).then_some(Score(points))
    }

    /// The number.
    #[must_use]
    pub const fn points(self) -> i32 {
        self.0
    }

    /// The next higher score, at most [`Score::INFINITY`].
    #[must_use]
    pub const fn successor(self) -> Score {
        if self.0 < Self::LIMIT { Score(self.0 + 1) } else { self }
    }
}

impl Score {
    /// The next lower score, at least -[`Score::INFINITY`].
    #[must_use]
    pub const fn predecessor(self) -> Score {
        if self.0 > -Self::LIMIT { Score(self.0 - 1) } else { self }
    }
}

impl Neg for Score {
    type Output = Score;
    fn neg(self) -> Score {
        Score(-self.0)
    }
}

impl fmt::Display for Score {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Score::INFINITY => f.write_str("+inf"),
            s if s == -Score::INFINITY => f.write_str("-inf"),
            Score(points) => write!(f, "{points}"),
        }
    }
}

impl fmt::Debug for Score {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// What a score says about the true value of its position.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Bound {
    /// The true value is the score.
    Exact,
    /// The true value is the score or more.
    Lower,
    /// The true value is the score or less.
    Upper,
}

/// A score and its bound, for the side to move. Always a true statement about the position,
/// whatever window it was searched with.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct Value {
    /// The score.
    pub score: Score,
    /// What it says.
    pub bound: Bound,
}

impl Value {
    /// The true value is `score`.
    #[must_use]
    pub const fn exact(score: Score) -> Value {
        Value { score, bound: Bound::Exact }
    }

    /// The true value is `score` or more.
    #[must_use]
    pub const fn lower(score: Score) -> Value {
        Value { score, bound: Bound::Lower }
    }

    /// The true value is `score` or less.
    #[must_use]
    pub const fn upper(score: Score) -> Value {
        Value { score, bound: Bound::Upper }
    }

    /// Whether it answers every question the window can ask: see [`Interval::decides`].
    #[must_use]
    pub fn decides(self, window: crate::Window) -> bool {
        Interval::UNKNOWN.learn(self).decides(window.alpha(), window.beta())
    }

    /// Judges a fail-soft score against the window it was searched with, which did not change
    /// meanwhile: at beta or above a lower bound, at alpha or below an upper bound, else exact.
    #[must_use]
    pub fn judged(score: Score, window: crate::Window) -> Value {
        if score >= window.beta() {
            Value::lower(score)
        } else if score <= window.alpha() {
            Value::upper(score)
        } else {
            Value::exact(score)
        }
    }
}

impl Neg for Value {
    type Output = Value;
    /// The same statement from the opponent's side.
    fn neg(self) -> Value {
        let bound = match self.bound {
            Bound::Exact => Bound::Exact,
            Bound::Lower => Bound::Upper,
            Bound::Upper => Bound::Lower,
        };
        Value { score: -self.score, bound }
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = match self.bound {
            Bound::Exact => "",
            Bound::Lower => ">=",
            Bound::Upper => "<=",
        };
        write!(f, "{sign}{}", self.score)
    }
}

/// All that is known of a true value: it lies in `low ..= high`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct Interval {
    /// The true value is at least this.
    pub low: Score,
    /// The true value is at most this.
    pub high: Score,
}

impl Interval {
    /// Nothing is known.
    pub const UNKNOWN: Interval = Interval { low: Score(-Score::LIMIT), high: Score::INFINITY };

    /// Adds what `value` says. True statements never contradict each other; were one false, the
    /// newer one is believed.
    #[must_use]
    pub fn learn(self, value: Value) -> Interval {
        let Value { score, bound } = value;
        match bound {
            Bound::Exact => Interval { low: score, high: score },
            Bound::Lower => Interval { low: self.low.max(score), high: self.high.max(score) },
            Bound::Upper => Interval { low: self.low.min(score), high: self.high.min(score) },
        }
    }

    /// Whether the interval answers every question the window can ask: the value is known
    /// exactly, or known to lie at or beyond one of its ends.
    #[must_use]
    pub fn decides(self, alpha: Score, beta: Score) -> bool {
        self.low == self.high || self.low >= beta || self.high <= alpha
    }

    /// What both intervals say, of which each is true.
    #[must_use]
    pub fn and(self, other: Interval) -> Interval {
        Interval { low: self.low.max(other.low), high: self.high.min(other.high) }
    }

    /// The value that answers `window`, if this interval decides it.
    #[must_use]
    pub fn answer(self, window: Window) -> Option<Value> {
        if self.low == self.high {
            Some(Value::exact(self.low))
        } else if self.low >= window.beta() {
            Some(Value::lower(self.low))
        } else {
            (self.high <= window.alpha()).then_some(Value::upper(self.high))
        }
    }
}

impl Neg for Interval {
    type Output = Interval;

    /// The same for the other side.
    fn neg(self) -> Interval {
        Interval { low: -self.high, high: -self.low }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_score_is_judged_against_its_window() {
        let window = Window::new(Score::new(-2), Score::new(3)).unwrap();
        assert_eq!(Value::judged(Score::new(3), window), Value::lower(Score::new(3)));
        assert_eq!(Value::judged(Score::new(-2), window), Value::upper(Score::new(-2)));
        assert_eq!(Value::judged(Score::new(2), window), Value::exact(Score::new(2)));
    }

    #[test]
    fn an_interval_decides_a_window_from_either_side() {
        let (two, five) = (Score::new(2), Score::new(5));
        let at_least_five = Interval::UNKNOWN.learn(Value::lower(five));
        assert!(at_least_five.decides(two, five));
        assert!(!at_least_five.decides(two, five.successor()));
        let at_most_two = Interval::UNKNOWN.learn(Value::upper(two));
        assert!(at_most_two.decides(two, five));
        assert!(!at_most_two.decides(Score::ZERO, five));
        assert!(Interval::UNKNOWN.learn(Value::exact(two)).decides(Score::ZERO, five));
        assert!(!Interval::UNKNOWN.decides(two, five));
    }
}
