//! Traits that the attribute does not see, before type parameters.

use num_traits::{AsPrimitive, ConstOne, ConstZero, Float};
use pardiff::differentiate;
use pardiff_programs::assert_near;
use std::iter::Sum;
use std::ops::{Add, Mul};

/// What stands for another crate.
mod elsewhere {
    /// Comparisons up to an error.
    pub trait Close: Copy {
        fn is_close(self, other: Self) -> bool;
    }

    impl Close for f64 {
        fn is_close(self, other: f64) -> bool {
            (self - other).abs() < 1e-9
        }
    }

    /// Things with a weight, and with a method of a name that structs have by themselves.
    pub trait Weighted {
        fn weight(&self) -> f64 {
            3.0
        }
    }
}

/// A bound of another crate beside one that is known.
#[differentiate(with(T = f64), check)]
pub fn damped<T: Float + elsewhere::Close>(x: T, t: T) -> T {
    x * (-t * t).exp()
}

#[test]
fn a_bound_of_another_crate() {
    assert!(elsewhere::Close::is_close(0.5, 0.5));
    damped::check(0.7, 0.4).unwrap();
    let (value, slope) = damped::gradient(0.7, 0.4);
    let e = (-0.16_f64).exp();
    assert_near(&[value, slope.x, slope.t], &[0.7 * e, e, -0.8 * 0.7 * e]);
}

/// Numbers of one type that become others: with the traits before the parameters alone.
#[differentiate(with(C = f32, T = f64, A = f64))]
pub fn projected<C, T, A>(matrix: &[C], state: &[T]) -> T
where
    T: Copy + 'static + AsPrimitive<A>,
    C: Copy + ConstOne + AsPrimitive<A>,
    A: Copy + 'static + Mul<Output = A> + Add<Output = A> + Sum + AsPrimitive<T>,
{
    let sum: A = matrix.iter().zip(state).map(|(&a, &x)| a.as_() * x.as_()).sum();
    (sum + C::ONE.as_() * sum).as_()
}

#[differentiate]
pub fn shifted<T: Float + ConstZero + ConstOne>(x: T) -> T {
    let steps = [T::ZERO, <T as ConstOne>::ONE];
    steps.iter().fold(T::ZERO, |sum, &step| sum + (x + step).powi(2))
}

#[differentiate(with(T = f64))]
pub fn rounded<T: Float + AsPrimitive<i32>>(x: T, table: &[T]) -> T {
    let at: i32 = x.as_();
    x * table[at as usize]
}

#[test]
fn conversions_and_constants() {
    let (value, slope) = projected::gradient(&[2.0, 3.0], &[0.5, 0.25]);
    assert_near(&[value], &[2.0 * 1.75]);
    assert_near(&slope.state, &[4.0, 6.0]);
    assert_eq!(slope.matrix, [1.0, 0.5]);
    assert_near(&[shifted::gradient(1.5).1.x], &[3.0 + 5.0]);
    assert_eq!(shifted::gradient(1.5_f32).1.x, 8.0);
    let (value, slope) = rounded::gradient(1.75, &[1.0, 4.0]);
    assert_near(&[value, slope.x], &[7.0, 4.0]);
    assert_near(&slope.table, &[0.0, 1.75]);
}

/// Traits of a module above which there are others.
#[differentiate]
pub mod waves {
    use super::elsewhere::{Close, Weighted};
    use num_traits::{AsPrimitive, Float};

    pub trait Real: Float + Close {}

    impl Real for f64 {}

    pub struct Wave<S> {
        pub rate: S,
        pub phase: S,
    }

    impl<S: Real> Wave<S> {
        #[differentiate(with(S = f64), check)]
        pub fn at(&self, t: S) -> S {
            level((self.rate * t + self.phase).sin())
        }
    }

    fn level<S: Real>(x: S) -> S {
        x * x + x
    }

    #[differentiate]
    pub fn widened<T: Float + AsPrimitive<f64>>(x: T) -> f64 {
        x.as_().powi(2)
    }

    /// A trait of the module beside one that is not seen.
    pub trait Energy {
        fn energy(&self, x: f64) -> f64;
    }

    pub struct Spring {
        pub k: f64,
    }

    impl Energy for Spring {
        fn energy(&self, x: f64) -> f64 {
            0.5 * self.k * x * x
        }
    }

    impl Weighted for Spring {}

    fn of_both<E: Energy + Weighted>(e: &E, x: f64) -> f64 {
        e.energy(x)
    }

    fn behind_impl(e: &(impl Energy + Weighted), x: f64) -> f64 {
        e.energy(x)
    }

    pub fn stretched(spring: &Spring, x: f64) -> f64 {
        of_both(spring, x) + behind_impl(spring, 2.0 * x)
    }

    #[differentiate(with(E = Spring))]
    pub fn given<E: Energy + Weighted>(e: &E, x: f64) -> f64 {
        e.energy(x)
    }
}

#[test]
fn above_traits_of_the_module() {
    let wave = waves::Wave { rate: 2.0, phase: 0.3 };
    waves::wave::at::check(&wave, 0.4).unwrap();
    let (s, c) = 1.1_f64.sin_cos();
    assert_near(&[waves::wave::at::gradient(&wave, 0.4).1.t], &[(2.0 * s + 1.0) * 2.0 * c]);
    assert_eq!(waves::widened::gradient(1.5_f32).1.x, 3.0);
    let spring = waves::Spring { k: 3.0 };
    assert_eq!(elsewhere::Weighted::weight(&spring), 3.0);
    let (value, slope) = waves::stretched::gradient(&spring, 0.5);
    assert_near(&[value, slope.x, slope.spring.k], &[7.5 * 0.25, 15.0 * 0.5, 2.5 * 0.25]);
    let (value, slope) = waves::given::gradient(&spring, 0.5);
    assert_near(&[value, slope.x, slope.e.k], &[0.375, 1.5, 0.125]);
}
