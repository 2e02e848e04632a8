//! A sparse matrix in compressed rows times a vector.

use pardiff::differentiate;

/// Half the squared norm of `A x`.
///
/// Row `i` of `A` has `values[k]` in column `columns[k]` for `k` in `row_start[i]..row_start[i + 1]`.
#[differentiate(wrt(values, x))]
pub fn spmv(values: &[f64], x: &[f64], row_start: &[u32], columns: &[u32], n: usize) -> f64 {
    let mut total = 0.0;
    for i in 0..n {
        let mut y = 0.0;
        for k in row_start[i] as usize..row_start[i + 1] as usize {
            y += values[k] * x[columns[k] as usize];
        }
        total += 0.5 * y * y;
    }
    total
}
