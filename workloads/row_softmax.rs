//! A softmax over the entries of each row of a sparse matrix.

use pardiff::differentiate;

/// Sum over the rows of the expected `payoff` under the softmax of `values[k] * x[columns[k]]`.
///
/// Row `i` has the entries `row_start[i]..row_start[i + 1]`; rows may be empty.
#[differentiate(wrt(values, x))]
pub fn row_softmax(values: &[f64], x: &[f64], payoff: &[f64], row_start: &[usize], columns: &[usize]) -> f64 {
    let mut total = 0.0;
    for i in 0..row_start.len() - 1 {
        let mut largest = f64::NEG_INFINITY;
        for k in row_start[i]..row_start[i + 1] {
            largest = largest.max(values[k] * x[columns[k]]);
        }
        let mut sum = 0.0;
        let mut expected = 0.0;
        for k in row_start[i]..row_start[i + 1] {
            let weight = (values[k] * x[columns[k]] - largest).exp();
            sum += weight;
            expected += weight * payoff[k];
        }
        if row_start[i] < row_start[i + 1] {
            total += expected / sum;
        }
    }
    total
}
