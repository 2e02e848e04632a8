//! `num_complex::Complex`.

use num_complex::{Complex, Complex32, Complex64, c32, c64};
use num_traits::{MulAdd, One, Zero};

cases! {
    (a: Complex64 = c64(0.7, -0.4), b: Complex<f64> = Complex::new(-1.2, 0.5), s: f64 = 0.8; 1e-14)
    constants: Complex64 = a * Complex64::ONE + b * Complex64::I + Complex64::ZERO * s;
    new: Complex64 = Complex::new(a.re * s, b.im) + Complex64::new(s, 1.0) + c64(s, a.im);
    i: Complex64 = a * Complex64::i();
    norm_sqr: f64 = a.norm_sqr();
    scale: Complex64 = a.scale(s);
    unscale: Complex64 = a.unscale(s);
    conj: Complex64 = a.conj() * b;
    inv: Complex64 = a.inv();
    l1_norm: f64 = a.l1_norm() + b.l1_norm();
    cis: Complex64 = Complex::cis(s);
    norm: f64 = a.norm();
    arg: f64 = a.arg() + b.arg();
    to_polar: (f64, f64) = a.to_polar();
    from_polar: Complex64 = Complex::from_polar(a.re, s);
    exp: Complex64 = a.exp();
    exp2: Complex64 = a.exp2();
    ln: Complex64 = b.ln();
    log2: Complex64 = b.log2();
    log10: Complex64 = a.log10();
    log: Complex64 = a.log(3.5 + s);
    sqrt: Complex64 = a.sqrt() + b.sqrt();
    cbrt: Complex64 = b.cbrt();
    powf: Complex64 = a.powf(s);
    powc: Complex64 = a.powc(b);
    expf: Complex64 = a.expf(1.5 + s);
    powi: Complex64 = a.powi(3) + b.powi(-2);
    powu: Complex64 = a.powu(4);
    sin: Complex64 = a.sin();
    cos: Complex64 = a.cos();
    tan: Complex64 = a.tan();
    sinh: Complex64 = a.sinh();
    cosh: Complex64 = a.cosh();
    tanh: Complex64 = a.tanh();
    asin: Complex64 = a.asin();
    acos: Complex64 = a.acos();
    atan: Complex64 = a.atan();
    asinh: Complex64 = a.asinh();
    acosh: Complex64 = a.acosh();
    atanh: Complex64 = a.atanh();
    finv: Complex64 = a.finv();
    fdiv: Complex64 = a.fdiv(b);
    finite: f64 = if a.is_finite() && !b.is_nan() { a.re * s } else { s };
    add: Complex64 = a + b + s + (s + a) + (&a + &b) + (a + &b);
    sub: Complex64 = a - b - s - (s - a) - (&a - b);
    mul: Complex64 = a * b * s * (s * a) * (&a * &b);
    div: Complex64 = a / b / s + s / a + &a / &b;
    neg: Complex64 = -a * -&b;
    add_assign: Complex64 = { let mut z = a; z += b; z += s; z += &a; z };
    sub_assign: Complex64 = { let mut z = a; z -= b; z -= s; z };
    mul_assign: Complex64 = { let mut z = a; z *= b; z *= s; z *= &b; z };
    div_assign: Complex64 = { let mut z = a; z /= b; z /= s; z };
    sum: Complex64 = [a, b, a * b].iter().map(|z| z * s).sum();
    product: Complex64 = [a, b, a * b].iter().map(|z| z * s).product();
    from: Complex64 = Complex64::from(s) * a;
    fields: Complex64 = { let mut z = a; z.re = s; z.im += b.re; z };
    array: [Complex64; 2] = [a * b, b];
    // on the axes, where the crate has branches
    real: Complex64 = (c64(s, 0.0) + b * 0.0).sqrt();
    traits: Complex64 = if a.is_zero() { Complex64::zero() } else { (a + Complex64::one()).mul_add(b, a * s) };
    default: Complex64 = Complex64::default() + a;
}

cases! {
    (a: Complex32 = c32(0.7, -0.4), b: Complex<f32> = Complex::new(-1.2, 0.5), s: f32 = 0.8; 1e-6)
    single_ops: Complex32 = (a * b + s) / (b - a * s) + Complex::new(s, 1.0);
    single_functions: Complex32 = a.exp() + b.sqrt() * a.powi(2) + Complex::from_polar(a.norm(), b.arg());
}

// where the crate has branches for a single number
cases! {
    (a: Complex64 = c64(1.3, 0.0), b: Complex64 = c64(0.0, 0.7), s: f64 = 0.0, z: Complex64 = c64(0.0, 0.0); 1e-14)
    sqrt_on_axes: Complex64 = a.sqrt() + b.sqrt();
    cbrt_on_axes: Complex64 = a.cbrt() + b.cbrt();
    power_zero: Complex64 = a.powf(s) + b.powf(s) + a.powc(z);
    square_of_zero: Complex64 = z.powi(2) + z.exp();
}
