//! Speed over time: [`Rates`].

use super::snapshot::RateNow;
use std::collections::VecDeque;
use ybw::Moment;

/// How often a point is taken.
const INTERVAL_NS: u64 = 500_000_000;
/// Points that are kept; older ones are left out.
const MAX_POINTS: usize = 240;

/// Positions per second and busy slots, twice a second.
#[derive(Default)]
pub(super) struct Rates {
    started: Moment,
    last: Option<(Moment, u64)>,
    points: VecDeque<RateNow>,
}

impl Rates {
    /// A search begins.
    pub(super) fn clear(&mut self, at: Moment, nodes: u64) {
        self.started = at;
        self.last = Some((at, nodes));
        self.points.clear();
    }

    /// Takes in what holds now.
    #[expect(clippy::cast_precision_loss, reason = "counts stay far below 2^53")]
    pub(super) fn note(&mut self, at: Moment, nodes: u64, busy_slots: u32) {
        let Some((last, nodes_then)) = self.last else { return };
        let passed = at.since(last);
        if passed < INTERVAL_NS {
            return;
        }
        let per_second = nodes.saturating_sub(nodes_then) as f64 * 1e9 / passed as f64;
        let seconds = crate::facts::seconds(at.since(self.started));
        self.points.push_back(RateNow {
            seconds,
            nodes_per_second: per_second.round() as u64,
            busy_slots,
        });
        if self.points.len() > MAX_POINTS {
            self.points.pop_front();
        }
        self.last = Some((at, nodes));
    }

    /// Positions per second lately; 0 while that is not known.
    pub(super) fn nodes_per_second(&self) -> u64 {
        self.points.back().map_or(0, |point| point.nodes_per_second)
    }

    /// The points, oldest first.
    pub(super) fn history(&self) -> Vec<RateNow> {
        self.points.iter().copied().collect()
    }
}
