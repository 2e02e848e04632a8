//! Parameters and locals with the names that generated code would like to use.

use pardiff::differentiate;
use pardiff_programs::check;

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
