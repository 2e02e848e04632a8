use ndarray::{Array2, s};

#[pardiff::differentiate]
fn f(a: &Array2<f64>) -> f64 {
    let inner = a.slice(s![.., 1..3]);
    inner[[0, 0]] + a.slice(s![..-1, ..]).sum()
}

fn main() {}
