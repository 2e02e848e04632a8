//! Forms of scalar expressions: assertions, remainders, constants of std, literals with suffixes.

use pardiff::differentiate;
use pardiff_programs::check;

#[differentiate]
pub fn distance(x: &[f64], y: &[f64]) -> f64 {
    assert_eq!(x.len(), y.len(), "lengths differ");
    debug_assert!(x.len() > 0);
    assert!(x.len() < 100, "too long: {}", x.len());
    let mut d = 0.0f64;
    for i in 0..x.len() {
        d = d.max((x[i] - y[i]).abs());
    }
    d
}

#[differentiate]
pub fn remainders(x: f64, y: f64) -> f64 {
    let a = x.rem_euclid(0.7) + (y % 0.3) * 2.0;
    let b = std::f64::consts::E.powf(x) + core::f64::consts::FRAC_PI_2 * y;
    a * b + f64::EPSILON + x.max(f64::MIN).min(f64::MAX)
}

#[differentiate]
pub fn single(x: &[f32]) -> f32 {
    let mut m = f32::NEG_INFINITY;
    for i in 0..x.len() {
        m = f32::max(m, x[i] * 2.0);
    }
    m.ln_1p()
}

#[differentiate]
pub fn literals(x: f64) -> f64 {
    2.0_f64.powf(x) + 1f64.atan2(x) + (0.5f64 + x).mul_add(x, 3.)
}

#[test]
fn assertions_stay() {
    let (x, y) = ([0.3, 0.9], [0.5, -0.2]);
    let (value, gradient) = distance::gradient(&x, &y);
    assert_eq!(value, distance(&x, &y));
    check(|v| distance(&v[0], &v[1]), &[&x, &y], &[&gradient.x, &gradient.y]);
    assert!(std::panic::catch_unwind(|| distance::gradient(&x, &y[1..])).is_err());
}

#[test]
fn remainders_and_constants() {
    let (value, gradient) = remainders::gradient(0.9, 0.4);
    assert_eq!(value, remainders(0.9, 0.4));
    check(|v| remainders(v[0][0], v[0][1]), &[&[0.9, 0.4]], &[&[gradient.x, gradient.y]]);
}

#[test]
fn the_largest_of_singles() {
    let (value, gradient) = single::gradient(&[0.1, 0.7, 0.3]);
    assert_eq!(value, single(&[0.1, 0.7, 0.3]));
    assert_eq!((gradient.x[0], gradient.x[2]), (0.0, 0.0));
    assert!((gradient.x[1] - 2.0 / 2.4).abs() < 1e-6);
}

#[test]
fn literals_with_suffixes() {
    let (value, gradient) = literals::gradient(0.6);
    assert_eq!(value, literals(0.6));
    check(|v| literals(v[0][0]), &[&[0.6]], &[&[gradient.x]]);
}
