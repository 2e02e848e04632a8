use ndarray::Array2;

#[pardiff::differentiate]
fn f(a: &Array2<f64>) -> f64 {
    let d = a.diag();
    d[0] * d[1]
}

fn main() {}
