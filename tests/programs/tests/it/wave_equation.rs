//! The wave equation with three time levels in a two-dimensional local array, indexed by the step.

use pardiff::differentiate;
use pardiff_programs::{check, random};

const STEPS: usize = 6;

#[differentiate(wrt(speed))]
pub fn record(speed: &[f64], source: &[f64; 6]) -> f64 {
    let n = speed.len();
    let mut u = vec![[0.0; 8]; n];
    let mut energy = 0.0;
    for t in 2..STEPS + 2 {
        for i in 0..n {
            let left = if i > 0 { u[i - 1][t - 1] } else { 0.0 };
            let right = if i + 1 < n { u[i + 1][t - 1] } else { 0.0 };
            let c = speed[i] * speed[i];
            u[i][t] = 2.0 * u[i][t - 1] - u[i][t - 2] + c * (left - 2.0 * u[i][t - 1] + right);
        }
        u[n / 2][t] += source[t - 2];
        energy += u[0][t] * u[0][t] + u[n - 1][t];
    }
    energy
}

#[test]
fn gradient() {
    let speed: Vec<f64> = random(1, 5).iter().map(|x| 0.5 + 0.2 * x).collect();
    let source = [1.0, 0.5, -0.25, 0.0, 0.3, 0.1];
    let mut d_speed = vec![1.0; 5];
    let value = record::grad_into(&speed, &mut d_speed, &source);
    assert_eq!(value, record(&speed, &source));
    check(|v| record(&v[0], &source), &[&speed], &[&d_speed]);
}
