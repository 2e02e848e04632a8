use ndarray::{Array2, arr2};
use pardiff::differentiate;

#[differentiate]
fn trace(a: &Array2<f64>) -> f64 {
    let mut total = 0.0;
    for i in 0..a.nrows() {
        total += a[[i, i]] * a[[i, i]];
    }
    total
}

pub fn main() {
    let (value, gradient) = trace::gradient(&arr2(&[[1.0, 2.0], [3.0, 4.0]]));
    assert_eq!(value, 17.0);
    assert_eq!(gradient.a, arr2(&[[2.0, 0.0], [0.0, 8.0]]));
}
