//! Horner's rule: a scalar that depends on itself through the loop, downwards.

use pardiff::differentiate;
use pardiff_programs::{assert_near, check, random};

#[differentiate]
pub fn horner(c: &[f64], x: f64) -> f64 {
    let mut p = 0.0;
    for k in (0..c.len()).rev() {
        p = p * x + c[k];
    }
    p
}

#[test]
fn closed_form() {
    let (c, x) = (random(1, 6), 0.8);
    let (mut d_c, mut d_x) = (vec![0.0; 6], 0.0);
    let value = horner::grad(&c, &mut d_c, x, &mut d_x);
    // products and sums may be fused
    assert_near(&[value], &[horner(&c, x)]);
    assert_near(&d_c, &(0..6).map(|k| x.powi(k)).collect::<Vec<_>>());
    assert_near(&[d_x], &[(1..6).map(|k| c[k] * k as f64 * x.powi(k as i32 - 1)).sum()]);
    check(|v| horner(&v[0], v[1][0]), &[&c, &[x]], &[&d_c, &[d_x]]);
}
