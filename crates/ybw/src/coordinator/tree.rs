//! The split tree: every node whose brothers may be on different machines, and where each brother is.

mod choice;

pub(super) use choice::{Divisible, Guess, Ready};

use super::odds::Odds;
use choice::Best;
use game::{
    Algorithm, Depth, Entry, Finding, Handover, Move, NodeKind, OpenNode, Policy, Question, Setup,
    Subtree, Value, Window,
};
use slab::Slab;

use crate::JobId;

/// Names a node of the tree while it lives.
pub(super) type NodeIx = usize;

/// A brother: a node and an index among its children.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct BrotherAt {
    pub(super) node: NodeIx,
    pub(super) index: usize,
}

/// Where a brother is. One that is nowhere is either resolved or waits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Place {
    Nowhere,
    Running {
        job: JobId,
        asked: Question,
        /// Whether the job may be asked to split.
        divisible: bool,
    },
    Open(NodeIx),
}

/// What follows from a change of the tree.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Effect {
    Cancel(JobId),
    Narrow {
        job: JobId,
        old: Window,
        new: Window,
        /// The path of the brother whose value raised alpha.
        raised_by: Option<Vec<Move>>,
    },
    /// A node came to a value, and everything below it is dropped.
    Resolved {
        path: Vec<Move>,
        value: Value,
        /// What tables can learn of it.
        finding: Option<Finding>,
    },
}

#[derive(Debug)]
struct Node {
    open: OpenNode,
    places: Vec<Place>,
    parent: Option<BrotherAt>,
    /// Depth at this node's children.
    child_depth: Depth,
    /// What the last iteration guesses, for the side to move here.
    guess: Option<Guess>,
    /// The brother that may leave next.
    next: Option<usize>,
    /// The best to be had below.
    best: Best,
    /// Brothers of it that could be handed out now.
    waiting: usize,
    /// When it entered the tree, among all nodes.
    serial: u64,
}

/// A node about which something changed.
#[derive(Clone, Copy, Debug)]
struct Dirty {
    node: NodeIx,
    /// The brother at it, or at a node above it, whose value changed it.
    by: Option<BrotherAt>,
}

/// The split tree of one search to one depth.
#[derive(Debug)]
pub(super) struct SplitTree {
    algorithm: Algorithm,
    nodes: Slab<Node>,
    top: NodeIx,
    /// The last line that came with a value of the root. The top node keeps no line below a child that is
    /// worth no more than the window asked for, but the move that proves the root worth more is wanted.
    root_line: Vec<Move>,
    /// For the side to move at the top node.
    guess: Option<Guess>,
    odds: Odds,
    /// Brothers that could be handed out now.
    waiting: usize,
    dirty: Vec<Dirty>,
    /// Nodes about which what is kept is out of date.
    stale: Vec<NodeIx>,
    next_serial: u64,
}

impl SplitTree {
    /// A tree of which only the root's question is known. The top node stands above the root, and the
    /// root is its only child, so that the root is treated like any other brother.
    pub(super) fn new(setup: &Setup, depth: Depth, guess: Option<Guess>) -> SplitTree {
        let open = OpenNode::new(-setup.window, NodeKind::Pv, u8::MAX, &[Move(0)]);
        let aspires = setup.policy == Policy::Aspiring && setup.algorithm != Algorithm::Minimax;
        let mut tree = SplitTree {
            algorithm: setup.algorithm,
            nodes: Slab::new(),
            top: 0,
            root_line: Vec::new(),
            guess: guess.filter(|_| aspires).map(Guess::turned),
            odds: Odds::new(),
            waiting: 0,
            dirty: Vec::new(),
            stale: Vec::new(),
            next_serial: 0,
        };
        tree.top = tree.insert(open, None, depth);
        tree.touch(tree.top);
        tree
    }

    /// How many brothers could be handed out now.
    pub(super) fn waiting(&self) -> usize {
        self.waiting
    }

    /// What to search at a brother that waits; the hint is empty.
    pub(super) fn subtree(&self, at: BrotherAt) -> Subtree {
        let question = self.question(at);
        Subtree {
            path: self.path(at),
            depth: self.depth(at),
            question: question.expect("a brother that waits has a question"),
            hint: Vec::new(),
        }
    }

    /// The depth at a brother.
    pub(super) fn depth(&self, at: BrotherAt) -> Depth {
        self.nodes[at.node].child_depth
    }

    /// Notes that a job searches the brother and is asked this.
    pub(super) fn run(&mut self, at: BrotherAt, job: JobId, asked: Question) {
        let place = &mut self.nodes[at.node].places[at.index];
        assert_eq!(*place, Place::Nowhere, "a brother is in one place only");
        *place = Place::Running { job, asked, divisible: false };
        self.touch(at.node);
    }

    /// Notes that the brother's job is gone without a result.
    pub(super) fn vacate(&mut self, at: BrotherAt) {
        self.nodes[at.node].places[at.index] = Place::Nowhere;
        self.dirty.push(Dirty { node: at.node, by: None });
    }

    /// Takes in a result for the brother. Returns whether it suffices.
    pub(super) fn learn(&mut self, at: BrotherAt, value: Value, line: &[Move]) -> bool {
        let node = &mut self.nodes[at.node];
        node.places[at.index] = Place::Nowhere;
        let rises = node.open.learn(at.index, value, line);
        self.dirty.push(Dirty { node: at.node, by: Some(at) });
        let OpenNode { kind, .. } = node.open;
        let cut = node.open.is_cut();
        let suffices = cut || node.open.is_resolved(at.index) || !node.open.is_resolved(0);
        if at.index > 0 {
            self.odds.learn(kind, at.index, cut || rises && kind == NodeKind::Pv);
        }
        if at.node == self.top && !line.is_empty() {
            self.root_line = line.to_vec();
        }
        suffices
    }

    /// Hangs a worker's open nodes below the brother it was searching. Returns the brother it goes
    /// on with, and what is asked of it. The nodes must have been checked by
    /// [`crate::coordinator::check_offer`].
    pub(super) fn adopt(
        &mut self,
        at: BrotherAt,
        nodes: Vec<Handover>,
        next: JobId,
    ) -> (BrotherAt, Question) {
        let mut parent = at;
        for Handover { node, current } in nodes {
            let depth = self.nodes[parent.node].child_depth.child();
            let index = self.insert(node, Some(parent), depth);
            self.nodes[parent.node].places[parent.index] = Place::Open(index);
            self.dirty.push(Dirty { node: index, by: None });
            parent = BrotherAt { node: index, index: current };
        }
        // The worker goes by the windows it sent; where they are out of date the job is narrowed.
        let last = &mut self.nodes[parent.node];
        let asked = last.open.question(parent.index, self.algorithm);
        let asked = asked.expect("an offer with a resolved current child was refused");
        last.places[parent.index] = Place::Running { job: next, asked, divisible: false };
        self.dirty.push(Dirty { node: at.node, by: None });
        (parent, asked)
    }

    /// Works off everything that changed: cuts off, resolves, narrows. Returns the root's value and line
    /// once it is resolved.
    pub(super) fn settle(&mut self, effects: &mut Vec<Effect>) -> Option<(Value, Vec<Move>)> {
        while let Some(Dirty { node: index, by }) = self.dirty.pop() {
            let Some(node) = self.nodes.get(index) else {
                continue;
            };
            let Some(value) = node.open.value() else {
                self.refresh_questions(index, by, effects);
                self.touch(index);
                continue;
            };
            let line = node.open.line.clone();
            let Some(parent) = node.parent else {
                self.drop_below(index, effects);
                return Some((-value, std::mem::take(&mut self.root_line)));
            };
            let finding = self.finding(index, parent, value);
            self.drop_node(index, effects);
            effects.push(Effect::Resolved { path: self.path(parent), value, finding });
            self.learn(parent, value, &line);
        }
        None
    }

    /// What a table can learn of a node that is resolved, if its key is known.
    fn finding(&self, node: NodeIx, at: BrotherAt, value: Value) -> Option<Finding> {
        let open = &self.nodes[node].open;
        let best = open.line.first().copied().unwrap_or(open.brothers[0].mv);
        let entry = Entry { value, depth: self.depth(at), best, remaining: open.remaining };
        let key = self.nodes[at.node].open.brothers[at.index].key;
        (key != 0).then_some(Finding { key, entry })
    }

    /// Cancels everything that runs.
    pub(super) fn cancel_all(&mut self, effects: &mut Vec<Effect>) {
        self.drop_below(self.top, effects);
    }

    /// Plies that remain at the children of a node; 255 where nobody knows.
    pub(super) fn remaining_below(&self, node: NodeIx) -> u8 {
        match self.nodes[node].open.remaining {
            u8::MAX => u8::MAX,
            plies => plies.saturating_sub(1),
        }
    }

    /// The root's best line so far, empty while it is not known.
    pub(super) fn line(&self) -> &[Move] {
        match self.nodes[self.top].places[0] {
            Place::Open(root) => &self.nodes[root].open.line,
            Place::Nowhere | Place::Running { .. } => &[],
        }
    }

    fn insert(&mut self, open: OpenNode, parent: Option<BrotherAt>, child_depth: Depth) -> NodeIx {
        let places = vec![Place::Nowhere; open.brothers.len()];
        let serial = self.next_serial;
        self.next_serial += 1;
        let guess = match parent {
            None => self.guess,
            Some(at) => self.nodes[at.node].guess.map(Guess::turned),
        };
        let best = Best::default();
        let (waiting, next) = (0, None);
        let node = Node { open, places, parent, child_depth, guess, next, best, waiting, serial };
        self.nodes.insert(node)
    }

    pub(super) fn path(&self, at: BrotherAt) -> Vec<Move> {
        let mut path = Vec::new();
        let mut at = Some(at);
        while let Some(BrotherAt { node, index }) = at
            && node != self.top
        {
            path.push(self.nodes[node].open.brothers[index].mv);
            at = self.nodes[node].parent;
        }
        path.reverse();
        path
    }

    /// The one place that lets a brother leave: the eldest first and alone, the young ones when the
    /// eldest is resolved without a cutoff, or meanwhile against a guess. One that leads goes before the others, and as long as
    /// it is being searched they stay: what it is worth decides what will be asked of them.
    fn next_waiting(&self, node: NodeIx) -> Option<usize> {
        let Node { open, places, .. } = &self.nodes[node];
        let waits = |&index: &usize| places[index] == Place::Nowhere && !open.is_resolved(index);
        if let Some(alpha) = self.guessed_alpha(node) {
            return self.next_guessed(node, alpha);
        }
        if !open.is_split_point() {
            return Some(0).filter(|index| !open.is_cut() && waits(index));
        }
        if places.iter().any(|&place| self.seeks_exact_value(place)) {
            return None;
        }
        let leading = open.best().filter(|&best| best > 0 && waits(&best));
        leading.or_else(|| (1..places.len()).find(waits))
    }

    /// Whether a brother is being searched for its exact value.
    fn seeks_exact_value(&self, place: Place) -> bool {
        match place {
            Place::Nowhere => false,
            Place::Running { asked, .. } => asked.seeks_exact_value(self.algorithm),
            Place::Open(node) => self.nodes[node].open.asked().seeks_exact_value(self.algorithm),
        }
    }

    /// Something changed at a node.
    fn touch(&mut self, node: NodeIx) {
        if !self.stale.contains(&node) {
            self.stale.push(node);
        }
    }

    fn refresh_waiting(&mut self, node: NodeIx) {
        let next = self.next_waiting(node);
        self.nodes[node].next = next;
        let waiting = self.waiting_at(node);
        let before = std::mem::replace(&mut self.nodes[node].waiting, waiting);
        self.waiting = self.waiting + waiting - before;
    }

    fn waiting_at(&self, node: NodeIx) -> usize {
        let Node { open, places, .. } = &self.nodes[node];
        let waits = |index: &usize| places[*index] == Place::Nowhere && !open.is_resolved(*index);
        if open.is_split_point() {
            (1..places.len()).filter(waits).count()
        } else {
            usize::from(self.nodes[node].next.is_some())
        }
    }

    /// Asks every brother that is searched somewhere the question that holds now.
    fn refresh_questions(
        &mut self,
        index: NodeIx,
        by: Option<BrotherAt>,
        effects: &mut Vec<Effect>,
    ) {
        for brother in 0..self.nodes[index].places.len() {
            let asked = match self.nodes[index].places[brother] {
                Place::Nowhere => continue,
                Place::Running { asked, .. } => asked,
                Place::Open(child) => self.nodes[child].open.asked(),
            };
            if self.nodes[index].open.is_resolved(brother) {
                // The window rose above what was known of it all along.
                self.drop_place(BrotherAt { node: index, index: brother }, effects);
                continue;
            }
            let now = self.question_again(BrotherAt { node: index, index: brother }, asked);
            let now = now.expect("the node is not cut off");
            match self.nodes[index].places[brother] {
                Place::Running { job, divisible, .. } if asked.window != now.window => {
                    let place = Place::Running { job, asked: now, divisible };
                    self.nodes[index].places[brother] = place;
                    let (old, new) = (asked.window, now.window);
                    let raised_by = by.map(|by| self.path(by));
                    effects.push(Effect::Narrow { job, old, new, raised_by });
                }
                Place::Open(child) if asked != now => {
                    let open = &mut self.nodes[child].open;
                    (open.window, open.kind) = (now.window, now.kind);
                    self.dirty.push(Dirty { node: child, by });
                }
                Place::Nowhere | Place::Running { .. } | Place::Open(_) => {}
            }
        }
    }

    fn drop_place(&mut self, at: BrotherAt, effects: &mut Vec<Effect>) {
        let place = &mut self.nodes[at.node].places[at.index];
        match std::mem::replace(place, Place::Nowhere) {
            Place::Nowhere => {}
            Place::Running { job, .. } => effects.push(Effect::Cancel(job)),
            Place::Open(child) => self.drop_node(child, effects),
        }
    }

    fn drop_node(&mut self, index: NodeIx, effects: &mut Vec<Effect>) {
        self.drop_below(index, effects);
        self.waiting -= self.nodes.remove(index).waiting;
    }

    fn drop_below(&mut self, node: NodeIx, effects: &mut Vec<Effect>) {
        for index in 0..self.nodes[node].places.len() {
            self.drop_place(BrotherAt { node, index }, effects);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use game::Score;

    #[test]
    fn the_line_of_the_root_is_kept_whatever_its_bound() {
        let line = [Move(3), Move(1)];
        let window = Window::null(Score::ZERO);
        let check = |value: Value, line: &[Move]| {
            let setup = Setup { window, ..Setup::new("tictactoe") };
            let mut tree = SplitTree::new(&setup, Depth::FULL, None);
            let root = tree.next_ready().unwrap().at;
            let asked = tree.subtree(root).question;
            tree.run(root, JobId(1), asked);
            assert!(tree.learn(root, value, line));
            assert_eq!(tree.settle(&mut Vec::new()), Some((value, line.to_vec())));
        };
        check(Value::lower(Score::new(1)), &line);
        check(Value::exact(Score::new(5)), &line);
        check(Value::upper(Score::ZERO), &[]);
    }
}
