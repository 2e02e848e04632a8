use ndarray::{ArrayView2, arr2, s};
use pardiff::differentiate;

#[differentiate]
fn first(a: ArrayView2<f64>) -> f64 {
    a[[0, 0]] * a[(0, 1)]
}

pub fn main() {
    // backwards, and every second column
    let a = arr2(&[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]);
    let (value, gradient) = first::gradient(a.slice(s![..;-1, ..;2]));
    assert_eq!(value, 24.0);
    assert_eq!(gradient.a, arr2(&[[6.0, 4.0], [0.0, 0.0]]));
}
