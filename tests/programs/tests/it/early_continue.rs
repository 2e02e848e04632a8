//! `continue` in nested loops, with work before and after it.

use pardiff::differentiate;
use pardiff_programs::{check, random};

#[differentiate]
pub fn contacts(p: &[f64], radius: f64) -> f64 {
    let mut sum = 0.0;
    let mut state = 1.0;
    for i in 0..p.len() {
        if p[i] < -0.5 {
            continue;
        }
        state = 0.9 * state + p[i];
        for j in 0..p.len() {
            if i == j {
                continue;
            }
            let d = (p[i] - p[j]).abs();
            if d >= radius {
                continue;
            }
            let overlap = radius - d;
            sum += overlap * overlap * state;
        }
    }
    sum
}

#[test]
fn gradient() {
    let p = random(1, 9);
    let (value, gradient) = contacts::gradient(&p, 0.8);
    assert_eq!(value, contacts(&p, 0.8));
    check(|v| contacts(&v[0], v[1][0]), &[&p, &[0.8]], &[&gradient.p, &[gradient.radius]]);
}
