//! Newton iterations until they have converged.

use pardiff::differentiate;

#[differentiate]
fn root(a: f64) -> f64 {
    let mut x = a;
    loop {
        let step = (x * x - a) / (2.0 * x);
        x -= step;
        if step.abs() < 1e-14 {
            return x;
        }
    }
}

pub fn main() {
    let (value, gradient) = root::gradient(4.0);
    assert_eq!((value, gradient.a), (2.0, 0.25));
}
