//! A log-sum-exp that rescales its sum when a larger element comes.

use pardiff::differentiate;
use pardiff_programs::{check, random};

#[differentiate]
pub fn log_sum_exp(x: &[f64]) -> f64 {
    let mut m = f64::NEG_INFINITY;
    let mut s = 0.0;
    for i in 0..x.len() {
        if x[i] <= m {
            s += (x[i] - m).exp();
        } else {
            s = s * (m - x[i]).exp() + 1.0;
            m = x[i];
        }
    }
    m + s.ln()
}

#[test]
fn gradient() {
    let x = random(8, 8);
    let mut d_x = vec![0.0; x.len()];
    let value = log_sum_exp::grad(&x, &mut d_x);
    assert_eq!(value, log_sum_exp(&x));
    check(|v| log_sum_exp(&v[0]), &[&x], &[&d_x]);
}
