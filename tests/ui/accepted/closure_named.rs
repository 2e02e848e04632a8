//! Closures under a name.

use pardiff::differentiate;

#[differentiate]
fn f(x: &[f64], scale: f64) -> f64 {
    let square = |v: f64| scale * v * v;
    let mut total = 0.0;
    let mut add = |v: f64| total += v;
    add(square(x[0]));
    add(x.iter().map(|&v| square(v)).sum());
    total
}

pub fn main() {
    let (value, gradient) = f::gradient(&[1.0, 2.0], 3.0);
    assert_eq!((value, gradient.x, gradient.scale), (18.0, vec![12.0, 12.0], 6.0));
}
