//! Tuples of scalars.

use super::same;

same! {
    fn destructuring(x: f64) -> f64 {
        let (a, b) = (x, x * 2.0);
        let (c, (d, _)) = (a + b, (a * b, 3));
        let t = (c, d);
        t.0 + t.1
    }
    with (x = 1.5);

    fn tuple_assignment(n: usize, x: f64) -> f64 {
        let (mut a, mut b) = (0.0, x);
        for _ in 0..n { (a, b) = (b, a + b); }
        a
    }
    with (n = 10usize, x = 1.0);

    fn swap_elements(x: &mut [f64]) {
        (x[0], x[1]) = (x[1], x[0]);
        let mut k = 0;
        (k, x[k]) = (2, 5.0);
        (_, x[k]) = (1.0, 7.0);
    }
    with (x = vec![1.0, 2.0, 3.0]);

    fn mutable_tuple(x: f64) -> f64 {
        let mut t = (x, 1.0, 3usize);
        t.0 += 2.0;
        t.1 = t.0 * t.1;
        t.2 += 1;
        t = (t.1, t.0, t.2);
        t.0 - t.1 + t.2 as f64
    }
    with (x = 1.5);

    fn from_branches(x: f64, c: bool) -> f64 {
        let (a, b) = if c { (x, 1.0) } else { let y = x * x; (y, y + 1.0) };
        let t = match c { true => (a, b), false => (b, a) };
        t.0 - 2.0 * t.1
    }
    with (x = 1.5, c = true);
    with (x = 1.5, c = false);

    fn nested(x: f64) -> f64 {
        let t = ((x, 2.0), 3.0);
        let ((a, b), c) = t;
        let u: ((f64, f64), f64) = t;
        a + b * c + (t.0).1 + u.0.0
    }
    with (x = 1.5);

    fn from_block(x: &[f64]) -> (f64, f64) {
        let (lo, hi) = {
            let mut lo = x[0];
            let mut hi = x[0];
            for i in 1..x.len() { lo = lo.min(x[i]); hi = hi.max(x[i]); }
            (lo, hi)
        };
        (hi - lo, lo)
    }
    with (x = vec![1.0, -2.0, 3.0]);

    fn rotation(x: f64, y: f64) -> f64 {
        let (s, c) = (x * y).sin_cos();
        let (x, y) = (c * x - s * y, s * x + c * y);
        x * y
    }
    with (x = 1.5, y = -0.3);

    fn deferred_tuple(x: f64, c: bool) -> f64 {
        let (a, b);
        if c { a = x; b = 1.0; } else { a = 0.0; b = x; }
        a - b
    }
    with (x = 1.5, c = true);
    with (x = 1.5, c = false);

    fn arrays_in_tuples(x: f64) -> f64 {
        let (a, b) = ([x, 1.0], [2.0, x]);
        let t = (a, 3.0);
        a[0] * b[0] + b[1] * t.0[1] + t.1
    }
    with (x = 1.5);
}
