//! Classification with linear scores: log-sum-exp over the classes.

use pardiff::differentiate;

/// Negative log-likelihood of the labels.
///
/// Shapes: `w` has a row of `d` for each of `k` classes, `x` has `n` rows of `d`, `label` has `n` entries below `k`.
#[differentiate(wrt(w))]
pub fn softmax_regression(w: &[f64], x: &[f64], label: &[u32], d: usize, k: usize, n: usize) -> f64 {
    let mut total = 0.0;
    let mut score = vec![0.0; k];
    for i in 0..n {
        for c in 0..k {
            score[c] = 0.0;
            for j in 0..d {
                score[c] += w[c * d + j] * x[i * d + j];
            }
        }
        let mut largest = score[0];
        for c in 1..k {
            largest = largest.max(score[c]);
        }
        let mut sum = 0.0;
        for c in 0..k {
            sum += (score[c] - largest).exp();
        }
        total += largest + sum.ln() - score[label[i] as usize];
    }
    total
}
