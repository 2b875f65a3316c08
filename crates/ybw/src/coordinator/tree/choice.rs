//! Which brother to hand out next, and which job to ask to split.
//!
//! Every brother has a *need*: how likely its result will be wanted. It is the product, over the nodes from the
//! root down, of the chances that no unresolved brother before it makes it superfluous, as [`Odds`] has them. So
//! the one brother that an expected cut node tries next is as needed as the node itself, while the others that
//! could be tried at the same time are not; and everything below a brother is at most as needed as that one.
//!
//! Each node keeps the best brother and the best job below it, with needs as they are seen from there. What
//! changed is worked off when somebody asks, and climbs only as far as it makes a difference.

use super::{BrotherAt, Node, NodeIx, Place, SplitTree};
use crate::JobId;
use game::{NodeKind, Question, Score, Value, Window};
use std::cmp::Ordering;

/// The need of a brother that is scouted against a guess.
const GUESSED: f64 = 0.5;
/// The same for each PV node below that has such brothers too: those come first.
const GUESSED_ABOVE: f64 = 0.7;
/// The need of a brother that is likely to be needed, at least.
const CERTAIN: f64 = 0.5;
/// By how many points a guess is made safer than it seems, at least.
const SAFETY: i32 = 2;
/// Plies that a job is taken to have at most, so that those of unknown size compare.
const MOST_PLIES: u8 = 64;

/// A value that the last iteration guesses for the root, and by how much it may be wrong.
#[derive(Clone, Copy, Debug)]
pub(in crate::coordinator) struct Guess {
    score: Score,
    error: i32,
}

impl Guess {
    /// A guess after an iteration that came to `value`, and the one before it.
    pub(in crate::coordinator) fn new(value: Value, before: Option<Guess>) -> Guess {
        let change = before.map_or(0, |before| before.score.points() - value.score.points());
        Guess { score: value.score, error: change.abs().max(SAFETY) }
    }

    /// For the other side.
    pub(super) fn turned(self) -> Guess {
        Guess { score: -self.score, ..self }
    }

    /// What a brother is expected not to exceed, with something to spare.
    fn alpha(self) -> Score {
        Score::new(self.score.points() - self.error)
    }
}

/// A brother that may be handed out.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(in crate::coordinator) struct Ready {
    pub(in crate::coordinator) at: BrotherAt,
    pub(in crate::coordinator) need: f64,
    /// The expected kind of its node.
    kind: NodeKind,
    remaining: u8,
    serial: u64,
}

/// A job that may be asked to split.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(in crate::coordinator) struct Divisible {
    pub(in crate::coordinator) job: JobId,
    pub(in crate::coordinator) need: f64,
    /// Plies that remain at its root.
    pub(in crate::coordinator) remaining: u8,
}

/// The best of a node's subtree, as seen from the node.
#[derive(Clone, Copy, PartialEq, Default, Debug)]
pub(super) struct Best {
    ready: Option<Ready>,
    divisible: Option<Divisible>,
}

impl Ready {
    /// Whether it may wait at a worker ahead of its time: it is likely to be needed, and nothing that is
    /// still being searched can change its window but the end of its whole family.
    pub(in crate::coordinator) fn is_certain(&self) -> bool {
        self.kind == NodeKind::All && self.need >= CERTAIN
    }

    /// The more needed goes first, then the larger, then the older.
    fn order(&self, other: &Ready) -> Ordering {
        let need = self.need.total_cmp(&other.need);
        need.then(self.remaining.cmp(&other.remaining)).then(other.serial.cmp(&self.serial))
    }
}

impl Divisible {
    /// Size counts as much as need here: what a large job gives is worth having.
    fn order(&self, other: &Divisible) -> Ordering {
        let worth = |this: &Divisible| this.need * f64::from(this.remaining.min(MOST_PLIES));
        worth(self).total_cmp(&worth(other)).then(other.job.cmp(&self.job))
    }
}

impl Best {
    fn consider(&mut self, other: Best, share: f64) {
        if let Some(ready) = other.ready {
            self.consider_ready(Ready { need: ready.need * share, ..ready });
        }
        if let Some(job) = other.divisible {
            self.consider_divisible(Divisible { need: job.need * share, ..job });
        }
    }

    fn consider_ready(&mut self, ready: Ready) {
        if self.ready.is_none_or(|best| best.order(&ready).is_le()) {
            self.ready = Some(ready);
        }
    }

    fn consider_divisible(&mut self, job: Divisible) {
        if self.divisible.is_none_or(|best| best.order(&job).is_le()) {
            self.divisible = Some(job);
        }
    }
}

impl SplitTree {
    /// The brother to be handed out next.
    pub(in crate::coordinator) fn next_ready(&mut self) -> Option<Ready> {
        self.refresh();
        self.nodes[self.top].best.ready
    }

    /// The job to be asked to split next.
    pub(in crate::coordinator) fn next_divisible(&mut self) -> Option<Divisible> {
        self.refresh();
        self.nodes[self.top].best.divisible
    }

    /// Brings up to date what is kept about the nodes at which something changed.
    pub(in crate::coordinator) fn refresh(&mut self) {
        while let Some(node) = self.stale.pop() {
            if self.nodes.contains(node) {
                self.refresh_waiting(node);
                self.refresh_best(node);
            }
        }
    }

    /// Notes whether the job may be asked to split, if the tree still knows that it searches the brother.
    pub(in crate::coordinator) fn set_divisible(&mut self, at: BrotherAt, job: JobId, may: bool) {
        let node = self.nodes.get_mut(at.node);
        let place = node.and_then(|node| node.places.get_mut(at.index));
        if let Some(Place::Running { job: running, divisible, .. }) = place
            && *running == job
        {
            *divisible = may;
            self.touch(at.node);
        }
    }

    /// What to ask of a brother that leaves now; `None` if the node is cut off.
    pub(super) fn question(&self, at: BrotherAt) -> Option<Question> {
        match self.guessed_alpha(at.node) {
            Some(alpha) if at.index > 0 => Some(scout(alpha)),
            _ => self.nodes[at.node].open.question(at.index, self.algorithm),
        }
    }

    /// What to ask now of a brother that is being searched; `None` if the node is cut off.
    pub(super) fn question_again(&self, at: BrotherAt, asked: Question) -> Option<Question> {
        match self.guessed_alpha(at.node) {
            Some(alpha) if at.index > 0 => Some(scout(alpha)),
            _ => self.nodes[at.node].open.question_again(at.index, asked, self.algorithm),
        }
    }

    /// The alpha against which the young brothers of a PV node are scouted while its eldest is being
    /// searched, if there is a guess.
    pub(super) fn guessed_alpha(&self, node: NodeIx) -> Option<Score> {
        let node = &self.nodes[node];
        let alpha = node.guess?.alpha().max(node.open.alpha());
        let early = node.open.kind == NodeKind::Pv
            && node.places[0] != Place::Nowhere
            && !node.open.is_resolved(0)
            && alpha < node.open.window.beta();
        early.then_some(alpha)
    }

    /// The first brother that may be scouted against the guess, and has not been yet.
    pub(super) fn next_guessed(&self, node: NodeIx, alpha: Score) -> Option<usize> {
        let node = &self.nodes[node];
        let guess = node.guess.map_or(alpha, Guess::alpha);
        (1..node.places.len()).find(|&index| {
            let known = node.open.brothers[index].known;
            let scouted = known.decides(alpha, alpha.successor()) || known.low > guess;
            node.places[index] == Place::Nowhere && !scouted
        })
    }

    /// Finds the best below a node anew, and tells the nodes above as far as that matters to them.
    fn refresh_best(&mut self, mut node: NodeIx) {
        loop {
            let best = self.best_below(node);
            if best == self.nodes[node].best {
                return;
            }
            self.nodes[node].best = best;
            let Some(parent) = self.nodes[node].parent else { return };
            node = parent.node;
        }
    }

    fn best_below(&self, node: NodeIx) -> Best {
        let mut best = Best::default();
        let open = &self.nodes[node].open;
        if open.is_cut() {
            return best;
        }
        let Node { next, ref places, serial, .. } = self.nodes[node];
        let (kind, remaining) = (open.kind, self.remaining_below(node));
        let guessed = self.guessed_share(node);
        let mut share = 1.0;
        for (index, &place) in places.iter().enumerate() {
            if open.is_resolved(index) {
                continue;
            }
            match place {
                Place::Open(child) => best.consider(self.nodes[child].best, share),
                Place::Running { job, divisible: true, .. } => {
                    best.consider_divisible(Divisible { job, need: share, remaining });
                }
                Place::Nowhere if next == Some(index) => {
                    let at = BrotherAt { node, index };
                    best.consider_ready(Ready { at, need: share, kind, remaining, serial });
                }
                Place::Nowhere | Place::Running { .. } => {}
            }
            share = guessed.unwrap_or_else(|| share * self.odds.fails(kind, index));
        }
        best
    }

    /// The share of the young brothers of a node that are scouted against a guess.
    fn guessed_share(&self, node: NodeIx) -> Option<f64> {
        self.guessed_alpha(node)?;
        let mut share = GUESSED;
        let mut node = node;
        while let Place::Open(eldest) = self.nodes[node].places[0]
            && self.guessed_alpha(eldest).is_some()
        {
            share *= GUESSED_ABOVE;
            node = eldest;
        }
        Some(share)
    }
}

/// The question that asks whether a brother exceeds alpha.
fn scout(alpha: Score) -> Question {
    Question { window: -Window::null(alpha), kind: NodeKind::Cut }
}
