//! Methods that a trait of the module gives numbers.

use pardiff::differentiate;

#[differentiate(check)]
mod smooth {
    pub trait Smooth {
        fn softplus(self) -> f64;
        fn scaled(&self, by: f64) -> f64;

        /// Not that of `f64`, which comes first.
        fn recip(self) -> f64;
    }

    impl Smooth for f64 {
        fn softplus(self) -> f64 {
            self.exp().ln_1p()
        }

        fn scaled(&self, by: f64) -> f64 {
            *self * by
        }

        fn recip(self) -> f64 {
            self
        }
    }

    impl Smooth for usize {
        fn softplus(self) -> f64 {
            (self as f64).softplus()
        }

        fn scaled(&self, by: f64) -> f64 {
            by / (1.0 + *self as f64)
        }

        fn recip(self) -> f64 {
            self as f64
        }
    }

    pub fn loss(x: &[f64], k: usize) -> f64 {
        let mut sum = 0.0;
        for i in 0..x.len() {
            sum += x[i].softplus() * i.scaled(x[i]) + x[i].scaled(k.softplus()) + x[i].recip();
        }
        sum
    }
}

#[test]
fn methods_of_numbers() {
    let x = [0.5, -1.0, 2.0];
    let report = smooth::loss::check(&x, 2).expect("right derivatives");
    assert_eq!(report.arguments.len(), 1);
    let (value, _) = smooth::loss::gradient(&x, 2);
    assert!((value - smooth::loss(&x, 2)).abs() < 1e-14);
    assert_eq!((smooth::Smooth::recip(2.0), 2.0_f64.recip()), (2.0, 0.5));
}

#[differentiate(check)]
mod provided {
    /// What it provides calls what each type has of it, also where numbers have a method of that name by themselves.
    pub trait Number:
        Copy + PartialOrd + std::ops::Mul<Output = Self> + std::ops::Neg<Output = Self>
    {
        const SCALE: Self;

        fn zero() -> Self;
        fn third() -> Self;
        fn sqrt(self) -> Self;
        fn powf(self, power: Self) -> Self;

        fn cube_root(self) -> Self {
            if self < Self::zero() { -(-self).powf(Self::third()) } else { self.powf(Self::third()) }
        }

        fn scaled(self) -> Self {
            self.sqrt() * self * Self::SCALE
        }
    }

    impl Number for f64 {
        const SCALE: f64 = 0.5;

        fn zero() -> f64 {
            0.0
        }

        fn third() -> f64 {
            1.0 / 3.0
        }

        fn sqrt(self) -> f64 {
            3.0 * self.sqrt()
        }

        fn powf(self, power: f64) -> f64 {
            self.powf(power)
        }
    }

    pub fn of_numbers(x: f64) -> f64 {
        x.cube_root() + x.abs().scaled() + f64::zero() + f64::SCALE * x
    }

    #[differentiate(with(T = f64))]
    pub fn of_parameters<T: Number>(x: T, y: T) -> T {
        T::cube_root(x) * y.scaled() * T::SCALE
    }
}

#[test]
fn provided_methods_call_those_of_the_trait() {
    for x in [1.7, -0.6] {
        assert_eq!(provided::of_numbers::value(x), provided::of_numbers(x));
        provided::of_numbers::check(x).unwrap();
        assert_eq!(provided::of_parameters::value(x, 1.3), provided::of_parameters(x, 1.3));
        provided::of_parameters::check(x, 1.3).unwrap();
        assert_eq!(provided::of_f64::scaled::value(1.3), provided::Number::scaled(1.3));
    }
}

#[differentiate(check)]
mod horner {
    pub trait MulAdd {
        fn mul_add2(self, a: f64, b: f64) -> f64;
    }

    impl MulAdd for f64 {
        fn mul_add2(self, a: f64, b: f64) -> f64 {
            self * a + b
        }
    }

    /// Each receiver is gone through once.
    #[rustfmt::skip]
    pub fn long(x: f64) -> f64 {
        x.mul_add2(x, 0.1).mul_add2(x, 0.2).mul_add2(x, 0.3).mul_add2(x, 0.4).mul_add2(x, 0.5).mul_add2(x, 0.6)
            .mul_add2(x, 0.7).mul_add2(x, 0.8).mul_add2(x, 0.9).mul_add2(x, 1.0).mul_add2(x, 1.1).mul_add2(x, 1.2)
            .mul_add2(x, 1.3).mul_add2(x, 1.4).mul_add2(x, 1.5).mul_add2(x, 1.6).mul_add2(x, 1.7).mul_add2(x, 1.8)
            .mul_add2(x, 1.9).mul_add2(x, 2.0).mul_add2(x, 2.1).mul_add2(x, 2.2).mul_add2(x, 2.3).mul_add2(x, 2.4)
    }
}

#[test]
fn long_chains_of_methods() {
    assert_eq!(horner::long::value(0.7), horner::long(0.7));
    horner::long::check(0.7).unwrap();
}

/// A trait that all types have which convert to one.
#[differentiate(check, forward)]
mod converted {
    #[derive(Clone, Copy)]
    pub struct Polar {
        pub r: f64,
        pub angle: f64,
    }

    #[derive(Clone, Copy)]
    pub struct Point {
        pub x: f64,
        pub y: f64,
    }

    impl From<Polar> for Point {
        fn from(p: Polar) -> Point {
            Point { x: p.r * p.angle.cos(), y: p.r * p.angle.sin() }
        }
    }

    pub trait Distance: Into<Point> {
        fn squared<P: Into<Point>>(self, other: P) -> f64 {
            let a: Point = self.into();
            let b: Point = other.into();
            (a.x - b.x).powi(2) + (a.y - b.y).powi(2)
        }
    }

    impl<T: Into<Point>> Distance for T {}

    pub fn from_polar(p: Polar, q: Point) -> f64 {
        p.squared(q)
    }

    pub fn from_point(p: Point, q: Polar) -> f64 {
        p.squared(q)
    }
}

#[test]
fn all_types_that_convert_have_it() {
    let (p, q) = (converted::Polar { r: 1.5, angle: 0.3 }, converted::Point { x: 0.4, y: -0.7 });
    converted::from_polar::check(p, q).expect("right derivatives");
    converted::from_point::check(q, p).expect("right derivatives");
    let slope = 2.0 * p.r - 2.0 * (q.x * p.angle.cos() + q.y * p.angle.sin());
    assert!((converted::from_polar::gradient(p, q).1.p.r - slope).abs() < 1e-13);
}
