//! Trees made of hashes, to measure searches with: [`Synthetic`].
//!
//! Every node follows from the seed and the path to it, so a tree of any size takes no memory. Two
//! families are offered, and each either *independent* or *constructed*:
//!
//! - Independent (`order=random`): the values of leaves are drawn one by one (Knuth and Moore's
//!   model), or those of edges, which add up along the path (the incremental model of Nau 1982 and
//!   of Korf and Chickering 1996). Nobody knows a node's true value without searching.
//! - Constructed (`order=perfect` or a probability): the true value of each node is drawn first
//!   and its children are made to fit, from the root down. The best child has the node's value, each
//!   other loses a margin. So it is known which child is best, and how often it comes first.

mod options;

use crate::hash::combine;
use crate::{Depth, Game, GameError, GameSpec, LeafCost, Move, MoveList, Score};

/// A uniform tree of `b` children per node, `d` plies deep.
///
/// | option | values | default | meaning |
/// |---|---|---|---|
/// | `b` | 1 to 256 | 8 | children per node |
/// | `d` | 0 to 60 | 6 | plies from the root to every leaf |
/// | `seed` | any number below 2^64 | 1 | which tree |
/// | `kind` | `leaves`, `edges` | `leaves` | whether leaves have values, or edges that add up |
/// | `range` | 1 and up | 100 | largest magnitude of one value, largest margin a child loses |
/// | `order` | `random`, `perfect`, 0 to 1 | `random` | how often a best child is generated first |
/// | `cost` | `none`, `busy:ROUNDS`, `sleep:1ms` | `none` | what each static or final value costs |
/// | `noisy` | 0 to 1 | 0 | fraction of the moves that quiescence search follows |
///
/// **Order.** With probability *p* a node's best child is generated first. Else it stands at place
/// `1 + (b - 1) u^4`, counted from 0 with `u` uniform in 0..1, so that it comes early even then: with
/// b = 20 and *p* = 0.7, it is among the first quarter in 90 % of the nodes. `perfect` is *p* = 1: a
/// best child comes first at *every* node. The others follow in the order of their look, best first.
/// With `random`, children come in no order.
///
/// **Look.** With `kind=edges`, the static value of a node is the sum of the edges above it, and
/// the promise of a move is what its child's static value is worth to the mover. If the tree is
/// constructed, the children's looks fall from the first to the last, and where the best child is not
/// first, it and the first have exchanged looks: the static values of both are off by the
/// margin between them. Such an error fades by half with each ply below and is gone in the leaves.
/// With `kind=leaves` a move promises nothing, and the static value of a node is what a leaf
/// there would be worth.
///
/// **Noise.** A move is noisy if its edge has at least `1 - noisy` of the range, or, with
/// `kind=leaves`, if a hash says so.
///
/// A position is the path to it: indices of children counted from 0, separated by dots. Move codes are
/// those indices. No position is reached twice, so a table finds nothing but what it stored there.
#[derive(Clone, Debug)]
pub struct Synthetic {
    children: u16,
    depth: u8,
    seed: u64,
    kind: Kind,
    range: i32,
    first: First,
    cost: LeafCost,
    noisy: f64,
}

/// Leaves of the minimal tree that make a subtree worth a message.
const MINIMAL_LEAVES: u64 = 256;

/// What the seed draws.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    Leaves,
    Edges,
}

/// Which child comes first.
#[derive(Clone, Copy, PartialEq, Debug)]
enum First {
    /// Any: values are independent.
    Any,
    /// A best one, with this probability.
    Best(f64),
}

/// A position of [`Synthetic`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SyntheticPosition {
    hash: u64,
    ply: u8,
    /// What the position would be worth as a leaf. Of a constructed tree, its true value.
    worth: i32,
    /// By how much the static value exceeds `worth`.
    error: i32,
    path: [u8; Synthetic::MAX_DEPTH as usize],
}

/// What a child makes of its parent, said for the side to move at the parent.
struct Edge {
    /// By how much the child is worth less than the parent.
    loss: i32,
    /// By how much it looks worth less.
    look: i32,
}

/// What a hash of the node is drawn for.
#[derive(Clone, Copy)]
enum Draw {
    Worth = 1 << 10,
    IsBestFirst,
    BestPlace,
    /// One per child: the edge to it.
    Edge = 1 << 11,
    /// One per child: whether the move is noisy.
    Noise = 1 << 12,
}

impl Synthetic {
    /// Most children of a node.
    pub const MAX_CHILDREN: u16 = 256;
    /// Most plies to a leaf.
    pub const MAX_DEPTH: u8 = 60;
    /// Largest `range`: worths and errors add up along the path and stay within a score.
    pub const MAX_RANGE: i32 = Score::LIMIT / (Self::MAX_DEPTH as i32 + 4);
    /// Where a best child that is not first stands: this power of a uniform draw.
    const PLACE_POWER: i32 = 4;
    /// An error fades by this factor with each ply.
    const FADING: i32 = 2;

    /// The tree that `spec` describes.
    ///
    /// # Errors
    /// If it has a size, an unknown option or one out of range.
    pub fn from_spec(spec: &GameSpec) -> Result<Synthetic, GameError> {
        options::read(spec)
    }

    fn child(&self, parent: &SyntheticPosition, index: u16) -> SyntheticPosition {
        let Edge { loss, look } = self.edge(parent, index);
        let hash = combine(parent.hash, u64::from(index));
        let worth = match (self.kind, self.first) {
            (Kind::Leaves, First::Any) => self.uniform(hash, Draw::Worth as u64),
            _ => loss - parent.worth,
        };
        let error = look - loss - parent.error / Self::FADING;
        let mut path = parent.path;
        path[usize::from(parent.ply)] = index as u8;
        SyntheticPosition { hash, ply: parent.ply + 1, worth, error, path }
    }

    fn edge(&self, parent: &SyntheticPosition, index: u16) -> Edge {
        match self.first {
            First::Any if self.kind == Kind::Leaves => Edge { loss: 0, look: 0 },
            First::Any => {
                let loss = self.uniform(parent.hash, Draw::Edge as u64 + u64::from(index));
                Edge { loss, look: loss }
            }
            First::Best(probability) => {
                let best = self.best_place(parent, probability);
                let look = self.margin(parent, index);
                let loss = match index {
                    _ if index == best => 0,
                    0 => self.margin(parent, best),
                    _ => look,
                };
                Edge { loss, look }
            }
        }
    }

    /// The index of the best child of a constructed tree.
    fn best_place(&self, parent: &SyntheticPosition, probability: f64) -> u16 {
        if self.children == 1 || fraction(parent.hash, Draw::IsBestFirst as u64) < probability {
            return 0;
        }
        let early = fraction(parent.hash, Draw::BestPlace as u64).powi(Self::PLACE_POWER);
        1 + (early * f64::from(self.children - 1)) as u16
    }

    /// What the child at `index` of a constructed tree seems to lose: nothing if it is the first,
    /// else evenly spread over the range and rising with the index.
    fn margin(&self, parent: &SyntheticPosition, index: u16) -> i32 {
        if index == 0 {
            return 0;
        }
        let place =
            f64::from(index - 1) + fraction(parent.hash, Draw::Edge as u64 + u64::from(index));
        (place / f64::from(self.children - 1) * f64::from(self.range)) as i32
    }

    /// An integer from -range to range.
    fn uniform(&self, hash: u64, draw: u64) -> i32 {
        let choices = 2 * i64::from(self.range) + 1;
        let drawn = (fraction(hash, draw) * choices as f64) as i64;
        (drawn - i64::from(self.range)) as i32
    }

    fn is_noisy(&self, position: &SyntheticPosition, index: u16) -> bool {
        match self.kind {
            Kind::Leaves => {
                fraction(position.hash, Draw::Noise as u64 + u64::from(index)) < self.noisy
            }
            Kind::Edges => {
                let edge = self.edge(position, index).look.abs();
                self.noisy > 0.0 && f64::from(edge) >= f64::from(self.range) * (1.0 - self.noisy)
            }
        }
    }
}

/// A number from 0 up to but not including 1, the same on every machine.
fn fraction(hash: u64, draw: u64) -> f64 {
    const MANTISSA: u32 = f64::MANTISSA_DIGITS;
    (combine(hash, draw) >> (u64::BITS - MANTISSA)) as f64 / (1_u64 << MANTISSA) as f64
}

impl Game for Synthetic {
    type Position = SyntheticPosition;

    fn start(&self) -> SyntheticPosition {
        let hash = combine(self.seed, 0);
        let worth = match (self.kind, self.first) {
            (Kind::Edges, First::Any) => 0,
            _ => self.uniform(hash, Draw::Worth as u64),
        };
        SyntheticPosition { hash, ply: 0, worth, error: 0, path: [0; Self::MAX_DEPTH as usize] }
    }

    fn parse_position(&self, text: &str) -> Result<SyntheticPosition, GameError> {
        let refuse = |wrong: String| Err(GameError::position(text, wrong));
        let mut position = self.start();
        if text.trim().is_empty() {
            return Ok(position);
        }
        for step in text.trim().split('.') {
            if position.ply == self.depth {
                return refuse(format!("every path ends after {} steps", self.depth));
            }
            match step.parse() {
                Ok(index) if index < self.children => position = self.child(&position, index),
                _ => {
                    return refuse(format!(
                        "{step:?} must be a child's index, 0 to {}",
                        self.children - 1
                    ));
                }
            }
        }
        Ok(position)
    }

    fn position_text(&self, position: &SyntheticPosition) -> String {
        let path = &position.path[..usize::from(position.ply)];
        path.iter().map(u8::to_string).collect::<Vec<String>>().join(".")
    }

    fn move_text(&self, _position: &SyntheticPosition, mv: Move) -> String {
        mv.0.to_string()
    }

    fn final_score(&self, position: &SyntheticPosition) -> Option<Score> {
        (position.ply == self.depth).then(|| Score::new(position.worth))
    }

    fn moves(&self, _position: &SyntheticPosition, moves: &mut MoveList) {
        moves.extend((0..self.children).map(Move));
    }

    fn play(&self, position: &SyntheticPosition, mv: Move) -> SyntheticPosition {
        self.child(position, mv.0)
    }

    fn evaluate(&self, position: &SyntheticPosition) -> Score {
        match self.kind {
            Kind::Leaves => Score::new(position.worth),
            Kind::Edges => Score::new(position.worth + position.error),
        }
    }

    fn key(&self, position: &SyntheticPosition) -> u64 {
        position.hash
    }

    fn plies_left(&self, position: &SyntheticPosition) -> u32 {
        u32::from(self.depth - position.ply)
    }

    fn promise(&self, position: &SyntheticPosition, mv: Move) -> i32 {
        match self.kind {
            Kind::Leaves => 0,
            Kind::Edges => -self.edge(position, mv.0).look,
        }
    }

    fn centre_distance(&self, mv: Move) -> u32 {
        (2 * u32::from(mv.0)).abs_diff(u32::from(self.children) - 1)
    }

    fn noisy_moves(&self, position: &SyntheticPosition, moves: &mut MoveList) {
        let noisy = |&index: &u16| self.is_noisy(position, index);
        moves.extend((0..self.children).filter(noisy).map(Move));
    }

    /// With free leaves, enough plies for a few hundred leaves of the minimal tree; else one.
    fn split_floor(&self, _depth: Depth) -> u8 {
        let minimal = |plies: u32| u64::from(self.children).pow(plies.div_ceil(2));
        let enough =
            (2..=2 * MINIMAL_LEAVES.ilog2()).find(|&plies| minimal(plies) >= MINIMAL_LEAVES);
        match (self.cost, enough) {
            (LeafCost::Free, Some(plies)) => plies as u8,
            (LeafCost::Free, None) => self.depth.max(1),
            (LeafCost::Busy(_) | LeafCost::Sleep(_), _) => 1,
        }
    }

    fn leaf_cost(&self) -> LeafCost {
        self.cost
    }
}

#[cfg(test)]
mod tests;
