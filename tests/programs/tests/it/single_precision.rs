//! A kernel in `f32` throughout.

use pardiff::differentiate;
use pardiff_programs::{check_single, random};

#[differentiate]
pub fn loss(w: &[f32], x: &[f32], y: &[f32]) -> f32 {
    let mut total = 0.0;
    for i in 0..y.len() {
        let mut p = w[0];
        for j in 1..w.len() {
            p += w[j] * (x[i] * j as f32).sin();
        }
        let r = p - y[i];
        total += if r.abs() < 0.5 { 0.5 * r * r } else { 0.5 * (r.abs() - 0.25) };
    }
    total
}

#[test]
fn gradient() {
    let single = |v: &[f64]| -> Vec<f32> { v.iter().map(|x| *x as f32).collect() };
    let double = |v: &[f32]| -> Vec<f64> { v.iter().map(|x| f64::from(*x)).collect() };
    let (w, x, y) = (random(1, 4), random(2, 6), random(3, 6));
    let (value, gradient) = loss::gradient(&single(&w), &single(&x), &single(&y));
    let expected = loss(&single(&w), &single(&x), &single(&y));
    assert!((value - expected).abs() <= 1e-6 * expected.abs(), "{value} {expected}");
    let run = |v: &[Vec<f64>]| f64::from(loss(&single(&v[0]), &single(&v[1]), &single(&v[2])));
    let found = [&double(&gradient.w)[..], &double(&gradient.x), &double(&gradient.y)];
    check_single(run, &[&w, &x, &y], &found);
}
