use ndarray::Array3;

#[pardiff::differentiate]
fn f(a: &Array3<f64>) -> f64 {
    let mut total = 0.0;
    for row in a.rows() {
        total += row[0];
    }
    total
}

fn main() {}
