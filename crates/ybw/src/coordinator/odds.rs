//! How likely a brother makes those after it superfluous: [`Odds`].

use game::NodeKind;

/// Brothers beyond this place in search order are counted together.
const PLACES: usize = 16;
/// How many brothers what is believed beforehand counts for.
const PRIOR_WEIGHT: f64 = 2.0;
/// Believed beforehand: of the young brothers that are searched at an expected cut node, so many refute it.
/// Where the eldest failed, the next is often the one.
const CUT_PRIOR: f64 = 0.8;
/// The same at an expected all node, which is not supposed to be refuted at all.
const ALL_PRIOR: f64 = 0.05;

/// What the search has shown so far, of each expected kind of node and each place in search order: how many
/// brothers that were searched there refuted the node, or became the best one of a PV node.
#[derive(Debug)]
pub(super) struct Odds([[Tries; PLACES]; 3]);

#[derive(Clone, Copy, Debug)]
struct Tries {
    succeeded: f64,
    all: f64,
}

impl Odds {
    pub(super) fn new() -> Odds {
        let tries = |chance: f64| Tries { succeeded: chance * PRIOR_WEIGHT, all: PRIOR_WEIGHT };
        // At a PV node the first young brothers are the likeliest to be better than the eldest.
        let pv = std::array::from_fn(|place| tries(1.0 / (place as f64 + 3.0)));
        let mut odds = Odds([[tries(0.0); PLACES]; 3]);
        odds.0[NodeKind::Pv as usize] = pv;
        odds.0[NodeKind::All as usize] = [tries(ALL_PRIOR); PLACES];
        odds.0[NodeKind::Cut as usize] = [tries(CUT_PRIOR); PLACES];
        odds
    }

    /// Takes in how the brother at `place` turned out.
    pub(super) fn learn(&mut self, kind: NodeKind, place: usize, succeeded: bool) {
        let tries = &mut self.0[kind as usize][place.min(PLACES - 1)];
        tries.all += 1.0;
        tries.succeeded += f64::from(u8::from(succeeded));
    }

    /// The chance that the brother at `place`, which is not resolved yet, leaves those after it work to do.
    pub(super) fn fails(&self, kind: NodeKind, place: usize) -> f64 {
        let Tries { succeeded, all } = self.0[kind as usize][place.min(PLACES - 1)];
        1.0 - succeeded / all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_happens_often_is_believed() {
        let mut odds = Odds::new();
        assert!(odds.fails(NodeKind::Cut, 1) < 0.3);
        assert!(odds.fails(NodeKind::All, 1) > 0.9);
        for _ in 0..100 {
            odds.learn(NodeKind::Cut, 1, false);
            odds.learn(NodeKind::All, 40, true);
        }
        assert!(odds.fails(NodeKind::Cut, 1) > 0.9);
        assert!(odds.fails(NodeKind::All, 50) < 0.1, "late places are counted together");
        assert!(odds.fails(NodeKind::All, 1) > 0.9);
    }
}
