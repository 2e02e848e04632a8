//! Cases: a name, the type that is returned, and an expression of the arguments.

use glam::{DMat2, DMat3, DMat4, DQuat, DVec2, DVec3, DVec4, Mat3, Vec2, Vec3};
use num_complex::Complex;

/// The numbers of a value.
pub trait Numbers {
    fn numbers(&self) -> Vec<f64>;
}

macro_rules! of_array {
    ($($ty:ty: $array:ident;)*) => {
        $(impl Numbers for $ty {
            fn numbers(&self) -> Vec<f64> {
                self.$array().iter().map(|x| f64::from(*x)).collect()
            }
        })*
    };
}

of_array! {
    Vec2: to_array; Vec3: to_array; DVec2: to_array; DVec3: to_array; DVec4: to_array; DQuat: to_array;
    Mat3: to_cols_array; DMat2: to_cols_array; DMat3: to_cols_array; DMat4: to_cols_array;
}

impl Numbers for f64 {
    fn numbers(&self) -> Vec<f64> {
        vec![*self]
    }
}

impl Numbers for f32 {
    fn numbers(&self) -> Vec<f64> {
        vec![f64::from(*self)]
    }
}

impl Numbers for usize {
    fn numbers(&self) -> Vec<f64> {
        Vec::new()
    }
}

impl<T: Numbers> Numbers for Complex<T> {
    fn numbers(&self) -> Vec<f64> {
        [self.re.numbers(), self.im.numbers()].concat()
    }
}

impl<T: Numbers, const N: usize> Numbers for [T; N] {
    fn numbers(&self) -> Vec<f64> {
        self.iter().flat_map(Numbers::numbers).collect()
    }
}

impl<A: Numbers, B: Numbers> Numbers for (A, B) {
    fn numbers(&self) -> Vec<f64> {
        [self.0.numbers(), self.1.numbers()].concat()
    }
}

impl<T: Numbers, const R: usize, const C: usize> Numbers for nalgebra::SMatrix<T, R, C> {
    fn numbers(&self) -> Vec<f64> {
        self.data.0.numbers()
    }
}

impl<T: Numbers + nalgebra::Scalar, const N: usize> Numbers for nalgebra::Point<T, N> {
    fn numbers(&self) -> Vec<f64> {
        self.coords.data.0.numbers()
    }
}

impl<V: Numbers> Numbers for nalgebra::Unit<V> {
    fn numbers(&self) -> Vec<f64> {
        self.as_ref().numbers()
    }
}

impl Numbers for nalgebra::Quaternion<f64> {
    fn numbers(&self) -> Vec<f64> {
        self.coords.numbers()
    }
}

impl<const N: usize> Numbers for nalgebra::Rotation<f64, N> {
    fn numbers(&self) -> Vec<f64> {
        self.matrix().numbers()
    }
}

impl<R: Numbers, const N: usize> Numbers for nalgebra::Isometry<f64, R, N> {
    fn numbers(&self) -> Vec<f64> {
        [self.rotation.numbers(), self.translation.vector.numbers()].concat()
    }
}

impl<T: Numbers> Numbers for nalgebra::DVector<T> {
    fn numbers(&self) -> Vec<f64> {
        self.data.as_slice().iter().flat_map(Numbers::numbers).collect()
    }
}

impl<T: Numbers> Numbers for nalgebra::DMatrix<T> {
    fn numbers(&self) -> Vec<f64> {
        self.data.as_slice().iter().flat_map(Numbers::numbers).collect()
    }
}

/// Two values to rounding.
pub fn close<T: Numbers>(expected: &T, found: &T, tolerance: f64) {
    let (expected, found) = (expected.numbers(), found.numbers());
    let largest = expected.iter().fold(1.0, |most: f64, x| most.max(x.abs()));
    for (a, b) in expected.iter().zip(&found) {
        assert!(
            (a - b).abs() <= tolerance * largest,
            "{expected:?} of the crate, {found:?} of the derivative"
        );
    }
}

/// A case, the function `f` of a module of its name.
macro_rules! case {
    ($name:ident ($($arg:ident: $ty:ty = $value:expr),+; $tolerance:expr) $out:ty, $body:expr) => {
        mod $name {
            use super::*;

            #[pardiff::differentiate(check, sequential)]
            #[allow(unused_variables, clippy::all)]
            pub fn f($($arg: $ty),+) -> $out {
                $body
            }

            #[test]
            fn agrees_with_the_crate() {
                crate::support::close(&f($($value),+), &f::value($($value),+), $tolerance);
                if let Err(mismatch) = f::check($($value),+) {
                    panic!("{mismatch}");
                }
            }
        }
    };
}

macro_rules! cases {
    ($args:tt $($name:ident: $out:ty = $body:expr;)*) => {
        $(case! { $name $args $out, $body })*
    };
}
