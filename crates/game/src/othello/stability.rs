//! Discs that can never turn again, which bound the score from above (after Edax, R. Delorme).

use super::board::{Board, SQUARES, Squares};
use std::sync::LazyLock;

const FILE_A: Squares = 0x0101_0101_0101_0101;
const FILE_H: Squares = FILE_A << 7;
const RANK_1: Squares = 0xFF;
/// The squares off the edge: stable only if held along all four lines.
const CENTRE: Squares = 0x007E_7E7E_7E7E_7E00;
/// Discs or empty squares of one edge, as bits.
type Edge = u8;
/// Squares of an edge.
const EDGE: u32 = 8;

/// Which discs of an edge never turn whoever plays on it, by the discs of both sides.
static STABLE_EDGES: LazyLock<Box<[Edge]>> = LazyLock::new(stable_edges);

/// At most so much the side to move can still score: the opponent keeps what is stable.
pub(super) fn most_to_score(board: Board) -> i32 {
    SQUARES as i32 - 2 * stable(board.swapped()).count_ones() as i32
}

/// Discs of the side to move that never turn. All discs found are stable; not all stable are found.
pub(super) fn stable(board: Board) -> Squares {
    let full = FullLines::of(!board.empties());
    let held = full.ranks & full.files & full.rising & full.falling & CENTRE;
    let mut stable = stable_on_edges(board) | held & board.mine;
    if stable == 0 {
        return 0;
    }
    loop {
        // Along each line a disc is held by a full line or by a stable neighbour.
        let ranks = stable << 1 | stable >> 1 | full.ranks;
        let files = stable << 8 | stable >> 8 | full.files;
        let rising = stable << 9 | stable >> 9 | full.rising;
        let falling = stable << 7 | stable >> 7 | full.falling;
        let more = stable | ranks & files & rising & falling & board.mine & CENTRE;
        if more == stable {
            return stable;
        }
        stable = more;
    }
}

/// The squares that lie on lines without an empty square.
struct FullLines {
    ranks: Squares,
    files: Squares,
    /// Diagonals from a1 towards h8.
    rising: Squares,
    /// Diagonals from h1 towards a8.
    falling: Squares,
}

impl FullLines {
    fn of(discs: Squares) -> FullLines {
        let empty = !discs;
        FullLines {
            ranks: !filled_sideways(empty),
            files: !filled_upright(empty),
            rising: !filled_diagonally(empty, 9, !FILE_A, !FILE_H),
            falling: !filled_diagonally(empty, 7, !FILE_H, !FILE_A),
        }
    }
}

/// Every rank with a square in it, filled.
fn filled_sideways(squares: Squares) -> Squares {
    let halves = squares | squares >> 4 & 0x0F0F_0F0F_0F0F_0F0F;
    let quarters = halves | halves >> 2;
    let files = (quarters | quarters >> 1) & FILE_A;
    files * RANK_1
}

/// Every file with a square in it, filled.
fn filled_upright(squares: Squares) -> Squares {
    let squares = squares | squares.rotate_right(8);
    let squares = squares | squares.rotate_right(16);
    squares | squares.rotate_right(32)
}

/// Every diagonal with a square in it, filled. `up` are the squares that a step towards higher
/// bits may reach, `down` those that a step back may.
fn filled_diagonally(squares: Squares, shift: u32, up: Squares, down: Squares) -> Squares {
    let (mut rise, mut fall) = (squares, squares);
    let (mut up, mut down) = (up, down);
    for step in [shift, 2 * shift, 4 * shift] {
        rise |= rise << step & up;
        fall |= fall >> step & down;
        up &= up << step;
        down &= down >> step;
    }
    rise | fall
}

fn stable_on_edges(board: Board) -> Squares {
    let table = &*STABLE_EDGES;
    let rank = |shift| {
        u64::from(lookup(table, (board.mine >> shift) as Edge, (board.theirs >> shift) as Edge))
            << shift
    };
    let file = |shift| {
        let stable = lookup(table, packed(board.mine >> shift), packed(board.theirs >> shift));
        unpacked(stable) << shift
    };
    rank(0) | rank(SQUARES - EDGE) | file(0) | file(EDGE - 1)
}

fn lookup(table: &[Edge], mine: Edge, theirs: Edge) -> Edge {
    table[usize::from(mine) << EDGE | usize::from(theirs)] & mine
}

/// The squares of file a as the bits of a byte, a1 lowest.
fn packed(squares: Squares) -> Edge {
    const GATHER: u64 = 0x0102_0408_1020_4080;
    ((squares & FILE_A).wrapping_mul(GATHER) >> (SQUARES - EDGE)) as Edge
}

fn unpacked(edge: Edge) -> Squares {
    const SPREAD: u64 = 0x0002_0408_1020_4081;
    (u64::from(edge & 0x7F).wrapping_mul(SPREAD) & FILE_A) | u64::from(edge >> 7) << 56
}

/// Fuller edges first, so that what can follow an edge is known before it.
fn stable_edges() -> Box<[Edge]> {
    let mut table = vec![0; 1 << (2 * EDGE)].into_boxed_slice();
    let mut discs: Vec<Edge> = (0..=Edge::MAX).collect();
    discs.sort_by_key(|discs| discs.count_zeros());
    for discs in discs {
        for mine in (0..=Edge::MAX).filter(|mine| mine & !discs == 0) {
            let theirs = discs ^ mine;
            table[usize::from(mine) << EDGE | usize::from(theirs)] =
                stable_discs(&table, mine, theirs);
        }
    }
    table
}

/// The discs of either side that never turn, whoever plays where on the edge.
fn stable_discs(table: &[Edge], mine: Edge, theirs: Edge) -> Edge {
    let mut stable = mine | theirs;
    for square in (0..EDGE).filter(|square| (mine | theirs) >> square & 1 == 0) {
        for (mover, other) in [(mine, theirs), (theirs, mine)] {
            let flips = edge_flips(mover, other, square);
            let (mover, other) = (mover | flips | 1 << square, other & !flips);
            stable &= table[usize::from(mover) << EDGE | usize::from(other)] & !flips;
        }
    }
    stable
}

fn edge_flips(mover: Edge, other: Edge, square: u32) -> Edge {
    let run = |squares: &mut dyn Iterator<Item = u32>| {
        let mut run = 0;
        for bit in squares.map(|square| 1 << square) {
            if mover & bit != 0 {
                return run;
            }
            if other & bit == 0 {
                break;
            }
            run |= bit;
        }
        0
    };
    run(&mut (square + 1..EDGE)) | run(&mut (0..square).rev())
}

#[cfg(test)]
mod tests {
    use super::super::board::each_square;
    use super::*;
    use crate::hash::combine;

    #[test]
    fn lines_without_an_empty_square_are_full() {
        let full = FullLines::of(!(1 << 10 | 1 << 37));
        let lines =
            [(full.ranks, 0, 1), (full.files, 1, 0), (full.rising, 1, 1), (full.falling, 1, -1)];
        for (squares, ranks, files) in lines {
            for square in 0..64 {
                let blocked = [10, 37].iter().any(|&empty: &i32| {
                    let (up, right) = (empty / 8 - square / 8, empty % 8 - square % 8);
                    up * files == right * ranks
                });
                assert_eq!(squares >> square & 1 == 0, blocked, "{ranks},{files}: {square}");
            }
        }
    }

    #[test]
    fn corners_hold_the_discs_beside_them() {
        let board = Board { mine: 0b111 | 1 << 8, theirs: 1 << 63 | 1 << 55 | 1 << 20 };
        assert_eq!(stable(board), 0b111 | 1 << 8);
        assert_eq!(stable(board.swapped()), 1 << 63 | 1 << 55);
        assert_eq!(most_to_score(board), 60);
    }

    /// Plays on at random, both sides, passes included: what is stable never turns.
    #[test]
    fn stable_discs_never_turn() {
        let mut found = 0;
        for seed in 0..3_000 {
            let mut board = Board { mine: 0x0810_0000 << 8, theirs: 0x1008_0000 << 8 };
            let (mut held, mut held_by_other) = (0, 0);
            for ply in 0..90 {
                let moves: Vec<u32> = each_square(board.moves()).collect();
                (held, held_by_other) = (held_by_other, held);
                board = match moves.len() {
                    0 => board.swapped(),
                    n => {
                        let square = moves[(combine(seed, ply) % n as u64) as usize];
                        board.after(square, board.flips(square))
                    }
                };
                assert_eq!(board.mine & held, held);
                assert_eq!(board.theirs & held_by_other, held_by_other);
                held |= stable(board);
                held_by_other |= stable(board.swapped());
            }
            found += held.count_ones() + held_by_other.count_ones();
        }
        assert!(found > 3_000 * 30, "{found} stable discs found");
    }
}
