use ndarray::{Array1, ArrayRef2, arr1, arr2};
use pardiff::differentiate;

#[differentiate]
fn gathered(x: &ArrayRef2<f32>, index: &Array1<usize>, on: &Array1<bool>) -> f32 {
    let mut total = 0.0;
    for k in 0..index.len() {
        if on[k] {
            total += x[[index[k], k]] * x[[0, 0]];
        }
    }
    total
}

pub fn main() {
    let x = arr2(&[[1.0, 2.0], [3.0, 4.0]]);
    let (value, gradient) = gathered::gradient(&x, &arr1(&[1, 0]), &arr1(&[true, false]));
    assert_eq!((value, gradient.x), (3.0, arr2(&[[3.0, 0.0], [1.0, 0.0]])));
}
