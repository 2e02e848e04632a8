//! Prefix sums and products in place: an element is made from the one before it.

use pardiff::differentiate;
use pardiff_programs::{assert_near, check, dot, random};

#[differentiate]
pub fn sums(x: &mut [f64]) {
    for i in 1..x.len() {
        x[i] += x[i - 1];
    }
}

#[differentiate]
pub fn products(x: &[f64], y: &mut [f64]) {
    let mut product = 1.0;
    for i in 0..x.len() {
        product *= x[i];
        y[i] = product;
    }
}

#[test]
fn suffix_sums_of_the_seed() {
    let (start, seed) = (random(1, 6), random(2, 6));
    let (mut x, mut d_x) = (start.clone(), seed.clone());
    sums::vjp(&mut x, &mut d_x);
    let suffix: Vec<f64> = (0..6).map(|i| seed[i..].iter().sum()).collect();
    assert_near(&d_x, &suffix);
}

#[test]
fn products_with_a_zero() {
    let mut x = random(3, 5);
    x[2] = 0.0;
    let seed = random(4, 5);
    let (mut d_x, mut y, mut d_y) = (vec![0.0; 5], vec![0.0; 5], seed.clone());
    products::vjp(&x, &mut d_x, &mut y, &mut d_y);
    let run = |v: &[Vec<f64>]| {
        let mut y = vec![0.0; 5];
        products(&v[0], &mut y);
        dot(&y, &seed)
    };
    check(run, &[&x], &[&d_x]);
}
