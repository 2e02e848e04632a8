//! Log-likelihood of a logistic regression; only the weights are active.

use pardiff::differentiate;
use pardiff_programs::{check, random};

#[differentiate(wrt(w, bias))]
pub fn loss(w: &[f64], bias: f64, x: &[f64], label: &[bool], n: usize, d: usize) -> f64 {
    let mut total = 0.0;
    for i in 0..n {
        let mut z = bias;
        for j in 0..d {
            z += w[j] * x[i * d + j];
        }
        // ln(1 + exp(-z)) without overflow
        let margin = if label[i] { z } else { -z };
        total += if margin > 0.0 { (-margin).exp().ln_1p() } else { -margin + margin.exp().ln_1p() };
    }
    total / n as f64
}

#[test]
fn gradient() {
    let (n, d) = (9, 4);
    let (w, x) = (random(1, d), random(2, n * d));
    let label: Vec<bool> = random(3, n).iter().map(|x| *x > 0.0).collect();
    let (value, gradient) = loss::gradient(&w, 0.3, &x, &label, n, d);
    assert_eq!(value, loss(&w, 0.3, &x, &label, n, d));
    let run = |v: &[Vec<f64>]| loss(&v[0], v[1][0], &x, &label, n, d);
    check(run, &[&w, &[0.3]], &[&gradient.w, &[gradient.bias]]);
}
