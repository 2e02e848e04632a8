//! Items of two slices with their number, written in parallel.

use pardiff::differentiate;
use rayon::prelude::*;

#[differentiate]
fn f(y: &mut [f64], x: &[f64]) {
    y.par_iter_mut().zip(x.par_iter()).enumerate().with_min_len(2).for_each(|(i, (y, x))| {
        *y += (i as f64) * x * x;
    });
}

pub fn main() {
    let (mut y, mut d_y, mut d_x) = ([1.0; 3], [1.0; 3], [0.0; 3]);
    f::vjp(&mut y, &mut d_y, &[1.0, 2.0, 3.0], &mut d_x);
    assert_eq!((y, d_y, d_x), ([1.0, 5.0, 19.0], [1.0; 3], [0.0, 4.0, 12.0]));
}
