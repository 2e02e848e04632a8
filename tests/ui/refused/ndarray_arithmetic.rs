use ndarray::Array1;

#[pardiff::differentiate]
fn f(a: &Array1<f64>, b: &Array1<f64>) -> f64 {
    let c = a + b;
    c[0]
}

fn main() {}
