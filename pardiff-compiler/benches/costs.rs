//! Prices of the scheduler (`schedule/prices.rs`) as this machine has them: `cargo bench -p pardiff-compiler --bench
//! costs`.
//!
//! Minima of many short runs at the machine's level, divided by the time of an addition, which is that of a load and an
//! addition of a vector in the first-level cache.

#[path = "../../pardiff-runtime/tests/it/at_level.rs"]
#[allow(dead_code, reason = "shared with the tests of the runtime")]
mod at_level;

use at_level::{Job, Vectors, at};
use pardiff_runtime::simd::{Isa, LANES, Vector, level};
use pardiff_runtime::{Disjoint, math, tasks};
use std::hint::black_box;
use std::time::Instant;

/// Elements of an array that stays in the first-level cache.
const LEN: usize = 1024;
/// Elements of an array that stays in no second-level cache.
const FAR: usize = 1 << 21;

/// What a pass over an array does with each vector.
#[derive(Clone, Copy, PartialEq)]
enum Work {
    Add,
    Divide,
    Function(usize),
    Gather,
    Scatter,
    Fold,
    Folds,
}

struct Pass<'a> {
    work: Work,
    x: &'a [f64],
    places: &'a [usize],
    y: &'a mut [f64; LEN],
}

impl Job for Pass<'_> {
    type Output = f64;

    #[inline(always)]
    fn run<S: Isa>(self) -> f64 {
        let Pass { work, x, places, y } = self;
        let vectors = x.chunks_exact(LANES);
        // Safety: a chunk has eight elements
        let load = |x: &[f64]| unsafe { S::F64::load(x.as_ptr()) };
        let zero = S::F64::from_array([0.0; LANES]);
        match work {
            Work::Add => {
                // as many accumulators as hide the latency
                let mut sums = [zero; 8];
                for rows in x.chunks_exact(8 * LANES) {
                    for (sum, row) in sums.iter_mut().zip(rows.chunks_exact(LANES)) {
                        *sum = *sum + load(row);
                    }
                }
                sums.into_iter().fold(zero, |a, b| a + b).sum()
            }
            Work::Divide => {
                vectors.fold(zero, |sum, row| sum + S::F64::from_array([1.5; LANES]) / load(row)).sum()
            }
            Work::Function(0) => vectors.fold(zero, |sum, row| sum + math::exp(load(row))).sum(),
            Work::Function(1) => vectors.fold(zero, |sum, row| sum + math::ln(load(row))).sum(),
            Work::Function(2) => vectors.fold(zero, |sum, row| sum + math::sin(load(row))).sum(),
            Work::Function(_) => vectors.fold(zero, |sum, row| sum + math::tanh(load(row))).sum(),
            Work::Gather => {
                let gather = |places: &[usize]| {
                    let places: [usize; LANES] = std::array::from_fn(|lane| places[lane]);
                    // Safety: places are below the length
                    unsafe { S::F64::gather(x.as_ptr(), places.map(usize::cast_signed)) }
                };
                places.chunks_exact(LANES).fold(zero, |sum, places| sum + gather(places)).sum()
            }
            Work::Scatter => {
                for (row, places) in vectors.zip(places.chunks_exact(LANES)) {
                    let places = std::array::from_fn(|lane| places[lane]);
                    // Safety: places are below the length
                    unsafe { load(row).scatter_add(y.as_mut_ptr(), places) }
                }
                y[0]
            }
            Work::Fold => vectors.fold(0.0, |sum, row| sum + load(row).sum()),
            Work::Folds => {
                let mut total = 0.0;
                for rows in x.chunks_exact(8 * LANES) {
                    let rows: [S::F64; 8] = std::array::from_fn(|row| load(&rows[row * LANES..]));
                    total += S::F64::sums(rows).into_iter().sum::<f64>();
                }
                total
            }
        }
    }
}

/// So many passes over an array in cache are timed together: a look at the clock takes as long as one.
const PASSES: usize = 64;

/// Nanoseconds of a run, of the fastest of many groups of some.
fn fastest(group: usize, mut run: impl FnMut()) -> f64 {
    let start = Instant::now();
    let mut least = f64::INFINITY;
    while start.elapsed().as_millis() < 200 {
        let before = Instant::now();
        (0..group).for_each(|_| run());
        least = least.min(before.elapsed().as_nanos() as f64 / group as f64);
    }
    least
}

/// Nanoseconds of a piece of work for each vector of an array in cache.
fn of_vector(work: Work) -> f64 {
    let x: [f64; LEN] = std::array::from_fn(|k| 0.5 + (k * 617 % LEN) as f64 / LEN as f64);
    let places: [usize; LEN] = std::array::from_fn(|k| k * 389 % LEN);
    let mut y = [0.0; LEN];
    let time = fastest(PASSES, || {
        let (x, places) = (black_box(&x[..]), black_box(&places[..]));
        black_box(at(Vectors::Of(level()), Pass { work, x, places, y: &mut y }));
    });
    time / (LEN / LANES) as f64
}

/// Nanoseconds of an element of std's functions, of those that `Work::Function` has.
fn of_std() -> f64 {
    let x: [f64; LEN] = std::array::from_fn(|k| 0.5 + (k * 617 % LEN) as f64 / LEN as f64);
    let functions = [f64::exp, f64::ln, f64::sin, f64::tanh];
    let times = functions.map(|f| {
        fastest(PASSES, || {
            black_box(black_box(&x).iter().map(|&x| f(x)).sum::<f64>());
        })
    });
    times.iter().sum::<f64>() / (4 * LEN) as f64
}

/// Nanoseconds of a cache line of an array in no near cache, beyond the additions of its elements.
fn of_far_line(addition: f64) -> f64 {
    let (x, mut y) = (vec![1.0; FAR], [0.0; LEN]);
    let time = fastest(1, || {
        black_box(at(
            Vectors::Of(level()),
            Pass { work: Work::Add, x: black_box(&x), places: &[], y: &mut y },
        ));
    });
    time / (FAR / LANES) as f64 - addition
}

/// Nanoseconds to zero an element of a copy and to add it to the target, where neither stays in a near cache.
fn of_copied_element() -> f64 {
    let (mut copy, mut target) = (vec![1.0; FAR], vec![0.0; FAR]);
    let time = fastest(1, || {
        black_box(&mut copy).fill(0.0);
        black_box(&mut target).iter_mut().zip(&copy).for_each(|(target, copy)| *target += copy);
    });
    time / FAR as f64
}

/// Nanoseconds of a task that does next to nothing.
fn of_task() -> f64 {
    const TASKS: usize = 256;
    let mut y = [0.0; TASKS];
    let time = fastest(1, || {
        let y = Disjoint::new(black_box(&mut y));
        tasks(TASKS, &|_| {
            black_box(y.len());
        });
    });
    time / TASKS as f64
}

fn main() {
    let addition = of_vector(Work::Add);
    let function = (0..4).map(|which| of_vector(Work::Function(which))).sum::<f64>() / 4.0;
    let fold = of_vector(Work::Fold);
    // an element of a copy is priced beside one number's addition
    let of_number = addition / LANES as f64;
    let measured = [
        ("DIVISION", of_vector(Work::Divide) / addition),
        ("FUNCTION", function / addition),
        ("SCALAR_CALL", of_std() / (function / LANES as f64)),
        ("GATHER", of_vector(Work::Gather) / addition),
        ("SCATTER", of_vector(Work::Scatter) / addition),
        ("FAR_LINE", of_far_line(addition) / addition),
        ("FOLD", fold / addition),
        ("FOLDS", (8.0 * of_vector(Work::Folds) - 2.0 * fold) / addition),
        ("copied_element", of_copied_element() / of_number),
    ];
    println!("an addition of a vector takes {addition:.3} ns at {:?}", level());
    let task = of_task();
    println!("a task takes {task:.0} ns, or {:.0} additions of a vector", task / addition);
    for (name, price) in measured {
        println!("{name}: {price:.1}");
    }
}
