use ndarray::{Array2, arr2};
use pardiff::differentiate;

#[differentiate]
fn energy(a: &Array2<f64>) -> f64 {
    let mut total = a.iter().map(|x| x * x).sum();
    for ((i, j), &x) in a.indexed_iter() {
        total += x * (10 * i + j) as f64;
    }
    total
}

pub fn main() {
    let (value, gradient) = energy::gradient(&arr2(&[[1.0, 2.0], [3.0, 4.0]]));
    assert_eq!((value, gradient.a), (106.0, arr2(&[[2.0, 5.0], [16.0, 19.0]])));
}
