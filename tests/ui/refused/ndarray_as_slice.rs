use ndarray::ArrayView1;

#[pardiff::differentiate]
fn f(x: ArrayView1<'_, f64>) -> f64 {
    let x = x.to_slice().unwrap();
    x[0] * x[1]
}

fn main() {}
