//! Loops over time in states that the binomial schedule keeps: the gradient is that of the loop without a mark, and the
//! steps that run again are as many as the plan says.

use crate::close;
use pardiff::differentiate;
use pardiff_programs::{check, dot, random};
use std::sync::atomic::{AtomicUsize, Ordering};

/// Waves that change places, from step two on.
macro_rules! waves {
    ($($name:ident: ($($mark:tt)*);)*) => {
        $(
            #[differentiate]
            pub fn $name(start: &[f64], speed: &[f64], trace: &mut [f64], steps: usize) -> f64 {
                let n = start.len();
                let (mut before, mut now, mut after) = (start.to_vec(), start.to_vec(), vec![0.0; n]);
                let mut energy = 0.0;
                let mut seed = 7u32;
                $($mark)*
                for t in 2..steps {
                    for i in 1..n - 1 {
                        let bend = now[i - 1] - 2.0 * now[i] + now[i + 1];
                        after[i] = 2.0 * now[i] - before[i] + speed[i] * bend.tanh();
                    }
                    seed = seed.wrapping_mul(1664525).wrapping_add(1013904223);
                    after[1 + seed as usize % (n - 2)] += 0.01 * t as f64;
                    std::mem::swap(&mut before, &mut now);
                    std::mem::swap(&mut now, &mut after);
                    trace[t] = now[n / 2] * now[n / 2];
                    energy += now[1] * now[1];
                }
                energy
            }
        )*

        fn gradients(n: usize, steps: usize) -> Vec<(&'static str, Vec<f64>)> {
            let (start, speed) = (random(1, n), random(2, n).iter().map(|c| 0.2 * c).collect::<Vec<_>>());
            vec![$({
                let (mut trace, mut d_trace) = (vec![0.0; steps], random(3, steps));
                let (mut d_start, mut d_speed) = (vec![0.0; n], vec![0.0; n]);
                let value = $name::grad(&start, &mut d_start, &speed, &mut d_speed, &mut trace, &mut d_trace, steps);
                (stringify!($name), [vec![value], trace, d_start, d_speed, d_trace].concat())
            }),*]
        }
    };
}

waves! {
    plain: ();
    one: (#[checkpoint(binomial = 1)]);
    two: (#[checkpoint(binomial = 2)]);
    five: (#[checkpoint(binomial = 5)]);
    many: (#[checkpoint(binomial = 1000)]);
}

#[test]
fn waves_in_every_number_of_states() {
    let n = 7;
    for steps in [0, 1, 2, 3, 4, 5, 8, 13, 60, 101] {
        let all = gradients(n, steps);
        for (name, found) in &all {
            close(&format!("{name}, {steps} steps"), &all[0].1, found);
        }
        if steps == 13 {
            let (start, speed) = (random(1, n), random(2, n).iter().map(|c| 0.2 * c).collect::<Vec<_>>());
            let value = |v: &[Vec<f64>]| {
                let mut trace = vec![0.0; steps];
                let energy = plain(&v[0], &v[1], &mut trace, steps);
                energy + dot(&trace, &random(3, steps))
            };
            let (d_start, rest) = all[0].1[1 + steps..].split_at(n);
            check(value, &[&start, &speed], &[d_start, &rest[..n]]);
        }
    }
}

static RUNS: AtomicUsize = AtomicUsize::new(0);

#[differentiate]
mod counted {
    #[differentiate(custom(partials = d_bend))]
    fn bend(x: f64) -> f64 {
        super::RUNS.fetch_add(1, super::Ordering::Relaxed);
        x.sin()
    }

    fn d_bend(x: f64) -> f64 {
        x.cos()
    }

    /// One call in each step.
    pub fn in_six(rate: f64, steps: usize) -> f64 {
        let mut u = vec![0.5; 3];
        #[checkpoint(binomial = 6)]
        for _ in 0..steps {
            let bent = bend(u[0] + u[2]);
            u[0] = u[1] * u[1];
            u[1] = u[2];
            u[2] = rate * bent * bent;
        }
        u[0] + u[1] * u[2]
    }

    /// The same in two levels.
    pub fn in_levels(rate: f64, steps: usize) -> f64 {
        let mut u = vec![0.5; 3];
        #[checkpoint(levels = 2)]
        for _ in 0..steps {
            let bent = bend(u[0] + u[2]);
            u[0] = u[1] * u[1];
            u[1] = u[2];
            u[2] = rate * bent * bent;
        }
        u[0] + u[1] * u[2]
    }
}

fn choose(n: usize, k: usize) -> usize {
    (1..=k).fold(1, |all, j| all * (n + 1 - j) / j)
}

#[test]
fn as_many_steps_run_again_as_the_plan_says() {
    let runs = |of: fn(f64, &mut f64, usize) -> f64, steps: usize| {
        let mut d_rate = 0.0;
        RUNS.store(0, Ordering::Relaxed);
        of(0.75, &mut d_rate, steps);
        RUNS.load(Ordering::Relaxed) - steps
    };
    let plan = counted::in_six::PLAN;
    assert!(
        plan.contains(
            "if there are iterations, they run again r * (steps) - binomial(slots + r, slots + 1) + 1 times"
        ),
        "{plan}"
    );
    assert!(plan.contains("slots = 6.min(steps).max(1)"), "{plan}");
    assert_eq!(runs(counted::in_six::grad, 0), 0);
    for steps in [1, 2, 6, 7, 8, 20, 28, 29, 84, 85, 500] {
        let slots = steps.min(6);
        let repeats = (0..).find(|&r| choose(slots + r, slots) >= steps).unwrap_or_default();
        let expected = repeats * steps + 1 - choose(slots + repeats, slots + 1);
        assert_eq!(runs(counted::in_six::grad, steps), expected, "{steps} steps");
    }
    assert!(counted::in_levels::PLAN.contains("an iteration runs again at most 2 times"));
    for steps in [1, 2, 27, 1000] {
        let again = runs(counted::in_levels::grad, steps);
        assert!(again >= steps && again <= 2 * steps, "{again} of {steps} steps");
    }
}

/// Second derivatives and several directions of a marked loop.
#[differentiate(forward, hvp, batch(2))]
pub fn rod(start: &[f64], steps: usize) -> f64 {
    let n = start.len();
    let mut u = start.to_vec();
    #[checkpoint(binomial = 3)]
    for _ in 0..steps {
        for i in 1..n {
            u[i] += 0.1 * (u[i - 1] * u[i]).sin();
        }
    }
    u[n - 1] * u[0]
}

#[test]
fn second_derivatives() {
    let n = 4;
    let (start, direction) = (random(1, n), random(2, n));
    for steps in [0, 1, 9] {
        let mut h_start = vec![0.0; n];
        let (value, slope) = rod::hvp(&start, &direction, &mut h_start, steps);
        assert_eq!(value, rod(&start, steps));
        let mut d_start = vec![0.0; n];
        rod::grad(&start, &mut d_start, steps);
        assert!((slope - dot(&d_start, &direction)).abs() < 1e-12, "{slope}");
        let along = |v: &[Vec<f64>]| {
            let mut d_start = vec![0.0; n];
            rod::grad(&v[0], &mut d_start, steps);
            dot(&d_start, &direction)
        };
        check(along, &[&start], &[&h_start]);
    }
}
