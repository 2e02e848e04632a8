//! Rows behind an index.

/// Gradient of [`lennard_jones`](fn@crate::lennard_jones::lennard_jones).
pub fn lennard_jones(
    position: &[[f64; 3]],
    d_position: &mut [[f64; 3]],
    start: &[u32],
    neighbours: &[u32],
    sigma: f64,
    cutoff: f64,
) -> f64 {
    let s6 = (sigma / cutoff).powi(6);
    let shift = 4.0 * (s6 * s6 - s6);
    let mut energy = 0.0;
    for (i, range) in start.windows(2).enumerate() {
        let p = position[i];
        let mut d_p = [0.0; 3];
        for &j in &neighbours[range[0] as usize..range[1] as usize] {
            let q = position[j as usize];
            let e = [p[0] - q[0], p[1] - q[1], p[2] - q[2]];
            let square = e[0] * e[0] + e[1] * e[1] + e[2] * e[2];
            if square < cutoff * cutoff {
                let inverse = 1.0 / square;
                let s2 = sigma * sigma * inverse;
                let s6 = s2 * s2 * s2;
                energy += 4.0 * (s6 * s6 - s6) - shift;
                // d energy / d square, twice
                let slope = -24.0 * (2.0 * s6 * s6 - s6) * inverse;
                let d_q = &mut d_position[j as usize];
                for a in 0..3 {
                    d_p[a] += slope * e[a];
                    d_q[a] -= slope * e[a];
                }
            }
        }
        for a in 0..3 {
            d_position[i][a] += d_p[a];
        }
    }
    energy
}

/// What [`row_softmax`] is given besides its parameters.
pub struct Rows<'a> {
    /// One an entry.
    pub payoff: &'a [f64],
    /// Starts of the rows.
    pub row_start: &'a [usize],
    /// One an entry.
    pub columns: &'a [usize],
}

/// Gradient of [`row_softmax`](fn@crate::row_softmax::row_softmax).
pub fn row_softmax(values: &[f64], d_values: &mut [f64], x: &[f64], d_x: &mut [f64], rows: &Rows) -> f64 {
    let mut total = 0.0;
    let mut weight = Vec::new();
    for range in rows.row_start.windows(2) {
        let row = range[0]..range[1];
        if row.is_empty() {
            continue;
        }
        weight.clear();
        let mut largest = f64::NEG_INFINITY;
        for k in row.clone() {
            weight.push(values[k] * x[rows.columns[k]]);
            largest = largest.max(weight[k - row.start]);
        }
        let (mut sum, mut expected) = (0.0, 0.0);
        for (weight, payoff) in weight.iter_mut().zip(&rows.payoff[row.clone()]) {
            *weight = (*weight - largest).exp();
            sum += *weight;
            expected += *weight * payoff;
        }
        expected /= sum;
        total += expected;
        for k in row.clone() {
            let d_score = weight[k - row.start] / sum * (rows.payoff[k] - expected);
            d_values[k] += d_score * x[rows.columns[k]];
            d_x[rows.columns[k]] += d_score * values[k];
        }
    }
    total
}
