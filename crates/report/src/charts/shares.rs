//! What the processors' time went into: the trade-off between idle processors and superfluous search.

use super::{Area, KEY, Outcome, Point, draw_key, place, processors_at};
use plotters::prelude::*;

/// Parts of P × time, from the bottom: what the sequential search would have needed; positions it would not have
/// entered; what searching them took longer than there, for communication and whatever else processors on one
/// machine do to each other; and slots without a job.
const PARTS: [(&str, RGBColor); 4] = [
    ("useful work", RGBColor(40, 140, 90)),
    ("search overhead", RGBColor(225, 150, 40)),
    ("communication, slower search", RGBColor(150, 110, 190)),
    ("idle", RGBColor(190, 190, 190)),
];

/// The parts in their order. They add up to 1, or to more where the others made up for one that is
/// negative: fewer positions than the sequential search, or faster ones.
pub(super) fn parts(point: &Point) -> [f64; 4] {
    let Point { search_overhead, load, performance, .. } = *point;
    let useful = load * performance / (1.0 + search_overhead);
    [useful, useful * search_overhead, load * (1.0 - performance), 1.0 - load]
        .map(|part| part.max(0.0))
}

/// One bar for each number of processors.
pub(super) fn draw<'a>(area: &Area<'a>, points: &[Point]) -> Outcome<'a> {
    let tallest = points.iter().map(|point| parts(point).iter().sum()).fold(1.0, f64::max);
    let (left, right) = area.split_horizontally(KEY);
    let mut chart = ChartBuilder::on(&left)
        .caption("what the processors' time went into", ("sans-serif", 14))
        .margin(16)
        .x_label_area_size(36)
        .y_label_area_size(50)
        .build_cartesian_2d(-0.5..place(points.len()) - 0.5, 0.0..tallest * 1.02)?;
    chart
        .configure_mesh()
        .disable_x_mesh()
        .light_line_style(TRANSPARENT)
        .x_desc("processors")
        .x_labels(2 * points.len() + 1)
        .x_label_formatter(&|x| processors_at(points, *x))
        .y_label_formatter(&|share| format!("{:.0} %", share * 100.0))
        .draw()?;
    for (part, (_, colour)) in PARTS.into_iter().enumerate() {
        let bars = points.iter().enumerate().map(|(index, point)| {
            let parts = parts(point);
            let below: f64 = parts[..part].iter().sum();
            let (left, right) = (place(index) - 0.35, place(index) + 0.35);
            Rectangle::new([(left, below), (right, below + parts[part])], colour.filled())
        });
        chart.draw_series(bars)?;
    }
    draw_key(&right, &PARTS)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Spread;

    #[test]
    fn the_parts_are_all_of_the_processors_time() {
        let one = Spread { mean: 1.0, least: 1.0, most: 1.0 };
        let point = |search_overhead, load, performance| Point {
            processors: 4,
            speed_up: one,
            search_overhead,
            load,
            performance,
            pushed: 0.0,
            applied: 0.0,
            cut: 0.0,
        };
        let shares = parts(&point(0.25, 0.8, 0.9));
        let wanted = [0.576, 0.144, 0.08, 0.2];
        assert!(shares.iter().zip(wanted).all(|(a, b)| (a - b).abs() < 1e-12), "{shares:?}");
        // A search of fewer positions than the sequential one did more than all its time's work.
        let shares = parts(&point(-0.2, 1.0, 1.0));
        assert!((shares[0] - 1.25).abs() < 1e-12 && shares[1..] == [0.0; 3], "{shares:?}");
    }
}
