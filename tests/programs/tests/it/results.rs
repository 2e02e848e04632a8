//! Helpers that return a `Result`, of which nobody reads the error.

use pardiff::differentiate;
use pardiff_programs::{check, random};

#[differentiate]
mod kernels {
    #[allow(dead_code, reason = "errors are not read")]
    #[derive(Debug)]
    pub enum Failure {
        Empty,
        Singular { at: usize, pivot: f64 },
        Text(String),
    }

    type Fit<T> = Result<T, Failure>;

    fn factor(a: &mut [f64], n: usize) -> Result<(), Failure> {
        if n == 0 {
            return Err(Failure::Empty);
        }
        for k in 0..n {
            let p = a[k * n + k];
            if p.abs() < 1e-3 {
                return Err(Failure::Singular { at: k, pivot: p });
            }
            for i in k + 1..n {
                let f = a[i * n + k] / p;
                a[i * n + k] = f;
                for j in k + 1..n {
                    a[i * n + j] -= f * a[k * n + j];
                }
            }
        }
        Ok(())
    }

    fn log_determinant(a: &[f64], n: usize) -> Fit<f64> {
        let mut lu = a.to_vec();
        factor(&mut lu, n)?;
        let s: f64 = (0..n).map(|k| lu[k * n + k].abs().ln()).sum();
        if s.is_nan() { Err(Failure::Text(format!("{s}"))) } else { Ok(s) }
    }

    fn scaled(a: &[f64], n: usize, w: f64) -> Result<f64, String> {
        let t = log_determinant(a, n).map_err(|e| format!("{e:?}"))?;
        let first = a.first().ok_or_else(|| "empty".to_string())?;
        let second = a.get(1).copied().ok_or("short")?;
        Ok(w * t + first * second)
    }

    struct Solver {
        n: usize,
    }

    impl Solver {
        fn again(&self, a: &[f64]) -> Result<f64, Failure> {
            match log_determinant(a, self.n) {
                Ok(v) if v > 0.0 => Ok(v * 2.0),
                Ok(v) => Ok(v),
                Err(e) => Err(e),
            }
        }
    }

    pub fn loss(a: &[f64], n: usize, w: f64) -> f64 {
        let solver = Solver { n };
        let x = match scaled(a, n, w) {
            Ok(v) => v * v,
            Err(_) => w * w,
        };
        let y = log_determinant(a, n).unwrap_or(3.0 * w);
        let z = if let Ok(v) = solver.again(a) { v.sin() } else { 0.0 };
        let u = log_determinant(a, n).unwrap_or_else(|_| w.sin());
        let v = if scaled(a, n, w).is_ok() { 1.0 } else { 2.0 * w };
        let mut s = log_determinant(a, n).ok().map_or(w, |t| t * w);
        if log_determinant(a, n).is_err() {
            s += w * w;
        }
        if matches!(solver.again(a), Ok(v) if v < 1.0) || matches!(log_determinant(a, n), Err(_)) {
            s += w.cos();
        }
        let Ok(q) = solver.again(a) else { return x + y + z + u + v + s };
        x + y * z + u * v + q + s
    }
}

#[test]
fn regular_and_singular() {
    for n in [0, 1, 2, 3, 5] {
        for singular in [false, true] {
            let (mut a, w) = (random(n as u64 + 3, n * n), 0.7);
            for k in 0..n {
                a[k * n + k] += 2.0 * n as f64;
            }
            if singular && n > 0 {
                a[0] = 0.0;
            }
            let (value, g) = kernels::loss::gradient(&a, n, w);
            assert!((value - kernels::loss(&a, n, w)).abs() < 1e-11 * (1.0 + value.abs()));
            check(|v| kernels::loss(&v[0], n, v[1][0]), &[&a, &[w]], &[&g.a, &[g.w]]);
        }
    }
}

#[differentiate]
mod told {
    #[derive(Debug)]
    pub enum Failure {
        Negative { at: usize },
    }

    impl std::fmt::Display for Failure {
        fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            let Failure::Negative { at } = self;
            write!(f, "negative at {at}")
        }
    }

    fn roots(x: &[f64]) -> Result<f64, Failure> {
        let mut sum = 0.0;
        for (at, v) in x.iter().enumerate() {
            if *v < 0.0 {
                return Err(Failure::Negative { at });
            }
            sum += v.sqrt();
        }
        Ok(sum)
    }

    pub fn f(x: &[f64]) -> f64 {
        let first = roots(x).unwrap_or_else(|failure| panic!("no roots: {failure}"));
        let second = match roots(&x[1..]) {
            Ok(sum) => sum,
            Err(failure) => panic!("no roots: {}", failure),
        };
        let mut greatest: Option<(usize, f64)> = None;
        for (i, &v) in x.iter().enumerate() {
            if greatest.is_none_or(|(_, known)| v > known) {
                greatest = Some((i, v));
            }
        }
        first * second + greatest.map_or(0.0, |(i, v)| v * x[i] * i as f64)
    }
}

#[test]
fn a_panic_may_tell_the_error() {
    let x = [0.5, 2.0, 1.25, 0.75];
    let (value, g) = told::f::gradient(&x);
    assert!((value - told::f(&x)).abs() < 1e-13);
    check(|v| told::f(&v[0]), &[&x], &[&g.x]);
    assert!(std::panic::catch_unwind(|| told::f::gradient(&[1.0, -1.0])).is_err());
}
