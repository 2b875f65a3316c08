//! A node whose children are being resolved: [`OpenNode`].
//!
//! One piece of arithmetic decides, for the stack of a running search as for the split tree of
//! the coordinator, which question to ask of which child, what an answer means and when the node
//! is resolved. It deals in true statements only: each brother carries the interval its value is known to
//! lie in, so a window may change at any time and in any way without an answer turning false. At
//! worst an answer no longer suffices, and the brother is asked again.

use crate::{Algorithm, Depth, Interval, Move, Score, Value, Window};
use serde::{Deserialize, Serialize};

/// The expected kind of a node (Knuth and Moore's types 1, 2 and 3).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum NodeKind {
    /// On the principal variation: an exact value is wanted.
    Pv,
    /// Every child must be refuted.
    All,
    /// One child is expected to refute it.
    Cut,
}

/// One child of an open node.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Brother {
    /// The move that leads to it.
    pub mv: Move,
    /// The key of its position in the table; 0 where nobody has computed it.
    pub key: u64,
    /// What is known of its value, *for the side to move at the open node*.
    pub known: Interval,
}

/// A position whose children are being resolved in order, eldest first.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct OpenNode {
    /// The window inherited from above, for the side to move here.
    pub window: Window,
    /// The expected kind.
    pub kind: NodeKind,
    /// Plies that remain to be searched here, at least 1; 255 where nobody knows how many.
    pub remaining: u8,
    /// The children in search order.
    pub brothers: Vec<Brother>,
    /// The best line from here, empty while no child has raised `lower`.
    pub line: Vec<Move>,
    lower: Score,
}

/// What to search next below an open node.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Question {
    /// The window, for the side to move at the child.
    pub window: Window,
    /// The child's expected kind.
    pub kind: NodeKind,
}

impl Question {
    /// Whether the answer decides what will be asked of the siblings: PVS wants the exact value of the
    /// child that leads, and scouts the others against it.
    #[must_use]
    pub fn seeks_exact_value(&self, algorithm: Algorithm) -> bool {
        algorithm == Algorithm::Pvs && self.kind == NodeKind::Pv
    }
}

/// A subtree to be searched: where its root is, how deep, and what is asked of it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Subtree {
    /// The moves from the root of the search to the root of the subtree.
    pub path: Vec<Move>,
    /// How deep to search below that.
    pub depth: Depth,
    /// The window, and the expected kind of the subtree's root.
    pub question: Question,
    /// The line to try first, from an earlier iteration; may be empty.
    pub hint: Vec<Move>,
}

/// An open node that a running search gives up, and the child its line of open nodes goes on
/// through.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Handover {
    /// The node.
    pub node: OpenNode,
    /// The index of the child that the next node given up is, or for the last one the child that
    /// the search goes on with.
    pub current: usize,
}

impl OpenNode {
    /// A node of which nothing is known yet.
    #[must_use]
    pub fn new(window: Window, kind: NodeKind, remaining: u8, moves: &[Move]) -> OpenNode {
        let (brothers, line, lower) = (Vec::new(), Vec::new(), -Score::INFINITY);
        let mut node = OpenNode { window, kind, remaining, brothers, line, lower };
        node.reopen(window, kind, remaining, moves);
        node
    }

    /// Makes this a node of which nothing is known yet, in the memory it has.
    pub fn reopen(&mut self, window: Window, kind: NodeKind, remaining: u8, moves: &[Move]) {
        assert!(!moves.is_empty(), "an open node has children");
        (self.window, self.kind, self.remaining) = (window, kind, remaining);
        self.lower = -Score::INFINITY;
        self.line.clear();
        self.brothers.clear();
        let brother = |&mv| Brother { mv, key: 0, known: Interval::UNKNOWN };
        self.brothers.extend(moves.iter().map(brother));
    }

    /// The best genuine value so far: the node is worth at least this.
    #[must_use]
    pub fn lower(&self) -> Score {
        self.lower
    }

    /// What was asked of this node.
    #[must_use]
    pub fn asked(&self) -> Question {
        Question { window: self.window, kind: self.kind }
    }

    /// The score a child must exceed to matter: inherited alpha, or the best so far.
    #[must_use]
    pub fn alpha(&self) -> Score {
        self.window.alpha().max(self.lower)
    }

    /// Whether a child already refuted the node, so that no brother matters any more.
    #[must_use]
    pub fn is_cut(&self) -> bool {
        self.lower >= self.window.beta()
    }

    /// Whether enough is known of the brother at `index`.
    #[must_use]
    pub fn is_resolved(&self, index: usize) -> bool {
        self.brothers[index].known.decides(self.alpha(), self.window.beta())
    }

    /// Whether young brothers may be searched in parallel: the eldest is resolved, without a cutoff.
    #[must_use]
    pub fn is_split_point(&self) -> bool {
        self.is_resolved(0) && !self.is_cut()
    }

    /// The first brother at or after `from` of whom too little is known.
    #[must_use]
    pub fn first_unresolved(&self, from: usize) -> Option<usize> {
        if self.is_cut() {
            return None;
        }
        (from..self.brothers.len()).find(|&index| !self.is_resolved(index))
    }

    /// The question to ask of the brother at `index` now; `None` if the node is cut off.
    ///
    /// In PVS a young brother is first scouted with a null window. One whose scout failed high and
    /// that leads now is asked for its exact value, from just below what the scout proved.
    #[must_use]
    pub fn question(&self, index: usize, algorithm: Algorithm) -> Option<Question> {
        if algorithm == Algorithm::Minimax {
            return Some(Question { window: -self.window, kind: NodeKind::Pv });
        }
        let open = self.window.above(self.alpha())?;
        if algorithm == Algorithm::AlphaBeta || index == 0 {
            return Some(Question { window: -open, kind: self.child_kind(index == 0) });
        }
        if self.leads(index) {
            let exact = Window::new(self.lower.predecessor(), open.beta())?;
            return Some(Question { window: -exact, kind: self.child_kind(true) });
        }
        Some(Question { window: -Window::null(open.alpha()), kind: self.child_kind(false) })
    }

    /// The question that replaces `asked` while the brother at `index` is being searched; `None` if
    /// the node is cut off.
    ///
    /// A scout's question moves as a whole, for a sibling that raised alpha has made the old one
    /// moot. A wider window only narrows, even if by now a scout would be sent: turning a search for
    /// an exact value into a scout and back would throw its work away.
    #[must_use]
    pub fn question_again(
        &self,
        index: usize,
        asked: Question,
        algorithm: Algorithm,
    ) -> Option<Question> {
        if algorithm == Algorithm::Minimax {
            return self.question(index, algorithm);
        }
        if asked.window.is_null() {
            let open = self.window.above(self.alpha())?;
            return Some(Question { window: -Window::null(open.alpha()), kind: asked.kind });
        }
        let asked_here = -asked.window;
        // The leader is asked from just below what it proved, and so it goes on.
        let leads = algorithm == Algorithm::Pvs && index > 0 && self.leads(index);
        let floor = if leads { self.lower.predecessor() } else { self.alpha() };
        let alpha = asked_here.alpha().max(floor);
        match Window::new(alpha, asked_here.beta().min(self.window.beta())) {
            Some(window) => Some(Question { window: -window, kind: asked.kind }),
            None => self.question(index, algorithm),
        }
    }

    /// Whether the brother at `index` proved the best so far, within the window.
    fn leads(&self, index: usize) -> bool {
        self.lower > self.window.alpha() && self.best() == Some(index)
    }

    fn child_kind(&self, leads: bool) -> NodeKind {
        match self.kind {
            NodeKind::Pv if leads => NodeKind::Pv,
            NodeKind::Pv | NodeKind::All => NodeKind::Cut,
            NodeKind::Cut => NodeKind::All,
        }
    }

    /// Takes in what is known of the brother at `index`, said for the side to move *at the child*,
    /// and the line that follows the child. Returns whether the best so far rose.
    pub fn learn(&mut self, index: usize, value: Value, line: &[Move]) -> bool {
        let brother = &mut self.brothers[index];
        brother.known = brother.known.learn(-value);
        let rises = brother.known.low > self.lower;
        if rises || !line.is_empty() && self.best() == Some(index) {
            let brother = &self.brothers[index];
            self.lower = brother.known.low;
            self.line.clear();
            self.line.push(brother.mv);
            self.line.extend_from_slice(line);
        }
        rises
    }

    /// The node's value once it is resolved: refuted by a child, or every child decided.
    #[must_use]
    pub fn value(&self) -> Option<Value> {
        self.first_unresolved(0).is_none().then(|| self.verdict())
    }

    /// The value of a node that is known to be resolved.
    #[must_use]
    pub fn verdict(&self) -> Value {
        if self.is_cut() {
            return Value::lower(self.lower);
        }
        let highest = self.brothers.iter().map(|brother| brother.known.high).max();
        let highest = highest.expect("an open node has children");
        // With every child decided and the node not cut, either the best child is known exactly,
        // or all that is known is that no child exceeds alpha.
        if self.lower >= highest { Value::exact(highest) } else { Value::upper(highest) }
    }

    /// The index of the brother that the best line begins with.
    #[must_use]
    pub fn best(&self) -> Option<usize> {
        let mv = *self.line.first()?;
        self.brothers.iter().position(|brother| brother.mv == mv)
    }

    /// Rebuilds a node received from elsewhere; `None` if it has no brothers, as no node has.
    #[must_use]
    pub fn restored(
        window: Window,
        kind: NodeKind,
        remaining: u8,
        brothers: Vec<Brother>,
        line: Vec<Move>,
    ) -> Option<OpenNode> {
        let lower = brothers.iter().map(|brother| brother.known.low).max()?;
        Some(OpenNode { window, kind, remaining, brothers, line, lower })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_leader_that_is_asked_again_is_asked_the_same() {
        let window = |alpha, beta| Window::new(Score::new(alpha), Score::new(beta)).unwrap();
        let mut node = OpenNode::new(window(-2, 2), NodeKind::Pv, 6, &[Move(0), Move(1), Move(2)]);
        node.learn(0, Value::exact(Score::new(0)), &[]);
        node.learn(1, Value::upper(Score::new(-1)), &[]);
        let exact = node.question(1, Algorithm::Pvs).unwrap();
        assert_eq!(exact.window, -window(0, 2));
        // A sibling proves as much, which changes nothing for the leader.
        node.learn(2, Value::upper(Score::new(-1)), &[]);
        assert_eq!(node.question_again(1, exact, Algorithm::Pvs), Some(exact));
    }
}
