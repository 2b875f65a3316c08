//! The workers, their slots and who is free: [`Fleet`].

use crate::{JobId, Peer, SearchId, WorkerId};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

/// A worker as the coordinator sees it. It mirrors the worker's own first-in first-out order, so
/// that which job runs and which waits is known without asking.
#[derive(Debug)]
struct Member {
    slots: u16,
    /// Where other workers tell it what they found out, if it wants that.
    address: Option<Arc<str>>,
    /// Slots that the current search may use.
    quota: usize,
    running: Vec<JobId>,
    spares: VecDeque<JobId>,
    /// Takes no more jobs at all.
    leaving: bool,
    /// The search it cannot take jobs of.
    unfit: Option<SearchId>,
    /// The search it was last told of.
    prepared: Option<SearchId>,
}

impl Member {
    fn idle(&self) -> usize {
        self.quota.saturating_sub(self.running.len())
    }

    fn room(&self, spares_per_slot: usize) -> usize {
        if self.idle() > 0 {
            return 0;
        }
        (self.quota * spares_per_slot).saturating_sub(self.spares.len())
    }
}

/// All workers.
#[derive(Debug)]
pub(super) struct Fleet {
    spares_per_slot: usize,
    members: BTreeMap<WorkerId, Member>,
    /// Workers with idle slots, the idlest first.
    idle: BTreeSet<(Reverse<usize>, WorkerId)>,
    idle_slots: usize,
    /// Workers without idle slots that could hold one more spare job, the roomiest first.
    roomy: BTreeSet<(Reverse<usize>, WorkerId)>,
    /// Slots that the current search may use; 0 for all.
    processors: usize,
}

impl Fleet {
    pub(super) fn new(spares_per_slot: usize) -> Fleet {
        Fleet {
            spares_per_slot,
            members: BTreeMap::new(),
            idle: BTreeSet::new(),
            idle_slots: 0,
            roomy: BTreeSet::new(),
            processors: 0,
        }
    }

    pub(super) fn join(&mut self, worker: WorkerId, slots: u16, address: Option<Arc<str>>) {
        let member = Member {
            slots,
            address,
            quota: 0,
            running: Vec::new(),
            spares: VecDeque::new(),
            leaving: false,
            unfit: None,
            prepared: None,
        };
        let before = self.members.insert(worker, member);
        assert!(before.is_none(), "worker ids are never reused");
        self.allot();
    }

    /// Forgets a worker; its jobs are the caller's to re-queue.
    pub(super) fn remove(&mut self, worker: WorkerId) {
        self.unlist(worker);
        self.members.remove(&worker);
        self.allot();
    }

    /// Gives a worker no more jobs.
    pub(super) fn retire(&mut self, worker: WorkerId) {
        if let Some(member) = self.members.get_mut(&worker) {
            member.leaving = true;
            self.allot();
        }
    }

    /// Gives a worker no more jobs of this search. Returns whether any other worker is fit for it.
    pub(super) fn exclude(&mut self, worker: WorkerId, search: SearchId) -> bool {
        if let Some(member) = self.members.get_mut(&worker) {
            member.unfit = Some(search);
            self.allot();
        }
        self.members.values().any(|member| member.unfit != Some(search) && !member.leaving)
    }

    /// Lets the next search use so many slots, 0 for all.
    pub(super) fn limit(&mut self, processors: u32) {
        self.processors = usize::try_from(processors).unwrap_or(usize::MAX);
        for member in self.members.values_mut() {
            member.unfit = None;
        }
        self.allot();
    }

    pub(super) fn contains(&self, worker: WorkerId) -> bool {
        self.members.contains_key(&worker)
    }

    /// Whether the worker must still be told of the search; notes that it is told now.
    pub(super) fn prepare(&mut self, worker: WorkerId, search: SearchId) -> bool {
        let member = self.members.get_mut(&worker).expect("a worker that gets a job is a member");
        member.prepared.replace(search) != Some(search)
    }

    /// Where others tell the worker what they found out, if it wants that.
    pub(super) fn peer(&self, worker: WorkerId) -> Option<Peer> {
        let address = self.members.get(&worker)?.address.clone()?;
        Some(Peer { worker, address })
    }

    /// The workers that were told of the search.
    pub(super) fn prepared(&self, search: SearchId) -> Vec<WorkerId> {
        let told = self.members.iter().filter(|(_, member)| member.prepared == Some(search));
        told.map(|(&worker, _)| worker).collect()
    }

    /// A worker with an idle slot.
    pub(super) fn idlest(&self) -> Option<WorkerId> {
        self.idle.first().map(|&(_, worker)| worker)
    }

    /// A worker that could hold one more job in advance.
    pub(super) fn roomiest(&self) -> Option<WorkerId> {
        self.roomy.first().map(|&(_, worker)| worker)
    }

    pub(super) fn idle_slots(&self) -> usize {
        self.idle_slots
    }

    /// The share of the slots that have a job.
    pub(super) fn busy_share(&self) -> f64 {
        let slots = self.slots().max(1) as f64;
        1.0 - self.idle_slots as f64 / slots
    }

    /// Slots that the current search may use.
    pub(super) fn slots(&self) -> usize {
        self.members.values().map(|member| member.quota).sum()
    }

    /// Gives the worker a job. Returns whether it only waits there.
    pub(super) fn assign(&mut self, worker: WorkerId, job: JobId) -> bool {
        self.change(worker, |member| {
            let spare = member.idle() == 0;
            if spare {
                member.spares.push_back(job);
            } else {
                member.running.push(job);
            }
            spare
        })
    }

    /// The worker's job goes on under another name.
    pub(super) fn rename(&mut self, worker: WorkerId, job: JobId, next: JobId) {
        self.change(worker, |member| {
            for running in &mut member.running {
                if *running == job {
                    *running = next;
                }
            }
        });
    }

    /// The worker has the job no more. Returns the job that runs in its place, if one waited.
    pub(super) fn release(&mut self, worker: WorkerId, job: JobId) -> Option<JobId> {
        self.change(worker, |member| {
            member.spares.retain(|&spare| spare != job);
            let place = member.running.iter().position(|&running| running == job)?;
            member.running.swap_remove(place);
            let promoted = member.spares.pop_front()?;
            member.running.push(promoted);
            Some(promoted)
        })
    }

    /// Spreads the slots that may be used over the workers, one each in turn.
    fn allot(&mut self) {
        let workers: Vec<WorkerId> = self.members.keys().copied().collect();
        for &worker in &workers {
            self.unlist(worker);
        }
        let mut left = if self.processors == 0 { usize::MAX } else { self.processors };
        for member in self.members.values_mut() {
            member.quota = 0;
        }
        let mut gave = true;
        while gave && left > 0 {
            gave = false;
            for member in self.members.values_mut().filter(|m| !m.leaving && m.unfit.is_none()) {
                if left > 0 && member.quota < usize::from(member.slots) {
                    member.quota += 1;
                    left -= 1;
                    gave = true;
                }
            }
        }
        for worker in workers {
            self.list(worker);
        }
    }

    fn change<T>(&mut self, worker: WorkerId, change: impl FnOnce(&mut Member) -> T) -> T {
        self.unlist(worker);
        let member = self.members.get_mut(&worker).expect("a worker with jobs is a member");
        let result = change(member);
        self.list(worker);
        result
    }

    fn unlist(&mut self, worker: WorkerId) {
        let Some(member) = self.members.get(&worker) else {
            return;
        };
        let (idle, room) = (member.idle(), member.room(self.spares_per_slot));
        if self.idle.remove(&(Reverse(idle), worker)) {
            self.idle_slots -= idle;
        }
        self.roomy.remove(&(Reverse(room), worker));
    }

    fn list(&mut self, worker: WorkerId) {
        let Some(member) = self.members.get(&worker) else {
            return;
        };
        let (idle, room) = (member.idle(), member.room(self.spares_per_slot));
        if idle > 0 {
            self.idle.insert((Reverse(idle), worker));
            self.idle_slots += idle;
        }
        if room > 0 {
            self.roomy.insert((Reverse(room), worker));
        }
    }
}
