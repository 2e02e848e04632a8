//! Values against published figures, and derivatives against differences and formulas.

#![allow(clippy::excessive_precision, reason = "the digits are those of the reference")]

use pardiff_special::{circumference, current, diffraction, directions, period, survival};
use pardiff_special_functions::bessel::{bessel_i, bessel_j};
use pardiff_special_functions::elliptic::{carlson_rd, carlson_rf, complete_e, complete_k};
use pardiff_special_functions::gamma::{gamma_p, ln_gamma};
use pardiff_special_functions::lambert::by_rule::lambert_w;

#[track_caller]
fn near(value: f64, published: f64) {
    assert!((value - published).abs() <= 2e-13 * published.abs(), "{value} {published}");
}

#[track_caller]
fn near_single(value: f32, published: f64) {
    assert!((f64::from(value) - published).abs() <= 2e-5 * published.abs(), "{value} {published}");
}

/// Abramowitz and Stegun, tables 6.1, 26.7, 9.1, 9.8 and 17.1; `P(a, x)` of a whole `a` is a sum of exponentials.
#[test]
fn values_of_tables() {
    near(ln_gamma(0.5), 0.572364942924700087);
    near(ln_gamma(10.0), 12.801827480081469611);
    near(gamma_p(0.5, 1.0), 0.842700792949714869);
    near(gamma_p(2.0, 3.0), 1.0 - 4.0 * (-3.0f64).exp());
    near(gamma_p(3.0, 10.0), 1.0 - 61.0 * (-10.0f64).exp());
    near(bessel_j(0, 1.0), 0.765197686557966552);
    near(bessel_j(1, 1.0), 0.440050585744933516);
    near(bessel_j(2, 1.0), 0.114903484931900481);
    near(bessel_i(0, 1.0), 1.266065877752008336);
    near(bessel_i(1, 1.0), 0.565159103992485027);
    near(complete_k(0.5), 1.854074677301371918);
    near(complete_e(0.5), 1.350643881047675503);
    near(lambert_w(1.0), 0.567143290409783873);
    near(lambert_w(std::f64::consts::E), 1.0);
}

/// B. C. Carlson, Numerical computation of real or complex elliptic integrals (1995), section 3.
#[test]
fn values_of_symmetric_integrals() {
    near(carlson_rf(1.0, 2.0, 0.0), 1.3110287771461);
    near(carlson_rf(2.0, 3.0, 4.0), 0.58408284167715);
    near(carlson_rd(0.0, 2.0, 1.0), 1.7972103521034);
    near(carlson_rd(2.0, 3.0, 4.0), 0.16510527294261);
}

#[test]
fn values_and_slopes_in_single_precision() {
    near_single(gamma_p(0.5f32, 1.0), 0.842700792949714869);
    near_single(bessel_j(1, 1.0f32), 0.440050585744933516);
    near_single(carlson_rf(2.0f32, 3.0, 4.0), 0.58408284167715);
    near_single(bessel_j::gradient(0, 1.0f32).1.x, -0.440050585744933516);
    let double = period::gradient(1.3, 9.81, 0.9).1;
    let single = period::gradient(1.3f32, 9.81, 0.9).1;
    near_single(single.length, double.length);
    near_single(single.angle, double.angle);
    let failed = [true, false];
    let double = survival::gradient(&[0.3, 2.5], &failed, 1.7, 0.8).1;
    let single = survival::gradient(&[0.3f32, 2.5], &failed, 1.7, 0.8).1;
    near_single(single.shape, double.shape);
    near_single(single.rate, double.rate);
}

/// The derivatives that tables give as other functions.
#[test]
fn slopes_by_formulas() {
    near(bessel_j::gradient(0, 1.0).1.x, -bessel_j(1, 1.0));
    near(bessel_i::gradient(0, 2.0).1.x, bessel_i(1, 2.0));
    for (a, x) in [(2.5, 1.2), (2.5, 6.0)] {
        near(gamma_p::gradient(a, x).1.x, ((a - 1.0) * f64::ln(x) - x - ln_gamma(a)).exp());
    }
    let (m, k, e) = (0.3, complete_k(0.3), complete_e(0.3));
    near(complete_k::gradient(m).1.m, (e - (1.0 - m) * k) / (2.0 * m * (1.0 - m)));
    near(complete_e::gradient(m).1.m, (e - k) / (2.0 * m));
    near(ln_gamma::gradient(1.0).1.x, -0.577215664901532861);
}

#[test]
fn slopes_by_differences() {
    ln_gamma::check(3.7).unwrap();
    gamma_p::check(2.5, 1.2).unwrap();
    gamma_p::check(2.5, 6.0).unwrap();
    gamma_p::check(2.5f32, 6.0).unwrap();
    bessel_j::check(2, 1.7).unwrap();
    bessel_i::check(1, 2.3).unwrap();
    carlson_rf::check(0.4, 1.3, 2.2).unwrap();
    carlson_rd::check(0.4, 1.3, 2.2).unwrap();
}

#[test]
fn programs_over_another_crate() {
    period::check(1.3, 9.81, 0.9).unwrap();
    period::check(1.3f32, 9.81, 0.9).unwrap();
    circumference::check(2.0, 1.2).unwrap();
    survival::check(&[0.3, 2.5, 1.1], &[true, false, true], 1.7, 0.8).unwrap();
    directions::check(&[0.1, -0.4, 0.9], 0.2, 1.9).unwrap();
    diffraction::check(&[0.5, 1.5, 2.5], 1.1).unwrap();
    current::check(0.6, 100.0, 1e-9, 0.025).unwrap();
}
