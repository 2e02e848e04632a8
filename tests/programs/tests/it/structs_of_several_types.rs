//! Structs and enums with type parameters, of several types in one function.

use pardiff::differentiate;

#[differentiate(check)]
mod vectors {
    use num_traits::Float;
    use std::ops::{Add, Mul, Sub};
    #[derive(Clone, Copy, Debug, Default, PartialEq)]
    pub struct V2<T> {
        pub x: T,
        pub y: T,
    }
    impl<T: Float> V2<T> {
        pub fn new(x: T, y: T) -> Self {
            Self { x, y }
        }
        pub fn zero() -> Self {
            Self::new(T::zero(), T::zero())
        }
        pub fn norm(&self) -> T {
            self.x.hypot(self.y)
        }
        pub fn cast<U: Float>(self) -> V2<U> {
            V2 { x: U::from(self.x).unwrap(), y: U::from(self.y).unwrap() }
        }
        pub fn lerp(a: Self, b: Self, t: T) -> Self {
            a * (T::one() - t) + b * t
        }
    }
    impl V2<f64> {
        pub fn angle(&self) -> f64 {
            self.y.atan2(self.x)
        }
    }
    impl V2<f32> {
        pub fn angle(&self) -> f32 {
            self.y * 2.0 + self.x
        }
    }
    impl<T: Add<Output = T>> Add for V2<T> {
        type Output = V2<T>;
        fn add(self, o: Self) -> Self {
            V2 { x: self.x + o.x, y: self.y + o.y }
        }
    }
    impl<T: Sub<Output = T>> Sub for V2<T> {
        type Output = V2<T>;
        fn sub(self, o: Self) -> Self {
            V2 { x: self.x - o.x, y: self.y - o.y }
        }
    }
    impl<T: Mul<Output = T> + Copy> Mul<T> for V2<T> {
        type Output = V2<T>;
        fn mul(self, s: T) -> Self {
            V2 { x: self.x * s, y: self.y * s }
        }
    }
    impl Mul<V2<f64>> for f64 {
        type Output = V2<f64>;
        fn mul(self, v: V2<f64>) -> V2<f64> {
            v * self
        }
    }
    impl Mul<V2<f32>> for f32 {
        type Output = V2<f32>;
        fn mul(self, v: V2<f32>) -> V2<f32> {
            v * self
        }
    }
    pub struct Curve<T> {
        pub points: Vec<V2<T>>,
        pub ids: V2<usize>,
    }
    pub fn length(c: &Curve<f64>, k: V2<f32>) -> f64 {
        let mut l = 0.0;
        for w in c.points.windows(2) {
            l += (w[1] - w[0]).norm();
        }
        let half = 0.5 * k;
        l + f64::from(half.norm()) + k.cast::<f64>().norm() * c.points[c.ids.x].angle() + f64::from(k.angle())
    }
    pub fn mixed(p: V2<f64>, n: V2<i64>) -> f64 {
        let q = V2::lerp(p, V2 { x: n.x as f64, y: n.y as f64 }, 0.25);
        let m = n + V2 { x: 1, y: 2 };
        2.0 * q.norm() * m.x as f64 + (3.0 * q).y
    }
    pub fn lists(ps: &[V2<f64>], ws: &[V2<f32>]) -> f64 {
        let mut best = V2::<f64>::zero();
        let mut n = 0usize;
        for (p, w) in ps.iter().zip(ws) {
            best = best + *p * f64::from(w.norm());
            n += 1;
        }
        let ids: V2<usize> = V2::default();
        best.norm() + (n + ids.x) as f64
    }
    #[derive(Clone, Copy)]
    pub enum Shape<T> {
        Ball(T),
        Rect { a: V2<T> },
    }
    impl<T: Float> Shape<T> {
        pub fn area(&self) -> T {
            match self {
                Shape::Ball(r) => *r * *r,
                Self::Rect { a } => a.x * a.y,
            }
        }
    }
    pub fn shapes(a: Shape<f64>, b: Shape<f32>) -> f64 {
        a.area() * f64::from(b.area())
    }
    pub fn made(x: f64, y: f32) -> f64 {
        let a = Shape::Rect { a: V2::new(x, 2.0) };
        let b = Shape::Ball(y);
        let c: Shape<f32> = Shape::Rect { a: V2 { x: y, y } };
        a.area() * f64::from(b.area()) + f64::from(c.area())
    }
    fn dot<T: Float>(a: &V2<T>, b: &V2<T>) -> T {
        a.x * b.x + a.y * b.y
    }
    fn basis<T: Float>(k: usize) -> V2<T> {
        if k == 0 { V2::new(T::one(), T::zero()) } else { V2::new(T::zero(), T::one()) }
    }
    pub fn helpers(a: V2<f64>, b: V2<f32>) -> f64 {
        dot(&a, &basis(0)) * f64::from(dot(&b, &basis(1))) + dot(&a, &a)
    }
    pub fn generic<T: Float>(a: V2<T>, n: V2<usize>) -> T {
        a.norm() * T::from(n.x + n.y).unwrap()
    }
    pub struct Wrap<A, B> {
        pub a: A,
        pub b: B,
    }
    pub fn wraps(w: Wrap<V2<f64>, f32>, v: Wrap<f64, Wrap<f64, usize>>) -> f64 {
        w.a.norm() * f64::from(w.b) + v.a * v.b.a * v.b.b as f64
    }
}
#[test]
fn structs_of_several_types() {
    use vectors::*;
    fn close(a: f64, b: f64) {
        assert!((a - b).abs() < 1e-6 * (1.0 + b.abs()), "{a} {b}");
    }
    let c = Curve {
        points: vec![V2 { x: 0.1, y: 0.2 }, V2 { x: 0.5, y: -0.2 }, V2 { x: 1.5, y: 0.4 }],
        ids: V2 { x: 1, y: 2 },
    };
    let k = V2 { x: 0.3f32, y: 0.4 };
    let (v, g) = length::gradient(&c, k);
    close(v, length(&c, k));
    close(g.k.x.into(), 0.5 * 0.6 + 0.6 * c.points[1].angle() + 1.0);
    mixed::check(V2 { x: 0.1, y: 0.2 }, V2 { x: 2, y: 3 }).unwrap();
    let (ps, ws) =
        ([V2 { x: 0.1, y: 0.2 }, V2 { x: 0.5, y: -0.2 }], [V2 { x: 0.6f32, y: 0.8 }, V2 { x: 0.3, y: 0.4 }]);
    close(lists::gradient(&ps, &ws).0, lists(&ps, &ws));
    close(shapes::gradient(Shape::Ball(2.0), Shape::Ball(3.0f32)).0, 36.0);
    let (v, g) = made::gradient(2.0, 3.0);
    close(v, made(2.0, 3.0));
    close(g.x, 18.0);
    close(g.y.into(), 4.0 * 6.0 + 6.0);
    let (v, g) = helpers::gradient(V2 { x: 2.0, y: 3.0 }, V2 { x: 4.0, y: 5.0 });
    close(v, helpers(V2 { x: 2.0, y: 3.0 }, V2 { x: 4.0, y: 5.0 }));
    close(g.a.x, 9.0);
    close(g.b.y.into(), 2.0);
    generic::check(V2 { x: 2.0, y: 3.0 }, V2 { x: 4, y: 5 }).unwrap();
    let w = || (Wrap { a: V2 { x: 3.0, y: 4.0 }, b: 2.0f32 }, Wrap { a: 1.5, b: Wrap { a: 2.5, b: 3usize } });
    close(wraps::gradient(w().0, w().1).0, wraps(w().0, w().1));
}

#[differentiate(check)]
mod duals {
    use num_traits::Float;
    use std::ops::{Add, Mul};
    #[derive(Clone, Copy)]
    pub struct Dual<T> {
        pub v: T,
        pub d: T,
    }
    impl<T: Add<Output = T>> Add for Dual<T> {
        type Output = Self;
        fn add(self, o: Self) -> Self {
            Dual { v: self.v + o.v, d: self.d + o.d }
        }
    }
    impl<T: Copy + Add<Output = T> + Mul<Output = T>> Mul for Dual<T> {
        type Output = Dual<T>;
        fn mul(self, o: Self) -> Self {
            Dual { v: self.v * o.v, d: self.v * o.d + self.d * o.v }
        }
    }
    fn cube<T: Copy + Mul<Output = T>>(x: T) -> T {
        x * x * x
    }
    pub fn second(x: f64) -> f64 {
        let x = Dual { v: Dual { v: x, d: 1.0 }, d: Dual { v: 1.0, d: 0.0 } };
        cube(x).d.d
    }
    pub fn both(x: f64, y: Dual<f64>) -> f64 {
        second(x) + cube(y).d
    }
    #[derive(Clone, Copy)]
    pub struct V2<T> {
        pub x: T,
        pub y: T,
    }
    impl<T: Float> V2<T> {
        pub fn new(x: T, y: T) -> Self {
            V2 { x, y }
        }
        pub fn zero() -> Self {
            Self::new(T::zero(), T::zero())
        }
        pub fn dot(self, o: Self) -> T {
            self.x * o.x + self.y * o.y
        }
        pub fn norm(self) -> T {
            self.dot(self).sqrt()
        }
    }
    impl<T: Float> Add for V2<T> {
        type Output = Self;
        fn add(self, o: Self) -> Self {
            V2::new(self.x + o.x, self.y + o.y)
        }
    }
    pub fn sum(ps: &[V2<f64>], w: V2<f32>) -> f64 {
        let mut s = V2::zero();
        for p in ps {
            s = s + *p;
        }
        s.norm() * f64::from(w.norm())
    }
}
#[test]
fn dual_numbers_of_dual_numbers() {
    use duals::*;
    let (v, g) = second::gradient(2.0);
    assert_eq!((v, g.x), (12.0, 6.0));
    both::check(1.5, Dual { v: 2.0, d: 1.0 }).unwrap();
    let (_, g) = sum::gradient(&[V2 { x: 3.0, y: 4.0 }], V2 { x: 0.6, y: 0.8 });
    assert!((g.ps[0].x - 0.6).abs() < 1e-6);
}

/// What nothing says is `f64`, also in functions of `f32`.
#[differentiate]
mod of_numbers_alone {
    use std::ops::{Add, Mul};
    pub struct Pair<T> {
        pub a: T,
        pub b: T,
    }
    impl<T: Copy + Add<Output = T> + Mul<Output = T>> Pair<T> {
        pub fn new(a: T, b: T) -> Self {
            Pair { a, b }
        }
        pub fn squared(&self) -> T {
            self.a * self.a + self.b * self.b
        }
    }
    fn excess(squared: f64) -> f32 {
        (squared * 1e9 - 5e8) as f32
    }
    pub fn literal(x: f32) -> f32 {
        let pair = Pair { a: 0.1, b: 0.7 };
        ((pair.squared() * 1e9 - 5e8) as f32) * x
    }
    pub fn made(x: f32) -> f32 {
        let (pair, other) = (Pair::new(0.1, 0.7), Pair::<f32>::new(x, 1.0));
        ((pair.squared() * 1e9 - 5e8) as f32) * other.squared()
    }
    pub fn said_later(x: f32) -> f32 {
        let pair = Pair::new(0.1, 0.7);
        pair.squared() * x + excess(0.5)
    }
}
#[test]
fn a_type_about_which_nothing_is_said_is_that_of_rustc() {
    use of_numbers_alone::*;
    for x in [0.7_f32, -2.0] {
        assert_eq!(literal(x), literal::value(x));
        assert_eq!(literal::gradient(x).1.x, literal(1.0));
        assert_eq!(made(x), made::value(x));
        assert_eq!(made::gradient(x).1.x, 2.0 * x * (made(0.0)));
        assert_eq!(said_later(x), said_later::value(x));
    }
}

/// Constants and methods that `impl`s of single sizes have by one name.
#[differentiate(check)]
mod of_single_sizes {
    pub struct Rule<const N: usize> {
        pub at: [f64; N],
    }
    impl Rule<2> {
        pub const WEIGHT: f64 = 2.5;
        pub fn first(&self) -> f64 {
            self.at[0] * Self::WEIGHT
        }
    }
    impl Rule<3> {
        pub const WEIGHT: f64 = 0.5;
        pub fn first(&self) -> f64 {
            self.at[2] * Self::WEIGHT
        }
    }
    pub fn both(x: &[f64; 3]) -> f64 {
        let (two, three) = (Rule { at: [x[0], x[1]] }, Rule { at: *x });
        two.first() * three.first() + Rule::<2>::WEIGHT - Rule::<3>::WEIGHT
    }
}
#[test]
fn constants_of_single_sizes() {
    let x = [0.5, 3.0, 4.0];
    assert_eq!(of_single_sizes::both(&x), 2.5 * 0.5 * 0.5 * 4.0 + 2.0);
    let (value, gradient) = of_single_sizes::both::gradient(&x);
    assert_eq!((value, gradient.x), (of_single_sizes::both(&x), [5.0, 0.0, 0.625]));
}
