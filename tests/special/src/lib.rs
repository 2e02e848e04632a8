//! Functions over special functions of another crate, in both float types.

use num_traits::{Float, FloatConst};
use pardiff::differentiate;
use pardiff_special_functions::bessel::{bessel_i, bessel_j};
use pardiff_special_functions::elliptic::{complete_e, complete_k};
use pardiff_special_functions::gamma::{gamma_p, ln_gamma};
use pardiff_special_functions::lambert::by_rule;

/// The period of a pendulum that swings to an angle.
#[differentiate(uses(complete_k), check)]
pub fn period<T: Float>(length: T, gravity: T, angle: T) -> T {
    let half = (angle / T::from(2.0).unwrap()).sin();
    T::from(4.0).unwrap() * (length / gravity).sqrt() * complete_k(half * half)
}

/// The circumference of an ellipse with these semi-axes, of which `a` is the longer one.
#[differentiate(uses(complete_e), check)]
pub fn circumference<T: Float>(a: T, b: T) -> T {
    T::from(4.0).unwrap() * a * complete_e(T::one() - (b / a) * (b / a))
}

/// Minus the logarithm of the likelihood of times until failure that are gamma distributed, some of them longer than
/// they were looked at.
#[differentiate(uses(gamma_p, ln_gamma), wrt(shape, rate), check)]
pub fn survival<T: Float + FloatConst>(times: &[T], failed: &[bool], shape: T, rate: T) -> T {
    let mut total = T::zero();
    for i in 0..times.len() {
        let x = rate * times[i];
        total = total
            - if failed[i] {
                shape * rate.ln() + (shape - T::one()) * times[i].ln() - x - ln_gamma(shape)
            } else {
                (T::one() - gamma_p(shape, x)).ln()
            };
    }
    total
}

/// Minus the logarithm of the likelihood of directions on a circle, after von Mises.
#[differentiate(uses(bessel_i), wrt(mean, concentration), check)]
pub fn directions<T: Float + FloatConst>(angles: &[T], mean: T, concentration: T) -> T {
    let scale = (T::TAU() * bessel_i(0, concentration)).ln();
    angles.iter().fold(T::zero(), |sum, &angle| sum + scale - concentration * (angle - mean).cos())
}

/// The brightness of a diffraction pattern at distances from its middle.
#[differentiate(uses(bessel_j), check)]
pub fn diffraction<T: Float>(at: &[T], width: T) -> T {
    let mut total = T::zero();
    for &r in at {
        let x = r * width;
        let amplitude = (T::one() + T::one()) * bessel_j(1, x) / x;
        total = total + amplitude * amplitude;
    }
    total
}

/// The current of a diode behind a resistor, in closed form.
#[differentiate(uses(by_rule), forward, check)]
pub fn current(voltage: f64, resistance: f64, saturation: f64, thermal: f64) -> f64 {
    let scale = saturation * resistance / thermal;
    thermal / resistance * by_rule::lambert_w(scale * ((voltage + saturation * resistance) / thermal).exp())
        - saturation
}
