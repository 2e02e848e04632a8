//! The experts as a child process: one command at a time from standard input, its answer to standard output.
//!
//! A command is a line; arrays behind it are a length and the elements, eight bytes each, little-endian.
//!
//! | command | behind it | answer |
//! | --- | --- | --- |
//! | `load WORKLOAD` | sizes; number of index arrays, each; number of float arrays, each; parameters | `ok` |
//! | `time VARIANT` | | nanoseconds and value |
//! | `gradient VARIANT` | | value; then the gradient as an array |
//! | `machine` | | billions of operations and of bytes a second, on all threads |
//!
//! Variants are `naive`, `fast`, `scalar`, `gradient` and `other`. The number of threads is the first argument.

#[path = "../../common/awake.rs"]
mod awake;

use awake::awake;
use pardiff_experts::scratch::Scratch;
use pardiff_experts::{Constants, Work, load};
use rayon::prelude::*;
use std::io::{self, BufRead, Read, Write};
use std::time::Instant;

struct Loaded {
    work: Box<dyn Work>,
    parameters: Scratch,
    gradient: Scratch,
    len: usize,
}

impl Loaded {
    fn run(&mut self, variant: &str) -> Option<f64> {
        let (p, g) = (&self.parameters[..self.len], &mut self.gradient[..self.len]);
        match variant {
            "naive" => Some(self.work.naive(p)),
            "fast" => Some(self.work.fast(p)),
            "scalar" => Some(self.work.grad_scalar(p, g)),
            "gradient" => Some(self.work.grad_fast(p, g)),
            "other" => self.work.grad_other(p, g),
            _ => None,
        }
    }
}

fn main() -> io::Result<()> {
    let threads = std::env::args().nth(1).and_then(|n| n.parse().ok()).unwrap_or(1);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().map_err(io::Error::other)?;
    let mut input = io::stdin().lock();
    let mut loaded = None;
    let mut line = String::new();
    while input.read_line(&mut line)? > 0 {
        let (command, argument) = line.trim().split_once(' ').unwrap_or((line.trim(), ""));
        match (command, &mut loaded) {
            ("load", _) => {
                // the memory of the case before goes first
                drop(loaded.take());
                loaded = Some(read_case(&mut input, argument)?);
                answer("ok", &[])?;
            }
            ("time", Some(case)) => {
                let (elapsed, value) = pool.install(|| {
                    awake();
                    let start = Instant::now();
                    let value = case.run(argument);
                    (start.elapsed(), value)
                });
                answer(&format!("{} {:?}", elapsed.as_nanos(), value.unwrap_or(f64::NAN)), &[])?;
            }
            ("gradient", Some(case)) => {
                case.gradient.fill(0.0);
                let value = pool.install(|| case.run(argument));
                answer(&format!("{:?}", value.unwrap_or(f64::NAN)), &case.gradient[..case.len])?;
            }
            ("machine", _) => {
                let (operations, bytes) = pool.install(|| (peak(threads), bandwidth(threads)));
                answer(&format!("{operations} {bytes}"), &[])?;
            }
            _ => return Err(io::Error::other(format!("not a command here: {line}"))),
        }
        line.clear();
    }
    Ok(())
}

fn answer(line: &str, array: &[f64]) -> io::Result<()> {
    let mut output = io::stdout().lock();
    writeln!(output, "{line}")?;
    if !array.is_empty() {
        let bytes: Vec<u8> = array.iter().flat_map(|x| x.to_le_bytes()).collect();
        output.write_all(&(array.len() as u64).to_le_bytes())?;
        output.write_all(&bytes)?;
    }
    output.flush()
}

fn read_case(input: &mut impl Read, workload: &str) -> io::Result<Loaded> {
    let sizes = words(input)?.into_iter().map(|n| n as usize).collect();
    let mut constants = Constants { sizes, ..Constants::default() };
    for _ in 0..word(input)? {
        constants.indices.push(words(input)?.into_iter().map(|n| n as u32).collect());
    }
    for _ in 0..word(input)? {
        constants.floats.push(words(input)?.into_iter().map(f64::from_bits).collect());
    }
    let values = words(input)?;
    let len = values.len();
    let mut parameters = Scratch::zeros(len);
    for (p, bits) in parameters.iter_mut().zip(values) {
        *p = f64::from_bits(bits);
    }
    let work =
        load(workload, constants).ok_or_else(|| io::Error::other(format!("no workload {workload}")))?;
    Ok(Loaded { work, parameters, gradient: Scratch::zeros(len), len })
}

fn word(input: &mut impl Read) -> io::Result<u64> {
    let mut bytes = [0; 8];
    input.read_exact(&mut bytes)?;
    Ok(u64::from_le_bytes(bytes))
}

fn words(input: &mut impl Read) -> io::Result<Vec<u64>> {
    let mut bytes = vec![0; 8 * word(input)? as usize];
    input.read_exact(&mut bytes)?;
    Ok(bytes.as_chunks().0.iter().map(|&b| u64::from_le_bytes(b)).collect())
}

/// Billions of float operations a second: fused multiply-adds without memory, the best of five.
fn peak(threads: usize) -> f64 {
    const ROUNDS: usize = 2_000_000;
    let mut best = f64::MAX;
    for _ in 0..5 {
        let start = Instant::now();
        let sum: f64 =
            (0..threads).into_par_iter().with_max_len(1).map(|t| multiply_add(ROUNDS, t as f64)).sum();
        std::hint::black_box(sum);
        best = best.min(start.elapsed().as_secs_f64());
    }
    (threads * ROUNDS * 2 * LANES) as f64 / best * 1e-9
}

/// Twelve chains of eight lanes: more than latency times units on any machine of these years.
const LANES: usize = 96;

#[inline(never)]
fn multiply_add(rounds: usize, start: f64) -> f64 {
    let mut x = [start; LANES];
    let (a, b) = (std::hint::black_box(0.999_999), std::hint::black_box(1e-6));
    for _ in 0..rounds {
        for x in &mut x {
            *x = x.mul_add(a, b);
        }
    }
    x.iter().sum()
}

/// Billions of bytes a second of `y[i] += a * x[i]` over arrays that no cache holds: two reads, one write.
fn bandwidth(threads: usize) -> f64 {
    const LEN: usize = 1 << 24;
    let x = vec![1.0_f64; LEN];
    let mut y = vec![2.0; LEN];
    let mut best = f64::MAX;
    for _ in 0..5 {
        let start = Instant::now();
        let part = LEN / threads;
        y.par_chunks_mut(part).zip(x.par_chunks(part)).for_each(|(y, x)| {
            for (y, x) in y.iter_mut().zip(x) {
                *y = x.mul_add(1e-9, *y);
            }
        });
        best = best.min(start.elapsed().as_secs_f64());
    }
    (24 * LEN) as f64 / best * 1e-9
}
