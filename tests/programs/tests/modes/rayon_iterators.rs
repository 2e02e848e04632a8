//! Kernels written with rayon's iterators: gradients against finite differences, the same bits at any number of
//! threads, and plans that say that the loops are parallel.

use pardiff::differentiate;
use pardiff_programs::{check, dot, positive, random};
use rayon::prelude::*;

/// What `run` gives on several numbers of threads, which has the same bits on each.
pub fn on_threads(run: impl Fn() -> Vec<f64> + Sync) -> Vec<f64> {
    let mut all = [1, 2, 3, 5].map(|threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
        pool.install(&run)
    });
    let bits = |values: &[f64]| values.iter().map(|value| value.to_bits()).collect::<Vec<_>>();
    assert!(all.windows(2).all(|pair| bits(&pair[0]) == bits(&pair[1])), "the bits depend on the threads");
    std::mem::take(&mut all[0])
}

/// The lines of a plan that are about loops which the user has in parallel, by whether they are parallel.
#[track_caller]
pub fn assert_parallel(plan: &str) {
    assert!(plan.contains("parallel by the user's rayon"), "{plan}");
    // a version for calls in which a condition does not hold stands beside the parallel one
    let mut version = None;
    for line in plan.lines() {
        let depth = line.len() - line.trim_start().len();
        if version.is_some_and(|d| depth <= d) {
            version = None;
        }
        if version.is_none() && line.contains(" sequential: where ") {
            version = Some(depth);
        }
        assert!(version.is_some() || !line.contains("(the user's rayon"), "{line}\n{plan}");
    }
}

#[differentiate(wrt(w))]
pub fn logistic(w: &[f64], rows: &[f64], labels: &[bool]) -> f64 {
    rows.par_chunks_exact(w.len())
        .zip(labels.par_iter())
        .map(|(row, &label)| {
            let score = row.iter().zip(w).map(|(a, b)| a * b).sum::<f64>();
            (if label { -score } else { score }).exp().ln_1p()
        })
        .sum::<f64>()
        / labels.len() as f64
}

#[test]
fn logistic_regression() {
    let (w, rows) = (random(3, 4), random(4, 24));
    let labels = [true, false, false, true, true, false];
    let (value, g) = logistic::gradient(&w, &rows, &labels);
    assert!((value - logistic(&w, &rows, &labels)).abs() < 1e-14);
    check(|v| logistic(&v[0], &rows, &labels), &[&w], &[&g.w]);
    assert_parallel(logistic::DECISIONS);
    let (w, rows) = (random(3, 20), random(4, 20 * 3000));
    let labels: Vec<bool> = (0..3000).map(|k| k % 3 == 0).collect();
    on_threads(|| {
        let (value, g) = logistic::gradient(&w, &rows, &labels);
        [vec![value], g.w].concat()
    });
}

#[differentiate]
pub fn scaled_exponential(x: &[f64], y: &mut [f64]) {
    y.par_iter_mut().zip(x.par_iter()).with_min_len(1000).for_each(|(y, x)| *y = x.exp() * *y);
}

#[test]
fn elementwise() {
    let run = |n: usize| {
        let (x, weights) = (random(6, n), random(7, n));
        let (mut y, mut d_x, mut d_y) = (random(8, n), vec![0.0; n], weights.clone());
        scaled_exponential::vjp(&x, &mut d_x, &mut y, &mut d_y);
        (x, weights, [y, d_x, d_y])
    };
    let (x, weights, [_, d_x, d_y]) = run(9);
    let y = random(8, 9);
    let value = |v: &[Vec<f64>]| {
        let mut y = v[1].clone();
        scaled_exponential(&v[0], &mut y);
        dot(&y, &weights)
    };
    check(value, &[&x, &y], &[&d_x, &d_y]);
    assert_parallel(scaled_exponential::DECISIONS);
    on_threads(|| run(50_000).2.concat());
}

/// A step of a diffusion, row by row.
#[differentiate]
pub fn diffusion(u: &[f64], v: &mut [f64], nx: usize, ny: usize, c: f64) {
    v.par_chunks_mut(nx).enumerate().for_each(|(j, row)| {
        if j > 0 && j < ny - 1 {
            for i in 1..nx - 1 {
                let at = j * nx + i;
                row[i] = u[at] + c * (u[at - 1] + u[at + 1] + u[at - nx] + u[at + nx] - 4.0 * u[at]);
            }
        } else {
            row.copy_from_slice(&u[j * nx..(j + 1) * nx]);
        }
    });
}

#[test]
fn stencil_by_rows() {
    let run = |nx: usize, ny: usize| {
        let n = nx * ny;
        let (u, mut v, mut d_u, mut d_v, mut d_c) =
            (random(1, n), vec![0.0; n], vec![0.0; n], random(2, n), 0.0);
        diffusion::vjp(&u, &mut d_u, &mut v, &mut d_v, nx, ny, 0.1, &mut d_c);
        (u, [v, d_u, vec![d_c]])
    };
    let (u, [_, d_u, d_c]) = run(5, 4);
    let seed = random(2, 20);
    let value = |v: &[Vec<f64>]| {
        let mut out = vec![0.0; 20];
        diffusion(&v[0], &mut out, 5, 4, v[1][0]);
        dot(&out, &seed)
    };
    check(value, &[&u, &[0.1]], &[&d_u, &d_c]);
    assert_parallel(diffusion::DECISIONS);
    on_threads(|| run(301, 203).1.concat());
}

/// Rows of a chunk at indices that are known when it runs: who owns them follows from the types alone.
#[differentiate]
pub fn at_indices(x: &[f64], columns: &[usize], y: &mut [f64], k: usize) {
    y.par_chunks_mut(k).for_each(|row| {
        for &c in columns {
            row[c] = row[c] * x[c] + 1.0;
        }
    });
}

#[test]
fn rows_at_indices() {
    let columns = [3, 0, 3, 1];
    let run = |rows: usize| {
        let n = 4 * rows;
        let (x, mut y, mut d_x, mut d_y) = (positive(1, 4), random(2, n), vec![0.0; 4], random(3, n));
        at_indices::vjp(&x, &mut d_x, &columns, &mut y, &mut d_y, 4);
        (x, [y, d_x, d_y])
    };
    let (x, [_, d_x, d_y]) = run(3);
    let (y, seed) = (random(2, 12), random(3, 12));
    let value = |v: &[Vec<f64>]| {
        let mut y = v[1].clone();
        at_indices(&v[0], &columns, &mut y, 4);
        dot(&y, &seed)
    };
    check(value, &[&x, &y], &[&d_x, &d_y]);
    assert_parallel(at_indices::DECISIONS);
    on_threads(|| run(20_000).1.concat());
}

/// Mean and variance by folds, the spread by reductions.
#[differentiate]
pub fn statistics(x: &[f64]) -> f64 {
    let n = x.len() as f64;
    let (sum, squares) = x
        .par_iter()
        .fold(|| (0.0, 0.0), |(s, t), v| (s + v, t + v * v))
        .reduce(|| (0.0, 0.0), |a, b| (a.0 + b.0, a.1 + b.1));
    let mean = sum / n;
    let cubes: f64 = (0..x.len()).into_par_iter().map(|i| (x[i] - mean).powi(3)).sum();
    let pairs = x.par_windows(2).map(|w| (w[1] - w[0]).abs()).reduce(|| 0.0, |a, b| a + b);
    (squares / n - mean * mean).sqrt() + cubes / n + pairs / n
}

#[test]
fn sums_and_folds() {
    let x = random(11, 13);
    let (value, g) = statistics::gradient(&x);
    assert!((value - statistics(&x)).abs() < 1e-13);
    check(|v| statistics(&v[0]), &[&x], &[&g.x]);
    assert_parallel(statistics::DECISIONS);
    let x = random(12, 100_000);
    on_threads(|| statistics::gradient(&x).1.x);
}

/// The largest one is found by all; its adjoint goes to the first that is as large.
#[differentiate]
pub fn log_sum_exp(x: &[f64]) -> f64 {
    let largest = x.par_iter().copied().reduce(|| f64::NEG_INFINITY, f64::max);
    x.par_iter().map(|v| (v - largest).exp()).sum::<f64>().ln() + largest
}

#[test]
fn reduction_to_the_largest() {
    let x = random(13, 8);
    let (_, g) = log_sum_exp::gradient(&x);
    check(|v| log_sum_exp(&v[0]), &[&x], &[&g.x]);
    assert_parallel(log_sum_exp::DECISIONS);
    let x = random(14, 30_000);
    on_threads(|| log_sum_exp::gradient(&x).1.x);
}

/// Forces between all pairs: every row of the result belongs to one item, positions are read by all.
#[differentiate]
pub fn energy(p: &[[f64; 3]]) -> f64 {
    p.par_iter()
        .enumerate()
        .map(|(i, a)| {
            let mut e = 0.0;
            for b in &p[..i] {
                let d = [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
                e += 1.0 / (d[0] * d[0] + d[1] * d[1] + d[2] * d[2] + 0.1).sqrt();
            }
            e
        })
        .sum()
}

#[test]
fn all_pairs() {
    let flat = random(21, 15);
    let rows = |flat: &[f64]| flat.chunks(3).map(|p| [p[0], p[1], p[2]]).collect::<Vec<_>>();
    let (_, g) = energy::gradient(&rows(&flat));
    let found: Vec<f64> = g.p.iter().flatten().copied().collect();
    check(|v| energy(&rows(&v[0])), &[&flat], &[&found]);
    assert_parallel(energy::DECISIONS);
    let p = rows(&random(22, 900));
    on_threads(|| energy::gradient(&p).1.p.into_iter().flatten().collect());
}

/// A part of the result for each part of the input; the last part of the input is shorter.
#[differentiate]
pub fn sums_of_rows(x: &[f64], y: &mut [f64]) {
    y.par_chunks_exact_mut(2).zip(x.par_chunks(3)).for_each(|(out, row)| {
        out[0] = row.iter().sum::<f64>();
        out[1] = row.iter().map(|v| v * v).sum::<f64>().sqrt();
    });
}

#[test]
fn parts_of_constant_length() {
    let run = |n: usize| {
        let (x, mut y) = (positive(31, n), vec![0.0; n]);
        let (mut d_x, mut d_y) = (vec![0.0; n], random(32, n));
        sums_of_rows::vjp(&x, &mut d_x, &mut y, &mut d_y);
        [d_x, d_y, y]
    };
    let (x, seed) = (positive(31, 8), random(32, 8));
    let [d_x, ..] = run(8);
    let value = |v: &[Vec<f64>]| {
        let mut y = vec![0.0; 8];
        sums_of_rows(&v[0], &mut y);
        dot(&y, &seed)
    };
    check(value, &[&x], &[&d_x]);
    assert_parallel(sums_of_rows::DECISIONS);
    on_threads(|| run(70_000).concat());
}
