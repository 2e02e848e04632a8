//! `strict`: the functions of std and the order of additions of the source, so the value has the bits of the primal.

use pardiff::differentiate;
use pardiff_programs::{check, random};

#[differentiate(strict)]
pub fn rows(a: &[f64], x: &[f64], y: &mut [f64], n: usize, d: usize) {
    for i in 0..n {
        let mut score = 0.0;
        for j in 0..d {
            score += a[i * d + j] * x[j];
        }
        y[i] = score * score;
    }
}

#[differentiate(strict)]
pub fn softmax(a: &[f64], n: usize, d: usize) -> f64 {
    let mut total = 0.0;
    for i in 0..n {
        let mut sum = 0.0;
        for j in 0..d {
            sum += a[i * d + j].exp();
        }
        for j in 0..d {
            total += a[i * d + j].exp() / sum * a[j];
        }
    }
    total
}

#[differentiate(strict)]
pub fn scattered(x: &[f64], at: &[usize], y: &mut [f64], n: usize, d: usize) {
    for i in 0..n {
        for j in 0..d {
            y[at[j]] += x[i * d + j];
        }
    }
}

const N: usize = 700;
const D: usize = 37;

#[test]
fn values_have_the_bits_of_the_primal() {
    let (a, x) = (random(1, N * D), random(2, D));
    let (mut plain, mut value) = (vec![0.0; N], vec![0.0; N]);
    rows(&a, &x, &mut plain, N, D);
    rows::value(&a, &x, &mut value, N, D);
    assert_eq!(plain, value);
    assert_eq!(softmax(&a, N, D).to_bits(), softmax::value(&a, N, D).to_bits());
    let at: Vec<usize> = (0..D).map(|j| j * j % 11).collect();
    let (mut plain, mut value) = (vec![0.5; 11], vec![0.5; 11]);
    scattered(&a, &at, &mut plain, N, D);
    scattered::value(&a, &at, &mut value, N, D);
    assert_eq!(plain, value);
}

#[test]
fn gradients_agree_with_differences() {
    let a = random(3, 4 * 3);
    let mut d_a = vec![0.0; a.len()];
    softmax::grad(&a, &mut d_a, 4, 3);
    check(|v| softmax(&v[0], 4, 3), &[&a], &[&d_a]);
}
