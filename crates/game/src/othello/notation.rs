//! Boards and squares as text.

use super::OthelloPosition;
use super::board::{Board, SQUARES};

/// The name of a square: file and rank.
pub(super) fn square_name(square: u16) -> String {
    let file = char::from(b'a' + (square % 8) as u8);
    format!("{file}{}", square / 8 + 1)
}

/// Reads 64 squares and, if given, the side to move; blanks between them do not matter.
pub(super) fn read_position(text: &str) -> Result<OthelloPosition, String> {
    const RIGHT: &str = "must have 64 squares X, O or -, a1 to h8, then if wanted X or O to move";
    let mut symbols = text.chars().filter(|symbol| !symbol.is_whitespace());
    let (mut x, mut o) = (0, 0);
    for square in 0..SQUARES {
        match symbols.next() {
            Some('X' | 'x' | '*') => x |= 1 << square,
            Some('O' | 'o') => o |= 1 << square,
            Some('-' | '.') => {}
            Some(symbol) => return Err(format!("{symbol:?} is no square; it {RIGHT}")),
            None => return Err(format!("there are {square} squares; it {RIGHT}")),
        }
    }
    let x_to_move = match symbols.next() {
        None | Some('X' | 'x' | '*') => true,
        Some('O' | 'o') => false,
        Some(symbol) => return Err(format!("{symbol:?} is no side to move; it {RIGHT}")),
    };
    if let Some(symbol) = symbols.next() {
        return Err(format!("{symbol:?} follows the side to move; it {RIGHT}"));
    }
    let board = Board { mine: x, theirs: o };
    Ok(OthelloPosition { board: if x_to_move { board } else { board.swapped() }, x_to_move })
}

/// The text that [`read_position`] reads.
pub(super) fn write_position(position: &OthelloPosition) -> String {
    let board = if position.x_to_move { position.board } else { position.board.swapped() };
    let symbol = |square| match (board.mine >> square & 1, board.theirs >> square & 1) {
        (1, _) => 'X',
        (_, 1) => 'O',
        _ => '-',
    };
    let squares: String = (0..SQUARES).map(symbol).collect();
    format!("{squares} {}", if position.x_to_move { 'X' } else { 'O' })
}
