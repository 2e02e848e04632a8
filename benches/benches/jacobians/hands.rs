//! Hand tracking: all residuals by the 26 numbers of the pose and, where points lie in triangles, by where they lie.

use crate::cases::Residuals;
use crate::duals::{part, variable};
use crate::residuals::adbench::{Bones, complicated, simple};
use num_dual::DualSVec64;
use pardiff_workloads::data::hand::Hand as Data;
use pardiff_workloads::hand::objective;
use std::array::from_fn;
use std::hint::black_box;

/// A hand of the workloads, with its bones as the residuals take them.
struct Hand {
    data: Data,
    bones: Bones,
    errors: Vec<[f64; 3]>,
}

impl Hand {
    /// `3200x544` is 3200 points and 544 corners of the skin.
    fn load(case: &str) -> Option<Hand> {
        let (points, vertices) = case.split_once('x')?;
        let (points, vertices) = (points.parse().ok()?, vertices.parse().ok()?);
        let data = Data::generated(points, vertices, 2 * vertices);
        let objective::Bones { base, inverse, parent } = data.bones;
        Some(Hand { bones: Bones { base, inverse, parent }, errors: vec![[0.0; 3]; points], data })
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
    pub fn load(case: &str) -> Option<Simple> {
        let hand = Hand::load(case)?;
        let batches = from_fn(|_| vec![[[0.0; 3]; simple::WIDTH]; hand.errors.len()]);
        let duals = vec![from_fn(|_| DualSVec64::from_re(0.0)); hand.errors.len()];
        Some(Simple { hand, batches, duals })
    }
}

impl Residuals for Simple {
    fn primal(&mut self) {
        let Hand { data, bones, errors } = &mut self.hand;
        let Data { theta, vertices, weights, points, vertex_of, .. } = &*data;
        simple(theta, bones, vertices, weights, points, vertex_of, errors);
        black_box(errors);
    }

    fn ours(&mut self) {
        let Hand { data, bones, errors } = &mut self.hand;
        let Data { theta, vertices, weights, points, vertex_of, .. } = &*data;
        for (half, errors_dot) in self.batches.iter_mut().enumerate() {
            let theta_dot = directions(half * simple::WIDTH);
            simple::jvp_batch(
                theta, &theta_dot, bones, vertices, weights, points, vertex_of, errors, errors_dot,
            );
        }
        black_box(&self.batches);
    }

    fn duals(&mut self) {
        let Hand { data, bones, .. } = &self.hand;
        let Data { theta, vertices, weights, points, vertex_of, .. } = data;
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
    pub fn load(case: &str) -> Option<Complicated> {
        let hand = Hand::load(case)?;
        let batches = from_fn(|_| vec![[[0.0; 3]; complicated::WIDTH]; hand.errors.len()]);
        let within_dot = from_fn(|half| {
            let direction = |w| half * complicated::WIDTH + w;
            vec![from_fn(|w| from_fn(|k| f64::from(direction(w) == 26 + k))); hand.errors.len()]
        });
        let duals = vec![from_fn(|_| DualSVec64::from_re(0.0)); hand.errors.len()];
        Some(Complicated { hand, batches, within_dot, duals })
    }
}

impl Residuals for Complicated {
    fn primal(&mut self) {
        let Hand { data, bones, errors } = &mut self.hand;
        let Data { theta, within, vertices, weights, points, triangles, triangle_of, .. } = &*data;
        complicated(theta, within, bones, vertices, weights, triangles, points, triangle_of, errors);
        black_box(errors);
    }

    fn ours(&mut self) {
        let Hand { data, bones, errors } = &mut self.hand;
        let Data { theta, within, vertices, weights, points, triangles, triangle_of, .. } = &*data;
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
        let Hand { data, bones, .. } = &self.hand;
        let Data { theta, within, vertices, weights, points, triangles, triangle_of, .. } = data;
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
