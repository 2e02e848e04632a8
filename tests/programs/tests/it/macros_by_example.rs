//! Macros that the attribute sees: those of its module, and those of a body.

use pardiff::differentiate;

#[differentiate(check)]
mod series {
    macro_rules! horner {
        ($x:expr; $($c:expr),* $(,)?) => {{
            let mut sum = 0.0;
            $( sum = sum * $x + $c; )*
            sum
        }};
    }

    macro_rules! exchange {
        ($a:ident, $b:ident) => {
            let kept = $a;
            $a = $b;
            $b = kept;
        };
    }

    macro_rules! count {
        () => { 0 };
        ($first:tt $($rest:tt)*) => { 1 + count!($($rest)*) };
    }

    /// A macro that makes functions, one of them out of another macro.
    macro_rules! kernels {
        ($($name:ident = $at:literal),*) => {
            $(
                pub fn $name(x: f64, y: f64) -> f64 {
                    horner!(x; y, $at, 2.0) / y
                }
            )*
        };
    }

    kernels!(first = 0.5, second = -1.5);

    pub trait Ease {
        fn ease(self) -> Self;
    }

    macro_rules! ease_for {
        ($T:ident) => {
            impl Ease for $T {
                fn ease(self) -> $T {
                    self * self * (3.0 - 2.0 * self) + $T::EPSILON
                }
            }
        };
    }

    ease_for!(f64);
    ease_for!(f32);

    /// The variable `sum` of the caller is not that of the macro.
    pub fn polynomial(x: f64, sum: f64, c: &[f64]) -> f64 {
        let value = horner!(x - sum; sum, c[0], c[1] * sum);
        value * f64::from(count!(a b c))
    }

    /// Neither is `kept`, which lives on; `a` and `b` are those of the caller.
    pub fn exchanged(a: f64, b: f64) -> f64 {
        let kept = a * b;
        let (mut a, mut b) = (a.sin(), b * b);
        exchange!(a, b);
        assert!(horner!(kept; 1.0, 2.0) < 100.0);
        a * 3.0 + b * kept
    }

    /// A macro of the body, which names a variable around it.
    pub fn local(x: &[f64], scale: f64) -> f64 {
        macro_rules! term {
            ($i:expr, $($p:pat_param)|+) => {
                scale * x[$i] * match $i { $($p)|+ => 2.0, _ => x[$i] }
            };
        }
        term!(0, 0 | 2) + term!(1, 0 | 2) + term!(2, 0 | 2)
    }
}

#[test]
fn variables_of_macros_are_their_own() {
    assert_eq!(
        series::polynomial(2.0, 0.5, &[3.0, 4.0]),
        (((0.0 * 1.5 + 0.5) * 1.5 + 3.0) * 1.5 + 2.0) * 3.0
    );
    assert_eq!(series::polynomial::value(2.0, 0.5, &[3.0, 4.0]), series::polynomial(2.0, 0.5, &[3.0, 4.0]));
    series::polynomial::check(0.7, 0.4, &[0.3, -0.8]).unwrap();
    assert_eq!(series::exchanged::value(0.7, 1.3), series::exchanged(0.7, 1.3));
    series::exchanged::check(0.7, 1.3).unwrap();
    series::local::check(&[0.3, 0.8, -0.4], 1.5).unwrap();
}

#[test]
fn what_macros_make_has_derivatives() {
    series::first::check(0.3, 0.8).unwrap();
    assert_eq!(series::second::value(0.3, 0.8), series::second(0.3, 0.8));
    series::of_f64::ease::check(0.3).unwrap();
}

#[differentiate(check)]
mod operators {
    use std::ops::{Add, Mul};

    macro_rules! by_value {
        ($($tokens:tt)*) => { fn $($tokens)* };
    }

    macro_rules! operators {
        ($Type:ident { $($field:ident),+ }) => {
            impl Add for $Type {
                type Output = $Type;

                by_value!( add(self, other: $Type) -> $Type { $Type { $($field: self.$field + other.$field),+ } } );
            }

            impl Mul<f64> for $Type {
                type Output = $Type;

                by_value!( mul(self, by: f64) -> $Type { $Type { $($field: self.$field * by),+ } } );
            }
        };
    }

    #[derive(Clone, Copy)]
    pub struct Pair {
        pub x: f64,
        pub y: f64,
    }

    operators!(Pair { x, y });

    trait Norm {
        fn squared(&self) -> f64;
    }

    impl Norm for Pair {
        by_value! { squared(&self) -> f64 { self.x * self.x + self.y * self.y } }
    }

    #[differentiate]
    pub fn stepped(at: Pair, by: Pair, step: f64) -> f64 {
        (at + by * step).squared()
    }
}

#[test]
fn macros_between_the_functions_of_an_impl() {
    let (at, by) = (operators::Pair { x: 0.3, y: -0.8 }, operators::Pair { x: 1.5, y: 0.4 });
    operators::stepped::check(at, by, 0.7).unwrap();
    let derivative = operators::stepped::gradient(at, by, 0.7).1.step;
    let (x, y) = (0.3 + 1.5 * 0.7, -0.8 + 0.4 * 0.7);
    assert!((derivative - 2.0 * (x * 1.5 + y * 0.4)).abs() < 1e-14);
}
