//! Triangles: convolutions on their surfaces, and silhouettes.

use super::shapes::{Rows, Shape, Slice};
use super::{Constants, Workload, numbers};
use crate::data::Lcg;
use crate::mesh_convolution::mesh_convolution;
use crate::soft_rasteriser::soft_rasteriser;

/// A layer on the faces of a mesh.
pub(super) struct Layer {
    faces: usize,
    inputs: usize,
    outputs: usize,
    adjacent: Vec<[u32; 3]>,
    d_y: Vec<f64>,
    parameters: Vec<f64>,
}

impl Layer {
    /// `500x8x16` is 500 faces, 8 features in and 16 out.
    pub(super) fn load(case: &str) -> Option<Layer> {
        let [faces, inputs, outputs] = numbers(case)?;
        let mut random = Lcg(28);
        let parameters = random.floats(faces * inputs + 4 * inputs * outputs, -1.0, 1.0);
        let d_y = random.floats(faces * outputs, -1.0, 1.0);
        // neighbours have near numbers, as in a mesh that was ordered
        let near = |(i, step): (usize, u32)| ((i / 3 + 1 + step as usize) % faces) as u32;
        let adjacent: Vec<u32> = random.indices(3 * faces, 40).into_iter().enumerate().map(near).collect();
        Some(Layer { faces, inputs, outputs, adjacent: adjacent.as_chunks().0.to_vec(), d_y, parameters })
    }
}

impl Workload for Layer {
    fn parameters(&self) -> Vec<f64> {
        self.parameters.clone()
    }

    super::entry_points! {
        self: mesh_convolution(
            x: Slice = self.faces * self.inputs, weight: Slice = 4 * self.inputs * self.outputs;
            &self.adjacent, &self.d_y, self.inputs, self.outputs
        )
    }

    fn constants(&self) -> Constants {
        Constants {
            sizes: vec![self.inputs, self.outputs],
            indices: vec![self.adjacent.concat()],
            floats: vec![self.d_y.clone()],
        }
    }

    fn operations(&self) -> f64 {
        (self.faces * self.inputs * (24 * self.outputs + 40)) as f64
    }
}

/// A strip of triangles, and the picture of a disc.
pub(super) struct Silhouette {
    size: usize,
    faces: Vec<[u32; 3]>,
    target: Vec<f64>,
    parameters: Vec<f64>,
}

const SHARPNESS: f64 = 0.01;

impl Silhouette {
    /// `64x20` is a picture of 64 by 64 pixels and 20 triangles.
    pub(super) fn load(case: &str) -> Option<Silhouette> {
        let [size, faces] = numbers(case)?;
        let parameters = Lcg(29).floats(2 * (faces + 2), -0.8, 0.8);
        let faces = (0..faces as u32).map(|i| [i, i + 1, i + 2]).collect();
        let at = |k: usize| (2 * k + 1) as f64 / size as f64 - 1.0;
        let covered = |k: usize| at(k % size).powi(2) + at(k / size).powi(2) < 0.25;
        let target = (0..size * size).map(|k| if covered(k) { 1.0 } else { 0.0 }).collect();
        Some(Silhouette { size, faces, target, parameters })
    }
}

impl Workload for Silhouette {
    fn parameters(&self) -> Vec<f64> {
        self.parameters.clone()
    }

    super::entry_points! {
        self: soft_rasteriser(
            vertices: Rows<2> = self.parameters.len(); &self.faces, &self.target, self.size, SHARPNESS
        )
    }

    fn constants(&self) -> Constants {
        Constants {
            sizes: vec![self.size],
            indices: vec![self.faces.concat()],
            floats: vec![self.target.clone()],
        }
    }

    fn operations(&self) -> f64 {
        (250 * self.target.len() * self.faces.len()) as f64
    }
}
