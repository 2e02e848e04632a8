//! Indices from every kind of integer arithmetic.

use pardiff::differentiate;
use pardiff_programs::{assert_near, check, random};

#[differentiate]
pub fn gather(x: &[f64], key: &[i32]) -> f64 {
    let n = x.len();
    let mut sum = 0.0;
    for i in 0..key.len() {
        let k = key[i];
        let a = k.rem_euclid(n as i32) as usize;
        let b = k.unsigned_abs() as usize % n;
        let c = i.abs_diff(n / 2).min(n - 1);
        let d = (i * i + 3) % n;
        let e = (k.wrapping_mul(7) & 3) as usize;
        let f = (1usize << (i % 3)) - 1;
        let g = i.saturating_sub(2).pow(2).max(1) % n;
        let h = ((k as f64).abs() as usize ^ i) % n;
        sum += x[a] * x[b] + x[c] * x[d] * (k.signum() as f64);
        sum += x[e] * x[f].sin() + x[g] * x[h];
    }
    sum
}

#[test]
fn gradient() {
    let (x, key) = (random(1, 6), [3, -4, 17, 0, 5, -11]);
    let (value, gradient) = gather::gradient(&x, &key);
    assert_near(&[value], &[gather(&x, &key)]);
    check(|v| gather(&v[0], &key), &[&x], &[&gradient.x]);
}
