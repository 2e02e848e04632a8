//! Modules of generic functions, with traits, structs and methods that have parameters.

use pardiff::differentiate;
use pardiff_programs::{assert_near, check, random};

/// Special functions by series and continued fractions, in a library's style: nothing in it is for one type.
#[differentiate]
pub mod special {
    use num_traits::{Float, FloatConst};

    /// What the library asks of a number.
    pub trait Real: Float + FloatConst {
        /// A constant in this type.
        fn of(value: f64) -> Self;

        /// The third power.
        fn cube(self) -> Self {
            self * self * self
        }
    }

    impl<T: Float + FloatConst> Real for T {
        fn of(value: f64) -> T {
            T::from(value).unwrap()
        }
    }

    const LANCZOS: [f64; 6] = [
        76.18009172947146,
        -86.50532032941677,
        24.01409824083091,
        -1.231739572450155,
        0.1208650973866179e-2,
        -0.5395239384953e-5,
    ];

    fn series<T: Real>(x: T) -> T {
        let mut sum = T::of(1.000000000190015);
        for k in 0..6 {
            sum = sum + T::of(LANCZOS[k]) / (x + T::from(k + 1).unwrap());
        }
        sum
    }

    /// The logarithm of the gamma function of positive numbers.
    pub fn ln_gamma<T: Real>(x: T) -> T {
        let base = x + T::of(5.5);
        (x + T::of(0.5)) * base.ln() - base + ((T::of(2.0) * T::PI()).sqrt() * series(x) / x).ln()
    }

    /// The Bessel function of order `n` by its series.
    pub fn bessel<T: Real>(n: usize, x: T) -> T {
        let half = x / T::of(2.0);
        let mut term = T::one();
        for k in 1..n + 1 {
            term = term * half / T::from(k).unwrap();
        }
        let (mut sum, mut k) = (term, T::zero());
        while term.abs() > T::epsilon() * sum.abs() {
            k = k + T::one();
            term = -term * half * half / (k * (k + T::from(n).unwrap()));
            sum = sum + term;
        }
        sum + x.cube() * T::zero()
    }
}

#[test]
fn a_library_of_special_functions() {
    let (value, gradient) = special::ln_gamma::gradient(3.5_f64);
    assert!((value - 1.200_973_602_347_074).abs() < 1e-6);
    check(|v| special::ln_gamma(v[0][0]), &[&[3.5]], &[&[gradient.x]]);
    let single = special::ln_gamma::gradient(3.5_f32).1;
    assert!((single.x as f64 - gradient.x).abs() < 1e-5);
    let (value, gradient) = special::bessel::gradient(0, 1.5_f64);
    assert_near(&[value], &[0.511_827_671_735_918_1]);
    // the derivative of J0 is -J1
    assert_near(&[gradient.x], &[-special::bessel(1, 1.5_f64)]);
    let single = special::bessel::gradient(0, 1.5_f32).1;
    assert!((single.x as f64 - gradient.x).abs() < 1e-5);
}

/// Traits of the module, with an `impl` for each type: functions, constants, and one type alone.
#[differentiate]
pub mod units {
    use std::ops::{Add, Mul};

    pub trait Scalar: Copy + Add<Output = Self> + Mul<Output = Self> {
        const UNIT: Self;
        fn smooth(self) -> Self;
        fn of(k: usize) -> Self;
    }

    impl Scalar for f64 {
        const UNIT: f64 = 1.5;
        fn smooth(self) -> f64 {
            (self * self + 1.0).sqrt()
        }
        fn of(k: usize) -> f64 {
            k as f64
        }
    }

    pub fn energy<T: Scalar>(x: &[T]) -> T {
        let mut sum = T::UNIT;
        for i in 0..x.len() {
            sum = sum + x[i].smooth() * T::of(i + 1);
        }
        sum
    }
}

#[test]
fn traits_of_the_module() {
    let x = random(7, 4);
    // `f32` has no `impl`, so that there is one instance
    let (value, gradient) = units::energy::gradient(&x);
    assert_near(&[value], &[units::energy(&x)]);
    check(|v| units::energy(&v[0]), &[&x], &[&gradient.x]);
}

/// Structs with type and const parameters, and their methods.
#[differentiate]
pub mod network {
    use num_traits::Float;
    use std::ops::Add;

    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct Pair<T> {
        pub re: T,
        pub im: T,
    }

    impl<T: Float> Add for Pair<T> {
        type Output = Pair<T>;
        fn add(self, other: Pair<T>) -> Pair<T> {
            Pair { re: self.re + other.re, im: self.im + other.im }
        }
    }

    #[derive(Clone, Debug, PartialEq)]
    pub struct Layer<T, const N: usize> {
        pub weights: [[T; N]; N],
        pub bias: [T; N],
        pub gain: Pair<T>,
    }

    impl<T: Float, const N: usize> Layer<T, N> {
        fn activated(&self, i: usize, x: &[T; N]) -> T {
            let mut sum = self.bias[i];
            for j in 0..N {
                sum = sum + self.weights[i][j] * x[j];
            }
            sum.tanh()
        }

        pub fn forward(&self, x: &[T; N]) -> T {
            let mut total = T::zero();
            let mut gain = self.gain + Pair { re: T::one(), im: T::zero() };
            for i in 0..N {
                total = total + gain.re * self.activated(i, x);
                gain = gain + self.gain;
            }
            total * self.gain.im
        }
    }

    pub fn loss<T: Float, const N: usize>(layer: &Layer<T, N>, x: &[[T; N]], y: &[T]) -> T {
        let mut sum = T::zero();
        for k in 0..y.len() {
            let r = layer.forward(&x[k]) - y[k];
            sum = sum + r * r;
        }
        sum
    }
}

#[test]
fn structs_and_methods_with_parameters() {
    use network::{Layer, Pair};
    let numbers = random(5, 8);
    let layer = |v: &[f64]| Layer {
        weights: [[v[0], v[1]], [v[2], v[3]]],
        bias: [v[4], v[5]],
        gain: Pair { re: v[6], im: v[7] },
    };
    let flat = |l: &Layer<f64, 2>| {
        let mut v = l.weights.as_flattened().to_vec();
        v.extend([l.bias[0], l.bias[1], l.gain.re, l.gain.im]);
        v
    };
    let (x, y) = ([[0.5, -1.0], [1.5, 0.25]], [0.3, -0.2]);
    let (value, gradient) = network::loss::gradient(&layer(&numbers), &x, &y);
    assert_near(&[value], &[network::loss(&layer(&numbers), &x, &y)]);
    check(|v| network::loss(&layer(&v[0]), &x, &y), &[&numbers], &[&flat(&gradient.layer)]);

    let model = layer(&numbers);
    let (_, gradient) = network::layer::forward::gradient(&model, &x[0]);
    check(
        |v| layer(&v[0]).forward(&[v[1][0], v[1][1]]),
        &[&numbers, &x[0]],
        &[&flat(&gradient.this), &gradient.x],
    );
    let single = Layer {
        weights: model.weights.map(|row| row.map(|v| v as f32)),
        bias: model.bias.map(|v| v as f32),
        gain: Pair { re: model.gain.re as f32, im: model.gain.im as f32 },
    };
    let of_single = network::layer::forward::gradient(&single, &x[0].map(|v| v as f32)).1;
    assert!((of_single.this.gain.re as f64 - gradient.this.gain.re).abs() < 1e-5);
}

/// A trait whose methods are those of the standard library, and one whose are not.
#[differentiate]
mod own_numbers {
    pub trait Number: Copy + std::ops::Mul<Output = Self> {
        fn sqrt(self) -> Self;
        fn exp(self) -> Self;
        fn one() -> Self;
    }

    impl Number for f64 {
        fn sqrt(self) -> f64 {
            f64::sqrt(self)
        }

        fn exp(self) -> f64 {
            self * self
        }

        fn one() -> f64 {
            1.0
        }
    }

    pub struct Model {
        pub scale: f64,
    }

    #[differentiate(with(T = f64))]
    pub fn scaled<T: Number>(x: T, model: &Model) -> T {
        if model.scale.sqrt() > 2.0 { x.sqrt() } else { x }
    }

    #[differentiate(with(T = f64))]
    pub fn squared<T: Number>(x: T) -> T {
        x.exp() * T::one()
    }
}

#[test]
fn a_method_of_a_trait_may_be_that_of_the_standard_library() {
    let model = own_numbers::Model { scale: 9.0 };
    let mut d_x = 0.0;
    let value = own_numbers::scaled::grad(4.0, &mut d_x, &model, &mut own_numbers::Model { scale: 0.0 });
    assert_eq!((value, d_x), (2.0, 0.25));
    let mut d_x = 0.0;
    assert_eq!((own_numbers::squared::grad(3.0, &mut d_x), d_x), (9.0, 6.0));
}
