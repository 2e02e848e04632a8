//! Pictures of curves and points, side by side.

use crate::place;
use plotters::prelude::*;
use std::error::Error;
use std::ops::Range;
use std::path::Path;

/// One chart.
pub struct Chart<'a> {
    /// What it is.
    pub title: &'a str,
    /// What goes to the right, and what goes up.
    pub axes: [&'a str; 2],
    /// What is drawn, in this order.
    pub series: Vec<Series<'a>>,
}

/// Points that belong together.
pub struct Series<'a> {
    /// What they are; without a name they are not in the legend.
    pub name: &'a str,
    /// The points.
    pub points: Vec<(f64, f64)>,
    /// The radius of dots; 0 for a line.
    pub dots: u32,
    /// The colour.
    pub colour: RGBAColor,
}

/// For what is true, or known.
pub const BLUE: RGBAColor = RGBAColor(31, 119, 180, 1.0);
/// For what was found.
pub const RED: RGBAColor = RGBAColor(214, 39, 40, 1.0);
/// For where a search began.
pub const ORANGE: RGBAColor = RGBAColor(255, 127, 14, 1.0);
/// For what is behind.
pub const GREY: RGBAColor = RGBAColor(120, 120, 120, 0.45);

impl<'a> Series<'a> {
    /// A line through points.
    pub fn line(name: &'a str, colour: RGBAColor, points: Vec<(f64, f64)>) -> Series<'a> {
        Series { name, points, dots: 0, colour }
    }

    /// Dots of a radius.
    pub fn dots(name: &'a str, colour: RGBAColor, radius: u32, points: Vec<(f64, f64)>) -> Series<'a> {
        Series { name, points, dots: radius, colour }
    }

    /// A line through values at 0, 1, 2 and so on.
    pub fn steps(name: &'a str, colour: RGBAColor, values: &[f64]) -> Series<'a> {
        Series::line(name, colour, values.iter().enumerate().map(|(k, &value)| (k as f64, value)).collect())
    }
}

const SIZE: (u32, u32) = (520, 420);

/// Writes the SVG file of an example, and says where; its text is left to the viewer's fonts.
pub fn write(example: &str, charts: &[Chart<'_>]) -> Result<(), String> {
    let path = place::picture(example);
    draw(&path, charts).map_err(|error| format!("{}: {error}", path.display()))?;
    println!("picture: {}", path.display());
    Ok(())
}

fn draw(path: &Path, charts: &[Chart<'_>]) -> Result<(), Box<dyn Error>> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)?;
    }
    let area = SVGBackend::new(path, (SIZE.0 * charts.len() as u32, SIZE.1)).into_drawing_area();
    area.fill(&WHITE)?;
    for (panel, chart) in area.split_evenly((1, charts.len())).iter().zip(charts) {
        let points = || chart.series.iter().flat_map(|series| &series.points);
        // room for the legend
        let mut up = range(points().map(|p| p.1));
        let named = chart.series.iter().filter(|series| !series.name.is_empty()).count();
        up.end += 0.06 * named as f64 * (up.end - up.start);
        let mut context = ChartBuilder::on(panel)
            .caption(chart.title, ("sans-serif", 18))
            .margin(12)
            .x_label_area_size(40)
            .y_label_area_size(60)
            .build_cartesian_2d(range(points().map(|p| p.0)), up)?;
        context
            .configure_mesh()
            .x_desc(chart.axes[0])
            .y_desc(chart.axes[1])
            .light_line_style(WHITE)
            .x_label_formatter(&|x| number(*x))
            .y_label_formatter(&|y| number(*y))
            .draw()?;
        for Series { name, points, dots, colour } in &chart.series {
            let drawn = match dots {
                0 => context.draw_series(LineSeries::new(points.iter().copied(), colour.stroke_width(2)))?,
                _ => context.draw_series(points.iter().map(|&p| Circle::new(p, *dots, colour.filled())))?,
            };
            if !name.is_empty() {
                drawn
                    .label(*name)
                    .legend(|(x, y)| Rectangle::new([(x, y - 4), (x + 12, y + 4)], colour.filled()));
            }
        }
        if named > 0 {
            let labels = &mut context.configure_series_labels();
            labels
                .background_style(WHITE.mix(0.8))
                .border_style(BLACK.mix(0.3))
                .label_font(("sans-serif", 14));
            labels.position(SeriesLabelPosition::UpperRight).draw()?;
        }
    }
    area.present()?;
    Ok(())
}

/// Without digits that say nothing.
fn number(x: f64) -> String {
    format!("{}", (x * 1e6).round() / 1e6 + 0.0)
}

/// The range of some values, with a margin.
fn range(values: impl Iterator<Item = f64>) -> Range<f64> {
    let (low, high) = values.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), v| (l.min(v), h.max(v)));
    let margin = 0.06 * (high - low).max(1e-12);
    low - margin..high + margin
}
