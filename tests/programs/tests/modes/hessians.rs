//! `f::hessian`: the derivative of the gradient by each number of the inputs.

use pardiff::differentiate;

/// Arrays of arrays, a reference, a number by value, one that is no variable; a function that is not smooth everywhere.
macro_rules! potential {
    ($($option:tt)*) => {
        #[differentiate(hvp $($option)*)]
        pub fn potential(at: &[[f64; 2]; 3], charge: [f64; 3], &softening: &f64, scale: f64, power: i32) -> f64 {
            let mut sum = 0.0;
            for i in 0..3 {
                for j in 0..i {
                    let mut square = softening * softening;
                    for c in 0..2 {
                        let d = at[i][c] - at[j][c];
                        square += d * d;
                    }
                    sum += charge[i] * charge[j] / square.sqrt().powi(power);
                }
            }
            scale * sum.abs()
        }
    };
}

potential!();

/// The same, by products of eight directions.
mod batched {
    use pardiff::differentiate;

    potential!(, batch(8));
}

const AT: [[f64; 2]; 3] = [[0.1, 0.7], [-0.4, 0.2], [0.9, -0.3]];
const CHARGE: [f64; 3] = [1.0, -2.0, 0.5];
const SIZE: usize = 11;

/// The numbers of a gradient in the order of the parameters.
macro_rules! numbers {
    ($gradient:expr) => {{
        let gradient = $gradient;
        let mut all: Vec<f64> = gradient.at.as_flattened().to_vec();
        all.extend(gradient.charge);
        all.extend([gradient.softening, gradient.scale]);
        all
    }};
}

/// The rows of a Hessian, as numbers.
macro_rules! rows {
    ($hessian:expr) => {{
        let hessian = $hessian;
        let mut rows: Vec<Vec<f64>> = hessian.at.as_flattened().iter().map(|it| numbers!(it)).collect();
        rows.extend(hessian.charge.iter().map(|it| numbers!(it)));
        rows.extend([numbers!(&hessian.softening), numbers!(&hessian.scale)]);
        rows
    }};
}

/// The gradient at a distance from the point along a number.
fn gradient(number: usize, by: f64) -> Vec<f64> {
    let (mut at, mut charge, mut others) = (AT, CHARGE, [0.3, 1.7]);
    match number {
        0..6 => at[number / 2][number % 2] += by,
        6..9 => charge[number - 6] += by,
        _ => others[number - 9] += by,
    }
    numbers!(potential::gradient(&at, charge, &others[0], others[1], 3).1)
}

#[test]
fn a_hessian_is_the_jacobian_of_the_gradient() {
    let (value, hessian) = potential::hessian(&AT, CHARGE, &0.3, 1.7, 3);
    assert!((value - potential(&AT, CHARGE, &0.3, 1.7, 3)).abs() < 1e-14 * value.abs());
    let rows = rows!(hessian);
    assert_eq!(rows.len(), SIZE);
    for (i, row) in rows.iter().enumerate() {
        let central = |h: f64| -> Vec<f64> {
            let pairs = gradient(i, h).into_iter().zip(gradient(i, -h));
            pairs.map(|(more, less)| (more - less) / (2.0 * h)).collect()
        };
        let (near, far) = (central(1e-4), central(2e-4));
        for j in 0..SIZE {
            let expected = (4.0 * near[j] - far[j]) / 3.0;
            let scale = 1.0 + expected.abs();
            assert!((row[j] - expected).abs() < 1e-7 * scale, "[{i}][{j}]: {} for {expected}", row[j]);
            assert!((row[j] - rows[j][i]).abs() < 1e-12 * scale, "[{i}][{j}] and [{j}][{i}]");
        }
    }
}

#[test]
fn batches_of_directions_give_the_same() {
    let own = rows!(batched::potential::hessian(&AT, CHARGE, &0.3, 1.7, 3).1);
    let expected = rows!(potential::hessian(&AT, CHARGE, &0.3, 1.7, 3).1);
    for (own, expected) in own.iter().flatten().zip(expected.iter().flatten()) {
        assert!((own - expected).abs() < 1e-12 * (1.0 + expected.abs()), "{own} for {expected}");
    }
}

/// Single precision, one number.
#[differentiate(hvp)]
pub fn well(x: f32) -> f32 {
    (x * x - 1.0).powi(2)
}

#[test]
fn a_function_of_one_number_has_a_second_derivative() {
    let (value, hessian) = well::hessian(1.5);
    assert_eq!(value, well(1.5));
    // 12 x^2 - 4
    assert!((hessian.x.x - 23.0).abs() < 1e-4, "{hessian:?}");
    assert_eq!(hessian.clone(), hessian);
}

/// A struct and an enum by value that are no variables and no `Copy`.
#[differentiate(forward, hvp, batch(2))]
pub mod configured {
    /// How the energy is computed.
    #[derive(Clone, Debug)]
    pub struct Config {
        /// Of each first factor.
        pub power: i32,
        /// Of each second one.
        pub weights: [f64; 2],
        /// Whether the sign changes.
        pub is_turned: bool,
    }

    /// By what it is multiplied.
    #[derive(Clone, Debug)]
    pub enum Kind {
        /// Nothing.
        Plain,
        /// A whole number.
        Scaled {
            /// The number.
            by: i32,
        },
    }

    /// A polynomial.
    #[differentiate(wrt(x))]
    pub fn energy(x: [f64; 2], config: Config, kind: Kind) -> f64 {
        let sum = x[0].powi(config.power) * x[1] * config.weights[0] + config.weights[1] * x[1] * x[1];
        let sum = if config.is_turned { -sum } else { sum };
        match kind {
            Kind::Plain => sum,
            Kind::Scaled { by } => sum * by as f64,
        }
    }

    /// Two of them.
    #[differentiate(wrt(x))]
    pub fn residuals(x: [f64; 2], config: Config) -> [f64; 2] {
        [x[0].powi(config.power) * config.weights[0], config.weights[1] * x[0] * x[1]]
    }
}

#[test]
fn what_is_no_variable_may_be_a_struct_by_value() {
    use configured::{Config, Kind, energy, residuals};
    let config = Config { power: 2, weights: [3.0, 0.5], is_turned: true };
    // -2 (3 x^2 y + y^2 / 2)
    let (value, hessian) = energy::hessian([2.0, 5.0], config.clone(), Kind::Scaled { by: 2 });
    assert_eq!(value, -145.0);
    assert_eq!([hessian.x[0].x, hessian.x[1].x], [[-60.0, -24.0], [-24.0, -2.0]]);
    let (_, hessian) = energy::hessian([2.0, 5.0], config.clone(), Kind::Plain);
    assert_eq!(hessian.x[1].x, [-12.0, -1.0]);
    let (value, jacobian) = residuals::jacobian([2.0, 5.0], config);
    assert_eq!((value, jacobian.x), ([12.0, 5.0], [[12.0, 2.5], [0.0, 1.0]]));
}
