use ndarray::{ArrayView1, ArrayViewMut1};

#[pardiff::differentiate]
fn f(x: ArrayView1<'_, f64>, mut y: ArrayViewMut1<'_, f64>) {
    y.assign(&x);
}

fn main() {}
