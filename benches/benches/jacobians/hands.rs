//! Hand tracking: all residuals by the 26 numbers of the pose and, where points lie in triangles, by where they lie.

use crate::cases::{Data, Residuals};
use crate::duals::{part, variable};
use crate::residuals::adbench::{Bones, complicated, simple};
use num_dual::DualSVec64;
use std::array::from_fn;
use std::hint::black_box;

/// Wrist, five fingers of four bones, forearm.
const PARENT: [i32; 22] = [-1, 0, 1, 2, 3, 0, 5, 6, 7, 0, 9, 10, 11, 0, 13, 14, 15, 0, 17, 18, 19, 0];

/// A hand, points, and the parameters.
struct Hand {
    theta: [f64; 26],
    within: Vec<[f64; 2]>,
    bones: Bones,
    vertices: Vec<[f64; 3]>,
    weights: Vec<[f64; 22]>,
    points: Vec<[f64; 3]>,
    triangles: Vec<[u32; 3]>,
    vertex_of: Vec<u32>,
    triangle_of: Vec<u32>,
    errors: Vec<[f64; 3]>,
}

impl Hand {
    fn new(data: Data) -> Hand {
        let [base, inverse, vertices, weights, points] =
            data.floats.try_into().expect("five arrays of floats");
        let [triangles, vertex_of, triangle_of] = data.indices.try_into().expect("three arrays of indices");
        let (theta, within) = data.parameters.split_first_chunk().expect("26 numbers of the pose");
        let transformations = |x: &[f64]| from_fn(|b| from_fn(|i| from_fn(|j| x[16 * b + 4 * i + j])));
        let points = points.as_chunks().0.to_vec();
        Hand {
            theta: *theta,
            within: within.as_chunks().0.to_vec(),
            bones: Bones { base: transformations(&base), inverse: transformations(&inverse), parent: PARENT },
            vertices: vertices.as_chunks().0.to_vec(),
            weights: weights.as_chunks().0.to_vec(),
            errors: vec![[0.0; 3]; points.len()],
            points,
            triangles: triangles.as_chunks().0.to_vec(),
            vertex_of,
            triangle_of,
        }
    }
}

/// The parts of the residuals along one direction after the other.
fn columns<const D: usize>(errors: &[[DualSVec64<D>; 3]]) -> Vec<f64> {
    (0..D).flat_map(|direction| errors.iter().flatten().map(move |e| part(e, direction))).collect()
}

/// The derivatives of the residuals along one direction of a batch after the other.
fn members<const W: usize>(batches: &[Vec<[[f64; 3]; W]>; 2]) -> Vec<f64> {
    let member = |batch: &Vec<[[f64; 3]; W]>, w: usize| batch.iter().flat_map(|e| e[w]).collect::<Vec<_>>();
    batches.iter().flat_map(|batch| (0..W).flat_map(move |w| member(batch, w))).collect()
}

/// Directions along the pose: member `w` moves number `first + w`.
fn directions<const W: usize>(first: usize) -> [[f64; W]; 26] {
    from_fn(|k| from_fn(|w| f64::from(k == first + w)))
}

/// Points with known vertices, in two batches of 13 directions.
pub struct Simple {
    hand: Hand,
    batches: [Vec<[[f64; 3]; simple::WIDTH]>; 2],
    duals: Vec<[DualSVec64<26>; 3]>,
}

impl Simple {
    /// With room for the Jacobian.
    pub fn new(data: Data) -> Simple {
        let hand = Hand::new(data);
        let batches = from_fn(|_| vec![[[0.0; 3]; simple::WIDTH]; hand.points.len()]);
        let duals = vec![from_fn(|_| DualSVec64::from_re(0.0)); hand.points.len()];
        Simple { hand, batches, duals }
    }
}

impl Residuals for Simple {
    fn primal(&mut self) {
        let Hand { theta, bones, vertices, weights, points, vertex_of, errors, .. } = &mut self.hand;
        simple(theta, bones, vertices, weights, points, vertex_of, errors);
        black_box(errors);
    }

    fn ours(&mut self) {
        let Hand { theta, bones, vertices, weights, points, vertex_of, errors, .. } = &mut self.hand;
        for (half, errors_dot) in self.batches.iter_mut().enumerate() {
            let theta_dot = directions(half * simple::WIDTH);
            simple::jvp_batch(
                theta, &theta_dot, bones, vertices, weights, points, vertex_of, errors, errors_dot,
            );
        }
        black_box(&self.batches);
    }

    fn duals(&mut self) {
        let Hand { theta, bones, vertices, weights, points, vertex_of, .. } = &self.hand;
        let theta = from_fn(|k| variable(theta[k], k));
        simple(&theta, bones, vertices, weights, points, vertex_of, &mut self.duals);
        black_box(&self.duals);
    }

    fn of_ours(&self) -> Vec<f64> {
        members(&self.batches)
    }

    fn of_duals(&self) -> Vec<f64> {
        columns(&self.duals)
    }
}

/// Points in triangles, in two batches of 14 directions. The last two move each point in its triangle: what a point is
/// off depends on its own two numbers alone.
pub struct Complicated {
    hand: Hand,
    batches: [Vec<[[f64; 3]; complicated::WIDTH]>; 2],
    within_dot: [Vec<[[f64; 2]; complicated::WIDTH]>; 2],
    duals: Vec<[DualSVec64<28>; 3]>,
}

impl Complicated {
    /// With room for the Jacobian.
    pub fn new(data: Data) -> Complicated {
        let hand = Hand::new(data);
        let batches = from_fn(|_| vec![[[0.0; 3]; complicated::WIDTH]; hand.points.len()]);
        let within_dot = from_fn(|half| {
            let direction = |w| half * complicated::WIDTH + w;
            vec![from_fn(|w| from_fn(|k| f64::from(direction(w) == 26 + k))); hand.points.len()]
        });
        let duals = vec![from_fn(|_| DualSVec64::from_re(0.0)); hand.points.len()];
        Complicated { hand, batches, within_dot, duals }
    }
}

impl Residuals for Complicated {
    fn primal(&mut self) {
        let Hand { theta, within, bones, vertices, weights, points, triangles, triangle_of, errors, .. } =
            &mut self.hand;
        complicated(theta, within, bones, vertices, weights, triangles, points, triangle_of, errors);
        black_box(errors);
    }

    fn ours(&mut self) {
        let Hand { theta, within, bones, vertices, weights, points, triangles, triangle_of, errors, .. } =
            &mut self.hand;
        for (half, errors_dot) in self.batches.iter_mut().enumerate() {
            let theta_dot = directions(half * complicated::WIDTH);
            complicated::jvp_batch(
                theta,
                &theta_dot,
                within,
                &self.within_dot[half],
                bones,
                vertices,
                weights,
                triangles,
                points,
                triangle_of,
                errors,
                errors_dot,
            );
        }
        black_box(&self.batches);
    }

    fn duals(&mut self) {
        let Hand { theta, within, bones, vertices, weights, points, triangles, triangle_of, .. } = &self.hand;
        let theta = from_fn(|k| variable(theta[k], k));
        let within: Vec<_> = within.iter().map(|x| from_fn(|k| variable(x[k], 26 + k))).collect();
        complicated(
            &theta,
            &within,
            bones,
            vertices,
            weights,
            triangles,
            points,
            triangle_of,
            &mut self.duals,
        );
        black_box(&self.duals);
    }

    fn of_ours(&self) -> Vec<f64> {
        members(&self.batches)
    }

    fn of_duals(&self) -> Vec<f64> {
        columns(&self.duals)
    }
}
