//! Names that a type has by itself and from traits: of a type parameter, and in what a trait provides, the traits' are
//! meant.

#![deny(warnings)]

use pardiff::differentiate;

#[differentiate(check)]
pub mod shapes {
    pub trait Shape {
        const SIDES: f64;
        fn scale(&self) -> f64;
        fn unit() -> f64 {
            0.5
        }
        /// The receiver, `Self` and another value of the type.
        fn area(&self, other: &Self) -> f64 {
            self.scale() * Self::SIDES + other.scale() * Self::unit()
        }
    }

    #[derive(Clone, Copy)]
    pub struct Square {
        pub side: f64,
    }

    impl Square {
        pub const SIDES: f64 = 77.0;

        pub fn scale(&self) -> f64 {
            self.side * 100.0
        }

        pub fn unit() -> f64 {
            9.0
        }
    }

    impl Shape for Square {
        const SIDES: f64 = 8.0 / 2.0;

        fn scale(&self) -> f64 {
            self.side * self.side
        }
    }

    /// The module of its methods is called `r#gen`.
    pub struct Gen<T> {
        pub side: T,
    }

    impl Gen<f64> {
        pub fn scale(&self) -> f64 {
            self.side * 100.0
        }
    }

    impl Shape for Gen<f64> {
        const SIDES: f64 = 3.0;

        fn scale(&self) -> f64 {
            self.side.sin()
        }
    }

    fn total<S: Shape>(first: &S, second: &S) -> f64 {
        first.area(second) + second.scale() * S::SIDES + <S as Shape>::SIDES * S::unit()
    }

    pub fn all(square: &Square, gen_: &Gen<f64>) -> f64 {
        total(square, square)
            + total(gen_, gen_)
            + square.scale() * Square::unit()
            + Square::SIDES * gen_.scale()
    }

    pub trait Apply<T> {
        const FACTOR: f64;
        fn apply(&self, by: T) -> f64;
        fn twice(&self, by: T) -> f64 {
            2.0 * Self::FACTOR * self.apply(by)
        }
    }

    impl Apply<f64> for Square {
        const FACTOR: f64 = 3.0;

        fn apply(&self, by: f64) -> f64 {
            self.side * by
        }
    }

    impl Apply<f32> for Square {
        const FACTOR: f64 = 5.0;

        fn apply(&self, by: f32) -> f64 {
            self.side + f64::from(by)
        }
    }

    /// The numbers are of the type that the bound says.
    fn applied<A: Apply<f32>>(a: &A) -> f64 {
        a.apply(2.0) * A::FACTOR
    }

    pub fn by_arguments(square: &Square, x: f64) -> f64 {
        applied(square) + square.twice(x) + <Square as Apply<f32>>::FACTOR * x
    }

    /// What a trait gives numbers is not meant where a number is no parameter.
    pub trait Power {
        fn powi(self, n: i32) -> Self;
    }

    impl Power for f64 {
        fn powi(self, n: i32) -> f64 {
            self * 17.0 + f64::from(n)
        }
    }

    fn beside<S: Shape>(shape: &S, y: f64) -> f64 {
        y.powi(2) * shape.scale()
    }

    pub fn squared(square: &Square, y: f64) -> f64 {
        beside(square, y) + Power::powi(y, 1)
    }
}

#[test]
fn what_traits_give_is_meant_by_a_type_parameter() {
    let (square, gen_) = (shapes::Square { side: 0.3 }, shapes::Gen { side: 0.7 });
    assert_eq!(shapes::all::value(&square, &gen_), shapes::all(&square, &gen_));
    shapes::all::check(&square, &gen_).unwrap();
    assert_eq!(shapes::by_arguments::value(&square, 0.4), shapes::by_arguments(&square, 0.4));
    shapes::by_arguments::check(&square, 0.4).unwrap();
    shapes::squared::check(&square, 0.4).unwrap();
    shapes::square::area::check(&square, &square).unwrap();
    shapes::r#gen::area::check(&gen_, &gen_).unwrap();
}
