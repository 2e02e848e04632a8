//! Float arithmetic and functions.

use super::same;

same! {
    fn unary_functions(x: f64) -> f64 {
        let mut s = 0.0;
        s += x.exp() + x.exp2() + x.exp_m1() + x.ln() + x.ln_1p() + x.log2() + x.log10();
        s += x.sqrt() + x.cbrt() + x.sin() + x.cos() + x.tan() + x.asin() + x.acos() + x.atan();
        s += x.sinh() + x.cosh() + x.tanh() + x.asinh() + (x + 1.0).acosh() + (x * 0.5).atanh();
        s += x.recip() + x.abs() + x.signum() + x.floor() + x.ceil() + x.round() + x.trunc() + x.fract() + x.round_ties_even();
        s + x.to_degrees() + x.to_radians()
    }
    with (x = 0.6);

    fn binary_functions(x: f64, y: f64) -> f64 {
        x.atan2(y) + x.powi(3) + x.powi(-2) + x.powf(y) + x.hypot(y) + x.max(y) + x.min(y) + x.copysign(-y)
            + x.mul_add(y, 1.0) + x.log(y) + x.rem_euclid(y) + x.div_euclid(y) + x.clamp(0.0, 1.0) + x % y
    }
    with (x = 1.6, y = 0.7);
    with (x = 0.6, y = 2.7);

    fn path_forms(x: f64, y: f32) -> f64 {
        f64::max(x, 2.0) + f64::sqrt(x) + f64::powi(x, 2) + f64::from(f32::min(y, 1.0)) + f64::mul_add(x, 2.0, 3.0)
            + f64::sin_cos(x).0 + std::primitive::f64::abs(-x)
    }
    with (x = 1.6, y = 0.7f32);

    fn single_precision(x: &[f32], y: &mut [f32]) -> f32 {
        let mut s = 0.0;
        for i in 0..x.len() { let t = x[i] * 0.1 + 1.0 / 3.0; y[i] = t.exp() - t.sin().powi(2); s += y[i] * 0.7; }
        s.tanh()
    }
    with (x = vec![0.3f32, 1.7, -2.9], y = vec![0.0f32; 3]);

    fn tests(x: f64) -> f64 {
        let mut s = 0.0;
        if x.is_nan() { s += 1.0; }
        if x.is_infinite() { s += 2.0; }
        if x.is_finite() { s += 4.0; }
        if x.is_sign_negative() { s += 8.0; }
        if !x.is_sign_positive() { s += 16.0; }
        if x == x { s += 32.0; }
        s
    }
    with (x = 1.0);
    with (x = f64::NAN);
    with (x = f64::NEG_INFINITY);
    with (x = -0.0);

    fn clamp_panics(x: f64, lo: f64, hi: f64) -> f64 { x.clamp(lo, hi) }
    with (x = 1.0, lo = 0.0, hi = 0.5);
    with (x = 1.0, lo = 1.0, hi = 0.5);

    fn precedence(x: f64, y: f64) -> f64 {
        -x.powi(2) + x - y - 1.0 / y / 2.0 * 3.0 - -x + (x + y) * (x - y) % 0.3
    }
    with (x = 1.7, y = 0.3);

    fn literal_receivers(x: f64) -> f64 { 2.0_f64.sqrt() * x + 3f64.ln() + (0.5f64).powf(x) }
    with (x = 1.7);

    fn literal_arguments(x: f64) -> f64 { x.max(0.0).min(1e3) + x.powf(2.5e-1) + x.atan2(1.) }
    with (x = 1.7);

    fn running_extremes(x: &[f64]) -> f64 {
        let mut m = f64::NEG_INFINITY;
        let mut l = f64::MAX;
        for i in 0..x.len() { m = m.max(x[i]); l = f64::min(l, x[i]); }
        let mut s = 0.0;
        for i in 0..x.len() { s += (x[i] - m).exp(); }
        m + s.ln() + l
    }
    with (x = vec![1.0, 3.0, 2.0]);
}
