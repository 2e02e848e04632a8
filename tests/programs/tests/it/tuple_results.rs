//! Several results at once: floats of both widths and an integer.

use pardiff::differentiate;
use pardiff_programs::{check, check_single, random};

#[differentiate]
pub fn statistics(x: &[f64]) -> (f64, usize, f64) {
    let n = x.len();
    let mut mean = 0.0;
    for i in 0..n {
        mean += x[i] / n as f64;
    }
    let mut variance = 0.0;
    let mut above = 0;
    for i in 0..n {
        let r = x[i] - mean;
        variance += r * r / n as f64;
        if r > 0.0 {
            above += 1;
        }
    }
    (mean, above, variance)
}

#[differentiate]
pub fn both(x: f64, y: f32) -> (f64, f32) {
    (x * y as f64, y.sin())
}

#[test]
fn two_seeds() {
    let x = random(1, 6);
    let mut d_x = vec![0.0; 6];
    let result = statistics::vjp(&x, &mut d_x, (0.3, 2.0));
    let expected = statistics(&x);
    assert_eq!((result.0, result.1), (expected.0, expected.1));
    // what conditions count leaves the order of the sum beside it open
    assert!((result.2 / expected.2 - 1.0).abs() < 1e-14, "{result:?} {expected:?}");
    check(|v| 0.3 * statistics(&v[0]).0 + 2.0 * statistics(&v[0]).2, &[&x], &[&d_x]);
}

#[test]
fn seeds_of_two_widths() {
    let (mut d_x, mut d_y) = (0.0, 0.0);
    assert_eq!(both::vjp(1.5, &mut d_x, 0.5, &mut d_y, (2.0, 3.0)), both(1.5, 0.5));
    let run = |v: &[Vec<f64>]| {
        let (a, b) = both(v[0][0], v[0][1] as f32);
        2.0 * a + 3.0 * f64::from(b)
    };
    check_single(run, &[&[1.5, 0.5]], &[&[d_x, f64::from(d_y)]]);
}
