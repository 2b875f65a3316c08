//! Pictures of what processors bought: [`charts_svg`].
//!
//! Three charts below each other: speed-up against processors, how the processors' time was used, and the
//! traffic of window updates.

mod curve;
mod shares;
mod windows;

use crate::{Comparison, Scaling, Spread, Terms};
use plotters::prelude::*;

const WIDTH: u32 = 800;
/// Heights of the three charts.
const CURVE: u32 = 560;
const SHARES: u32 = 300;
const WINDOWS: u32 = 260;
/// Where the keys beside the lower charts begin.
const KEY: u32 = 580;

type Outcome<'a> = Result<(), Box<dyn std::error::Error + 'a>>;
type Area<'a> = DrawingArea<SVGBackend<'a>, plotters::coord::Shift>;

/// What is shown of so many processors.
#[derive(Clone, Copy, PartialEq, Debug)]
struct Point {
    processors: u32,
    speed_up: Spread,
    search_overhead: f64,
    load: f64,
    performance: f64,
    /// Windows per second.
    pushed: f64,
    applied: f64,
    cut: f64,
}

/// Something that charts can be made of.
pub trait Charted {
    /// Draws the three charts.
    ///
    /// # Errors
    /// If there is no run to show.
    fn charts_svg(&self) -> Result<String, String>;
}

impl Charted for Comparison {
    fn charts_svg(&self) -> Result<String, String> {
        let baseline = self.baseline().map_or(0.0, |baseline| baseline.seconds);
        let point = |row: crate::Row| {
            let Terms { speed_up, search_overhead, load, performance, .. } = row.terms?;
            let (fastest, slowest) = (row.all_seconds.first()?, row.all_seconds.last()?);
            let per_second = |count: u64| rate(count, row.cost.seconds);
            Some(Point {
                processors: row.cost.processors,
                speed_up: Spread {
                    mean: speed_up,
                    least: baseline / slowest,
                    most: baseline / fastest,
                },
                search_overhead,
                load,
                performance,
                pushed: per_second(row.windows_pushed),
                applied: per_second(row.windows_applied),
                cut: per_second(row.windows_cut),
            })
        };
        let points: Vec<Point> = self.rows().into_iter().filter_map(point).collect();
        compose(&self.problem, &points, ["eldest, median", "slowest to fastest run"])
    }
}

impl Charted for Scaling {
    fn charts_svg(&self) -> Result<String, String> {
        let points: Vec<Point> = self
            .steps()
            .into_iter()
            .map(|step| Point {
                processors: step.processors,
                speed_up: step.speed_up,
                search_overhead: step.search_overhead,
                load: step.load,
                performance: step.performance,
                pushed: step.windows_pushed_per_second,
                applied: step.windows_applied_per_second,
                cut: step.windows_cut_per_second,
            })
            .collect();
        compose(&self.problem, &points, ["eldest, mean", "worst to best seed"])
    }
}

/// The three charts; `names` says what the points and the bars of the first are.
fn compose(title: &str, points: &[Point], names: [&str; 2]) -> Result<String, String> {
    if points.is_empty() {
        return Err("there is no run to show".into());
    }
    let mut text = String::new();
    draw(&mut text, title, points, names).map_err(|error| error.to_string())?;
    Ok(text)
}

fn draw<'a>(text: &'a mut String, title: &str, points: &[Point], names: [&str; 2]) -> Outcome<'a> {
    let size = (WIDTH, CURVE + SHARES + WINDOWS);
    let root = SVGBackend::with_string(text, size).into_drawing_area();
    root.fill(&WHITE)?;
    let (top, rest) = root.split_vertically(CURVE);
    let (middle, bottom) = rest.split_vertically(SHARES);
    curve::draw(&top, title, points, names)?;
    shares::draw(&middle, points)?;
    windows::draw(&bottom, points)?;
    root.present()?;
    Ok(())
}

/// Names and colours below each other.
fn draw_key<'a>(area: &Area<'a>, names: &[(&str, RGBColor)]) -> Outcome<'a> {
    let font = ("sans-serif", 12).into_font();
    for (row, (name, colour)) in (0..).zip(names) {
        let y = 50 + 20 * row;
        area.draw(&Rectangle::new([(0, y), (16, y + 8)], colour.filled()))?;
        area.draw(&Text::new(name.to_string(), (24, y - 3), font.clone()))?;
    }
    Ok(())
}

/// The mark beside a name in the legend.
fn key(x: i32, y: i32, colour: &impl Color) -> Rectangle<(i32, i32)> {
    Rectangle::new([(x, y - 4), (x + 16, y + 4)], colour.filled())
}

#[expect(clippy::cast_precision_loss, reason = "counts stay far below 2^53")]
fn rate(count: u64, seconds: f64) -> f64 {
    if seconds > 0.0 { count as f64 / seconds } else { 0.0 }
}

/// A bar for each point has its place around a whole number; this names it by its processors.
fn processors_at(points: &[Point], x: f64) -> String {
    let whole = (x - x.round()).abs() < 0.01;
    let point = whole.then(|| points.get(x.round() as usize)).flatten();
    point.map_or(String::new(), |point| point.processors.to_string())
}

#[expect(clippy::cast_precision_loss, reason = "there are few points")]
fn place(index: usize) -> f64 {
    index as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::comparison::tests::comparison;
    use crate::scaling::tests::scaling;

    #[test]
    fn the_picture_shows_ours_and_what_others_published() {
        let svg = scaling().charts_svg().unwrap();
        assert!(svg.starts_with("<svg ") && svg.trim_end().ends_with("</svg>"), "{svg}");
        for name in ["linear", "eldest, mean", "ZUGZWANG", "Cray Blitz DTS", "a tree"] {
            assert!(svg.contains(name), "{name}: {svg}");
        }
        for name in ["useful work", "search overhead", "idle", "communication, slower", "pushed"] {
            assert!(svg.contains(name), "{name}: {svg}");
        }
        let nothing = Scaling { samples: Vec::new(), ..scaling() };
        assert!(nothing.charts_svg().is_err());
    }

    #[test]
    fn a_bench_is_charted_as_well() {
        let svg = comparison().charts_svg().unwrap();
        assert!(svg.contains("eldest, median") && svg.contains("othello, 2 positions"), "{svg}");
    }
}
