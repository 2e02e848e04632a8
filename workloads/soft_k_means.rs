//! Clustering with soft assignment.

use pardiff::differentiate;

/// Sum over the points of the squared distances to the centres, weighted by the softmax of minus `beta` times them.
///
/// Shapes: `centres` has `k` rows of `d`, `x` has `n` rows of `d`.
#[differentiate(wrt(centres))]
pub fn soft_k_means(centres: &[f64], x: &[f64], beta: f64, d: usize, k: usize, n: usize) -> f64 {
    let mut total = 0.0;
    for i in 0..n {
        let mut square = vec![0.0; k];
        let mut smallest = f64::MAX;
        for c in 0..k {
            for j in 0..d {
                let e = x[i * d + j] - centres[c * d + j];
                square[c] += e * e;
            }
            smallest = smallest.min(square[c]);
        }
        let mut sum = 0.0;
        let mut weighted = 0.0;
        for c in 0..k {
            let a = (beta * (smallest - square[c])).exp();
            sum += a;
            weighted += a * square[c];
        }
        total += weighted / sum;
    }
    total
}
