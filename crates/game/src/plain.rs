//! The plainest searches, which the tests of the games count with, and checks every game passes.

use crate::hash::combine;
use crate::{Game, GameError, GameSpec, Move, MoveList, Score, Window};
use std::fmt::Debug;

/// What a plain search found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Found {
    pub(crate) score: Score,
    /// Undecided positions expanded.
    pub(crate) interior: u64,
    /// Decided positions entered.
    pub(crate) leaves: u64,
}

/// Left-to-right alpha-beta with the full window.
pub(crate) fn alpha_beta<G: Game>(game: &G, position: &G::Position) -> Found {
    alpha_beta_within(game, position, Window::FULL, &|_, _| {})
}

/// Fail-soft alpha-beta; `order` rearranges the moves of each position.
pub(crate) fn alpha_beta_within<G: Game>(
    game: &G,
    position: &G::Position,
    window: Window,
    order: &impl Fn(&G::Position, &mut MoveList),
) -> Found {
    if let Some(score) = game.final_score(position) {
        return Found { score, interior: 0, leaves: 1 };
    }
    let mut found = Found { score: -Score::INFINITY, interior: 1, leaves: 0 };
    for mv in ordered_moves(game, position, order) {
        let Some(open) = window.above(found.score) else {
            break;
        };
        let child = alpha_beta_within(game, &game.play(position, mv), -open, order);
        found.score = found.score.max(-child.score);
        found.interior += child.interior;
        found.leaves += child.leaves;
    }
    found
}

/// The value by full minimax.
pub(crate) fn value<G: Game>(game: &G, position: &G::Position) -> Score {
    if let Some(score) = game.final_score(position) {
        return score;
    }
    let moves = ordered_moves(game, position, &|_, _| {});
    let values = moves.iter().map(|&mv| -value(game, &game.play(position, mv)));
    values.max().expect("an undecided position has moves")
}

/// Positions reached in exactly `depth` plies, each as often as it is reached.
pub(crate) fn perft<G: Game>(game: &G, position: &G::Position, depth: u32) -> u64 {
    if depth == 0 {
        return 1;
    }
    if game.final_score(position).is_some() {
        return 0;
    }
    let moves = ordered_moves(game, position, &|_, _| {});
    moves.iter().map(|&mv| perft(game, &game.play(position, mv), depth - 1)).sum()
}

fn ordered_moves<G: Game>(
    game: &G,
    position: &G::Position,
    order: &impl Fn(&G::Position, &mut MoveList),
) -> MoveList {
    let mut moves = MoveList::new();
    game.moves(position, &mut moves);
    assert!(!moves.is_empty(), "{} is undecided", game.position_text(position));
    order(position, &mut moves);
    moves
}

/// The position after at most `plies` random moves, the same for the same seed.
pub(crate) fn random_position<G: Game>(game: &G, seed: u64, plies: u32) -> G::Position {
    let mut position = game.start();
    for ply in 0..plies {
        if game.final_score(&position).is_some() {
            break;
        }
        let moves = ordered_moves(game, &position, &|_, _| {});
        let mv = moves[(combine(seed, u64::from(ply)) % moves.len() as u64) as usize];
        position = game.play(&position, mv);
    }
    position
}

/// Checks on `count` random positions what must hold in every game.
pub(crate) fn check_positions<G: Game<Position: PartialEq + Debug>>(
    game: &G,
    count: u64,
    most_plies: u32,
) {
    for seed in 0..count {
        let plies = (combine(seed, 0) % u64::from(most_plies + 1)) as u32;
        let position = random_position(game, seed, plies);
        let text = game.position_text(&position);
        assert_eq!(game.parse_position(&text).as_ref(), Ok(&position), "{text}");
        if game.final_score(&position).is_none() {
            check_moves(game, &position, &text);
        }
    }
}

fn check_moves<G: Game>(game: &G, position: &G::Position, text: &str) {
    let moves = ordered_moves(game, position, &|_, _| {});
    let mut codes: Vec<Move> = moves.to_vec();
    codes.sort();
    codes.dedup();
    assert_eq!(codes.len(), moves.len(), "{text}: two moves with one code");
    assert!(game.plies_left(position) > 0, "{text}: undecided, yet no plies are left");
    let mut noisy = MoveList::new();
    game.noisy_moves(position, &mut noisy);
    assert!(noisy.iter().all(|mv| moves.contains(mv)), "{text}: illegal noisy move");
    for mv in moves {
        assert!(!game.move_text(position, mv).is_empty());
        let child = game.play(position, mv);
        assert_ne!(game.key(&child), game.key(position), "{text}: a move keeps the key");
        let _ = game.promise(position, mv);
    }
}

/// Checks that a position is refused, with a message that contains `complaint`.
pub(crate) fn check_refused<G: Game>(game: &G, text: &str, complaint: &str) {
    let error = game.parse_position(text).err().unwrap_or_else(|| panic!("{text:?} was accepted"));
    let error = error.to_string();
    assert!(error.contains(complaint) && !error.contains('\n'), "{text:?}: {error}");
}

/// Checks that a game is refused, with a message that contains `complaint`.
pub(crate) fn check_spec_refused<G>(
    from_spec: impl Fn(&GameSpec) -> Result<G, GameError>,
    text: &str,
    complaint: &str,
) {
    let error = text.parse().and_then(|spec| from_spec(&spec));
    let error = error.err().unwrap_or_else(|| panic!("{text:?} was accepted")).to_string();
    assert!(error.contains(complaint) && !error.contains('\n'), "{text:?}: {error}");
}
