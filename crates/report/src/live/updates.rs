//! The latest window updates: [`Updates`].

use super::snapshot::UpdateNow;
use game::{Move, Window};
use std::collections::VecDeque;
use ybw::{JobId, Moment, TraceEvent, Traced, WindowEffect, WorkerId};

/// Updates that are remembered.
const MAX_UPDATES: usize = 100;

struct Update {
    number: u64,
    pushed: Moment,
    cause: JobId,
    raised_by: Option<Path>,
    old: Window,
    new: Window,
    job: JobId,
    worker: WorkerId,
    arrived: Option<(Moment, WindowEffect)>,
}

/// A path, spelled once its search is over.
enum Path {
    Moves(Vec<Move>),
    Spelt(String),
}

/// The latest window updates, newest first, and what became of them.
#[derive(Default)]
pub(super) struct Updates {
    pushed: u64,
    latest: VecDeque<Update>,
}

impl Updates {
    pub(super) fn note(&mut self, traced: &Traced) {
        match &traced.event {
            TraceEvent::WindowPushed { job, worker, old, new, cause, raised_by } => {
                self.pushed += 1;
                self.latest.push_front(Update {
                    number: self.pushed,
                    pushed: traced.at,
                    cause: *cause,
                    raised_by: raised_by.clone().map(Path::Moves),
                    old: *old,
                    new: *new,
                    job: *job,
                    worker: *worker,
                    arrived: None,
                });
                self.latest.truncate(MAX_UPDATES);
            }
            TraceEvent::WindowArrived { job, window, effect, .. } => {
                let told = |update: &&mut Update| {
                    update.job == *job && update.new == *window && update.arrived.is_none()
                };
                if let Some(update) = self.latest.iter_mut().rev().find(told) {
                    update.arrived = Some((traced.at, *effect));
                }
            }
            _ => {}
        }
    }

    /// The moves of the updates until now are spelled like this.
    pub(super) fn spell(&mut self, spell: impl Fn(&[Move]) -> String) {
        for update in &mut self.latest {
            if let Some(Path::Moves(moves)) = &update.raised_by {
                update.raised_by = Some(Path::Spelt(spell(moves)));
            }
        }
    }

    pub(super) fn latest(&self, spell: &impl Fn(&[Move]) -> String) -> Vec<UpdateNow> {
        let shown = |update: &Update| {
            let (open_nodes, saved) = match update.arrived {
                Some((_, WindowEffect::Applied(cut))) => (cut.open_nodes, cut.saved),
                Some((_, WindowEffect::Waiting | WindowEffect::Late)) | None => (0, 0),
            };
            UpdateNow {
                number: update.number,
                at_seconds: crate::facts::seconds(update.pushed.0),
                cause: update.cause,
                raised_by: update.raised_by.as_ref().map(|path| match path {
                    Path::Moves(moves) => spell(moves),
                    Path::Spelt(text) => text.clone(),
                }),
                old: update.old.to_string(),
                new: update.new.to_string(),
                job: update.job,
                worker: update.worker,
                round_trip_ms: update
                    .arrived
                    .map(|(heard, _)| crate::facts::seconds(heard.since(update.pushed)) * 1e3),
                effect: effect_name(update.arrived.map(|(_, effect)| effect)).to_string(),
                open_nodes_cut: open_nodes,
                saved_nodes: saved,
            }
        };
        self.latest.iter().map(shown).collect()
    }
}

fn effect_name(effect: Option<WindowEffect>) -> &'static str {
    match effect {
        None => "under way",
        Some(WindowEffect::Late) => "late",
        Some(WindowEffect::Waiting) => "waiting",
        Some(WindowEffect::Applied(cut)) if cut.ended => "ended",
        Some(WindowEffect::Applied(cut)) if cut.is_some() => "cut",
        Some(WindowEffect::Applied(_)) => "narrowed",
    }
}
