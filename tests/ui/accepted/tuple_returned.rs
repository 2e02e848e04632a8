//! Tuples and arrays are returned; the seed has the shape of their floats.
use pardiff::differentiate;

#[differentiate]
fn both(x: f64, n: usize) -> (f64, usize, [f64; 2]) {
    (x * x, n, [x, 2.0 * x])
}

#[differentiate]
fn array(x: f64) -> [[f64; 2]; 2] {
    [[x, x * x], [1.0, 3.0 * x]]
}

#[differentiate]
fn one_of_them(x: f64) -> (usize, f64) {
    (2, x.exp())
}

pub fn main() {
    let mut d_x = 0.0;
    assert_eq!(both::vjp(3.0, &mut d_x, 4, (1.0, [10.0, 100.0])), (9.0, 4, [3.0, 6.0]));
    assert_eq!(d_x, 216.0);
    array::vjp_into(2.0, &mut d_x, [[1.0, 1.0], [1.0, 1.0]]);
    assert_eq!(d_x, 8.0);
    one_of_them::vjp_into(0.0, &mut d_x, 5.0);
    assert_eq!(d_x, 5.0);
}
