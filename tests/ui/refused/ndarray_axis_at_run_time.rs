use ndarray::{ArrayView3, Axis};

#[pardiff::differentiate]
fn f(a: ArrayView3<'_, f64>, k: usize) -> f64 {
    let mut total = 0.0;
    for i in 0..a.len_of(Axis(k)) {
        total += a[[i, i, i]];
    }
    total
}

fn main() {}
