//! A tree of tasks of fixed depth.

use pardiff::differentiate;

#[differentiate]
fn norm(x: &[f64]) -> f64 {
    fn sum(x: &[f64], depth: usize) -> f64 {
        if depth == 0 {
            let mut total = 0.0;
            for i in 0..x.len() {
                total += x[i] * x[i];
            }
            total
        } else {
            let (a, b) = x.split_at(x.len() / 2);
            let (p, q) = rayon::join(|| sum(a, depth - 1), || sum(b, depth - 1));
            p + q
        }
    }
    sum(x, 2)
}

pub fn main() {
    let (value, gradient) = norm::gradient(&[1.0, 2.0, 3.0, 4.0, 5.0]);
    assert_eq!((value, gradient.x), (55.0, vec![2.0, 4.0, 6.0, 8.0, 10.0]));
}
