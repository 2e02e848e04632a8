//! Marked loops whose steps sum into arrays of their own, find integers by comparing floats, read what is overwritten
//! behind them, and consist of tasks.

use crate::rayon_iterators::on_threads;
use pardiff::differentiate;
use pardiff_programs::{assert_near, check, dot, random};

macro_rules! bodies {
    ($name:ident, ($($mark:tt)*)) => {
        /// Springs between bodies; each step is as long as the nearest pair allows, and the farthest body is pulled
        /// back.
        #[differentiate]
        pub fn $name(start: &[f64], mass: &[f64], ends: &[[usize; 2]], steps: usize) -> f64 {
            let n = start.len();
            let mut x = start.to_vec();
            let mut dt = 0.1;
            $($mark)*
            for _ in 0..steps {
                let mut force = vec![0.0; n];
                for i in 0..ends.len() {
                    let r = x[ends[i][0]] - x[ends[i][1]];
                    force[ends[i][0]] -= r * r * r;
                    force[ends[i][1]] += r * r * r;
                }
                let mut least = 0.2;
                let mut far = 0;
                for k in 0..n {
                    let mut a = force[k] / mass[k];
                    if a.abs() < 1e-3 {
                        a = 0.0;
                    }
                    x[k] += dt * a;
                    let bound = 0.1 / (0.1 + a * a);
                    if bound < least {
                        least = bound;
                    }
                    if x[k] > x[far] {
                        far = k;
                    }
                }
                x[far] *= 0.99;
                dt = least;
            }
            let mut total = dt;
            for k in 0..n {
                total += x[k] * x[k];
            }
            total
        }
    };
}

bodies!(whole, ());
bodies!(chosen, (#[checkpoint]));
bodies!(three, (#[checkpoint(every = 3)]));
bodies!(levels, (#[checkpoint(levels = 2)]));

#[test]
fn integers_that_depend_on_floats_are_found_again() {
    for plan in [chosen::DECISIONS, three::DECISIONS, levels::DECISIONS] {
        assert!(plan.contains("(marked checkpoint"), "{plan}");
    }
    for (n, pairs, steps) in [(1, 0, 0), (6, 9, 1), (6, 9, 11), (3000, 9000, 7)] {
        let start: Vec<f64> = random(1, n).iter().map(|x| 2.0 * x).collect();
        let mass: Vec<f64> = random(2, n).iter().map(|x| 2.0 + x).collect();
        let ends: Vec<[usize; 2]> = (0..pairs).map(|p| [p * 7 % n, (p * p + 1) % n]).collect();
        macro_rules! run {
            ($kernel:ident) => {
                on_threads(&|| {
                    let (mut d_start, mut d_mass) = (vec![0.0; n], vec![0.0; n]);
                    let value = $kernel::grad(&start, &mut d_start, &mass, &mut d_mass, &ends, steps);
                    [vec![value], d_start, d_mass].concat()
                })
            };
        }
        let plain = run!(whole);
        let largest = plain.iter().fold(0.0, |largest: f64, value| largest.max(value.abs()));
        for other in [run!(chosen), run!(three), run!(levels)] {
            for (a, b) in plain.iter().zip(&other) {
                assert!((a - b).abs() <= 1e-9 * a.abs() + 1e-14 * largest, "{n} bodies: {a} is not {b}");
            }
        }
        if n == 6 {
            let (d_start, d_mass) = plain[1..].split_at(n);
            check(|v| whole(&v[0], &v[1], &ends, steps), &[&start, &mass], &[d_start, d_mass]);
        }
    }
}

macro_rules! relaxed {
    ($name:ident, ($($mark:tt)*)) => {
        /// Steps at rates that give way to what they lead to.
        #[differentiate(split)]
        pub fn $name(start: &[f64], rate: &mut [f64], steps: usize) {
            let n = start.len();
            let mut u = start.to_vec();
            $($mark)*
            for _ in 0..steps {
                for i in 0..n {
                    u[i] += 0.1 * rate[i] * (u[(i + 1) % n] * u[i] - u[i]);
                }
            }
            rate.copy_from_slice(&u);
        }
    };
}

relaxed!(relaxed, ());
relaxed!(relaxed_in_segments, (#[checkpoint(every = 3)]));
relaxed!(relaxed_in_levels, (#[checkpoint(levels = 2)]));

#[test]
fn steps_read_a_copy_of_what_is_overwritten_behind_them() {
    let (start, rate, seeds) = (random(1, 5), random(2, 5), random(3, 5));
    macro_rules! run {
        ($name:ident, $steps:expr) => {{
            let (mut y, mut d_start, mut d_y) = (rate.clone(), vec![0.0; 5], seeds.clone());
            $name::vjp(&start, &mut d_start, &mut y, &mut d_y, $steps);
            let (mut own, mut d_own, mut d_rate) = (rate.clone(), vec![0.0; 5], seeds.clone());
            let mut tape = $name::Tape::default();
            $name::forward(&start, &mut own, $steps, &mut tape);
            $name::backward(&start, &mut d_own, &mut d_rate, $steps, &tape);
            assert_eq!([&y, &d_start, &d_y], [&own, &d_own, &d_rate]);
            [y, d_start, d_y]
        }};
    }
    for steps in [0, 1, 3, 11] {
        let expected = run!(relaxed, steps);
        assert_eq!(run!(relaxed_in_segments, steps), expected);
        assert_eq!(run!(relaxed_in_levels, steps), expected);
    }
    let [_, d_start, d_rate] = run!(relaxed_in_segments, 11);
    let value = |v: &[Vec<f64>]| {
        let mut y = v[1].clone();
        relaxed(&v[0], &mut y, 11);
        dot(&y, &seeds)
    };
    check(value, &[&start, &rate], &[&d_start, &d_rate]);
}

macro_rules! two_fields {
    ($name:ident, ($($mark:tt)*)) => {
        /// Two fields that move each other, each in a task of its own.
        #[differentiate(split)]
        pub fn $name(rate: &[f64], u: &mut [f64], steps: usize) {
            let n = rate.len();
            let mut v = u.to_vec();
            $($mark)*
            for _ in 0..steps {
                let (of_u, of_v) = rayon::join(
                    || u.iter().zip(rate).map(|(a, b)| a * b).sum::<f64>(),
                    || v.iter().map(|a| a * a).sum::<f64>(),
                );
                let pull = of_u / (1.0 + of_v);
                rayon::join(
                    || {
                        for i in 0..n {
                            u[i] += 0.1 * pull * rate[i];
                        }
                    },
                    || {
                        for i in 0..n {
                            v[i] = 0.9 * v[i] + 0.1 * pull * v[(i + 1) % n].sin();
                        }
                    },
                );
            }
            for i in 0..n {
                u[i] *= v[i];
            }
        }
    };
}

two_fields!(two_fields, ());
two_fields!(two_fields_in_segments, (#[checkpoint(every = 3)]));

#[test]
fn steps_that_consist_of_tasks_run_again() {
    let (rate, u, seeds) = (random(1, 5), random(2, 5), random(3, 5));
    macro_rules! run {
        ($name:ident, $steps:expr) => {{
            let (mut y, mut d_rate, mut d_y) = (u.clone(), vec![0.0; 5], seeds.clone());
            $name::vjp(&rate, &mut d_rate, &mut y, &mut d_y, $steps);
            let (mut own, mut d_own, mut d_u) = (u.clone(), vec![0.0; 5], seeds.clone());
            let mut tape = $name::Tape::default();
            $name::forward(&rate, &mut own, $steps, &mut tape);
            $name::backward(&rate, &mut d_own, &mut d_u, $steps, &tape);
            [[y, d_rate, d_y].concat(), [own, d_own, d_u].concat()]
        }};
    }
    for steps in [0, 1, 3, 8] {
        let [expected, _] = run!(two_fields, steps);
        for found in run!(two_fields, steps).into_iter().chain(run!(two_fields_in_segments, steps)) {
            assert_near(&found, &expected);
        }
    }
    let [all, _] = run!(two_fields_in_segments, 8);
    let value = |v: &[Vec<f64>]| {
        let mut y = v[1].clone();
        two_fields(&v[0], &mut y, 8);
        dot(&y, &seeds)
    };
    check(value, &[&rate, &u], &[&all[5..10], &all[10..]]);
}
