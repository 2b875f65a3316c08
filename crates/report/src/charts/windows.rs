//! The traffic of window updates: pushed, applied, and those that cut something off, per second.

use super::{Area, Outcome, Point, key, place, processors_at};
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
    let mut chart = ChartBuilder::on(area)
        .caption("window updates per second", ("sans-serif", 14))
        .margin(16)
        .margin_right(230)
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
    for (number, (name, colour, rate)) in RATES.into_iter().enumerate() {
        let bars = points.iter().enumerate().map(|(index, point)| {
            let left = place(index) + BAR * (place(number) - 1.5);
            Rectangle::new([(left, 0.0), (left + BAR, rate(point))], colour.filled())
        });
        chart.draw_series(bars)?.label(name).legend(move |(x, y)| key(x, y, &colour));
    }
    chart
        .configure_series_labels()
        .position(SeriesLabelPosition::Coordinate(500, 20))
        .background_style(WHITE)
        .draw()?;
    Ok(())
}
