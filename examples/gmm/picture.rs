//! The picture of a fit: data, coloured by component, and ellipses of the components in the first two dimensions, and
//! the way to the optimum.

use crate::clusters::clusters;
use pardiff_inputs::mixture::Problem;
use plotters::coord::Shift;
use plotters::prelude::*;
use std::error::Error;
use std::f64::consts::TAU;
use std::ops::Range;
use std::path::Path;

/// What is drawn: the data, the fitted parameters (alphas, means, factors), the cost after each iteration.
pub struct Picture<'a> {
    /// The data.
    pub problem: &'a Problem,
    /// Fitted parameters, flat.
    pub parameters: &'a [f64],
    /// Cost per point.
    pub costs: &'a [f64],
    /// What the first two dimensions are.
    pub axes: [&'a str; 2],
}

const SIZE: (u32, u32) = (1100, 540);
const CORNERS: usize = 72;
/// Mahalanobis radius of the ellipses: 86 % of a component in two dimensions.
const RADIUS: f64 = 2.0;
const ELLIPSE: RGBColor = RGBColor(214, 39, 40);
const CURVE: RGBColor = RGBColor(31, 119, 180);

impl Picture<'_> {
    /// Writes an SVG file; its text is left to the viewer's fonts.
    pub fn write(&self, path: &Path) -> Result<(), Box<dyn Error>> {
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder)?;
        }
        let area = SVGBackend::new(path, SIZE).into_drawing_area();
        area.fill(&WHITE)?;
        let (left, right) = area.split_horizontally(SIZE.1);
        self.draw_data(&left)?;
        self.draw_costs(&right)?;
        area.present()?;
        Ok(())
    }

    fn draw_data(&self, area: &DrawingArea<SVGBackend, Shift>) -> Result<(), Box<dyn Error>> {
        let Problem { d, k, n, x, .. } = self.problem;
        let points: Vec<(f64, f64)> = x.chunks(*d).map(|row| (row[0], second(row))).collect();
        let mut chart = ChartBuilder::on(area)
            .caption(format!("{n} points, {k} components"), ("sans-serif", 18))
            .margin(12)
            .x_label_area_size(40)
            .y_label_area_size(52)
            .build_cartesian_2d(range(points.iter().map(|p| p.0)), range(points.iter().map(|p| p.1)))?;
        chart.configure_mesh().x_desc(self.axes[0]).y_desc(self.axes[1]).light_line_style(WHITE).draw()?;
        let clusters = clusters(self.problem, self.parameters);
        let point = |(&point, cluster)| Circle::new(point, 2, Palette99::pick(cluster).mix(0.85).filled());
        chart.draw_series(points.iter().zip(clusters).map(point))?;
        for ellipse in self.ellipses() {
            let style = ELLIPSE.mix(0.25 + 0.75 * ellipse.share).stroke_width(2);
            chart.draw_series([PathElement::new(ellipse.corners, style)])?;
        }
        Ok(())
    }

    fn draw_costs(&self, area: &DrawingArea<SVGBackend, Shift>) -> Result<(), Box<dyn Error>> {
        // what is left to gain, which is shown on a logarithmic scale; nothing is left at the best iteration
        let best = self.costs.iter().copied().fold(f64::INFINITY, f64::min);
        let left = self.costs.iter().enumerate().map(|(i, cost)| (i as f64, cost - best));
        let left: Vec<(f64, f64)> = left.filter(|(_, cost)| *cost > 0.0).collect();
        let low = left.iter().map(|p| p.1).fold(1.0, f64::min);
        let high = left.iter().map(|p| p.1).fold(low * 10.0, f64::max);
        let iterations = self.costs.len().max(2) as f64;
        let mut chart = ChartBuilder::on(area)
            .caption("negative log-posterior per point, above its best", ("sans-serif", 18))
            .margin(12)
            .x_label_area_size(40)
            .y_label_area_size(70)
            .build_cartesian_2d(0.0..iterations, (low..high).log_scale())?;
        chart
            .configure_mesh()
            .x_desc("iteration")
            .light_line_style(WHITE)
            .y_label_formatter(&|cost| format!("{cost:.0e}"))
            .draw()?;
        chart.draw_series(LineSeries::new(left, CURVE.stroke_width(2)))?;
        Ok(())
    }

    /// One ellipse a component.
    fn ellipses(&self) -> Vec<Ellipse> {
        let Problem { d, k, .. } = *self.problem;
        let (alphas, rest) = self.parameters.split_at(k);
        let (means, icf) = rest.split_at(k * d);
        let largest = alphas.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let components = alphas.iter().zip(means.chunks(d)).zip(icf.chunks(d * (d + 1) / 2));
        let ellipse = |((alpha, mean), factor): ((&f64, &[f64]), &[f64])| {
            // the covariance is inverse(L) inverse(L)', and the inverse is lower triangular as well: in the first two
            // dimensions it is that of the leading two rows
            let l00 = factor[0].exp();
            let rows = match d {
                1 => ([1.0 / l00, 0.0], [0.0, 0.0]),
                _ => {
                    let l11 = factor[1].exp();
                    ([1.0 / l00, 0.0], [-factor[d] / (l00 * l11), 1.0 / l11])
                }
            };
            let corner = |i: usize| {
                let (sin, cos) = (TAU * i as f64 / CORNERS as f64).sin_cos();
                let along = |row: [f64; 2]| RADIUS * (row[0] * cos + row[1] * sin);
                (mean[0] + along(rows.0), second(mean) + along(rows.1))
            };
            Ellipse { share: (alpha - largest).exp(), corners: (0..=CORNERS).map(corner).collect() }
        };
        components.map(ellipse).collect()
    }
}

struct Ellipse {
    /// Weight, relative to the heaviest component.
    share: f64,
    corners: Vec<(f64, f64)>,
}

/// The second coordinate, where there is one.
fn second(row: &[f64]) -> f64 {
    row.get(1).copied().unwrap_or(0.0)
}

/// The range of some values, with a margin.
fn range(values: impl Iterator<Item = f64>) -> Range<f64> {
    let (low, high) = values.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), v| (l.min(v), h.max(v)));
    let margin = 0.08 * (high - low).max(1e-3);
    low - margin..high + margin
}

#[cfg(test)]
mod tests {
    use super::{CORNERS, Picture};
    use pardiff_inputs::mixture::Problem;

    fn parameters(problem: &Problem) -> Vec<f64> {
        [problem.alphas.as_slice(), &problem.means, &problem.icf].concat()
    }

    #[test]
    fn shows_every_point_every_component_and_the_curve() {
        for d in [1, 2, 5] {
            let problem = Problem::generated(d, 3, 40);
            let parameters = parameters(&problem);
            let costs = [3.0, 2.0, 1.5, 1.4];
            let path = std::env::temp_dir().join(format!("pardiff-picture-{}-{d}.svg", std::process::id()));
            let axes = ["first dimension", "second dimension"];
            let picture = Picture { problem: &problem, parameters: &parameters, costs: &costs, axes };
            picture.write(&path).unwrap_or_else(|error| panic!("{error}"));
            let svg = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{error}"));
            std::fs::remove_file(&path).unwrap_or_else(|error| panic!("{error}"));

            assert!(svg.starts_with("<svg") && svg.trim_end().ends_with("</svg>"));
            assert_eq!(svg.matches("<circle").count(), 40);
            // ellipses have their corners, the curve one point for each iteration but the best
            let red = svg.lines().filter(|line| line.contains("<polyline") && line.contains("#D62728"));
            assert_eq!(red.filter(|line| line.matches(',').count() == CORNERS + 1).count(), 3);
            let blue: Vec<_> =
                svg.lines().filter(|line| line.contains("<polyline") && line.contains("#1F77B4")).collect();
            assert_eq!(blue.len(), 1);
            assert_eq!(blue[0].matches(',').count(), 3);
            for text in ["40 points, 3 components", "first dimension", "iteration"] {
                assert!(svg.contains(text), "no {text}");
            }
        }
    }

    #[test]
    fn ellipses_have_the_covariance_of_the_component() {
        // L = [[2, 0], [1, 0.5]]: the precision is L'L = [[5, 0.5], [0.5, 0.25]], its inverse [[0.25, -0.5], [-0.5, 5]]
        let mut problem = Problem::generated(2, 1, 3);
        problem.means = vec![1.0, -1.0];
        problem.icf = vec![2f64.ln(), 0.5f64.ln(), 1.0];
        let parameters = parameters(&problem);
        let picture = Picture { problem: &problem, parameters: &parameters, costs: &[1.0], axes: ["", ""] };
        for (x, y) in &picture.ellipses()[0].corners {
            let (x, y) = (x - 1.0, y + 1.0);
            let square = 5.0 * x * x + 2.0 * 0.5 * x * y + 0.25 * y * y;
            assert!((square - 4.0).abs() < 1e-12, "{square}");
        }
    }
}
