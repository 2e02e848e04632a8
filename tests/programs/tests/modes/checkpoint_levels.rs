//! Loops over time in segments of segments, by number and by memory: the gradient is that of the loop without a
//! mark.

use pardiff::differentiate;
use pardiff_programs::{check, dot, random};

/// A kernel with marks of every kind on its loop over time.
macro_rules! variants {
    ($($name:ident: $(#[$mark:meta])? [$($option:tt)*];)*) => {
        $(
            /// A nonlinear rod whose ends are driven.
            #[differentiate($($option)*)]
            pub fn $name(u: &mut [f64], k: &[f64], drive: &[f64], steps: usize) -> f64 {
                let n = u.len();
                let mut next = vec![0.0; n];
                let mut total = 0.0;
                $(#[$mark])?
                for t in 0..steps {
                    for i in 1..n - 1 {
                        next[i] = u[i] + k[i] * (u[i - 1] - 2.0 * u[i] + u[i + 1]) * u[i].sin();
                    }
                    next[0] = drive[t % drive.len()] * u[1];
                    next[n - 1] = u[n - 2] * 0.5;
                    for i in 0..n {
                        u[i] = next[i];
                    }
                    total += u[n / 2] * u[n / 2];
                }
                total
            }
        )*

        /// Value, state and adjoints of each.
        fn gradients(u: &[f64], d: &[f64], k: &[f64], drive: &[f64], steps: usize) -> Vec<(&'static str, Vec<f64>)> {
            vec![$({
                let (mut u, mut d_u) = (u.to_vec(), d.to_vec());
                let (mut d_k, mut d_drive) = (vec![0.0; k.len()], vec![0.0; drive.len()]);
                let value = $name::grad(&mut u, &mut d_u, k, &mut d_k, drive, &mut d_drive, steps);
                (stringify!($name), [vec![value], u, d_u, d_k, d_drive].concat())
            }),*]
        }
    };
}

variants! {
    plain: [];
    two_levels: #[checkpoint(levels = 2)] [];
    three_levels: #[checkpoint(levels = 3)] [];
    in_threes: #[checkpoint(every = 3, levels = 2)] [];
    four_states: #[checkpoint(states = 4)] [];
    four_states_twice: #[checkpoint(states = 4, levels = 2)] [strict];
    no_memory: #[checkpoint(memory = "1 B")] [];
    little_memory: #[checkpoint(memory = "3 kB")] [sequential];
    some_memory: #[checkpoint(memory = 8000)] [];
    much_memory: #[checkpoint(memory = "40 GB", levels = 1)] [];
}

#[track_caller]
fn close(name: &str, steps: usize, a: &[f64], b: &[f64]) {
    assert_eq!(a.len(), b.len());
    let largest = a.iter().fold(0.0, |largest: f64, value| largest.max(value.abs()));
    for (a, b) in a.iter().zip(b) {
        assert!((a - b).abs() <= 1e-9 * a.abs() + 1e-13 * largest, "{name}, {steps} steps: {b} is not {a}");
    }
}

#[test]
fn every_length_in_every_way() {
    let n = 7;
    let (u, d, k, drive) = (random(1, n), random(2, n), random(3, n), random(4, 5));
    let k: Vec<f64> = k.iter().map(|k| 0.1 * k).collect();
    for steps in [0, 1, 2, 3, 4, 7, 13, 101, 997, 1000, 10_000] {
        let all = gradients(&u, &d, &k, &drive, steps);
        for (name, found) in &all {
            close(name, steps, &all[0].1, found);
        }
        if steps == 13 {
            let value = |v: &[Vec<f64>]| {
                let mut u = v[0].clone();
                let value = plain(&mut u, &v[1], &v[2], steps);
                value + dot(&u, &d)
            };
            let (d_u, rest) = all[0].1[1 + n..].split_at(n);
            let (d_k, d_drive) = rest.split_at(n);
            check(value, &[&u, &k, &drive], &[d_u, d_k, d_drive]);
        }
    }
}

#[test]
fn the_plan_says_what_is_chosen() {
    for plan in [two_levels::PLAN, three_levels::PLAN, some_memory::PLAN] {
        assert!(plan.contains("u_checkpoint: segments * u.len() of 8 bytes"), "{plan}");
        assert!(plan.contains("in segments"), "{plan}");
    }
}

#[differentiate]
mod trajectories {
    /// Each with its own loop over time.
    pub fn inside(start: &[f64], rate: &[f64], y: &mut [f64], steps: usize) {
        let n = rate.len();
        for p in 0..start.len() {
            let mut x = vec![0.0; n];
            for i in 0..n {
                x[i] = start[p] * rate[i];
            }
            #[checkpoint(levels = 2)]
            for _ in 0..steps {
                for i in 1..n {
                    x[i] += 0.1 * (x[i - 1] * x[i]).sin();
                }
            }
            y[p] = x[n - 1];
        }
    }

    /// The same without a mark.
    pub fn inside_plain(start: &[f64], rate: &[f64], y: &mut [f64], steps: usize) {
        let n = rate.len();
        for p in 0..start.len() {
            let mut x = vec![0.0; n];
            for i in 0..n {
                x[i] = start[p] * rate[i];
            }
            for _ in 0..steps {
                for i in 1..n {
                    x[i] += 0.1 * (x[i - 1] * x[i]).sin();
                }
            }
            y[p] = x[n - 1];
        }
    }

    fn last(start: f64, rate: &[f64], steps: usize) -> f64 {
        let n = rate.len();
        let mut x = vec![start; n];
        #[checkpoint(every = 4)]
        for _ in 0..steps {
            for i in 1..n {
                x[i] += rate[i] * (x[i - 1] * x[i]).sin();
            }
        }
        x[n - 1]
    }

    /// In a helper that is called in a loop whose iterations run again, and outside of it.
    pub fn by_helper(start: &[f64], rate: &[f64], steps: usize) -> f64 {
        let mut total = 0.0;
        for p in 0..start.len() {
            total += last(start[p], rate, steps);
        }
        total * total * last(total, rate, steps)
    }
}

#[test]
fn trajectories_with_their_own_loops() {
    for (count, n, steps) in [(3, 4, 0), (4, 3, 1), (5, 4, 12), (300, 5, 50)] {
        let (start, rate, d) = (random(1, count), random(2, n), random(3, count));
        let run = |marked: bool| {
            let (mut y, mut d_y) = (vec![0.0; count], d.clone());
            let (mut d_start, mut d_rate) = (vec![0.0; count], vec![0.0; n]);
            match marked {
                true => trajectories::inside::vjp(
                    &start,
                    &mut d_start,
                    &rate,
                    &mut d_rate,
                    &mut y,
                    &mut d_y,
                    steps,
                ),
                false => trajectories::inside_plain::vjp(
                    &start,
                    &mut d_start,
                    &rate,
                    &mut d_rate,
                    &mut y,
                    &mut d_y,
                    steps,
                ),
            };
            [y, d_start, d_rate].concat()
        };
        close("inside", steps, &run(false), &run(true));
    }
    assert!(trajectories::inside::DECISIONS.contains("(marked checkpoint)"));
    let (start, rate) = (random(4, 5), random(5, 4));
    for steps in [0, 1, 9] {
        let (mut d_start, mut d_rate) = (vec![0.0; 5], vec![0.0; 4]);
        trajectories::by_helper::grad(&start, &mut d_start, &rate, &mut d_rate, steps);
        let value = |v: &[Vec<f64>]| trajectories::by_helper(&v[0], &v[1], steps);
        check(value, &[&start, &rate], &[&d_start, &d_rate]);
    }
}

/// Waves that change places, in two levels and for several seeds.
#[differentiate(split, hvp)]
pub fn waves(start: &[f64], speed: &[f64], last: &mut [f64], steps: usize) {
    let n = start.len();
    let (mut before, mut now, mut after) = (start.to_vec(), start.to_vec(), vec![0.0; n]);
    #[checkpoint(levels = 2)]
    for _ in 0..steps {
        for i in 1..n - 1 {
            after[i] = 2.0 * now[i] - before[i] + speed[i] * (now[i - 1] - 2.0 * now[i] + now[i + 1]).tanh();
        }
        std::mem::swap(&mut before, &mut now);
        std::mem::swap(&mut now, &mut after);
    }
    for i in 0..n {
        last[i] = now[i] * before[i];
    }
}

#[test]
fn sweeps_apart_and_second_order() {
    let n = 8;
    let (start, speed) = (random(1, n), random(2, n));
    let mut tape = waves::Tape::default();
    for steps in [0, 1, 5, 40] {
        let mut last = vec![0.0; n];
        waves::forward(&start, &speed, &mut last, steps, &mut tape);
        for seed in [random(3, n), random(4, n)] {
            let (mut d_start, mut d_speed, mut d_last) = (vec![0.0; n], vec![0.0; n], seed.clone());
            waves::backward(&start, &mut d_start, &speed, &mut d_speed, &mut d_last, steps, &tape);
            let (mut e_start, mut e_speed, mut e_last) = (vec![0.0; n], vec![0.0; n], seed);
            let mut again = vec![0.0; n];
            waves::vjp(&start, &mut e_start, &speed, &mut e_speed, &mut again, &mut e_last, steps);
            assert_eq!(last, again);
            close("waves", steps, &[e_start, e_speed].concat(), &[d_start, d_speed].concat());
        }
    }
}
