//! Spectra of signals.

use num_complex::Complex64;
use pardiff::differentiate;

/// The discrete Fourier transform in place; the length is a power of two, and the signal in the order of reversed
/// bits.
#[differentiate(export, check, forward)]
pub fn transform(x: &mut [Complex64], n: usize) {
    let mut len = 2;
    while len <= n {
        let step = Complex64::from_polar(1.0, -2.0 * std::f64::consts::PI / len as f64);
        for start in (0..n).step_by(len) {
            let mut w = Complex64::ONE;
            for k in 0..len / 2 {
                let (a, b) = (x[start + k], x[start + k + len / 2] * w);
                x[start + k] = a + b;
                x[start + k + len / 2] = a - b;
                w *= step;
            }
        }
        len *= 2;
    }
}

/// The distance of a signal's power spectrum from a wanted one.
#[differentiate(check, wrt(signal), uses(transform))]
pub fn distance(signal: &[f64], wanted: &[f64], n: usize) -> f64 {
    let mut x: Vec<Complex64> = signal.iter().map(|&s| Complex64::from(s)).collect();
    transform(&mut x, n);
    x.iter().zip(wanted).map(|(x, w)| (x.norm_sqr() - w).powi(2)).sum()
}

/// The transform by its definition, one sum for each frequency.
#[differentiate(check)]
pub fn by_definition(x: &[Complex64], y: &mut [Complex64]) {
    let n = x.len();
    for k in 0..n {
        let mut sum = Complex64::ZERO;
        for j in 0..n {
            let angle = -2.0 * std::f64::consts::PI * (k * j % n) as f64 / n as f64;
            sum += x[j] * Complex64::cis(angle);
        }
        y[k] = sum;
    }
}
