//! A `for` that is left when enough is summed.

use pardiff::differentiate;

#[differentiate]
fn f(x: &[f64], enough: f64) -> f64 {
    let mut sum = 0.0;
    for v in x {
        if sum > enough {
            break;
        }
        sum += v * v;
    }
    sum
}

pub fn main() {
    let (value, gradient) = f::gradient(&[1.0, 2.0, 3.0], 4.0);
    assert_eq!((value, gradient.x), (5.0, vec![2.0, 4.0, 0.0]));
}
