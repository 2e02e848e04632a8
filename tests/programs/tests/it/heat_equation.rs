//! The heat equation over time with two arrays that are swapped after each step.

use pardiff::differentiate;
use pardiff_programs::{check, random};

#[differentiate]
pub fn misfit(start: &[f64], target: &[f64], conductivity: f64, steps: usize) -> f64 {
    let n = start.len();
    let mut u = start.to_vec();
    let mut next = vec![0.0; n];
    for _ in 0..steps {
        for i in 1..n - 1 {
            next[i] = u[i] + conductivity * (u[i - 1] - 2.0 * u[i] + u[i + 1]);
        }
        next[0] = u[0];
        next[n - 1] = u[n - 1];
        std::mem::swap(&mut u, &mut next);
    }
    let mut sum = 0.0;
    for i in 0..n {
        let r = u[i] - target[i];
        sum += 0.5 * r * r;
    }
    sum
}

#[test]
fn gradient() {
    let (start, target) = (random(1, 8), random(2, 8));
    for steps in [0, 1, 4] {
        let (value, gradient) = misfit::gradient(&start, &target, 0.2, steps);
        assert_eq!(value, misfit(&start, &target, 0.2, steps));
        let run = |v: &[Vec<f64>]| misfit(&v[0], &v[1], v[2][0], steps);
        let found: [&[f64]; 3] = [&gradient.start, &gradient.target, &[gradient.conductivity]];
        check(run, &[&start, &target, &[0.2]], &found);
    }
}
