//! Linear interpolation in a table with an index computed from a float, clamped at the ends.

use pardiff::differentiate;
use pardiff_programs::{check, random};

#[differentiate]
pub fn integrate(table: &[f64], x: &[f64]) -> f64 {
    let mut sum = 0.0;
    let last = table.len() - 1;
    for i in 0..x.len() {
        let t = x[i] * last as f64;
        let k = (t.floor() as isize).clamp(0, last as isize - 1) as usize;
        let w = t - k as f64;
        sum += (1.0 - w) * table[k] + w * table[k + 1];
    }
    sum
}

#[test]
fn gradient() {
    let (table, x) = (random(1, 6), [0.05, 0.33, 0.71, 0.97, 1.3, -0.2]);
    let (value, gradient) = integrate::gradient(&table, &x);
    assert_eq!(value, integrate(&table, &x));
    check(|v| integrate(&v[0], &v[1]), &[&table, &x], &[&gradient.table, &gradient.x]);
}
