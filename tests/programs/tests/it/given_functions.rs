//! Functions that take functions: the option `with` names them.

#![deny(warnings)]

use num_traits::Float;
use pardiff::differentiate;
use pardiff_programs::assert_near;

#[differentiate]
pub mod quadrature {
    use super::Float;

    pub fn wave(x: f64) -> f64 {
        x * (2.0 * x).sin()
    }

    pub fn scaled(x: f64, k: usize) -> f64 {
        x * k as f64
    }

    /// A type parameter, and one of numbers.
    #[differentiate(check, with(F = wave, T = f64))]
    pub fn simpson<F, T>(f: F, a: T, b: T, n: usize) -> T
    where
        F: Fn(T) -> T,
        T: Float,
    {
        let h = (b - a) / T::from(n).unwrap();
        (0..n).fold(T::zero(), |sum, i| {
            let x = a + h * T::from(i).unwrap();
            sum + h / T::from(6.0).unwrap()
                * (f(x) + T::from(4.0).unwrap() * f(x + h / T::from(2.0).unwrap()) + f(x + h))
        })
    }

    /// Parameters by their names, between others; a vector and a failure beside them.
    #[differentiate(check, with(g = scaled, f = wave))]
    pub fn table(
        x: &[f64],
        f: fn(f64) -> f64,
        shift: f64,
        g: &dyn Fn(f64, usize) -> f64,
    ) -> Option<Vec<f64>> {
        if x.is_empty() {
            return None;
        }
        Some(x.iter().enumerate().map(|(k, x)| g(f(*x + shift), k)).collect())
    }
}

#[test]
fn a_function_stands_in_the_place_of_a_parameter() {
    quadrature::simpson::check(0.3, 1.2, 6).unwrap_or_else(|mismatch| panic!("{mismatch}"));
    let (value, gradient) = quadrature::simpson::gradient(0.3, 1.2, 20);
    assert_near(&[value], &[quadrature::simpson(quadrature::wave, 0.3, 1.2, 20)]);
    // the fundamental theorem, to the order of the rule
    assert!((gradient.b - quadrature::wave(1.2)).abs() < 1e-5);

    quadrature::table::check(&[0.1, 0.7, 2.0], 0.3).unwrap_or_else(|mismatch| panic!("{mismatch}"));
    assert!(quadrature::table::value(&[], 0.3).is_none());
}
