//! `f32` data with sums in `f64`.

use pardiff::differentiate;
use pardiff_programs::{check_single, random};

#[differentiate]
pub fn distance(x: &[f32], y: &[f32], scale: f64) -> f64 {
    let mut sum = 0.0f64;
    for i in 0..x.len() {
        let d = (x[i] - y[i]) as f64 * scale;
        sum += d * d;
    }
    (sum as f32).sqrt() as f64
}

#[test]
fn gradient() {
    let single = |v: &[f64]| -> Vec<f32> { v.iter().map(|x| *x as f32).collect() };
    let double = |v: &[f32]| -> Vec<f64> { v.iter().map(|x| f64::from(*x)).collect() };
    let (x, y) = (random(1, 6), random(2, 6));
    let (value, gradient) = distance::gradient(&single(&x), &single(&y), 1.5);
    assert_eq!(value, distance(&single(&x), &single(&y), 1.5));
    let run = |v: &[Vec<f64>]| distance(&single(&v[0]), &single(&v[1]), v[2][0]);
    let found = [&double(&gradient.x)[..], &double(&gradient.y), &[gradient.scale]];
    check_single(run, &[&x, &y, &[1.5]], &found);
}
