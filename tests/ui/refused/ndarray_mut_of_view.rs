use ndarray::ArrayView1;

#[pardiff::differentiate]
fn f(x: &mut ArrayView1<'_, f64>) -> f64 {
    x[0] * x[1]
}

fn main() {}
