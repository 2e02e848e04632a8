//! A list that grows: `push` in a loop, its length afterwards.

use pardiff::differentiate;
use pardiff_programs::{check, random};

#[differentiate]
pub fn spread(x: &[f64]) -> f64 {
    let mut kept = vec![];
    for i in 0..x.len() {
        if x[i] > 0.0 {
            kept.push(x[i].sqrt());
        }
    }
    let mut mean = 0.0;
    for i in 0..kept.len() {
        mean += kept[i];
    }
    mean /= kept.len().max(1) as f64;
    let mut sum = 0.0;
    for i in 0..kept.len() {
        sum += (kept[i] - mean).powi(2);
    }
    sum
}

#[test]
fn gradient() {
    let mut x = random(1, 9);
    x[3] = 0.5;
    x[4] = -0.5;
    let (value, gradient) = spread::gradient(&x);
    assert_eq!(value, spread(&x));
    check(|v| spread(&v[0]), &[&x], &[&gradient.x]);
    assert_eq!(gradient.x[4], 0.0);
    assert_eq!(spread::gradient(&[-1.0, -2.0]).0, 0.0);
}
