use ndarray::{Array2, Axis};
use pardiff::differentiate;

/// A step of the heat equation from one plate to another.
#[differentiate]
fn heat(u: &Array2<f64>, new: &mut Array2<f64>, k: f64) {
    let (n, m) = u.dim();
    for i in 1..n - 1 {
        for j in 1..m - 1 {
            let around = u[[i - 1, j]] + u[[i + 1, j]] + u[[i, j - 1]] + u[[i, j + 1]];
            new[[i, j]] = u[[i, j]] + k * (around - 4.0 * u[[i, j]]);
        }
    }
}

pub fn main() {
    let mut u = Array2::zeros((4, 5));
    u[[1, 2]] = 1.0;
    let (mut d_u, mut new, mut d_new, mut d_k) = (u.clone(), u.clone(), Array2::ones((4, 5)), 0.0);
    heat::vjp_into(&u, &mut d_u, &mut new, &mut d_new, 0.25, &mut d_k);
    assert_eq!((new[[1, 2]], new[[2, 2]], d_k), (0.0, 0.25, -1.0));
    // what was overwritten had no influence
    assert_eq!(d_new.index_axis(Axis(0), 1).to_vec(), [1.0, 0.0, 0.0, 0.0, 1.0]);
}
