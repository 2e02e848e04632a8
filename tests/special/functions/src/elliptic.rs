//! Elliptic integrals in Carlson's symmetric forms, by duplication.

use num_traits::Float;
use pardiff::differentiate;

/// A sixth of the digits: the error of the series is the sixth power of what is left.
#[differentiate(export = "only")]
pub fn tolerance<T: Float>() -> T {
    (T::epsilon().ln() / T::from(6.0).unwrap()).exp() / T::from(4.0).unwrap()
}

/// Carlson's `R_F(x, y, z)` of numbers of which at most one is zero, the others positive.
#[differentiate(export, uses(tolerance), check)]
pub fn carlson_rf<T: Float>(x: T, y: T, z: T) -> T {
    let number = |v: f64| T::from(v).unwrap();
    let (mut x, mut y, mut z) = (x, y, z);
    loop {
        let mean = (x + y + z) / number(3.0);
        let (dx, dy, dz) = (T::one() - x / mean, T::one() - y / mean, T::one() - z / mean);
        if dx.abs().max(dy.abs()).max(dz.abs()) < tolerance::<T>() {
            let (e2, e3) = (dx * dy - dz * dz, dx * dy * dz);
            let series = T::one() - e2 / number(10.0) + e3 / number(14.0) + e2 * e2 / number(24.0)
                - number(3.0 / 44.0) * e2 * e3;
            return series / mean.sqrt();
        }
        let lambda = x.sqrt() * y.sqrt() + y.sqrt() * z.sqrt() + z.sqrt() * x.sqrt();
        let quarter = number(0.25);
        x = (x + lambda) * quarter;
        y = (y + lambda) * quarter;
        z = (z + lambda) * quarter;
    }
}

/// Carlson's `R_D(x, y, z)`, where `z` is positive, and at most one of the others zero.
#[differentiate(export, uses(tolerance), check)]
pub fn carlson_rd<T: Float>(x: T, y: T, z: T) -> T {
    let number = |v: f64| T::from(v).unwrap();
    let (mut x, mut y, mut z) = (x, y, z);
    let (mut sum, mut scale) = (T::zero(), T::one());
    loop {
        let mean = (x + y + number(3.0) * z) / number(5.0);
        let (dx, dy, dz) = (T::one() - x / mean, T::one() - y / mean, T::one() - z / mean);
        if dx.abs().max(dy.abs()).max(dz.abs()) < tolerance::<T>() {
            let xy = dx * dy;
            let e2 = xy - number(6.0) * dz * dz;
            let e3 = (number(3.0) * xy - number(8.0) * dz * dz) * dz;
            let e4 = number(3.0) * (xy - dz * dz) * dz * dz;
            let e5 = xy * dz * dz * dz;
            let series = T::one() - number(3.0 / 14.0) * e2 + e3 / number(6.0) + number(9.0 / 88.0) * e2 * e2
                - number(3.0 / 22.0) * e4
                - number(9.0 / 52.0) * e2 * e3
                + number(3.0 / 26.0) * e5;
            return number(3.0) * sum + scale * series / (mean * mean.sqrt());
        }
        let lambda = x.sqrt() * y.sqrt() + y.sqrt() * z.sqrt() + z.sqrt() * x.sqrt();
        sum = sum + scale / (z.sqrt() * (z + lambda));
        let quarter = number(0.25);
        scale = scale * quarter;
        x = (x + lambda) * quarter;
        y = (y + lambda) * quarter;
        z = (z + lambda) * quarter;
    }
}

/// Legendre's complete integral `K` of the parameter `m`, below one.
#[differentiate(export, uses(carlson_rf), check)]
pub fn complete_k<T: Float>(m: T) -> T {
    carlson_rf(T::zero(), T::one() - m, T::one())
}

/// Legendre's complete integral `E` of the parameter `m`, below one.
#[differentiate(export, uses(carlson_rf, carlson_rd), check)]
pub fn complete_e<T: Float>(m: T) -> T {
    let (zero, one) = (T::zero(), T::one());
    carlson_rf(zero, one - m, one) - m * carlson_rd(zero, one - m, one) / T::from(3.0).unwrap()
}
