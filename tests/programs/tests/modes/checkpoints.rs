//! Loops over time that are run again from checkpoints: the gradient is what it is without.

use crate::rayon_iterators::on_threads;
use pardiff::differentiate;
use pardiff_programs::{check, random};

/// A kernel, and the same with marks on its loop over time.
macro_rules! kernels {
    (($plain:ident, $chosen:ident, $single:ident, $three:ident) $rest:tt) => {
        kernels! { @one ($plain) () $rest }
        kernels! { @one ($chosen) (#[checkpoint]) $rest }
        kernels! { @one ($single) (#[checkpoint(every = 1)]) $rest }
        kernels! { @one ($three) (#[checkpoint(every = 3)]) $rest }
    };
    (@one ($name:ident) $mark:tt { ($($params:tt)*) -> $result:ty { $($before:tt)* } $time:ident in ($($range:tt)*) $body:block { $($behind:tt)* } }) => {
        kernels! { @fn $name $mark ($($params)*) $result { $($before)* } $time ($($range)*) $body { $($behind)* } }
    };
    (@fn $name:ident ($($mark:tt)*) ($($params:tt)*) $result:ty { $($before:tt)* } $time:ident ($($range:tt)*) $body:block { $($behind:tt)* }) => {
        #[differentiate]
        pub fn $name($($params)*) -> $result {
            $($before)*
            $($mark)*
            for $time in $($range)* $body
            $($behind)*
        }
    };
}

kernels! {
    (waves, waves_chosen, waves_single, waves_three) {
        (speed: &[f64], wavelet: &[f64], trace: &mut [f64], n: usize) -> f64 {
            let mut before = vec![0.0f64; n * n];
            let mut now = vec![0.0f64; n * n];
            let mut after = vec![0.0f64; n * n];
            let mut energy = 0.0;
        }
        t in (0..wavelet.len()) {
            for i in 1..n - 1 {
                for j in 1..n - 1 {
                    let c = i * n + j;
                    let around = now[c - 1] + now[c + 1] + now[c - n] + now[c + n];
                    after[c] = 2.0 * now[c] - before[c] + speed[c] * speed[c] * (around - 4.0 * now[c]).tanh();
                }
            }
            after[n + 1] += wavelet[t];
            trace[t] = after[2 * n + 2] * after[2 * n + 2];
            energy += after[n + 2] * after[n + 2];
            std::mem::swap(&mut before, &mut now);
            std::mem::swap(&mut now, &mut after);
        }
        { energy }
    }
}

kernels! {
    (oscillators, oscillators_chosen, oscillators_single, oscillators_three) {
        (rate: &[f64], start: &[f64], steps: usize) -> f64 {
            let n = rate.len();
            let mut x = start.to_vec();
            let mut next = vec![0.0f64; n];
            let mut strength = 0.5f64;
        }
        _t in (0..steps) {
            let mut mean = 0.0f64;
            for i in 0..n {
                mean += x[i].cos();
            }
            mean /= n as f64;
            for i in 0..n {
                next[i] = x[i] + rate[i] * (mean - strength * x[i]).sin();
            }
            for i in 0..n {
                x[i] = (next[i] * next[i]).tanh();
            }
            strength *= 0.9 + 0.01 * mean;
        }
        {
            let mut total = strength;
            for i in 0..n {
                total += x[i] * x[i];
            }
            total
        }
    }
}

kernels! {
    (particles, particles_chosen, particles_single, particles_three) {
        (start: &[f64], charge: &[f64], first: &[u32], second: &[u32], steps: usize) -> f64 {
            let n = start.len();
            let mut x = start.to_vec();
            let mut v = vec![0.0; n];
            let mut force = vec![0.0; n];
            let mut state = 12345u32;
            let mut kicks = 0.0;
        }
        t in (0..steps + 1) {
            if t > 0 {
                for i in 0..n {
                    v[i] += 0.05 * force[i];
                    x[i] += 0.1 * v[i];
                }
            }
            force.fill(0.0);
            for p in 0..first.len() {
                let (i, j) = (first[p] as usize, second[p] as usize);
                let d = x[i] - x[j];
                if d * d < 0.5 {
                    let f = charge[i] * charge[j] * d / (0.1 + d * d);
                    force[i] += f;
                    force[j] -= f;
                }
            }
            state = state.wrapping_mul(1664525).wrapping_add(1013904223);
            let kicked = (state >> 16) as usize % n;
            v[kicked] += 0.01 * charge[kicked];
            kicks += x[kicked] * x[kicked];
        }
        {
            let mut total = kicks;
            for i in 0..n {
                total += x[i] * v[i];
            }
            total
        }
    }
}

kernels! {
    (swept, swept_chosen, swept_single, swept_three) {
        (u: &mut [f64], c: &[f64], steps: usize) -> f64 {
            let n = u.len();
        }
        t in (1..steps) {
            for i in 1..n - 1 {
                u[i] += c[i] * (u[i - 1] * u[i + 1] - u[i] / t as f64).sin();
            }
        }
        { u[n / 2] * u[n / 2] }
    }
}

type Runs<'a> = [&'a (dyn Fn() -> Vec<f64> + Sync); 4];

/// Several variants of one kernel, each with the same bits at any number of threads.
#[track_caller]
fn alike(runs: Runs<'_>) -> Vec<f64> {
    let [plain, others @ ..] = runs.map(on_threads);
    let largest = plain.iter().fold(0.0, |largest: f64, value| largest.max(value.abs()));
    for other in others {
        assert_eq!(plain.len(), other.len());
        for (a, b) in plain.iter().zip(&other) {
            assert!((a - b).abs() <= 1e-9 * a.abs() + 1e-14 * largest, "{a} is not {b}");
        }
    }
    plain
}

/// The same bits in all variants: kernels that are compiled for lanes without marks as well.
#[track_caller]
fn same_bits(runs: Runs<'_>) -> Vec<f64> {
    let [plain, others @ ..] = runs.map(on_threads);
    let bits = |values: &[f64]| values.iter().map(|value| value.to_bits()).collect::<Vec<_>>();
    for other in others {
        assert_eq!(bits(&plain), bits(&other));
    }
    plain
}

#[track_caller]
fn in_segments(plans: [&str; 3]) {
    for plan in plans {
        assert!(plan.contains("(marked checkpoint)"), "{plan}");
        // of as many iterations, or of one
        assert!(plan.contains("segment.min(") || plan.contains(" 1.min("), "{plan}");
    }
}

macro_rules! run_waves {
    ($kernel:ident, $speed:ident, $wavelet:ident, $n:ident) => {
        || {
            let steps = $wavelet.len();
            let mut trace = vec![0.0; steps];
            let mut d_trace = random(3, steps);
            let (mut d_speed, mut d_wavelet) = (vec![0.0; $n * $n], vec![0.0; steps]);
            let value =
                $kernel::grad(&$speed, &mut d_speed, &$wavelet, &mut d_wavelet, &mut trace, &mut d_trace, $n);
            [vec![value], d_speed, d_wavelet, trace, d_trace].concat()
        }
    };
}

#[test]
fn waves_with_a_source_and_a_trace() {
    in_segments([waves_chosen::DECISIONS, waves_single::DECISIONS, waves_three::DECISIONS]);
    for (n, steps) in [(5, 0), (5, 1), (6, 7), (220, 10)] {
        let speed: Vec<f64> = random(1, n * n).iter().map(|x| 0.5 + 0.2 * x).collect();
        let wavelet = random(2, steps);
        let found = same_bits([
            &run_waves!(waves, speed, wavelet, n),
            &run_waves!(waves_chosen, speed, wavelet, n),
            &run_waves!(waves_single, speed, wavelet, n),
            &run_waves!(waves_three, speed, wavelet, n),
        ]);
        if n == 6 {
            let seed = random(3, steps);
            let value = |v: &[Vec<f64>]| {
                let mut trace = vec![0.0; steps];
                let energy = waves(&v[0], &v[1], &mut trace, n);
                energy + pardiff_programs::dot(&trace, &seed)
            };
            let (d_speed, rest) = found[1..].split_at(n * n);
            check(value, &[&speed, &wavelet], &[d_speed, &rest[..steps]]);
        }
    }
}

macro_rules! run_oscillators {
    ($kernel:ident, $rate:ident, $start:ident, $steps:ident) => {
        || {
            let n = $rate.len();
            let (mut d_rate, mut d_start) = (vec![0.0; n], vec![0.0; n]);
            let value = $kernel::grad(&$rate, &mut d_rate, &$start, &mut d_start, $steps);
            [vec![value], d_rate, d_start].concat()
        }
    };
}

#[test]
fn oscillators_with_a_sum_in_each_step() {
    in_segments([oscillators_chosen::DECISIONS, oscillators_single::DECISIONS, oscillators_three::DECISIONS]);
    for (n, steps) in [(3, 0), (5, 8), (40_000, 7)] {
        let (rate, start) = (random(1, n), random(2, n));
        let found = alike([
            &run_oscillators!(oscillators, rate, start, steps),
            &run_oscillators!(oscillators_chosen, rate, start, steps),
            &run_oscillators!(oscillators_single, rate, start, steps),
            &run_oscillators!(oscillators_three, rate, start, steps),
        ]);
        if n == 5 {
            let (d_rate, d_start) = found[1..].split_at(n);
            check(|v| oscillators(&v[0], &v[1], steps), &[&rate, &start], &[d_rate, d_start]);
        }
    }
}

macro_rules! run_particles {
    ($kernel:ident, $start:ident, $charge:ident, $first:ident, $second:ident, $steps:ident) => {
        || {
            let n = $start.len();
            let (mut d_start, mut d_charge) = (vec![0.0; n], vec![0.0; n]);
            let value =
                $kernel::grad(&$start, &mut d_start, &$charge, &mut d_charge, &$first, &$second, $steps);
            [vec![value], d_start, d_charge].concat()
        }
    };
}

#[test]
fn particles_with_a_cutoff_and_kicks() {
    in_segments([particles_chosen::DECISIONS, particles_single::DECISIONS, particles_three::DECISIONS]);
    for (n, pairs, steps) in [(4, 0, 0), (7, 15, 9), (5000, 60_000, 6)] {
        let (start, charge) = (random(1, n), random(2, n));
        let first: Vec<u32> = (0..pairs).map(|p| (p * 7 % n) as u32).collect();
        let second: Vec<u32> = (0..pairs).map(|p| (p * p * 3 % n) as u32).collect();
        let found = same_bits([
            &run_particles!(particles, start, charge, first, second, steps),
            &run_particles!(particles_chosen, start, charge, first, second, steps),
            &run_particles!(particles_single, start, charge, first, second, steps),
            &run_particles!(particles_three, start, charge, first, second, steps),
        ]);
        if n == 7 {
            let (d_start, d_charge) = found[1..].split_at(n);
            let value = |v: &[Vec<f64>]| particles(&v[0], &v[1], &first, &second, steps);
            check(value, &[&start, &charge], &[d_start, d_charge]);
        }
    }
}

macro_rules! run_swept {
    ($kernel:ident, $u:ident, $c:ident, $steps:ident) => {
        || {
            let n = $u.len();
            let (mut u, mut d_u, mut d_c) = ($u.clone(), random(3, n), vec![0.0; n]);
            let value = $kernel::grad(&mut u, &mut d_u, &$c, &mut d_c, $steps);
            [vec![value], u, d_u, d_c].concat()
        }
    };
}

#[test]
fn an_array_of_the_caller_from_step_one_on() {
    in_segments([swept_chosen::DECISIONS, swept_single::DECISIONS, swept_three::DECISIONS]);
    for (n, steps) in [(3, 0), (4, 1), (6, 8), (3000, 6)] {
        let (u, c) = (random(1, n), random(2, n));
        let found = alike([
            &run_swept!(swept, u, c, steps),
            &run_swept!(swept_chosen, u, c, steps),
            &run_swept!(swept_single, u, c, steps),
            &run_swept!(swept_three, u, c, steps),
        ]);
        if n == 6 {
            let seed = random(3, n);
            let value = |v: &[Vec<f64>]| {
                let mut u = v[0].clone();
                let value = swept(&mut u, &v[1], steps);
                value + pardiff_programs::dot(&u, &seed)
            };
            check(value, &[&u, &c], &[&found[1 + n..1 + 2 * n], &found[1 + 2 * n..]]);
        }
    }
}
