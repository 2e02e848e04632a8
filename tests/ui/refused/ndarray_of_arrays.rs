use ndarray::ArrayView1;

#[pardiff::differentiate]
fn f(x: ArrayView1<'_, [f64; 3]>) -> f64 {
    x[0][1]
}

fn main() {}
