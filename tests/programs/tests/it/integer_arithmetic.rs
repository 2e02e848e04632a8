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

#[differentiate]
fn quotients(x: &[f64], n: usize, k: i32) -> f64 {
    let part = x.len().checked_div(n).unwrap_or(1);
    let rest = k.checked_rem(3).map_or(0, |rest| rest.unsigned_abs() as usize);
    let whole = if x.len().is_multiple_of(n) { x[0] } else { x[1] * x[1] };
    let turned = match k.checked_div(-1) {
        Some(turned) => f64::from(turned % 7) * x[0],
        None => x[1],
    };
    x[part % x.len()] * x[rest] * whole
        + turned
        + if k.checked_rem(n as i32).is_none() { x[2].sin() } else { 0.0 }
}

#[test]
fn quotients_that_need_not_be() {
    let x = random(11, 6);
    for n in [0, 1, 2, 4, 6, 100] {
        for k in [i32::MIN, -5, -1, 0, 2, i32::MAX] {
            let (value, g) = quotients::gradient(&x, n, k);
            assert!((value - quotients(&x, n, k)).abs() < 1e-13);
            check(|v| quotients(&v[0], n, k), &[&x], &[&g.x]);
        }
    }
}
