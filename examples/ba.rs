//! Bundle adjustment: where cameras stood and what they saw, from the pictures alone.
//!
//! ```text
//! cargo run --release --example ba -- [PATH.svg]
//! ```
//!
//! Points on a relief and cameras around it are made up, and the pictures that the cameras take, with a little noise. Then the
//! cameras are turned and shifted and the points moved, and L-BFGS brings them back, with the gradient of ADBench's objective:
//! the squared reprojection errors. A picture shows what the first camera sees, and the cost by iteration.

#[path = "../workloads/ba.rs"]
mod kernel;

use kernel::ba;
use pardiff_examples::charts::{self, BLUE, Chart, ORANGE, RED, Series};
use pardiff_examples::random::Random;
use pardiff_examples::{descent, differences};

const CAMERAS: usize = 12;
const POINTS: usize = 200;
const FOCAL: f64 = 500.0;
/// Of the pictures, in pixels.
const NOISE: f64 = 0.3;

/// Every camera sees every point.
struct Pictures {
    camera_of: Vec<u32>,
    point_of: Vec<u32>,
    features: Vec<f64>,
    weights: Vec<f64>,
}

impl Pictures {
    /// The objective and its gradient by what is adjusted: rotations and centres of the cameras, then points. Focal lengths,
    /// centres of pictures and distortions are known.
    fn gradient(&self, truth: &[f64], p: &[f64]) -> (f64, Vec<f64>) {
        let all = self.all(truth, p);
        let (cameras, points) = all.split_at(11 * CAMERAS);
        let (mut d_cameras, mut d_points) = (vec![0.0; cameras.len()], vec![0.0; points.len()]);
        let mut d_weights = vec![0.0; self.weights.len()];
        let Pictures { camera_of, point_of, features, weights } = self;
        let value = ba::grad(
            cameras,
            &mut d_cameras,
            points,
            &mut d_points,
            weights,
            &mut d_weights,
            features,
            camera_of,
            point_of,
        );
        let poses = d_cameras.chunks(11).flat_map(|camera| &camera[..6]);
        (value, poses.chain(&d_points).copied().collect())
    }

    fn value(&self, truth: &[f64], p: &[f64]) -> f64 {
        let all = self.all(truth, p);
        let (cameras, points) = all.split_at(11 * CAMERAS);
        ba(cameras, points, &self.weights, &self.features, &self.camera_of, &self.point_of)
    }

    /// All parameters: those that are known from the truth.
    fn all(&self, truth: &[f64], p: &[f64]) -> Vec<f64> {
        let mut all = truth.to_vec();
        for (camera, pose) in all.chunks_mut(11).zip(p[..6 * CAMERAS].chunks(6)) {
            camera[..6].copy_from_slice(pose);
        }
        all[11 * CAMERAS..].copy_from_slice(&p[6 * CAMERAS..]);
        all
    }
}

/// Where a camera sees a point, without the kernel.
fn seen(camera: &[f64], point: &[f64]) -> [f64; 2] {
    let dot = |a: [f64; 3], b: [f64; 3]| a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
    let o: [f64; 3] = std::array::from_fn(|k| point[k] - camera[3 + k]);
    let r = [camera[0], camera[1], camera[2]];
    let angle = dot(r, r).sqrt();
    let w = r.map(|x| x / angle);
    let cross = [w[1] * o[2] - w[2] * o[1], w[2] * o[0] - w[0] * o[2], w[0] * o[1] - w[1] * o[0]];
    let (sin, cos) = angle.sin_cos();
    let x: [f64; 3] = std::array::from_fn(|k| o[k] * cos + cross[k] * sin + w[k] * dot(w, o) * (1.0 - cos));
    let (u, v) = (x[0] / x[2], x[1] / x[2]);
    let square = u * u + v * v;
    let scale = camera[6] * (1.0 + camera[9] * square + camera[10] * square * square);
    [u * scale + camera[7], v * scale + camera[8]]
}

/// Cameras, then points.
fn scene(random: &mut Random) -> Vec<f64> {
    let mut all = Vec::new();
    for k in 0..CAMERAS {
        let around = k as f64 / CAMERAS as f64 * std::f64::consts::TAU;
        all.extend([0.3 * around.sin(), 0.3 * around.cos(), 0.05 * random.signed()]);
        all.extend([2.0 * around.cos(), -2.0 * around.sin(), -6.0 + 0.5 * random.signed()]);
        all.extend([FOCAL, 320.0, 240.0, -0.1, 0.02]);
    }
    for _ in 0..POINTS {
        let (x, y) = (2.0 * random.signed(), 2.0 * random.signed());
        all.extend([x, y, 0.5 * (1.5 * x).sin() * y.cos()]);
    }
    all
}

fn main() -> Result<(), String> {
    let mut random = Random(1);
    let truth = scene(&mut random);
    let (cameras, points) = truth.split_at(11 * CAMERAS);
    let pairs = || (0..CAMERAS).flat_map(|c| (0..POINTS).map(move |p| (c, p)));
    let pictures = pairs().map(|(c, p)| seen(&cameras[11 * c..], &points[3 * p..]));
    let pictures = Pictures {
        camera_of: pairs().map(|(c, _)| c as u32).collect(),
        point_of: pairs().map(|(_, p)| p as u32).collect(),
        features: pictures.flatten().map(|x| x + NOISE * random.signed()).collect(),
        weights: vec![1.0; CAMERAS * POINTS],
    };
    let exact: Vec<f64> = cameras.chunks(11).flat_map(|camera| &camera[..6]).chain(points).copied().collect();
    let start: Vec<f64> = exact.iter().map(|x| x + 0.03 * random.signed()).collect();
    println!(
        "{CAMERAS} cameras, {POINTS} points, {} pictures of points, {} parameters",
        CAMERAS * POINTS,
        start.len()
    );

    // in pixels, of one coordinate
    let error = |p: &[f64]| (pictures.value(&truth, p) / (CAMERAS * POINTS) as f64).sqrt();
    println!("error of the truth {:.3} pixels, of the start {:.3}", error(&exact), error(&start));
    let (_, gradient) = pictures.gradient(&truth, &start);
    differences::check(|p| pictures.value(&truth, p), &start, &gradient, 1e-4)?;

    println!("adjustment, L-BFGS");
    let (found, costs) = descent::minimise(|p| pictures.gradient(&truth, p), start.clone(), 400)?;
    println!("error of what was found {:.3} pixels", error(&found));
    if error(&found) > 1.2 * error(&exact) {
        return Err("the adjustment did not come down to the noise".to_owned());
    }

    // the first camera's picture, as it was taken and as cameras and points explain it
    let explained = |p: &[f64]| -> Vec<(f64, f64)> {
        let all = pictures.all(&truth, p);
        let (cameras, points) = all.split_at(11 * CAMERAS);
        points.chunks(3).map(|point| seen(cameras, point)).map(|[u, v]| (u, v)).collect()
    };
    let taken = pictures.features.chunks(2).take(POINTS).map(|f| (f[0], f[1])).collect();
    let camera = Chart {
        title: "what the first camera sees",
        axes: ["pixels", "pixels"],
        series: vec![
            Series::dots("picture", BLUE, 5, taken),
            Series::dots("start", ORANGE, 2, explained(&start)),
            Series::dots("found", RED, 2, explained(&found)),
        ],
    };
    let costs: Vec<f64> = costs.iter().map(|cost| cost.log10()).collect();
    let descent = Chart {
        title: "squared errors",
        axes: ["iteration", "decimal logarithm"],
        series: vec![Series::steps("", RED, &costs)],
    };
    charts::write("ba", &[camera, descent])
}
