//! Operators that the module implements.
use pardiff::differentiate;

#[differentiate]
mod geometry {
    use std::ops::{Add, Mul};

    #[derive(Clone, Copy)]
    pub struct P(pub f64, pub f64);

    impl Add for P {
        type Output = P;
        fn add(self, other: P) -> P {
            P(self.0 + other.0, self.1 + other.1)
        }
    }

    impl Mul<P> for f64 {
        type Output = P;
        fn mul(self, p: P) -> P {
            P(self * p.0, self * p.1)
        }
    }

    pub fn f(a: P, b: &P, t: f64) -> f64 {
        let P(x, y) = t * a + *b;
        x * y
    }
}

pub fn main() {
    let (value, gradient) = geometry::f::gradient(geometry::P(1.0, 2.0), &geometry::P(3.0, 4.0), 2.0);
    assert_eq!((value, gradient.a.0, gradient.b.1, gradient.t), (40.0, 16.0, 5.0, 18.0));
}
