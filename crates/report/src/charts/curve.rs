//! Speed-up against the number of processors.

use super::{Area, Outcome, Point, key};
use plotters::prelude::*;

/// A name, a colour, and speed-ups after their numbers of processors.
type Published = (&'static str, RGBColor, &'static [(f64, f64)]);

/// Speed-ups that others published for alpha-beta on distributed machines, with their processors.
const PUBLISHED: [Published; 2] = [
    // Feldmann, Mysliwietz and Monien 1994: chess on T800 transputers.
    ("ZUGZWANG (1994)", RGBColor(200, 80, 30), &[(16.0, 11.0), (256.0, 142.0), (1024.0, 344.0)]),
    // Hyatt 1997: dynamic tree splitting on a Cray C916.
    ("Cray Blitz DTS (1997)", RGBColor(40, 130, 60), &[(4.0, 3.7), (8.0, 6.6), (16.0, 11.1)]),
];
const OURS: RGBColor = RGBColor(30, 70, 170);

/// Ours with bars from the worst to the best, the line of a perfect speed-up, and what others published.
/// Both axes are logarithmic.
pub(super) fn draw<'a>(
    area: &Area<'a>,
    title: &str,
    points: &[Point],
    [ours, spread]: [&str; 2],
) -> Outcome<'a> {
    let most = points.iter().map(|point| point.processors).max().unwrap_or(1);
    let most = f64::from(most.max(16).next_power_of_two());
    let axis = || (1.0..most).log_scale().base(2.0);
    let mut chart = ChartBuilder::on(area)
        .caption(title, ("sans-serif", 14))
        .margin(16)
        .x_label_area_size(40)
        .y_label_area_size(50)
        .build_cartesian_2d(axis(), axis())?;
    let whole = |value: &f64| format!("{value:.0}");
    chart
        .configure_mesh()
        .x_desc("processors")
        .y_desc("speed-up")
        .x_label_formatter(&whole)
        .y_label_formatter(&whole)
        .light_line_style(TRANSPARENT)
        .draw()?;
    let linear = LineSeries::new([(1.0, 1.0), (most, most)], BLACK.mix(0.4));
    chart.draw_series(linear)?.label("linear").legend(|(x, y)| key(x, y, &BLACK));
    let mean = points.iter().map(|point| (f64::from(point.processors), point.speed_up.mean));
    let marks = mean.clone().map(|point| Circle::new(point, 4, OURS.filled()));
    chart.draw_series(LineSeries::new(mean, OURS.stroke_width(2)))?;
    chart.draw_series(marks)?.label(ours).legend(|(x, y)| key(x, y, &OURS));
    let bars = points.iter().map(|point| {
        let (x, speed_up) = (f64::from(point.processors), point.speed_up);
        let ends = [speed_up.least, speed_up.most].map(|end| (x, end.clamp(1.0, most)));
        PathElement::new(ends, OURS.mix(0.5).stroke_width(5))
    });
    chart.draw_series(bars)?.label(spread).legend(|(x, y)| key(x, y, &OURS.mix(0.5)));
    for (name, colour, points) in PUBLISHED {
        let shown = points.iter().filter(|(processors, _)| *processors <= most);
        let marks = shown.map(|&point| TriangleMarker::new(point, 6, colour.filled()));
        chart.draw_series(marks)?.label(name).legend(move |(x, y)| key(x, y, &colour));
    }
    chart
        .configure_series_labels()
        .position(SeriesLabelPosition::UpperLeft)
        .background_style(WHITE.mix(0.8))
        .border_style(BLACK.mix(0.3))
        .draw()?;
    Ok(())
}
