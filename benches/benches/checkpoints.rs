//! What checkpoints cost: memory and time of a gradient in segments, beside the same loop without a mark. One line a
//! loop.
//!
//! ```text
//! cargo bench --bench checkpoints -- [--reps 5]
//! ```
//!
//! Compared are minima of all repetitions, in turn. Memory is the most that a gradient allocates.

#![allow(clippy::manual_memcpy, reason = "loops over elements, as kernels are written")]

#[path = "suite/allocations.rs"]
#[allow(dead_code, reason = "the suite counts allocations as well")]
mod allocations;

use pardiff::differentiate;
use std::process::ExitCode;
use std::time::Instant;

#[global_allocator]
static COUNTING: allocations::Counting = allocations::Counting;

/// Nonlinear diffusion on a rod, for so many steps.
macro_rules! counted {
    ($($name:ident: ($($mark:tt)*);)*) => {$(
        #[differentiate]
        fn $name(u: &mut [f64], k: &[f64], steps: usize) {
            let n = u.len();
            let mut next = vec![0.0; n];
            $($mark)*
            for _ in 0..steps {
                for i in 1..n - 1 {
                    next[i] = u[i] + k[i] * (u[i - 1] - 2.0 * u[i] + u[i + 1]) * u[i];
                }
                for i in 1..n - 1 {
                    u[i] = next[i];
                }
            }
        }
    )*};
}

/// The same until so much time has passed.
macro_rules! until {
    ($($name:ident: ($($mark:tt)*);)*) => {$(
        #[differentiate]
        fn $name(u: &mut [f64], k: &[f64], steps: usize) {
            let n = u.len();
            let mut next = vec![0.0; n];
            let most = steps as f64;
            let mut time = 0.0;
            $($mark)*
            while time < most {
                for i in 1..n - 1 {
                    next[i] = u[i] + k[i] * (u[i - 1] - 2.0 * u[i] + u[i + 1]) * u[i];
                }
                for i in 1..n - 1 {
                    u[i] = next[i];
                }
                time += 1.0;
            }
        }
    )*};
}

/// Periods of a hundred steps, at whose ends the rod is cooled.
macro_rules! periods {
    ($($name:ident: ($($outer:tt)*) ($($inner:tt)*);)*) => {$(
        #[differentiate]
        fn $name(u: &mut [f64], k: &[f64], steps: usize) {
            let n = u.len();
            let mut next = vec![0.0; n];
            $($outer)*
            for _ in 0..steps / 100 {
                $($inner)*
                for _ in 0..100 {
                    for i in 1..n - 1 {
                        next[i] = u[i] + k[i] * (u[i - 1] - 2.0 * u[i] + u[i + 1]) * u[i];
                    }
                    for i in 1..n - 1 {
                        u[i] = next[i];
                    }
                }
                for i in 0..n {
                    u[i] -= 0.01 * u[i] * u[i];
                }
            }
        }
    )*};
}

counted! {
    whole: ();
    in_bytes: (#[checkpoint(memory = 8 * MEGABYTE)]);
    in_segments: (#[checkpoint]);
    binomial: (#[checkpoint(binomial = 99)]);
}

until! {
    until_whole: ();
    until_states: (#[checkpoint(states = 100)]);
    until_levels: (#[checkpoint(states = 34, levels = 2)]);
}

periods! {
    periods_whole: () ();
    periods_inner: () (#[checkpoint]);
    periods_both: (#[checkpoint]) (#[checkpoint]);
}

const MEGABYTE: usize = 1_000_000;

/// Cells of the rod, and steps.
const SIZES: [usize; 2] = [10_000, 10_000];

type Gradient = fn(&mut [f64], &mut [f64], &[f64], &mut [f64], usize);

/// A loop without a mark, and the same with one, by the mark.
const LOOPS: [(Gradient, &str, Gradient); 7] = [
    (whole::vjp, "memory = 8 * MEGABYTE", in_bytes::vjp),
    (whole::vjp, "checkpoint", in_segments::vjp),
    (whole::vjp, "binomial = 99", binomial::vjp),
    (until_whole::vjp, "while, states = 100", until_states::vjp),
    (until_whole::vjp, "while, states = 34, levels = 2", until_levels::vjp),
    (periods_whole::vjp, "periods of 100, inside", periods_inner::vjp),
    (periods_whole::vjp, "periods of 100, both", periods_both::vjp),
];

/// Bytes of a first gradient, seconds of a second one, which finds that memory, and what it is.
fn run(of: Gradient) -> (f64, usize, Vec<f64>) {
    let [n, steps] = SIZES;
    let k = vec![0.01; n];
    let start: Vec<f64> = (0..n).map(|i| 1.0 + 0.1 * (i as f64).sin()).collect();
    pardiff::release_scratch();
    let gradient = || {
        let (mut u, mut d_u, mut d_k) = (start.clone(), vec![1.0; n], vec![0.0; n]);
        of(&mut u, &mut d_u, &k, &mut d_k, steps);
        [u, d_u, d_k].concat()
    };
    let (_, bytes) = allocations::peak(gradient);
    let begin = Instant::now();
    let found = gradient();
    (begin.elapsed().as_secs_f64(), bytes, found)
}

fn main() -> ExitCode {
    let (mut reps, mut bench) = (5, false);
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--bench" => bench = true,
            "--reps" => reps = arguments.next().and_then(|reps| reps.parse().ok()).unwrap_or(reps),
            _ => {
                eprintln!("error: unknown argument `{argument}`");
                return ExitCode::FAILURE;
            }
        }
    }
    if !bench {
        println!("the costs of checkpoints are measured under `cargo bench --bench checkpoints`");
        return ExitCode::SUCCESS;
    }
    for (whole, mark, marked) in LOOPS {
        let (mut best, mut bytes) = ([f64::INFINITY; 2], [0; 2]);
        for _ in 0..reps {
            let mut found = Vec::new();
            for (at, of) in [whole, marked].into_iter().enumerate() {
                let (seconds, peak, gradient) = run(of);
                best[at] = best[at].min(seconds);
                bytes[at] = peak;
                found.push(gradient);
            }
            let is_close = |(a, b): (&f64, &f64)| (a - b).abs() <= 1e-9 * (1.0 + a.abs());
            assert!(found[0].iter().zip(&found[1]).all(is_close), "{mark}: another gradient");
        }
        let [plain, least] = bytes.map(|bytes| bytes as f64 / 1e6);
        let ratio = best[1] / best[0];
        println!(
            "{mark}: {plain:.0} MB and {:.3} s without, {least:.2} MB and {:.3} s with; {ratio:.2} times",
            best[0], best[1]
        );
    }
    ExitCode::SUCCESS
}
