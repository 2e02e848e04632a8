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

/// Vectors that take over the items of others.
#[differentiate]
pub fn merged(x: &[f64], y: &[f64]) -> f64 {
    let mut all = Vec::new();
    all.extend_from_slice(y);
    all.extend(x.iter().filter(|v| **v > 0.0).map(|v| v * v));
    let mut ids = vec![0];
    for (i, v) in x.iter().enumerate() {
        if *v < 0.0 {
            ids.extend(0..i % 3);
            all.extend([*v, y[0]]);
        }
    }
    all.reverse();
    let mut total = 0.0;
    for (k, i) in ids.iter().enumerate() {
        total += all[i + k % 2] * x[*i].sin();
    }
    total + all.iter().map(|v| v * v).sum::<f64>() * all.len() as f64
}

#[test]
fn items_of_others() {
    for (n, m) in [(9, 3), (4, 1), (1, 1)] {
        let (x, y) = (random(2, n), random(3, m));
        let (value, gradient) = merged::gradient(&x, &y);
        assert!((value - merged(&x, &y)).abs() < 1e-12);
        check(|v| merged(&v[0], &v[1]), &[&x, &y], &[&gradient.x, &gradient.y]);
    }
}
