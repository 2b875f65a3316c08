//! What leaves cost in virtual time: [`charge`] and [`take`].

use game::LeafCost;
use std::cell::Cell;

thread_local! {
    /// Nanoseconds charged to this thread and not taken yet. A search pays through a plain function, which
    /// has nowhere else to note it; each world runs on one thread.
    static CHARGED: Cell<u64> = const { Cell::new(0) };
}

/// Charges a leaf that sleeps. One that spins is charged nothing but its position, for what a round
/// takes depends on the machine.
pub(crate) fn charge(cost: LeafCost) {
    if let LeafCost::Sleep(time) = cost {
        let ns = u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
        CHARGED.with(|charged| charged.set(charged.get().saturating_add(ns)));
    }
}

/// What was charged since the last call.
pub(crate) fn take() -> u64 {
    CHARGED.take()
}
