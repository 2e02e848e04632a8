use ndarray::arr2;
use pardiff::differentiate;

#[differentiate]
mod kernels {
    use ndarray::{Array2, ArrayView1, ArrayViewMut2};

    fn square(row: ArrayView1<f64>) -> f64 {
        row.iter().map(|x| x * x).sum()
    }

    pub fn energy(a: &Array2<f64>) -> f64 {
        (0..a.nrows()).map(|i| square(a.row(i)) * (i + 1) as f64).sum()
    }

    pub fn negate(mut a: ArrayViewMut2<f64>) {
        a.map_inplace(|x| *x = -*x);
    }
}

pub fn main() {
    let mut a = arr2(&[[1.0, 2.0], [3.0, 4.0]]);
    let (value, gradient) = kernels::energy::gradient(&a);
    assert_eq!((value, gradient.a), (55.0, arr2(&[[2.0, 4.0], [12.0, 16.0]])));
    let mut d_a = a.clone();
    kernels::negate::vjp(a.view_mut(), d_a.view_mut());
    assert_eq!(a, d_a);
}
