//! Helper functions nested in the body: one calls another, one writes through `&mut`.

use pardiff::differentiate;
use pardiff_programs::{check, random};

#[differentiate]
pub fn energy(x: &[f64], scale: f64) -> f64 {
    fn square(a: f64) -> f64 {
        a * a
    }
    fn norm(v: &[f64]) -> f64 {
        let mut sum = 0.0;
        for i in 0..v.len() {
            sum += square(v[i]);
        }
        sum.sqrt()
    }
    fn scaled(v: &mut [f64], by: f64) {
        for i in 0..v.len() {
            v[i] *= by;
        }
    }
    let mut y = x.to_vec();
    scaled(&mut y, scale);
    let before = norm(&y);
    scaled(&mut y, 1.0 / before);
    before + norm(x) * y[0]
}

#[test]
fn gradient() {
    let x = random(1, 5);
    let (value, gradient) = energy::gradient(&x, 1.3);
    assert_eq!(value, energy(&x, 1.3));
    check(|v| energy(&v[0], v[1][0]), &[&x, &[1.3]], &[&gradient.x, &[gradient.scale]]);
}
