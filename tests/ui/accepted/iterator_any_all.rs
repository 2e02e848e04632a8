//! Conditions on all elements.

use pardiff::differentiate;

#[differentiate]
fn f(x: &[f64]) -> f64 {
    if x.iter().any(|v| *v > 10.0) || !x.iter().all(|&v| v > 0.0) {
        return 0.0;
    }
    x.iter().map(|v| v * v).sum()
}

pub fn main() {
    let (value, gradient) = f::gradient(&[1.0, 2.0]);
    assert_eq!((value, gradient.x), (5.0, vec![2.0, 4.0]));
    assert_eq!(f::gradient(&[-1.0, 2.0]).1.x, vec![0.0; 2]);
}
