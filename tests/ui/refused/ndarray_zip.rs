use ndarray::{Array1, Array2, Zip};

#[pardiff::differentiate]
fn f(a: &Array2<f64>, y: &mut Array1<f64>) -> f64 {
    Zip::from(y).and(a.rows()).for_each(|y, row| *y = row.sum());
    if Zip::from(a).any(|a| *a > 0.0) { a.sum() } else { 0.0 }
}

fn main() {}
