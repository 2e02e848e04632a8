use ndarray::{Array1, Array2, Zip, arr1, arr2, azip};
use pardiff::differentiate;

#[differentiate]
fn f(a: &Array2<f64>, b: &Array2<f64>, y: &mut Array1<f64>) -> f64 {
    let mut total = 0.0;
    Zip::from(a).and(b).for_each(|a, b| total += (a - b) * (a - b));
    azip!((y in y, row in a.rows()) *y += row.sum());
    total
}

pub fn main() {
    let (a, b) = (arr2(&[[1.0, 2.0], [3.0, 4.0]]), arr2(&[[0.0, 2.0], [3.0, 2.0]]));
    let (mut d_a, mut d_b) = (Array2::zeros((2, 2)), Array2::zeros((2, 2)));
    let (mut y, mut d_y) = (arr1(&[0.0, 1.0]), arr1(&[0.0, 10.0]));
    assert_eq!(f::grad(&a, &mut d_a, &b, &mut d_b, &mut y, &mut d_y), 5.0);
    assert_eq!((y, d_y), (arr1(&[3.0, 8.0]), arr1(&[0.0, 10.0])));
    assert_eq!(d_b, arr2(&[[-2.0, 0.0], [0.0, -4.0]]));
    assert_eq!(d_a, arr2(&[[2.0, 0.0], [10.0, 14.0]]));
}
