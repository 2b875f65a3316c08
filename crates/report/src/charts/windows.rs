//! The traffic of window updates: pushed, applied, and those that cut something off, per second.

use super::{Area, KEY, Outcome, Point, draw_key, place, processors_at};
use plotters::prelude::*;

type Rate = (&'static str, RGBColor, fn(&Point) -> f64);

const RATES: [Rate; 3] = [
    ("pushed", RGBColor(150, 170, 210), |point| point.pushed),
    ("applied", RGBColor(30, 70, 170), |point| point.applied),
    ("cut something off", RGBColor(200, 40, 40), |point| point.cut),
];
const BAR: f64 = 0.25;

/// Three bars for each number of processors.
pub(super) fn draw<'a>(area: &Area<'a>, points: &[Point]) -> Outcome<'a> {
    let tallest = points.iter().map(|point| point.pushed).fold(1.0, f64::max);
    let (left, right) = area.split_horizontally(KEY);
    let mut chart = ChartBuilder::on(&left)
        .caption("window updates per second", ("sans-serif", 14))
        .margin(16)
        .x_label_area_size(36)
        .y_label_area_size(50)
        .build_cartesian_2d(-0.5..place(points.len()) - 0.5, 0.0..tallest * 1.05)?;
    chart
        .configure_mesh()
        .disable_x_mesh()
        .light_line_style(TRANSPARENT)
        .x_desc("processors")
        .x_labels(2 * points.len() + 1)
        .x_label_formatter(&|x| processors_at(points, *x))
        .y_label_formatter(&|rate| format!("{rate:.0}"))
        .draw()?;
    for (number, (_, colour, rate)) in RATES.into_iter().enumerate() {
        let bars = points.iter().enumerate().map(|(index, point)| {
            let from = place(index) + BAR * (place(number) - 1.5);
            Rectangle::new([(from, 0.0), (from + BAR, rate(point))], colour.filled())
        });
        chart.draw_series(bars)?;
    }
    draw_key(&right, &RATES.map(|(name, colour, _)| (name, colour)))?;
    Ok(())
}
