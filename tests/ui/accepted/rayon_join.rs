//! Two tasks whose adjoints meet in what both read.

use pardiff::differentiate;

#[differentiate]
fn f(x: &[f64], s: f64) -> f64 {
    let (a, b) = x.split_at(x.len() / 2);
    let (p, q) = rayon::join(
        || {
            let mut sum = 0.0;
            for i in 0..a.len() {
                sum += s * a[i];
            }
            sum
        },
        || {
            let mut sum = 0.0;
            for i in 0..b.len() {
                sum += s * b[i] * b[i];
            }
            sum
        },
    );
    p + q
}

pub fn main() {
    let (value, gradient) = f::gradient(&[1.0, 2.0, 3.0], 2.0);
    assert_eq!((value, gradient.x, gradient.s), (28.0, vec![2.0, 8.0, 12.0], 14.0));
}
