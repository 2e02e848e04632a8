//! Arrays of the crate `ndarray`, of which the module of a function imports nothing.

use ndarray::{Array2, ArrayView1, ArrayViewMut1};
use pardiff::differentiate;

/// Views, references and lifetimes as people write them.
#[differentiate]
pub fn residual<'a>(
    a: &'a Array2<f64>,
    x: ArrayView1<'a, f64>,
    y: &ndarray::ArrayView1<'_, f32>,
    rows: usize,
) -> f64 {
    let mut sum = 0.0;
    for i in 0..rows {
        let r = a.row(i).dot(&x) - f64::from(y[i]);
        sum += r * r;
    }
    sum
}

/// One that is written through.
#[differentiate]
pub fn scale(mut x: ArrayViewMut1<'_, f64>, by: f64) {
    for x in &mut x {
        *x *= by;
    }
}

/// Nobody but its caller knows of it.
pub fn inside() -> f64 {
    use ndarray::{Array3, ArrayView3};

    #[differentiate]
    fn corner(a: ArrayView3<'_, f64>) -> f64 {
        a[[0, 0, 0]] * a[[0, 0, 0]]
    }

    let (value, gradient) = corner::gradient(Array3::from_elem((1, 1, 1), 3.0).view());
    value + gradient.a[[0, 0, 0]]
}
