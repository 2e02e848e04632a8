//! Functions with type parameters, in both float types.

#![allow(clippy::excessive_precision, reason = "a number between two of `f32`, that rounding decides")]

use num_traits::{Float, FloatConst, FromPrimitive, NumAssign, One, ToPrimitive, Zero};
use pardiff::differentiate;
use pardiff_programs::{assert_near, check, random};
use std::iter::Sum;
use std::ops::{Add, Mul, Sub};

/// A logistic regression with a penalty.
#[differentiate(wrt(w, penalty), forward, hvp, batch(2), split, check)]
pub fn logistic<T: Float>(w: &[T], penalty: T, x: &[T], y: &[bool]) -> T {
    let d = w.len();
    let mut total = T::zero();
    for i in 0..y.len() {
        let mut z = T::zero();
        for j in 0..d {
            z = z + x[i * d + j] * w[j];
        }
        let z = if y[i] { -z } else { z };
        total = total + z.exp().ln_1p();
    }
    let norm = w.iter().fold(T::zero(), |sum, &v| sum + v * v);
    total + penalty * norm / T::from(2.0).unwrap()
}

fn single(x: &[f64]) -> Vec<f32> {
    x.iter().map(|&v| v as f32).collect()
}

fn assert_close(single: &[f32], double: &[f64]) {
    assert_eq!(single.len(), double.len());
    for (a, b) in single.iter().zip(double) {
        assert!((*a as f64 - b).abs() < 1e-5 * (1.0 + b.abs()), "{single:?} {double:?}");
    }
}

#[test]
fn every_entry_point_in_both_types() {
    let (w, x, y) = (random(1, 3), random(2, 12), [true, false, true, true]);
    logistic::check(&w, 0.25, &x, &y).unwrap();
    logistic::check(&single(&w), 0.25_f32, &single(&x), &y).unwrap();

    let (mut d_w, mut d_p) = ([1.0; 3], 1.0);
    let value = logistic::grad(&w, &mut d_w, 0.25, &mut d_p, &x, &y);
    assert_near(&[value], &[logistic(&w, 0.25, &x, &y)]);
    let (value, gradient) = logistic::gradient(&w, 0.25, &x, &y);
    assert_near(&d_w, &gradient.w.iter().map(|v| v + 1.0).collect::<Vec<_>>());
    assert_near(&[d_p], &[gradient.penalty + 1.0]);
    check(|v| logistic(&v[0], v[1][0], &x, &y), &[&w, &[0.25]], &[&gradient.w, &[gradient.penalty]]);

    let (w_single, x_single) = (single(&w), single(&x));
    let (value_single, of_single) = logistic::gradient(&w_single, 0.25_f32, &x_single, &y);
    assert_close(&[value_single, of_single.penalty], &[value, gradient.penalty]);
    assert_close(&of_single.w, &gradient.w);
    // the modules of the types themselves, and the shared name
    let named: logistic_of_f32::Gradient = logistic_of_f32::gradient(&w_single, 0.25, &x_single, &y).1;
    let shared: logistic::Gradient<f32> = logistic::gradient(&w_single, 0.25, &x_single, &y).1;
    assert_eq!((named.w, named.penalty), (shared.w, shared.penalty));
    assert!(logistic::PLAN.contains("logistic") && logistic_of_f32::PLAN.contains("logistic"));

    let (mut d_w, mut d_p) = ([9.0_f32; 3], 9.0);
    logistic::vjp_into(&w_single, &mut d_w, 0.25, &mut d_p, &x_single, &y, 2.0);
    assert_close(&d_w, &gradient.w.iter().map(|v| 2.0 * v).collect::<Vec<_>>());

    let (w_dot, zero) = ([0.5, -1.0, 0.25], 0.0);
    let (_, slope) = logistic::jvp(&w, &w_dot, 0.25, zero, &x, &y);
    assert_near(&[slope], &[(0..3).map(|j| w_dot[j] * gradient.w[j]).sum()]);
    let batch = [[0.5, 1.0], [-1.0, 0.0], [0.25, 0.0]];
    let (_, slopes) = logistic::jvp_batch(&w, &batch, 0.25, [zero; logistic::WIDTH], &x, &y);
    assert_near(&slopes, &[slope, gradient.w[0]]);
    let (mut h_w, mut h_p) = ([0.0; 3], 0.0);
    logistic::hvp(&w, &w_dot, &mut h_w, 0.25, zero, &mut h_p, &x, &y);
    let (mut h, mut of_p) = ([0.0_f32; 3], 0.0);
    logistic::hvp(&w_single, &single(&w_dot), &mut h, 0.25, 0.0, &mut of_p, &x_single, &y);
    assert_close(&h, &h_w);
    assert_close(&[of_p], &[h_p]);

    let mut tape = logistic::Tape::<f32>::default();
    logistic::forward(&w_single, 0.25, &x_single, &y, &mut tape);
    let (mut d_w, mut d_p) = ([0.0_f32; 3], 0.0);
    logistic::backward(&w_single, &mut d_w, 0.25, &mut d_p, &x_single, &y, &tape, 1.0);
    assert_close(&d_w, &gradient.w);
}

/// A caller that is generic itself.
fn step<T: Float + logistic::Instance>(w: &[T], x: &[T], y: &[bool]) -> T {
    let mut d_w = vec![T::zero(); w.len()];
    let mut d_penalty = T::zero();
    logistic::grad(w, &mut d_w, T::one(), &mut d_penalty, x, y) + d_w[0] + d_penalty
}

#[test]
fn callers_may_be_generic() {
    let (w, x, y) = (random(1, 3), random(2, 12), [true, false, true, true]);
    let (value, gradient) = logistic::gradient(&w, 1.0, &x, &y);
    assert_near(&[step(&w, &x, &y)], &[value + gradient.w[0] + gradient.penalty]);
    assert_close(&[step(&single(&w), &single(&x), &y)], &[value + gradient.w[0] + gradient.penalty]);
}

/// Arrays, tuples and outputs; a const parameter and a lifetime beside the type parameter.
#[differentiate(wrt(a, x))]
pub fn product<'a, T, const N: usize>(a: &'a [[T; N]; N], x: &[T; N], y: &mut [T]) -> (T, T)
where
    T: 'a + Copy + Zero + Mul<Output = T> + Sub<Output = T>,
{
    let mut trace = T::zero();
    for i in 0..N {
        trace = trace + a[i][i];
        for j in 0..N {
            y[i] = y[i] + a[i][j] * x[j];
        }
    }
    (trace, y[0] - y[1])
}

#[test]
fn const_parameters_and_lifetimes() {
    fn run<T: product::Instance + Copy + From<f32> + PartialEq + std::fmt::Debug>() {
        let t = |v: f32| T::from(v);
        let (a, x) = ([[t(1.0), t(2.0)], [t(3.0), t(4.0)]], [t(5.0), t(6.0)]);
        let (mut d_a, mut d_x, mut y, mut d_y) =
            ([[t(0.0); 2]; 2], [t(0.0); 2], [t(0.5); 2], [t(1.0), t(0.0)]);
        let value = product::vjp(&a, &mut d_a, &x, &mut d_x, &mut y, &mut d_y, (t(2.0), t(1.0)));
        assert_eq!(value, (t(5.0), t(-22.0)));
        assert_eq!(d_a, [[t(12.0), t(12.0)], [t(-5.0), t(-4.0)]]);
        assert_eq!(d_x, [t(-1.0), t(0.0)]);
        assert_eq!(d_y, [t(2.0), t(-1.0)]);
    }
    run::<f64>();
    run::<f32>();
}

/// The traits that std has, and two type parameters.
#[differentiate(forward)]
pub fn mixed<T: Copy + Mul<Output = T> + Into<f64>, U>(x: &[T], y: &[U]) -> f64
where
    U: Copy + Add<Output = U> + From<f32> + Into<f64>,
{
    let mut sum = 0.0;
    for i in 0..x.len() {
        let square: f64 = (x[i] * x[i]).into();
        let shifted: f64 = (y[i] + U::from(0.5)).into();
        sum += square * shifted;
    }
    sum
}

#[test]
fn two_type_parameters() {
    let (x, y) = ([2.0, 3.0], [0.5_f32, 1.5]);
    let (value, gradient) = mixed::gradient(&x, &y);
    assert_eq!((value, gradient.x, gradient.y), (22.0, vec![4.0, 12.0], vec![4.0, 9.0]));
    let (value, gradient) = mixed::gradient(&y, &x);
    assert_eq!((value, gradient.x, gradient.y), (0.25 * 2.5 + 2.25 * 3.5, vec![2.5, 10.5], vec![0.25, 2.25]));
    let gradient: mixed_of_f32_f64::Gradient = mixed::gradient(&y, &x).1;
    drop(gradient);
    let (_, slope) = mixed::jvp(&x, &[1.0, 0.0], &y, &[0.0_f32, 1.0]);
    assert_eq!(slope, 4.0 + 9.0);
}

/// One type alone: the module has its functions themselves.
#[differentiate(with(T = f64))]
pub fn only<T: Float>(x: T) -> T {
    x * x * x
}

#[test]
fn one_type_alone() {
    let (value, gradient) = only::gradient(2.0);
    assert_eq!((value, gradient.x), (8.0, 12.0));
    assert_eq!(only(2.0_f32), 8.0);
}

/// Integers as type parameters, which `with` names.
#[differentiate(wrt(x), with(T = f32, f64, I = usize))]
pub fn gathered<T: Float, I: Copy + ToPrimitive>(x: &[T], at: &[I]) -> T {
    let mut sum = T::zero();
    for i in 0..at.len() {
        let v = x[at[i].to_usize().unwrap()];
        sum = sum + v * v * T::from(at[i]).unwrap();
    }
    sum
}

#[test]
fn integers_behind_a_parameter() {
    let (value, gradient) = gathered::gradient(&[1.0, 2.0, 3.0_f32], &[2_usize, 1, 2]);
    assert_eq!((value, gradient.x), (40.0, vec![0.0, 4.0, 24.0]));
    let (value, gradient) = gathered::gradient(&[1.0, 2.0, 3.0_f64], &[2_usize, 1, 2]);
    assert_eq!((value, gradient.x), (40.0, vec![0.0, 4.0, 24.0]));
}

/// Functions that fail return what the function returns, in each type.
#[differentiate]
pub fn root<T: Float>(x: T) -> Result<T, &'static str> {
    if x < T::zero() {
        return Err("negative");
    }
    Ok(x.sqrt())
}

#[differentiate]
pub fn inverse<T: Float>(x: &[T]) -> Option<T> {
    let largest = x.iter().copied().reduce(T::max)?;
    if largest.is_zero() { None } else { Some(largest.recip()) }
}

#[test]
fn functions_that_fail() {
    let (value, gradient) = root::gradient(4.0_f32).unwrap();
    assert_eq!((value, gradient.x), (2.0, 0.25));
    assert_eq!(root::gradient(-4.0_f64).map(|it| it.0), Err("negative"));
    let (value, gradient) = inverse::gradient(&[1.0, 2.0]).unwrap();
    assert_eq!((value, gradient.x), (0.5, vec![0.0, -0.25]));
    assert!(inverse::gradient::<f32>(&[]).is_none() && inverse::gradient(&[0.0_f64]).is_none());
}

/// What `num_traits` gives: constants, conversions, methods.
#[differentiate]
pub fn constants<T: Float + FloatConst + FromPrimitive>(x: T) -> T {
    let steps = T::from_usize(4).unwrap() + T::from_i32(-1).unwrap() + T::from_f32(0.5).unwrap();
    let far = if x < T::infinity() && x > T::neg_infinity() { T::one() } else { T::nan() };
    let small = T::epsilon() * T::min_positive_value() / T::max_value();
    let of_pi = x * T::FRAC_PI_4() + T::LN_2() * T::TAU() / T::LOG2_10();
    let mixed = <T as Float>::sin(x) * Float::max(x, T::min_value()) + T::atan2(x, T::from(3).unwrap());
    steps * x * far + small + of_pi + mixed + x.mul_add(x, -x) + x.powi(3).copysign(x) + T::neg_zero()
}

#[test]
fn constants_and_conversions() {
    let by_hand = |x: f64| {
        use std::f64::consts::*;
        3.5 * x + x * FRAC_PI_4 + LN_2 * TAU / LOG2_10 + x.sin() * x + x.atan2(3.0) + x * x - x + x.powi(3)
    };
    let (value, gradient) = constants::gradient(0.7_f64);
    assert_near(&[value], &[by_hand(0.7)]);
    check(|v| by_hand(v[0][0]), &[&[0.7]], &[&[gradient.x]]);
    let (of_single, single) = constants::gradient(0.7_f32);
    assert_close(&[of_single, single.x], &[value, gradient.x]);
}

/// Conversions to integers have no value where `as` saturates; those to floats always have one.
#[differentiate(wrt(x))]
pub fn cells<T: Float + NumAssign>(x: &[T], at: T, scale: T) -> T {
    let (cell, fraction) = ((at * scale).to_usize(), (at * scale).fract());
    let Some(cell) = cell else { return -x[0] };
    let mut value = x[cell] * (T::one() - fraction);
    value += x[cell + 1] * fraction;
    if at.to_i8().is_none() {
        value *= T::from(2u8).unwrap();
    }
    value * T::from(at.to_f64().unwrap_or(7.0)).unwrap_or_else(T::zero)
}

#[test]
fn conversions_out_of_range() {
    let x = [1.0, 2.0, 4.0];
    let of = |at: f64, scale: f64| {
        let (value, gradient) = cells::gradient(&x, at, scale);
        assert_eq!(value, cells(&x, at, scale));
        let (of_single, single) = cells::gradient(&x.map(|v| v as f32), at as f32, scale as f32);
        assert_close(&[of_single], &[value]);
        assert_close(&single.x, &gradient.x);
        (value, gradient.x)
    };
    assert_eq!(of(1.5, 1.0), (4.5, vec![0.0, 0.75, 0.75]));
    // -0.5 is zero without its fraction, -1 is out of range
    assert_eq!(of(-0.5, 1.0).1, vec![-0.75, 0.25, 0.0]);
    assert_eq!(of(-1.0, 1.0), (-1.0, vec![-1.0, 0.0, 0.0]));
    for at in [f64::NAN, f64::INFINITY, 18446744073709551616.0, 1e300] {
        assert_eq!(cells::gradient(&x, at, 1.0).1.x, [-1.0, 0.0, 0.0], "{at}");
        assert_eq!(cells::gradient(&[1.0_f32, 2.0, 4.0], at as f32, 1.0).1.x, [-1.0, 0.0, 0.0], "{at}");
    }
    // 127.9 is an `i8` without its fraction, 128 is none
    assert_eq!(of(127.75, 0.0078125).0 / 127.75, cells(&x, 127.75, 0.0078125) / 127.75);
    assert_eq!(of(128.0, 0.0078125), (2.0 * 2.0 * 128.0, vec![0.0, 256.0, 0.0]));
}

/// Numbers in double precision are rounded once where they become single ones.
#[differentiate]
pub fn rounded<T: Float>(x: T) -> T {
    x * T::from(0.1).unwrap() + x * T::from(1.000000059604644775390625001).unwrap()
}

#[test]
fn conversions_round_as_casts_do() {
    let slope = 0.1_f64 as f32 + 1.000000059604644775390625001_f64 as f32;
    assert_eq!(rounded::gradient(1.0_f32).1.x, slope);
}

/// Iterators, closures, vectors, nested helpers with parameters of their own.
#[differentiate(wrt(x))]
pub fn statistics<T: Float + Sum>(x: &[T], n: usize) -> [T; 2] {
    // another `T`
    fn mean<T: Float + Sum>(x: &[T]) -> T {
        x.iter().copied().sum::<T>() / T::from(x.len()).unwrap()
    }
    fn square<V>(v: V) -> V
    where
        V: Copy + One,
    {
        v * v
    }
    let scaled: Vec<T> = x.iter().map(|&v| v / T::from(n).unwrap()).collect();
    let centre = mean::<T>(&scaled);
    let spread = scaled.iter().map(|&v| square(v - centre)).sum::<T>();
    let mut powers = vec![T::one(); n];
    for i in 1..n {
        powers[i] = powers[i - 1] * centre;
    }
    [spread, powers.into_iter().fold(T::zero(), |a, b| a + b)]
}

#[test]
fn helpers_with_parameters_of_their_own() {
    let x = random(3, 5);
    for seed in [[1.0, 0.0], [0.0, 1.0]] {
        let mut d_x = vec![0.0; 5];
        statistics::vjp(&x, &mut d_x, 3, seed);
        check(|v| seed[0] * statistics(&v[0], 3)[0] + seed[1] * statistics(&v[0], 3)[1], &[&x], &[&d_x]);
        let mut of_single = vec![0.0_f32; 5];
        statistics::vjp(&single(&x), &mut of_single, 3, seed.map(|v| v as f32));
        assert_close(&of_single, &d_x);
    }
}

/// All derivatives of a function of few numbers.
#[differentiate(forward, hvp, batch(3))]
pub fn valley<T: Float>(x: T, y: [T; 2]) -> T {
    x * x * y[0] + y[0] * y[1] * y[1]
}

#[test]
fn jacobians_and_hessians() {
    fn run<T: valley::Instance + Float + std::fmt::Debug>() {
        let t = |v: f64| T::from(v).unwrap();
        let (_, jacobian) = valley::jacobian(t(2.0), [t(3.0), t(5.0)]);
        assert_eq!((jacobian.x, jacobian.y), (t(12.0), [t(29.0), t(30.0)]));
        let (_, hessian): (T, valley::Hessian<T>) = valley::hessian(t(2.0), [t(3.0), t(5.0)]);
        assert_eq!((hessian.x.x, hessian.x.y), (t(6.0), [t(4.0), t(0.0)]));
        assert_eq!((hessian.y[0].x, hessian.y[0].y), (t(4.0), [t(0.0), t(10.0)]));
        assert_eq!((hessian.y[1].x, hessian.y[1].y), (t(0.0), [t(10.0), t(6.0)]));
    }
    run::<f64>();
    run::<f32>();
}

/// Arrays of `ndarray`.
#[differentiate]
pub fn quadratic<T: Float>(a: &ndarray::Array2<T>, x: ndarray::ArrayView1<'_, T>) -> T {
    let mut sum = T::zero();
    for i in 0..a.nrows() {
        for j in 0..a.ncols() {
            sum = sum + a[[i, j]] * x[i] * x[j];
        }
    }
    sum
}

#[test]
fn arrays_of_ndarray() {
    let a = ndarray::arr2(&[[1.0, 2.0], [3.0, 4.0]]);
    let x = ndarray::arr1(&[1.0, -1.0]);
    let (value, gradient) = quadratic::gradient(&a, x.view());
    assert_eq!((value, gradient.x), (0.0, ndarray::arr1(&[-3.0, -3.0])));
    let (_, gradient) = quadratic::gradient(&a.mapv(|v| v as f32), x.mapv(|v| v as f32).view());
    assert_eq!(gradient.a, ndarray::arr2(&[[1.0_f32, -1.0], [-1.0, 1.0]]));
}

#[test]
#[should_panic(expected = "logistic: the length of the adjoint `d_w` is 2")]
fn panics_name_the_function() {
    let mut d_w = [0.0_f32; 2];
    logistic::grad(&[0.0; 3], &mut d_w, 1.0, &mut 0.0, &[0.0; 3], &[true]);
}

/// The trait of floats without the standard library.
mod without_std {
    use num_traits::float::FloatCore;

    #[pardiff::differentiate(check)]
    pub fn limited<T: FloatCore>(limit: T, x: T) -> T {
        (limit.min(x.abs()) * x.signum() + T::one()).recip().max(T::min_value())
    }
}

#[test]
fn floats_without_std() {
    without_std::limited_of_f64::check(1.5, 0.7).unwrap();
    without_std::limited_of_f64::check(0.5, -0.7).unwrap();
}
