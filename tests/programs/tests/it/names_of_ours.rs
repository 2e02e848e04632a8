//! Parameters and locals with the names that generated code would like to use.

use pardiff::differentiate;
use pardiff_programs::{assert_near, check};

#[differentiate]
pub fn value(x: f64, d_x: f64, seed: f64, tape: &[f64], r#fn: f64) -> f64 {
    fn grad(value: f64) -> f64 {
        value * value
    }
    let vjp = x * d_x + seed;
    let gradient = grad(vjp) * tape[0];
    gradient + r#fn * seed
}

#[test]
fn gradient() {
    let at = [0.5, -1.5, 0.25, 2.0];
    let tape = [3.0];
    let (found, gradient) = value::gradient(at[0], at[1], at[2], &tape, at[3]);
    assert_eq!(found, value(at[0], at[1], at[2], &tape, at[3]));
    let run = |v: &[Vec<f64>]| value(v[0][0], v[0][1], v[0][2], &v[1], v[0][3]);
    let four = [gradient.x, gradient.d_x, gradient.seed, gradient.r#fn];
    check(run, &[&at, &tape], &[&four, &gradient.tape]);
}

/// Types of the names that code for each level of the instruction set would like to use.
#[differentiate(forward)]
mod levels {
    #[derive(Clone, Copy)]
    pub struct S {
        pub rate: f64,
        pub shift: f64,
    }

    impl S {
        const SCALE: f64 = 2.0;
    }

    pub fn sum(parts: &[S]) -> f64 {
        parts.iter().map(|part| part.rate.exp() * part.shift.sin() * S::SCALE).sum()
    }

    pub fn each(parts: &[S], y: &mut [f64]) {
        for i in 0..parts.len() {
            y[i] = parts[i].rate.exp() * parts[i].shift.sin() * S::SCALE;
        }
    }
}

#[test]
fn a_struct_may_have_the_name_of_the_level() {
    use levels::S;
    let parts: Vec<S> = (0..20).map(|k| S { rate: 0.05 * f64::from(k), shift: 0.3 }).collect();
    let (value, gradient) = levels::sum::gradient(&parts);
    assert_eq!(value, levels::sum(&parts));
    let (mut y, mut d_y, mut d_parts) = (vec![0.0; 20], vec![1.0; 20], vec![S { rate: 0.0, shift: 0.0 }; 20]);
    levels::each::vjp(&parts, &mut d_parts, &mut y, &mut d_y);
    for (k, part) in parts.iter().enumerate() {
        for found in [gradient.parts[k], d_parts[k]] {
            assert_near(&[found.rate], &[2.0 * part.rate.exp() * part.shift.sin()]);
            assert_near(&[found.shift], &[2.0 * part.rate.exp() * part.shift.cos()]);
        }
    }
}
