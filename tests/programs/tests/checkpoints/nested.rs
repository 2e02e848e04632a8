//! A marked loop in a loop whose iterations follow from each other: the outer one keeps the state of each iteration, or
//! as many as its own mark says.

use crate::close;
use pardiff::differentiate;
use pardiff_programs::{check, dot, random};

/// Parameters that are fitted in epochs; in each a rod is followed through time.
macro_rules! training {
    ($($name:ident: ($($outer:tt)*) ($($inner:tt)*) [$($option:tt)*];)*) => {
        $(
            #[differentiate($($option)*)]
            pub fn $name(start: &[f64], theta: &[f64], losses: &mut [f64], epochs: usize, steps: usize) -> f64 {
                let n = start.len();
                let mut w = theta.to_vec();
                let mut total = 0.0;
                $($outer)*
                for epoch in 0..epochs {
                    let mut x = vec![0.0; n];
                    let mut next = vec![0.0; n];
                    for i in 0..n {
                        x[i] = start[i] * w[i];
                    }
                    $($inner)*
                    for _ in 0..steps {
                        for i in 1..n - 1 {
                            next[i] = x[i] + w[i] * (x[i - 1] - 2.0 * x[i] + x[i + 1]) * x[i].cos();
                        }
                        for i in 1..n - 1 {
                            x[i] = next[i];
                        }
                    }
                    for i in 0..n {
                        w[i] -= 0.05 * x[i] * w[i];
                        total += x[i] * x[i];
                    }
                    losses[epoch] = total;
                }
                total
            }
        )*

        fn trained(n: usize, epochs: usize, steps: usize) -> Vec<(&'static str, Vec<f64>)> {
            let (start, theta) = (random(1, n), random(2, n).iter().map(|w| 0.2 * w).collect::<Vec<_>>());
            vec![$({
                let (mut losses, mut d_losses) = (vec![0.0; epochs], random(3, epochs));
                let (mut d_start, mut d_theta) = (vec![0.0; n], vec![0.0; n]);
                let value = $name::grad(
                    &start, &mut d_start, &theta, &mut d_theta, &mut losses, &mut d_losses, epochs, steps,
                );
                (stringify!($name), [vec![value], losses, d_start, d_theta].concat())
            }),*]
        }
    };
}

training! {
    plain: () () [];
    inner: () (#[checkpoint]) [];
    inner_in_levels: () (#[checkpoint(levels = 2)]) [];
    both: (#[checkpoint]) (#[checkpoint]) [];
    deep: (#[checkpoint(levels = 2)]) (#[checkpoint(every = 2)]) [strict];
    states_and_memory: (#[checkpoint(states = 3)]) (#[checkpoint(memory = "300 B")]) [sequential];
    every_and_binomial: (#[checkpoint(every = 2)]) (#[checkpoint(binomial = 3)]) [];
    binomial_and_states: (#[checkpoint(binomial = 2)]) (#[checkpoint(states = 2)]) [];
    binomial_twice: (#[checkpoint(binomial = 3)]) (#[checkpoint(binomial = 2)]) [];
}

#[test]
fn epochs_around_steps() {
    for (n, epochs, steps) in
        [(5, 0, 0), (5, 0, 3), (4, 1, 0), (3, 1, 1), (6, 2, 7), (6, 9, 1), (7, 13, 17), (300, 4, 5)]
    {
        let all = trained(n, epochs, steps);
        for (name, found) in &all {
            close(&format!("{name}, {epochs} of {steps}"), &all[0].1, found);
        }
        if (epochs, steps) == (2, 7) {
            let (start, theta) = (random(1, n), random(2, n).iter().map(|w| 0.2 * w).collect::<Vec<_>>());
            let value = |v: &[Vec<f64>]| {
                let mut losses = vec![0.0; epochs];
                let value = plain(&v[0], &v[1], &mut losses, epochs, steps);
                value + dot(&losses, &random(3, epochs))
            };
            let (d_start, d_theta) = all[0].1[1 + epochs..].split_at(n);
            check(value, &[&start, &theta], &[d_start, d_theta]);
        }
    }
}

#[test]
fn the_plan_counts_loops_that_run_again() {
    assert!(inner::PLAN.contains("in segments: an iteration runs again at most 2 times"), "{}", inner::PLAN);
    assert!(both::PLAN.contains("in segments: an iteration runs again at most 3 times"), "{}", both::PLAN);
    assert!(inner::PLAN.contains("x_tape_checkpoint"), "{}", inner::PLAN);
    assert!(!plain::PLAN.contains("in segments"), "{}", plain::PLAN);
}

#[differentiate]
mod solvers {
    /// Sweeps until the state hardly changes, in each step of time.
    pub fn until(start: &[f64], rate: &[f64], steps: usize, tolerance: f64) -> f64 {
        let n = start.len();
        let mut u = start.to_vec();
        let mut cost = 0.0;
        for _ in 0..steps {
            let before = u.clone();
            let mut change = 1.0;
            #[checkpoint(states = 3)]
            while change > tolerance {
                change = 0.0;
                for i in 1..n {
                    let new = before[i] + 0.3 * rate[i] * (u[i - 1] - u[i]).sin();
                    change += (new - u[i]).abs();
                    u[i] = new;
                }
            }
            cost += u[n - 1] * u[n - 1];
        }
        cost
    }

    /// The same without a mark.
    pub fn until_plain(start: &[f64], rate: &[f64], steps: usize, tolerance: f64) -> f64 {
        let n = start.len();
        let mut u = start.to_vec();
        let mut cost = 0.0;
        for _ in 0..steps {
            let before = u.clone();
            let mut change = 1.0;
            while change > tolerance {
                change = 0.0;
                for i in 1..n {
                    let new = before[i] + 0.3 * rate[i] * (u[i - 1] - u[i]).sin();
                    change += (new - u[i]).abs();
                    u[i] = new;
                }
            }
            cost += u[n - 1] * u[n - 1];
        }
        cost
    }

    fn sweep(u: &mut [f64], rate: &[f64], sweeps: usize) {
        #[checkpoint(every = 2)]
        for _ in 0..sweeps {
            for i in 1..u.len() {
                u[i] += rate[i] * (u[i - 1] * u[i]).sin();
            }
        }
    }

    /// Three loops in each other, the innermost one in a helper that is called twice.
    pub fn three(start: &[f64], rate: &[f64], epochs: usize, steps: usize, sweeps: usize) -> f64 {
        let n = start.len();
        let mut u = start.to_vec();
        let mut total = 0.0;
        #[checkpoint(states = 2)]
        for epoch in 0..epochs {
            for _ in 0..steps {
                sweep(&mut u, rate, sweeps);
                for i in 0..n {
                    u[i] *= 0.9 + 0.01 * epoch as f64;
                }
                sweep(&mut u, rate, sweeps + 1);
            }
            total += u[n - 1] * u[n - 1];
        }
        total
    }
}

#[test]
fn three_loops_in_each_other() {
    let n = 4;
    let (start, rate) = (random(1, n), random(2, n));
    for (epochs, steps, sweeps) in [(0, 1, 1), (1, 1, 0), (2, 3, 4), (5, 2, 3)] {
        let (mut d_start, mut d_rate) = (vec![0.0; n], vec![0.0; n]);
        solvers::three::grad(&start, &mut d_start, &rate, &mut d_rate, epochs, steps, sweeps);
        let value = |v: &[Vec<f64>]| solvers::three(&v[0], &v[1], epochs, steps, sweeps);
        check(value, &[&start, &rate], &[&d_start, &d_rate]);
    }
}

#[test]
fn sweeps_until_nothing_changes_in_each_step() {
    let n = 5;
    let (start, rate) = (random(1, n), random(2, n));
    for (steps, tolerance) in [(0, 1e-3), (1, 2.0), (4, 1e-3), (7, 1e-9)] {
        let mut found = [Vec::new(), Vec::new()];
        for which in 0..2 {
            let (mut d_start, mut d_rate, mut d_tolerance) = (vec![0.0; n], vec![0.0; n], 0.0);
            let of = if which == 0 { solvers::until_plain::grad } else { solvers::until::grad };
            let value = of(&start, &mut d_start, &rate, &mut d_rate, steps, tolerance, &mut d_tolerance);
            found[which] = [vec![value], d_start, d_rate].concat();
        }
        close("until", &found[0], &found[1]);
    }
}

/// A rod in epochs, for several seeds and second derivatives.
#[differentiate(forward, split, hvp, batch(2))]
pub fn modes(start: &[f64], last: &mut [f64], epochs: usize, steps: usize) {
    let n = start.len();
    let mut u = start.to_vec();
    for _ in 0..epochs {
        #[checkpoint]
        for _ in 0..steps {
            for i in 1..n {
                u[i] += 0.1 * (u[i - 1] * u[i]).sin();
            }
        }
        for i in 0..n {
            u[i] *= u[i];
        }
    }
    for i in 0..n {
        last[i] = u[i];
    }
}

#[test]
fn other_modes() {
    let n = 4;
    let (start, direction, seed) = (random(1, n), random(2, n), random(3, n));
    for (epochs, steps) in [(0, 0), (1, 4), (3, 5)] {
        let (mut last, mut last_dot) = (vec![0.0; n], vec![0.0; n]);
        modes::jvp(&start, &direction, &mut last, &mut last_dot, epochs, steps);
        let (mut d_start, mut d_last) = (vec![0.0; n], seed.clone());
        modes::vjp(&start, &mut d_start, &mut last, &mut d_last, epochs, steps);
        let (along, back) = (dot(&last_dot, &seed), dot(&d_start, &direction));
        assert!((along - back).abs() <= 1e-12 * (1.0 + along.abs()), "{along} is not {back}");
        let mut tape = modes::Tape::default();
        modes::forward(&start, &mut last, epochs, steps, &mut tape);
        for _ in 0..2 {
            let (mut e_start, mut e_last) = (vec![0.0; n], seed.clone());
            modes::backward(&start, &mut e_start, &mut e_last, epochs, steps, &tape);
            close("backward", &d_start, &e_start);
        }
    }
}
