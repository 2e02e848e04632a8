//! A nonlinear stencil over time, in place: each element is read and overwritten in every step.

use pardiff::differentiate;
use pardiff_programs::{check, dot, random};

#[differentiate]
pub fn advance(u: &mut [f64], dt: f64, viscosity: f64, steps: usize) {
    for _ in 0..steps {
        for i in 1..u.len() - 1 {
            let convection = u[i] * (u[i + 1] - u[i - 1]) * 0.5;
            let diffusion = u[i - 1] - 2.0 * u[i] + u[i + 1];
            u[i] += dt * (viscosity * diffusion - convection);
        }
    }
}

#[test]
fn adjoint_of_the_start() {
    let (start, seed) = (random(1, 9), random(2, 9));
    let (mut u, mut d_u, mut d_dt, mut d_viscosity) = (start.clone(), seed.clone(), 0.0, 0.0);
    advance::vjp(&mut u, &mut d_u, 0.1, &mut d_dt, 0.5, &mut d_viscosity, 5);
    let run = |v: &[Vec<f64>]| {
        let mut u = v[0].clone();
        advance(&mut u, v[1][0], v[1][1], 5);
        dot(&u, &seed)
    };
    check(run, &[&start, &[0.1, 0.5]], &[&d_u, &[d_dt, d_viscosity]]);
}
