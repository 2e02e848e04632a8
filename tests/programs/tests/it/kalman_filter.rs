//! A scalar Kalman filter: several scalars updated in turn, log-likelihood of the innovations.

use pardiff::differentiate;
use pardiff_programs::{check, random};

#[differentiate(wrt(a, q, r))]
pub fn likelihood(a: f64, q: f64, r: f64, y: &[f64]) -> f64 {
    let mut x = 0.0;
    let mut p = 1.0;
    let mut log = 0.0;
    for t in 0..y.len() {
        x = a * x;
        p = a * p * a + q;
        let s = p + r;
        let e = y[t] - x;
        log += -0.5 * (s.ln() + e * e / s);
        let gain = p / s;
        x += gain * e;
        p *= 1.0 - gain;
    }
    log
}

#[test]
fn gradient() {
    let y = random(1, 10);
    let (mut d_a, mut d_q, mut d_r) = (0.0, 0.0, 0.0);
    let value = likelihood::grad(0.9, &mut d_a, 0.3, &mut d_q, 0.5, &mut d_r, &y);
    assert_eq!(value, likelihood(0.9, 0.3, 0.5, &y));
    check(|v| likelihood(v[0][0], v[0][1], v[0][2], &y), &[&[0.9, 0.3, 0.5]], &[&[d_a, d_q, d_r]]);
}
