//! Forms of integers: bytes and shorts as data, patterns with bindings and guards, signed loops, masks.

use pardiff::differentiate;
use pardiff_programs::{assert_near, check, random};

#[differentiate]
pub fn decoded(x: &[f64], code: &[u8], off: &[i16]) -> f64 {
    let mut s = 0.0;
    for i in 0..code.len() {
        let j = (code[i] as i32 + off[i] as i32).rem_euclid(x.len() as i32) as usize;
        let w = match code[i] {
            b'a' => 1.5,
            0u8..=9 => 2.5,
            c if c > 200 => 0.5,
            _ => x[j],
        };
        s += w * x[j];
    }
    s
}

#[differentiate]
pub fn bound_patterns(x: &[f64], kinds: &[usize]) -> f64 {
    let mut s = 0.0;
    for i in 0..kinds.len() {
        s += match (kinds[i] + i) % 4 {
            0 => {
                let t = x[i];
                t * t
            }
            n @ 1..=2 => x[i] * n as f64,
            _ => match kinds[i] {
                5 => 0.0,
                _ => x[i].sin(),
            },
        };
    }
    s
}

#[differentiate]
pub fn signed(x: &[f64]) -> f64 {
    let n = x.len() as i64;
    let mut s = 0.0;
    for i in -n..n {
        let j = i.abs().min(n - 1) as usize;
        let sign = if i < 0 { -1.0 } else { 1.0 };
        s += sign * x[j] * (i as f64 + 0.5);
    }
    s
}

#[differentiate]
pub fn masked(x: &[f64], mask: u32) -> f64 {
    let mut s = 0.0;
    for i in 0..x.len() as u32 {
        if mask & (1 << i) != 0 {
            s += x[i as usize].powi(i as i32 + 1);
        }
    }
    s
}

#[test]
fn bytes() {
    let x = random(7, 6);
    let mut d_x = vec![0.0; x.len()];
    let value = decoded::grad(&x, &mut d_x, &[b'a', 3, 250, 77, 9], &[1, -40, 7, 0, 12]);
    assert_eq!(value, decoded(&x, &[b'a', 3, 250, 77, 9], &[1, -40, 7, 0, 12]));
    check(|v| decoded(&v[0], &[b'a', 3, 250, 77, 9], &[1, -40, 7, 0, 12]), &[&x], &[&d_x]);
}

#[test]
fn patterns() {
    let x = random(7, 6);
    let mut d_x = vec![0.0; x.len()];
    let value = bound_patterns::grad(&x, &mut d_x, &[0, 1, 5, 2, 7, 5]);
    assert_eq!(value, bound_patterns(&x, &[0, 1, 5, 2, 7, 5]));
    check(|v| bound_patterns(&v[0], &[0, 1, 5, 2, 7, 5]), &[&x], &[&d_x]);
}

#[test]
fn signed_loops() {
    let x = random(7, 6);
    let mut d_x = vec![0.0; x.len()];
    let value = signed::grad(&x, &mut d_x);
    assert_near(&[value], &[signed(&x)]);
    check(|v| signed(&v[0]), &[&x], &[&d_x]);
}

#[test]
fn bits() {
    let x = random(7, 6);
    let mut d_x = vec![0.0; x.len()];
    let value = masked::grad(&x, &mut d_x, 0b101101);
    assert_eq!(value, masked(&x, 0b101101));
    check(|v| masked(&v[0], 0b101101), &[&x], &[&d_x]);
}

/// Neighbours at signed distances, those outside left out, and those that stop at the ends.
#[differentiate]
pub fn around(x: &[f64], w: &[f64], reach: isize) -> f64 {
    let n = x.len();
    let mut s = 0.0;
    for i in 0..n {
        for d in -reach..=reach {
            if let Some(j) = i.checked_add_signed(d).filter(|&j| j < n) {
                s += w[d.unsigned_abs()] * (x[i] - x[j]) * (x[i] - x[j]);
            }
            let k = i.saturating_add_signed(2 * d).min(n - 1);
            s += 0.1 * x[i] * x[k].sin();
        }
    }
    s
}

#[test]
fn signed_distances() {
    for (n, reach) in [(0, 2), (1, 3), (6, 0), (9, 2), (3, 5)] {
        let (x, w) = (random(7, n), random(8, reach + 1));
        let (y, g) = around::gradient(&x, &w, reach as isize);
        assert_near(&[y], &[around(&x, &w, reach as isize)]);
        check(|v| around(&v[0], &v[1], reach as isize), &[&x, &w], &[&g.x, &g.w]);
    }
}
