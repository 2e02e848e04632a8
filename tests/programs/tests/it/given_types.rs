//! Type parameters that stand for structs: the option `with` names them.

#![deny(warnings)]

use pardiff::differentiate;
use pardiff_programs::assert_near;

#[differentiate(check, forward)]
pub mod splines {
    use std::marker::PhantomData;
    use std::ops::{Add, Mul};

    pub trait Basis<T> {
        const STEP: usize;
        const MATRIX: [[T; 2]; 2];
        fn shift(x: T) -> T;
        fn has_all(knots: usize) -> bool {
            knots >= 2 && (knots - 2).is_multiple_of(Self::STEP)
        }
    }

    pub struct Line;
    pub struct Twice;

    impl Basis<f32> for Line {
        const STEP: usize = 5;
        const MATRIX: [[f32; 2]; 2] = [[0.0; 2]; 2];
        fn shift(x: f32) -> f32 {
            -x
        }
    }

    impl Basis<f64> for Line {
        const STEP: usize = 1;
        const MATRIX: [[f64; 2]; 2] = [[-1.0, 1.0], [1.0, 0.0]];
        fn shift(x: f64) -> f64 {
            x * x
        }
    }

    impl Basis<f64> for Twice {
        const STEP: usize = 2;
        const MATRIX: [[f64; 2]; 2] = [[-2.0, 2.0], [2.0, 0.0]];
        fn shift(x: f64) -> f64 {
            x.sin()
        }
    }

    /// Constants and functions, also by the trait, beside a parameter that stands for a number.
    #[differentiate(with(B = Line, T = f64))]
    pub fn spline<B, T>(x: T, knots: &[T]) -> Option<T>
    where
        B: Basis<T>,
        T: Copy + Add<Output = T> + Mul<Output = T>,
    {
        if !B::has_all(knots.len()) {
            return None;
        }
        let (m, y) = (<B as Basis<T>>::MATRIX, B::shift(x));
        Some((knots[0] * m[0][0] + knots[B::STEP] * m[0][1]) * y + knots[0] * m[1][0] + knots[1] * m[1][1])
    }

    #[differentiate(with(B = Twice, A = Line))]
    pub fn one_after_another<A: Basis<f64>, B: Basis<f64>>(x: f64) -> f64 {
        A::shift(B::shift(x)) * through::<A>(x)
    }

    fn through<C: Basis<f64>>(x: f64) -> f64 {
        C::shift(x) * C::MATRIX[0][1] + <C as Basis<f64>>::MATRIX[1][0]
    }

    /// A parameter of the type, and a function beside it.
    pub struct Curve<B> {
        pub knots: [f64; 4],
        pub of: PhantomData<B>,
    }

    impl<B: Basis<f64>> Curve<B> {
        #[differentiate(with(B = Twice, F = cube))]
        pub fn at<F: Fn(f64) -> f64>(&self, f: F, x: f64) -> f64 {
            self.knots[B::STEP] * f(B::shift(x))
        }
    }

    fn cube(x: f64) -> f64 {
        x * x * x
    }

    pub trait Kernel {
        const ORDER: i32 = 2;
        fn value(&self, r: f64) -> f64;
    }

    /// What the struct has by itself is not meant.
    #[derive(Clone)]
    pub struct Gauss {
        pub width: f64,
    }

    impl Gauss {
        pub const ORDER: i32 = 9;

        pub fn value(&self, r: f64) -> f64 {
            100.0 * r
        }
    }

    impl Kernel for Gauss {
        fn value(&self, r: f64) -> f64 {
            (-r * r / self.width).exp()
        }
    }

    #[differentiate(with(K = Gauss))]
    pub fn density<K: Kernel>(kernel: &K, r: &[f64]) -> f64 {
        r.iter().map(|r| kernel.value(*r) * r.powi(K::ORDER)).sum()
    }

    pub fn by_itself(kernel: &Gauss, r: f64) -> f64 {
        kernel.value(r).powi(Gauss::ORDER)
    }
}

#[test]
fn a_struct_stands_in_the_place_of_a_type_parameter() {
    let knots = [1.0, 3.0, 2.0];
    let (mut d_x, mut d_knots) = (0.0, [0.0; 3]);
    let value = splines::spline::vjp(0.5, &mut d_x, &knots, &mut d_knots, 1.0);
    assert_eq!((value, d_x, d_knots), (Some(1.5), 2.0, [0.75, 0.25, 0.0]));
    splines::spline::check(0.3, &knots).unwrap();

    let (value, gradient) = splines::one_after_another::gradient(0.7);
    let (sine, cosine) = 0.7_f64.sin_cos();
    assert_near(&[value], &[sine * sine * 1.49]);
    assert_near(&[gradient.x], &[2.0 * sine * cosine * 1.49 + sine * sine * 1.4]);

    let curve = splines::Curve { knots: [1.0, 2.0, 3.0, 4.0], of: std::marker::PhantomData };
    splines::curve::at::check(&curve, 0.4).unwrap();
    let gauss = splines::Gauss { width: 0.5 };
    splines::density::check(&gauss, &[0.1, 0.4]).unwrap();
    splines::by_itself::check(&gauss, 0.02).unwrap();
    let each = |r: f64| (-r * r / 0.5).exp() * r * r;
    assert_near(&[splines::density::value(&gauss, &[0.1, 0.4])], &[each(0.1) + each(0.4)]);
}

#[differentiate]
pub mod behind_traits {
    pub trait Place<T> {
        fn radius(&self) -> T;
        fn height(&self) -> T;
    }

    #[derive(Clone, Copy)]
    pub struct Polar<T> {
        pub r: T,
        pub angle: T,
    }

    impl Place<f64> for Polar<f64> {
        fn radius(&self) -> f64 {
            self.r
        }
        fn height(&self) -> f64 {
            self.r * self.angle.sin()
        }
    }

    impl Polar<f64> {
        /// What a value of the trait does not have.
        pub fn height(&self) -> f64 {
            0.0
        }
    }

    /// A value by itself and behind a reference.
    #[differentiate(check, with(at = Polar<f64>, from = Polar<f64>))]
    pub fn weight(at: &impl Place<f64>, from: impl Place<f64>, scale: f64) -> f64 {
        scale * at.height() / from.radius() + nearby(at)
    }

    #[differentiate(check, with(at = Polar<f64>))]
    pub fn chosen(at: &dyn Place<f64>) -> f64 {
        at.height() * at.height()
    }

    fn nearby(at: &impl Place<f64>) -> f64 {
        at.radius() * at.radius()
    }
}

#[test]
fn a_struct_stands_behind_a_trait() {
    use behind_traits::{Polar, chosen, weight};
    let (at, from) = (Polar { r: 1.3, angle: 0.4 }, Polar { r: 0.7, angle: 2.0 });
    assert_eq!(weight::value(&at, from, 2.0), weight(&at, from, 2.0));
    weight::check(&at, from, 2.0).unwrap();
    chosen::check(&at).unwrap();
    assert_eq!(at.height(), 0.0);
    assert_near(&[chosen::value(&at)], &[(1.3 * 0.4_f64.sin()).powi(2)]);
}

/// Type parameters that stand for tuples and arrays.
#[differentiate]
pub mod colours {
    pub trait Colour {
        fn light(&self) -> f64;
        fn parts(&self) -> (f64, f64, f64);
    }

    impl Colour for (f64, f64, f64) {
        fn light(&self) -> f64 {
            self.0 + 0.5 * self.1
        }

        fn parts(&self) -> (f64, f64, f64) {
            *self
        }
    }

    impl Colour for [f32; 3] {
        fn light(&self) -> f64 {
            self[0] as f64 * self[2] as f64
        }

        fn parts(&self) -> (f64, f64, f64) {
            (self[0].into(), self[1].into(), self[2].into())
        }
    }

    fn squared(a: (f64, f64, f64), b: (f64, f64, f64)) -> f64 {
        let (x, y, z) = (a.0 - b.0, a.1 - b.1, a.2 - b.2);
        x * x + y * y + z * z
    }

    #[differentiate(with(a = (f64, f64, f64), b = [f32; 3]), check)]
    pub fn distance(a: impl Colour, b: impl Colour) -> f64 {
        squared(a.parts(), b.parts())
    }

    #[differentiate(with(C = (f64, f64, f64)))]
    pub fn lightness<C: Colour>(colour: &C, scale: f64) -> f64 {
        scale * colour.light().powi(2)
    }

    #[differentiate(with(C = [f32; 3]))]
    pub fn sum_of_lights<C: Colour>(colours: &[C]) -> f64 {
        colours.iter().map(|c| c.light()).sum()
    }
}

#[test]
fn tuples_and_arrays() {
    let (value, slope) = colours::distance::gradient((1.0, 2.0, 3.0), [0.5, 1.0, 1.0]);
    assert_near(&[value], &[colours::distance((1.0, 2.0, 3.0), [0.5, 1.0, 1.0])]);
    assert_near(&[value, slope.a.0, slope.a.1, slope.a.2], &[0.25 + 1.0 + 4.0, 1.0, 2.0, 4.0]);
    assert_eq!(slope.b, [-1.0, -2.0, -4.0]);
    let (_, slope) = colours::lightness::gradient(&(1.0, 2.0, 3.0), 0.5);
    assert_near(&[slope.colour.0, slope.colour.1, slope.colour.2, slope.scale], &[2.0, 1.0, 0.0, 4.0]);
    let (value, slope) = colours::sum_of_lights::gradient(&[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]);
    assert_near(&[value], &[27.0]);
    assert_eq!(slope.colours, [[3.0, 0.0, 1.0], [6.0, 0.0, 4.0]]);
}
