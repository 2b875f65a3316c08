//! Speed-up against the number of processors as a picture: [`curve_svg`].

use crate::Scaling;
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
const SIZE: (u32, u32) = (800, 600);

/// The mean speed-up with a bar from the worst seed to the best, the line of a perfect speed-up, and what
/// others published. Both axes are logarithmic.
///
/// # Errors
/// If there is no run to show.
pub fn curve_svg(scaling: &Scaling) -> Result<String, String> {
    let steps = scaling.steps();
    let most = steps.iter().map(|step| step.processors).max().ok_or("there is no run to show")?;
    let most = f64::from(most.max(16).next_power_of_two());
    let mut text = String::new();
    draw(&mut text, scaling, most).map_err(|error| error.to_string())?;
    Ok(text)
}

type Outcome<'a> = Result<(), Box<dyn std::error::Error + 'a>>;

fn draw<'a>(text: &'a mut String, scaling: &Scaling, most: f64) -> Outcome<'a> {
    let root = SVGBackend::with_string(text, SIZE).into_drawing_area();
    root.fill(&WHITE)?;
    let axis = || (1.0..most).log_scale().base(2.0);
    let mut chart = ChartBuilder::on(&root)
        .caption(&scaling.problem, ("sans-serif", 14))
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
    let steps = scaling.steps();
    let mean = steps.iter().map(|step| (f64::from(step.processors), step.speed_up.mean));
    let points = mean.clone().map(|point| Circle::new(point, 4, OURS.filled()));
    chart.draw_series(LineSeries::new(mean, OURS.stroke_width(2)))?;
    chart.draw_series(points)?.label("eldest, mean").legend(|(x, y)| key(x, y, &OURS));
    let bars = steps.iter().map(|step| {
        let (x, speed_up) = (f64::from(step.processors), step.speed_up);
        let ends = [speed_up.least, speed_up.most].map(|end| (x, end.clamp(1.0, most)));
        PathElement::new(ends, OURS.mix(0.5).stroke_width(5))
    });
    chart.draw_series(bars)?.label("worst to best seed").legend(|(x, y)| key(x, y, &OURS.mix(0.5)));
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
    root.present()?;
    Ok(())
}

/// The mark beside a name in the legend.
fn key(x: i32, y: i32, colour: &impl Color) -> Rectangle<(i32, i32)> {
    Rectangle::new([(x, y - 4), (x + 16, y + 4)], colour.filled())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scaling::tests::scaling;

    #[test]
    fn the_picture_shows_ours_and_what_others_published() {
        let svg = curve_svg(&scaling()).unwrap();
        assert!(svg.starts_with("<svg ") && svg.trim_end().ends_with("</svg>"), "{svg}");
        for name in ["linear", "eldest, mean", "ZUGZWANG", "Cray Blitz DTS", "a tree"] {
            assert!(svg.contains(name), "{name}: {svg}");
        }
        let nothing = Scaling { samples: Vec::new(), ..scaling() };
        assert!(curve_svg(&nothing).is_err());
    }
}
