//! An array that grows with each iteration.

use pardiff::differentiate;

#[differentiate]
fn f(x: f64, end: f64) -> f64 {
    let mut path = vec![x];
    while path[path.len() - 1] < end {
        let last = path[path.len() - 1];
        path.push(last * 2.0);
    }
    path.iter().sum()
}

pub fn main() {
    let (value, gradient) = f::gradient(1.0, 3.0);
    assert_eq!((value, gradient.x), (7.0, 7.0));
}
