//! Operators of generic structs: what is on the right is the struct, or a number of its type.

use pardiff::differentiate;
/// Vectors over any float, scaled by it.
#[differentiate]
mod vectors {
    use num_traits::Float;
    use std::ops::{Add, AddAssign, Div, Mul, MulAssign, Neg, Sub};

    #[derive(Debug, Clone, Copy, PartialEq)]
    pub struct V<T> {
        pub x: T,
        pub y: T,
    }

    impl<T: Float> Add for V<T> {
        type Output = Self;
        fn add(self, o: Self) -> Self {
            V { x: self.x + o.x, y: self.y + o.y }
        }
    }

    impl<T: Float> Sub for V<T> {
        type Output = Self;
        fn sub(self, o: Self) -> Self {
            V { x: self.x - o.x, y: self.y - o.y }
        }
    }

    impl<T: Float> Neg for V<T> {
        type Output = Self;
        fn neg(self) -> Self {
            V { x: -self.x, y: -self.y }
        }
    }

    impl<T: Float> Mul<T> for V<T> {
        type Output = Self;
        fn mul(self, s: T) -> Self {
            V { x: self.x * s, y: self.y * s }
        }
    }

    impl<T: Float> Mul for V<T> {
        type Output = T;
        fn mul(self, o: Self) -> T {
            self.x * o.x + self.y * o.y
        }
    }

    impl<T: Mul<Output = T> + Div<Output = T> + Copy> Div<T> for V<T> {
        type Output = V<T>;
        fn div(self, s: T) -> V<T> {
            V { x: self.x / s, y: self.y / s }
        }
    }

    impl<T: Float> MulAssign<T> for V<T> {
        fn mul_assign(&mut self, s: T) {
            self.x = self.x * s;
            self.y = self.y * s;
        }
    }

    impl<T: Float> AddAssign for V<T> {
        fn add_assign(&mut self, o: Self) {
            *self = *self + o;
        }
    }

    /// Numbers of a function that is not generic.
    #[differentiate(check)]
    pub fn scaled(a: V<f64>, b: V<f64>, k: f64) -> f64 {
        let mut c = a * k + b * 2.0;
        c *= k;
        c += -(a / (k + 3.0));
        (c - a * b.x) * b
    }

    /// Of any float.
    pub fn projected<T: Float>(a: V<T>, b: V<T>, k: T) -> T {
        let along = b * ((a * b) / (b * b));
        (a - along * k) * (a - along * k)
    }
}

#[test]
fn vectors_over_floats_are_scaled() {
    use vectors::{V, projected, scaled};
    let (a, b) = (V { x: 0.4, y: -1.1 }, V { x: 0.7, y: 0.3 });
    scaled::check(a, b, 1.3).unwrap();
    let (value, by) = projected::gradient(a, b, 0.8);
    assert_eq!(value, projected(a, b, 0.8));
    let h = 1e-6;
    let moved = |h: f64| projected(V { x: 0.4 + h, ..a }, b, 0.8);
    assert!(((moved(h) - moved(-h)) / (2.0 * h) - by.a.x).abs() < 1e-8);
}
