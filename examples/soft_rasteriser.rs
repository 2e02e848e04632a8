//! Recovers the pose of a body from its silhouette.
//!
//! ```text
//! cargo run --release --example soft_rasteriser -- [PATH.svg]
//! ```
//!
//! A body of triangles is turned and shifted, and its soft silhouette drawn; from another pose, L-BFGS turns it back until
//! the silhouettes agree. The gradient goes through two differentiated functions: the picture's with respect to the
//! projected corners is the seed of the pose's. A picture shows the silhouettes of target, start and result.

#[path = "../workloads/soft_rasteriser.rs"]
mod kernel;

use kernel::soft_rasteriser;
use pardiff::differentiate;
use pardiff_examples::fields::{self, Field};
use pardiff_examples::{descent, differences};

const SIZE: usize = 64;
const SHARPNESS: f64 = 1e-2;

/// Where the corners of a body are seen, without perspective, after rotations about three axes and a shift.
#[differentiate(wrt(pose))]
pub fn project(pose: &[f64; 5], corners: &[[f64; 3]], seen: &mut [[f64; 2]]) {
    let (sa, ca) = pose[0].sin_cos();
    let (sb, cb) = pose[1].sin_cos();
    let (sc, cc) = pose[2].sin_cos();
    for i in 0..corners.len() {
        let [x, y, z] = corners[i];
        let (y, z) = (ca * y - sa * z, sa * y + ca * z);
        let (x, z) = (cb * x + sb * z, cb * z - sb * x);
        let (x, y) = (cc * x - sc * y, sc * x + cc * y);
        seen[i][0] = x + pose[3] + 0.0 * z;
        seen[i][1] = y + pose[4];
    }
}

/// An L of three blocks: a long arm, a short one, and one that stands out.
fn body() -> (Vec<[f64; 3]>, Vec<[u32; 3]>) {
    let blocks: [([f64; 3], [f64; 3]); 3] = [
        ([-0.5, -0.5, -0.12], [-0.2, 0.5, 0.12]),
        ([-0.2, -0.5, -0.12], [0.4, -0.25, 0.12]),
        ([-0.5, 0.2, 0.12], [-0.2, 0.5, 0.5]),
    ];
    let (mut corners, mut faces) = (Vec::new(), Vec::new());
    for (low, high) in blocks {
        let first = corners.len() as u32;
        for k in 0..8 {
            corners.push(std::array::from_fn(|a| if k >> a & 1 == 0 { low[a] } else { high[a] }));
        }
        for [a, b, c, d] in
            [[0, 1, 3, 2], [4, 5, 7, 6], [0, 1, 5, 4], [2, 3, 7, 6], [0, 2, 6, 4], [1, 3, 7, 5]]
        {
            faces.push([first + a, first + b, first + c]);
            faces.push([first + a, first + c, first + d]);
        }
    }
    (corners, faces)
}

/// A body and the picture that it should give.
struct Scene {
    corners: Vec<[f64; 3]>,
    faces: Vec<[u32; 3]>,
    target: Vec<f64>,
}

impl Scene {
    fn seen(&self, pose: &[f64; 5]) -> Vec<[f64; 2]> {
        let mut seen = vec![[0.0; 2]; self.corners.len()];
        project(pose, &self.corners, &mut seen);
        seen
    }

    fn loss(&self, pose: &[f64; 5]) -> f64 {
        soft_rasteriser(&self.seen(pose), &self.faces, &self.target, SIZE, SHARPNESS)
    }

    fn gradient(&self, pose: &[f64; 5]) -> (f64, Vec<f64>) {
        let mut seen = self.seen(pose);
        let mut d_seen = vec![[0.0; 2]; seen.len()];
        let loss = soft_rasteriser::grad(&seen, &mut d_seen, &self.faces, &self.target, SIZE, SHARPNESS);
        let mut d_pose = [0.0; 5];
        project::vjp(pose, &mut d_pose, &self.corners, &mut seen, &mut d_seen);
        (loss, d_pose.to_vec())
    }

    /// The silhouette, without the kernel.
    fn silhouette(&self, pose: &[f64; 5]) -> Vec<f64> {
        let seen = self.seen(pose);
        let at = |k: usize| (2 * k + 1) as f64 / SIZE as f64 - 1.0;
        let through = |face: &[u32; 3], k: usize| {
            let (mut left, mut nearest) = (0, f64::INFINITY);
            for e in 0..3 {
                let (a, b) = (seen[face[e] as usize], seen[face[(e + 1) % 3] as usize]);
                let q = [at(k % SIZE) - a[0], at(k / SIZE) - a[1]];
                let d = [b[0] - a[0], b[1] - a[1]];
                let t = ((q[0] * d[0] + q[1] * d[1]) / (d[0] * d[0] + d[1] * d[1])).clamp(0.0, 1.0);
                nearest = nearest.min((q[0] - t * d[0]).powi(2) + (q[1] - t * d[1]).powi(2));
                left += usize::from(d[0] * q[1] > d[1] * q[0]);
            }
            let inside = if matches!(left, 0 | 3) { nearest } else { -nearest };
            1.0 / (1.0 + (inside / SHARPNESS).exp())
        };
        let covered = |k: usize| 1.0 - self.faces.iter().map(|face| through(face, k)).product::<f64>();
        (0..SIZE * SIZE).map(covered).collect()
    }
}

/// A flat vector as a pose.
fn pose(p: &[f64]) -> &[f64; 5] {
    p.first_chunk().expect("five numbers")
}

fn main() -> Result<(), String> {
    let truth = [0.5, -0.4, 0.3, 0.1, -0.05];
    let start = [0.3, -0.1, 0.0, 0.0, 0.05];
    let (corners, faces) = body();
    let mut scene = Scene { corners, faces, target: Vec::new() };
    scene.target = scene.silhouette(&truth);
    println!("{} triangles, {SIZE} by {SIZE} pixels", scene.faces.len());

    let (_, gradient) = scene.gradient(&start);
    differences::check(|p| scene.loss(pose(p)), &start, &gradient, 1e-6)?;

    println!("pose from the silhouette, L-BFGS");
    // per pixel, so that the first step has a sane length
    let scale = 1.0 / (SIZE * SIZE) as f64;
    let scaled = |p: &[f64]| {
        let (loss, gradient) = scene.gradient(pose(p));
        (scale * loss, gradient.iter().map(|g| scale * g).collect())
    };
    let (found, _) = descent::minimise(scaled, start.to_vec(), 60)?;
    println!("  pose     {:>8.3?}", found);
    println!("  of truth {truth:>8.3?}");
    let result = scene.silhouette(pose(&found));
    let worst = result.iter().zip(&scene.target).fold(0.0f64, |worst, (a, b)| worst.max((a - b).abs()));
    println!("  silhouettes differ by {worst:.1e} at most");
    if worst > 0.05 {
        return Err("the pose was not found".to_owned());
    }

    let before = scene.silhouette(&start);
    let field = |title, values| Field { title, values, width: SIZE, low: 0.0, high: 1.0 };
    let pictures = [field("target", &scene.target), field("start", &before), field("found", &result)];
    fields::write("soft_rasteriser", &pictures)
}
