//! What to search and how, as one value that both ends of a wire agree on: [`Setup`].

use crate::{Depth, Score, Window};
use serde::{Deserialize, Serialize};

/// How a tree is searched.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Algorithm {
    /// Every node, no cutoffs.
    Minimax,
    /// Fail-soft alpha-beta (Knuth and Moore 1975; Fishburn 1983).
    AlphaBeta,
    /// Principal variation search: young brothers are scouted with a null window (Marsland 1983).
    #[default]
    Pvs,
}

/// How the children of a node are ordered.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Order {
    /// Table move, killers, history, and the game's own promise of each move.
    #[default]
    Static,
    /// The game's natural order.
    LeftToRight,
    /// Nearest to the middle first, ties left to right.
    CentreFirst,
    /// By exact value, best first, ties left to right. For small trees: it solves every child.
    BestFirst,
    /// By exact value, worst first, ties left to right. For small trees: it solves every child.
    WorstFirst,
}

/// At which nodes young brothers may be searched in parallel once the eldest is resolved.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Policy {
    /// Nowhere, by the plain program without any of the parallel machinery: the baseline.
    Sequential,
    /// Only at the root.
    RootSplit,
    /// Only along the principal variation (Marsland and Campbell 1982).
    PvSplit,
    /// At every node (Feldmann, Monien, Mysliwietz and Vornberger 1990).
    #[default]
    Ybw,
    /// At every node, and at nodes of the principal variation even while the eldest is being searched: the
    /// brothers are scouted against the value that the last iteration guesses, a little to the safe side.
    /// Minimax, which wants every value, guesses nothing.
    Aspiring,
}

impl Policy {
    /// Whether young brothers may be searched in parallel at a node of this kind, `ply` moves below
    /// the root of the search.
    #[must_use]
    pub fn allows(self, kind: crate::NodeKind, ply: usize) -> bool {
        match self {
            Policy::Sequential => false,
            Policy::RootSplit => ply == 0,
            Policy::PvSplit => kind == crate::NodeKind::Pv,
            Policy::Ybw | Policy::Aspiring => true,
        }
    }
}

/// Who shares a transposition table.
#[derive(
    Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default, Serialize, Deserialize,
)]
#[serde(rename_all = "kebab-case")]
pub enum Sharing {
    /// Nobody: every thread has one of its own.
    Off,
    /// The threads of a process.
    Process,
    /// The threads of a process; and processes tell each other what cost much to find out.
    #[default]
    Cluster,
}

/// The question a search answers: enough for any worker to search any part of it.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Setup {
    /// The game as text that [`crate::GameSpec`] parses; complete in itself (no file names).
    pub game: String,
    /// The root position in the game's notation; empty for the game's usual start.
    pub position: String,
    /// How deep.
    pub depth: Depth,
    /// The root window.
    pub window: Window,
    /// How the tree is searched.
    pub algorithm: Algorithm,
    /// How children are ordered.
    pub order: Order,
    /// Deepest quiescence search below depth zero, in plies; 0 for none.
    pub quiescence: u8,
    /// Plies from one iteration to the next, each ordering the one that follows and guessing its value; 0 if
    /// the depth is searched at once. Only for fixed depths.
    pub deepening: u8,
    /// Where brothers may be searched in parallel.
    pub policy: Policy,
    /// Nodes with fewer plies remaining are never split; at least 1.
    pub min_split: u8,
    /// Whether narrowed windows are pushed to running jobs.
    pub narrowing: bool,
    /// Size of each process's table in MiB, over all its threads; 0 for none.
    pub table_mib: u32,
    /// Who shares it.
    pub sharing: Sharing,
}

impl Setup {
    /// A full solve of the game's usual start with the default settings.
    #[must_use]
    pub fn new(game: impl Into<String>) -> Setup {
        Setup {
            game: game.into(),
            position: String::new(),
            depth: Depth::FULL,
            window: Window::FULL,
            algorithm: Algorithm::default(),
            order: Order::default(),
            quiescence: 0,
            deepening: 0,
            policy: Policy::default(),
            min_split: 4,
            narrowing: true,
            table_mib: 64,
            sharing: Sharing::default(),
        }
    }

    /// The depths to be searched one after the other; the last is `depth`.
    pub fn iterations(&self) -> impl Iterator<Item = Depth> + use<> {
        let (last, step) = (self.depth.code(), self.deepening);
        let deepens = step > 0 && self.depth != Depth::FULL && last > 0;
        let first = if deepens { (last - 1) % step + 1 } else { last };
        (first..=last).step_by(usize::from(step.max(1))).map(Depth::from_code)
    }

    /// Whether a search of this window can tell `score` apart from its neighbours.
    #[must_use]
    pub fn can_tell(&self, score: Score) -> bool {
        self.window.alpha() < score && score < self.window.beta()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_iteration_goes_to_the_depth_that_is_asked_for() {
        let check = |depth, deepening, plies: &[u8]| {
            let setup = Setup { depth, deepening, ..Setup::new("tictactoe") };
            let iterations: Vec<u8> = setup.iterations().map(Depth::code).collect();
            assert_eq!(iterations, plies, "{depth} by {deepening}");
        };
        check(Depth::from_code(5), 0, &[5]);
        check(Depth::from_code(5), 1, &[1, 2, 3, 4, 5]);
        check(Depth::from_code(8), 3, &[2, 5, 8]);
        check(Depth::from_code(9), 3, &[3, 6, 9]);
        check(Depth::from_code(2), 200, &[2]);
        check(Depth::ZERO, 1, &[0]);
        check(Depth::FULL, 4, &[Depth::FULL.code()]);
    }
}
