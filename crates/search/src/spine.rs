//! A search with an explicit stack: [`Spine`] can be paused, narrowed and split.
//!
//! The spine holds the open nodes from the subtree's root down to the minimum split depth; below that
//! [`Searcher::search`] recurses. Never split or narrowed, it enters the same positions in the same order
//! with the same windows as the plain recursion does. Since every open node holds true statements
//! about its children, its window may be changed at any pause: see [`OpenNode`].

use crate::searcher::{At, Entered, Searcher};
use crate::{Run, SlotSearch};
use game::{
    Algorithm, Cutback, Depth, Game, GameError, Handover, Move, MoveList, NodeKind, OpenNode,
    Policy, Question, Setup, Subtree, Tally, Value, Window,
};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// An open node on the stack.
struct Frame<G: Game> {
    position: G::Position,
    at: At,
    key: u64,
    open: OpenNode,
    /// The child that is being searched. Between two steps only the last frame has none.
    current: Option<usize>,
    /// Every child before this one is resolved, as long as the window does not change.
    resolved: usize,
    /// Positions the spine had entered when this node was opened.
    entered_before: u64,
}

/// The subtree a spine is at.
struct Job<G: Game> {
    position: G::Position,
    depth: Depth,
    ply: usize,
    question: Question,
    frames: Vec<Frame<G>>,
}

/// The search of one thread.
pub(crate) struct Spine<G: Game> {
    searcher: Searcher<G>,
    root: G::Position,
    policy: Policy,
    min_split: u8,
    interrupt: Arc<AtomicBool>,
    /// Positions entered until the tally was taken last.
    entered_before: u64,
    job: Option<Job<G>>,
    /// The best line from the position that was resolved last.
    line: Vec<Move>,
    /// Memory for the next open nodes.
    spare: Vec<OpenNode>,
}

impl<G: Game> SlotSearch for Spine<G> {
    fn start(&mut self, subtree: &Subtree) -> Result<(), GameError> {
        assert!(self.job.is_none(), "a slot searches one subtree at a time");
        let position = self.follow(&subtree.path)?;
        let ply = subtree.path.len();
        self.searcher.begin(&subtree.hint, ply);
        let Subtree { depth, question, .. } = *subtree;
        self.job = Some(Job { position, depth, ply, question, frames: Vec::new() });
        Ok(())
    }

    fn run(&mut self, nodes: u64) -> Run {
        let end = self.searcher.tally.nodes.saturating_add(nodes);
        loop {
            if let Some(value) = self.step() {
                self.job = None;
                return Run::Done { value, line: std::mem::take(&mut self.line) };
            }
            if self.interrupt.load(Relaxed) {
                self.interrupt.store(false, Relaxed);
                self.searcher.take_stopped();
                return Run::Paused;
            }
            if self.searcher.tally.nodes >= end {
                return Run::Paused;
            }
        }
    }

    fn narrow(&mut self, window: Window) -> Cutback {
        let (algorithm, entered) = (self.searcher.algorithm, self.entered());
        let Some(job) = &mut self.job else {
            return Cutback::default();
        };
        job.question.window = window;
        let costs: Vec<u64> = job.frames.iter().map(|frame| frame.cost_to_come(entered)).collect();
        let kept = job.narrow(algorithm);
        Cutback {
            open_nodes: u32::try_from(costs.len() - kept).unwrap_or(u32::MAX),
            saved: costs[kept..].iter().sum(),
            ended: kept == 0 && !costs.is_empty(),
        }
    }

    fn split(&mut self, grain: u8) -> Option<Vec<Handover>> {
        let algorithm = self.searcher.algorithm;
        let job = self.job.as_mut()?;
        let gives = |index: &usize| {
            let frame = &job.frames[*index];
            self.policy.allows(frame.open.kind, frame.at.ply)
                && frame.has_brothers_to_give(algorithm)
        };
        let aspires = |index: &usize| {
            let frame = &job.frames[*index];
            frame.open.kind == NodeKind::Pv && frame.current == Some(0)
        };
        let certain = |index: &usize| job.frames[*index].open.kind != NodeKind::Cut;
        // The brothers of an expected cut node may turn out not to be needed: others go first.
        let coarse = |frame: &&Frame<G>| frame.at.remaining >= grain;
        let frames = 0..job.frames.iter().take_while(coarse).count();
        let last = match frames.clone().find(gives) {
            Some(first) => (first..frames.end).filter(certain).find(gives).unwrap_or(first),
            // Nothing but PV nodes with an eldest that is being searched: against a guess their
            // brothers can be scouted.
            None if self.policy == Policy::Aspiring => frames.rev().find(aspires)?,
            None => return None,
        };
        Some(job.hand_over(&self.searcher, last))
    }

    fn stop(&mut self) {
        self.job = None;
    }

    fn interrupt(&self) -> Arc<AtomicBool> {
        self.interrupt.clone()
    }

    fn take_tally(&mut self) -> Tally {
        self.entered_before += self.searcher.tally.nodes;
        std::mem::take(&mut self.searcher.tally)
    }
}

impl<G: Game> Spine<G> {
    pub(crate) fn new(searcher: Searcher<G>, root: G::Position, setup: &Setup) -> Spine<G> {
        Spine {
            interrupt: searcher.stop_flag(),
            searcher,
            root,
            policy: setup.policy,
            min_split: setup.min_split.max(1),
            entered_before: 0,
            job: None,
            line: Vec::new(),
            spare: Vec::new(),
        }
    }

    /// Positions entered so far.
    fn entered(&self) -> u64 {
        self.entered_before + self.searcher.tally.nodes
    }

    /// The position at the end of a path from the problem's root.
    fn follow(&self, path: &[Move]) -> Result<G::Position, GameError> {
        let game = &self.searcher.game;
        let mut position = self.root.clone();
        for (ply, &mv) in path.iter().enumerate() {
            let mut legal = MoveList::new();
            if game.final_score(&position).is_none() {
                game.moves(&position, &mut legal);
            }
            if !legal.contains(&mv) {
                let text = game.position_text(&position);
                let wrong = format!("move code {} at ply {ply} of the path is not legal", mv.0);
                return Err(GameError::position(text, wrong));
            }
            position = game.play(&position, mv);
        }
        Ok(position)
    }

    /// Searches on by one child of the last open node. Returns the value of the subtree's root, for
    /// the side to move there, once it is resolved.
    fn step(&mut self) -> Option<Value> {
        let job = self.job.as_mut().expect("a slot that runs has a subtree");
        let Some(frame) = job.frames.last_mut() else {
            let (position, depth) = (job.position.clone(), job.depth);
            let (question, ply) = (job.question, job.ply);
            return self.visit(&position, depth, question, ply);
        };
        let Some(index) = frame.open.first_unresolved(frame.resolved) else {
            return self.pop();
        };
        frame.resolved = index;
        let question = frame.open.question(index, self.searcher.algorithm);
        let question = question.expect("an unresolved node has a question");
        frame.current = Some(index);
        let child = self.searcher.game.play(&frame.position, frame.open.brothers[index].mv);
        let (depth, ply) = (frame.at.depth.child(), frame.at.ply + 1);
        let resolved = self.visit(&child, depth, question, ply);
        resolved.and_then(|value| self.learn(value))
    }

    /// Resolves a position or pushes it on the stack. Returns its value, and leaves the line that
    /// follows it in `self.line`.
    fn visit(
        &mut self,
        position: &G::Position,
        depth: Depth,
        question: Question,
        ply: usize,
    ) -> Option<Value> {
        let at = self.searcher.at(position, depth, ply);
        let Question { window, kind } = question;
        if self.policy == Policy::Sequential || at.remaining < self.min_split {
            let value = self.searcher.search(position, depth, window, ply);
            if self.searcher.was_stopped() {
                self.unvisit();
                return None;
            }
            self.line.clear();
            self.line.extend_from_slice(self.searcher.line(ply));
            return Some(value);
        }
        let entered_before = self.entered();
        let mut moves = MoveList::new();
        match self.searcher.enter(position, at, window, &mut moves) {
            Entered::Resolved(value) => {
                self.line.clear();
                Some(value)
            }
            Entered::Open { key } => {
                let open = self.open(window, kind, at.remaining, &moves);
                let (position, current, resolved) = (position.clone(), None, 0);
                let frame = Frame { position, at, key, open, current, resolved, entered_before };
                self.job.as_mut()?.frames.push(frame);
                None
            }
        }
    }

    fn open(&mut self, window: Window, kind: NodeKind, remaining: u8, moves: &[Move]) -> OpenNode {
        let Some(mut node) = self.spare.pop() else {
            return OpenNode::new(window, kind, remaining, moves);
        };
        node.reopen(window, kind, remaining, moves);
        node
    }

    /// Takes back a visit that was given up half-way.
    fn unvisit(&mut self) {
        if let Some(frame) = self.job.as_mut().and_then(|job| job.frames.last_mut()) {
            frame.current = None;
        }
    }

    /// Takes in a resolved child of the last open node; returns its value if there is no open node.
    fn learn(&mut self, value: Value) -> Option<Value> {
        let job = self.job.as_mut()?;
        let Some(frame) = job.frames.last_mut() else {
            return Some(value);
        };
        let index = frame.current.take().expect("a child that was searched was the current one");
        frame.open.learn(index, value, &self.line);
        if frame.open.is_cut() {
            self.searcher.cut(frame.open.brothers[index].mv, index, frame.at);
        }
        None
    }

    /// Leaves the last open node, which is resolved.
    fn pop(&mut self) -> Option<Value> {
        let mut frame = self.job.as_mut()?.frames.pop()?;
        let value = frame.open.verdict();
        let best = frame.open.line.first().copied().unwrap_or(frame.open.brothers[0].mv);
        self.searcher.leave(&frame.position, frame.key, frame.at, value, best);
        std::mem::swap(&mut self.line, &mut frame.open.line);
        self.spare.push(frame.open);
        self.learn(value)
    }
}

impl<G: Game> Job<G> {
    /// Hands the root's window down the stack. Whatever does not matter any more is dropped. Returns how many
    /// nodes, from the root on, are still to be searched on.
    fn narrow(&mut self, algorithm: Algorithm) -> usize {
        let mut question = self.question;
        for index in 0..self.frames.len() {
            let asked = self.frames.get(index + 1).map(|child| child.open.asked());
            let frame = &mut self.frames[index];
            frame.resolved = 0;
            frame.open.window = question.window;
            frame.open.kind = question.kind;
            let Some(current) = frame.current else {
                return index + usize::from(!frame.open.is_cut());
            };
            let next = match asked {
                Some(asked) => frame.open.question_again(current, asked, algorithm),
                None => frame.open.question(current, algorithm),
            };
            match next {
                Some(next) if !frame.open.is_resolved(current) => question = next,
                _ => {
                    frame.current = None;
                    let kept = index + usize::from(!frame.open.is_cut());
                    self.frames.truncate(index + 1);
                    return kept;
                }
            }
        }
        self.frames.len()
    }

    /// Gives up the frames up to and including `last`; the rest of the stack goes on below the last
    /// one's current child.
    fn hand_over(&mut self, searcher: &Searcher<G>, last: usize) -> Vec<Handover> {
        let algorithm = searcher.algorithm;
        let rest = self.frames.split_off(last + 1);
        let given = std::mem::replace(&mut self.frames, rest);
        let mut handovers = Vec::with_capacity(given.len());
        for mut frame in given {
            let next = frame.open.first_unresolved(0);
            let current = frame.current.or(next).expect("a node that gives brothers has a child");
            frame.sign_brothers(searcher);
            let question = frame.open.question(current, algorithm);
            self.question = question.expect("a node that is not cut off has questions");
            self.position = searcher.game.play(&frame.position, frame.open.brothers[current].mv);
            self.depth = frame.at.depth.child();
            self.ply = frame.at.ply + 1;
            handovers.push(Handover { node: frame.open, current });
        }
        // Both sides take it that the rest is asked what would be asked of it now.
        self.narrow(algorithm);
        handovers
    }
}

impl<G: Game> Frame<G> {
    /// Whether young brothers wait that may be searched in parallel with the current child. They stay
    /// while a child that leads is searched for its exact value, which decides what to ask of them.
    fn has_brothers_to_give(&self, algorithm: Algorithm) -> bool {
        if !self.open.is_split_point() {
            return false;
        }
        let asked = self.current.and_then(|current| self.open.question(current, algorithm));
        if asked.is_some_and(|asked| asked.seeks_exact_value(algorithm)) {
            return false;
        }
        let mut unresolved =
            (1..self.open.brothers.len()).filter(|&index| !self.open.is_resolved(index));
        match self.current {
            Some(current) => unresolved.any(|index| index != current),
            None => unresolved.nth(1).is_some(),
        }
    }

    /// What the brothers that wait will cost, if they cost what the others did on the average; `entered` are the
    /// positions that the spine has entered so far.
    fn cost_to_come(&self, entered: u64) -> u64 {
        let waits = |&index: &usize| !self.open.is_resolved(index) && Some(index) != self.current;
        let all = self.open.brothers.len();
        let waiting = (0..all).filter(waits).count();
        let searched = (all - waiting).max(1);
        (entered - self.entered_before) * waiting as u64 / searched as u64
    }

    /// Gives the brothers that are not resolved the keys of their positions.
    fn sign_brothers(&mut self, searcher: &Searcher<G>) {
        for index in 0..self.open.brothers.len() {
            if !self.open.is_resolved(index) {
                let brother = &mut self.open.brothers[index];
                brother.key = searcher.key(&searcher.game.play(&self.position, brother.mv));
            }
        }
    }
}
