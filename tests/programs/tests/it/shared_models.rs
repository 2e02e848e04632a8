//! Many runs of one model: what it computes from its parameters alone is the same in all of them.

use pardiff::differentiate;
use pardiff_programs::check;

/// Squared distance of measurements from filtered states, whose gains are found by a recurrence of their own.
#[differentiate(wrt(decay, noise, start))]
fn smoothing(decay: f64, noise: f64, start: &[f64], measured: &[f64], steps: usize) -> f64 {
    let mut total = 0.0;
    for i in 0..start.len() {
        let mut state = start[i];
        let mut variance = 1.0;
        for k in 0..steps {
            let predicted = decay * decay * variance + noise;
            let gain = predicted / (predicted + 0.5);
            variance = (1.0 - gain) * predicted;
            let off = measured[i * steps + k] - decay * state;
            state = decay * state + gain * off;
            total += off * off / (predicted + 0.5) + predicted.ln();
        }
    }
    total
}

#[test]
fn gradients_of_shared_gains_agree_with_differences() {
    let number = |k: usize| ((k * 29 + 7) % 64) as f64 / 32.0 - 1.0;
    for runs in [0, 1, 3, 150] {
        let steps = 5;
        let start: Vec<f64> = (0..runs).map(number).collect();
        let measured: Vec<f64> = (0..runs * steps).map(|k| number(k + 9)).collect();
        let (mut d_decay, mut d_noise, mut d_start) = (0.0, 0.0, vec![0.0; runs]);
        smoothing::grad(0.9, &mut d_decay, 0.3, &mut d_noise, &start, &mut d_start, &measured, steps);
        check(
            |at| smoothing(at[0][0], at[1][0], &at[2], &measured, steps),
            &[&[0.9], &[0.3], &start],
            &[&[d_decay], &[d_noise], &d_start],
        );
    }
}
