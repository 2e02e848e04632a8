//! Rows of a matrix, each by its own task.

use pardiff::differentiate;
use rayon::prelude::*;

#[differentiate(wrt(a, x))]
fn product(y: &mut [f64], a: &[f64], x: &[f64]) {
    let n = x.len();
    y.par_chunks_mut(1).zip(a.par_chunks(n)).for_each(|(y, row)| {
        let mut sum = 0.0;
        for j in 0..n {
            sum += row[j] * x[j];
        }
        y[0] = sum;
    });
}

pub fn main() {
    let (mut y, mut d_y, mut d_a, mut d_x) = ([9.0; 2], [1.0, 2.0], [0.0; 4], [0.0; 2]);
    product::vjp(&mut y, &mut d_y, &[1.0, 2.0, 3.0, 4.0], &mut d_a, &[5.0, 6.0], &mut d_x);
    assert_eq!((y, d_y), ([17.0, 39.0], [0.0; 2]));
    assert_eq!((d_a, d_x), ([5.0, 6.0, 10.0, 12.0], [7.0, 10.0]));
}
