//! What can be wrong with a game, a position or a move given as text: [`GameError`].

use thiserror::Error;

/// A game, position or move that cannot be read. Each message says what was given, what is wrong and
/// what would be right.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum GameError {
    /// The game's name or one of its options.
    #[error("game {given:?}: {wrong}")]
    Spec {
        /// The text given.
        given: String,
        /// What is wrong with it and what would be right.
        wrong: String,
    },
    /// A position.
    #[error("position {given:?}: {wrong}")]
    Position {
        /// The text given.
        given: String,
        /// What is wrong with it and what would be right.
        wrong: String,
    },
}

/// Most characters of a given text that a message repeats.
const MAX_QUOTED: usize = 120;

impl GameError {
    /// A [`GameError::Spec`]. Long text is cut short.
    pub fn spec(given: impl Into<String>, wrong: impl Into<String>) -> GameError {
        GameError::Spec { given: cut_short(given.into()), wrong: wrong.into() }
    }

    /// A [`GameError::Position`]. Long text is cut short.
    pub fn position(given: impl Into<String>, wrong: impl Into<String>) -> GameError {
        GameError::Position { given: cut_short(given.into()), wrong: wrong.into() }
    }
}

fn cut_short(text: String) -> String {
    match text.char_indices().nth(MAX_QUOTED) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text,
    }
}
