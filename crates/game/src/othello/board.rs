//! The board as two sets of discs: [`Board`].
//!
//! Bit 0 is a1, bit 1 b1, bit 8 a2, bit 63 h8.

/// The squares of the board, as bits.
pub(super) type Squares = u64;

/// Squares on a board.
pub(super) const SQUARES: u32 = 64;
/// The four corners.
pub(super) const CORNERS: Squares = 0x8100_0000_0000_0081;
/// All squares but the files a and h, where lines that run sideways end.
const INNER_FILES: Squares = 0x7E7E_7E7E_7E7E_7E7E;
/// Distances between neighbours along the four lines: rank, file and diagonals.
const LINES: [u32; 4] = [1, 8, 7, 9];

/// The discs of both sides.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Board {
    /// Of the side to move.
    pub(super) mine: Squares,
    /// Of the opponent.
    pub(super) theirs: Squares,
}

impl Board {
    pub(super) fn empties(self) -> Squares {
        !(self.mine | self.theirs)
    }

    /// The squares where the side to move may play.
    pub(super) fn moves(self) -> Squares {
        let mut reached = 0;
        for (line, shift) in LINES.into_iter().enumerate() {
            // Along a file no disc leaves the board sideways, so its ends count as inner.
            let inner = if line == 1 { self.theirs } else { self.theirs & INNER_FILES };
            reached |= beyond_runs(self.mine, inner, |squares, n| squares << (shift * n));
            reached |= beyond_runs(self.mine, inner, |squares, n| squares >> (shift * n));
        }
        reached & self.empties()
    }

    /// The discs that turn when the side to move plays on the empty `square`; none if it may not.
    pub(super) fn flips(self, square: u32) -> Squares {
        let rays = &RAYS[square as usize];
        let mut flips = 0;
        for ray in rays.up {
            // The first square of the ray that is not theirs ends the run.
            let ends = ray & !self.theirs;
            let end = ends & ends.wrapping_neg() & self.mine;
            flips |= end.wrapping_sub(u64::from(end != 0)) & ray;
        }
        for ray in rays.down {
            let ends = ray & !self.theirs;
            let end = ((1 << 63) >> (ends | 1).leading_zeros()) & ends & self.mine;
            flips |= (end.wrapping_neg() << 1) & ray;
        }
        flips
    }

    /// The board after a move on `square` that turns `flips`, seen by the opponent.
    pub(super) fn after(self, square: u32, flips: Squares) -> Board {
        Board { mine: self.theirs ^ flips, theirs: self.mine ^ flips ^ 1 << square }
    }

    /// The board after a pass.
    pub(super) fn swapped(self) -> Board {
        Board { mine: self.theirs, theirs: self.mine }
    }

    /// Disc difference when nobody can move any more: empty squares go to the winner.
    pub(super) fn final_difference(self) -> i32 {
        let (mine, theirs) = (self.mine.count_ones() as i32, self.theirs.count_ones() as i32);
        let empties = SQUARES as i32 - mine - theirs;
        mine - theirs + empties * (mine - theirs).signum()
    }

    /// Empty squares next to discs of the opponent: places where moves may arise.
    pub(super) fn potential_moves(self) -> Squares {
        neighbours(self.theirs) & self.empties()
    }
}

/// The squares just beyond runs of `inner` that begin next to a square of `from`.
///
/// Parallel prefix (Kogge and Stone 1973): runs of 1, 2, 4 and 6 in four steps.
fn beyond_runs(from: Squares, inner: Squares, step: impl Fn(Squares, u32) -> Squares) -> Squares {
    let mut run = inner & step(from, 1);
    run |= inner & step(run, 1);
    let pairs = inner & step(inner, 1);
    run |= pairs & step(run, 2);
    run |= pairs & step(run, 2);
    step(run, 1)
}

/// All squares next to one of `squares`, which may be among them.
pub(super) const fn neighbours(squares: Squares) -> Squares {
    const NOT_A: Squares = !0x0101_0101_0101_0101;
    const NOT_H: Squares = !0x8080_8080_8080_8080;
    let sideways = ((squares & NOT_H) << 1) | ((squares & NOT_A) >> 1) | squares;
    sideways | sideways << 8 | sideways >> 8
}

/// The single bits of `squares`, lowest first.
pub(super) fn each_square(squares: Squares) -> impl Iterator<Item = u32> {
    let mut left = squares;
    std::iter::from_fn(move || {
        let square = left.trailing_zeros();
        left &= left.wrapping_sub(1);
        (square < SQUARES).then_some(square)
    })
}

/// The squares beyond one square, per direction.
#[derive(Clone, Copy)]
struct Rays {
    /// Towards higher bits.
    up: [Squares; 4],
    /// Towards lower bits.
    down: [Squares; 4],
}

static RAYS: [Rays; SQUARES as usize] = all_rays();

const fn all_rays() -> [Rays; SQUARES as usize] {
    const UP: [(i32, i32); 4] = [(0, 1), (1, 0), (1, -1), (1, 1)];
    let mut table = [Rays { up: [0; 4], down: [0; 4] }; SQUARES as usize];
    let mut square = 0;
    while square < SQUARES as usize {
        let mut line = 0;
        while line < UP.len() {
            let (ranks, files) = UP[line];
            table[square].up[line] = ray(square as i32, ranks, files);
            table[square].down[line] = ray(square as i32, -ranks, -files);
            line += 1;
        }
        square += 1;
    }
    table
}

const fn ray(square: i32, ranks: i32, files: i32) -> Squares {
    let (mut rank, mut file) = (square / 8 + ranks, square % 8 + files);
    let mut squares = 0;
    while 0 <= rank && rank < 8 && 0 <= file && file < 8 {
        squares |= 1 << (rank * 8 + file);
        rank += ranks;
        file += files;
    }
    squares
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hash::combine;

    /// Flips found by walking the board square by square.
    fn walked_flips(board: Board, square: u32) -> Squares {
        let directions = (-1..=1).flat_map(|ranks| (-1..=1).map(move |files| (ranks, files)));
        directions.filter(|&direction| direction != (0, 0)).fold(0, |flips, (ranks, files)| {
            let (mut rank, mut file) = (square as i32 / 8, square as i32 % 8);
            let mut run = 0;
            loop {
                (rank, file) = (rank + ranks, file + files);
                if !(0..8).contains(&rank) || !(0..8).contains(&file) {
                    return flips;
                }
                let here = 1 << (rank * 8 + file);
                if board.mine & here != 0 {
                    return flips | run;
                }
                if board.theirs & here == 0 {
                    return flips;
                }
                run |= here;
            }
        })
    }

    #[test]
    fn moves_and_flips_agree_with_a_walk_over_the_board() {
        for seed in 0..2_000 {
            let taken = combine(seed, 0) | combine(seed, 1);
            let mine = combine(seed, 2) & taken;
            let board = Board { mine, theirs: taken & !mine };
            for square in each_square(board.empties()) {
                let flips = walked_flips(board, square);
                assert_eq!(board.flips(square), flips, "{board:?}, square {square}");
                assert_eq!(board.moves() >> square & 1 == 1, flips != 0, "{board:?}, {square}");
            }
        }
    }
}
