//! Plain recursive search, and the steps that the [`crate::spine::Spine`] shares with it: [`Searcher`].

use crate::order::{Orderer, Place};
use crate::{Known, Pay, Table};
use game::{
    Algorithm, Bound, Depth, Entry, Game, LeafCost, Move, MoveList, Score, Setup, Tally, Value,
    Window,
};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// Positions with fewer plies remaining are not worth a place in the table.
const TABLE_FLOOR: u8 = 2;
/// The stop flag is looked at once in so many positions.
const NODES_PER_LOOK: u64 = 1024;

/// What one thread needs to search a game, and what it has learnt and counted.
pub(crate) struct Searcher<G: Game> {
    pub(crate) game: G,
    pub(crate) algorithm: Algorithm,
    pub(crate) tally: Tally,
    quiescence: u8,
    table: Option<Arc<Table>>,
    salt: u64,
    orderer: Orderer,
    cost: LeafCost,
    pay: Pay,
    lines: Lines,
    /// The line of an earlier search, followed as long as this one goes down its first path.
    hint: Vec<Move>,
    hint_ply: usize,
    follows_hint: bool,
    stop: Arc<AtomicBool>,
    stopped: bool,
}

/// What a position turned out to be when it was entered.
pub(crate) enum Entered {
    /// Its value is known already.
    Resolved(Value),
    /// Its children are to be searched; the key is the position's in the table.
    Open { key: u64 },
}

/// Where a node is: its ply, its depth, and the plies that really remain there.
#[derive(Clone, Copy, Debug)]
pub(crate) struct At {
    pub(crate) ply: usize,
    pub(crate) depth: Depth,
    pub(crate) remaining: u8,
}

impl<G: Game> Searcher<G> {
    pub(crate) fn new(game: G, setup: &Setup, table: Option<Arc<Table>>, pay: Pay) -> Searcher<G> {
        let full = setup.algorithm == Algorithm::Minimax;
        Searcher {
            cost: game.leaf_cost(),
            game,
            algorithm: setup.algorithm,
            tally: Tally::default(),
            quiescence: setup.quiescence,
            table: table.filter(|_| !full),
            salt: salt(setup),
            orderer: Orderer::new(setup.order),
            pay,
            lines: Lines::default(),
            hint: Vec::new(),
            hint_ply: 0,
            follows_hint: false,
            stop: Arc::new(AtomicBool::new(false)),
            stopped: false,
        }
    }

    /// Gets ready for another subtree whose root is `ply` moves below the problem's root.
    pub(crate) fn begin(&mut self, hint: &[Move], ply: usize) {
        self.hint.clear();
        self.hint.extend_from_slice(hint);
        self.hint_ply = ply;
        self.follows_hint = !hint.is_empty();
    }

    /// The flag that gives a search up.
    pub(crate) fn stop_flag(&self) -> Arc<AtomicBool> {
        self.stop.clone()
    }

    pub(crate) fn set_stop_flag(&mut self, stop: Arc<AtomicBool>) {
        self.stop = stop;
    }

    /// Whether the last search was given up.
    pub(crate) fn was_stopped(&self) -> bool {
        self.stopped
    }

    /// Whether the last search was given up, so that what it returned means nothing. Forgets it.
    pub(crate) fn take_stopped(&mut self) -> bool {
        std::mem::take(&mut self.stopped)
    }

    /// The plies that really remain at a position to be searched to `depth`.
    pub(crate) fn at(&self, position: &G::Position, depth: Depth, ply: usize) -> At {
        At { ply, depth, remaining: depth.at_most(self.game.plies_left(position)) }
    }

    /// The best line found by the last search of a node at `ply`.
    pub(crate) fn line(&self, ply: usize) -> &[Move] {
        self.lines.at(ply)
    }

    /// Searches a subtree: fail-soft alpha-beta, PVS or minimax (Fishburn 1983; Marsland 1983).
    pub(crate) fn search(
        &mut self,
        position: &G::Position,
        depth: Depth,
        window: Window,
        ply: usize,
    ) -> Value {
        let at = self.at(position, depth, ply);
        let mut moves = MoveList::new();
        let key = match self.enter(position, at, window, &mut moves) {
            Entered::Resolved(value) => return value,
            Entered::Open { key } => key,
        };
        // The node is worth at most `high`, once every child was searched, and at least `low`.
        let (mut low, mut high, mut best) = (-Score::INFINITY, -Score::INFINITY, moves[0]);
        for (index, &mv) in moves.iter().enumerate() {
            let Some(open) = window.above(low) else { break };
            let child = self.game.play(position, mv);
            let value = self.search_child(&child, depth.child(), open, index, ply + 1);
            if self.stopped {
                return Value::upper(Score::INFINITY);
            }
            high = high.max(value.score);
            if value.bound != Bound::Upper && value.score > low {
                (low, best) = (value.score, mv);
                self.lines.raise(ply, mv);
            }
            if low >= window.beta() {
                self.cut(mv, index, at);
            }
        }
        let value = if low >= window.beta() {
            Value::lower(low)
        } else if low >= high {
            Value::exact(high)
        } else {
            Value::upper(high)
        };
        self.leave(position, key, at, value, best);
        value
    }

    /// The value of a child, said for its parent.
    fn search_child(
        &mut self,
        child: &G::Position,
        depth: Depth,
        open: Window,
        index: usize,
        ply: usize,
    ) -> Value {
        if self.algorithm == Algorithm::Minimax {
            return -self.search(child, depth, Window::FULL, ply);
        }
        if self.algorithm == Algorithm::AlphaBeta || index == 0 {
            return -self.search(child, depth, -open, ply);
        }
        let scout = -self.search(child, depth, -Window::null(open.alpha()), ply);
        if scout.decides(open) || self.stopped {
            return scout;
        }
        // The child is worth at least what the scout proved; its exact value is wanted.
        match Window::new(scout.score.predecessor(), open.beta()) {
            Some(window) => -self.search(child, depth, -window, ply),
            None => scout,
        }
    }

    /// Enters a position: counts it, and unless its value is known already (final, static, solved
    /// by the game, or in the table) fills `moves` with its ordered moves. The root of the whole
    /// search is always opened if it is undecided, for its best move is wanted too.
    pub(crate) fn enter(
        &mut self,
        position: &G::Position,
        at: At,
        window: Window,
        moves: &mut MoveList,
    ) -> Entered {
        self.tally.nodes += 1;
        self.lines.clear(at.ply);
        if self.tally.nodes.is_multiple_of(NODES_PER_LOOK) && self.stop.load(Relaxed) {
            self.stopped = true;
        }
        if let Some(value) = self.value_at_once(position, at, window) {
            self.follows_hint = false;
            return Entered::Resolved(value);
        }
        let key = if self.uses_table(at) { self.key(position) } else { 0 };
        let known = self.probe(key, at);
        if let Some(Known { entry, foreign }) = known
            && at.ply > 0
            && entry.depth == at.depth
            && entry.value.decides(window)
        {
            self.tally.table_cutoffs += 1;
            self.tally.shared_cutoffs += u64::from(foreign);
            self.follows_hint = false;
            return Entered::Resolved(entry.value);
        }
        if self.reasons(at) {
            self.game.sound_moves(position, moves);
            if let Some(value) = self.refuted_by_a_child(position, at, window, moves) {
                self.follows_hint = false;
                return Entered::Resolved(value);
            }
        } else {
            self.game.moves(position, moves);
        }
        self.tally.interior += 1;
        let known = known.map(|known| self.game.move_in_key(position, known.entry.best));
        let first = self.hinted(at.ply, moves).or(known);
        let place = Place { ply: at.ply, depth: at.depth, first };
        self.orderer.sort(&self.game, position, moves, place);
        Entered::Open { key }
    }

    /// Leaves a position whose children were searched: what was found out goes into the table.
    pub(crate) fn leave(
        &mut self,
        position: &G::Position,
        key: u64,
        at: At,
        value: Value,
        best: Move,
    ) {
        if let Some(table) = &self.table
            && self.uses_table(at)
        {
            let At { depth, remaining, .. } = at;
            let best = self.game.move_in_key(position, best);
            let told = table.store(key, Entry { value, depth, best, remaining });
            self.tally.shared += u64::from(told);
        }
    }

    /// The key of a position in the table.
    pub(crate) fn key(&self, position: &G::Position) -> u64 {
        self.game.key(position) ^ self.salt
    }

    /// Notes a cutoff by the child at `index`.
    pub(crate) fn cut(&mut self, mv: Move, index: usize, at: At) {
        self.tally.cutoff(index);
        self.orderer.cutoff(mv, at.ply, at.remaining);
    }

    fn value_at_once(&mut self, position: &G::Position, at: At, window: Window) -> Option<Value> {
        if let Some(score) = self.game.final_score(position) {
            self.count_leaf();
            return Some(Value::exact(score));
        }
        if at.depth == Depth::ZERO {
            return Some(self.quiesce(position, window, self.quiescence));
        }
        if !self.reasons(at) || at.ply == 0 {
            return None;
        }
        if u32::from(at.remaining) <= self.game.solves_within() {
            self.tally.interior += 1;
            return Some(self.game.solve(position, window, &mut self.tally));
        }
        let value = self.game.bounds(position, window).answer(window)?;
        self.tally.leaves += 1;
        Some(value)
    }

    /// Whether the game's own knowledge of how it ends may replace search: in a full solve, unless the whole
    /// tree is wanted as it is.
    fn reasons(&self, at: At) -> bool {
        at.depth == Depth::FULL && self.algorithm != Algorithm::Minimax && self.orderer.learns()
    }

    /// The value of a position that one of its children refutes by what is known of the child
    /// without searching it (enhanced transposition cutoffs, Plaat, Schaeffer, Pijls and de Bruin 1996).
    fn refuted_by_a_child(
        &mut self,
        position: &G::Position,
        at: At,
        window: Window,
        moves: &MoveList,
    ) -> Option<Value> {
        let from = self.game.looks_ahead_from()?;
        if at.ply == 0 || u32::from(at.remaining) < from {
            return None;
        }
        for &mv in moves {
            let child = self.game.play(position, mv);
            let low = -self.game.bounds(&child, -window).high;
            if low >= window.beta() {
                self.tally.leaves += 1;
                return Some(Value::lower(low));
            }
            let at = self.at(&child, at.depth.child(), at.ply + 1);
            if !self.uses_table(at) {
                continue;
            }
            let Some(Known { entry, foreign }) = self.probe(self.key(&child), at) else { continue };
            if entry.depth == at.depth
                && entry.value.bound != Bound::Lower
                && -entry.value.score >= window.beta()
            {
                self.tally.table_cutoffs += 1;
                self.tally.shared_cutoffs += u64::from(foreign);
                return Some(Value::lower(-entry.value.score));
            }
        }
        None
    }

    /// A static value, or what the noisy moves make of it: the side to move may stand pat.
    fn quiesce(&mut self, position: &G::Position, window: Window, plies: u8) -> Value {
        self.count_leaf();
        let stand_pat = self.game.evaluate(position);
        let mut noisy = MoveList::new();
        if plies > 0 {
            self.game.noisy_moves(position, &mut noisy);
        }
        if noisy.is_empty() {
            return Value::exact(stand_pat);
        }
        let mut best = stand_pat;
        for &mv in &noisy {
            let Some(open) = window.above(best) else {
                break;
            };
            let child = self.game.play(position, mv);
            self.tally.quiescence += 1;
            let score = match self.game.final_score(&child) {
                Some(score) => {
                    self.count_leaf();
                    -score
                }
                None => -self.quiesce(&child, -open, plies - 1).score,
            };
            best = best.max(score);
        }
        Value::judged(best, window)
    }

    fn count_leaf(&mut self) {
        self.tally.leaves += 1;
        if self.cost != LeafCost::Free {
            (self.pay)(self.cost);
        }
    }

    fn uses_table(&self, at: At) -> bool {
        self.table.is_some() && at.remaining >= TABLE_FLOOR
    }

    fn probe(&mut self, key: u64, at: At) -> Option<Known> {
        if !self.uses_table(at) {
            return None;
        }
        self.tally.probes += 1;
        let known = self.table.as_ref()?.probe(key)?;
        self.tally.hits += 1;
        self.tally.shared_hits += u64::from(known.foreign);
        Some(known)
    }

    /// The next move of the hinted line, while the search goes down its first path along it.
    fn hinted(&mut self, ply: usize, moves: &MoveList) -> Option<Move> {
        if !self.follows_hint {
            return None;
        }
        let next = self.hint.get(ply - self.hint_ply).copied().filter(|mv| moves.contains(mv));
        self.follows_hint = next.is_some();
        next
    }
}

/// Keeps the entries of different games and settings apart in one table (FNV-1a).
fn salt(setup: &Setup) -> u64 {
    let bytes = setup.game.bytes().chain([0, setup.quiescence]);
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

/// The best line from each ply of the current path (a triangular table).
#[derive(Debug, Default)]
struct Lines(Vec<Vec<Move>>);

impl Lines {
    fn clear(&mut self, ply: usize) {
        if self.0.len() <= ply + 1 {
            self.0.resize_with(ply + 2, Vec::new);
        }
        self.0[ply].clear();
    }

    fn raise(&mut self, ply: usize, mv: Move) {
        let (upper, lower) = self.0.split_at_mut(ply + 1);
        let line = &mut upper[ply];
        line.clear();
        line.push(mv);
        line.extend_from_slice(&lower[0]);
    }

    fn at(&self, ply: usize) -> &[Move] {
        self.0.get(ply).map_or(&[], Vec::as_slice)
    }
}
