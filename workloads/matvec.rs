//! A dense matrix times a vector.

use pardiff::differentiate;

/// Half the squared norm of `A x`; `a` has `n` rows of `n`, `x` has `n` entries.
#[differentiate]
pub fn matvec(a: &[f64], x: &[f64], n: usize) -> f64 {
    let mut total = 0.0;
    for i in 0..n {
        let mut y = 0.0;
        for j in 0..n {
            y += a[i * n + j] * x[j];
        }
        total += 0.5 * y * y;
    }
    total
}
