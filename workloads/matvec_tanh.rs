//! A dense layer with the hyperbolic tangent.

use pardiff::differentiate;

/// Half the squared norm of `tanh(A x)`; `a` has `n` rows of `n`, `x` has `n` entries.
#[differentiate]
pub fn matvec_tanh(a: &[f64], x: &[f64], n: usize) -> f64 {
    let mut total = 0.0;
    for i in 0..n {
        let mut s = 0.0;
        for j in 0..n {
            s += a[i * n + j] * x[j];
        }
        let y = s.tanh();
        total += 0.5 * y * y;
    }
    total
}
