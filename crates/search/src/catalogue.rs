//! The games that can be searched, by name: [`Catalogue`].

use crate::Problem;
use game::{GameError, Setup};
use std::sync::Arc;

/// Games by name.
#[derive(Clone, Default)]
pub struct Catalogue {}

impl Catalogue {
    /// The games that come with Eldest.
    #[must_use]
    pub fn standard() -> Catalogue {
        Catalogue {}
    }

    /// The names of the games.
    #[must_use]
    pub fn names(&self) -> Vec<String> {
        Vec::new()
    }

    /// Reads a setup's game and position.
    ///
    /// # Errors
    /// If the game is unknown, or it or the position cannot be read.
    pub fn prepare(&self, setup: &Setup) -> Result<Arc<dyn Problem>, GameError> {
        Err(GameError::spec(setup.game.clone(), "no games yet"))
    }
}
