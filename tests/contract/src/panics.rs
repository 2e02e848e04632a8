//! Functions whose generated functions panic with a name, an access, an index and a length.

use pardiff::differentiate;

/// Reads `x` as long as `n` says.
#[differentiate]
pub fn sum_of(x: &[f64], w: &[f64], n: usize) -> f64 {
    assert!(n < 100, "too many");
    let mut sum = 0.0;
    for i in 0..n {
        sum += x[2 * i + 1] * w[i];
    }
    sum
}
