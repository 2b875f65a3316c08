//! Artificial work for synthetic trees: [`pay`].

use game::LeafCost;
use std::hint::black_box;

/// Pays the cost of a leaf with real time.
pub fn pay(cost: LeafCost) {
    match cost {
        LeafCost::Free => {}
        LeafCost::Busy(rounds) => spin(rounds),
        LeafCost::Sleep(time) => std::thread::sleep(time),
    }
}

/// Rounds of a multiplicative hash (Steele, Lea and Flood 2014), each needing the last one's result.
fn spin(rounds: u32) {
    let mut hash = black_box(0x9E37_79B9_7F4A_7C15_u64);
    for _ in 0..rounds {
        hash = (hash ^ (hash >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    }
    black_box(hash);
}
