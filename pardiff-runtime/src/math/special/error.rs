//! The error functions.

use super::{Float, chebyshev};

/// The error function, `2 / sqrt(pi)` times the integral of `exp(-t^2)` from 0 to `x`.
pub fn erf<F: Float>(x: F) -> F {
    x.through(double_erf)
}

/// `1 - erf(x)` without cancellation.
pub fn erfc<F: Float>(x: F) -> F {
    x.through(double_erfc)
}

fn double_erf(x: f64) -> f64 {
    let size = x.abs();
    if size < 1.0 { x * chebyshev(&ERF, 2.0 * x * x - 1.0) } else { (1.0 - double_erfc(size)).copysign(x) }
}

fn double_erfc(x: f64) -> f64 {
    if x < 0.5 {
        return if x > -1.0 { 1.0 - double_erf(x) } else { 2.0 - double_erfc(-x) };
    }
    if x > 28.0 {
        return 0.0;
    }
    let scaled = chebyshev(&ERFC, (x - 3.75) / (x + 3.75));
    // the square of the upper half of the digits is exact
    let upper = f64::from_bits(x.to_bits() & !0x7ff_ffff);
    (-upper * upper).exp() * (-(x - upper) * (x + upper)).exp() * scaled / (1.0 + 2.0 * x)
}

/// `erf(sqrt(u)) / sqrt(u)` for `u` from 0 to 1.
const ERF: [f64; 12] = [
    0.9754769393826541,
    -0.14226120510371365,
    0.010035582187599796,
    -0.0005768764699767485,
    2.741993125219606e-05,
    -1.1043175507344507e-06,
    3.8488755420345036e-08,
    -1.1808582533875466e-09,
    3.2334215826050907e-11,
    -7.991015947004549e-13,
    1.7990725113961456e-14,
    -3.718635487818693e-16,
];

/// `(1 + 2 x) exp(x^2) erfc(x)` for `x = 3.75 (1 + t) / (1 - t)`.
const ERFC: [f64; 25] = [
    1.1775789345674017,
    -0.004590054580646478,
    -0.08424913336651792,
    0.05920993999819189,
    -0.026658668435305753,
    0.009074997670705265,
    -0.002413163540417608,
    0.0004907758365258086,
    -6.916973302501207e-05,
    4.13902798607301e-06,
    7.74038306619849e-07,
    -2.1886401049234397e-07,
    1.076499946567091e-08,
    4.521959811218287e-09,
    -7.754400208831351e-10,
    -6.318088340886684e-11,
    2.86879501093067e-11,
    1.9455868545777347e-13,
    -9.65469674843344e-13,
    3.25254814814874e-14,
    3.3478119482868056e-14,
    -1.864562880419313e-15,
    -1.2507950530688648e-15,
    7.418235256624044e-17,
    5.068148904796111e-17,
];
