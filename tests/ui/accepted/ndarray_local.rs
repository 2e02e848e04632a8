use ndarray::{Array1, Array2, ArrayView2, arr2};
use pardiff::differentiate;

#[differentiate]
fn normalised(a: ArrayView2<f64>) -> f64 {
    let (n, m) = a.dim();
    let mut sums = Array1::<f64>::zeros(n);
    let mut scaled: Array2<f64> = Array2::from_elem((n, m), 1.0);
    for i in 0..n {
        sums[i] = a.row(i).sum();
        for j in 0..m {
            scaled[[i, j]] *= a[[i, j]] / sums[i];
        }
    }
    scaled[[0, 0]] * scaled[[1, 1]]
}

pub fn main() {
    let (value, gradient) = normalised::gradient(arr2(&[[1.0, 1.0], [2.0, 2.0]]).view());
    assert_eq!((value, gradient.a), (0.25, arr2(&[[0.125, -0.125], [-0.0625, 0.0625]])));
}
