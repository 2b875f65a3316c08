//! What the coordinator says about table entries, where processes share them.

use super::Coordinator;
use super::circle::Change;
use crate::{SearchId, ToWorker, WorkerId};
use game::{Finding, Sharing};

impl Coordinator {
    /// Lets a worker that was just told of the active search share what it finds out.
    pub(super) fn introduce(&mut self, worker: WorkerId) {
        let Some(peer) = self.fleet.peer(worker).filter(|_| self.shares(Sharing::Cluster)) else {
            return;
        };
        let search = self.active.as_mut().expect("whoever shares has a search");
        let (id, changes) = (search.id, search.circle.join(peer));
        self.tell_peers(id, changes);
    }

    /// A worker is gone: others take its place among those who share.
    pub(super) fn part_from(&mut self, worker: WorkerId) {
        if let Some(search) = &mut self.active {
            let (id, changes) = (search.id, search.circle.leave(worker));
            self.tell_peers(id, changes);
        }
    }

    fn tell_peers(&mut self, search: SearchId, changes: Vec<Change>) {
        let members = self.active.as_ref().map_or(0, |search| search.circle.len());
        let members = u32::try_from(members).unwrap_or(u32::MAX);
        for Change { worker, joined, gone } in changes {
            self.send(worker, ToWorker::Peers { search, own: worker, members, joined, gone });
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
