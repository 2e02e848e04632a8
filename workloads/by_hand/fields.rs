//! Fields on a mesh.

/// Gradient of [`dg_volume`](fn@crate::dg_volume::dg_volume) by state and metric: an element after the other, its
/// points side by side.
pub fn dg_volume(
    state: &[[[f64; 125]; 5]],
    d_state: &mut [[[f64; 125]; 5]],
    metric: &[[[f64; 125]; 9]],
    d_metric: &mut [[[f64; 125]; 9]],
    mass: &[[f64; 125]],
    derivative: &[[f64; 5]; 5],
) -> f64 {
    /// Adds the products of a matrix with the lines of points along a coordinate, neighbours of which are `stride`
    /// apart.
    fn along(matrix: &[[f64; 5]; 5], stride: usize, from: &[f64; 125], out: &mut [f64; 125]) {
        for (block, lines) in out.chunks_exact_mut(5 * stride).enumerate() {
            for (i, line) in lines.chunks_exact_mut(stride).enumerate() {
                for (l, sum) in line.iter_mut().enumerate() {
                    let at = block * 5 * stride + l;
                    *sum += (0..5).map(|n| matrix[i][n] * from[at + n * stride]).sum::<f64>();
                }
            }
        }
    }

    const STRIDES: [usize; 3] = [1, 5, 25];
    let transposed: [[f64; 5]; 5] = std::array::from_fn(|n| std::array::from_fn(|i| derivative[i][n]));
    let mut total = 0.0;
    let mut flux = [[[0.0; 125]; 5]; 3];
    let mut d_flux = [[[0.0; 125]; 5]; 3];
    let mut residual = [0.0; 125];
    for (e, (state, metric)) in state.iter().zip(metric).enumerate() {
        let (mass, d_state, d_metric) = (&mass[e], &mut d_state[e], &mut d_metric[e]);
        for d in 0..3 {
            for p in 0..125 {
                let inverse = 1.0 / state[0][p];
                let m = [state[1][p], state[2][p], state[3][p]];
                let energy = state[4][p];
                let pressure = 0.4 * (energy - 0.5 * (m[0] * m[0] + m[1] * m[1] + m[2] * m[2]) * inverse);
                let row = [metric[3 * d][p], metric[3 * d + 1][p], metric[3 * d + 2][p]];
                let normal = mass[p] * (row[0] * m[0] + row[1] * m[1] + row[2] * m[2]);
                flux[d][0][p] = normal;
                for a in 0..3 {
                    flux[d][1 + a][p] = normal * m[a] * inverse + mass[p] * row[a] * pressure;
                }
                flux[d][4][p] = normal * (energy + pressure) * inverse;
            }
        }
        for f in 0..5 {
            residual.fill(0.0);
            for d in 0..3 {
                along(derivative, STRIDES[d], &flux[d][f], &mut residual);
            }
            for p in 0..125 {
                let scaled = residual[p] / mass[p];
                total += 0.5 * residual[p] * scaled;
                residual[p] = scaled;
            }
            for d in 0..3 {
                d_flux[d][f].fill(0.0);
                along(&transposed, STRIDES[d], &residual, &mut d_flux[d][f]);
            }
        }
        for d in 0..3 {
            for p in 0..125 {
                let inverse = 1.0 / state[0][p];
                let m = [state[1][p], state[2][p], state[3][p]];
                let energy = state[4][p];
                let square = m[0] * m[0] + m[1] * m[1] + m[2] * m[2];
                let pressure = 0.4 * (energy - 0.5 * square * inverse);
                let row = [metric[3 * d][p], metric[3 * d + 1][p], metric[3 * d + 2][p]];
                let along = row[0] * m[0] + row[1] * m[1] + row[2] * m[2];
                let bar: [f64; 5] = std::array::from_fn(|f| mass[p] * d_flux[d][f][p]);
                let of_momentum = bar[1] * m[0] + bar[2] * m[1] + bar[3] * m[2];
                let of_energy = bar[4] * (energy + pressure);
                let d_along = bar[0] + (of_momentum + of_energy) * inverse;
                let of_rows = bar[1] * row[0] + bar[2] * row[1] + bar[3] * row[2];
                let d_pressure = of_rows + bar[4] * along * inverse;
                let d_square = -0.2 * d_pressure * inverse;
                let d_inverse = along * (of_momentum + of_energy) - 0.2 * d_pressure * square;
                d_state[0][p] -= d_inverse * inverse * inverse;
                d_state[4][p] += bar[4] * along * inverse + 0.4 * d_pressure;
                for a in 0..3 {
                    d_state[1 + a][p] +=
                        d_along * row[a] + bar[1 + a] * along * inverse + 2.0 * d_square * m[a];
                    d_metric[3 * d + a][p] += d_along * m[a] + bar[1 + a] * pressure;
                }
            }
        }
    }
    total
}
