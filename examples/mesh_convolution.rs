//! Finds the creases of a surface, with one gradient.
//!
//! ```text
//! cargo run --release --example mesh_convolution -- [PATH.svg]
//! ```
//!
//! A roof of flat parts is measured with noise; the features of its triangles are their normals. What the convolution says of
//! a triangle is linear in its weights, so the derivative of the mean over creases less the mean over flat parts, by the
//! weights, is a matched filter: the weights that tell both apart best if all features are as noisy. A picture shows the
//! creases and what the filter says.

#[path = "../workloads/mesh_convolution.rs"]
mod kernel;

use kernel::mesh_convolution;
use pardiff_examples::random::Random;
use pardiff_examples::{differences, fields, place};
use plotters::prelude::*;

const SIDE: usize = 36;
const INPUTS: usize = 3;
const NOISE: f64 = 0.002;

/// Triangles with their neighbours.
struct Surface {
    corners: Vec<[f64; 3]>,
    faces: Vec<[usize; 3]>,
    adjacent: Vec<[u32; 3]>,
    crease: Vec<bool>,
}

/// The roof's parts as planes: the height at the middle, and how it grows along both sides.
const PLANES: [[f64; 3]; 5] =
    [[0.30, 0.0, 0.1], [0.35, 0.9, 0.2], [0.32, -0.8, -0.3], [0.4, 0.1, 1.1], [0.38, 0.2, -1.0]];

impl Surface {
    fn drawn(random: &mut Random) -> Surface {
        let side = |k: usize| k as f64 / (SIDE - 1) as f64 - 0.5;
        let height =
            |part: usize, x: f64, y: f64| PLANES[part][0] - PLANES[part][1] * x - PLANES[part][2] * y;
        // the lowest plane is the roof
        let part = |v: usize| {
            let (x, y) = (side(v % SIDE), side(v / SIDE));
            (0..PLANES.len()).min_by(|&a, &b| height(a, x, y).total_cmp(&height(b, x, y))).unwrap_or(0)
        };
        let mut corner = |v: usize| {
            let (x, y) = (side(v % SIDE), side(v / SIDE));
            [x, y, height(part(v), x, y) + NOISE * random.normal()]
        };
        let corners = (0..SIDE * SIDE).map(&mut corner).collect();
        let (mut faces, mut adjacent) = (Vec::new(), Vec::new());
        for y in 0..SIDE - 1 {
            for x in 0..SIDE - 1 {
                let (v, f) = (y * SIDE + x, faces.len());
                faces.push([v, v + 1, v + SIDE]);
                faces.push([v + 1, v + SIDE + 1, v + SIDE]);
                // over the three edges; a face at the edge of the roof is its own neighbour
                let row = 2 * (SIDE - 1);
                adjacent.push([if y > 0 { f + 1 - row } else { f }, f + 1, if x > 0 { f - 1 } else { f }]);
                adjacent.push([
                    if x < SIDE - 2 { f + 2 } else { f + 1 },
                    if y < SIDE - 2 { f + row } else { f + 1 },
                    f,
                ]);
            }
        }
        let crease = faces.iter().map(|face| face.iter().any(|&v| part(v) != part(face[0]))).collect();
        let adjacent = adjacent.iter().map(|face| face.map(|f| f as u32)).collect();
        Surface { corners, faces, adjacent, crease }
    }

    /// The normals of the faces, of length 1.
    fn normals(&self) -> Vec<f64> {
        let normal = |face: &[usize; 3]| {
            let [a, b, c] = face.map(|v| self.corners[v]);
            let [p, q]: [[f64; 3]; 2] = [b, c].map(|e| std::array::from_fn(|k| e[k] - a[k]));
            let n = [p[1] * q[2] - p[2] * q[1], p[2] * q[0] - p[0] * q[2], p[0] * q[1] - p[1] * q[0]];
            let length = n.iter().map(|x| x * x).sum::<f64>().sqrt();
            n.map(|x| x / length)
        };
        self.faces.iter().flat_map(normal).collect()
    }

    /// Two views of the roof, with its faces in colours for values between 0 and 1.
    fn draw(&self, views: [(&str, &[f64]); 2]) -> Result<(), Box<dyn std::error::Error>> {
        let path = place::picture("mesh_convolution");
        let area = SVGBackend::new(&path, (1040, 345)).into_drawing_area();
        area.fill(&WHITE)?;
        for (panel, (title, values)) in area.split_evenly((1, 2)).iter().zip(views) {
            let panel = panel.titled(title, ("sans-serif", 18))?;
            // rows that are far away come first
            for (face, &value) in self.faces.iter().zip(values).rev() {
                let seen = |v: usize| {
                    let [x, y, z] = self.corners[v];
                    ((260.0 + 400.0 * x + 90.0 * y) as i32, (125.0 - 230.0 * y - 250.0 * z) as i32)
                };
                let corners = face.map(seen);
                panel.draw(&Polygon::new(corners, fields::colour(value).filled()))?;
            }
        }
        area.present()?;
        println!("picture: {}", path.display());
        Ok(())
    }
}

fn main() -> Result<(), String> {
    let surface = Surface::drawn(&mut Random(2));
    let Surface { adjacent, crease, .. } = &surface;
    let normals = surface.normals();
    let (faces, creases) = (crease.len(), crease.iter().filter(|&&c| c).count());
    println!("{faces} triangles, {creases} of them at creases");

    // the mean over creases less the mean over flat parts, of a layer with one number out
    let share = |&c: &bool| if c { 1.0 / creases as f64 } else { -1.0 / (faces - creases) as f64 };
    let d_y: Vec<f64> = crease.iter().map(share).collect();
    let weight = vec![1.0; 4 * INPUTS];
    let (value, gradient) = mesh_convolution::gradient(&normals, &weight, adjacent, &d_y, INPUTS, 1);
    // linear in the weights: the value is the inner product of these and their derivative
    let linear: f64 = gradient.weight.iter().zip(&weight).map(|(g, w)| g * w).sum();
    let error = ((linear - value) / value).abs();
    println!("check that the layer is linear in its weights: relative error {error:.1e}");
    if error.is_nan() || error > 1e-10 {
        return Err("the gradient by the weights is wrong".to_owned());
    }
    // at features that differ: the size of a difference has no derivative where it is nothing, as on flat parts
    let mut random = Random(3);
    let x: Vec<f64> = normals.iter().map(|_| random.signed()).collect();
    let d_x = mesh_convolution::gradient(&x, &weight, adjacent, &d_y, INPUTS, 1).1.x;
    let value = |x: &[f64]| mesh_convolution(x, &weight, adjacent, &d_y, INPUTS, 1);
    differences::check(value, &x, &d_x, 1e-7)?;

    // what the filter says of each face
    let filter = &gradient.weight;
    let mut asked = vec![0.0; faces];
    let mut score = |face: usize| {
        asked[face] = 1.0;
        let score = mesh_convolution::value(&normals, filter, adjacent, &asked, INPUTS, 1);
        asked[face] = 0.0;
        score
    };
    let scores: Vec<f64> = (0..faces).map(&mut score).collect();
    let mean = |of: bool| {
        let chosen = scores.iter().zip(crease).filter(|(_, c)| **c == of).map(|(s, _)| s);
        chosen.sum::<f64>() / if of { creases as f64 } else { (faces - creases) as f64 }
    };
    let (flat, bent) = (mean(false), mean(true));
    let likely: Vec<f64> = scores.iter().map(|s| ((s - flat) / (bent - flat)).clamp(0.0, 1.0)).collect();
    let share = |of: bool| {
        let chosen = likely.iter().zip(crease).filter(|(_, c)| **c == of);
        let right = chosen.clone().filter(|(l, _)| (**l > 0.5) == of).count();
        right as f64 / chosen.count() as f64
    };
    println!("weights {filter:.3?}");
    println!("right: {:.1} % of creases, {:.1} % of flat parts", 100.0 * share(true), 100.0 * share(false));
    if share(true) < 0.7 || share(false) < 0.9 {
        return Err("the creases were not found".to_owned());
    }
    let truth: Vec<f64> = crease.iter().map(|&c| if c { 1.0 } else { 0.0 }).collect();
    surface.draw([("creases", &truth), ("what the filter says", &likely)]).map_err(|e| e.to_string())
}
