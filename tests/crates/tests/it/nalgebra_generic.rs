//! Functions with type parameters behind the traits of numbers that `nalgebra` has.

use nalgebra::{ComplexField, RealField, SimdRealField};
use pardiff::differentiate;

#[differentiate(check)]
pub fn swing<T: RealField + Copy>(angle: T, x: &[T]) -> T {
    let two: T = nalgebra::convert(2.0);
    let mut energy = nalgebra::zero::<T>() + nalgebra::one::<T>();
    for v in x {
        energy += (*v * T::pi() / two).sin().powi(2) + v.abs().max(angle);
    }
    energy * T::from_f64(0.5).unwrap() + (angle * T::two_pi()).cos().atan2(two) + angle.signum()
}

#[differentiate(with(N = f64), check)]
pub fn horner<N: ComplexField + Copy>(x: N, coefficients: &[N]) -> N {
    let mut sum = N::zero();
    for c in coefficients.iter().rev() {
        sum = sum * x + *c;
    }
    sum + N::from_real(x.modulus() * x.modulus_squared())
}

#[differentiate(check)]
pub fn lerp<T: SimdRealField + Copy>(a: T, b: T, t: T) -> T {
    a * (T::one() - t) + b * t
}

#[test]
fn values_and_derivatives() {
    swing_of_f64::check(0.3, &[0.2, -0.7]).unwrap_or_else(|mismatch| panic!("{mismatch}"));
    horner::check(0.3, &[0.2, -0.7, 1.5]).unwrap_or_else(|mismatch| panic!("{mismatch}"));
    lerp_of_f64::check(0.3, 0.8, 0.4).unwrap_or_else(|mismatch| panic!("{mismatch}"));
    assert_eq!(swing_of_f64::value(0.3, &[0.2, -0.7]), swing(0.3, &[0.2, -0.7]));
    assert_eq!(swing_of_f32::value(-0.0, &[0.2]), swing(-0.0_f32, &[0.2]));
    assert_eq!(horner::value(0.3, &[0.2, -0.7, 1.5]), horner(0.3, &[0.2, -0.7, 1.5]));
}
