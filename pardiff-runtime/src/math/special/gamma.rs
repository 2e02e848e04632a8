//! The gamma function, its logarithm and the derivatives of that.

use super::{Float, chebyshev, sin_pi};
use std::f64::consts::PI;

/// The gamma function, `(x - 1)!`; NaN at negative integers.
pub fn gamma<F: Float>(x: F) -> F {
    x.through(double_gamma)
}

/// The logarithm of the magnitude of the gamma function; infinite at its poles.
pub fn ln_gamma<F: Float>(x: F) -> F {
    x.through(double_ln_gamma)
}

/// The derivative of [`ln_gamma`]; NaN at negative integers.
pub fn digamma<F: Float>(x: F) -> F {
    x.through(double_digamma)
}

/// The derivative of order `n` of [`digamma`]; NaN for a negative order, at negative integers, and at negative operands for
/// orders over 30.
pub fn polygamma<F: Float>(x: F, n: i32) -> F {
    F::of(double_polygamma(x.double(), n))
}

fn double_gamma(x: f64) -> f64 {
    if x == 0.0 || x == f64::INFINITY {
        return 1.0 / x + x;
    }
    if x <= -20.0 {
        // gamma(x) gamma(-x) = -pi / (x sin(pi x)); NaN at the integers, where the sine is zero
        let sine = sin_pi(x);
        let (root, rest) = stirling(-x);
        return if sine == 0.0 { f64::NAN } else { -PI / (x * sine) / root / rest / root };
    }
    if x >= 20.0 {
        let (root, rest) = stirling(x);
        return root * rest * root;
    }
    if x < 0.0 && x == x.trunc() {
        return f64::NAN;
    }
    // gamma(x + 1) = x gamma(x), to where the series is
    let (mut at, mut over, mut under) = (x, 1.0, 1.0);
    while at >= 3.0 {
        at -= 1.0;
        over *= at;
    }
    while at < 2.0 {
        under *= at;
        at += 1.0;
    }
    over * chebyshev(&GAMMA, 2.0 * at - 5.0) / under
}

/// Stirling's series from 20 on, in factors that do not overflow: the function is `root^2 rest`.
fn stirling(x: f64) -> (f64, f64) {
    if x > 200.0 {
        return (f64::INFINITY, 1.0);
    }
    (x.powf(0.5 * x - 0.25), (-x).exp() * correction(x).exp() * (2.0 * PI).sqrt())
}

/// What Stirling's formula leaves of the logarithm, from 10 on.
fn correction(x: f64) -> f64 {
    let series =
        [1.0 / 12.0, -1.0 / 360.0, 1.0 / 1260.0, -1.0 / 1680.0, 1.0 / 1188.0, -691.0 / 360360.0, 1.0 / 156.0];
    horner(&series, 1.0 / (x * x)) / x
}

fn double_ln_gamma(x: f64) -> f64 {
    if x.is_infinite() || x <= 0.0 && x == x.trunc() {
        return f64::INFINITY;
    }
    if x < 0.0 {
        return (PI / sin_pi(x).abs()).ln() - x.abs().ln() - double_ln_gamma(-x);
    }
    if x < 0.5 {
        return double_ln_gamma(x + 1.0) - x.ln();
    }
    if x < 1.5 {
        return (x - 1.0) * chebyshev(&LN_GAMMA_AT_1, 2.0 * (x - 1.0));
    }
    if x >= 10.0 {
        let half_log = 0.5 * (2.0 * PI).ln();
        return (x - 0.5) * (x.ln() - 1.0) + (half_log - 0.5) + correction(x);
    }
    let (mut at, mut product) = (x, 1.0);
    while at >= 3.0 {
        at -= 1.0;
        product *= at;
    }
    product.ln() + (at - 2.0) * chebyshev(&LN_GAMMA_AT_2, (at - 2.25) / 0.75)
}

fn double_digamma(x: f64) -> f64 {
    if x == 0.0 {
        return -1.0 / x;
    }
    if x < 0.0 {
        // psi(1 - x) - psi(x) = pi cot(pi x)
        return if x == x.trunc() { f64::NAN } else { double_digamma(-x) - 1.0 / x - PI / tan_pi(x) };
    }
    let (mut at, mut sum) = (x, 0.0);
    while at < 10.0 {
        sum += 1.0 / at;
        at += 1.0;
    }
    // B_2k / 2k
    let series =
        [1.0 / 12.0, -1.0 / 120.0, 1.0 / 252.0, -1.0 / 240.0, 1.0 / 132.0, -691.0 / 32760.0, 1.0 / 12.0];
    let square = 1.0 / (at * at);
    at.ln() - 0.5 / at - horner(&series, square) * square - sum
}

fn double_polygamma(x: f64, n: i32) -> f64 {
    match n {
        0 => double_digamma(x),
        i32::MIN..0 => f64::NAN,
        _ if x < 0.0 => {
            // the derivative of order n of psi(1 - x) - psi(x) = pi cot(pi x)
            let sign = if n % 2 == 0 { 1.0 } else { -1.0 };
            if x == x.trunc() { f64::NAN } else { sign * double_polygamma(1.0 - x, n) - cotangent(x, n) }
        }
        _ => {
            let order = f64::from(n);
            // n! times the sum of 1 / (x + k)^(n + 1), over (n - 1)!
            let (mut at, mut sum) = (x, 0.0);
            while at < 10.0 + order {
                sum += order * at.powi(-1 - n);
                at += 1.0;
            }
            // B_2k (2k + n - 1)! / ((2k)! (n - 1)!) at^-2k
            let (mut series, mut term) = (1.0 + 0.5 * order / at, 1.0);
            for (k, bernoulli) in (1..).map(f64::from).zip(BERNOULLI) {
                term *= (order + 2.0 * k - 2.0) * (order + 2.0 * k - 1.0)
                    / (2.0 * k * (2.0 * k - 1.0))
                    / (at * at);
                series += bernoulli * term;
            }
            let factorial: f64 = (1..n).map(f64::from).product();
            let size = factorial * (sum + series * at.powi(-n));
            if n % 2 == 0 { -size } else { size }
        }
    }
}

/// The Bernoulli numbers from the second on, those of even index.
const BERNOULLI: [f64; 8] = [
    1.0 / 6.0,
    -1.0 / 30.0,
    1.0 / 42.0,
    -1.0 / 30.0,
    5.0 / 66.0,
    -691.0 / 2730.0,
    7.0 / 6.0,
    -3617.0 / 510.0,
];

/// The derivative of order `n` of `pi cot(pi x)`: a polynomial in the cotangent `c`, whose derivative is `-pi (1 + c^2)`.
fn cotangent(x: f64, n: i32) -> f64 {
    const MOST: usize = 32;
    let order = n as usize;
    if order + 1 >= MOST {
        return f64::NAN;
    }
    let mut polynomial = [0.0; MOST];
    polynomial[1] = PI;
    for degree in 1..=order {
        let mut next = [0.0; MOST];
        for k in 1..=degree {
            let slope = -PI * k as f64 * polynomial[k];
            next[k - 1] += slope;
            next[k + 1] += slope;
        }
        polynomial = next;
    }
    horner(&polynomial, 1.0 / tan_pi(x))
}

/// The tangent of `pi x`; the reduction is exact.
fn tan_pi(x: f64) -> f64 {
    (PI * (x - x.round())).tan()
}

fn horner(polynomial: &[f64], x: f64) -> f64 {
    polynomial.iter().rev().fold(0.0, |sum, coefficient| sum * x + coefficient)
}

/// `gamma` from 2 to 3.
const GAMMA: [f64; 17] = [
    1.4137822420244524,
    0.49172848008900727,
    0.08532454170609606,
    0.008214558154673682,
    0.0008879278094690782,
    5.6765679151886106e-05,
    5.264076190531452e-06,
    1.9612784848738765e-07,
    2.425465919964936e-08,
    -4.340584399846537e-11,
    1.2813542241531117e-10,
    -7.185158744735293e-12,
    9.878862168080628e-13,
    -8.935248942385424e-14,
    9.472673359391568e-15,
    -9.426686010233666e-16,
    9.59100989075118e-17,
];

/// `ln_gamma(x) / (x - 1)` from 0.5 to 1.5.
const LN_GAMMA_AT_1: [f64; 28] = [
    -0.633011426275031,
    0.4405675574678963,
    -0.057857409449912446,
    0.010513973690267811,
    -0.002163989092091715,
    0.0004744402338724658,
    -0.00010799644528099427,
    2.5201155299530276e-05,
    -5.986014498026819e-06,
    1.4410616180293054e-06,
    -3.5060690575761177e-07,
    8.603823016763753e-08,
    -2.126510912478688e-08,
    5.287778091463614e-09,
    -1.3217135752166157e-09,
    3.3186698554450495e-10,
    -8.365902567746219e-11,
    2.116338666160694e-11,
    -5.370507653794381e-12,
    1.3666688100545857e-12,
    -3.486660039885161e-13,
    8.915622432767707e-14,
    -2.28454959350908e-14,
    5.86514671522212e-15,
    -1.5084071183968602e-15,
    3.885614648428306e-16,
    -1.0024188186640361e-16,
    2.5896418565384152e-17,
];

/// `ln_gamma(x) / (x - 2)` from 1.5 to 3.
const LN_GAMMA_AT_2: [f64; 21] = [
    0.48362763659842517,
    0.22408351337696908,
    -0.016061611364725618,
    0.0016796351005504537,
    -0.000206207082576848,
    2.7619482587698902e-05,
    -3.902432064395172e-06,
    5.712600238782988e-07,
    -8.57232441585347e-08,
    1.3098706178370361e-08,
    -2.0291174319191596e-09,
    3.177019404112652e-10,
    -5.0168902255267044e-11,
    7.977607508944761e-12,
    -1.2759320707466868e-12,
    2.0507506001786822e-13,
    -3.309998326505828e-14,
    5.362087191185866e-15,
    -8.714427500704616e-16,
    1.4203170417419452e-16,
    -2.3208252786405174e-17,
];
