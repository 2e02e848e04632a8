//! A filter whose terms depend on a condition, with `continue` for what is out of range.

use pardiff::differentiate;
use pardiff_programs::{check, dot, random};

#[differentiate]
pub fn filter(x: &[f64], y: &mut [f64], radius: i64, sigma: f64) {
    let n = x.len() as i64;
    for i in 0..n {
        let mut sum = 0.0;
        let mut norm = 0.0;
        for offset in -radius..=radius {
            let j = i + offset;
            if j < 0 || j >= n {
                continue;
            }
            let d = x[i as usize] - x[j as usize];
            let w = (-d * d / (2.0 * sigma * sigma)).exp();
            sum += w * x[j as usize];
            norm += w;
        }
        y[i as usize] = sum / norm;
    }
}

#[test]
fn adjoint() {
    let (x, seed) = (random(1, 7), random(2, 7));
    let (mut d_x, mut y, mut d_y, mut d_sigma) = (vec![0.0; 7], vec![0.0; 7], seed.clone(), 0.0);
    filter::vjp(&x, &mut d_x, &mut y, &mut d_y, 2, 0.4, &mut d_sigma);
    let run = |v: &[Vec<f64>]| {
        let mut y = vec![0.0; 7];
        filter(&v[0], &mut y, 2, v[1][0]);
        dot(&y, &seed)
    };
    check(run, &[&x, &[0.4]], &[&d_x, &[d_sigma]]);
}
