//! An array that a closure makes; its length follows from its type.

use pardiff::differentiate;

#[differentiate]
fn neighbours(x: &[f64; 4]) -> f64 {
    let products: [f64; 4] = std::array::from_fn(|i| x[i] * x[(i + 1) % 4]);
    products.iter().sum()
}

pub fn main() {
    let (value, gradient) = neighbours::gradient(&[1.0, 2.0, 3.0, 4.0]);
    assert_eq!((value, gradient.x), (24.0, [6.0, 4.0, 6.0, 4.0]));
}
