use ndarray::Array2;

#[pardiff::differentiate]
fn f(a: Array2<f64>) -> f64 {
    a[[0, 0]]
}

fn main() {}
