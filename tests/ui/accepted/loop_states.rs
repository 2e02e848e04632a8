//! A machine of states.

use pardiff::differentiate;

#[differentiate]
fn f(x: &[f64]) -> f64 {
    let (mut state, mut value) = (0, 1.0);
    for v in x {
        state = match state {
            0 if *v > 1.0 => 1,
            0 => 0,
            _ => {
                value *= v;
                0
            }
        };
    }
    value
}

pub fn main() {
    let (value, gradient) = f::gradient(&[2.0, 3.0, 0.5, 4.0, 5.0]);
    assert_eq!((value, gradient.x), (15.0, vec![0.0, 5.0, 0.0, 0.0, 3.0]));
}
