//! The gamma function and the incomplete one.

use num_traits::{Float, FloatConst};
use pardiff::differentiate;

/// The logarithm of the gamma function of a positive number, by Lanczos' approximation with `g = 7` and nine terms.
#[differentiate(export, check)]
pub fn ln_gamma<T: Float + FloatConst>(x: T) -> T {
    const FIRST: f64 = 0.9999999999998099;
    const TERMS: [f64; 8] = [
        676.5203681218851,
        -1259.1392167224028,
        771.323428777653,
        -176.6150291621406,
        12.507343278686905,
        -0.13857109526572012,
        9.984369578019572e-6,
        1.5056327351493116e-7,
    ];
    let mut sum = T::from(FIRST).unwrap();
    for (k, &term) in TERMS.iter().enumerate() {
        sum = sum + T::from(term).unwrap() / (x + T::from(k).unwrap());
    }
    let half = T::from(0.5).unwrap();
    let t = x + T::from(6.5).unwrap();
    half * T::TAU().ln() + (x - half) * t.ln() - t + sum.ln()
}

/// The regularised lower incomplete gamma function `P(a, x)` of positive numbers: a series where `x` is small, and the
/// continued fraction of `1 - P` elsewhere, by Lentz' method.
#[differentiate(export, uses(ln_gamma), check)]
pub fn gamma_p<T: Float + FloatConst>(a: T, x: T) -> T {
    let one = T::one();
    let scale = (a * x.ln() - x - ln_gamma(a)).exp();
    if x < a + one {
        let mut term = one / a;
        let mut sum = term;
        let mut n = a;
        while term > sum * T::epsilon() {
            n = n + one;
            term = term * x / n;
            sum = sum + term;
        }
        return scale * sum;
    }
    let mut b = x + one - a;
    let mut c = T::epsilon().recip();
    let mut d = b.recip();
    let mut fraction = d;
    for k in 1..200 {
        let k = T::from(k).unwrap();
        let factor = k * (a - k);
        b = b + one + one;
        d = (factor * d + b).recip();
        c = b + factor / c;
        let change = c * d;
        fraction = fraction * change;
        if (change - one).abs() <= T::epsilon() {
            break;
        }
    }
    one - scale * fraction
}
