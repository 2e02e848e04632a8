//! `fill`, `copy_from_slice`, `swap` of elements, rows copied as a whole, arrays swapped as a whole.

use pardiff::differentiate;
use pardiff_programs::{check, random};

#[differentiate]
pub fn shuffle(x: &[f64; 4], a: f64) -> f64 {
    let mut u = [0.0; 4];
    let mut v = [1.0; 4];
    u.copy_from_slice(x);
    v.fill(a * x[1]);
    v[2] += x[2];
    u.swap(0, 3);
    std::mem::swap(&mut u, &mut v);
    let mut rows = [[0.0; 4]; 3];
    rows[0] = u;
    rows[1] = v;
    rows[2] = rows[0];
    rows[0] = [a; 4];
    let mut sum = 0.0;
    for k in 0..4 {
        sum += rows[0][k] * rows[1][k] + rows[2][k] * rows[2][k] * (k + 1) as f64;
    }
    let (mut p, mut q) = (sum, a);
    std::mem::swap(&mut p, &mut q);
    p * p + q
}

#[test]
fn gradient() {
    let x: [f64; 4] = random(1, 4).try_into().unwrap();
    let (value, gradient) = shuffle::gradient(&x, 0.7);
    assert_eq!(value, shuffle(&x, 0.7));
    let run = |v: &[Vec<f64>]| shuffle(&v[0].clone().try_into().unwrap(), v[1][0]);
    check(run, &[&x, &[0.7]], &[&gradient.x, &[gradient.a]]);
}
