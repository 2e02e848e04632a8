use ndarray::{Array2, ArrayView1};

#[pardiff::differentiate]
fn f(a: &Array2<f64>, x: ArrayView1<'_, f64>) -> f64 {
    a.dot(&x).sum()
}

fn main() {}
