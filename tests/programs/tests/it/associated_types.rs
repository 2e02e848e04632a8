//! Associated types of type parameters, and functions that are named with their trait.

use pardiff::differentiate;

#[differentiate(check)]
mod lerp {
    pub trait Lerp {
        type Scalar;

        fn lerp(&self, to: &Self, t: &Self::Scalar) -> Self;
    }

    impl Lerp for f64 {
        type Scalar = f64;

        fn lerp(&self, to: &f64, t: &f64) -> f64 {
            self + (to - self) * t
        }
    }

    impl Lerp for f32 {
        type Scalar = f32;

        fn lerp(&self, to: &f32, t: &f32) -> f32 {
            self + (to - self) * t
        }
    }

    fn between<T: Lerp>(a: &T, b: &T, t: &T::Scalar) -> T {
        a.lerp(b, t)
    }

    #[differentiate]
    pub fn curve<T: Lerp>(a: &T, b: &T, c: &T, t: &<T as Lerp>::Scalar) -> T {
        let (first, second) = (between(a, b, t), between(b, c, t));
        <T as Lerp>::lerp(&first, &second, t)
    }

    #[derive(Clone, Copy)]
    pub struct Matrix {
        pub diagonal: [f64; 2],
    }

    pub trait One {
        fn one() -> Self;
        fn scaled(&self, by: f64) -> Self;
    }

    impl Matrix {
        pub fn one(by: f64) -> Matrix {
            Matrix { diagonal: [by, 0.0] }
        }

        pub fn scaled(&self, by: f64) -> f64 {
            self.diagonal[0] * by
        }
    }

    impl One for Matrix {
        fn one() -> Matrix {
            Matrix { diagonal: [1.0, 1.0] }
        }

        fn scaled(&self, by: f64) -> Matrix {
            Matrix { diagonal: [self.diagonal[0] * by, self.diagonal[1] / by] }
        }
    }

    pub fn volume(m: &Matrix, by: f64) -> f64 {
        let scaled = <Matrix as One>::scaled(m, by);
        let one = <Matrix as One>::one();
        scaled.diagonal[0] * scaled.diagonal[1] * by + one.diagonal[1] * Matrix::one(by).scaled(by)
    }
}

#[test]
fn types_and_functions_of_traits() {
    lerp::curve_of_f64::check(&0.3, &0.8, &-0.2, &0.4).unwrap();
    assert_eq!(lerp::curve::value(&0.3_f32, &0.8, &-0.2, &0.4), lerp::curve(&0.3_f32, &0.8, &-0.2, &0.4));
    lerp::volume::check(&lerp::Matrix { diagonal: [0.3, 0.8] }, 1.5).unwrap();
}

#[differentiate(check)]
mod masks {
    pub trait HasMask {
        type Mask;
    }

    pub trait Ordered: HasMask {
        fn at_most(&self, other: &Self) -> Self::Mask;
    }

    impl HasMask for f64 {
        type Mask = bool;
    }

    /// The type is that of the trait above.
    impl Ordered for f64 {
        fn at_most(&self, other: &Self) -> Self::Mask {
            self <= other
        }
    }

    #[differentiate]
    pub fn toe(x: f64, limit: f64) -> f64 {
        if x.at_most(&limit) { x * limit } else { x * x }
    }
}

#[test]
fn types_of_traits_above_that_of_an_impl() {
    masks::toe::check(0.3, 0.5).unwrap();
    masks::toe::check(0.8, 0.5).unwrap();
    assert_eq!(masks::toe::gradient(0.3, 0.5).1.limit, 0.3);
}
