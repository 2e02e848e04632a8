use ndarray::{Array2, ArrayViewMut1, arr1, arr2};
use pardiff::differentiate;

#[differentiate]
fn sums(a: &Array2<f64>, mut y: ArrayViewMut1<f64>) {
    for (y, row) in y.iter_mut().zip(a.rows()) {
        *y += row.sum();
    }
}

pub fn main() {
    let a = arr2(&[[1.0, 2.0], [3.0, 4.0]]);
    let (mut d_a, mut y, mut d_y) = (Array2::zeros((2, 2)), arr1(&[10.0, 20.0]), arr1(&[1.0, -1.0]));
    sums::vjp(&a, &mut d_a, y.view_mut(), d_y.view_mut());
    assert_eq!(y, arr1(&[13.0, 27.0]));
    assert_eq!((d_a, d_y), (arr2(&[[1.0, 1.0], [-1.0, -1.0]]), arr1(&[1.0, -1.0])));
}
