//! Functions whose gradients run on the device in the tests.

#![deny(warnings, missing_docs, unused)]
#![forbid(unsafe_code)]
#![allow(clippy::needless_range_loop)]

use pardiff::differentiate;

/// Workloads of the project, on a GPU as well.
#[allow(clippy::too_many_arguments)]
pub mod workloads {
    include!(concat!(env!("OUT_DIR"), "/workloads.rs"));
}

/// Each element by itself, and their sum.
#[differentiate(cuda)]
pub fn elementwise(x: &[f64], y: &mut [f64], scale: f64) -> f64 {
    let mut total = 0.0;
    for i in 0..x.len() {
        y[i] = (scale * x[i]).sin() + y[i] * y[i];
        total += y[i] * x[i];
    }
    total
}

/// A sum, a largest value, and what depends on both.
#[differentiate(cuda)]
pub fn reductions(x: &[f32], w: &[f32]) -> f32 {
    let mut largest = x[0];
    for i in 1..x.len() {
        largest = largest.max(x[i]);
    }
    let mut sum = 0.0;
    for i in 0..x.len() {
        sum += w[i] * (x[i] - largest).exp();
    }
    sum.ln() + largest
}

/// Rows of a matrix, squared: the sum into `d_x` is one that all rows share.
#[differentiate(cuda)]
pub fn matvec(a: &[f64], x: &[f64], n: usize) -> f64 {
    let mut total = 0.0;
    for i in 0..n {
        let mut y = 0.0;
        for j in 0..n {
            y += a[i * n + j] * x[j];
        }
        total += 0.5 * y * y;
    }
    total
}

/// A sparse matrix in rows: where `d_x` is added to is known when the program runs.
#[differentiate(cuda, wrt(values, x))]
pub fn spmv(values: &[f64], x: &[f64], row_start: &[u32], columns: &[u32], n: usize) -> f64 {
    let mut total = 0.0;
    for i in 0..n {
        let mut y = 0.0;
        for k in row_start[i] as usize..row_start[i + 1] as usize {
            y += values[k] * x[columns[k] as usize];
        }
        total += 0.5 * y * y;
    }
    total
}

/// Steps of an explicit scheme on a plane.
#[differentiate(cuda)]
pub fn heat(u0: &[f64], k: &[f64], n: usize, steps: usize) -> f64 {
    let mut u = u0.to_vec();
    let mut next = u0.to_vec();
    for _ in 0..steps {
        for i in 1..n - 1 {
            for j in 1..n - 1 {
                let at = i * n + j;
                let around = u[at - n] + u[at + n] + u[at - 1] + u[at + 1];
                next[at] = u[at] + k[at] * (around - 4.0 * u[at]);
            }
        }
        std::mem::swap(&mut u, &mut next);
    }
    let mut total = 0.0;
    for i in 0..n * n {
        total += u[i] * u[i];
    }
    total
}

/// Adds to elements that an index array names.
#[differentiate(cuda, wrt(x))]
pub fn scatter(x: &[f32], to: &[usize], out: &mut [f32]) {
    for i in 0..x.len() {
        out[to[i]] += x[i] * x[i];
    }
}

/// One value after the other: no thread has company.
#[differentiate(cuda)]
pub fn recurrence(x: &[f64], a: f64) -> f64 {
    let mut state = 1.0;
    let mut total = 0.0;
    for i in 0..x.len() {
        state = a * state + x[i].tanh();
        total += state * state;
    }
    total
}

/// Reads what it is told to read.
#[differentiate(cuda, wrt(x))]
pub fn gathered(x: &[f64], from: &[usize], step: usize) -> f64 {
    let mut total = 0.0;
    for i in 0..from.len() {
        total += x[from[i] / step] * x[i];
    }
    total
}
