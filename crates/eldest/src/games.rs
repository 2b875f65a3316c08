//! `eldest games`: lists the games and their notation.

use crate::{Failure, output};
use search::Catalogue;

/// What is to be known of the games that come with Eldest.
const NOTATIONS: [(&str, &str); 6] = [
    (
        "connect",
        "connect[:ROWSxCOLS[xRUN]][,scoring=outcome|distance]\n\
         default 6x7x4, distance: half the stones the winner has left, rounded up\n\
         position: the columns played, counted from 1, as in 44455",
    ),
    (
        "nim",
        "nim:HEAP[,HEAP...]\n\
         whoever takes the last stone wins\n\
         position: the heaps, as in 3,4,5",
    ),
    (
        "othello",
        "othello\n\
         score: the difference in discs; empty squares go to the winner\n\
         position: 64 characters X, O or - from a1, b1 to h8, a space and the side to move",
    ),
    (
        "synthetic",
        "synthetic[:b=CHILDREN,d=PLIES,seed=N,kind=leaves|edges,range=N,\
         order=random|perfect|0..1,\n  cost=none|busy:ROUNDS|sleep:TIME,noisy=0..1]\n\
         default b=8,d=6,seed=1,kind=leaves,range=100,order=random,cost=none,noisy=0\n\
         position: the path to it, children counted from 0, as in 0.3.1",
    ),
    (
        "tictactoe",
        "tictactoe\n\
         position: nine characters X, O or -, row by row, a space and the side to move",
    ),
    (
        "tree",
        "tree:FILE or tree:[[9,6],[4,7]]\n\
         nested JSON lists of integers, each worth so much to the side that moves at the root\n\
         position: the path to it, children counted from 0, as in 0.1",
    ),
];

/// Prints every game of the catalogue.
pub(crate) fn run(catalogue: &Catalogue) -> Result<(), Failure> {
    let mut text = Vec::new();
    for name in catalogue.names() {
        let notation = NOTATIONS.iter().find(|(known, _)| *known == name);
        let notation = notation.map_or(name.as_str(), |(_, notation)| notation);
        text.push(notation.replace('\n', "\n    "));
    }
    output::print(&text.join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_standard_game_is_described_and_no_other() {
        let described = NOTATIONS.map(|(name, _)| name.to_string());
        assert_eq!(Catalogue::standard().names(), described);
    }
}
