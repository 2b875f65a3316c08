//! Who tells whom what was found out, where processes share their tables.

use super::Coordinator;
use crate::{Peer, SearchId, ToWorker, WorkerId};
use game::{Finding, Sharing};

impl Coordinator {
    /// Makes a worker that was just told of the active search known to the others, and them to it.
    pub(super) fn introduce(&mut self, worker: WorkerId, search: SearchId) {
        if !self.shares(Sharing::Cluster) {
            return;
        }
        let (own, others): (Vec<Peer>, Vec<Peer>) =
            self.fleet.peers(search).into_iter().partition(|peer| peer.worker == worker);
        if own.is_empty() || others.is_empty() {
            return;
        }
        for other in &others {
            let (joined, gone) = (own.clone(), Vec::new());
            self.send(other.worker, ToWorker::Peers { search, joined, gone });
        }
        self.send(worker, ToWorker::Peers { search, joined: others, gone: Vec::new() });
    }

    /// Tells the others that a worker is gone.
    pub(super) fn part_from(&mut self, worker: WorkerId) {
        let Some(search) = self.active.as_ref().map(|search| search.id) else {
            return;
        };
        let peers = self.fleet.peers(search);
        if !self.shares(Sharing::Cluster) || !peers.iter().any(|peer| peer.worker == worker) {
            return;
        }
        for other in peers.iter().filter(|peer| peer.worker != worker) {
            let (joined, gone) = (Vec::new(), vec![worker]);
            self.send(other.worker, ToWorker::Peers { search, joined, gone });
        }
    }

    /// Gives one worker what nobody but the coordinator knows; it tells the others.
    pub(super) fn pass_on(&mut self, worker: WorkerId, findings: Vec<Finding>) {
        let Some(search) = self.active.as_ref().map(|search| search.id) else {
            return;
        };
        if !findings.is_empty() && self.shares(Sharing::Process) {
            self.send(worker, ToWorker::Learn { search, findings });
        }
    }

    /// Whether tables of the active search are shared at least so widely.
    fn shares(&self, sharing: Sharing) -> bool {
        let setup = self.active.as_ref().map(|search| &search.setup);
        setup.is_some_and(|setup| setup.table_mib > 0 && setup.sharing >= sharing)
    }
}
