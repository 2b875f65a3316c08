//! The end of the game, solved without a table: [`Solver`].
//!
//! Fail-soft alpha-beta with what is known to work in Othello endgames (R. Feldmann, P. Mysliwietz
//! and B. Monien 1991; G. Andersson's and R. Delorme's programs): while many squares are empty, moves
//! that leave the opponent the fewest replies come first; towards the end, where counting
//! replies costs more than it saves, moves into quadrants with an odd number of empty squares
//! come first, because whoever plays there tends to play last there. Stable discs cut off.

use super::board::{Board, CORNERS, SQUARES, Squares, each_square, neighbours};
use super::stability;
use arrayvec::ArrayVec;

/// Solves positions and counts what it enters.
#[derive(Default)]
pub(super) struct Solver {
    /// Positions entered.
    pub(super) nodes: u64,
    /// Undecided positions expanded.
    pub(super) interior: u64,
    /// Positions with a final score, or cut off for their stable discs.
    pub(super) leaves: u64,
}

/// Below every score.
const WORST: i32 = -(SQUARES as i32) - 1;
/// With more empties than this, moves are ordered by the replies they leave.
const FEW_EMPTIES: u32 = 6;
/// A reply into a corner counts as so many.
const CORNER_REPLY: u32 = 2;
/// A move into an odd quadrant is worth so many replies less, in halves.
const ODD_QUADRANT: u32 = 1;

impl Solver {
    /// The fail-soft score of an undecided position; the position itself is not counted as entered.
    pub(super) fn solve(&mut self, board: Board, alpha: i32, beta: i32) -> i32 {
        let odd = odd_quadrants(board.empties());
        match board.empties().count_ones() {
            0..=2 => self.last_few(board, odd, alpha, beta),
            empties => self.expand(board, odd, empties, alpha, beta),
        }
    }

    fn enter(&mut self, board: Board, odd: Squares, empties: u32, alpha: i32, beta: i32) -> i32 {
        self.nodes += 1;
        if is_stability_worth_a_look(empties, alpha) {
            let most = stability::most_to_score(board);
            if most <= alpha {
                self.leaves += 1;
                return most;
            }
        }
        self.expand(board, odd, empties, alpha, beta)
    }

    fn expand(&mut self, board: Board, odd: Squares, empties: u32, alpha: i32, beta: i32) -> i32 {
        if empties <= FEW_EMPTIES {
            return self.last_few(board, odd, alpha, beta);
        }
        let moves = board.moves();
        if moves == 0 {
            return self.pass(board, odd, empties, alpha, beta);
        }
        self.interior += 1;
        let mut best = WORST;
        for (_, square, child) in fastest_first(board, moves, odd) {
            let odd = odd ^ QUADRANTS[square as usize];
            let score = -self.enter(child, odd, empties - 1, -beta, -alpha.max(best));
            best = best.max(score);
            if best >= beta {
                break;
            }
        }
        best
    }

    fn pass(&mut self, board: Board, odd: Squares, empties: u32, alpha: i32, beta: i32) -> i32 {
        if board.swapped().moves() == 0 {
            self.leaves += 1;
            return board.final_difference();
        }
        self.interior += 1;
        -self.enter(board.swapped(), odd, empties, -beta, -alpha)
    }

    /// Tries the empty squares, odd quadrants first, without asking which of them are moves.
    fn last_few(&mut self, board: Board, odd: Squares, alpha: i32, beta: i32) -> i32 {
        let empties = board.empties();
        let mut best = WORST;
        for group in [empties & odd, empties & !odd] {
            for square in each_square(group) {
                let Some(child) = child(board, square) else { continue };
                let left = empties ^ 1 << square;
                let odd = odd ^ QUADRANTS[square as usize];
                let score = -self.enter_few(child, left, odd, -beta, -alpha.max(best));
                best = best.max(score);
                if best >= beta {
                    self.interior += 1;
                    return best;
                }
            }
        }
        if best == WORST {
            return self.pass(board, odd, empties.count_ones(), alpha, beta);
        }
        self.interior += 1;
        best
    }

    fn enter_few(
        &mut self,
        board: Board,
        left: Squares,
        odd: Squares,
        alpha: i32,
        beta: i32,
    ) -> i32 {
        let first = left.trailing_zeros();
        let rest = left & left.wrapping_sub(1);
        if rest & rest.wrapping_sub(1) != 0 {
            return self.enter(board, odd, left.count_ones(), alpha, beta);
        }
        self.nodes += 1;
        match (left, rest) {
            (0, _) => {
                self.leaves += 1;
                board.final_difference()
            }
            (_, 0) => self.last_one(board, first),
            _ => self.last_two(board, first, rest.trailing_zeros(), alpha, beta),
        }
    }

    /// The score with two empty squares.
    fn last_two(&mut self, board: Board, first: u32, second: u32, alpha: i32, beta: i32) -> i32 {
        self.interior += 1;
        let best = self.best_of_two(board, first, second, beta);
        if best > WORST {
            return best;
        }
        let best = self.best_of_two(board.swapped(), first, second, -alpha);
        if best > WORST {
            self.nodes += 1;
            self.interior += 1;
            return -best;
        }
        self.interior -= 1;
        self.leaves += 1;
        board.final_difference()
    }

    /// The best move of the side to move onto one of two empty squares, or [`WORST`] if none is legal.
    fn best_of_two(&mut self, board: Board, first: u32, second: u32, beta: i32) -> i32 {
        let mut best = WORST;
        if let Some(child) = child(board, first) {
            self.nodes += 1;
            best = -self.last_one(child, second);
        }
        if best < beta
            && let Some(child) = child(board, second)
        {
            self.nodes += 1;
            best = best.max(-self.last_one(child, first));
        }
        best
    }

    /// The score with one empty square.
    fn last_one(&mut self, board: Board, square: u32) -> i32 {
        let mine = 2 * board.mine.count_ones() as i32 - SQUARES as i32;
        let flips = board.flips(square).count_ones() as i32;
        self.leaves += 1;
        if flips > 0 {
            self.nodes += 1;
            self.interior += 1;
            return mine + 2 * flips + 2;
        }
        let flips = board.swapped().flips(square).count_ones() as i32;
        if flips > 0 {
            self.nodes += 2;
            self.interior += 2;
            return mine - 2 * flips;
        }
        // With 63 discs somebody is ahead and takes the last square.
        if mine >= 0 { mine + 2 } else { mine }
    }
}

/// Whether stable discs may hold the score down to `alpha`: rarely, while the board is open.
fn is_stability_worth_a_look(empties: u32, alpha: i32) -> bool {
    empties > 3 && alpha >= 2 * empties as i32 - 2
}

fn child(board: Board, square: u32) -> Option<Board> {
    if NEIGHBOURS[square as usize] & board.theirs == 0 {
        return None;
    }
    let flips = board.flips(square);
    (flips != 0).then(|| board.after(square, flips))
}

type Ordered = ArrayVec<(u32, u32, Board), { SQUARES as usize }>;

/// The children, those that leave the opponent the fewest replies first.
fn fastest_first(board: Board, moves: Squares, odd: Squares) -> Ordered {
    let mut children = Ordered::new();
    for square in each_square(moves) {
        let child = board.after(square, board.flips(square));
        let replies = child.moves();
        let replies = replies.count_ones() + (CORNER_REPLY - 1) * (replies & CORNERS).count_ones();
        let even = ODD_QUADRANT * u32::from(odd >> square & 1 == 0);
        let key = 2 * replies + even;
        let place =
            children.iter().rposition(|&(other, ..)| other <= key).map_or(0, |last| last + 1);
        children.insert(place, (key, square, child));
    }
    children
}

/// The quadrants with an odd number of `empties`, whole.
pub(super) fn odd_quadrants(empties: Squares) -> Squares {
    each_square(empties).fold(0, |odd, square| odd ^ QUADRANTS[square as usize])
}

/// The quadrant of each square.
static QUADRANTS: [Squares; SQUARES as usize] = {
    const LOWEST: Squares = 0x0F0F_0F0F;
    let mut table = [0; SQUARES as usize];
    let mut square = 0;
    while square < SQUARES as usize {
        table[square] = LOWEST << (square / 32 * 32 + square % 8 / 4 * 4);
        square += 1;
    }
    table
};

/// The squares next to each square.
static NEIGHBOURS: [Squares; SQUARES as usize] = {
    let mut table = [0; SQUARES as usize];
    let mut square = 0;
    while square < SQUARES as usize {
        table[square] = neighbours(1 << square) ^ (1 << square);
        square += 1;
    }
    table
};
