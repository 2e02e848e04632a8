//! A soft histogram: the bin is computed from a float, its weight is differentiated, the bin is not.

use pardiff::differentiate;
use pardiff_programs::{check, random};

#[differentiate]
pub fn spread(x: &[f64], bins: usize) -> (f64, usize) {
    let mut weight = vec![0.0; bins + 1];
    let mut used = 0;
    for i in 0..x.len() {
        let position = x[i].clamp(0.0, 0.999) * bins as f64;
        let bin = position as usize;
        let part = position - bin as f64;
        weight[bin] += 1.0 - part;
        weight[bin + 1] += part;
        if part > 0.5 {
            used += 1;
        }
    }
    let mut sum = 0.0;
    for b in 0..=bins {
        sum += weight[b] * weight[b];
    }
    (sum, used)
}

#[test]
fn gradient_of_the_float_member() {
    let x: Vec<f64> = random(1, 12).iter().map(|x| 0.5 + 0.62 * x).collect();
    let mut d_x = vec![0.0; 12];
    let (value, used) = spread::vjp(&x, &mut d_x, 4, 1.0);
    assert_eq!((value, used), spread(&x, 4));
    check(|v| spread(&v[0], 4).0, &[&x], &[&d_x]);
}
