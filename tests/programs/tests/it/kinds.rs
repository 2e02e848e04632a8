//! `match` on integers, as a statement and as an expression, with alternatives, ranges and a fall-through.

use pardiff::differentiate;
use pardiff_programs::{check, random};

#[differentiate]
pub fn energy(kind: &[i32], x: &[f64], stiffness: &[f64; 3]) -> f64 {
    let mut sum = 0.0;
    for i in 0..kind.len() {
        let k = match kind[i] {
            0 => stiffness[0],
            1 | 2 => stiffness[1] * stiffness[1],
            _ => stiffness[2],
        };
        match kind[i] {
            0..=1 => sum += 0.5 * k * x[i] * x[i],
            2 => {
                let r = x[i].cos();
                sum += k * (1.0 - r);
            }
            -5 => {}
            _ => sum -= k * (-x[i]).exp(),
        }
    }
    sum
}

#[test]
fn gradient() {
    let kind = [0, 1, 2, 3, -5, 2, 9, 1];
    let (x, stiffness) = (random(1, 8), [0.5, 1.5, -0.75]);
    let (value, gradient) = energy::gradient(&kind, &x, &stiffness);
    assert_eq!(value, energy(&kind, &x, &stiffness));
    let run = |v: &[Vec<f64>]| energy(&kind, &v[0], &[v[1][0], v[1][1], v[1][2]]);
    check(run, &[&x, &stiffness], &[&gradient.x, &gradient.stiffness]);
    assert_eq!(gradient.x[4], 0.0);
}
