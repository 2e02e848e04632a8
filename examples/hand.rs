//! Hand tracking: the pose of a hand from points on its skin.
//!
//! ```text
//! cargo run --release --example hand -- [PATH.svg]
//! ```
//!
//! The hand is the model of ADBench: 22 bones, 544 corners of skin that they move. A pose is made up, and noisy points of the
//! skin that know their triangles but not where in them they are. From a flat hand, L-BFGS finds the pose and the places in
//! the triangles, with the gradient of ADBench's objective. A picture shows points and skin.

#[path = "../workloads/hand.rs"]
#[allow(clippy::needless_range_loop, clippy::too_many_arguments)]
mod kernel;

use kernel::objective::{Bones, complicated, pose, simple, skinned};
use pardiff_examples::charts::{self, BLUE, Chart, GREY, RED, Series};
use pardiff_examples::random::Random;
use pardiff_examples::{descent, differences};

const POINTS: usize = 400;
const NOISE: f64 = 0.005;

/// A hand at rest, and points that were measured.
struct Hand {
    bones: Bones,
    vertices: Vec<[f64; 3]>,
    weights: Vec<[f64; 22]>,
    triangles: Vec<[u32; 3]>,
    triangle_of: Vec<u32>,
    points: Vec<[f64; 3]>,
}

/// The numbers of a line of ADBench's model, behind the first `skip` fields.
fn numbers(line: &str, skip: usize) -> Vec<f64> {
    line.split(':').skip(skip).map(|field| field.trim().parse().unwrap_or(f64::NAN)).collect()
}

impl Hand {
    fn read() -> Hand {
        let mut bones = Bones { base: [[[0.0; 4]; 4]; 22], inverse: [[[0.0; 4]; 4]; 22], parent: [0; 22] };
        for (bone, line) in include_str!("data/hand/bones.txt").lines().take(22).enumerate() {
            let line = numbers(line, 1);
            bones.parent[bone] = line[0] as i32;
            for k in 0..16 {
                bones.base[bone][k / 4][k % 4] = line[1 + k];
                bones.inverse[bone][k / 4][k % 4] = line[17 + k];
            }
        }
        let (mut vertices, mut weights) = (Vec::new(), Vec::new());
        for line in include_str!("data/hand/vertices.txt").lines() {
            // position, normal, texture; then how many bones move it, and each with its weight
            let line = numbers(line, 0);
            vertices.push([line[0], line[1], line[2]]);
            let mut row = [0.0; 22];
            for pair in line[9..].chunks(2) {
                row[pair[0] as usize] = pair[1];
            }
            weights.push(row);
        }
        let triangle = |line: &str| {
            let corners = numbers(line, 0);
            [corners[0] as u32, corners[1] as u32, corners[2] as u32]
        };
        let triangles = include_str!("data/hand/triangles.txt").lines().map(triangle).collect();
        Hand { bones, vertices, weights, triangles, triangle_of: Vec::new(), points: Vec::new() }
    }

    /// Half the sum of the squared distances, and its gradient by the pose and the places in the triangles.
    fn gradient(&self, p: &[f64]) -> (f64, Vec<f64>) {
        let mut gradient = vec![0.0; p.len()];
        let (theta, within) = p.split_first_chunk().expect("a pose");
        let (d_theta, d_within) = gradient.split_first_chunk_mut().expect("a pose");
        let (within, d_within) = (within.as_chunks().0, d_within.as_chunks_mut().0);
        let Hand { bones, vertices, weights, triangles, triangle_of, points } = self;
        let value = complicated::grad(
            theta,
            d_theta,
            within,
            d_within,
            bones,
            vertices,
            weights,
            triangles,
            points,
            triangle_of,
        );
        (value, gradient)
    }

    /// Where triangles are in a pose, at barycentric coordinates.
    fn places(&self, p: &[f64]) -> Vec<[f64; 3]> {
        let (theta, within) = p.split_first_chunk().expect("a pose");
        let pose = pose(theta, &self.bones);
        let corner = |v: u32| skinned(&pose, &self.vertices[v as usize], &self.weights[v as usize]);
        let place = |(&triangle, &[u, v]): (&u32, &[f64; 2])| {
            let [a, b, c] = self.triangles[triangle as usize].map(corner);
            std::array::from_fn(|k| u * a[k] + v * b[k] + (1.0 - u - v) * c[k])
        };
        self.triangle_of.iter().zip(within.as_chunks().0).map(place).collect()
    }

    /// Where the corners of the skin are, as dots of a picture.
    fn dots(&self, p: &[f64]) -> Vec<(f64, f64)> {
        let pose = pose(p.first_chunk().expect("a pose"), &self.bones);
        let corner = |(v, w)| from_the_side(&skinned(&pose, v, w));
        self.vertices.iter().zip(&self.weights).map(corner).collect()
    }
}

/// How the picture sees a point.
fn from_the_side(x: &[f64; 3]) -> (f64, f64) {
    (x[0] + 0.5 * x[2], x[1] + 0.3 * x[2])
}

fn main() -> Result<(), String> {
    let mut hand = Hand::read();
    let mut random = Random(1);
    // turned, shifted, and the fingers bent one more than the other: bending and spreading, then two more joints
    let mut truth = vec![0.2, 0.3, -0.2, 0.1, -0.1, 0.2];
    for finger in 0..5 {
        let bent = 0.15 * (finger + 1) as f64;
        truth.extend([bent, 0.1 * (finger as f64 - 2.0), bent, 0.7 * bent]);
    }
    hand.triangle_of = (0..POINTS).map(|_| random.below(hand.triangles.len()) as u32).collect();
    for _ in 0..POINTS {
        let (u, v) = (random.unit(), random.unit());
        truth.extend(if u + v < 1.0 { [u, v] } else { [1.0 - u, 1.0 - v] });
    }
    hand.points = hand.places(&truth).iter().map(|p| p.map(|x| x + NOISE * random.normal())).collect();
    // a turn of nothing has no axis
    let mut start = vec![0.01; 26];
    start.extend([1.0 / 3.0; 2 * POINTS]);
    println!("{} corners of skin, {POINTS} points, {} parameters", hand.vertices.len(), start.len());

    let (_, gradient) = hand.gradient(&start);
    differences::check(|p| hand.gradient(p).0, &start, &gradient, 1e-4)?;

    println!("pose from the points, L-BFGS");
    let (found, _) = descent::minimise(|p| hand.gradient(p), start.clone(), 200)?;
    // of the corners of the skin, most of which no point is near
    let corners = |p: &[f64]| -> Vec<[f64; 3]> {
        let pose = pose(p.first_chunk().expect("a pose"), &hand.bones);
        hand.vertices.iter().zip(&hand.weights).map(|(v, w)| skinned(&pose, v, w)).collect()
    };
    let all: Vec<u32> = (0..hand.vertices.len() as u32).collect();
    let distance = |p: &[f64]| {
        let theta = p.first_chunk().expect("a pose");
        let half = simple(theta, &hand.bones, &hand.vertices, &hand.weights, &corners(&truth), &all);
        (2.0 * half / all.len() as f64).sqrt()
    };
    println!("  corners of the skin are off by {:.4} -> {:.4}", distance(&start), distance(&found));
    println!("  noise of the points {NOISE}");
    if distance(&found) > 2.0 * NOISE {
        return Err("the pose was not found".to_owned());
    }
    let points = || hand.points.iter().map(from_the_side).collect();
    let chart = |title, p: &[f64]| Chart {
        title,
        axes: ["to the right", "up"],
        series: vec![
            Series::dots("skin", GREY, 3, hand.dots(p)),
            Series::dots("points", if p == start { BLUE } else { RED }, 2, points()),
        ],
    };
    charts::write("hand", &[chart("start", &start), chart("found", &found)])
}
