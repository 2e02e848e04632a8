//! An array that is read and overwritten several times over, in several loops.

use pardiff::differentiate;
use pardiff_programs::{assert_near, check, dot, positive, random};

#[differentiate]
pub fn layers(y: &mut [f64], x: &[f64]) -> f64 {
    let n = y.len();
    for i in 0..n {
        y[i] = y[i] * x[i];
    }
    for i in 0..n {
        y[i] = y[i] * x[i] + y[(i + 1) % n].sin();
    }
    let middle = y[0] * y[n - 1];
    for i in (0..n).rev() {
        y[i] /= 1.0 + x[i] * x[i] + middle * middle;
        y[i] *= y[i];
    }
    y[1] = middle;
    middle + y[0]
}

#[test]
fn adjoint() {
    let (start, x, seed) = (random(1, 5), positive(2, 5), random(3, 5));
    let (mut y, mut d_y, mut d_x) = (start.clone(), seed.clone(), vec![0.0; 5]);
    let value = layers::vjp(&mut y, &mut d_y, &x, &mut d_x, 0.8);
    let mut again = start.clone();
    // products and sums may be fused
    assert_near(&[value], &[layers(&mut again, &x)]);
    assert_near(&y, &again);
    let run = |v: &[Vec<f64>]| {
        let mut y = v[0].clone();
        let value = layers(&mut y, &v[1]);
        0.8 * value + dot(&y, &seed)
    };
    check(run, &[&start, &x], &[&d_y, &d_x]);
}
