//! Bundle adjustment by Gauss and Newton: a sparse Jacobian of nine products, and products with the Hessian.
//!
//! ```text
//! cargo run --release --example ba_newton -- [PATH.svg]
//! ```
//!
//! Cameras on a ring each see a part of a relief. The Jacobian of the residuals by all poses and points has few
//! entries a row, six of a camera and three of a point, so nine directions in one call of `jvp_batch` give all of
//! them. Gauss-Newton solves with it; Newton's method takes products with the whole Hessian, `hvp`; L-BFGS takes
//! gradients. A picture shows the pattern of the Jacobian, and how fast each of them comes down.

use kernels::{cost, residuals};
use pardiff::sparse::{Compression, Pattern};
use pardiff_examples::charts::{self, BLUE, Chart, ORANGE, RED, Series};
use pardiff_examples::random::Random;
use pardiff_examples::{descent, newton};

const CAMERAS: usize = 10;
const POINTS: usize = 80;
/// How many cameras see a point.
const SEEN: usize = 4;
const POSES: usize = 6 * CAMERAS;
/// Of the pictures, whose points are about 1 apart.
const NOISE: f64 = 1e-3;

#[pardiff::differentiate]
#[allow(clippy::needless_range_loop, reason = "kernels as numerical programmers write them")]
mod kernels {
    /// Where a camera with this rotation vector and this centre sees a point.
    fn project(pose: &[f64], point: &[f64]) -> (f64, f64) {
        let o = [point[0] - pose[3], point[1] - pose[4], point[2] - pose[5]];
        let square = pose[0] * pose[0] + pose[1] * pose[1] + pose[2] * pose[2];
        let angle = square.sqrt();
        let w = [pose[0] / angle, pose[1] / angle, pose[2] / angle];
        let (sin, cos) = angle.sin_cos();
        let cross = [w[1] * o[2] - w[2] * o[1], w[2] * o[0] - w[0] * o[2], w[0] * o[1] - w[1] * o[0]];
        let along = (w[0] * o[0] + w[1] * o[1] + w[2] * o[2]) * (1.0 - cos);
        let mut r = [0.0; 3];
        for k in 0..3 {
            r[k] = o[k] * cos + cross[k] * sin + w[k] * along;
        }
        (r[0] / r[2], r[1] / r[2])
    }

    /// How far each picture of a point is from where it was taken, two numbers each.
    #[differentiate(wrt(poses, points), forward, batch(9), check)]
    pub fn residuals(poses: &[f64], points: &[f64], pictures: &[f64], pairs: &[[usize; 2]], r: &mut [f64]) {
        for i in 0..pairs.len() {
            let [c, p] = pairs[i];
            let (u, v) = project(&poses[6 * c..6 * c + 6], &points[3 * p..3 * p + 3]);
            r[2 * i] = u - pictures[2 * i];
            r[2 * i + 1] = v - pictures[2 * i + 1];
        }
    }

    /// Half the sum of their squares.
    #[differentiate(wrt(poses, points), hvp, check)]
    pub fn cost(poses: &[f64], points: &[f64], pictures: &[f64], pairs: &[[usize; 2]]) -> f64 {
        let mut r = vec![0.0; 2 * pairs.len()];
        residuals(poses, points, pictures, pairs, &mut r);
        0.5 * r.iter().map(|r| r * r).sum::<f64>()
    }
}

/// What was seen: poses, then points are adjusted.
struct Scene {
    pictures: Vec<f64>,
    pairs: Vec<[usize; 2]>,
}

impl Scene {
    fn residuals(&self, x: &[f64]) -> Vec<f64> {
        let mut r = vec![0.0; 2 * self.pairs.len()];
        residuals(&x[..POSES], &x[POSES..], &self.pictures, &self.pairs, &mut r);
        r
    }

    fn cost(&self, x: &[f64]) -> f64 {
        cost(&x[..POSES], &x[POSES..], &self.pictures, &self.pairs)
    }

    fn gradient(&self, x: &[f64]) -> (f64, Vec<f64>) {
        let mut gradient = vec![0.0; x.len()];
        let (d_poses, d_points) = gradient.split_at_mut(POSES);
        let value = cost::grad(&x[..POSES], d_poses, &x[POSES..], d_points, &self.pictures, &self.pairs);
        (value, gradient)
    }

    /// The product of the Hessian of the cost with a direction.
    fn curvature(&self, x: &[f64], direction: &[f64]) -> Vec<f64> {
        let mut product = vec![0.0; x.len()];
        let (h_poses, h_points) = product.split_at_mut(POSES);
        let (poses_dot, points_dot) = direction.split_at(POSES);
        let (poses, points) = x.split_at(POSES);
        cost::hvp(poses, poses_dot, h_poses, points, points_dot, h_points, &self.pictures, &self.pairs);
        product
    }

    /// A row for each residual, the entries of a camera's pose and of a point.
    fn pattern(&self) -> Pattern {
        let entries = self.pairs.iter().enumerate().flat_map(|(i, &[c, p])| {
            let columns = move || (6 * c..6 * c + 6).chain(POSES + 3 * p..POSES + 3 * p + 3);
            [2 * i, 2 * i + 1].into_iter().flat_map(move |row| columns().map(move |column| (row, column)))
        });
        Pattern::new(2 * self.pairs.len(), POSES + 3 * POINTS, entries)
    }

    /// The squares of the Jacobian in place of the Hessian; with `exact`, the Hessian.
    fn model<'a>(&'a self, compression: &'a Compression, x: &[f64], exact: bool) -> newton::Model<'a> {
        let mut r = vec![0.0; 2 * self.pairs.len()];
        let (poses, points) = x.split_at(POSES);
        let jacobian = compression.matrix_batch::<f64, { residuals::WIDTH }>(|x_dot, r_dot| {
            let (poses_dot, points_dot) = x_dot.split_at(POSES);
            let Scene { pictures, pairs } = self;
            residuals::jvp_batch(poses, poses_dot, points, points_dot, pictures, pairs, &mut r, r_dot);
        });
        let gradient = jacobian.transposed_times(&self.residuals(x));
        let mut diagonal = vec![0.0; x.len()];
        for row in 0..jacobian.pattern().rows() {
            jacobian.row(row).for_each(|(column, entry)| diagonal[column] += entry * entry);
        }
        let x = x.to_vec();
        let product: newton::Product<'_> = match exact {
            true => Box::new(move |v| self.curvature(&x, v)),
            false => Box::new(move |v| jacobian.transposed_times(&jacobian.times(v))),
        };
        newton::Model { gradient, diagonal, product }
    }
}

/// Poses, then points.
fn truth(random: &mut Random) -> Vec<f64> {
    let mut all = Vec::new();
    for k in 0..CAMERAS {
        let around = k as f64 / CAMERAS as f64 * std::f64::consts::TAU;
        all.extend([0.3 * around.sin(), 0.3 * around.cos(), 0.05 * random.signed()]);
        all.extend([2.0 * around.cos(), -2.0 * around.sin(), -6.0 + 0.5 * random.signed()]);
    }
    for _ in 0..POINTS {
        let (x, y) = (2.0 * random.signed(), 2.0 * random.signed());
        all.extend([x, y, 0.5 * (1.5 * x).sin() * y.cos()]);
    }
    all
}

fn main() -> Result<(), String> {
    let mut random = Random(1);
    let truth = truth(&mut random);
    let pairs: Vec<[usize; 2]> =
        (0..POINTS).flat_map(|p| (0..SEEN).map(move |k| [(p * CAMERAS / POINTS + k) % CAMERAS, p])).collect();
    let nothing = vec![0.0; 2 * pairs.len()];
    let exact = Scene { pictures: nothing, pairs: pairs.clone() }.residuals(&truth);
    let pictures = exact.iter().map(|x| x + NOISE * random.signed()).collect();
    let scene = Scene { pictures, pairs };
    let start: Vec<f64> = truth.iter().map(|x| x + 0.05 * random.signed()).collect();

    let (poses, points) = start.split_at(POSES);
    let mut r = scene.residuals(&start);
    let report = residuals::check(poses, points, &scene.pictures, &scene.pairs, &mut r);
    println!("check: {}", report.map_err(|mismatch| mismatch.to_string())?);
    let report = cost::check(poses, points, &scene.pictures, &scene.pairs);
    println!("check: {}", report.map_err(|mismatch| mismatch.to_string())?);

    let pattern = scene.pattern();
    let compression = Compression::by_columns(pattern.clone());
    println!(
        "Jacobian of {} by {} with {} entries: {} directions",
        pattern.rows(),
        pattern.columns(),
        pattern.entries(),
        compression.directions()
    );
    if compression.directions() != residuals::WIDTH {
        return Err("the directions are not those of one call".to_owned());
    }

    println!("L-BFGS");
    let (_, first_order) = descent::minimise(|x| scene.gradient(x), start.clone(), 200)?;
    let by = |exact: bool| {
        newton::minimise(|x| scene.cost(x), |x| scene.model(&compression, x, exact), start.clone(), 1e-9, 40)
    };
    let ((found, gauss), (_, second)) = (by(false), by(true));
    for (name, curve) in [("Gauss-Newton", &gauss), ("Newton", &second)] {
        println!(
            "{name}\n  {} iterations: cost {:.6e} -> {:.6e}",
            curve.len() - 1,
            curve[0],
            curve[curve.len() - 1]
        );
    }
    // of the noise nothing but what the parameters take up is left
    let noise = 0.5 * NOISE * NOISE / 3.0 * (2 * scene.pairs.len()) as f64;
    if scene.cost(&found) > noise || second[second.len() - 1] > 1.01 * scene.cost(&found) {
        return Err("the adjustment did not come down to the noise".to_owned());
    }

    let entries = pattern.iter().map(|(row, column)| (column as f64, -(row as f64))).collect();
    let jacobian = Chart {
        title: "entries of the Jacobian",
        axes: ["poses, then points", "residuals"],
        series: vec![Series::dots("", BLUE, 1, entries)],
    };
    let logarithms = |curve: &[f64]| curve.iter().map(|cost| cost.log10()).collect::<Vec<f64>>();
    let [first_order, gauss, second] = [first_order, gauss, second].map(|curve| logarithms(&curve));
    let curves = Chart {
        title: "squared errors",
        axes: ["iteration", "decimal logarithm"],
        series: vec![
            Series::steps("L-BFGS", BLUE, &first_order),
            Series::steps("Newton, hvp", ORANGE, &second),
            Series::steps("Gauss-Newton, sparse Jacobian", RED, &gauss),
        ],
    };
    charts::write("ba_newton", &[jacobian, curves])
}
