//! Loops whose length is known when they have ended, in a few states: the gradient is that of the loop without a
//! mark.

use pardiff::differentiate;
use pardiff_programs::{check, random};

macro_rules! variants {
    ($($name:ident: $(#[$mark:meta])?;)*) => {
        $(
            /// Diffusion until so much has flowed.
            #[differentiate]
            pub fn $name(start: &[f64], k: &[f64], most: f64) -> f64 {
                let n = start.len();
                let (mut u, mut next) = (start.to_vec(), start.to_vec());
                let mut flowed = 0.0;
                let mut cost = 0.0;
                $(#[$mark])?
                while flowed < most {
                    for i in 1..n - 1 {
                        next[i] = u[i] + k[i] * (u[i - 1] - 2.0 * u[i] + u[i + 1]) * u[i].sin();
                    }
                    cost += u[n / 2] * u[n / 2];
                    std::mem::swap(&mut u, &mut next);
                    flowed += 0.25;
                }
                cost + u[n / 2].sin()
            }
        )*

        fn gradients(start: &[f64], k: &[f64], most: f64) -> Vec<(&'static str, Vec<f64>)> {
            vec![$({
                let (mut d_start, mut d_k, mut d_most) = (vec![0.0; start.len()], vec![0.0; k.len()], 0.0);
                let value = $name::grad(start, &mut d_start, k, &mut d_k, most, &mut d_most);
                (stringify!($name), [vec![value, d_most], d_start, d_k].concat())
            }),*]
        }
    };
}

variants! {
    plain: ;
    by_itself: #[checkpoint];
    one_state: #[checkpoint(states = 1)];
    four_states: #[checkpoint(states = 4)];
    five_states: #[checkpoint(states = 5)];
    in_levels: #[checkpoint(states = 4, levels = 2)];
}

#[test]
fn loops_of_every_length_until_they_end() {
    let n = 7;
    let (start, k) = (random(1, n), random(2, n));
    let k: Vec<f64> = k.iter().map(|k| 0.1 * k).collect();
    for steps in [0, 1, 2, 3, 4, 5, 8, 9, 13, 63, 64, 65, 101, 1000, 10_000] {
        let all = gradients(&start, &k, 0.25 * steps as f64);
        let (_, unmarked) = &all[0];
        let largest = unmarked.iter().fold(0.0, |largest: f64, value| largest.max(value.abs()));
        for (name, found) in &all {
            for (a, b) in unmarked.iter().zip(found) {
                let is_close = (a - b).abs() <= 1e-9 * a.abs() + 1e-13 * largest;
                assert!(is_close, "{name}, {steps} steps: {b} is not {a}");
            }
        }
        if steps == 13 {
            let (d_start, d_k) = unmarked[2..].split_at(n);
            check(|v| plain(&v[0], &v[1], 3.25), &[&start, &k], &[d_start, d_k]);
        }
    }
}

macro_rules! left_early {
    ($($name:ident: ($(#[$mark:meta])?) ($(#[$inner:meta])?);)*) => {
        $(
            /// Rounds of single updates until the loss is small, or grows.
            #[differentiate(forward, hvp, batch(4), split, check)]
            pub fn $name(start: &[f64], seen: &[(f64, usize)], rate: f64, small: f64) -> f64 {
                let mut w = start.to_vec();
                let mut last = 1e6;
                let mut rounds = 0;
                $(#[$mark])?
                while rounds < 40 {
                    let mut loss = 0.0;
                    $(#[$inner])?
                    for &(y, at) in seen {
                        let r = w[at].sin() - y;
                        loss += r * r;
                        w[at] -= rate * r * w[(at + 1) % w.len()].cos();
                    }
                    if loss > last {
                        return 0.5 * loss + w[0];
                    }
                    last = loss;
                    if loss < small {
                        break;
                    }
                    rounds += 1;
                }
                last + w.iter().map(|w| w * w).sum::<f64>()
            }
        )*

        fn gradients_left_early(
            start: &[f64],
            seen: &[(f64, usize)],
            rate: f64,
            small: f64,
        ) -> Vec<(&'static str, Vec<f64>)> {
            vec![$({
                $name::check(start, seen, rate, small).unwrap();
                let (value, gradient) = $name::gradient(start, seen, rate, small);
                let of_seen = gradient.seen.iter().map(|seen| seen.0);
                let found = [value, gradient.rate].into_iter().chain(gradient.start.clone()).chain(of_seen);
                let mut tape = $name::Tape::default();
                assert_eq!($name::forward(start, seen, rate, small, &mut tape), value);
                (stringify!($name), found.collect())
            }),*]
        }
    };
}

left_early! {
    left_plain: () ();
    left_marked: (#[checkpoint(states = 3)]) ();
    left_around_marked: () (#[checkpoint(every = 2)]);
    left_both: (#[checkpoint(states = 2)]) (#[checkpoint]);
}

#[test]
fn loops_that_are_left_under_a_condition_of_floats() {
    let start = random(3, 4);
    let seen: Vec<(f64, usize)> = random(4, 7).iter().map(|y| (0.3 * y, 0)).collect();
    let seen: Vec<_> = seen.iter().enumerate().map(|(i, &(y, _))| (y, i * i % 4)).collect();
    for (rate, small) in [(0.3, 10.0), (0.3, 0.15), (0.3, 0.0), (2.5, 0.0)] {
        for seen in [&seen[..], &seen[..1], &[]] {
            let all = gradients_left_early(&start, seen, rate, small);
            let (_, unmarked) = &all[0];
            for (name, found) in &all {
                for (a, b) in unmarked.iter().zip(found) {
                    let is_close = (a - b).abs() <= 1e-9 * (1.0 + a.abs());
                    assert!(is_close, "{name} at {rate}, {small}: {a} and {b}");
                }
            }
        }
    }
}
