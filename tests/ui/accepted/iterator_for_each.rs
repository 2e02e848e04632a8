//! Elements that are changed.

use pardiff::differentiate;

#[differentiate]
fn f(x: &[f64], y: &mut [f64]) {
    y.iter_mut().zip(x).for_each(|(out, v)| *out *= v);
}

pub fn main() {
    let (mut y, mut d_x, mut d_y) = ([3.0, 4.0], [0.0; 2], [1.0, 1.0]);
    f::vjp(&[1.0, 2.0], &mut d_x, &mut y, &mut d_y);
    assert_eq!((y, d_x, d_y), ([3.0, 8.0], [3.0, 4.0], [1.0, 2.0]));
}
