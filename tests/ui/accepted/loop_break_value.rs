//! A `loop` with a value.

use pardiff::differentiate;

#[differentiate]
fn f(x: f64, most: usize) -> f64 {
    let mut power = 1.0;
    let mut n = 0;
    loop {
        if n == most {
            break power;
        }
        power *= x;
        n += 1;
    }
}

pub fn main() {
    let (value, gradient) = f::gradient(2.0, 3);
    assert_eq!((value, gradient.x), (8.0, 12.0));
}
