//! A convolution on the faces of a triangle mesh, as SubdivNet does it.

use pardiff::differentiate;

/// The inner product of the layer's output with `d_y`.
///
/// A face sees itself, the sum of its three neighbours, how much these differ from each other and how much they differ from it;
/// each of the four has a matrix of weights.
///
/// Shapes: `x` has one row of `inputs` features a face, `weight` has four matrices of `inputs` rows of `outputs`, `d_y` one row of
/// `outputs` a face; `adjacent` has the three neighbours of each face.
#[differentiate(wrt(x, weight))]
pub fn mesh_convolution(
    x: &[f64],
    weight: &[f64],
    adjacent: &[[u32; 3]],
    d_y: &[f64],
    inputs: usize,
    outputs: usize,
) -> f64 {
    let mut total = 0.0;
    for face in 0..adjacent.len() {
        let mut y = vec![0.0; outputs];
        for k in 0..inputs {
            let own = x[face * inputs + k];
            let mut sum = 0.0;
            let mut between = 0.0;
            let mut from_own = 0.0;
            for e in 0..3 {
                let near = x[adjacent[face][e] as usize * inputs + k];
                let next = x[adjacent[face][(e + 1) % 3] as usize * inputs + k];
                sum += near;
                between += (next - near).abs();
                from_own += (near - own).abs();
            }
            for o in 0..outputs {
                y[o] += own * weight[k * outputs + o]
                    + sum * weight[(inputs + k) * outputs + o]
                    + between * weight[(2 * inputs + k) * outputs + o]
                    + from_own * weight[(3 * inputs + k) * outputs + o];
            }
        }
        for o in 0..outputs {
            total += y[o] * d_y[face * outputs + o];
        }
    }
    total
}
