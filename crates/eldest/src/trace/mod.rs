//! `eldest trace`: what a trace tells.

mod recorder;

pub(crate) use recorder::{Format, Recorder, TraceArgs};

use crate::{Failure, files, output};
use clap::{Args, Subcommand};
use report::trace::{
    JobStory, Line, PerfettoWriter, Reading, SearchRow, Span, Spell, Speller, SplitView, Story,
    Telling, Update, UpdateTotals, jobs_table, read_trace, search_rows, split_dot, split_text,
    summary_table, timeline_svg, totals_text, windows_table,
};
use report::{Style, grouped};
use search::Catalogue;
use serde_json::json;
use std::cmp::Reverse;
use std::fs::File;
use std::io::{BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};
use ybw::{JobId, WorkerId};

/// Options of `eldest trace`.
#[derive(Args, Debug)]
pub(crate) struct TraceCommand {
    /// The trace, as `--trace FILE.jsonl` of coordinator, solve, bench or sim wrote it
    #[arg(value_name = "FILE")]
    file: PathBuf,
    #[command(subcommand)]
    question: TraceQuestion,
}

#[derive(Subcommand, Debug)]
enum TraceQuestion {
    /// Every search: what its processors bought, and what became of its windows
    Summary {
        /// Print one JSON object per search
        #[arg(long)]
        json: bool,
    },
    /// Every window update: cause, way, delay and effect
    Windows {
        #[command(flatten)]
        which: Which,
        /// Only the updates that saved the most nodes, so many
        #[arg(long, value_name = "N")]
        top: Option<usize>,
        /// Only the totals
        #[arg(long, conflicts_with = "top")]
        totals: bool,
    },
    /// Every job: place, window, time, nodes and end
    Jobs {
        #[command(flatten)]
        which: Which,
        /// Only the jobs that cost the most nodes, so many
        #[arg(long, value_name = "N")]
        top: Option<usize>,
    },
    /// Who searched what when, as a picture
    Timeline {
        /// Draw it into this SVG file
        #[arg(long, value_name = "FILE")]
        svg: PathBuf,
        /// The search, by its number in `summary` [default: the longest]
        #[arg(long, value_name = "N")]
        search: Option<usize>,
        /// From so many seconds after the search began
        #[arg(long, value_name = "SECONDS", default_value_t = 0.0)]
        from: f64,
        /// Until so many seconds after the search began [default: its end]
        #[arg(long, value_name = "SECONDS")]
        to: Option<f64>,
    },
    /// The split tree of a search
    Tree {
        /// The search, by its number in `summary` [default: the longest]
        #[arg(long, value_name = "N")]
        search: Option<usize>,
        /// Plies below the root
        #[arg(long, value_name = "PLIES", default_value_t = 2)]
        depth: usize,
        /// Print a graph for Graphviz (`dot -Tsvg`)
        #[arg(long)]
        dot: bool,
    },
    /// Turns it into a trace for ui.perfetto.dev
    Convert {
        /// The file to write, FILE.perfetto-trace
        #[arg(value_name = "OUT")]
        out: PathBuf,
    },
}

/// Which updates or jobs are wanted, and how they are shown.
#[derive(Args, Debug)]
struct Which {
    /// Only those of the search with this number in `summary`
    #[arg(long, value_name = "N")]
    search: Option<usize>,
    /// Only those of this job, as in j17
    #[arg(long, value_name = "JOB", value_parser = job)]
    job: Option<JobId>,
    /// Only those of this worker, as in w2
    #[arg(long, value_name = "WORKER", value_parser = worker)]
    worker: Option<WorkerId>,
    /// Print one JSON object per line
    #[arg(long)]
    json: bool,
}

fn job(text: &str) -> Result<JobId, String> {
    number(text, 'j').map(JobId).ok_or_else(|| "must be a job, as in j17".into())
}

fn worker(text: &str) -> Result<WorkerId, String> {
    number(text, 'w').map(WorkerId).ok_or_else(|| "must be a worker, as in w2".into())
}

fn number(text: &str, letter: char) -> Option<u64> {
    text.strip_prefix(letter).unwrap_or(text).parse().ok()
}

/// Answers a question about a trace.
pub(crate) fn run(args: &TraceCommand, catalogue: &Catalogue) -> Result<(), Failure> {
    let TraceCommand { file, question } = args;
    if let TraceQuestion::Convert { out } = question {
        return convert(file, out, catalogue);
    }
    let stories = stories(file)?;
    let speller = spelling(catalogue.clone());
    match question {
        TraceQuestion::Summary { json } => summary(&stories, *json),
        TraceQuestion::Windows { which, top, totals } => {
            windows(&stories, which, *top, *totals, &speller)
        }
        TraceQuestion::Jobs { which, top } => jobs(&stories, which, *top, &speller),
        TraceQuestion::Timeline { svg, search, from, to } => {
            timeline(&stories, svg, *search, *from, *to)
        }
        TraceQuestion::Tree { search, depth, dot } => {
            tree(&stories, *search, *depth, *dot, &speller)
        }
        TraceQuestion::Convert { .. } => Ok(()),
    }
}

/// Spells moves as the games of the catalogue do.
pub(crate) fn spelling(catalogue: Catalogue) -> Speller {
    Box::new(move |setup| -> Spell {
        match catalogue.prepare(setup) {
            Ok(problem) => Box::new(move |moves| problem.line_text(moves).join(" ")),
            Err(_) => report::trace::spell_codes(setup),
        }
    })
}

/// What each coordinator of the trace has to tell.
fn stories(file: &Path) -> Result<Vec<Story>, Failure> {
    let mut stories = Vec::new();
    let mut telling: Option<Telling> = None;
    read(file, |line| {
        match line {
            Line::Header(header) => {
                stories.extend(telling.replace(Telling::new(header)).map(Telling::finish));
            }
            Line::Event(traced) => {
                if let Some(telling) = &mut telling {
                    telling.note(&traced);
                }
            }
            Line::Lost { .. } => {}
        }
        Ok(())
    })?;
    stories.extend(telling.map(Telling::finish));
    Ok(stories)
}

/// Reads the trace line by line, and says on standard error what was not as it should be.
fn read(file: &Path, mut take: impl FnMut(Line) -> Result<(), Failure>) -> Result<(), Failure> {
    let shown = file.display();
    let open = File::open(file);
    let open = open.map_err(|error| Failure::given(format!("{shown} cannot be read: {error}")))?;
    let mut result = Ok(());
    let reading = read_trace(BufReader::new(open), |line| {
        if result.is_ok() {
            result = take(line);
        }
    });
    result?;
    let Reading { unknown, lost, cut_off, .. } =
        reading.map_err(|error| Failure::given(format!("{shown} {error}")))?;
    if cut_off {
        output::warn(&format!("{shown} breaks off in its last line, which is left out"));
    }
    if lost > 0 {
        output::warn(&format!("{shown} lacks {lost} events that the disk was too slow for"));
    }
    if unknown > 0 {
        output::warn(&format!("{shown} has {unknown} events of kinds that this version skips"));
    }
    Ok(())
}

fn summary(stories: &[Story], as_json: bool) -> Result<(), Failure> {
    let rows = search_rows(stories);
    if as_json {
        return lines(rows.iter().map(to_json));
    }
    let dropped = "S, SO, LO and PE as in `eldest bench`, against the sequential search of the same problem \
                   in the trace.\nWindows pushed = applied + waiting + late + dropped; dropped: \
                   overtaken by the next, or their job ended first.";
    output::print(&format!("{}\n\n{dropped}", summary_table(&rows, Style::Terminal)))
}

fn to_json(row: &SearchRow) -> String {
    serde_json::to_string(row).expect("numbers and texts can be written as JSON")
}

fn windows(
    stories: &[Story],
    which: &Which,
    top: Option<usize>,
    totals_only: bool,
    speller: &Speller,
) -> Result<(), Failure> {
    let mut text = Vec::new();
    for (first, story) in numbered(stories, which.search)? {
        let wanted = |update: &&Update| {
            which.search.is_none_or(|number| number == first + update.search)
                && which.job.is_none_or(|job| update.job == job || update.cause == job)
                && which.worker.is_none_or(|worker| update.worker == worker)
        };
        let all: Vec<&Update> = story.updates.iter().filter(wanted).collect();
        let mut shown = all.clone();
        if let Some(top) = top {
            shown.sort_by_key(|update| Reverse(update.saved()));
            shown.truncate(top);
        }
        if which.json {
            text.extend(shown.iter().map(|update| update_json(story, first, update, speller)));
            continue;
        }
        if all.is_empty() && stories.len() > 1 {
            continue;
        }
        text.push(format!("{}\n", story.title));
        if !totals_only && !shown.is_empty() {
            text.push(windows_table(story, &shown, speller, Style::Terminal));
        }
        text.push(format!("{}\n", totals_text(&UpdateTotals::of(all))));
    }
    lines(text.into_iter())
}

fn update_json(story: &Story, first: usize, update: &Update, speller: &Speller) -> String {
    let spell = story.searches.get(update.search).map(|search| speller(&search.setup));
    let raised_by = update.raised_by.as_ref().zip(spell).map(|(path, spell)| spell(path));
    let mut value = serde_json::to_value(update).expect("numbers and texts can be written as JSON");
    if let Some(object) = value.as_object_mut() {
        object.insert("search".into(), json!(first + update.search));
        object.insert("raised_by_text".into(), json!(raised_by));
        object.insert("delay_ns".into(), json!(update.delay_ns()));
    }
    value.to_string()
}

fn jobs(
    stories: &[Story],
    which: &Which,
    top: Option<usize>,
    speller: &Speller,
) -> Result<(), Failure> {
    let mut text = Vec::new();
    for (first, story) in numbered(stories, which.search)? {
        let wanted = |job: &&JobStory| {
            which.search.is_none_or(|number| number == first + job.search)
                && which.job.is_none_or(|name| job.job == name || job.continues == Some(name))
                && which.worker.is_none_or(|worker| job.worker == worker)
        };
        let mut shown: Vec<&JobStory> = story.jobs.iter().filter(wanted).collect();
        let nodes: u64 = shown.iter().map(|job| job.nodes()).sum();
        let count = shown.len();
        if let Some(top) = top {
            shown.sort_by_key(|job| Reverse(job.nodes()));
            shown.truncate(top);
        }
        if which.json {
            text.extend(shown.iter().map(|job| job_json(story, first, job, speller)));
            continue;
        }
        if shown.is_empty() {
            continue;
        }
        text.push(format!("{}\n", story.title));
        text.push(jobs_table(story, &shown, speller, Style::Terminal));
        text.push(format!("{count} jobs, {} nodes\n", grouped(nodes)));
    }
    lines(text.into_iter())
}

fn job_json(story: &Story, first: usize, job: &JobStory, speller: &Speller) -> String {
    let path = story.searches.get(job.search).map(|search| speller(&search.setup)(&job.path));
    let (end, ended) = job.end.map_or((None, None), |(at, end)| (Some(end), Some(at)));
    let (began, slot) = job.began.map_or((None, None), |(at, slot)| (Some(at), Some(slot)));
    json!({
        "search": first + job.search, "job": job.job, "continues": job.continues,
        "worker": job.worker, "slot": slot, "path": path, "kind": job.kind, "window": job.window,
        "assigned": job.assigned, "began": began, "ended": ended, "end": end,
        "nodes": job.nodes(), "busy_ns": job.spent.busy_ns, "windows": job.updates,
    })
    .to_string()
}

/// The stories with the number of their first search; only the one that has the search wanted.
fn numbered(stories: &[Story], search: Option<usize>) -> Result<Vec<(usize, &Story)>, Failure> {
    let mut first = 1;
    let mut all = Vec::new();
    for story in stories {
        all.push((first, story));
        first += story.searches.len();
    }
    let Some(number) = search else { return Ok(all) };
    let last = first - 1;
    all.retain(|(first, story)| (*first..first + story.searches.len()).contains(&number));
    if all.is_empty() {
        let wrong = format!("--search {number}, but the trace has searches 1 to {last}");
        return Err(Failure::given(wrong));
    }
    Ok(all)
}

/// The search wanted, or the longest: its story, and its place there.
fn one_search(stories: &[Story], search: Option<usize>) -> Result<(&Story, usize), Failure> {
    let found = match search {
        Some(number) => numbered(stories, search)?.first().map(|&(first, s)| (s, number - first)),
        None => {
            let all = stories
                .iter()
                .flat_map(|story| (0..story.searches.len()).map(move |place| (story, place)));
            all.max_by_key(|(story, place)| {
                let jobs = story.jobs.iter().any(|job| job.search == *place);
                (jobs, story.searches[*place].facts.elapsed_ns)
            })
        }
    };
    found.ok_or_else(|| Failure::given("the trace has no search"))
}

fn timeline(
    stories: &[Story],
    svg: &Path,
    search: Option<usize>,
    from: f64,
    to: Option<f64>,
) -> Result<(), Failure> {
    let (story, place) = one_search(stories, search)?;
    let told = &story.searches[place];
    let moment = |seconds: f64| told.started.after(std::time::Duration::from_secs_f64(seconds));
    let end = told.ended.unwrap_or(story.last);
    let proper = |seconds: f64| seconds.is_finite() && (0.0..1e9).contains(&seconds);
    if !proper(from) || to.is_some_and(|to| !proper(to) || to <= from) {
        return Err(Failure::given("--from and --to must be seconds, the first before the second"));
    }
    let span = Span { from: moment(from), to: to.map_or(end, moment) };
    if span.from >= span.to {
        let seconds = told.facts.seconds();
        return Err(Failure::given(format!(
            "--from {from} is after the search, of {seconds:.3} s"
        )));
    }
    let [destination] = files::destinations([&Some(svg.to_path_buf())])?;
    let drawn = timeline_svg(story, span).map_err(Failure::given)?;
    files::write(destination.as_ref(), &drawn)
}

fn tree(
    stories: &[Story],
    search: Option<usize>,
    depth: usize,
    dot: bool,
    speller: &Speller,
) -> Result<(), Failure> {
    let (story, place) = one_search(stories, search)?;
    let spell = speller(&story.searches[place].setup);
    let view = SplitView::new(story, place, depth);
    output::print(&if dot { split_dot(&view, &spell) } else { split_text(&view, &spell) })
}

fn convert(file: &Path, out: &Path, catalogue: &Catalogue) -> Result<(), Failure> {
    if Format::of(out)? != Format::Perfetto {
        let wrong = format!("{}: give a name that ends in .perfetto-trace", out.display());
        return Err(Failure::given(wrong));
    }
    files::destinations([&Some(file.to_path_buf()), &Some(out.to_path_buf())])?;
    let failed =
        |error: std::io::Error| Failure::run(format!("cannot write {}: {error}", out.display()));
    let created = BufWriter::new(File::create(out).map_err(failed)?);
    let mut writer = PerfettoWriter::new(created, spelling(catalogue.clone()));
    read(file, |line| writer.note(&line).map_err(failed))?;
    writer.finish().and_then(|mut out| out.flush()).map_err(failed)
}

/// Prints lines; nothing if there are none.
fn lines(lines: impl Iterator<Item = String>) -> Result<(), Failure> {
    let text: Vec<String> = lines.collect();
    if text.is_empty() { Ok(()) } else { output::print(text.join("\n").trim_end()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn jobs_and_workers_may_be_named_with_their_letter_or_without() {
        assert_eq!((job("j17"), job("17")), (Ok(JobId(17)), Ok(JobId(17))));
        assert_eq!(worker("w2"), Ok(WorkerId(2)));
        assert!(job("w2").is_err() && worker("").is_err() && job("j-1").is_err());
    }
}
