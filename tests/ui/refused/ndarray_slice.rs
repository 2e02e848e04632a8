use ndarray::{Array2, s};

#[pardiff::differentiate]
fn f(a: &Array2<f64>) -> f64 {
    let inner = a.slice(s![1..-1, 1..-1]);
    inner[[0, 0]]
}

fn main() {}
