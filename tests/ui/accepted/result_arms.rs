//! Errors that nobody reads, in every place of a pattern, and methods that compute something instead.

use pardiff::differentiate;

#[differentiate]
mod kernels {
    fn first(x: &[f64]) -> Result<f64, usize> {
        if x.is_empty() { Err(1) } else { Ok(x[0]) }
    }

    pub fn guarded(x: &[f64], w: f64, k: usize) -> f64 {
        match first(x) {
            Ok(v) => v * w,
            Err(_) if k > 2 => 2.0 * w,
            Err(_e) if k > 1 => 3.0 * w,
            Err(..) => 4.0 * w,
        }
    }

    pub fn both(x: &[f64], y: &[f64]) -> f64 {
        match (first(x), first(y)) {
            (Ok(a), Ok(b)) => a * b,
            (Ok(a), Err(_)) | (Err(_), Ok(a)) => a * a,
            (Err(_), Err(_)) => 1.0,
        }
    }

    pub fn neither(x: &[f64], w: f64) -> f64 {
        let Err(_) = first(x) else { return 2.0 * w };
        match first(x) {
            Ok(_) | Err(_) => w * w,
        }
    }

    pub fn instead(x: &[f64], y: &[f64], w: f64) -> f64 {
        let a = first(x).or_else(|_| first(y)).map_or_else(|_| w * w, |v| v * w);
        let mut stack = vec![w, 2.0 * w];
        let b = stack.pop().map_or_else(|| 0.0, |v| v * v);
        a + b + y.get(1).map_or_else(|| w, |v| v * v)
    }
}

pub fn main() {
    let (none, some): (&[f64], &[f64]) = (&[], &[3.0, 5.0]);
    for (k, factor) in [(3, 2.0), (2, 3.0), (1, 4.0)] {
        assert_eq!(kernels::guarded::gradient(none, 7.0, k).1.w, factor);
        assert_eq!(kernels::guarded::gradient(some, 7.0, k).1.w, 3.0);
    }
    assert_eq!(kernels::both::gradient(some, some).1.x, [3.0, 0.0]);
    assert_eq!(kernels::both::gradient(some, none).1.x, [6.0, 0.0]);
    assert_eq!(kernels::both::gradient(none, some).1.y, [6.0, 0.0]);
    assert_eq!(kernels::both::gradient(none, none).0, 1.0);
    assert_eq!(kernels::neither::gradient(some, 7.0).1.w, 2.0);
    assert_eq!(kernels::neither::gradient(none, 7.0).1.w, 14.0);
    // (w^2 or v w) + (2 w)^2 + (w or v^2)
    let (value, d) = kernels::instead::gradient(none, none, 2.0);
    assert_eq!((value, d.w), (4.0 + 16.0 + 2.0, 4.0 + 16.0 + 1.0));
    let (value, d) = kernels::instead::gradient(none, some, 2.0);
    assert_eq!((value, d.w), (6.0 + 16.0 + 25.0, 3.0 + 16.0));
    assert_eq!(d.y, [2.0, 10.0]);
}
