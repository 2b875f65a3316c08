//! A worker's spans, folded from what it hears and says.

use super::coordinator::{effect_attributes, positions};
use super::export::{Open, Sender, count, now, text};
use super::ids::{Run, job_span, worker_span};
use cluster::{WorkerFact, WorkerObserver};
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use ybw::{FromWorker, JobId, SearchId, Spent, ToWorker};

/// Makes spans of a worker's jobs, below those of the coordinator, if that makes any.
pub(super) fn observer(sender: Sender) -> WorkerObserver {
    let fold = Mutex::new(Fold { sender, run: None, jobs: HashMap::new() });
    WorkerObserver::new(move |fact| {
        fold.lock().unwrap_or_else(PoisonError::into_inner).note(fact);
    })
}

struct Fold {
    sender: Sender,
    run: Option<Run>,
    jobs: HashMap<JobId, Job>,
}

struct Job {
    search: SearchId,
    span: Open,
    nodes: u64,
}

impl Fold {
    fn note(&mut self, fact: WorkerFact<'_>) {
        match fact {
            WorkerFact::Opened { traceparent } => self.run = traceparent.and_then(Run::parse),
            WorkerFact::Joined(_) => {}
            WorkerFact::Parted => {
                let left: Vec<JobId> = self.jobs.keys().copied().collect();
                left.into_iter().for_each(|job| self.end(job, "abandoned", &Spent::default()));
            }
            WorkerFact::Heard(ToWorker::Assign(assignment)) => {
                self.begin(assignment.job, assignment.search);
            }
            WorkerFact::Heard(_) => {}
            WorkerFact::Said(message) => self.note_said(message),
        }
    }

    fn note_said(&mut self, message: &FromWorker) {
        match message {
            FromWorker::Result { job, value, spent, .. } => {
                self.end(*job, &value.to_string(), spent);
            }
            FromWorker::Stopped { job, spent } => self.end(*job, "stopped", spent),
            FromWorker::Returned { job, spent } => self.end(*job, "returned", spent),
            FromWorker::Offer { job, next, nodes, spent } => {
                let search = self.jobs.get(job).map(|job| job.search);
                self.end(*job, &format!("{} open nodes offered", nodes.len()), spent);
                search.into_iter().for_each(|search| self.begin(*next, search));
            }
            FromWorker::Progress { job, spent } => {
                if let Some(job) = self.jobs.get_mut(job) {
                    job.nodes += positions(spent);
                }
            }
            FromWorker::Narrowed { job, window, effect, .. } => {
                if let Some(job) = self.jobs.get_mut(job) {
                    let mut attributes = vec![text("eldest.window.new", window.to_string())];
                    attributes.extend(effect_attributes(*effect));
                    job.span.note(now(), "window", attributes);
                }
            }
            FromWorker::Leaving | FromWorker::Unfit { .. } => {}
        }
    }

    fn begin(&mut self, job: JobId, search: SearchId) {
        let Some(run) = self.run else { return };
        let (trace, parent) = (run.trace(search), job_span(job));
        let span = Open::new(trace, worker_span(job), parent, "search subtree", now())
            .with(text("eldest.job", job.to_string()));
        self.jobs.insert(job, Job { search, span, nodes: 0 });
    }

    fn end(&mut self, job: JobId, how: &str, spent: &Spent) {
        let Some(Job { span, nodes, .. }) = self.jobs.remove(&job) else { return };
        let nodes = nodes + positions(spent);
        self.sender
            .send(span.end(now(), vec![text("eldest.end", how), count("eldest.nodes", nodes)]));
    }
}
