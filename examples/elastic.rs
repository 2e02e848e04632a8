//! Bends an elastic beam as far as it goes, by Newton's method with a sparse Hessian.
//!
//! ```text
//! cargo run --release --example elastic -- [PATH.svg]
//! ```
//!
//! A beam of rubber (neo-Hookean triangles) is held at one end and pulled down by its weight. The Hessian of its
//! energy has entries between neighbours alone; a star colouring finds which columns share a product with it, and
//! one call of `hvp_batch` does several of those. A picture shows the beam as it was and as it hangs, and the
//! pattern of the Hessian.

use kernels::{Triangle, energy};
use pardiff::sparse::{Compression, Pattern};
use pardiff_examples::charts::{self, BLUE, Chart, GREY, RED, Series};
use pardiff_examples::{descent, newton};

const LENGTH: usize = 40;
const HEIGHT: usize = 4;
const WEIGHT: f64 = 1.2e-3;

#[pardiff::differentiate]
#[allow(clippy::needless_range_loop, reason = "kernels as numerical programmers write them")]
mod kernels {
    /// A triangle as it was without forces.
    #[derive(Clone)]
    pub struct Triangle {
        pub corners: [usize; 3],
        /// The inverse of the matrix of its sides, row by row.
        pub inverse: [f64; 4],
        pub area: f64,
    }

    /// The energy of a body with its corners at `x`, two coordinates each: what its deformation takes, what its
    /// weight gives, and the springs that hold some of its corners where they were.
    #[differentiate(wrt(x), hvp, batch(8), check)]
    pub fn energy(x: &[f64], triangles: &[Triangle], held: &[[f64; 3]], weight: f64) -> f64 {
        let mut total = 0.0;
        for t in 0..triangles.len() {
            let [a, b, c] = triangles[t].corners;
            let inverse = triangles[t].inverse;
            let sides = [
                x[2 * b] - x[2 * a],
                x[2 * c] - x[2 * a],
                x[2 * b + 1] - x[2 * a + 1],
                x[2 * c + 1] - x[2 * a + 1],
            ];
            // the deformation of the triangle
            let f = [
                sides[0] * inverse[0] + sides[1] * inverse[2],
                sides[0] * inverse[1] + sides[1] * inverse[3],
                sides[2] * inverse[0] + sides[3] * inverse[2],
                sides[2] * inverse[1] + sides[3] * inverse[3],
            ];
            let squares = f[0] * f[0] + f[1] * f[1] + f[2] * f[2] + f[3] * f[3];
            let volume = (f[0] * f[3] - f[1] * f[2]).ln();
            let middle = (x[2 * a + 1] + x[2 * b + 1] + x[2 * c + 1]) / 3.0;
            let density = 0.5 * (squares - 2.0) - volume + volume * volume + weight * middle;
            total += triangles[t].area * density;
        }
        for h in 0..held.len() {
            let corner = held[h][0] as usize;
            let (dx, dy) = (x[2 * corner] - held[h][1], x[2 * corner + 1] - held[h][2]);
            total += 500.0 * (dx * dx + dy * dy);
        }
        total
    }
}

/// A beam of squares that are cut in two.
struct Beam {
    triangles: Vec<Triangle>,
    held: Vec<[f64; 3]>,
    rest: Vec<f64>,
}

impl Beam {
    fn new() -> Beam {
        let corner = |i: usize, j: usize| j * (LENGTH + 1) + i;
        let rest: Vec<f64> =
            (0..=HEIGHT).flat_map(|j| (0..=LENGTH).flat_map(move |i| [i as f64, j as f64])).collect();
        let cells = (0..HEIGHT).flat_map(|j| (0..LENGTH).map(move |i| (i, j)));
        let halves = cells.flat_map(|(i, j)| {
            let [a, b, c, d] = [(i, j), (i + 1, j), (i + 1, j + 1), (i, j + 1)].map(|(i, j)| corner(i, j));
            if (i + j).is_multiple_of(2) { [[a, b, c], [a, c, d]] } else { [[a, b, d], [b, c, d]] }
        });
        let triangle = |corners: [usize; 3]| {
            let [a, b, c] = corners.map(|k| [rest[2 * k], rest[2 * k + 1]]);
            let [p, q, r, s] = [b[0] - a[0], c[0] - a[0], b[1] - a[1], c[1] - a[1]];
            let det = p * s - q * r;
            Triangle { corners, inverse: [s / det, -q / det, -r / det, p / det], area: 0.5 * det }
        };
        let triangles = halves.map(triangle).collect();
        let held = (0..=HEIGHT).map(|j| [corner(0, j) as f64, 0.0, j as f64]).collect();
        Beam { triangles, held, rest }
    }

    fn energy(&self, x: &[f64]) -> f64 {
        energy(x, &self.triangles, &self.held, WEIGHT)
    }

    fn gradient(&self, x: &[f64]) -> (f64, Vec<f64>) {
        let mut gradient = vec![0.0; x.len()];
        let value = energy::grad(x, &mut gradient, &self.triangles, &self.held, WEIGHT);
        (value, gradient)
    }

    /// Coordinates of corners of a triangle depend on each other.
    fn pattern(&self) -> Pattern {
        let pairs = self.triangles.iter().flat_map(|triangle| {
            let coordinates = move || triangle.corners.into_iter().flat_map(|k| [2 * k, 2 * k + 1]);
            coordinates().flat_map(move |i| coordinates().map(move |j| (i, j)))
        });
        Pattern::new(self.rest.len(), self.rest.len(), pairs)
    }

    fn model(&self, compression: &Compression, x: &[f64]) -> newton::Model<'static> {
        let hessian = compression.matrix_batch::<f64, { energy::WIDTH }>(|x_dot, h_x| {
            energy::hvp_batch(x, x_dot, h_x, &self.triangles, &self.held, WEIGHT);
        });
        let diagonal = (0..x.len()).map(|i| hessian.get(i, i)).collect();
        let product = Box::new(move |v: &[f64]| hessian.times(v));
        newton::Model { gradient: self.gradient(x).1, diagonal, product }
    }

    /// The outlines of all triangles.
    fn drawn(&self, colour: plotters::style::RGBAColor, x: &[f64]) -> Vec<Series<'static>> {
        let outline = |triangle: &Triangle| {
            let [a, b, c] = triangle.corners;
            let points = [a, b, c, a].map(|k| (x[2 * k], x[2 * k + 1]));
            Series::line("", colour, points.to_vec())
        };
        self.triangles.iter().map(outline).collect()
    }
}

fn main() -> Result<(), String> {
    let beam = Beam::new();
    let Beam { triangles, held, rest } = &beam;
    let report = energy::check(rest, triangles, held, WEIGHT);
    println!("check: {}", report.map_err(|mismatch| mismatch.to_string())?);

    let pattern = beam.pattern();
    // what is found is no more than what is known
    let found = Pattern::found(rest.len(), rest.len(), |x_dot: &[f64], h_x| {
        energy::hvp(rest, x_dot, h_x, triangles, held, WEIGHT);
    });
    if found.iter().any(|(i, j)| pattern.position(i, j).is_none()) {
        return Err("the pattern lacks an entry".to_owned());
    }
    let compression = Compression::symmetric(pattern.clone());
    println!(
        "Hessian of {} by {0} with {} entries: {} directions",
        pattern.rows(),
        pattern.entries(),
        compression.directions()
    );

    println!("Newton");
    let (hangs, energies) =
        newton::minimise(|x| beam.energy(x), |x| beam.model(&compression, x), rest.clone(), 1e-12, 100);
    let (least, force) = beam.gradient(&hangs);
    let force = force.iter().map(|f| f * f).sum::<f64>().sqrt();
    println!(
        "  {} iterations: energy {:.6e} -> {least:.6e}, force left {force:.1e}",
        energies.len() - 1,
        energies[0]
    );
    println!("L-BFGS");
    let (_, slow) = descent::minimise(|x| beam.gradient(x), rest.clone(), 400)?;
    if force > 1e-6 || slow.iter().any(|&energy| energy < least - 1e-9 * least.abs()) {
        return Err("the beam does not hang still".to_owned());
    }

    let mut series = beam.drawn(GREY, rest);
    series.extend(beam.drawn(BLUE, &hangs));
    let shapes = Chart { title: "as it was, and as it hangs", axes: ["", ""], series };
    let entries = pattern.iter().map(|(row, column)| (column as f64, -(row as f64))).collect();
    let hessian = Chart {
        title: "entries of the Hessian",
        axes: ["coordinate", "coordinate"],
        series: vec![Series::dots("", RED, 1, entries)],
    };
    charts::write("elastic", &[shapes, hessian])
}
