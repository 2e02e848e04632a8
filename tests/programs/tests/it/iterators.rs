//! Kernels written with iterators: each gradient against finite differences.

use pardiff::differentiate;
use pardiff_programs::{check, positive, random};

#[differentiate]
pub fn dot(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).map(|(a, b)| a * b).sum()
}

#[test]
fn dot_product() {
    let (x, y) = (random(1, 7), random(2, 7));
    let (value, g) = dot::gradient(&x, &y);
    assert_eq!(value, dot(&x, &y));
    check(|v| dot(&v[0], &v[1]), &[&x, &y], &[&g.x, &g.y]);
    // the shorter one decides
    let (_, g) = dot::gradient(&x, &y[..3]);
    assert_eq!(g.x[3..], [0.0; 4]);
}

#[differentiate(wrt(w))]
pub fn logistic(w: &[f64], rows: &[f64], labels: &[bool]) -> f64 {
    rows.chunks_exact(w.len())
        .zip(labels)
        .map(|(row, &label)| {
            let score = row.iter().zip(w).map(|(a, b)| a * b).sum::<f64>();
            (if label { -score } else { score }).exp().ln_1p()
        })
        .sum::<f64>()
        / labels.len() as f64
}

#[test]
fn logistic_regression() {
    let (w, rows) = (random(3, 4), random(4, 24));
    let labels = [true, false, false, true, true, false];
    let (value, g) = logistic::gradient(&w, &rows, &labels);
    assert!((value - logistic(&w, &rows, &labels)).abs() < 1e-14);
    check(|v| logistic(&v[0], &rows, &labels), &[&w], &[&g.w]);
}

#[differentiate]
pub fn roughness(x: &[f64]) -> f64 {
    x.windows(3).map(|w| (w[0] - 2.0 * w[1] + w[2]).powi(2)).sum::<f64>().sqrt()
}

#[test]
fn windows() {
    let x = random(5, 9);
    let (_, g) = roughness::gradient(&x);
    check(|v| roughness(&v[0]), &[&x], &[&g.x]);
}

#[differentiate]
pub fn softmax(x: &[f64], y: &mut [f64]) {
    let largest = x.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    for (out, v) in y.iter_mut().zip(x) {
        *out = (v - largest).exp();
    }
    let total: f64 = y.iter().sum();
    y.iter_mut().for_each(|out| *out /= total);
}

#[test]
fn written_in_place() {
    let x = random(6, 5);
    let weights = random(7, 5);
    let (mut y, mut d_x, mut d_y) = (vec![0.0; 5], vec![0.0; 5], weights.clone());
    softmax::vjp(&x, &mut d_x, &mut y, &mut d_y);
    let value = |v: &[Vec<f64>]| {
        let mut y = vec![0.0; 5];
        softmax(&v[0], &mut y);
        y.iter().zip(&weights).map(|(a, b)| a * b).sum()
    };
    check(value, &[&x], &[&d_x]);
}

#[differentiate]
pub fn horner(coefficients: &[f64], x: f64) -> f64 {
    coefficients.iter().rev().fold(0.0, |value, c| value * x + c)
}

#[test]
fn folded_backwards() {
    let c = random(8, 6);
    let (_, g) = horner::gradient(&c, 0.7);
    check(|v| horner(&v[0], v[1][0]), &[&c, &[0.7]], &[&g.coefficients, &[g.x]]);
}

#[differentiate]
pub fn mean_and_spread(x: &[f64]) -> (f64, f64) {
    let n = x.len() as f64;
    let (sum, squares) = x.iter().fold((0.0, 0.0), |(sum, squares), v| (sum + v, squares + v * v));
    let mean = sum / n;
    (mean, (squares / n - mean * mean).sqrt())
}

#[test]
fn folds_of_tuples() {
    let x = random(9, 6);
    let mut d_x = vec![0.0; 6];
    mean_and_spread::vjp(&x, &mut d_x, (0.5, 2.0));
    let value = |v: &[Vec<f64>]| {
        let (mean, spread) = mean_and_spread(&v[0]);
        0.5 * mean + 2.0 * spread
    };
    check(value, &[&x], &[&d_x]);
}

#[differentiate]
pub fn hinge(x: &[f64], margin: f64) -> f64 {
    let over: Vec<f64> = x.iter().map(|v| margin - v).filter(|r| *r > 0.0).collect();
    let first = x.iter().enumerate().filter(|(i, _)| i % 2 == 0).map(|(i, v)| v * i as f64).sum::<f64>();
    over.iter().map(|r| r * r).sum::<f64>() + 0.1 * first
}

#[test]
fn filtered_and_collected() {
    let x = random(10, 8);
    let (_, g) = hinge::gradient(&x, 0.3);
    check(|v| hinge(&v[0], v[1][0]), &[&x, &[0.3]], &[&g.x, &[g.margin]]);
}

#[differentiate]
pub fn trapezoid(t: &[f64], y: &[f64]) -> f64 {
    let steps: Vec<f64> = t.iter().zip(t.iter().skip(1)).map(|(a, b)| b - a).collect();
    steps.iter().enumerate().map(|(i, h)| 0.5 * h * (y[i] + y[i + 1])).sum()
}

#[test]
fn skipped_and_zipped() {
    let (t, y) = (positive(11, 6), random(12, 6));
    let (_, g) = trapezoid::gradient(&t, &y);
    check(|v| trapezoid(&v[0], &v[1]), &[&t, &y], &[&g.t, &g.y]);
}

#[differentiate]
pub fn composed(x: &[f64], y: &[f64]) -> f64 {
    let mut total = 1.0;
    for (i, (chunk, &v)) in x.chunks(3).zip(y.iter()).enumerate().rev().skip(1) {
        total = total * 0.5 + chunk.iter().map(|a| a * v).sum::<f64>() * (i + 1) as f64;
    }
    for (a, b) in x.iter().step_by(2).zip(y.iter().rev().take(3)) {
        total += (a * b).sin();
    }
    total
}

#[test]
fn compositions() {
    let (x, y) = (random(13, 11), random(14, 5));
    let (_, g) = composed::gradient(&x, &y);
    check(|v| composed(&v[0], &v[1]), &[&x, &y], &[&g.x, &g.y]);
}

#[differentiate]
pub fn centroids(points: &[[f64; 2]], weights: &[f64]) -> f64 {
    let scaled: Vec<[f64; 2]> = points.iter().zip(weights).map(|([x, y], w)| [x * w, y * w]).collect();
    let centre = scaled.iter().fold([0.0; 2], |mut sum, p| {
        sum[0] += p[0];
        sum[1] += p[1];
        sum
    });
    points.iter().map(|&[x, y]| (x - centre[0]).hypot(y - centre[1])).sum()
}

#[test]
fn rows_of_constant_length() {
    let (p, w) = (random(15, 8), positive(16, 4));
    let rows = |v: &[f64]| v.chunks(2).map(|p| [p[0], p[1]]).collect::<Vec<_>>();
    let (_, g) = centroids::gradient(&rows(&p), &w);
    check(|v| centroids(&rows(&v[0]), &v[1]), &[&p, &w], &[g.points.as_flattened(), &g.weights]);
}

#[differentiate]
pub fn blocks(y: &mut [f64], x: &[f64], block: usize) {
    for (i, (part, v)) in y.chunks_mut(block).zip(x).enumerate() {
        for w in part.iter_mut() {
            *w = *w * v + i as f64;
        }
    }
}

#[test]
fn chunks_of_an_output() {
    let (y, x) = (random(17, 7), random(18, 4));
    let seeds = random(19, 7);
    let (mut out, mut d_y, mut d_x) = (y.clone(), seeds.clone(), vec![0.0; 4]);
    blocks::vjp(&mut out, &mut d_y, &x, &mut d_x, 2);
    let value = |v: &[Vec<f64>]| {
        let mut y = v[0].clone();
        blocks(&mut y, &v[1], 2);
        y.iter().zip(&seeds).map(|(a, b)| a * b).sum()
    };
    check(value, &[&y, &x], &[&d_y, &d_x]);
    let panic = std::panic::catch_unwind(|| blocks::vjp(&mut [1.0], &mut [1.0], &[1.0], &mut [0.0], 0));
    assert!(panic.is_err(), "a chunk size of zero panics as in std");
}

#[differentiate]
pub fn every_adapter(x: &[f64], y: &mut [f64]) -> f64 {
    for (pair, v) in y.chunks_exact_mut(2).zip(x.iter().cloned()) {
        pair[0] *= v;
        pair[1] += pair[0];
    }
    let mut total = x.iter().copied().map(f64::cos).product::<f64>();
    for part in x.chunks_exact(2).rev().step_by(2).take(2) {
        debug_assert_eq!(part.len(), 2);
        total += part[0] * part[1];
    }
    for v in y.iter().skip(1).take(3) {
        total += v * v;
    }
    for v in [total, 2.0].into_iter() {
        total += 0.5 * v * v;
    }
    let many = x.iter().filter(|v| **v > 0.0).count();
    assert_ne!(many, 100);
    total * (1 + many) as f64
}

#[test]
fn adapters() {
    let (x, y) = (random(20, 7), random(21, 5));
    let seeds = random(22, 5);
    let (mut out, mut d_y, mut d_x) = (y.clone(), seeds.clone(), vec![0.0; 7]);
    every_adapter::grad(&x, &mut d_x, &mut out, &mut d_y);
    let value = |v: &[Vec<f64>]| {
        let mut y = v[1].clone();
        let value = every_adapter(&v[0], &mut y);
        value + y.iter().zip(&seeds).map(|(a, b)| a * b).sum::<f64>()
    };
    check(value, &[&x, &y], &[&d_x, &d_y]);
}

/// The loops of iterators are proved parallel as those of indices are.
#[test]
fn iterators_are_parallel() {
    assert!(dot::DECISIONS.contains("parallel"), "{}", dot::DECISIONS);
    assert!(logistic::DECISIONS.contains("parallel"), "{}", logistic::DECISIONS);
}
