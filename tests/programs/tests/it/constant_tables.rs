//! Constants and tables from outside, from a path and from the body.

use pardiff::differentiate;
use pardiff_programs::{assert_near, check, random};

mod physics {
    pub const GRAVITY: f64 = 9.81;
}

const NODES: [f64; 3] = [-0.774_596_669_241_483, 0.0, 0.774_596_669_241_483];
static SHIFT: usize = 1;

#[differentiate]
pub fn quadrature(x: &[f64], a: f64) -> f64 {
    const WEIGHTS: [f64; 3] = [5.0 / 9.0, 8.0 / 9.0, 5.0 / 9.0];
    const HALF: f64 = 0.5;
    let mut sum = 0.0;
    for i in 0..x.len() - SHIFT {
        let (lo, hi) = (x[i], x[i + SHIFT]);
        let (middle, half) = (HALF * (lo + hi), HALF * (hi - lo));
        for k in 0..NODES.len() {
            let t = middle + half * NODES[k];
            sum += half * WEIGHTS[k] * (a * t).sin() * physics::GRAVITY;
        }
    }
    sum * std::f64::consts::PI
}

#[test]
fn gradient() {
    let x = random(1, 5);
    let (value, gradient) = quadrature::gradient(&x, 1.4);
    assert_near(&[value], &[quadrature(&x, 1.4)]);
    check(|v| quadrature(&v[0], v[1][0]), &[&x, &[1.4]], &[&gradient.x, &[gradient.a]]);
}
