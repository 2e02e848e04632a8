//! Functions under another name, `let f = f64::sin;`, and `const` blocks.

#![deny(warnings)]

use pardiff::differentiate;

#[differentiate(check)]
pub mod named {
    fn square(x: f64) -> f64 {
        x * x
    }

    pub struct Cubic;

    impl Cubic {
        fn cube(x: f64) -> f64 {
            x * x * x
        }
    }

    pub fn sum(x: f64) -> f64 {
        let sine = f64::sin;
        let of_module = square;
        let pointer: fn(f64) -> f64 = square;
        let of_type = Cubic::cube;
        let of_two: fn(f64, f64) -> f64 = f64::max;
        let closure: fn(f64) -> f64 = |y| y * 3.0;
        let again = of_module;
        sine(x) * sine(2.0 * x)
            + of_module(x)
            + pointer(x)
            + of_type(x)
            + of_two(x, 0.1)
            + closure(x)
            + again(x)
            + [x, 2.0 * x].iter().copied().map(of_type).sum::<f64>()
    }

    pub fn scaled(x: f64) -> f64 {
        x * const { 2.0 * 3.0 } + x * x * const { [1.0, 2.0][1] } + x * std::mem::size_of::<f32>() as f64
    }

    pub struct Limits {
        pub precision: Option<f64>,
    }

    /// A copy of an option is opened.
    pub fn precise(limits: &Limits, x: f64) -> f64 {
        #[allow(clippy::clone_on_copy, clippy::unnecessary_lazy_evaluations)]
        let precision = limits.precision.clone().unwrap_or_else(|| 2.0);
        precision * x
    }
}

#[test]
fn functions_have_other_names() {
    assert_eq!(named::sum::value(0.3), named::sum(0.3));
    named::sum::check(0.3).unwrap();
    assert_eq!(named::scaled::value(0.3), named::scaled(0.3));
    named::scaled::check(0.3).unwrap();
    named::precise::check(&named::Limits { precision: Some(0.3) }, 0.4).unwrap();
    assert_eq!(named::precise::value(&named::Limits { precision: None }, 0.4), 0.8);
}
