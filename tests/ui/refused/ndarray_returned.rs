use ndarray::{Array1, ArrayView1};

#[pardiff::differentiate]
fn f(x: ArrayView1<'_, f64>) -> Array1<f64> {
    let mut y = Array1::zeros(x.len());
    for i in 0..x.len() {
        y[i] = x[i] * x[i];
    }
    y
}

fn main() {}
