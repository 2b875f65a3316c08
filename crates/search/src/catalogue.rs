//! The games that can be searched, by name: [`Catalogue`].

use crate::Problem;
use crate::playable::Playable;
use game::{Connect, Game, GameError, GameSpec, Nim, Othello, Setup, Synthetic, TicTacToe, Tree};
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

type Build = dyn Fn(&GameSpec, &Setup) -> Result<Arc<dyn Problem>, GameError> + Send + Sync;

/// Games by name. Every process of a cluster must know a game by the same name.
#[derive(Clone, Default)]
pub struct Catalogue {
    games: BTreeMap<String, Arc<Build>>,
}

impl Catalogue {
    /// No games at all.
    #[must_use]
    pub fn empty() -> Catalogue {
        Catalogue::default()
    }

    /// The games that come with Eldest.
    #[must_use]
    pub fn standard() -> Catalogue {
        Catalogue::empty()
            .with("connect", Connect::from_spec)
            .with("nim", Nim::from_spec)
            .with("othello", Othello::from_spec)
            .with("synthetic", Synthetic::from_spec)
            .with("tictactoe", TicTacToe::from_spec)
            .with("tree", Tree::from_spec)
    }

    /// Adds a game, or replaces the one of that name.
    #[must_use]
    pub fn with<G: Game>(
        mut self,
        name: &str,
        build: impl Fn(&GameSpec) -> Result<G, GameError> + Send + Sync + 'static,
    ) -> Catalogue {
        let build = move |spec: &GameSpec, setup: &Setup| {
            let playable = Playable::new(build(spec)?, setup)?;
            Ok(Arc::new(playable) as Arc<dyn Problem>)
        };
        self.games.insert(name.to_string(), Arc::new(build));
        self
    }

    /// The names of the games, in alphabetical order.
    #[must_use]
    pub fn names(&self) -> Vec<String> {
        self.games.keys().cloned().collect()
    }

    /// Reads a setup's game and position.
    ///
    /// # Errors
    /// If the game is unknown, or it or the position cannot be read.
    pub fn prepare(&self, setup: &Setup) -> Result<Arc<dyn Problem>, GameError> {
        let spec: GameSpec = setup.game.parse()?;
        let Some(build) = self.games.get(&spec.name) else {
            let known = self.names().join(", ");
            let wrong = format!("there is no game {:?}; the games are {known}", spec.name);
            return Err(GameError::spec(&setup.game, wrong));
        };
        build(&spec, setup)
    }
}

impl fmt::Debug for Catalogue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Catalogue").field(&self.names()).finish()
    }
}
