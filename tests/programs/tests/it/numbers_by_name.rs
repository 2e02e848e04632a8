//! Numbers that methods compare, cast and choose, and functions of a module that have errors of floats.

use pardiff::differentiate;

#[differentiate(check)]
mod numbers {
    use num_traits::{Float, cast};

    /// What it makes follows from where it is used.
    fn number<T: Float>(x: f64) -> T {
        T::from(x).expect("a float")
    }

    fn of_crate<T: Float>(x: f64) -> T {
        num_traits::cast::<f64, T>(x).unwrap()
    }

    pub fn cubic<T: Float>(x: T) -> T {
        let half: T = cast(0.5_f64).unwrap();
        (x * number(2.0) + of_crate(0.25)) * x * x - half
    }

    #[derive(Debug, PartialEq)]
    pub struct OutOfRange(pub f64);

    #[derive(Clone, Copy, Debug, PartialEq)]
    pub enum Region {
        Low,
        High,
    }

    /// Takes floats, and returns none but in its errors.
    pub fn region(x: f64) -> Result<Region, OutOfRange> {
        if x.lt(&0.0) {
            return Err(OutOfRange(x));
        }
        Ok(if x.ge(&1.0) { Region::High } else { Region::Low })
    }

    pub fn by_regions(x: f64, y: f64) -> Result<f64, OutOfRange> {
        match region(x)? {
            Region::Low => Ok(x * y),
            Region::High => Ok(f64::midpoint(x * x, y)),
        }
    }

    pub fn horner<const N: usize>(x: f64, coefficients: [f64; N]) -> f64 {
        let last = *coefficients.last().unwrap_or(&0.0);
        coefficients.iter().rev().skip(1).fold(last, |sum, &c| sum * x + c)
    }

    pub fn at_or_first(x: &[f32], at: usize) -> f32 {
        let first = x.first().expect("an element");
        let chosen = x.get(at).unwrap_or(first);
        chosen * chosen * x[1]
    }
}

#[test]
fn casts_to_types_that_follow_from_their_use() {
    let (value, gradient) = numbers::cubic::gradient(1.5);
    assert_eq!((value, gradient.x), (2.0 * 3.375 + 0.25 * 2.25 - 0.5, 6.0 * 2.25 + 0.5 * 1.5));
    numbers::cubic::check(1.5_f32).expect("right derivatives");
}

#[test]
fn floats_in_errors_are_no_results() {
    use numbers::{OutOfRange, Region, by_regions, region};
    assert_eq!(region(0.5), Ok(Region::Low));
    by_regions::check(0.5, 3.0).expect("right derivatives");
    by_regions::check(2.5, 3.0).expect("right derivatives");
    let (mut d_x, mut d_y) = (0.0, 0.0);
    assert_eq!(by_regions::grad(2.5, &mut d_x, 3.0, &mut d_y), Ok(4.625));
    assert_eq!((d_x, d_y), (2.5, 0.5));
    assert_eq!(by_regions::grad(-1.0, &mut d_x, 3.0, &mut d_y), Err(OutOfRange(-1.0)));
}

#[test]
fn an_element_or_another_number_behind_a_reference() {
    numbers::horner::check(0.7, [1.0, -2.0, 3.0]).expect("right derivatives");
    assert_eq!(numbers::horner::gradient(0.7, []).0, 0.0);
    for at in [0, 2, 5] {
        numbers::at_or_first::check(&[0.5, 2.0, -1.5], at).expect("right derivatives");
    }
}

#[differentiate(check)]
mod curves {
    use num_traits::Float;
    use std::ops::{Add, Mul};

    pub trait Blend<F> {
        fn blend(&self, other: &Self, t: F) -> Self;
    }

    /// Holds where both are one float.
    impl<T: Mul<F, Output = T> + Add<Output = T> + Copy, F: Float> Blend<F> for T {
        fn blend(&self, other: &Self, t: F) -> Self {
            *self * (F::one() - t) + *other * t
        }
    }

    pub struct Curve<T: Blend<F> + Copy, F: Float> {
        pub points: Vec<T>,
        pub knots: [F; 2],
    }

    impl<T: Blend<F> + Copy, F: Float> Curve<T, F> {
        pub fn at(&self, t: F) -> T {
            let t = (t - self.knots[0]) / (self.knots[1] - self.knots[0]);
            let first = self.points[0].blend(&self.points[1], t);
            first.blend(&self.points[1].blend(&self.points[2], t), t)
        }
    }
}

#[test]
fn type_parameters_that_stand_for_one_type() {
    use curves::{Curve, curve};
    curve::at::check(&Curve { points: vec![1.0, 3.0, -2.0], knots: [0.5, 2.0] }, 0.8)
        .expect("right derivatives");
    let single = Curve { points: vec![1.0_f32, 3.0, -2.0], knots: [0.5, 2.0] };
    curve::at::check(&single, 0.8).expect("right derivatives");
}
