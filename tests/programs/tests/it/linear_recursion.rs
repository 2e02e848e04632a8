//! Helpers that call themselves once on each path, as often as their arguments say.

use pardiff::differentiate;

#[differentiate(check, forward, hvp)]
mod recursive {
    pub trait Digamma {
        fn digamma(self) -> Self;
    }

    impl Digamma for f64 {
        fn digamma(self) -> f64 {
            let p = self;
            if p <= 8.0 {
                return (p + 1.0).digamma() - p.recip();
            }
            let q = p.recip();
            p.ln() - 0.5 * q - q * q * (1.0 / 12.0 - q * q / 120.0)
        }
    }

    pub fn of_method(x: f64) -> f64 {
        (x * x).digamma() * x
    }

    fn power(x: f64, n: u32) -> f64 {
        if n == 0 { 1.0 } else { x * power(x, n - 1) }
    }

    fn horner(x: f64, c: &[f64], k: usize) -> f64 {
        if k == c.len() { 0.0 } else { c[k] + x * horner(x, c, k + 1) }
    }

    pub fn of_powers(x: f64, c: &[f64], n: u32) -> f64 {
        power(x, n) * horner(x, c, 0) + power(x * x, 3)
    }

    fn bisected(low: f64, high: f64, y: f64) -> f64 {
        let middle = 0.5 * (low + high);
        if high - low < 1e-3 {
            return middle;
        }
        if middle * middle < y {
            return bisected(middle, high, y);
        }
        bisected(low, middle, y)
    }

    pub fn of_ends(x: f64) -> f64 {
        bisected(0.0, 5.0 + 0.1 * x, x.abs()) * x
    }

    fn walked(mut n: usize, x: f64) -> (f64, usize) {
        match n {
            0 | 1 => (x, 0),
            _ => {
                n = if n > 3 { n / 2 } else { n - 1 };
                let next = x.sin() + 0.5;
                let (value, steps) = walked(n, next);
                (value * 0.9 + next, steps + 1)
            }
        }
    }

    pub fn of_pairs(x: f64, n: usize) -> f64 {
        let (value, steps) = walked(n, x);
        value * steps as f64
    }

    /// A function that is differentiated itself.
    pub fn shrunk(x: f64) -> f64 {
        if x < 4.0 { shrunk(x + 1.5) / x } else { x.sqrt() }
    }
}

#[test]
fn each_call_has_its_own_arguments() {
    for x in [0.7, 2.9] {
        assert_eq!(recursive::of_method::value(x), recursive::of_method(x));
        recursive::of_method::check(x).unwrap();
        assert_eq!(recursive::shrunk::value(x), recursive::shrunk(x));
        recursive::shrunk::check(x).unwrap();
        assert_eq!(recursive::of_ends::value(x), recursive::of_ends(x));
        recursive::of_ends::check(x).unwrap();
        for n in [0, 1, 7, 40] {
            let c = [0.3, -0.2, 0.7];
            assert_eq!(recursive::of_powers::value(x, &c, n), recursive::of_powers(x, &c, n));
            recursive::of_powers::check(x, &c, n).unwrap();
            assert_eq!(recursive::of_pairs::value(x, n as usize), recursive::of_pairs(x, n as usize));
            recursive::of_pairs::check(x, n as usize).unwrap();
        }
    }
}
