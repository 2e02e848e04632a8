//! Logistic regression on sparse features.

use pardiff::differentiate;

/// Mean of the logistic losses of `label.len()` examples, with the ridge `0.5 ridge |weight|^2`.
///
/// Example `i` has the feature `column[k]` with the value `value[k]` for `k` in `start[i]..start[i + 1]`; its label is 1 or -1.
#[differentiate(wrt(weight, bias))]
pub fn csr_regression(
    weight: &[f64],
    bias: f64,
    start: &[u32],
    column: &[u32],
    value: &[f64],
    label: &[f64],
    ridge: f64,
) -> f64 {
    let n = label.len();
    let mut loss = 0.0;
    for i in 0..n {
        let mut score = bias;
        for k in start[i] as usize..start[i + 1] as usize {
            score += value[k] * weight[column[k] as usize];
        }
        let margin = label[i] * score;
        // ln(1 + exp(-margin)) by the exponential that does not overflow
        loss += if margin > 0.0 { (-margin).exp().ln_1p() } else { margin.exp().ln_1p() - margin };
    }
    let mut square = 0.0;
    for j in 0..weight.len() {
        square += weight[j] * weight[j];
    }
    loss / n as f64 + 0.5 * ridge * square
}
