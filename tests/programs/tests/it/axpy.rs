//! `y += a x`: an output that is updated, and a scalar.

use pardiff::differentiate;
use pardiff_programs::{assert_near, check, dot, random};

#[differentiate]
pub fn axpy(a: f64, x: &[f64], y: &mut [f64]) {
    for i in 0..x.len() {
        y[i] += a * x[i];
    }
}

#[test]
fn adjoint() {
    let (x, y, seed) = (random(1, 6), random(2, 6), random(3, 6));
    let a = 0.7;
    let (mut d_a, mut d_x) = (0.0, vec![0.0; 6]);
    let (mut out, mut d_y) = (y.clone(), seed.clone());
    axpy::vjp(a, &mut d_a, &x, &mut d_x, &mut out, &mut d_y);
    let mut expected = y.clone();
    axpy(a, &x, &mut expected);
    assert_near(&out, &expected);
    // the adjoint of y before the call is that after it
    assert_near(&d_y, &seed);
    assert_near(&[d_a], &[dot(&seed, &x)]);
    let run = |v: &[Vec<f64>]| {
        let mut y = v[2].clone();
        axpy(v[0][0], &v[1], &mut y);
        dot(&y, &seed)
    };
    check(run, &[&[a], &x, &y], &[&[d_a], &d_x, &d_y]);
}
