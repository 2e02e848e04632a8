//! As long as a condition holds.

use pardiff::differentiate;

#[differentiate]
fn f(x: f64) -> f64 {
    let mut v = x;
    while v < 10.0 {
        v *= v;
    }
    v
}

pub fn main() {
    let (value, gradient) = f::gradient(2.0);
    assert_eq!((value, gradient.x), (16.0, 32.0));
}
