//! Who tells whom what was found out: [`Circle`].

use crate::{Peer, WorkerId};
use std::collections::{BTreeMap, BTreeSet};

/// Neighbours below one process in the tree.
const FANOUT: usize = 8;

/// The processes that share table entries, as a tree: that at index `i` has those from `FANOUT * i + 1` on
/// below it. Who leaves is replaced by the last one, so that few have to hear of it.
#[derive(Debug, Default)]
pub(super) struct Circle {
    members: Vec<Peer>,
    /// How many there were when all were told how many there are.
    told: usize,
}

/// What one of them is to be told.
#[derive(PartialEq, Eq, Debug)]
pub(super) struct Change {
    pub(super) worker: WorkerId,
    pub(super) joined: Vec<Peer>,
    pub(super) gone: Vec<WorkerId>,
}

type Neighbours = BTreeMap<WorkerId, BTreeSet<WorkerId>>;

impl Circle {
    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.members.len()
    }

    /// Takes one in. Whenever their number has doubled, all are to be told of it.
    pub(super) fn join(&mut self, peer: Peer) -> Vec<Change> {
        let place = self.members.len();
        let before = self.neighbours([parent(place)]);
        self.members.push(peer);
        if self.members.len() < 2 * self.told {
            return self.changes(&before, &self.neighbours([parent(place), Some(place)]));
        }
        self.told = self.members.len();
        if self.members.len() < 2 {
            return Vec::new();
        }
        let everybody = self.neighbours((0..self.members.len()).map(Some));
        let mut before = everybody.clone();
        let worker = self.members[place].worker;
        before.remove(&worker);
        before.values_mut().for_each(|neighbours| neighbours.retain(|&other| other != worker));
        self.changes(&before, &everybody)
    }

    /// Forgets one, if it is among them.
    pub(super) fn leave(&mut self, worker: WorkerId) -> Vec<Change> {
        let Some(place) = self.members.iter().position(|peer| peer.worker == worker) else {
            return Vec::new();
        };
        let last = self.members.len() - 1;
        let around = |place: usize| {
            let below = FANOUT * place + 1..=FANOUT * place + FANOUT;
            below.map(Some).chain([parent(place), Some(place)])
        };
        let affected: Vec<_> = around(place).chain(around(last)).collect();
        let mut before = self.neighbours(affected.clone());
        self.members.swap_remove(place);
        before.remove(&worker);
        let after = self.neighbours(affected);
        self.changes(&before, &after)
    }

    /// The neighbours of those at these places, as far as there are any there.
    fn neighbours(&self, places: impl IntoIterator<Item = Option<usize>>) -> Neighbours {
        let there = places.into_iter().flatten().filter(|&place| place < self.members.len());
        there
            .map(|place| {
                let below = FANOUT * place + 1..=FANOUT * place + FANOUT;
                let around = below.chain(parent(place));
                let around = around.filter_map(|place| Some(self.members.get(place)?.worker));
                (self.members[place].worker, around.collect())
            })
            .collect()
    }

    /// What has to be told to whom. Those who hear of no change are told nonetheless, of how many there are.
    fn changes(&self, before: &Neighbours, after: &Neighbours) -> Vec<Change> {
        let nobody = BTreeSet::new();
        let change = |(&worker, now): (&WorkerId, &BTreeSet<WorkerId>)| {
            let then = before.get(&worker).unwrap_or(&nobody);
            let new = |peer: &&Peer| now.contains(&peer.worker) && !then.contains(&peer.worker);
            let joined = self.members.iter().filter(new).cloned().collect();
            let gone = then.difference(now).copied().collect();
            Change { worker, joined, gone }
        };
        after.iter().map(change).collect()
    }
}

fn parent(place: usize) -> Option<usize> {
    Some(place.checked_sub(1)? / FANOUT)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// What everybody knows of their neighbours after what they were told.
    #[derive(Default)]
    struct World {
        circle: Circle,
        known: Neighbours,
    }

    impl World {
        fn join(&mut self, number: u64) -> usize {
            let worker = WorkerId(number);
            self.known.insert(worker, BTreeSet::new());
            let changes = self.circle.join(Peer { worker, address: "".into() });
            self.learn(&changes);
            changes.len()
        }

        fn leave(&mut self, number: u64) {
            let worker = WorkerId(number);
            self.known.remove(&worker);
            let changes = self.circle.leave(worker);
            assert!(changes.len() <= 2 * (FANOUT + 2), "{changes:?}");
            self.learn(&changes);
        }

        fn learn(&mut self, changes: &[Change]) {
            for Change { worker, joined, gone } in changes {
                let known = self.known.get_mut(worker).expect("only members are told");
                for peer in joined {
                    assert!(known.insert(peer.worker), "{worker} knows {} already", peer.worker);
                }
                for peer in gone {
                    assert!(known.remove(peer), "{worker} does not know {peer}");
                }
            }
        }

        /// Everybody reaches everybody, by the only way there is.
        fn check(&self) {
            let edges: usize = self.known.values().map(BTreeSet::len).sum();
            assert_eq!(edges, 2 * self.known.len().saturating_sub(1), "{:?}", self.known);
            let mut reached: BTreeSet<WorkerId> = self.known.keys().take(1).copied().collect();
            let mut fresh: Vec<WorkerId> = reached.iter().copied().collect();
            while let Some(worker) = fresh.pop() {
                for &neighbour in &self.known[&worker] {
                    assert!(self.known[&neighbour].contains(&worker), "{worker} {neighbour}");
                    if reached.insert(neighbour) {
                        fresh.push(neighbour);
                    }
                }
            }
            assert_eq!(reached.len(), self.known.len());
        }
    }

    #[test]
    fn a_thousand_that_join_cost_few_messages() {
        let mut world = World::default();
        let messages: usize = (0..1_024).map(|number| world.join(number)).sum();
        world.check();
        assert!(messages < 4 * 1_024, "{messages}");
        assert!(world.known.values().all(|neighbours| neighbours.len() <= FANOUT + 1));
    }

    proptest! {
        #[test]
        fn whoever_comes_and_goes_everybody_stays_connected(
            steps in prop::collection::vec((any::<bool>(), 0_u64..40), 0..120),
        ) {
            let mut world = World::default();
            let mut next = 100;
            for (joins, which) in steps {
                let members: Vec<WorkerId> = world.known.keys().copied().collect();
                if joins || members.is_empty() {
                    world.join(next);
                    next += 1;
                } else {
                    world.leave(members[which as usize % members.len()].0);
                }
                world.check();
            }
        }
    }
}
