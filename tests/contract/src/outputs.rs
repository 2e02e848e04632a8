//! Results of every shape, `&mut` parameters, and seeds.

use pardiff::differentiate;

/// Two floats and an integer.
#[differentiate]
pub fn tuple(x: &[f64]) -> (f64, usize, f32) {
    let mut sum = 0.0;
    let mut single: f32 = 0.0;
    let mut positive = 0;
    for i in 0..x.len() {
        sum += x[i] * x[i];
        single += x[i] as f32;
        if x[i] > 0.0 {
            positive += 1;
        }
    }
    (sum, positive, single)
}

/// One float member alone is a plain seed.
#[differentiate]
pub fn one_float(x: f64, n: u32) -> (u32, f64) {
    (n + 1, x * x)
}

/// A returned array.
#[differentiate]
pub fn powers(x: f64) -> [f64; 3] {
    [x, x * x, x * x * x]
}

/// Nothing is returned: the adjoints of the outputs are the seeds.
#[differentiate]
pub fn scale_in_place(y: &mut [f64], s: f64) {
    for i in 0..y.len() {
        y[i] = y[i] * y[i] * s;
    }
}

/// Output and returned value.
#[differentiate]
pub fn both(x: &[f64], y: &mut [f64], total: &mut f64) -> f64 {
    let mut sum = 0.0;
    for i in 0..x.len() {
        y[i] = x[i] * x[i];
        sum += y[i] * x[i];
    }
    *total *= sum;
    sum
}

/// An integer output beside the value.
#[differentiate]
pub fn winner(x: &[f64], best: &mut usize) -> f64 {
    let mut largest = x[0];
    *best = 0;
    for i in 1..x.len() {
        if x[i] > largest {
            largest = x[i];
            *best = i;
        }
    }
    largest
}

/// A unit result, written.
#[differentiate]
#[allow(clippy::unused_unit)]
pub fn unit(x: &[f64], y: &mut [f64; 2]) -> () {
    y[0] = x[0] * x[1];
}
