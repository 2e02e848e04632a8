//! Functions of points.

use pardiff::differentiate;

/// The square of a distance.
#[differentiate(export)]
pub fn squared_distance(a: &[f64; 3], b: &[f64; 3]) -> f64 {
    let mut sum = 0.0;
    for k in 0..3 {
        sum += (a[k] - b[k]) * (a[k] - b[k]);
    }
    sum
}

/// What a closure makes of each coordinate.
#[differentiate(export)]
pub fn each(a: [f64; 3], f: impl Fn(f64) -> f64) -> [f64; 3] {
    [f(a[0]), f(a[1]), f(a[2])]
}
