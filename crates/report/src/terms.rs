//! Speed-up and the causes of its loss: [`Terms`].
//!
//! Search overhead, load and performance are the terms in which Feldmann, Monien, Mysliwietz and
//! Vornberger (1990) account for the speed-up of a distributed game-tree search.

use serde::{Deserialize, Serialize};

/// The best sequential search: the plain program without any of the parallel machinery, given
/// the same table size.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct Baseline {
    /// How long it took.
    pub seconds: f64,
    /// Positions it entered.
    pub nodes: u64,
}

/// What a parallel search of the same problem cost.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct Cost {
    /// Slots that searched.
    pub processors: u32,
    /// How long it took.
    pub seconds: f64,
    /// Positions entered by all slots.
    pub nodes: u64,
    /// Time during which slots had jobs, over all slots.
    pub busy_seconds: f64,
}

/// Speed-up, and the three terms that explain it: S = P × LO × PE / (1 + SO).
///
/// ```
/// use eldest_report::{Baseline, Cost, Terms};
/// let baseline = Baseline { seconds: 60.0, nodes: 600 };
/// let cost = Cost { processors: 4, seconds: 20.0, nodes: 750, busy_seconds: 75.0 };
/// let terms = Terms::new(&baseline, &cost).unwrap();
/// assert_eq!(terms.speed_up, 3.0);
/// assert_eq!(terms.search_overhead, 0.25);
/// assert_eq!(terms.load, 0.9375);
/// assert_eq!(terms.performance, 1.0);
/// assert!((terms.product(4) - terms.speed_up).abs() < 1e-9);
/// ```
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct Terms {
    /// S: time of the sequential search over time of this one.
    pub speed_up: f64,
    /// S / P.
    pub efficiency: f64,
    /// SO: positions entered over those of the sequential search, less 1. May be negative.
    pub search_overhead: f64,
    /// LO: the share of the processors' time during which they had jobs.
    pub load: f64,
    /// PE: positions per busy second over those of the sequential search.
    pub performance: f64,
}

impl Terms {
    /// The terms, or `None` if one of the times and counts is 0, so that there is nothing to
    /// compare.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "counts stay far below 2^53")]
    pub fn new(baseline: &Baseline, cost: &Cost) -> Option<Terms> {
        let processors = f64::from(cost.processors);
        let (nodes, base_nodes) = (cost.nodes as f64, baseline.nodes as f64);
        let measured =
            [processors, nodes, base_nodes, cost.seconds, cost.busy_seconds, baseline.seconds];
        if measured.iter().any(|&quantity| quantity <= 0.0) {
            return None;
        }
        let speed_up = baseline.seconds / cost.seconds;
        Some(Terms {
            speed_up,
            efficiency: speed_up / processors,
            search_overhead: nodes / base_nodes - 1.0,
            load: cost.busy_seconds / (processors * cost.seconds),
            performance: (nodes / cost.busy_seconds) / (base_nodes / baseline.seconds),
        })
    }

    /// P × LO × PE / (1 + SO), which is the speed-up again, but for rounding.
    #[must_use]
    pub fn product(&self, processors: u32) -> f64 {
        f64::from(processors) * self.load * self.performance / (1.0 + self.search_overhead)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_terms_multiply_to_the_speed_up(
            base_seconds in 1e-6..1e6_f64,
            base_nodes in 1..1_u64 << 50,
            processors in 1..100_000_u32,
            seconds in 1e-6..1e6_f64,
            nodes in 1..1_u64 << 50,
            busy_seconds in 1e-6..1e9_f64,
        ) {
            let baseline = Baseline { seconds: base_seconds, nodes: base_nodes };
            let cost = Cost { processors, seconds, nodes, busy_seconds };
            let terms = Terms::new(&baseline, &cost).unwrap();
            let error = terms.product(processors) / terms.speed_up - 1.0;
            prop_assert!(error.abs() < 1e-9, "{terms:?}");
        }
    }

    #[test]
    fn nothing_is_compared_with_nothing() {
        let baseline = Baseline { seconds: 1.0, nodes: 1 };
        let cost = Cost { processors: 1, seconds: 1.0, nodes: 1, busy_seconds: 1.0 };
        assert!(Terms::new(&baseline, &cost).is_some());
        assert_eq!(Terms::new(&Baseline { nodes: 0, ..baseline }, &cost), None);
        assert_eq!(Terms::new(&baseline, &Cost { busy_seconds: 0.0, ..cost }), None);
        assert_eq!(Terms::new(&baseline, &Cost { seconds: 0.0, ..cost }), None);
    }
}
