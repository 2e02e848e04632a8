//! Helpers that take functions.

use pardiff::differentiate;

#[differentiate]
fn f(x: f64, k: f64) -> f64 {
    fn twice(g: impl Fn(f64) -> f64, x: f64) -> f64 {
        g(g(x))
    }
    fn sum<G>(g: &G, n: usize) -> f64
    where
        G: Fn(usize) -> f64,
    {
        (0..n).map(|i| g(i)).sum()
    }
    twice(|v| k * v, x) + sum(&|i| x * i as f64, 3) + twice(f64::abs, x)
}

pub fn main() {
    let (value, gradient) = f::gradient(2.0, 3.0);
    assert_eq!((value, gradient.x, gradient.k), (26.0, 13.0, 12.0));
}
