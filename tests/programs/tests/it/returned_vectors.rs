//! Functions that return vectors, alone, in tuples, and of functions that may fail.

#![deny(warnings)]

use num_traits::Float;
use pardiff::differentiate;
use pardiff_programs::{assert_near, random};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Several exits, one of them early, and a vector by value that is the result.
#[differentiate(forward, hvp, batch(2), split, check)]
fn elu(mut x: Vec<f64>, alpha: f64, skip: bool) -> Vec<f64> {
    if skip {
        return x.iter().map(|v| v * alpha).collect();
    }
    for v in &mut x {
        if *v < 0.0 {
            *v = alpha * (v.exp() - 1.0);
        }
    }
    x
}

#[test]
fn the_seed_is_a_slice_as_long_as_the_vector() {
    let (x, seed) = (random(1, 7), random(2, 7));
    for skip in [false, true] {
        elu::check(&x, 0.7, skip).unwrap_or_else(|mismatch| panic!("{mismatch}"));
        let (mut d_x, mut d_alpha) = (vec![0.5; 7], 0.5);
        assert_eq!(elu::vjp(&x, &mut d_x, 0.7, &mut d_alpha, skip, &seed), elu(x.clone(), 0.7, skip));
        let (mut once, mut alpha) = (vec![9.0; 7], 9.0);
        elu::vjp_into(&x, &mut once, 0.7, &mut alpha, skip, &seed);
        assert_near(&d_x, &once.iter().map(|d| d + 0.5).collect::<Vec<_>>());
        assert_near(&[d_alpha], &[alpha + 0.5]);

        // the same by halves, and in a batch
        let mut tape = elu::Tape::default();
        assert_eq!(elu::forward(&x, 0.7, skip, &mut tape), elu(x.clone(), 0.7, skip));
        let (mut apart, mut of_alpha) = (vec![0.0; 7], 0.0);
        elu::backward(&x, &mut apart, 0.7, &mut of_alpha, skip, &tape, &seed);
        assert_near(&apart, &once);
        let seeds: Vec<[f64; 2]> = seed.iter().map(|s| [*s, -2.0 * s]).collect();
        let (mut both, mut alphas) = (vec![[0.0; 2]; 7], [0.0; 2]);
        elu::vjp_batch(&x, &mut both, 0.7, &mut alphas, skip, &seeds);
        assert_near(&both.iter().map(|d| d[0]).collect::<Vec<_>>(), &once);
        assert_near(&alphas, &[alpha, -2.0 * alpha]);

        let (x_dot, alpha_dot) = (random(3, 7), 0.3);
        let (value, tangent) = elu::jvp(&x, &x_dot, 0.7, alpha_dot, skip);
        assert_eq!(value.len(), tangent.len());
        let along: f64 = tangent.iter().zip(&seed).map(|(t, s)| t * s).sum();
        let back: f64 = once.iter().zip(&x_dot).map(|(d, t)| d * t).sum::<f64>() + alpha * alpha_dot;
        assert_near(&[along], &[back]);
    }
}

#[test]
fn a_seed_of_another_length_panics_before_anything_is_written() {
    let mut d_x = [0.5; 3];
    let call = AssertUnwindSafe(|| elu::vjp_into(&[1.0; 3], &mut d_x, 1.0, &mut 0.0, false, &[1.0; 2]));
    let message = *catch_unwind(call).unwrap_err().downcast::<String>().unwrap();
    assert!(message.contains("the length of the adjoint `seed` is 2"), "{message}");
    assert_eq!(d_x, [0.5; 3]);
}

/// Beside a number and a whole one; the lengths differ from those of the arguments.
#[differentiate(forward, check)]
fn rows(x: &[f64], width: usize) -> (Vec<[f64; 2]>, f64, Vec<usize>) {
    let mut pairs = Vec::new();
    let mut lengths = vec![];
    pairs.reserve(x.len() / width);
    lengths.reserve_exact(x.len() / width);
    let mut total = 0.0;
    for row in x.chunks(width) {
        let sum: f64 = row.iter().sum();
        pairs.push([sum, sum * row[0]]);
        lengths.push(row.len());
        total += sum * sum;
    }
    pairs.shrink_to_fit();
    (pairs, total, lengths)
}

#[test]
fn members_without_floats_have_no_seed() {
    let x = random(4, 7);
    rows::check(&x, 3).unwrap_or_else(|mismatch| panic!("{mismatch}"));
    let mut d_x = vec![0.0; 7];
    let (pairs, total, lengths) = rows::vjp(&x, &mut d_x, 3, (&[[1.0, 0.0], [0.0, 0.0], [0.0, 1.0]], 0.0));
    assert_eq!((pairs, total, lengths), rows(&x, 3));
    assert_near(&d_x, &[1.0, 1.0, 1.0, 0.0, 0.0, 0.0, 2.0 * x[6]]);
}

/// An error that no program computes, and a helper that fails.
#[differentiate(forward, split, check)]
fn whitened(x: &[f64]) -> Result<Vec<f64>, String> {
    fn deviation(x: &[f64], mean: f64) -> Result<f64, String> {
        let sum: f64 = x.iter().map(|v| (v - mean).powi(2)).sum();
        if sum > 0.0 { Ok(sum.sqrt()) } else { Err("all are equal".to_owned()) }
    }
    if x.is_empty() {
        return Err(format!("{} values", x.len()));
    }
    let mean = x.iter().sum::<f64>() / x.len() as f64;
    let of = deviation(x, mean)?;
    Ok(x.iter().map(|v| (v - mean) / of).collect())
}

#[test]
fn an_error_is_the_functions_own() {
    let x = random(5, 6);
    whitened::check(&x).unwrap_or_else(|mismatch| panic!("{mismatch}"));
    let mut d_x = vec![0.5; 2];
    assert_eq!(whitened::vjp(&[1.0, 1.0], &mut d_x, &[1.0, 1.0]), Err("all are equal".to_owned()));
    assert_eq!(whitened::vjp(&[], &mut [], &[]), Err("0 values".to_owned()));
    assert_near(&whitened::value(&x).unwrap(), &whitened(&x).unwrap());
    assert_eq!(d_x, [0.5; 2]);
}

/// It ends inside of a loop, and an output has the name of what generated code holds.
#[differentiate(forward, check)]
fn iterated(x: f64, value: &mut [f64]) -> Vec<f64> {
    let mut steps = vec![x];
    loop {
        let last = steps[steps.len() - 1];
        value[0] += last;
        if steps.len() == 4 {
            return steps;
        }
        steps.push(last.sin() * value[0]);
    }
}

#[test]
fn a_loop_without_an_end_is_left_by_its_returns() {
    iterated::check(0.7, &mut [0.2]).unwrap_or_else(|mismatch| panic!("{mismatch}"));
    let (mut value, mut own) = ([0.2], [0.2]);
    let mut d = (0.0, [0.0]);
    let steps = iterated::vjp(0.7, &mut d.0, &mut value, &mut d.1, &[0.0, 0.0, 0.0, 1.0]);
    assert_near(&steps, &iterated(0.7, &mut own));
    assert_near(&value, &own);
}

/// What is written beside is left as after one call.
#[differentiate(check)]
fn step(x: &mut [f64], velocity: &[f64], dt: f64) -> Option<Vec<f64>> {
    if dt <= 0.0 {
        return None;
    }
    let before = x.to_vec();
    for (x, v) in x.iter_mut().zip(velocity) {
        *x += dt * v * *x;
    }
    Some(before.iter().zip(&*x).map(|(a, b)| a * b).collect())
}

#[test]
fn outputs_beside_a_vector_are_written_once() {
    let (start, velocity) = (random(6, 4), random(7, 4));
    step::check(&mut start.clone(), &velocity, 0.3).unwrap_or_else(|mismatch| panic!("{mismatch}"));
    let (mut x, mut own) = (start.clone(), start.clone());
    let (mut d_x, mut d_v, mut d_t) = (vec![0.0; 4], vec![0.0; 4], 0.0);
    let value = step::vjp(&mut x, &mut d_x, &velocity, &mut d_v, 0.3, &mut d_t, &[1.0; 4]);
    assert_near(&value.unwrap(), &step(&mut own, &velocity, 0.3).unwrap());
    assert_near(&x, &own);
}

/// Both types of floats, and a box.
#[differentiate(forward, check)]
fn softmax<T: Float>(x: &[T]) -> Box<[T]> {
    let most = x.iter().fold(T::neg_infinity(), |a, b| a.max(*b));
    let mut y: Vec<T> = x.iter().map(|v| (*v - most).exp()).collect();
    let mut sum = T::zero();
    for v in &y {
        sum = sum + *v;
    }
    for v in &mut y {
        *v = *v / sum;
    }
    y.into_boxed_slice()
}

#[test]
fn generic_functions_return_vectors() {
    softmax_of_f64::check(&random(8, 5)).unwrap_or_else(|mismatch| panic!("{mismatch}"));
    let mut d_x = [0.0_f32; 2];
    let y = softmax::vjp(&[0.0_f32, 0.0], &mut d_x, &[1.0, 0.0]);
    assert_eq!((&*y, d_x), (&[0.5, 0.5][..], [0.25, -0.25]));
}

#[differentiate]
pub mod spectra {
    #[derive(Clone, Copy)]
    pub struct Complex {
        pub re: f64,
        pub im: f64,
    }

    pub struct Filter<T> {
        pub gains: Vec<T>,
    }

    impl<T: num_traits::Float> Filter<T> {
        #[differentiate(forward, check, with(T = f64))]
        pub fn applied(&self, x: &[T]) -> Vec<T> {
            x.iter().zip(&self.gains).map(|(x, g)| *x * *g).collect()
        }
    }

    /// Structs, and a name that is taken.
    #[differentiate(forward, check)]
    pub fn transform(x: &[f64], result: &[usize]) -> Vec<Complex> {
        let n = x.len();
        result
            .iter()
            .map(|k| {
                let mut sum = Complex { re: 0.0, im: 0.0 };
                for (j, v) in x.iter().enumerate() {
                    let angle = -std::f64::consts::TAU * (j * k) as f64 / n as f64;
                    sum.re += v * v * angle.cos();
                    sum.im += v * angle.sin();
                }
                sum
            })
            .collect()
    }
}

#[test]
fn vectors_hold_structs_and_methods_return_them() {
    spectra::transform::check(&random(9, 6), &[0, 2, 1]).unwrap_or_else(|mismatch| panic!("{mismatch}"));
    let filter = spectra::Filter { gains: random(10, 4) };
    spectra::filter::applied::check(&filter, &random(11, 4)).unwrap_or_else(|mismatch| panic!("{mismatch}"));
}
