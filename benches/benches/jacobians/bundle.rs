//! Bundle adjustment: three residuals of each observation by its 15 inputs.
//!
//! Once each observation has its own camera and point, observations are independent. So one vector-Jacobian product,
//! seeded with one residual of all observations, gives that row of every Jacobian.

use crate::cases::Residuals;
use crate::duals::{part, variable};
use crate::residuals::adbench::{observation, observations};
use num_dual::DualSVec64;
use pardiff_workloads::cases::{Constants, Workload};
use std::array::from_fn;
use std::hint::black_box;

/// The inputs of an observation: a camera, a point, and a weight.
const INPUTS: usize = 15;
/// So many observations have their inputs side by side at a time.
const BLOCK: usize = 512;

/// A row of the Jacobian of each observation.
#[derive(Default)]
struct Rows {
    cameras: Vec<[f64; 11]>,
    points: Vec<[f64; 3]>,
    weights: Vec<f64>,
}

/// A scene.
pub struct Bundle {
    cameras: Vec<[f64; 11]>,
    points: Vec<[f64; 3]>,
    weights: Vec<f64>,
    features: Vec<[f64; 2]>,
    camera_of: Vec<u32>,
    point_of: Vec<u32>,
    errors: Vec<[f64; 3]>,
    /// By residual.
    ours: [Rows; 3],
    duals: Vec<[DualSVec64<INPUTS>; 3]>,
}

impl Bundle {
    /// The scene of a workload, with room for an observation a weight.
    pub fn of(workload: &dyn Workload) -> Bundle {
        let (parameters, Constants { sizes, indices, floats }) =
            (workload.parameters(), workload.constants());
        let (cameras, rest) = parameters.split_at(11 * sizes[0]);
        let (points, weights) = rest.split_at(3 * sizes[1]);
        let [camera_of, point_of] = indices.try_into().expect("two arrays of indices");
        let seen = weights.len();
        Bundle {
            cameras: cameras.as_chunks().0.to_vec(),
            points: points.as_chunks().0.to_vec(),
            weights: weights.to_vec(),
            features: floats[0].as_chunks().0.to_vec(),
            camera_of,
            point_of,
            errors: vec![[0.0; 3]; seen],
            ours: from_fn(|_| Rows {
                cameras: vec![[0.0; 11]; seen],
                points: vec![[0.0; 3]; seen],
                weights: vec![0.0; seen],
            }),
            duals: Vec::with_capacity(seen),
        }
    }

    /// Camera, point, weight and feature of each observation.
    fn observations(&self) -> impl Iterator<Item = (&[f64; 11], &[f64; 3], f64, &[f64; 2])> {
        (0..self.weights.len()).map(|i| {
            let (camera, point) = (self.camera_of[i] as usize, self.point_of[i] as usize);
            (&self.cameras[camera], &self.points[point], self.weights[i], &self.features[i])
        })
    }
}

impl Residuals for Bundle {
    fn primal(&mut self) {
        let mut errors = std::mem::take(&mut self.errors);
        for (error, (c, x, w, feature)) in errors.iter_mut().zip(self.observations()) {
            *error = observation(c, x, w, feature);
        }
        self.errors = black_box(errors);
    }

    fn ours(&mut self) {
        let (mut cameras, mut points) = ([[0.0; 11]; BLOCK], [[0.0; 3]; BLOCK]);
        let mut seeds = [[0.0; 3]; BLOCK];
        for first in (0..self.weights.len()).step_by(BLOCK) {
            let block = first..self.weights.len().min(first + BLOCK);
            let len = block.len();
            for (k, i) in block.clone().enumerate() {
                cameras[k] = self.cameras[self.camera_of[i] as usize];
                points[k] = self.points[self.point_of[i] as usize];
            }
            for (residual, rows) in self.ours.iter_mut().enumerate() {
                seeds[..len].fill(from_fn(|k| f64::from(k == residual)));
                observations::vjp_into(
                    &cameras[..len],
                    &mut rows.cameras[block.clone()],
                    &points[..len],
                    &mut rows.points[block.clone()],
                    &self.weights[block.clone()],
                    &mut rows.weights[block.clone()],
                    &self.features[block.clone()],
                    &mut self.errors[block.clone()],
                    &mut seeds[..len],
                );
            }
        }
        black_box(&self.ours);
    }

    fn duals(&mut self) {
        let mut duals = std::mem::take(&mut self.duals);
        duals.clear();
        duals.extend(self.observations().map(|(c, x, w, feature)| {
            let camera = from_fn(|k| variable(c[k], k));
            let point = from_fn(|k| variable(x[k], 11 + k));
            observation(&camera, &point, variable(w, 14), feature)
        }));
        self.duals = black_box(duals);
    }

    fn of_ours(&self) -> Vec<f64> {
        let entry = |rows: &Rows, i: usize, input: usize| match input {
            0..11 => rows.cameras[i][input],
            11..14 => rows.points[i][input - 11],
            _ => rows.weights[i],
        };
        let of = |i, input| self.ours.each_ref().map(|rows| entry(rows, i, input));
        (0..INPUTS).flat_map(|input| (0..self.weights.len()).flat_map(move |i| of(i, input))).collect()
    }

    fn of_duals(&self) -> Vec<f64> {
        let along = |input| self.duals.iter().flatten().map(move |e| part(e, input));
        (0..INPUTS).flat_map(along).collect()
    }
}
