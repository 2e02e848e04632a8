//! Marked loops whose steps sum into arrays of their own, and find integers by comparing floats.

use crate::rayon_iterators::on_threads;
use pardiff::differentiate;
use pardiff_programs::{check, random};

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
