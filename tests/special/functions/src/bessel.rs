//! Bessel functions of whole order, by their series.

use num_traits::Float;
use pardiff::differentiate;

/// The sum of `(sign x^2 / 4)^k / (k! (k + n)!) (x / 2)^n`: `sign` is `-1` for `J` and `1` for `I`.
#[differentiate(export = "only")]
pub fn series<T: Float>(n: u32, x: T, sign: T) -> T {
    let half = x / (T::one() + T::one());
    let mut term = T::one();
    for k in 1..=n {
        term = term * half / T::from(k).unwrap();
    }
    let mut sum = term;
    let (square, mut k) = (sign * half * half, 0);
    while term.abs() > sum.abs() * T::epsilon() {
        k += 1;
        term = term * square / T::from(k * (k + n)).unwrap();
        sum = sum + term;
    }
    sum
}

/// The Bessel function `J` of order `n` and a small argument: its series cancels where `x` is large.
#[differentiate(export, uses(series), forward, check)]
pub fn bessel_j<T: Float>(n: u32, x: T) -> T {
    series(n, x, -T::one())
}

/// The modified Bessel function `I` of order `n`.
#[differentiate(export, uses(series), check)]
pub fn bessel_i<T: Float>(n: u32, x: T) -> T {
    series(n, x, T::one())
}
