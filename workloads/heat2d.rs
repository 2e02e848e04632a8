//! The heat equation in two dimensions, explicit steps.

use pardiff::differentiate;

/// Sum of the squared temperatures after `steps` steps on a grid of `n` by `n`.
///
/// Shapes: `u0` and `k` (conductivity times step) have `n` rows of `n`. The boundary keeps its temperature.
#[differentiate]
pub fn heat2d(u0: &[f64], k: &[f64], n: usize, steps: usize) -> f64 {
    let mut u = u0.to_vec();
    let mut next = u0.to_vec();
    for _ in 0..steps {
        for i in 1..n - 1 {
            for j in 1..n - 1 {
                next[i * n + j] = u[i * n + j]
                    + k[i * n + j]
                        * (u[(i - 1) * n + j] + u[(i + 1) * n + j] + u[i * n + j - 1] + u[i * n + j + 1]
                            - 4.0 * u[i * n + j]);
            }
        }
        std::mem::swap(&mut u, &mut next);
    }
    let mut total = 0.0;
    for i in 0..n * n {
        total += u[i] * u[i];
    }
    total
}
