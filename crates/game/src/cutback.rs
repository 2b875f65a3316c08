//! What a changed window cut off: [`Cutback`].

use serde::{Deserialize, Serialize};

/// What became superfluous in a running search when its window changed.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
pub struct Cutback {
    /// Open nodes that need not be searched on.
    pub open_nodes: u32,
    /// Positions that they would have cost, estimated: the brothers that waited at each of them, at the
    /// mean cost of its brothers that were searched.
    pub saved: u64,
    /// Whether the root of the search was among them, so that the whole search is over.
    pub ended: bool,
}

impl Cutback {
    /// Whether anything was cut off.
    #[must_use]
    pub fn is_some(self) -> bool {
        self.open_nodes > 0
    }
}
