//! Gauss-Jordan elimination with a search for the pivot and exchanges of rows.

use pardiff::differentiate;
use pardiff_programs::{check, random};

#[differentiate]
pub fn weighted_inverse(a: &[f64], n: usize) -> f64 {
    let mut m = vec![0.0; n * 2 * n];
    for i in 0..n {
        for j in 0..n {
            m[i * 2 * n + j] = a[i * n + j];
        }
        m[i * 2 * n + n + i] = 1.0;
    }
    for c in 0..n {
        let mut piv = c;
        for r in c + 1..n {
            if m[r * 2 * n + c].abs() > m[piv * 2 * n + c].abs() {
                piv = r;
            }
        }
        if piv != c {
            for j in 0..2 * n {
                m.swap(c * 2 * n + j, piv * 2 * n + j);
            }
        }
        let d = m[c * 2 * n + c];
        for j in 0..2 * n {
            m[c * 2 * n + j] /= d;
        }
        for r in 0..n {
            if r == c {
                continue;
            }
            let f = m[r * 2 * n + c];
            for j in 0..2 * n {
                m[r * 2 * n + j] -= f * m[c * 2 * n + j];
            }
        }
    }
    let mut t = 0.0;
    for i in 0..n {
        for j in 0..n {
            t += m[i * 2 * n + n + j] * (1 + i + 2 * j) as f64;
        }
    }
    t
}

#[test]
fn gradient() {
    let mut a = random(16, 16);
    a[9] += 3.0;
    a[6] -= 2.0;
    a[15] += 2.0;
    let x = a;
    let mut d_x = vec![0.0; x.len()];
    let value = weighted_inverse::grad(&x, &mut d_x, 4);
    let primal = weighted_inverse(&x, 4);
    assert!((value - primal).abs() <= 1e-14 * primal.abs(), "{value} {primal}: the last sum runs in lanes");
    check(|v| weighted_inverse(&v[0], 4), &[&x], &[&d_x]);
}
