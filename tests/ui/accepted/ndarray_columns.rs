use ndarray::{Array2, Axis, arr2};
use pardiff::differentiate;

#[differentiate]
fn largest(a: &Array2<f64>) -> f64 {
    let mut total = 0.0;
    for column in a.axis_iter(Axis(1)) {
        total += column.iter().fold(f64::NEG_INFINITY, |m, &v| m.max(v));
    }
    for j in 0..a.ncols() {
        total += a.column(j)[0];
    }
    total
}

pub fn main() {
    let (value, gradient) = largest::gradient(&arr2(&[[1.0, 5.0], [3.0, 4.0]]));
    assert_eq!((value, gradient.a), (14.0, arr2(&[[1.0, 2.0], [1.0, 0.0]])));
}
