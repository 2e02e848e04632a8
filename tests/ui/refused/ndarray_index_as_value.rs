use ndarray::ArrayView2;

#[pardiff::differentiate]
fn f(a: ArrayView2<'_, f64>, i: usize) -> f64 {
    let corner = [i, 0];
    a[corner] * 2.0
}

fn main() {}
