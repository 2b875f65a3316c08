//! Tests of [`Synthetic`].

use super::*;
use crate::plain;

fn synthetic(options: &str) -> Synthetic {
    Synthetic::from_spec(&format!("synthetic:{options}").parse().unwrap()).unwrap()
}

fn check_minimal_tree(options: &str, b: u64, d: u32) {
    let tree = synthetic(options);
    let found = plain::alpha_beta(&tree, &tree.start());
    let minimal = b.pow(d.div_ceil(2)) + b.pow(d / 2) - 1;
    assert_eq!(found.leaves, minimal, "{options}");
    assert_eq!(found.score, Score::new(tree.start().worth), "{options}");
}

#[test]
fn alpha_beta_visits_the_minimal_tree_of_a_perfect_order() {
    for b in 2..=10_u64 {
        for d in (0..=8_u32).filter(|d| b.pow(d.div_ceil(2)) <= 10_000) {
            for (kind, range) in [("leaves", 100), ("edges", 100), ("leaves", 1), ("edges", 7)] {
                let options = format!("b={b},d={d},kind={kind},range={range},order=perfect");
                check_minimal_tree(&options, b, d);
            }
        }
    }
    check_minimal_tree("b=1,d=60,order=perfect", 1, 60);
    check_minimal_tree("b=256,d=3,order=perfect", 256, 3);
}

#[test]
fn a_best_child_is_first_at_every_node_of_a_perfect_order() {
    let tree = synthetic("b=4,d=4,order=perfect,kind=edges,range=5,seed=9");
    for seed in 0..200 {
        let position = plain::random_position(&tree, seed, seed as u32 % 4);
        let first = tree.play(&position, Move(0));
        assert_eq!(plain::value(&tree, &position), -plain::value(&tree, &first));
    }
}

/// Each node's true value is what the construction says it is.
#[test]
fn constructed_values_are_true() {
    for options in ["b=3,d=5,order=0.5", "b=3,d=5,order=0.5,kind=edges", "b=5,d=4,order=0"] {
        for seed in 0..50 {
            let tree = synthetic(&format!("{options},seed={seed}"));
            let position = plain::random_position(&tree, seed, seed as u32 % 4);
            let value = plain::value(&tree, &position);
            assert_eq!(value, Score::new(position.worth), "{options},seed={seed}");
        }
    }
}

/// How often, of 10,000 nodes, the best child is first, and how often in the first quarter.
fn order_quality(tree: &Synthetic) -> (f64, f64) {
    let (mut first, mut early) = (0.0, 0.0);
    let nodes = 10_000;
    for seed in 0..nodes {
        let position = plain::random_position(tree, seed, 5 + seed as u32 % 4);
        let worth = |&index: &u16| -tree.child(&position, index).worth;
        let best = (0..tree.children).max_by_key(|index| (worth(index), -i32::from(*index)));
        let place = best.unwrap();
        first += f64::from(u8::from(place == 0));
        early += f64::from(u8::from(place < tree.children / 4));
    }
    (first / nodes as f64, early / nodes as f64)
}

#[test]
fn the_best_child_comes_first_as_often_as_asked() {
    for (order, expect_first, expect_early) in [("0.7", 0.70, 0.90), ("0.5", 0.50, 0.83)] {
        for kind in ["leaves", "edges"] {
            let tree = synthetic(&format!("b=20,d=10,kind={kind},range=10000,order={order}"));
            let (first, early) = order_quality(&tree);
            assert!((first - expect_first).abs() < 0.02, "{order}: first {first}");
            assert!((early - expect_early).abs() < 0.02, "{order}: early {early}");
        }
    }
}

#[test]
fn looks_fall_from_the_first_child_to_the_last() {
    let tree = synthetic("b=20,d=10,kind=edges,order=0.6");
    for seed in 0..100 {
        let position = plain::random_position(&tree, seed, seed as u32 % 9);
        let mut previous = i32::MAX;
        for mv in (0..20).map(Move) {
            let look = -tree.evaluate(&tree.play(&position, mv)).points();
            let expected =
                tree.promise(&position, mv) + position.worth + position.error / Synthetic::FADING;
            assert_eq!(look, expected, "static value and promise agree up to what all share");
            assert!(look <= previous);
            previous = look;
        }
    }
}

/// With independent edges, the static value is the sum of the edges and so is the final score.
#[test]
fn independent_edges_add_up() {
    let tree = synthetic("b=6,d=5,kind=edges,range=50");
    let mut position = tree.start();
    let mut sum = 0;
    for index in [3, 0, 5, 2, 4] {
        sum = -(sum + tree.promise(&position, Move(index)));
        position = tree.play(&position, Move(index));
        assert_eq!(tree.evaluate(&position), Score::new(sum));
    }
    assert_eq!(tree.final_score(&position), Some(Score::new(sum)));
}

/// The same node is the same however it is reached, on every machine and in every version.
#[test]
fn trees_are_pinned() {
    let check = |options: &str, expected| {
        let tree = synthetic(options);
        let leaf = tree.parse_position("1.2.0.3").unwrap();
        assert_eq!(tree.final_score(&leaf), Some(Score::new(expected)), "{options}");
        assert_eq!(tree.position_text(&leaf), "1.2.0.3");
    };
    check("b=4,d=4,seed=1", 41);
    check("b=4,d=4,seed=2", 62);
    check("b=4,d=4,seed=1,kind=edges", -84);
    check("b=4,d=4,seed=1,kind=edges,order=0.7", 97);
    check("b=4,d=4,seed=1,order=perfect", 97);
}

#[test]
fn as_many_moves_are_noisy_as_asked() {
    for options in ["kind=edges,range=1000", "kind=edges,order=0.7,range=1000", "kind=leaves"] {
        let tree = synthetic(&format!("b=100,d=9,noisy=0.2,{options}"));
        let mut noisy = 0;
        for seed in 0..100 {
            let position = plain::random_position(&tree, seed, seed as u32 % 8);
            let mut moves = MoveList::new();
            tree.noisy_moves(&position, &mut moves);
            noisy += moves.len();
        }
        assert!((1_800..2_200).contains(&noisy), "{options}: {noisy} of 10000");
    }
    let mut moves = MoveList::new();
    let quiet = synthetic("kind=edges");
    quiet.noisy_moves(&quiet.start(), &mut moves);
    assert!(moves.is_empty());
}

#[test]
fn positions_round_trip_and_bad_ones_are_refused() {
    plain::check_positions(&synthetic("b=5,d=9,noisy=0.3"), 200, 9);
    plain::check_positions(&synthetic("b=256,d=60,kind=edges,order=0.7,noisy=0.3"), 50, 60);
    let tree = synthetic("b=3,d=2");
    plain::check_refused(&tree, "0.3", "\"3\" must be a child's index, 0 to 2");
    plain::check_refused(&tree, "0.1.2", "every path ends after 2 steps");
    plain::check_refused(&tree, "0..1", "\"\" must be a child's index");
}
