//! One case on one number of threads: all variants in turn, over and over.

use crate::allocations;
use crate::awake::awake;
use crate::child::Experts;
use crate::options::Options;
use pardiff_workloads::cases::{Entry, Workload};
use pardiff_workloads::data::Aligned;
use rayon::ThreadPool;
use std::hint::black_box;
use std::time::{Duration, Instant};

/// Milliseconds of one variant.
#[derive(Clone, Copy)]
pub struct Time {
    /// The fastest repetition.
    pub min: f64,
    /// The median repetition.
    pub median: f64,
}

/// What was measured of one case.
pub struct Row {
    /// The kernel.
    pub workload: &'static str,
    /// The case.
    pub case: String,
    /// Threads.
    pub threads: usize,
    /// Repetitions.
    pub reps: usize,
    /// Times by variant, in the order in which they ran.
    pub times: Vec<(&'static str, Time)>,
    /// Norm of the gradient.
    pub norm: f64,
    /// Error of the generated gradient, relative to the sequential one by hand; where there is none, of its slope along a
    /// direction, relative to differences of the primal.
    pub error: f64,
    /// The generated gradient, for comparisons between numbers of threads.
    pub gradient: Vec<f64>,
    /// Whether the gradient has the same bits in every run and at every number of threads so far.
    pub deterministic: bool,
    /// Bytes that a first gradient takes besides its arguments.
    pub peak: usize,
    /// Bytes that the kernel as written takes besides its arguments.
    pub primal_peak: usize,
    /// Float operations of the gradient.
    pub operations: f64,
    /// Bytes that it must move.
    pub traffic: f64,
    /// Whether the data are made up although published data exist.
    pub substitute: bool,
}

impl Row {
    /// The times of a variant.
    pub fn time(&self, variant: &str) -> Option<Time> {
        self.times.iter().find(|(name, _)| *name == variant).map(|&(_, time)| time)
    }

    /// The minimum of one variant over that of another.
    pub fn ratio(&self, variant: &str, to: &str) -> Option<f64> {
        Some(self.time(variant)?.min / self.time(to)?.min)
    }
}

/// Runs a case. `before` are the rows of other numbers of threads.
pub fn measure(
    entry: &Entry,
    case: &str,
    pool: &ThreadPool,
    threads: usize,
    experts: &mut Experts,
    options: &Options,
    before: &[Row],
) -> Result<Row, String> {
    let name = entry.workload;
    let workload = (entry.load)(case).ok_or_else(|| format!("{name} has no case {case}"))?;
    let workload = &*workload;
    let p = Aligned::of(&workload.parameters());
    let mut g = Aligned::zeros(p.len());
    if entry.expert {
        experts.load(name, workload)?;
    }

    // the numbers, once
    let (_, primal_peak) = allocations::peak(|| workload.primal(&p));
    pardiff::release_scratch();
    let (_, peak) = allocations::peak(|| pool.install(|| workload.grad(&p, &mut g)));
    let gradient = g.to_vec();
    let mut reference = vec![0.0; p.len()];
    let by_hand = match entry.expert {
        true => {
            reference = experts.gradient("scalar")?.1;
            true
        }
        false => workload.by_hand(&p, &mut reference).is_some(),
    };
    let error = if by_hand { distance(&gradient, &reference) } else { slope_error(workload, &p, &gradient) };
    g.fill(0.0);
    pool.install(|| workload.grad(&p, &mut g));
    let same = |other: &[f64]| gradient.iter().zip(other).all(|(a, b)| a.to_bits() == b.to_bits());
    let earlier = before.iter().find(|row| row.workload == name && row.case == case);
    let deterministic = same(&g) && earlier.is_none_or(|row| same(&row.gradient));

    // the times, in turn
    let mut variants = vec!["primal", "value", "grad", "grad_into"];
    match entry.expert {
        true => {
            variants.extend(["scalar", "expert", "expert_primal"]);
            if experts.time("other")?.1.is_finite() {
                variants.push("expert_other");
            }
        }
        false if by_hand => variants.push("scalar"),
        false => {}
    }
    let mut samples = vec![Vec::with_capacity(options.reps); variants.len()];
    for repetition in 0..=options.reps {
        for (variant, samples) in variants.iter().zip(&mut samples) {
            // the threads of the one before go to sleep
            std::thread::sleep(Duration::from_micros(300));
            let elapsed = match *variant {
                "scalar" if entry.expert => experts.time("scalar")?.0,
                "expert" => experts.time("gradient")?.0,
                "expert_primal" => experts.time("fast")?.0,
                "expert_other" => experts.time("other")?.0,
                own => pool.install(|| time_own(own, workload, &p, &mut g).0),
            };
            if repetition > 0 {
                samples.push(elapsed);
            }
        }
    }

    Ok(Row {
        workload: name,
        case: case.to_owned(),
        threads,
        reps: options.reps,
        times: variants.into_iter().zip(samples.iter_mut().map(|samples| summary(samples))).collect(),
        norm: norm(gradient.iter().copied()),
        error,
        gradient,
        deterministic,
        peak,
        primal_peak,
        operations: workload.operations(),
        traffic: workload.traffic(),
        substitute: workload.is_substitute(),
    })
}

fn norm(x: impl Iterator<Item = f64>) -> f64 {
    x.map(|x| x * x).sum::<f64>().sqrt()
}

/// Of two vectors, relative to the second.
fn distance(a: &[f64], b: &[f64]) -> f64 {
    norm(a.iter().zip(b).map(|(a, b)| a - b)) / norm(b.iter().copied())
}

/// The error of the slope along the gradient itself, which is the steepest one, against differences of fourth order: the
/// least over some steps, because those that are too long see the next derivatives (and kinks), shorter ones rounding.
fn slope_error(workload: &dyn Workload, p: &[f64], gradient: &[f64]) -> f64 {
    let slope = norm(gradient.iter().copied());
    let error = |by: f64| {
        let step = by * norm(p.iter().copied()) / slope;
        let at = |h: f64| {
            let moved: Vec<f64> = p.iter().zip(gradient).map(|(p, g)| p + h * step * g).collect();
            workload.primal(&moved)
        };
        let difference = (8.0 * (at(1.0) - at(-1.0)) - (at(2.0) - at(-2.0))) / (12.0 * step);
        (difference / (slope * slope) - 1.0).abs()
    };
    [1e-4, 1e-6, 1e-8, 1e-9].map(error).into_iter().fold(f64::INFINITY, f64::min)
}

/// Milliseconds and value of one run in this process.
pub fn time_own(variant: &str, workload: &dyn Workload, p: &[f64], g: &mut [f64]) -> (f64, f64) {
    awake();
    let start = Instant::now();
    let value = match variant {
        "primal" => workload.primal(black_box(p)),
        "value" => workload.value(black_box(p)),
        "grad" => workload.grad(black_box(p), g),
        "grad_into" => workload.grad_into(black_box(p), g),
        _ => workload.by_hand(black_box(p), g).unwrap_or(f64::NAN),
    };
    let value = black_box(value);
    (start.elapsed().as_secs_f64() * 1e3, value)
}

fn summary(samples: &mut [f64]) -> Time {
    samples.sort_by(f64::total_cmp);
    Time { min: samples[0], median: samples[samples.len() / 2] }
}
