//! The coordinator's spans, folded from its events.

use super::export::{Open, Sender, count, now, text};
use super::ids::{Run, job_span, search_span};
use cluster::Observer;
use game::{Move, NodeKind, Window};
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use ybw::{JobId, Moment, Outcome, SearchId, Spent, TraceEvent, Traced, WindowEffect, WorkerId};

/// Makes spans of the events of a coordinator.
pub(super) fn observer(run: Run, sender: Sender) -> Observer {
    let fold = Mutex::new(Fold { run, sender, began: None, search: None, jobs: HashMap::new() });
    Observer::new(move |traced| {
        fold.lock().unwrap_or_else(PoisonError::into_inner).note(traced);
    })
}

struct Fold {
    run: Run,
    sender: Sender,
    /// When the coordinator's clock began, in nanoseconds since 1970.
    began: Option<u64>,
    search: Option<(SearchId, Open)>,
    jobs: HashMap<JobId, Job>,
}

struct Job {
    span: Open,
    nodes: u64,
}

impl Fold {
    fn note(&mut self, traced: &Traced) {
        let Moment(passed) = traced.at;
        let began = *self.began.get_or_insert_with(|| now().saturating_sub(passed));
        let at = began.saturating_add(passed);
        match &traced.event {
            TraceEvent::SearchStarted { search, setup, .. } => {
                let (trace, span) = (self.run.trace(*search), search_span(*search));
                let open = Open::new(trace, span, Vec::new(), "search", at)
                    .with(text("eldest.search", search.to_string()))
                    .with(text("eldest.game", &setup.game))
                    .with(text("eldest.position", &setup.position))
                    .with(text("eldest.depth", setup.depth.to_string()));
                self.search = Some((*search, open));
            }
            TraceEvent::SearchEnded { outcome, .. } => self.end_search(at, outcome),
            TraceEvent::JobAssigned { job, worker, path, window, kind, .. } => {
                self.begin("job", at, *job, None, *worker, path, *window, *kind);
            }
            TraceEvent::NodesAdopted {
                job,
                next,
                worker,
                path,
                window,
                kind,
                nodes,
                spent,
                ..
            } => {
                let how = format!("{nodes} open nodes handed over, goes on as {next}");
                self.end(at, *job, &how, Some(spent));
                self.begin("hand-over", at, *next, Some(*job), *worker, path, *window, *kind);
            }
            TraceEvent::JobResolved { job, value, spent, .. } => {
                self.end(at, *job, &value.to_string(), Some(spent));
            }
            TraceEvent::JobReturned { job, spent, .. } => {
                self.end(at, *job, "returned", Some(spent));
            }
            TraceEvent::JobCancelled { job, .. } => self.end(at, *job, "cancelled", None),
            TraceEvent::WorkerGone { jobs, .. } => {
                jobs.iter().for_each(|&job| self.end(at, job, "lost", None));
            }
            TraceEvent::JobProgressed { job, spent } => {
                if let Some(job) = self.jobs.get_mut(job) {
                    job.nodes += positions(spent);
                }
            }
            TraceEvent::WindowPushed { .. } | TraceEvent::WindowArrived { .. } => {
                self.note_window(at, &traced.event);
            }
            TraceEvent::WorkerJoined { .. }
            | TraceEvent::DepthBegun { .. }
            | TraceEvent::Standing { .. }
            | TraceEvent::SplitWished { .. }
            | TraceEvent::JobDiscarded { .. }
            | TraceEvent::LateMessage { .. }
            | TraceEvent::BrotherReopened { .. }
            | TraceEvent::NodeResolved { .. }
            | TraceEvent::SearchSettled { .. } => {}
        }
    }

    fn note_window(&mut self, at: u64, event: &TraceEvent) {
        match event {
            TraceEvent::WindowPushed { job, old, new, cause, .. } => {
                let attributes = vec![
                    text("eldest.window.old", old.to_string()),
                    text("eldest.window.new", new.to_string()),
                    text("eldest.window.cause", cause.to_string()),
                ];
                self.note_at(at, *job, "window pushed", attributes);
            }
            TraceEvent::WindowArrived { job, window, effect, .. } => {
                let mut attributes = vec![
                    text("eldest.job", job.to_string()),
                    text("eldest.window.new", window.to_string()),
                ];
                attributes.extend(effect_attributes(*effect));
                self.note_at(at, *job, "window arrived", attributes);
            }
            _ => {}
        }
    }

    #[expect(clippy::too_many_arguments, reason = "what a job is")]
    fn begin(
        &mut self,
        name: &str,
        at: u64,
        job: JobId,
        continues: Option<JobId>,
        worker: WorkerId,
        path: &[Move],
        window: Window,
        kind: NodeKind,
    ) {
        let Some((search, _)) = &self.search else { return };
        let parent = continues.map_or_else(|| search_span(*search), job_span);
        let path: Vec<String> = path.iter().map(|mv| mv.0.to_string()).collect();
        let span = Open::new(self.run.trace(*search), job_span(job), parent, name, at)
            .with(text("eldest.job", job.to_string()))
            .with(text("eldest.worker", worker.to_string()))
            .with(text("eldest.path", path.join(" ")))
            .with(text("eldest.window", window.to_string()))
            .with(text("eldest.kind", format!("{kind:?}").to_lowercase()));
        self.jobs.insert(job, Job { span, nodes: 0 });
    }

    fn end(&mut self, at: u64, job: JobId, how: &str, spent: Option<&Spent>) {
        let Some(Job { span, nodes }) = self.jobs.remove(&job) else { return };
        let nodes = nodes + spent.map_or(0, positions);
        self.sender.send(span.end(at, vec![text("eldest.end", how), count("eldest.nodes", nodes)]));
    }

    fn end_search(&mut self, at: u64, outcome: &Outcome) {
        let left: Vec<JobId> = self.jobs.keys().copied().collect();
        left.into_iter().for_each(|job| self.end(at, job, "the search ended", None));
        let Some((_, span)) = self.search.take() else { return };
        let how = match outcome {
            Outcome::Solved { value, .. } => value.to_string(),
            Outcome::Aborted => "aborted".into(),
            Outcome::Failed { reason } => reason.clone(),
        };
        self.sender.send(span.end(at, vec![text("eldest.outcome", how)]));
    }

    /// Notes it at the job, or at the search if the job's span has ended.
    fn note_at(
        &mut self,
        at: u64,
        job: JobId,
        name: &str,
        attributes: Vec<opentelemetry_proto::tonic::common::v1::KeyValue>,
    ) {
        let span = match self.jobs.get_mut(&job) {
            Some(job) => Some(&mut job.span),
            None => self.search.as_mut().map(|(_, span)| span),
        };
        if let Some(span) = span {
            span.note(at, name, attributes);
        }
    }
}

pub(super) fn effect_attributes(
    effect: WindowEffect,
) -> Vec<opentelemetry_proto::tonic::common::v1::KeyValue> {
    let name = match effect {
        WindowEffect::Waiting => "waiting",
        WindowEffect::Late => "late",
        WindowEffect::Applied(cutback) => {
            return vec![
                text("eldest.window.effect", if cutback.is_some() { "cut" } else { "narrowed" }),
                count("eldest.window.open_nodes", cutback.open_nodes.into()),
                count("eldest.window.saved_nodes", cutback.saved),
            ];
        }
    };
    vec![text("eldest.window.effect", name)]
}

pub(super) fn positions(spent: &Spent) -> u64 {
    spent.tally.nodes + spent.tally.quiescence
}
