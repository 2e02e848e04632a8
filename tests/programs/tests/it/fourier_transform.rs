//! A fast Fourier transform in place: bit reversal, butterflies, strides that double.

use pardiff::differentiate;
use pardiff_programs::{check, random};

#[differentiate]
pub fn spectrum(x: &[f64], levels: usize) -> f64 {
    let n = 1 << levels;
    let mut re = vec![0.0; n];
    let mut im = vec![0.0; n];
    for i in 0..n {
        let mut r = 0;
        for b in 0..levels {
            if i >> b & 1 == 1 {
                r |= 1 << (levels - 1 - b);
            }
        }
        re[r] = x[i % x.len()];
    }
    for l in 1..=levels {
        let len = 1usize << l;
        let ang = -2.0 * std::f64::consts::PI / len as f64;
        for start in (0..n).step_by(len) {
            for k in 0..len / 2 {
                let (c, s) = ((ang * k as f64).cos(), (ang * k as f64).sin());
                let (i, j) = (start + k, start + k + len / 2);
                let (tr, ti) = (re[j] * c - im[j] * s, re[j] * s + im[j] * c);
                re[j] = re[i] - tr;
                im[j] = im[i] - ti;
                re[i] += tr;
                im[i] += ti;
            }
        }
    }
    let mut s = 0.0;
    for i in 0..n {
        s += (re[i] * re[i] + im[i] * im[i]).powi(2) * (i + 1) as f64;
    }
    s
}

#[test]
fn gradient() {
    let x = random(8, 8);
    let mut d_x = vec![0.0; x.len()];
    let value = spectrum::grad(&x, &mut d_x, 3);
    assert_eq!(value, spectrum(&x, 3));
    check(|v| spectrum(&v[0], 3), &[&x], &[&d_x]);
}

#[test]
fn padded() {
    let x = random(5, 5);
    let mut d_x = vec![0.0; x.len()];
    let value = spectrum::grad(&x, &mut d_x, 2);
    assert_eq!(value, spectrum(&x, 2));
    check(|v| spectrum(&v[0], 2), &[&x], &[&d_x]);
}
