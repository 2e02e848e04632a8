//! Imports of every kind, and functions that are seen in this crate, or in this file, alone.

mod here {
    use pardiff::differentiate;

    #[differentiate(export)]
    pub(crate) fn cube(x: f64) -> f64 {
        x * x * x
    }

    #[differentiate(export)]
    #[derive(Clone, Copy)]
    pub(crate) struct Line {
        pub(crate) slope: f64,
        pub(crate) offset: f64,
    }

    #[differentiate(export, uses(Line))]
    impl Line {
        pub(crate) fn at(self, x: f64) -> f64 {
            self.slope * x + self.offset
        }
    }

    #[differentiate(export)]
    pub(crate) trait Area {
        fn area(&self) -> f64;

        fn twice(&self) -> f64 {
            2.0 * self.area()
        }
    }

    #[differentiate(export, uses(Line, Area))]
    impl Area for Line {
        fn area(&self) -> f64 {
            self.slope * self.offset
        }
    }

    #[differentiate(export, uses(Line))]
    impl std::ops::Add for Line {
        type Output = Line;

        fn add(self, other: Line) -> Line {
            Line { slope: self.slope + other.slope, offset: self.offset + other.offset }
        }
    }
}

mod again {
    pub(crate) use super::here::cube as third_power;
}

mod by_glob {
    use super::here::*;
    use pardiff::differentiate;

    #[differentiate(uses(cube))]
    pub(crate) fn sum(x: &[f64]) -> f64 {
        x.iter().map(|x| cube(*x)).sum()
    }
}

pub mod tests_of {
    //! What the tests call.

    use super::here::{Area, Line, line, line_add, line_area};
    use pardiff::differentiate;

    /// A helper beside its user.
    #[differentiate(export)]
    fn own(x: f64) -> f64 {
        x.sin()
    }

    /// A function of this file.
    #[differentiate(uses(own))]
    pub fn of_own(x: &[f64]) -> f64 {
        let mut sum = 0.0;
        for i in 0..x.len() {
            sum += own(x[i]);
        }
        sum
    }

    /// A name of a re-export.
    #[differentiate(uses(super::again::third_power))]
    pub fn of_renamed(x: f64) -> f64 {
        super::again::third_power(2.0 * x)
    }

    /// Methods, operators and traits.
    #[differentiate(uses(Line, Area, line, line_add, line_area), hvp)]
    pub fn of_lines(slope: f64, offset: f64, x: f64) -> f64 {
        let a = Line { slope, offset };
        let b = a + Line { slope: 2.0 * offset, offset: 1.0 };
        b.at(x) * b.twice() + a.area()
    }

    /// What a glob brings.
    pub fn of_glob(x: &[f64]) -> (f64, Vec<f64>) {
        let mut d_x = vec![0.0; x.len()];
        let value = super::by_glob::sum::grad(x, &mut d_x);
        (value, d_x)
    }
}

/// A model with methods that have gradients, in no module of its own.
pub mod model {
    use pardiff::differentiate;

    /// A polynomial.
    #[differentiate(export)]
    pub struct Model {
        /// Its coefficients.
        pub coefficients: [f64; 3],
        scale: f64,
    }

    impl Model {
        /// A polynomial with this scale.
        pub fn new(coefficients: [f64; 3], scale: f64) -> Model {
            Model { coefficients, scale }
        }
    }

    #[differentiate(uses(Model), check)]
    impl Model {
        /// The squared errors.
        pub fn loss(&self, x: &[f64], y: &[f64]) -> f64 {
            let mut sum = 0.0;
            for i in 0..x.len() {
                let r = self.value(x[i]) - y[i];
                sum += r * r;
            }
            sum
        }

        fn value(&self, x: f64) -> f64 {
            let [a, b, c] = self.coefficients;
            self.scale * (a + x * (b + x * c))
        }
    }
}

/// What a file imports from the standard library, and variants that a body imports.
pub mod imported {
    use pardiff::differentiate;
    use std::f64::consts::{E, PI};

    /// The area of a disc, and what grows with it.
    #[differentiate(export)]
    pub fn disc(r: f64) -> f64 {
        PI * r * r + E.powf(r)
    }

    /// The order of two turns.
    #[differentiate(export)]
    #[derive(Clone, Copy)]
    pub enum Order {
        /// The first angle first.
        XY,
        /// The second angle first.
        YX,
    }

    /// Two turns, one behind the other.
    #[differentiate(export, uses(Order, disc_of))]
    pub fn turned(order: Order, a: f64, b: f64) -> f64 {
        use Order::*;
        match order {
            XY => a.sin() * b.cos() * disc_of(a),
            YX => a.cos() + b,
        }
    }

    #[differentiate(export)]
    fn disc_of(r: f64) -> f64 {
        2.0 * PI * r
    }

    /// Of both.
    #[differentiate(uses(disc, turned, Order), check)]
    pub fn sum(order: Order, a: f64, b: f64) -> f64 {
        disc(a) + turned(order, a, b)
    }
}
