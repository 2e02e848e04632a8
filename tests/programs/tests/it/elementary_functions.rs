//! Every float function with a derivative, as a method and as a path, in one kernel.

use pardiff::differentiate;
use pardiff_programs::{check, positive};

#[differentiate]
pub fn all(x: &[f64], y: f64) -> f64 {
    let mut s = 0.0;
    for i in 0..x.len() {
        let v = x[i];
        s += v.exp() + v.ln() + v.sqrt() + v.sin() + v.cos() + v.tan();
        s += (v * 0.5).asin() + (v * 0.5).acos() + v.atan() + v.atan2(y) + v.sinh() + v.cosh() + v.tanh();
        s += v.powi(3) + v.powi(-2) + v.powf(y) + v.abs() + v.max(y) + v.min(y) + v.hypot(y);
        s +=
            v.exp_m1() + v.ln_1p() + v.recip() + v.mul_add(y, s) + v.exp2() + v.log2() + v.log10() + v.log(y);
        s += v.cbrt() + v.asinh() + (v + 1.0).acosh() + (v * 0.5).atanh() + v.copysign(-y) + v.fract();
        s += v.to_degrees() * 0.01 + v.to_radians() + v.clamp(0.7, 1.2) + v.rem_euclid(0.4) + v % 0.35;
        s += v.signum() * v.floor() + v.ceil() - v.round() * v.trunc();
        s += f64::max(v, 1.0) + f64::sin(v) + f64::powi(v, 2) + f64::atan2(v, y);
        s *= 0.1;
    }
    s
}

#[test]
fn gradient() {
    let x = positive(1, 5);
    let (value, gradient) = all::gradient(&x, 1.83);
    assert_eq!(value, all(&x, 1.83));
    check(|v| all(&v[0], v[1][0]), &[&x, &[1.83]], &[&gradient.x, &[gradient.y]]);
}
