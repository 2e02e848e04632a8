//! Tasks that write what they have been given.

use pardiff::differentiate;

#[differentiate]
fn f(y: &mut [f64], x: &[f64]) {
    let (left, right) = y.split_at_mut(1);
    rayon::scope(|s| {
        s.spawn(|_| left[0] = x[0] * x[1]);
        s.spawn(|_| right[0] = x[0] * x[0]);
    });
}

pub fn main() {
    let (mut y, mut d_y, mut d_x) = ([0.0; 2], [1.0, 1.0], [0.0; 2]);
    f::vjp(&mut y, &mut d_y, &[3.0, 5.0], &mut d_x);
    assert_eq!((y, d_y, d_x), ([15.0, 9.0], [0.0; 2], [11.0, 3.0]));
}
