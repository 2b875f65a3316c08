//! What a search did, counted: [`Tally`].

use serde::{Deserialize, Serialize};
use std::ops::AddAssign;

/// Brothers whose cutoffs are counted apart; the last place counts all later ones.
pub const CUTOFF_PLACES: usize = 8;

/// Counts of a search or of a part of it. They add up over jobs, slots and workers.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Tally {
    /// Positions entered, quiescence nodes excluded.
    pub nodes: u64,
    /// Undecided positions expanded.
    pub interior: u64,
    /// Positions with a static or final value.
    pub leaves: u64,
    /// Positions entered by the quiescence search below its first.
    pub quiescence: u64,
    /// Table probes.
    pub probes: u64,
    /// Probes that found the position.
    pub hits: u64,
    /// Probes whose value answered the window.
    pub table_cutoffs: u64,
    /// Those of the hits that were found out by another process.
    pub shared_hits: u64,
    /// Those of the table cutoffs that were found out by another process.
    pub shared_cutoffs: u64,
    /// Entries stored that other processes are told of.
    pub shared: u64,
    /// Cutoffs by the index of the brother that caused them; the last place counts all later ones.
    pub cutoffs: [u64; CUTOFF_PLACES],
}

impl Tally {
    /// Counts a cutoff caused by the brother at `index`.
    pub fn cutoff(&mut self, index: usize) {
        self.cutoffs[index.min(CUTOFF_PLACES - 1)] += 1;
    }
}

impl AddAssign for Tally {
    fn add_assign(&mut self, other: Tally) {
        let Tally { nodes, interior, leaves, quiescence, probes, hits, table_cutoffs, .. } = other;
        let Tally { shared_hits, shared_cutoffs, shared, cutoffs, .. } = other;
        self.nodes += nodes;
        self.interior += interior;
        self.leaves += leaves;
        self.quiescence += quiescence;
        self.probes += probes;
        self.hits += hits;
        self.table_cutoffs += table_cutoffs;
        self.shared_hits += shared_hits;
        self.shared_cutoffs += shared_cutoffs;
        self.shared += shared;
        for (mine, theirs) in self.cutoffs.iter_mut().zip(cutoffs) {
            *mine += theirs;
        }
    }
}
