//! Tests of [`Othello`].

use super::*;
use crate::plain;

#[test]
fn perft_from_the_start_is_as_published() {
    let known = [1, 4, 12, 56, 244, 1_396, 8_200, 55_092, 390_216, 3_005_288];
    for (depth, expected) in (0..).zip(known) {
        assert_eq!(plain::perft(&Othello, &Othello.start(), depth), expected, "depth {depth}");
    }
}

/// Endgames of the test suite of the French Othello federation: position and score.
fn ffo() -> impl Iterator<Item = (OthelloPosition, i32)> {
    let file = include_str!("../../../../tests/data/othello/ffo-20-59.tsv");
    file.lines().skip(1).map(|line| {
        let fields: Vec<&str> = line.split('\t').collect();
        let position = Othello.parse_position(&format!("{} {}", fields[1], fields[2])).unwrap();
        assert_eq!(position.board.empties().count_ones(), fields[3].parse::<u32>().unwrap());
        (position, fields[4].parse().unwrap())
    })
}

#[test]
fn endgames_have_their_published_scores() {
    let mut tally = Tally::default();
    let ends = ffo().filter(|(position, _)| Othello.plies_left(position) <= 15);
    for (position, score) in ends {
        let value = Othello.solve(&position, Window::FULL, &mut tally);
        assert_eq!(value, Value::exact(Score::new(score)), "{}", Othello.position_text(&position));
    }
    assert!(tally.nodes > 0);
    assert_eq!(tally.nodes, tally.interior + tally.leaves);
}

fn check_solve(position: &OthelloPosition, truth: i32) {
    let mut scores: Vec<i32> =
        (-66..=66).step_by(3).chain([-100, truth - 1, truth, truth + 1, 90]).collect();
    scores.sort_unstable();
    scores.dedup();
    for (index, &alpha) in scores.iter().enumerate() {
        for &beta in &scores[index + 1..] {
            let window = Window::new(Score::new(alpha), Score::new(beta)).unwrap();
            let value = Othello.solve(position, window, &mut Tally::default());
            let score = value.score.points();
            let text = Othello.position_text(position);
            let (is_true, decides) = match value.bound {
                crate::Bound::Exact => (truth == score, true),
                crate::Bound::Lower => (truth >= score, score >= beta),
                crate::Bound::Upper => (truth <= score, score <= alpha),
            };
            assert!(is_true && decides, "{text} is {truth}; {window} gave {value}");
        }
    }
}

#[test]
fn the_solver_tells_the_truth_and_decides_every_window() {
    let mut checked = 0;
    for seed in 0..400 {
        let plies = 60 - 1 - (seed % 8) as u32;
        let position = plain::random_position(&Othello, seed, plies);
        if Othello.final_score(&position).is_none() && Othello.plies_left(&position) <= 8 {
            check_solve(&position, plain::value(&Othello, &position).points());
            checked += 1;
        }
    }
    assert!(checked > 200, "only {checked} positions");
}

#[test]
fn the_solver_counts_what_it_enters() {
    // One empty square, h8, which X takes; and two for O, who passes before X moves.
    let full = format!("{}O- X", "X".repeat(62));
    let mut tally = Tally::default();
    let value = Othello.solve(&Othello.parse_position(&full).unwrap(), Window::FULL, &mut tally);
    assert_eq!(value, Value::exact(Score::new(64)));
    assert_eq!((tally.nodes, tally.interior, tally.leaves), (1, 0, 1));
    let passes = full.replace(" X", " O");
    let mut tally = Tally::default();
    let value = Othello.solve(&Othello.parse_position(&passes).unwrap(), Window::FULL, &mut tally);
    assert_eq!(value, Value::exact(Score::new(-64)));
    assert_eq!((tally.nodes, tally.interior, tally.leaves), (2, 1, 1));
}

#[test]
fn passes_are_moves_and_empty_squares_go_to_the_winner() {
    let passes = Othello.parse_position(&format!("{}O- O", "X".repeat(62))).unwrap();
    let mut moves = MoveList::new();
    Othello.moves(&passes, &mut moves);
    assert_eq!(moves.as_slice(), [PASS]);
    assert_eq!(Othello.move_text(&passes, PASS), "pass");
    let wiped_out = Othello.parse_position(&format!("XXX{} O", "-".repeat(61))).unwrap();
    assert_eq!(Othello.final_score(&wiped_out), Some(Score::new(-64)));
    let drawn = Othello.parse_position(&format!("XX{}OO", "-".repeat(60))).unwrap();
    assert_eq!(Othello.final_score(&drawn), Some(Score::ZERO));
}

#[test]
fn positions_round_trip_and_bad_ones_are_refused() {
    plain::check_positions(&Othello, 300, 60);
    let start = "........ ........ ........ ...OX... ...xo... ........ ........ ........";
    assert_eq!(Othello.parse_position(start), Ok(Othello.start()));
    assert_eq!(Othello.move_text(&Othello.start(), Move(37)), "f5");
    plain::check_refused(&Othello, "XO", "there are 2 squares; it must have 64");
    let empty = "-".repeat(64);
    plain::check_refused(&Othello, &empty.replacen('-', "Z", 1), "'Z' is no square");
    plain::check_refused(&Othello, &format!("{empty} Y"), "'Y' is no side to move");
    plain::check_refused(&Othello, &format!("{empty} X;"), "';' follows the side to move");
}

#[test]
fn estimates_stay_within_the_board() {
    for seed in 0..500 {
        let position = plain::random_position(&Othello, seed, seed as u32 % 60);
        let estimate = Othello.evaluate(&position);
        let mirrored = OthelloPosition { board: position.board.swapped(), ..position };
        assert!(estimate.points().abs() <= 64);
        assert_eq!(Othello.evaluate(&mirrored), -estimate);
    }
}
