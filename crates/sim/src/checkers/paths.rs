//! Where in the tree each job is: [`Paths`].

use crate::Sight;
use game::Move;
use std::collections::BTreeMap;
use ybw::{FromWorker, JobId, TraceEvent};

/// The moves from the root of the search to a node.
pub(super) type Path = Vec<Move>;

/// The path of every job that is wanted.
#[derive(Default)]
pub(super) struct Paths {
    jobs: BTreeMap<JobId, Path>,
    /// The offer taken in last, which the next [`TraceEvent::NodesAdopted`] is about: the job, and the
    /// moves from its root to where it goes on.
    offer: Option<(JobId, Path)>,
}

/// What became of jobs.
pub(super) enum Change {
    /// A job began here.
    Began(JobId),
    /// Jobs that were here ended.
    Ended(Vec<(JobId, Path)>),
    /// A job that was here goes on further down as another one.
    WentOn { from: Path, next: JobId },
}

impl Paths {
    /// The path of a job that is wanted.
    pub(super) fn of(&self, job: JobId) -> Option<&Path> {
        self.jobs.get(&job)
    }

    /// Jobs that are wanted.
    pub(super) fn len(&self) -> usize {
        self.jobs.len()
    }

    /// Follows what is seen.
    pub(super) fn follow(&mut self, sight: Sight<'_>) -> Option<Change> {
        match sight {
            Sight::TakenIn { message: FromWorker::Offer { job, nodes, .. }, .. } => {
                let moves = nodes.iter().filter_map(|handover| {
                    handover.node.brothers.get(handover.current).map(|brother| brother.mv)
                });
                self.offer = Some((*job, moves.collect()));
                None
            }
            Sight::Traced(traced) => self.follow_event(&traced.event),
            _ => None,
        }
    }

    fn follow_event(&mut self, event: &TraceEvent) -> Option<Change> {
        match event {
            TraceEvent::JobAssigned { job, path, .. } => {
                self.jobs.insert(*job, path.clone());
                Some(Change::Began(*job))
            }
            TraceEvent::NodesAdopted { job, next, .. } => {
                let from = self.jobs.remove(job)?;
                let (_, below) = self.offer.take().filter(|(offered, _)| offered == job)?;
                self.jobs.insert(*next, [from.as_slice(), &below].concat());
                Some(Change::WentOn { from, next: *next })
            }
            TraceEvent::JobResolved { job, .. }
            | TraceEvent::JobReturned { job, .. }
            | TraceEvent::JobCancelled { job, .. } => Some(self.end(&[*job])),
            TraceEvent::WorkerGone { jobs, .. } => Some(self.end(jobs)),
            _ => None,
        }
    }

    fn end(&mut self, jobs: &[JobId]) -> Change {
        let ended = jobs.iter().filter_map(|job| Some((*job, self.jobs.remove(job)?)));
        Change::Ended(ended.collect())
    }
}
