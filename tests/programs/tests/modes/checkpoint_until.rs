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

macro_rules! shrinking {
    ($($name:ident: $(#[$mark:meta])?;)*) => {
        $(
            /// Goes on to an end that comes closer where a value is large.
            #[differentiate]
            pub fn $name(x: &[f64], y: &mut [f64]) {
                let (mut end, mut i) = (y.len(), 0);
                $(#[$mark])?
                while i < end {
                    if y[i] > 0.5 && end > i + 1 {
                        end -= 1;
                        y[end] = y[i] * 0.5;
                    }
                    y[i] = y[i].tanh() * x[i];
                    i += 1;
                }
            }
        )*

        fn adjoints(x: &[f64], start: &[f64], seed: &[f64]) -> Vec<Vec<f64>> {
            vec![$({
                let (mut d_x, mut y, mut d_y) = (vec![0.0; x.len()], start.to_vec(), seed.to_vec());
                $name::vjp(x, &mut d_x, &mut y, &mut d_y);
                [y, d_x, d_y].concat()
            }),*]
        }
    };
}

shrinking! {
    to_the_end: ;
    to_the_end_by_itself: #[checkpoint];
    to_the_end_of_two: #[checkpoint(states = 2)];
}

#[test]
fn an_end_that_floats_decide() {
    for n in [0, 1, 2, 3, 7, 64, 301] {
        let (x, start, seed) = (random(1, n), random(2, n), random(3, n));
        let all = adjoints(&x, &start, &seed);
        for other in &all[1..] {
            for (a, b) in all[0].iter().zip(other) {
                assert!((a - b).abs() <= 1e-14, "{n} elements: {b} is not {a}");
            }
        }
        if n == 7 {
            let of = |v: &[Vec<f64>]| {
                let mut y = v[1].clone();
                to_the_end(&v[0], &mut y);
                y.iter().zip(&seed).map(|(y, seed)| y * seed).sum()
            };
            check(of, &[&x, &start], &[&all[0][n..2 * n], &all[0][2 * n..]]);
        }
    }
}

macro_rules! butterflies {
    ($($name:ident: $(#[$mark:meta])?;)*) => {
        $(
            /// Blocks that double, in a loop whose blocks share what is stored.
            #[differentiate]
            pub fn $name(x: &[f64], n: usize) -> f64 {
                let mut u = x.to_vec();
                let mut half = 1;
                $(#[$mark])?
                while half < n {
                    let angle = x[0] / half as f64;
                    let mut base = 0;
                    while base < n {
                        for k in 0..half {
                            let turned = u[base + k + half] * (angle * k as f64).cos();
                            u[base + k + half] = u[base + k] - turned;
                            u[base + k] += turned;
                        }
                        base += 2 * half;
                    }
                    half *= 2;
                }
                let mut sum = 0.0;
                for k in 0..n {
                    sum += u[k] * u[k] * (k + 1) as f64;
                }
                sum
            }
        )*

        fn transforms(x: &[f64]) -> Vec<Vec<f64>> {
            vec![$({
                let mut d_x = vec![0.0; x.len()];
                let value = $name::grad(x, &mut d_x, x.len());
                [vec![value], d_x].concat()
            }),*]
        }
    };
}

butterflies! {
    stages: ;
    stages_by_themselves: #[checkpoint];
    stages_of_two: #[checkpoint(states = 2)];
}

#[test]
fn starts_that_inner_loops_share() {
    for n in [1, 2, 4, 8, 64, 256] {
        let x = random(4, n);
        let all = transforms(&x);
        for other in &all[1..] {
            assert_eq!(other, &all[0], "{n} elements");
        }
        if n == 8 {
            check(|v| stages(&v[0], n), &[&x], &[&all[0][1..]]);
        }
    }
}

macro_rules! weighted {
    ($($name:ident: $(#[$mark:meta])?;)*) => {
        $(
            /// Each step has the same weights, which depend on an argument.
            #[differentiate]
            pub fn $name(x: &[f64], end: f64) -> f64 {
                let mut u = x.to_vec();
                let mut t = 0.0;
                $(#[$mark])?
                while t < end {
                    for i in 0..x.len() {
                        for j in 0..x.len() {
                            let weight = (x[0] * (i * j) as f64).cos();
                            u[i] = u[i].sin() * (0.8 + 0.1 * weight) + 0.01 * u[j];
                        }
                    }
                    t += 0.5;
                }
                let mut sum = 0.0;
                for i in 0..x.len() {
                    sum += u[i] * (i + 1) as f64;
                }
                sum
            }
        )*

        fn sums(x: &[f64], end: f64) -> Vec<Vec<f64>> {
            vec![$({
                let mut d_x = vec![0.0; x.len()];
                let value = $name::grad(x, &mut d_x, end, &mut 0.0);
                [vec![value], d_x].concat()
            }),*]
        }
    };
}

weighted! {
    alike: ;
    alike_by_themselves: #[checkpoint];
    alike_of_two: #[checkpoint(states = 2)];
}

#[test]
fn what_all_steps_compute_alike() {
    for steps in [0, 1, 2, 3, 7, 100] {
        let x = random(5, 4);
        let all = sums(&x, 0.5 * steps as f64);
        for other in &all[1..] {
            for (a, b) in all[0].iter().zip(other) {
                assert!((a - b).abs() <= 1e-14 * (1.0 + a.abs()), "{steps} steps: {b} is not {a}");
            }
        }
        check(|v| alike(&v[0], 0.5 * steps as f64), &[&x], &[&all[0][1..]]);
    }
}

macro_rules! longer {
    ($($name:ident: $(#[$mark:meta])?;)*) => {
        $(
            /// Each step has one update more than the one before, until a value is large.
            #[differentiate]
            pub fn $name(x: &[f64], n: usize) -> f64 {
                let mut u = x.to_vec();
                let mut cost = 0.1;
                $(#[$mark])?
                for t in 0..n {
                    if cost > 9.0 {
                        break;
                    }
                    for k in 0..t + 1 {
                        u[t % x.len()] = u[t % x.len()].sin() * 1.1 + 0.2 * cost * x[k % x.len()];
                    }
                    cost += 0.1 * u[0] * u[0];
                }
                cost
            }
        )*

        fn costs(x: &[f64], n: usize) -> Vec<Vec<f64>> {
            vec![$({
                let mut d_x = vec![0.0; x.len()];
                let value = $name::grad(x, &mut d_x, n);
                [vec![value], d_x].concat()
            }),*]
        }
    };
}

longer! {
    each_longer: ;
    each_longer_by_itself: #[checkpoint];
    each_longer_of_two: #[checkpoint(states = 2)];
}

#[test]
fn steps_of_which_each_is_longer() {
    for n in [0, 1, 2, 3, 7, 40] {
        let x = random(6, 3);
        let all = costs(&x, n);
        for other in &all[1..] {
            for (a, b) in all[0].iter().zip(other) {
                assert!((a - b).abs() <= 1e-13 * (1.0 + a.abs()), "{n} steps: {b} is not {a}");
            }
        }
        check(|v| each_longer(&v[0], n), &[&x], &[&all[0][1..]]);
    }
}
