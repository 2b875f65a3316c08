//! A game and a root position as a [`Problem`].

use crate::searcher::Searcher;
use crate::spine::Spine;
use crate::{Pay, Problem, SlotSearch, Solution, Table};
use game::{Algorithm, Game, GameError, Move, MoveList, Score, Setup, Tally, Value, Window};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// A problem of one game.
pub(crate) struct Playable<G: Game> {
    game: G,
    root: G::Position,
    setup: Setup,
}

impl<G: Game> Playable<G> {
    pub(crate) fn new(game: G, setup: &Setup) -> Result<Playable<G>, GameError> {
        let root = match setup.position.as_str() {
            "" => game.start(),
            text => game.parse_position(text)?,
        };
        Ok(Playable { game, root, setup: setup.clone() })
    }

    fn searcher(&self, table: Option<Arc<Table>>, pay: Pay) -> Searcher<G> {
        Searcher::new(self.game.clone(), &self.setup, table, pay)
    }

    fn legal(&self, position: &G::Position) -> MoveList {
        let mut moves = MoveList::new();
        if self.game.final_score(position).is_none() {
            self.game.moves(position, &mut moves);
        }
        moves
    }

    fn count_paths(&self, position: &G::Position, depth: u8) -> u64 {
        if depth == 0 {
            return 1;
        }
        let moves = self.legal(position);
        let count = |&mv: &Move| self.count_paths(&self.game.play(position, mv), depth - 1);
        moves.iter().map(count).sum()
    }
}

impl<G: Game> Problem for Playable<G> {
    fn slot(&self, table: Option<Arc<Table>>, pay: Pay) -> Box<dyn SlotSearch> {
        Box::new(Spine::new(self.searcher(table, pay), self.root.clone(), &self.setup))
    }

    fn solve(
        &self,
        table: Option<Arc<Table>>,
        pay: Pay,
        stop: &Arc<AtomicBool>,
    ) -> Result<Solution, Tally> {
        let Setup { window, algorithm, .. } = self.setup;
        let window = if algorithm == Algorithm::Minimax { Window::FULL } else { window };
        let mut searcher = self.searcher(table, pay);
        searcher.set_stop_flag(stop.clone());
        let mut line = Vec::new();
        let mut last = Value::upper(Score::INFINITY);
        for depth in self.setup.iterations() {
            searcher.begin(&line, 0);
            let value = searcher.search(&self.root, depth, window, 0);
            if searcher.take_stopped() {
                return Err(searcher.tally);
            }
            line = searcher.line(0).to_vec();
            last = value;
        }
        Ok(Solution { value: last, line, tally: searcher.tally })
    }

    fn perft(&self, depth: u8) -> u64 {
        self.count_paths(&self.root, depth)
    }

    fn split_floor(&self) -> u8 {
        self.game.split_floor(self.setup.depth)
    }

    fn line_text(&self, line: &[Move]) -> Vec<String> {
        let mut position = self.root.clone();
        let mut texts = Vec::new();
        for &mv in line {
            if !self.legal(&position).contains(&mv) {
                break;
            }
            texts.push(self.game.move_text(&position, mv));
            position = self.game.play(&position, mv);
        }
        texts
    }

    fn position_text(&self) -> String {
        self.game.position_text(&self.root)
    }
}
