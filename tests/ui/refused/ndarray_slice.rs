use ndarray::{ArrayView2, s};
use pardiff::differentiate;

#[differentiate]
fn backwards(x: ArrayView2<f64>) -> f64 {
    x.slice(s![..;-2, 1..]).sum()
}

fn main() {}
