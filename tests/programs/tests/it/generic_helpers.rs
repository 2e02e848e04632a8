//! Helpers with type parameters: traits of the module, operators of the standard library, `impl` and `dyn` in front of a trait.

use pardiff::differentiate;
use pardiff_programs::{assert_near, check, random};

#[differentiate]
mod kernels {
    use std::ops::{Add, Mul};

    pub trait Potential {
        const ORDER: i32;
        const SCALE: f64 = 2.0;
        fn energy(&self, x: f64) -> f64;
        fn scaled(&self, x: f64, s: f64) -> f64 {
            Self::SCALE * s * self.energy(x)
        }
    }
    #[derive(Clone, Copy)]
    pub struct Well {
        pub a: f64,
        pub b: f64,
    }
    impl Potential for Well {
        const ORDER: i32 = 4;
        fn energy(&self, x: f64) -> f64 {
            self.a * x.powi(Self::ORDER) - self.b * x.powi(2)
        }
    }
    #[derive(Clone, Copy)]
    pub struct Harmonic(pub f64);
    impl Potential for Harmonic {
        const ORDER: i32 = 2;
        const SCALE: f64 = 0.5;
        fn energy(&self, x: f64) -> f64 {
            self.0 * x.powi(Self::ORDER)
        }
        fn scaled(&self, x: f64, s: f64) -> f64 {
            Self::SCALE * s + self.energy(x)
        }
    }
    fn total<P: Potential>(p: &P, xs: &[f64]) -> f64 {
        xs.iter().map(|&x| p.scaled(x, P::SCALE)).sum()
    }
    fn any(p: &impl Potential, x: f64) -> f64 {
        p.energy(x)
    }
    fn dynamic(p: &dyn Potential2, x: f64) -> f64 {
        p.twice(x)
    }
    pub trait Potential2 {
        fn twice(&self, x: f64) -> f64;
    }
    impl Potential2 for Well {
        fn twice(&self, x: f64) -> f64 {
            2.0 * self.a * x
        }
    }
    fn dot<T, const N: usize>(a: &[T; N], b: &[T; N]) -> T
    where
        T: Copy + Mul<Output = T> + Add<Output = T>,
    {
        let mut s = a[0] * b[0];
        for i in 1..N {
            s = s + a[i] * b[i];
        }
        s
    }
    fn first<T: Copy>(a: T, _b: T) -> T {
        a
    }
    trait Norm: Copy {
        fn abs(self) -> f64;
    }
    impl Norm for f64 {
        fn abs(self) -> f64 {
            self * self
        }
    }
    fn norm<T: Norm>(x: T) -> f64 {
        x.abs()
    }
    impl Mul<V> for f64 {
        type Output = V;
        fn mul(self, v: V) -> V {
            V(self * v.0)
        }
    }
    #[derive(Clone, Copy)]
    pub struct V(pub f64);
    impl Mul for V {
        type Output = V;
        fn mul(self, v: V) -> V {
            V(self.0 * v.0)
        }
    }
    impl Add for V {
        type Output = V;
        fn add(self, v: V) -> V {
            V(self.0 + v.0)
        }
    }
    pub fn both(w: Well, h: Harmonic, xs: &[f64], s: f32) -> f64 {
        let inner = dot(&[w.a, w.b], &[h.0, xs[0]]);
        let v = dot::<V, 2>(&[V(w.a), V(w.b)], &[V(xs[1]), V(xs[0])]);
        let single = first(1.0 / 3.0, s) as f64;
        total(&w, xs)
            + total(&h, xs)
            + any(&h, xs[2])
            + dynamic(&w, 0.3)
            + inner
            + v.0
            + single * w.a
            + norm(xs[1])
            + xs[1].abs()
    }
}
#[test]
fn gradient() {
    use kernels::{Harmonic, Well};
    let x = random(1, 5);
    let w = Well { a: 0.3, b: 0.5 };
    let (value, g) = kernels::both::gradient(w, Harmonic(0.7), &x, 1.0);
    assert!(
        (value - kernels::both(w, Harmonic(0.7), &x, 1.0)).abs() < 1e-14,
        "{value} {}",
        kernels::both(w, Harmonic(0.7), &x, 1.0)
    );
    check(
        |v| kernels::both(Well { a: v[0][0], b: v[0][1] }, Harmonic(v[0][2]), &v[1], 1.0),
        &[&[0.3, 0.5, 0.7], &x],
        &[&[g.w.a, g.w.b, g.h.0], &g.xs],
    );
}

#[differentiate]
mod summed {
    use std::iter::Sum;
    use std::ops::Add;

    #[derive(Clone, Copy)]
    pub struct P {
        pub x: f64,
        pub y: f64,
    }

    const START: f64 = 0.5;

    impl Add for P {
        type Output = P;
        fn add(self, other: P) -> P {
            P { x: self.x + other.x, y: self.y + other.y }
        }
    }

    impl Sum for P {
        fn sum<I: Iterator<Item = P>>(items: I) -> P {
            items.fold(P { x: START, y: 0.0 }, |a, b| a + b)
        }
    }

    pub fn moments(x: &[f64], w: &[f64]) -> f64 {
        let a = 3.0;
        let total: P = x.iter().zip(w).map(|(x, w)| P { x: a * w * x, y: w * x * x }).sum();
        let pairs = w.chunks(2).map(|c| P { x: c[0], y: c[0] * c[1] }).sum::<P>();
        total.x * pairs.y + total.y * pairs.x
    }
}

#[test]
fn sums_of_structs() {
    let (x, w) = (random(5, 6), random(6, 6));
    let (value, g) = summed::moments::gradient(&x, &w);
    assert!((value - summed::moments(&x, &w)).abs() < 1e-12);
    check(|v| summed::moments(&v[0], &v[1]), &[&x, &w], &[&g.x, &g.w]);
}

/// Parameters of helpers that follow from the trait of an argument.
#[differentiate]
pub mod coordinates {
    use num_traits::Float;

    pub trait Coordinates<T> {
        fn radius(&self) -> T;
        fn height(&self) -> T;
    }

    pub trait Measured {
        type Number;

        fn size(&self) -> Self::Number;
    }

    pub struct Polar<S> {
        pub r: S,
        pub theta: S,
    }

    impl<S: Float> Coordinates<S> for Polar<S> {
        fn radius(&self) -> S {
            self.r
        }

        fn height(&self) -> S {
            self.r * self.theta.cos()
        }
    }

    impl Measured for Polar<f64> {
        type Number = f64;

        fn size(&self) -> f64 {
            self.r * 2.0
        }
    }

    impl Coordinates<f32> for [f32; 2] {
        fn radius(&self) -> f32 {
            self[0].hypot(self[1])
        }

        fn height(&self) -> f32 {
            self[1]
        }
    }

    fn power<T: Float>(order: i32, at: &impl Coordinates<T>) -> T {
        let start = T::one() / T::from(2.0).unwrap();
        (0..order).fold(start, |power, _| power * (at.radius() + T::one())) + T::zero()
    }

    fn ratio<C: Coordinates<T>, T: Float>(at: &C) -> T {
        let two = T::one() + T::one();
        two.sqrt() * at.height() / at.radius()
    }

    fn sized<T: Float, M: Measured<Number = T>>(at: &M) -> T {
        let one = T::one();
        one.exp() * at.size()
    }

    pub fn harmonic(at: &Polar<f64>) -> f64 {
        let scale = power(2, at);
        scale.sqrt() * ratio(at) + sized(at)
    }

    #[differentiate(with(T = f64, at = Polar<f64>))]
    pub fn solid<T: Float>(at: &impl Coordinates<T>) -> T {
        let p = power(3, at);
        p.sqrt()
    }

    pub fn plane(at: &[f32; 2]) -> f32 {
        let scale = power(1, at);
        scale * ratio(at)
    }
}

#[test]
fn parameters_that_follow_from_a_trait() {
    let at = coordinates::Polar { r: 1.5, theta: 0.4 };
    let (value, slope) = coordinates::harmonic::gradient(&at);
    let (s2, e, (s, c)) = (2.0_f64.sqrt(), 1.0_f64.exp(), 0.4_f64.sin_cos());
    let h = 0.5_f64.sqrt();
    assert_near(&[value], &[h * 2.5 * s2 * c + e * 3.0]);
    assert_near(&[slope.at.r, slope.at.theta], &[h * s2 * c + 2.0 * e, -h * 2.5 * s2 * s]);
    assert_near(&[coordinates::solid::gradient(&at).0], &[coordinates::solid(&at)]);
    assert_near(&[coordinates::solid::gradient(&at).1.at.r], &[1.5 * h * 2.5_f64.sqrt()]);
    let slope = coordinates::plane::gradient(&[0.0, 2.0]).1.at;
    assert!((slope[1] - 0.5 * 2.0_f32.sqrt()).abs() < 1e-5, "{slope:?}");
}
