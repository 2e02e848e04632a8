use ndarray::{ArrayView1, ArrayView2, arr1, arr2};
use pardiff::differentiate;

#[differentiate(wrt(w))]
fn loss(x: ArrayView2<f64>, y: ArrayView1<f64>, w: ArrayView1<f64>) -> f64 {
    let mut total = 0.0;
    for (i, row) in x.outer_iter().enumerate() {
        let r = row.dot(&w) - y[i];
        total += r * r;
    }
    total
}

pub fn main() {
    let (x, y, w) = (arr2(&[[1.0, 0.0], [0.0, 2.0]]), arr1(&[0.0, 0.0]), arr1(&[1.0, 2.0]));
    let mut d_w = arr1(&[0.5, 0.5]);
    assert_eq!(loss::grad(x.view(), y.view(), w.view(), d_w.view_mut()), 17.0);
    assert_eq!(d_w, arr1(&[2.5, 16.5]));
}
