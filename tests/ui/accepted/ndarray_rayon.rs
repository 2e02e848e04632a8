use ndarray::{Array2, ArrayView1, arr1};
use pardiff::differentiate;
use rayon::prelude::*;

#[differentiate]
fn quadratic(a: &Array2<f64>, x: ArrayView1<'_, f64>) -> f64 {
    (0..a.nrows()).into_par_iter().map(|i| x[i] * a.row(i).dot(&x)).sum()
}

pub fn main() {
    let (n, x) = (300, arr1(&vec![1.0; 300]));
    let (value, gradient) = quadratic::gradient(&Array2::eye(n), x.view());
    assert_eq!(value, n as f64);
    assert_eq!(gradient.x, 2.0 * &x);
    assert_eq!(gradient.a, Array2::<f64>::ones((n, n)));
    assert!(quadratic::DECISIONS.contains("parallel"));
}
