use num_traits::Float;
use pardiff::differentiate;

/// What stands for another crate.
mod elsewhere {
    pub trait Tropical: Copy {
        fn add(self, other: Self) -> Self;
        fn sqrt(self) -> Self;
        fn area(&self) -> f64;
        const UNIT: f64;
    }

    impl Tropical for f64 {
        fn add(self, other: f64) -> f64 {
            self.max(other)
        }

        fn sqrt(self) -> f64 {
            0.5 * self
        }

        fn area(&self) -> f64 {
            1.0
        }

        const UNIT: f64 = 0.0;
    }
}

#[differentiate(with(T = f64))]
fn of_a_number<T: elsewhere::Tropical>(x: T) -> T {
    x.sqrt()
}

#[differentiate(with(T = f64))]
fn by_path<T: elsewhere::Tropical>(x: T) -> T {
    T::sqrt(x)
}

#[differentiate]
mod shapes {
    use super::elsewhere::Tropical;
    use super::Float;
    #[allow(unused_imports)]
    use std::ops::Add;

    pub trait Area {
        const UNIT: f64;

        fn area(&self) -> f64;
    }

    impl Area for f64 {
        const UNIT: f64 = 2.0;

        fn area(&self) -> f64 {
            self * self
        }
    }

    fn of_another_trait<T: Float + Tropical>(x: T) -> f64 {
        x.area() + T::UNIT + (x * x).area()
    }

    pub fn measured(x: f64) -> f64 {
        of_another_trait(x)
    }

    fn named_as_operator<T: Tropical>(x: T) -> T {
        x.add(x)
    }

    pub fn doubled(x: f64) -> f64 {
        named_as_operator(x)
    }

    #[derive(Clone, Copy)]
    pub struct Square {
        pub side: f64,
    }

    impl Square {
        pub fn area(&self) -> f64 {
            self.side * self.side
        }
    }

    fn of_its_own<S: Tropical>(shape: &S) -> f64 {
        shape.area() + (*shape).area()
    }

    fn behind_impl(shape: &impl Tropical) -> f64 {
        shape.area()
    }

    pub fn inherent(square: &Square) -> f64 {
        of_its_own(square) + behind_impl(square)
    }
}

impl elsewhere::Tropical for shapes::Square {
    fn add(self, other: shapes::Square) -> shapes::Square {
        other
    }

    fn sqrt(self) -> shapes::Square {
        self
    }

    fn area(&self) -> f64 {
        0.0
    }

    const UNIT: f64 = 0.0;
}

#[differentiate]
fn of_which_numbers<T: Float + elsewhere::Tropical>(x: T) -> T {
    x * x
}

fn main() {}
