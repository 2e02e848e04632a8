//! A `return` in the middle of loops.

use pardiff::differentiate;

#[differentiate]
fn f(x: &[f64], limit: f64) -> f64 {
    let mut product = 1.0;
    for v in x {
        product *= v;
        if product > limit {
            return product * 2.0;
        }
    }
    product
}

pub fn main() {
    let (value, gradient) = f::gradient(&[2.0, 3.0, 4.0], 5.0);
    assert_eq!((value, gradient.x), (12.0, vec![6.0, 4.0, 0.0]));
}
