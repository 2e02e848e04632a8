//! Many small linear systems.

use pardiff::differentiate;

/// Half the squared distance of the solutions of `A x = b` from `target`, by elimination without pivoting.
///
/// Shapes: one matrix, right side and target a system.
#[differentiate(wrt(a, b))]
pub fn batched_solve(a: &[[[f64; 3]; 3]], b: &[[f64; 3]], target: &[[f64; 3]]) -> f64 {
    let mut total = 0.0;
    for s in 0..a.len() {
        let mut m = [[0.0; 3]; 3];
        let mut x = [0.0; 3];
        for i in 0..3 {
            for j in 0..3 {
                m[i][j] = a[s][i][j];
            }
            x[i] = b[s][i];
        }
        for k in 0..3 {
            for i in k + 1..3 {
                let f = m[i][k] / m[k][k];
                for j in k + 1..3 {
                    m[i][j] -= f * m[k][j];
                }
                x[i] -= f * x[k];
            }
        }
        for i in (0..3).rev() {
            for j in i + 1..3 {
                x[i] -= m[i][j] * x[j];
            }
            x[i] /= m[i][i];
        }
        for i in 0..3 {
            let e = x[i] - target[s][i];
            total += 0.5 * e * e;
        }
    }
    total
}
