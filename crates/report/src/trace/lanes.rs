//! Which slot of its worker a job has: [`Lanes`].

use std::collections::{BTreeMap, VecDeque};
use ybw::{JobId, WorkerId};

/// The slots of all workers, as the coordinator takes them to be: a slot is free as soon as its
/// job ended or became unwanted, and the oldest spare job takes it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Lanes {
    workers: BTreeMap<WorkerId, Worker>,
}

#[derive(Clone, Debug, Default)]
struct Worker {
    running: Vec<Option<JobId>>,
    spares: VecDeque<JobId>,
}

impl Lanes {
    /// A worker came.
    pub(crate) fn join(&mut self, worker: WorkerId, slots: u16) {
        let member = Worker { running: vec![None; usize::from(slots)], spares: VecDeque::new() };
        self.workers.insert(worker, member);
    }

    /// A worker and its jobs are gone.
    pub(crate) fn leave(&mut self, worker: WorkerId) {
        self.workers.remove(&worker);
    }

    /// A job was assigned. Returns its slot, none if it waits for one.
    pub(crate) fn assign(&mut self, worker: WorkerId, job: JobId, spare: bool) -> Option<usize> {
        let member = self.workers.entry(worker).or_default();
        if spare {
            member.spares.push_back(job);
            return None;
        }
        let free = member.running.iter().position(Option::is_none);
        let slot = free.unwrap_or(member.running.len());
        member.running.resize(member.running.len().max(slot + 1), None);
        member.running[slot] = Some(job);
        Some(slot)
    }

    /// A job goes on under another name.
    pub(crate) fn rename(&mut self, worker: WorkerId, job: JobId, next: JobId) {
        let Some(member) = self.workers.get_mut(&worker) else { return };
        let running = member.running.iter_mut().flatten();
        if let Some(name) = running.chain(&mut member.spares).find(|name| **name == job) {
            *name = next;
        }
    }

    /// A job ended. Returns the job that takes its slot, and the slot.
    pub(crate) fn end(&mut self, worker: WorkerId, job: JobId) -> Option<(JobId, usize)> {
        let member = self.workers.get_mut(&worker)?;
        member.spares.retain(|&spare| spare != job);
        let slot = member.running.iter().position(|&running| running == Some(job))?;
        member.running[slot] = member.spares.pop_front();
        member.running[slot].map(|promoted| (promoted, slot))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_spare_job_takes_the_slot_that_is_free() {
        let (worker, job) = (WorkerId(1), JobId);
        let mut lanes = Lanes::default();
        lanes.join(worker, 2);
        assert_eq!(lanes.assign(worker, job(1), false), Some(0));
        assert_eq!(lanes.assign(worker, job(2), false), Some(1));
        assert_eq!(lanes.assign(worker, job(3), true), None);
        assert_eq!(lanes.assign(worker, job(4), true), None);
        assert_eq!(lanes.end(worker, job(3)), None);
        lanes.rename(worker, job(2), job(9));
        assert_eq!(lanes.end(worker, job(2)), None);
        assert_eq!(lanes.end(worker, job(9)), Some((job(4), 1)));
        assert_eq!(lanes.end(worker, job(1)), None);
        assert_eq!(lanes.assign(worker, job(5), false), Some(0));
    }
}
