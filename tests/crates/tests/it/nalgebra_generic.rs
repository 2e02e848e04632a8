//! Functions with type parameters behind the traits of numbers that `nalgebra` has.

use nalgebra::{ComplexField, Matrix3, Point3, RealField, SimdRealField, UnitQuaternion, Vector3};
use pardiff::differentiate;

#[differentiate(check, forward)]
pub fn springs<T: RealField + Copy>(at: &[Vector3<T>], k: T, frame: &UnitQuaternion<T>) -> T {
    let mut sum = T::zero();
    for i in 1..at.len() {
        let d: Vector3<T> = frame * (at[i] - at[i - 1]);
        sum += k * d.norm_squared() + Vector3::new(k, k, T::one()).dot(&d);
    }
    sum
}

#[differentiate(check, with(T = f32))]
pub fn moved<T: RealField + Copy>(m: &Matrix3<T>, p: Point3<T>) -> Point3<T> {
    m * p
}

#[differentiate]
pub mod geodesy {
    use super::*;

    #[derive(Clone, Copy)]
    pub struct Ecef<N: RealField>(pub Point3<N>);

    #[derive(Clone, Copy)]
    pub struct Geodetic<N: RealField> {
        pub lat: N,
        pub lon: N,
        pub alt: N,
    }

    impl<N: RealField + Copy> Ecef<N> {
        pub fn distance(&self, other: &Ecef<N>) -> N {
            (self.0 - other.0).norm()
        }
    }

    impl<N: RealField + Copy> From<Geodetic<N>> for Ecef<N> {
        fn from(of: Geodetic<N>) -> Ecef<N> {
            let (a, e2): (N, N) = (nalgebra::convert(6378137.0), nalgebra::convert(0.00669437999014));
            let n = a / (N::one() - e2 * of.lat.sin() * of.lat.sin()).sqrt();
            let rest = (n + of.alt) * of.lat.cos();
            Ecef(Point3::new(rest * of.lon.cos(), rest * of.lon.sin(), (n - n * e2 + of.alt) * of.lat.sin()))
        }
    }

    #[differentiate(check)]
    pub fn apart<N: RealField + Copy>(a: Geodetic<N>, b: Geodetic<N>) -> N {
        Ecef::from(a).distance(&Ecef::from(b))
    }

    pub fn normal<T: RealField + Copy>(a: &Vector3<T>, b: &Vector3<T>) -> Vector3<T> {
        a.cross(b)
    }

    #[differentiate(check)]
    pub fn volume(a: &Vector3<f64>, b: &Vector3<f64>, c: &Vector3<f64>) -> f64 {
        normal(a, b).dot(c)
    }
}

#[test]
fn types_of_the_crate_have_type_parameters() {
    let at: Vec<Vector3<f64>> = [0.0, 1.0, 2.0].map(|x: f64| Vector3::new(x, x.sin(), 0.3)).to_vec();
    let frame = UnitQuaternion::new(Vector3::new(0.3, 0.1, 0.2));
    springs::check(&at, 0.7, &frame).unwrap_or_else(|mismatch| panic!("{mismatch}"));
    let m = Matrix3::new(1.0, 2.0, 0.3, 0.1, 0.5, 0.7, 0.2, 0.2, 1.0);
    moved::check(&m, Point3::new(0.3, 0.4, 0.5)).unwrap_or_else(|mismatch| panic!("{mismatch}"));
    let place = |lat, lon, alt| geodesy::Geodetic { lat, lon, alt };
    geodesy::apart::check(place(0.3, 0.4, 10.0), place(0.31, 0.39, 100.0))
        .unwrap_or_else(|mismatch| panic!("{mismatch}"));
    geodesy::volume::check(&at[1], &at[2], &Vector3::new(0.1, 0.7, 0.2))
        .unwrap_or_else(|mismatch| panic!("{mismatch}"));
}

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

/// What is exported has bounds that its users do not import.
mod wells {
    use nalgebra::RealField;
    use pardiff::differentiate;

    #[differentiate(export)]
    pub fn squared<T: RealField + Copy>(x: T) -> T {
        x * x
    }

    #[differentiate(export)]
    pub struct Well<T> {
        pub depth: T,
        pub at: T,
    }

    #[differentiate(export, uses(Well, squared))]
    impl<T: RealField + Copy> Well<T> {
        pub fn energy(&self, x: T) -> T {
            squared(x - self.at) * self.depth
        }
    }

    #[differentiate(export)]
    pub mod powers {
        use nalgebra::RealField;

        pub fn cube<T: RealField + Copy>(x: T) -> T {
            x * x * x
        }
    }
}

mod users {
    use super::wells::{Well, powers, squared, well};
    use pardiff::differentiate;

    #[differentiate(check, uses(Well, well, powers, squared))]
    pub fn total(of: &Well<f64>, x: &[f64]) -> f64 {
        let mut sum = 0.0;
        for x in x {
            sum += of.energy(*x) * powers::cube(*x) + squared(*x);
        }
        sum
    }
}

#[test]
fn bounds_of_what_is_exported_need_no_import() {
    let well = wells::Well { depth: 0.7, at: 0.2 };
    users::total::check(&well, &[0.3, -0.5]).unwrap_or_else(|mismatch| panic!("{mismatch}"));
    assert_eq!(users::total::value(&well, &[0.3, -0.5]), users::total(&well, &[0.3, -0.5]));
}
