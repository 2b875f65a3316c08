//! Tests of [`Connect`].

use super::*;
use crate::{Window, plain};

fn connect(text: &str) -> Connect {
    Connect::from_spec(&text.parse().unwrap()).unwrap()
}

fn interior(size: &str, order: impl Fn(&Connect, &mut MoveList)) -> u64 {
    let game = connect(&format!("connect:{size},scoring=outcome"));
    let window = Window::new(Score::new(-2), Score::new(2)).unwrap();
    let order = |_: &ConnectPosition, moves: &mut MoveList| order(&game, moves);
    let found = plain::alpha_beta_within(&game, &game.start(), window, &order);
    assert_eq!(found.score, Score::ZERO, "{size} is a draw");
    found.interior
}

#[test]
fn alpha_beta_from_left_to_right_expands_the_known_number_of_positions() {
    for (size, expected) in [("3x3", 213), ("4x3", 749), ("3x4", 2_826), ("4x4", 43_827)] {
        assert_eq!(interior(size, |_, _| {}), expected, "{size}");
    }
}

#[test]
fn alpha_beta_from_the_centre_expands_the_known_number_of_positions() {
    for (size, expected) in [("3x3", 213), ("4x3", 749), ("3x4", 2_826), ("4x4", 108_671)] {
        let centre_first = |game: &Connect, moves: &mut MoveList| {
            moves.sort_by_key(|&mv| (game.centre_distance(mv), mv));
        };
        assert_eq!(interior(size, centre_first), expected, "{size}");
    }
}

fn check_scores(file: &str, most_empty: u32, least_checked: u32) {
    let game = connect("connect");
    let mut checked = 0;
    for line in file.lines() {
        let (columns, score) = line.split_once(' ').unwrap();
        let position = game.parse_position(columns).unwrap();
        if game.plies_left(&position) > most_empty {
            continue;
        }
        let order = |position: &ConnectPosition, moves: &mut MoveList| {
            moves.sort_by_key(|&mv| -game.promise(position, mv));
        };
        let found = plain::alpha_beta_within(&game, &position, Window::FULL, &order);
        assert_eq!(found.score.points(), score.parse::<i32>().unwrap(), "{columns}");
        checked += 1;
    }
    assert!(checked >= least_checked, "only {checked} positions");
}

#[test]
fn scores_count_the_stones_the_winner_has_left() {
    let end = include_str!("../../../../tests/data/connect4/7x6-end-easy.txt");
    check_scores(end, 14, 300);
    let middle = include_str!("../../../../tests/data/connect4/7x6-middle-easy.txt");
    check_scores(middle, 17, 50);
}

#[test]
fn a_run_counts_in_each_direction_and_on_each_size() {
    let wins = [
        ("connect", "1213141"),
        ("connect", "1122334"),
        ("connect", "12233434474"),
        ("connect", "76655454414"),
        ("connect:1x32x3", "1w2v3"),
        ("connect:63x1x2", ""),
        ("connect:7x8x2", "182"),
        ("connect:2x2x2", "112"),
    ];
    for (game, columns) in wins {
        let game = connect(game);
        let position = game.parse_position(columns).unwrap();
        let lost = game.final_score(&position).is_some_and(|score| score < Score::ZERO);
        assert_eq!(lost, !columns.is_empty(), "{columns}");
    }
    // The usual run, where no line holds it.
    let unreachable = connect("connect:2x2");
    assert_eq!(plain::value(&unreachable, &unreachable.start()), Score::ZERO);
}

#[test]
fn completing_cells_are_those_that_make_a_run() {
    for (seed, text) in (0..300).zip(["connect", "connect:5x6x3", "connect:4x5x5"].iter().cycle()) {
        let game = connect(text);
        let position = plain::random_position(&game, seed, 20);
        let cells = game.completing(position.mine);
        for cell in (0..u64::BITS).map(|bit| 1 << bit) {
            if game.board & !position.mask & cell != 0 {
                let completes = game.has_run(position.mine | cell);
                assert_eq!(cells & cell != 0, completes, "{}", game.position_text(&position));
            }
        }
    }
}

#[test]
fn positions_round_trip_and_bad_ones_are_refused() {
    for text in ["connect", "connect:4x5x3", "connect:1x32", "connect:7x8", "connect:15x4x5"] {
        plain::check_positions(&connect(text), 300, 56);
    }
    let game = connect("connect");
    plain::check_refused(&game, "448", "no column '8'; there are 1 to 7");
    plain::check_refused(&game, "4 4", "no column ' '");
    plain::check_refused(&game, "4444444", "column '4' is full; it has 6 cells");
    plain::check_refused(&game, "12121212", "the game ends before '2'");
}

#[test]
fn sizes_that_do_not_fit_are_refused() {
    let check = |text, complaint| plain::check_spec_refused(Connect::from_spec, text, complaint);
    check("connect:8x8", "(rows + 1) x columns must be at most 64");
    check("connect:4294967295x4294967295", "too large");
    check("connect:6", "must be ROWSxCOLUMNS");
    check("connect:6xseven", "must be ROWSxCOLUMNS");
    check("connect:0x7", "at least 1 row");
    check("connect:6x7x1", "run of 2");
    check("connect:6x7x8", "no line of it holds a run of 8; give a shorter one");
    check("connect:6x7,6x7", "unexpected \"6x7\"");
    check("connect:6x7,scoring=points", "scoring=points must be outcome or distance");
    check("connect:6x7,score=outcome", "unknown option \"score\"");
}

/// Positions that are not decided yet, of boards small enough to be searched to the end.
fn undecided() -> impl Iterator<Item = (Connect, ConnectPosition)> {
    let games = ["connect:4x4", "connect:3x5x3", "connect:4x5,scoring=outcome", "connect:5x4"];
    let games = games.map(connect);
    (0..2_000).filter_map(move |seed| {
        let game = games[seed as usize % games.len()].clone();
        let position = plain::random_position(&game, seed, 18);
        let small = game.plies_left(&position) <= 9 && game.final_score(&position).is_none();
        small.then_some((game, position))
    })
}

#[test]
fn bounds_hold_the_value_and_one_sound_move_is_best() {
    let (mut exact, mut fewer) = (0, 0);
    for (game, position) in undecided() {
        let text = game.position_text(&position);
        let value = plain::value(&game, &position);
        let known = game.bounds(&position, Window::FULL);
        assert!(known.low <= value && value <= known.high, "{text}: {value} in {known:?}");
        exact += u32::from(known.low == known.high);
        let (mut all, mut sound) = (MoveList::new(), MoveList::new());
        game.moves(&position, &mut all);
        game.sound_moves(&position, &mut sound);
        assert!(sound.iter().all(|mv| all.contains(mv)), "{text}");
        fewer += u32::from(sound.len() < all.len());
        let best = sound.iter().map(|&mv| -plain::value(&game, &game.play(&position, mv))).max();
        assert_eq!(best, Some(value), "{text}: {sound:?}");
    }
    assert!(exact > 200 && fewer > 50, "{exact} values at once, {fewer} times fewer moves");
}

#[test]
fn positions_that_share_a_key_share_their_value_and_their_moves() {
    let mut known = std::collections::BTreeMap::new();
    let mut shared = 0;
    for (game, position) in undecided() {
        let mirrored = ConnectPosition {
            mine: game.mirrored(position.mine),
            mask: game.mirrored(position.mask),
        };
        let key = game.key(&position);
        assert_eq!(game.key(&mirrored), key, "{}", game.position_text(&position));
        for (position, mirror) in [(position, false), (mirrored, true)] {
            let value = plain::value(&game, &position);
            let at = (game.rows, game.columns, game.run, game.scoring == Scoring::Outcome, key);
            if let Some((before, other)) = known.insert(at, (value, position)) {
                assert_eq!(before, value, "{}", game.position_text(&position));
                shared += u32::from(other != position && !mirror);
            }
        }
        for mv in (0..game.columns as u16).map(Move) {
            let there = game.move_in_key(&position, mv);
            assert_eq!(game.move_in_key(&position, there), mv);
            let image = game.move_in_key(&mirrored, game.mirrored_move(mv));
            let view = game.view(&position);
            let symmetric = view.key() == game.mirrored_view(view).key();
            assert!(symmetric || image == there, "{}", game.position_text(&position));
        }
    }
    assert!(shared > 20, "{shared} shared keys");
}
