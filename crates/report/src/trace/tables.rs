//! Stories as tables: searches, window updates and jobs.

use super::story::{Fate, JobEnd, JobStory, SearchStory, Story, Update};
use super::{Spell, Speller};
use crate::table::{Style, align, empty, grouped, percent};
use crate::{Baseline, Cost, Delays, Facts, Terms};
use game::{Policy, Setup, Sharing};
use serde::Serialize;
use ybw::WindowEffect;

/// One search of a trace, and what its processors bought.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct SearchRow {
    /// Its number among all of the trace, from 1.
    pub number: usize,
    /// What its coordinator was doing.
    pub title: String,
    /// The game.
    pub game: String,
    /// The position in the game's notation, empty for the usual start.
    pub position: String,
    /// How it ended.
    pub outcome: &'static str,
    /// What was counted.
    pub facts: Facts,
    /// The terms, if the trace holds a sequential search of the same problem.
    pub terms: Option<Terms>,
}

/// Every search of a trace. The baseline of its terms is the sequential search of the same problem
/// in the trace, that of median time if there are several.
#[must_use]
pub fn search_rows(stories: &[Story]) -> Vec<SearchRow> {
    let all = || stories.iter().flat_map(|s| s.searches.iter().map(move |search| (s, search)));
    let baseline = |setup: &Setup| {
        let sequential = all().map(|(_, search)| search).filter(|search| {
            is_solved_plainly(search) && problem_of(&search.setup) == problem_of(setup)
        });
        let mut runs: Vec<Baseline> = sequential
            .map(|s| Baseline { seconds: s.facts.seconds(), nodes: s.facts.nodes() })
            .collect();
        runs.sort_by(|a, b| a.seconds.total_cmp(&b.seconds));
        runs.get(runs.len().saturating_sub(1) / 2).copied()
    };
    let row = |(index, (story, search)): (usize, (&Story, &SearchStory))| {
        let facts = search.facts.clone();
        let cost = Cost {
            processors: facts.slots,
            seconds: facts.seconds(),
            nodes: facts.nodes(),
            busy_seconds: facts.busy_seconds(),
        };
        SearchRow {
            number: index + 1,
            title: story.title.clone(),
            game: search.setup.game.clone(),
            position: search.setup.position.clone(),
            outcome: search.outcome(),
            terms: baseline(&search.setup).and_then(|baseline| Terms::new(&baseline, &cost)),
            facts,
        }
    };
    all().enumerate().map(row).collect()
}

fn is_solved_plainly(search: &SearchStory) -> bool {
    search.setup.policy == Policy::Sequential && search.outcome() == "solved"
}

/// The question without how it is shared out.
pub(crate) fn problem_of(setup: &Setup) -> Setup {
    Setup {
        policy: Policy::Sequential,
        min_split: 1,
        narrowing: true,
        sharing: Sharing::Off,
        ..setup.clone()
    }
}

/// The searches of a trace, and what came of their windows.
#[must_use]
pub fn summary_table(rows: &[SearchRow], style: Style) -> String {
    let heads = [
        "search",
        "of",
        "problem",
        "outcome",
        "P",
        "time s",
        "nodes",
        "S",
        "SO",
        "LO",
        "PE",
        "jobs",
        "pushed",
        "applied",
        "cut",
        "waiting",
        "late",
        "dropped",
        "discarded",
    ];
    let mut table = empty(&heads, style);
    for row in rows {
        let facts = &row.facts;
        let mut cells = vec![
            row.number.to_string(),
            row.title.clone(),
            problem_text(&row.game, &row.position),
            row.outcome.to_string(),
            facts.slots.to_string(),
            format!("{:.3}", facts.seconds()),
            grouped(facts.nodes()),
        ];
        match &row.terms {
            Some(terms) => {
                cells.push(format!("{:.2}", terms.speed_up));
                cells.extend([terms.search_overhead, terms.load, terms.performance].map(percent));
            }
            None => cells.extend(["-".into(), "-".into(), load(facts), "-".into()]),
        }
        let arrived = facts.windows_applied + facts.windows_waiting + facts.windows_late;
        let counts = [
            facts.jobs_assigned,
            facts.windows_pushed,
            facts.windows_applied,
            facts.windows_cut,
            facts.windows_waiting,
            facts.windows_late,
            facts.windows_pushed.saturating_sub(arrived),
            facts.discarded_nodes,
        ];
        cells.extend(counts.map(grouped));
        table.add_row(cells);
    }
    align(&mut table, 4);
    table.to_string()
}

/// The load is known without a baseline.
fn load(facts: &Facts) -> String {
    let time = f64::from(facts.slots) * facts.seconds();
    if time > 0.0 { percent(facts.busy_seconds() / time) } else { "-".into() }
}

fn problem_text(game: &str, position: &str) -> String {
    const MOST: usize = 40;
    let text = if position.is_empty() { game.to_string() } else { format!("{game} {position}") };
    match text.char_indices().nth(MOST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

/// What became of window updates.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct UpdateTotals {
    /// All of them.
    pub pushed: u64,
    /// Those that reached a running search.
    pub applied: u64,
    /// Those of them that cut off at least one open node at once.
    pub cut: u64,
    /// Those of them that ended the job at once.
    pub ended: u64,
    /// Those that reached a job that waited for a slot.
    pub waiting: u64,
    /// Those whose job had ended or moved on when they arrived.
    pub late: u64,
    /// Those that the next window for the job overtook.
    pub overtaken: u64,
    /// Those whose job ended before they could arrive.
    pub moot: u64,
    /// Those of whom the trace does not tell.
    pub under_way: u64,
    /// Positions saved, estimated.
    pub saved_nodes: u64,
    /// From the push of those that arrived until they did.
    pub delays: Delays,
}

impl UpdateTotals {
    /// The totals over some updates.
    pub fn of<'a>(updates: impl IntoIterator<Item = &'a Update>) -> UpdateTotals {
        let mut totals = UpdateTotals::default();
        for update in updates {
            totals.note(update);
        }
        totals
    }

    fn note(&mut self, update: &Update) {
        self.pushed += 1;
        self.saved_nodes += update.saved();
        if let Some(ns) = update.delay_ns() {
            self.delays.note(u32::try_from(ns.div_ceil(NS_PER_US)).unwrap_or(u32::MAX), 1);
        }
        let count = match update.fate {
            Fate::Arrived { effect: WindowEffect::Applied(cutback), .. } => {
                self.cut += u64::from(cutback.is_some());
                self.ended += u64::from(cutback.ended);
                &mut self.applied
            }
            Fate::Arrived { effect: WindowEffect::Waiting, .. } => &mut self.waiting,
            Fate::Arrived { effect: WindowEffect::Late, .. } => &mut self.late,
            Fate::Overtaken => &mut self.overtaken,
            Fate::Moot => &mut self.moot,
            Fate::UnderWay => &mut self.under_way,
        };
        *count += 1;
    }
}

const NS_PER_US: u64 = 1_000;

/// The totals in words.
#[must_use]
pub fn totals_text(totals: &UpdateTotals) -> String {
    let UpdateTotals { pushed, applied, cut, ended, waiting, late, overtaken, moot, .. } = totals;
    let saved = grouped(totals.saved_nodes);
    let delay = |percent| match totals.delays.percentile(percent) {
        Some(us) => format!("{:.3} ms", f64::from(us) / 1e3),
        None => "-".into(),
    };
    let under_way = match totals.under_way {
        0 => String::new(),
        some => format!(", {some} under way at the end of the trace"),
    };
    format!(
        "{pushed} updates: {applied} applied ({cut} cut off something, {ended} of them the whole job), \
         {waiting} reached a job that waited,\n{late} came too late, {overtaken} were overtaken by the \
         next, {moot} were moot{under_way}.\nAbout {saved} nodes saved. From push to arrival: median {}, \
         p99 {}.",
        delay(50),
        delay(99),
    )
}

/// Window updates with cause, way, delay and effect.
#[must_use]
pub fn windows_table(
    story: &Story,
    updates: &[&Update],
    speller: &Speller,
    style: Style,
) -> String {
    let heads = [
        "at s",
        "cause",
        "raised by",
        "window",
        "becomes",
        "job",
        "worker",
        "after ms",
        "effect",
        "nodes saved",
    ];
    let spells = spells(story, speller);
    let mut table = empty(&heads, style);
    for update in updates {
        let path = |path: &Vec<_>| spells.get(update.search).map(|spell| spell(path));
        table.add_row([
            seconds_text(update.pushed.0),
            update.cause.to_string(),
            update.raised_by.as_ref().and_then(path).map_or("-".into(), or_root),
            update.old.to_string(),
            update.new.to_string(),
            update.job.to_string(),
            worker_text(story, update.worker),
            update.delay_ns().map_or("-".into(), milliseconds_text),
            effect_text(update),
            grouped(update.saved()),
        ]);
    }
    align(&mut table, 0);
    table.to_string()
}

/// Jobs with their places and ends.
#[must_use]
pub fn jobs_table(story: &Story, jobs: &[&JobStory], speller: &Speller, style: Style) -> String {
    let heads = [
        "job",
        "worker",
        "slot",
        "path",
        "kind",
        "window",
        "assigned s",
        "waited ms",
        "ran ms",
        "nodes",
        "windows",
        "end",
    ];
    let spells = spells(story, speller);
    let mut table = empty(&heads, style);
    for job in jobs {
        let waited = job.began.map(|(began, _)| began.since(job.assigned));
        let ran = job.began.zip(job.end).map(|((began, _), (end, _))| end.since(began));
        table.add_row([
            job.job.to_string(),
            worker_text(story, job.worker),
            job.began.map_or("-".into(), |(_, slot)| slot.to_string()),
            or_root(spells.get(job.search).map_or(String::new(), |spell| spell(&job.path))),
            format!("{:?}", job.kind).to_lowercase(),
            job.window.to_string(),
            seconds_text(job.assigned.0),
            waited.map_or("-".into(), milliseconds_text),
            ran.map_or("-".into(), milliseconds_text),
            grouped(job.nodes()),
            job.updates.to_string(),
            end_text(job),
        ]);
    }
    align(&mut table, 0);
    table.to_string()
}

fn spells(story: &Story, speller: &Speller) -> Vec<Spell> {
    story.searches.iter().map(|search| speller(&search.setup)).collect()
}

pub(super) fn or_root(path: String) -> String {
    if path.is_empty() { "root".into() } else { path }
}

fn worker_text(story: &Story, worker: ybw::WorkerId) -> String {
    match story.workers.get(&worker) {
        Some(told) => format!("{worker} {}", told.name),
        None => worker.to_string(),
    }
}

fn effect_text(update: &Update) -> String {
    match update.fate {
        Fate::Arrived { effect: WindowEffect::Applied(cutback), .. } => {
            match (cutback.ended, cutback.open_nodes) {
                (true, _) => "ended the job".into(),
                (false, 0) => "narrowed".into(),
                (false, 1) => "cut 1 node".into(),
                (false, nodes) => format!("cut {nodes} nodes"),
            }
        }
        Fate::Arrived { effect: WindowEffect::Waiting, .. } => "waits with it".into(),
        Fate::Arrived { effect: WindowEffect::Late, .. } => "too late".into(),
        Fate::Overtaken => "overtaken".into(),
        Fate::Moot => "moot".into(),
        Fate::UnderWay => "under way".into(),
    }
}

/// How a job ended, in a few words.
pub(super) fn end_text(job: &JobStory) -> String {
    match job.end.map(|(_, end)| end) {
        None => "runs".into(),
        Some(JobEnd::Resolved { value }) => value.to_string(),
        Some(JobEnd::HandedOver { next, nodes }) => format!("{nodes} nodes up, goes on as {next}"),
        Some(JobEnd::Cancelled { cause: Some(cause) }) => format!("cancelled by {cause}"),
        Some(JobEnd::Cancelled { cause: None }) => "cancelled".into(),
        Some(JobEnd::Returned) => "returned".into(),
        Some(JobEnd::Lost) => "lost".into(),
    }
}

#[expect(clippy::cast_precision_loss, reason = "2^53 ns are 104 days")]
fn seconds_text(ns: u64) -> String {
    format!("{:.6}", ns as f64 / 1e9)
}

#[expect(clippy::cast_precision_loss, reason = "2^53 ns are 104 days")]
fn milliseconds_text(ns: u64) -> String {
    format!("{:.3}", ns as f64 / 1e6)
}
