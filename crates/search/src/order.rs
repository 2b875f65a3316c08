//! In which order children are tried: [`Orderer`].

use game::{Game, MAX_MOVES, Move, MoveList, Order, Score};
use std::cmp::Reverse;
use std::collections::HashMap;

use arrayvec::ArrayVec;
use game::Depth;

/// Cutoff moves remembered per ply.
const KILLERS: usize = 2;
/// Plies with killers of their own; deeper ones share the last place.
const KILLER_PLIES: usize = 128;
/// Moves counted per side in the history; codes beyond share counters.
const HISTORY: usize = 4096;
/// Most a history counter holds.
const HISTORY_LIMIT: u32 = 1 << 28;

/// What a thread has learnt about the order of moves.
///
/// The table move comes first, then the game's own promise decides, then killer moves (Akl and Newborn
/// 1977) and the history of cutoffs (Schaeffer 1983).
#[derive(Debug)]
pub(crate) struct Orderer {
    order: Order,
    killers: Vec<[Move; KILLERS]>,
    history: Vec<u32>,
    exact: HashMap<(u64, Depth), Score>,
}

impl Orderer {
    pub(crate) fn new(order: Order) -> Orderer {
        Orderer {
            order,
            killers: vec![[Move(u16::MAX); KILLERS]; KILLER_PLIES],
            history: vec![0; 2 * HISTORY],
            exact: HashMap::new(),
        }
    }

    /// Whether what was learnt may change the order.
    pub(crate) fn learns(&self) -> bool {
        self.order == Order::Static
    }

    /// Sorts the legal moves of a position; `first` is tried before all others if it is legal and
    /// the order is one that learns.
    pub(crate) fn sort<G: Game>(
        &mut self,
        game: &G,
        position: &G::Position,
        moves: &mut MoveList,
        place: Place,
    ) {
        if moves.len() < 2 {
            return;
        }
        match self.order {
            Order::LeftToRight => {}
            Order::CentreFirst => sort_by(moves, |mv| Reverse(game.centre_distance(mv))),
            Order::BestFirst => {
                sort_by(moves, |mv| {
                    self.exact(game, &game.play(position, mv), place.depth.child())
                });
            }
            Order::WorstFirst => sort_by(moves, |mv| {
                Reverse(self.exact(game, &game.play(position, mv), place.depth.child()))
            }),
            Order::Static => {
                let side = place.ply % 2 * HISTORY;
                let killers = self.killers[place.ply.min(KILLER_PLIES - 1)];
                sort_by(moves, |mv| Likelihood {
                    first: Some(mv) == place.first,
                    promise: game.promise(position, mv),
                    killer: killers.contains(&mv),
                    history: self.history[side + usize::from(mv.0) % HISTORY],
                });
            }
        }
    }

    /// Learns from a cutoff by `mv` with so many plies remaining.
    pub(crate) fn cutoff(&mut self, mv: Move, ply: usize, remaining: u8) {
        if !self.learns() {
            return;
        }
        let killers = &mut self.killers[ply.min(KILLER_PLIES - 1)];
        if killers[0] != mv {
            killers.rotate_right(1);
            killers[0] = mv;
        }
        let counter = &mut self.history[ply % 2 * HISTORY + usize::from(mv.0) % HISTORY];
        *counter = (*counter + u32::from(remaining) * u32::from(remaining)).min(HISTORY_LIMIT);
    }

    /// The exact value of a child for its parent, by plain minimax with a memory.
    fn exact<G: Game>(&mut self, game: &G, child: &G::Position, depth: Depth) -> Score {
        -self.minimax(game, child, depth)
    }

    fn minimax<G: Game>(&mut self, game: &G, position: &G::Position, depth: Depth) -> Score {
        if let Some(score) = game.final_score(position) {
            return score;
        }
        if depth == Depth::ZERO {
            return game.evaluate(position);
        }
        let at = (game.key(position), depth);
        if let Some(&score) = self.exact.get(&at) {
            return score;
        }
        let mut moves = MoveList::new();
        game.moves(position, &mut moves);
        let values =
            moves.iter().map(|&mv| self.exact(game, &game.play(position, mv), depth.child()));
        let best = values.max().expect("an undecided position has moves");
        self.exact.insert(at, best);
        best
    }
}

/// Where a node is, as far as ordering its children cares.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    pub(crate) ply: usize,
    pub(crate) depth: Depth,
    pub(crate) first: Option<Move>,
}

/// How likely a move is to be the best, most significant first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Likelihood {
    first: bool,
    promise: i32,
    killer: bool,
    history: u32,
}

/// Sorts by descending worth; equals keep their order.
fn sort_by<W: Ord + Copy>(moves: &mut MoveList, mut worth: impl FnMut(Move) -> W) {
    // Filled in place: a list that is collected is copied, with all the room it has.
    let mut weighed: ArrayVec<(W, Move), MAX_MOVES> = ArrayVec::new();
    for &mv in moves.iter() {
        weighed.push((worth(mv), mv));
    }
    weighed.sort_by_key(|&(worth, _)| Reverse(worth));
    for (place, &(_, mv)) in moves.iter_mut().zip(&weighed) {
        *place = mv;
    }
}
