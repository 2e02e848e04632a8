use ndarray::ArrayD;

#[pardiff::differentiate]
fn f(a: &ArrayD<f64>) -> f64 {
    a[[0, 0]]
}

fn main() {}
