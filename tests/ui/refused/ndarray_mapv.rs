use ndarray::Array2;

#[pardiff::differentiate]
fn f(a: &Array2<f64>) -> f64 {
    a.mapv(f64::sin).sum()
}

fn main() {}
