//! One item of many.

use pardiff::differentiate;

#[differentiate]
fn f(x: &[f64]) -> f64 {
    let largest = x.iter().copied().reduce(f64::max).unwrap();
    let (at, _) = x.iter().enumerate().min_by(|a, b| a.1.total_cmp(b.1)).unwrap();
    let first = x.iter().position(|v| *v > 1.5).unwrap_or(0);
    largest * x[at] * x[first]
}

pub fn main() {
    let (value, gradient) = f::gradient(&[1.0, 2.0, 3.0]);
    assert_eq!((value, gradient.x), (6.0, vec![6.0, 3.0, 2.0]));
}
