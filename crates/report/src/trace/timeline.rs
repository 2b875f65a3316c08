//! Who searched what when, as a picture: [`timeline_svg`].

use super::story::{Fate, JobEnd, JobStory, Story};
use game::NodeKind;
use plotters::prelude::*;
use std::collections::HashMap;
use ybw::{JobId, Moment, WindowEffect, WorkerId};

/// A part of a story's time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Span {
    /// Where it begins.
    pub from: Moment,
    /// Where it ends, later than it begins.
    pub to: Moment,
}

const WIDTH: u32 = 1200;
/// Heights of the title with the key, of a row, and of the scale.
const HEAD: u32 = 44;
const ROW: u32 = 18;
const FOOT: u32 = 40;
/// Width of the names of rows.
const NAMES: u32 = 150;
const MARGIN: i32 = 10;
/// Rows that are drawn; a picture of more is of no use.
const MAX_ROWS: usize = 256;
/// Slices that are drawn; shorter ones are left out first.
const MAX_SLICES: usize = 20_000;

/// A row per slot, a box per job, coloured by the expected kind of its root and pale if it was cancelled; a tick
/// where a window cut something off. The scale is in milliseconds from the beginning of the span.
///
/// # Errors
/// If no job had a slot in that time.
pub fn timeline_svg(story: &Story, span: Span) -> Result<String, String> {
    let mut jobs: Vec<&JobStory> =
        story.jobs.iter().filter(|job| within(job, span, story)).collect();
    if jobs.is_empty() {
        return Err("no job had a slot in that time".into());
    }
    jobs.sort_by_key(|job| std::cmp::Reverse(length(job, story)));
    jobs.truncate(MAX_SLICES);
    let mut rows: Vec<(WorkerId, usize)> = jobs.iter().filter_map(|job| row_of(job)).collect();
    rows.sort_unstable();
    rows.dedup();
    rows.truncate(MAX_ROWS);
    let mut text = String::new();
    draw(&mut text, story, span, &jobs, &rows).map_err(|error| error.to_string())?;
    Ok(text)
}

fn row_of(job: &JobStory) -> Option<(WorkerId, usize)> {
    job.began.map(|(_, slot)| (job.worker, slot))
}

/// When the job had a slot.
fn slice(job: &JobStory, story: &Story) -> Option<(Moment, Moment)> {
    let (began, _) = job.began?;
    Some((began, job.end.map_or(story.last, |(end, _)| end)))
}

fn within(job: &JobStory, span: Span, story: &Story) -> bool {
    slice(job, story).is_some_and(|(began, end)| began < span.to && end > span.from)
}

fn length(job: &JobStory, story: &Story) -> u64 {
    slice(job, story).map_or(0, |(began, end)| end.since(began))
}

type Outcome<'a> = Result<(), Box<dyn std::error::Error + 'a>>;

fn draw<'a>(
    text: &'a mut String,
    story: &Story,
    span: Span,
    jobs: &[&JobStory],
    rows: &[(WorkerId, usize)],
) -> Outcome<'a> {
    let count = u32::try_from(rows.len()).unwrap_or(u32::MAX);
    let height = HEAD + ROW * count + FOOT;
    let root = SVGBackend::with_string(text, (WIDTH, height)).into_drawing_area();
    root.fill(&WHITE)?;
    let (head, body) = root.split_vertically(HEAD);
    head.draw(&Text::new(format!("{}: jobs by slot", story.title), (MARGIN, 4), font(14)))?;
    for (place, (name, colour)) in (0..).zip(KEY) {
        let x = MARGIN + 110 * place;
        head.draw(&Rectangle::new([(x, 26), (x + 12, 36)], colour.filled()))?;
        head.draw(&Text::new(name, (x + 18, 25), font(11)))?;
    }
    let (names, body) = body.split_horizontally(NAMES);
    for (row, name) in (0..).zip(rows.iter().rev().map(|row| row_name(story, *row))) {
        names.draw(&Text::new(name, (MARGIN, 18 * row + 4), font(11)))?;
    }
    let milliseconds = |moment: Moment| ms(moment.clamp(span.from, span.to).since(span.from));
    let mut chart = ChartBuilder::on(&body)
        .margin_right(30)
        .x_label_area_size(FOOT)
        .build_cartesian_2d(0.0..ms(span.to.since(span.from)), 0.0..f64::from(count))?;
    chart
        .configure_mesh()
        .disable_y_mesh()
        .light_line_style(TRANSPARENT)
        .x_desc("ms")
        .disable_y_axis()
        .draw()?;
    let place = |row: (WorkerId, usize)| rows.binary_search(&row).ok();
    let row_of_job: HashMap<JobId, usize> =
        jobs.iter().filter_map(|job| Some((job.job, place(row_of(job)?)?))).collect();
    let boxes = jobs.iter().filter_map(|job| {
        let (y, (began, end)) = (number(*row_of_job.get(&job.job)?), slice(job, story)?);
        let ends = [(milliseconds(began), y + 0.12), (milliseconds(end), y + 0.88)];
        Some(Rectangle::new(ends, colour(job).filled()))
    });
    chart.draw_series(boxes)?;
    let cuts = story.updates.iter().filter_map(|update| {
        let Fate::Arrived { effect: WindowEffect::Applied(cut), arrived, .. } = update.fate else {
            return None;
        };
        let (x, y) = (milliseconds(arrived), number(*row_of_job.get(&update.job)?));
        let shown = cut.is_some() && arrived >= span.from && arrived <= span.to;
        shown.then(|| PathElement::new([(x, y), (x, y + 1.0)], RED))
    });
    chart.draw_series(cuts)?;
    root.present()?;
    Ok(())
}

fn font(size: u32) -> TextStyle<'static> {
    ("sans-serif", size).into_font().color(&BLACK)
}

const PV: RGBColor = RGBColor(30, 70, 170);
const ALL: RGBColor = RGBColor(40, 140, 90);
const CUT: RGBColor = RGBColor(225, 150, 40);
const PALE: RGBColor = RGBColor(190, 190, 190);
const KEY: [(&str, RGBColor); 5] = [
    ("PV node", PV),
    ("all node", ALL),
    ("cut node", CUT),
    ("cancelled", PALE),
    ("a window cut off", RED),
];

fn colour(job: &JobStory) -> RGBColor {
    match (job.end, job.kind) {
        (Some((_, JobEnd::Cancelled { .. } | JobEnd::Lost)), _) => PALE,
        (_, NodeKind::Pv) => PV,
        (_, NodeKind::All) => ALL,
        (_, NodeKind::Cut) => CUT,
    }
}

fn row_name(story: &Story, (worker, slot): (WorkerId, usize)) -> String {
    let name = story.workers.get(&worker).map_or("", |told| &told.name);
    format!("{worker} {name}, slot {slot}")
}

#[expect(clippy::cast_precision_loss, reason = "2^53 ns are 104 days")]
fn ms(ns: u64) -> f64 {
    ns as f64 / 1e6
}

#[expect(clippy::cast_precision_loss, reason = "rows are few")]
fn number(row: usize) -> f64 {
    row as f64
}
