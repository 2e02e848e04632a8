//! Traits that a type implements several times: the types of the arguments say which is meant.

#![allow(clippy::op_ref, reason = "operators of references are what is tested")]

use pardiff::differentiate;

#[differentiate(check)]
mod ops {
    use std::ops::{AddAssign, Div, Mul, MulAssign, Sub};
    #[derive(Clone, Copy, Debug)]
    pub struct V {
        pub x: f64,
        pub y: f64,
        pub z: f64,
    }
    impl Mul<f64> for V {
        type Output = V;
        fn mul(self, s: f64) -> V {
            V { x: self.x * s, y: self.y * s, z: self.z * s }
        }
    }
    impl Mul<V> for V {
        type Output = f64;
        fn mul(self, o: V) -> f64 {
            self.x * o.x + self.y * o.y + self.z * o.z
        }
    }
    impl Mul<&V> for V {
        type Output = f64;
        fn mul(self, o: &V) -> f64 {
            2.0 * (self.x * o.x + self.y * o.y + self.z * o.z)
        }
    }
    impl Mul<V> for f64 {
        type Output = V;
        fn mul(self, o: V) -> V {
            o * self
        }
    }
    impl Mul<i32> for V {
        type Output = V;
        fn mul(self, s: i32) -> V {
            self * (s as f64)
        }
    }
    impl Mul<[f64; 3]> for V {
        type Output = f64;
        fn mul(self, s: [f64; 3]) -> f64 {
            self.x * s[0] + self.y * s[1] + self.z * s[2]
        }
    }
    impl Mul<[[f64; 3]; 2]> for V {
        type Output = [f64; 2];
        fn mul(self, s: [[f64; 3]; 2]) -> [f64; 2] {
            [self * s[0], self * s[1]]
        }
    }
    impl Mul<(f64, f64)> for V {
        type Output = f64;
        fn mul(self, s: (f64, f64)) -> f64 {
            self.x * s.0 + self.y * s.1
        }
    }
    impl Mul<(f64, usize)> for V {
        type Output = f64;
        fn mul(self, s: (f64, usize)) -> f64 {
            self.x * s.0 + self.y * s.1 as f64 * 7.0
        }
    }
    impl Div<f64> for V {
        type Output = V;
        fn div(self, s: f64) -> V {
            self * (1.0 / s)
        }
    }
    impl Div<V> for V {
        type Output = V;
        fn div(self, s: V) -> V {
            V { x: self.x / s.x, y: self.y / s.y, z: self.z / s.z }
        }
    }
    impl MulAssign<f64> for V {
        fn mul_assign(&mut self, s: f64) {
            *self = *self * s;
        }
    }
    impl MulAssign<V> for V {
        fn mul_assign(&mut self, s: V) {
            self.x *= s.x;
            self.y *= s.y;
            self.z *= s.z;
        }
    }
    impl AddAssign<f64> for V {
        fn add_assign(&mut self, s: f64) {
            self.x += s;
        }
    }
    impl AddAssign<&V> for V {
        fn add_assign(&mut self, s: &V) {
            self.x += s.x;
            self.y += s.y;
            self.z += s.z;
        }
    }
    impl Sub<V> for V {
        type Output = V;
        fn sub(self, o: V) -> V {
            V { x: self.x - o.x, y: self.y - o.y, z: self.z - o.z }
        }
    }
    pub fn f(a: V, b: V, s: f64) -> f64 {
        let mut c = a * s * 2;
        c *= b;
        c *= s;
        c += 3.0;
        c += &b;
        let d = 2.0 * c - a / 2.0 / b;
        d * b
            + d * &a
            + a * [s, 1.0, 2.0]
            + a * (s, 2.0)
            + b * (s, 2usize)
            + (a * [[s, 1.0, 2.0], [1.0, s, 0.5]])[1]
    }
}
#[test]
fn operators_for_several_types() {
    use ops::*;
    let (a, b) = (V { x: 0.3, y: 0.5, z: -0.2 }, V { x: 1.3, y: 0.7, z: 0.9 });
    let (v, _) = f::gradient(a, b, 0.4);
    assert!((v - f(a, b, 0.4)).abs() < 1e-13, "{v} {}", f(a, b, 0.4));
    f::check(a, b, 0.4).unwrap();
}

#[differentiate(check)]
mod froms {
    #[derive(Clone, Copy, Debug)]
    pub struct V {
        pub x: f64,
        pub y: f64,
        pub z: f64,
    }
    impl From<[f64; 3]> for V {
        fn from(v: [f64; 3]) -> V {
            V { x: v[0], y: v[1], z: v[2] }
        }
    }
    impl From<[f64; 2]> for V {
        fn from(v: [f64; 2]) -> V {
            V { x: v[0], y: v[1], z: 1.0 }
        }
    }
    impl From<(f64, f64)> for V {
        fn from(v: (f64, f64)) -> V {
            V { x: v.1, y: v.0, z: 0.0 }
        }
    }
    impl From<(f64, f64, f64)> for V {
        fn from((x, y, z): (f64, f64, f64)) -> V {
            V { x: z, y, z: x }
        }
    }
    impl From<f64> for V {
        fn from(v: f64) -> V {
            V { x: v, y: v, z: v }
        }
    }
    impl From<i32> for V {
        fn from(v: i32) -> V {
            V { x: v as f64, y: 0.0, z: 0.0 }
        }
    }
    impl From<&[f64]> for V {
        fn from(v: &[f64]) -> V {
            V { x: v[0], y: v[1] * 3.0, z: v[2] }
        }
    }
    impl From<V> for [f64; 3] {
        fn from(v: V) -> [f64; 3] {
            [v.x, v.y, v.z]
        }
    }
    impl From<V> for f64 {
        fn from(v: V) -> f64 {
            v.x * v.y + v.z
        }
    }
    impl From<V> for (f64, f64) {
        fn from(v: V) -> (f64, f64) {
            (v.x, v.y)
        }
    }
    fn val(v: V) -> f64 {
        v.x + 2.0 * v.y * v.y + 3.0 * v.z * v.x
    }
    fn take(v: impl Into<V>) -> f64 {
        val(v.into())
    }
    pub fn g(x: &[f64], a: f64, b: f64) -> f64 {
        let v: V = (a, b).into();
        let w: V = [a, b, a * b].into();
        let arr: [f64; 3] = w.into();
        let s: f64 = f64::from(v);
        val(v)
            + val(w)
            + val(V::from([a, b]))
            + val(V::from(a))
            + val(V::from(3))
            + val(V::from((a, b, 2.0)))
            + val(V::from(x))
            + arr[2]
            + s
    }
    pub fn h(a: f64, b: f64) -> f64 {
        take((a, b)) + take([a, b, 1.0]) + take(a)
    }
}
#[test]
fn conversions_from_several_types() {
    use froms::*;
    let (v, _) = g::gradient(&[0.1, 0.2, 0.3], 0.4, 0.7);
    assert!((v - g(&[0.1, 0.2, 0.3], 0.4, 0.7)).abs() < 1e-13);
    g::check(&[0.1, 0.2, 0.3], 0.4, 0.7).unwrap();
    h::check(0.4, 0.7).unwrap();
    assert!((h(0.4, 0.7) - h::gradient(0.4, 0.7).0).abs() < 1e-14);
}

#[differentiate(check)]
mod applies {
    pub trait Apply<T> {
        fn apply(&self, t: T) -> f64;
    }
    pub trait Make<T> {
        fn make(x: T) -> Self;
    }
    #[derive(Clone, Copy)]
    pub struct S {
        pub k: f64,
    }
    impl Apply<f64> for S {
        fn apply(&self, t: f64) -> f64 {
            self.k * t
        }
    }
    impl Apply<[f64; 2]> for S {
        fn apply(&self, t: [f64; 2]) -> f64 {
            self.k * t[0] * t[1]
        }
    }
    impl Apply<usize> for S {
        fn apply(&self, t: usize) -> f64 {
            self.k + t as f64
        }
    }
    impl Apply<S> for S {
        fn apply(&self, t: S) -> f64 {
            self.k * t.k * t.k
        }
    }
    impl Make<f64> for S {
        fn make(x: f64) -> S {
            S { k: x }
        }
    }
    impl Make<(f64, f64)> for S {
        fn make(x: (f64, f64)) -> S {
            S { k: x.0 * x.1 }
        }
    }
    fn twice<A: Apply<f64>>(a: &A, x: f64) -> f64 {
        a.apply(x) + a.apply(2.0 * x)
    }
    fn with<T, A: Apply<T>>(a: &A, x: T) -> f64 {
        a.apply(x)
    }
    pub fn f(s: &S, x: f64) -> f64 {
        s.apply(x) + s.apply([x, 2.0 * x]) + s.apply(3usize) + s.apply(*s) + S::make(x).k + S::make((x, x)).k
    }
    pub fn ufcs(s: &S, x: f64) -> f64 {
        Apply::apply(s, x)
            + S::apply(s, [x, x])
            + <S as Apply<usize>>::apply(s, 2)
            + <S as Make<f64>>::make(x).k
            + Apply::<f64>::apply(s, x)
    }
    pub fn generic(s: &S, x: f64) -> f64 {
        twice(s, x) + with(s, [x, x]) + with(s, x)
    }
}
#[test]
fn a_trait_for_several_types() {
    use applies::*;
    let s = S { k: 0.7 };
    f::check(&s, 0.4).unwrap();
    ufcs::check(&s, 0.4).unwrap();
    generic::check(&s, 0.4).unwrap();
    assert!((f(&s, 0.4) - f::gradient(&s, 0.4).0).abs() < 1e-14);
    assert!((ufcs(&s, 0.4) - ufcs::gradient(&s, 0.4).0).abs() < 1e-14);
    assert!((generic(&s, 0.4) - generic::gradient(&s, 0.4).0).abs() < 1e-14);
}

#[differentiate(check)]
mod generic_ops {
    use std::ops::{Add, Mul};
    #[derive(Clone, Copy)]
    pub struct C<T> {
        pub re: T,
        pub im: T,
    }
    impl<T: Copy + Mul<Output = T>> Mul<T> for C<T> {
        type Output = C<T>;
        fn mul(self, s: T) -> C<T> {
            C { re: self.re * s, im: self.im * s }
        }
    }
    impl Mul<C<f64>> for C<f64> {
        type Output = C<f64>;
        fn mul(self, o: Self) -> Self {
            C { re: self.re * o.re - self.im * o.im, im: self.re * o.im + self.im * o.re }
        }
    }
    impl Mul<C<f64>> for f64 {
        type Output = C<f64>;
        fn mul(self, o: C<f64>) -> C<f64> {
            o * self
        }
    }
    impl<T: Add<Output = T>> Add for C<T> {
        type Output = Self;
        fn add(self, o: Self) -> Self {
            C { re: self.re + o.re, im: self.im + o.im }
        }
    }
    pub fn f(a: C<f64>, s: f64) -> f64 {
        let b = a * s + a * a;
        let c = 2.0 * b;
        c.re * c.im
    }
}
#[test]
fn operators_with_a_parameter() {
    use generic_ops::*;
    let a = C { re: 0.3, im: 0.8 };
    f::check(a, 0.4).unwrap();
    assert!((f(a, 0.4) - f::gradient(a, 0.4).0).abs() < 1e-14);
}

#[differentiate(check)]
mod references {
    use std::ops::Mul;
    #[derive(Clone, Copy)]
    pub struct M {
        pub a: [[f64; 2]; 2],
    }
    #[derive(Clone, Copy)]
    pub struct U {
        pub a: [f64; 2],
    }
    impl Mul<U> for M {
        type Output = U;
        fn mul(self, u: U) -> U {
            U {
                a: [
                    self.a[0][0] * u.a[0] + self.a[0][1] * u.a[1],
                    self.a[1][0] * u.a[0] + self.a[1][1] * u.a[1],
                ],
            }
        }
    }
    impl Mul<M> for M {
        type Output = M;
        fn mul(self, o: M) -> M {
            let mut r = M { a: [[0.0; 2]; 2] };
            for i in 0..2 {
                for j in 0..2 {
                    for k in 0..2 {
                        r.a[i][j] += self.a[i][k] * o.a[k][j];
                    }
                }
            }
            r
        }
    }
    impl<'a> Mul<&'a M> for &'a M {
        type Output = M;
        fn mul(self, o: &M) -> M {
            *self * *o
        }
    }
    impl Mul<&U> for &M {
        type Output = U;
        fn mul(self, o: &U) -> U {
            *self * *o
        }
    }
    impl std::iter::Sum<U> for U {
        fn sum<I: Iterator<Item = U>>(it: I) -> U {
            it.fold(U { a: [0.0; 2] }, |s, u| U { a: [s.a[0] + u.a[0], s.a[1] + u.a[1]] })
        }
    }
    impl PartialEq<f64> for U {
        fn eq(&self, o: &f64) -> bool {
            self.a[0] == *o
        }
    }
    impl PartialEq<U> for U {
        fn eq(&self, o: &U) -> bool {
            self.a[0] == o.a[0] && self.a[1] == o.a[1]
        }
    }
    pub fn f(m: &M, u: &U) -> f64 {
        let v = m * u;
        let w = (m * m) * v;
        if w == 1.0 || w == *u { w.a[0] } else { w.a[0] * w.a[1] }
    }
}
#[test]
fn operators_with_references() {
    use references::*;
    f::check(&M { a: [[0.1, 0.2], [0.3, 0.4]] }, &U { a: [1.0, 2.0] }).unwrap();
}
