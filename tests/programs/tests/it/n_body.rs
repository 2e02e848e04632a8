//! Potential energy of bodies: pairs `j < i`, positions as rows.

use pardiff::differentiate;
use pardiff_programs::{check, positive, random};

#[differentiate]
pub fn energy(p: &[[f64; 3]], mass: &[f64]) -> f64 {
    let mut sum = 0.0;
    for i in 0..p.len() {
        for j in 0..i {
            let mut d2 = 1e-2;
            for k in 0..3 {
                let d = p[i][k] - p[j][k];
                d2 += d * d;
            }
            sum -= mass[i] * mass[j] / d2.sqrt();
        }
    }
    sum
}

#[test]
fn forces() {
    let (p, mass) = (random(1, 15), positive(2, 5));
    let points = |v: &[f64]| -> Vec<[f64; 3]> { v.chunks(3).map(|p| [p[0], p[1], p[2]]).collect() };
    let (value, gradient) = energy::gradient(&points(&p), &mass);
    assert_eq!(value, energy(&points(&p), &mass));
    check(|v| energy(&points(&v[0]), &v[1]), &[&p, &mass], &[gradient.p.as_flattened(), &gradient.mass]);
    // action and reaction
    for k in 0..3 {
        let total: f64 = gradient.p.iter().map(|p| p[k]).sum();
        assert!(total.abs() < 1e-12);
    }
}
