//! A packed triangle written by a counter that runs up and read by one that runs down.

use pardiff::differentiate;
use pardiff_programs::{check, random};

#[differentiate]
pub fn up_and_down(x: &[f64], n: usize) -> f64 {
    let mut tri = vec![0.0; n * (n + 1) / 2];
    let mut p = 0;
    for i in 0..n {
        for j in 0..=i {
            tri[p] = x[i] * x[j];
            p += 1;
        }
    }
    let mut q = tri.len();
    let mut s = 0.0;
    for i in 0..n {
        for _ in 0..=i {
            q -= 1;
            s = 0.7 * s + tri[q] * s + tri[q];
        }
    }
    s
}

#[test]
fn gradient() {
    let x = random(4, 4);
    let mut d_x = vec![0.0; x.len()];
    let value = up_and_down::grad(&x, &mut d_x, 4);
    assert_eq!(value, up_and_down(&x, 4));
    check(|v| up_and_down(&v[0], 4), &[&x], &[&d_x]);
}
