//! Functions that return a `Result` or an `Option`: derivatives return its errors as they are, and leave adjoints untouched then.

#![deny(warnings)]
#![allow(clippy::ptr_arg, reason = "functions as people write them")]

use ndarray::{Array1, ArrayViewMut1, array};
use pardiff::differentiate;
use pardiff_programs::{assert_near, check, random};

/// Private, with what no program computes in it.
#[derive(Debug, PartialEq)]
enum Failure {
    Empty,
    Singular { row: usize, pivot: f64 },
    Text(String),
}

#[differentiate(forward, hvp, batch(2), split, check)]
fn log_pivots(x: &[f64], n: usize) -> Result<f64, Failure> {
    fn logarithm(v: f64, row: usize) -> Result<f64, Failure> {
        if v > 0.0 { Ok(v.ln()) } else { Err(Failure::Singular { row, pivot: v }) }
    }
    if n > x.len() {
        return Err(Failure::Text(format!("{n}")));
    }
    let mut sum = *x.first().ok_or(Failure::Empty)?;
    for i in 0..n {
        sum += logarithm(x[i], i)? * x[0];
    }
    Ok(sum)
}

#[test]
fn a_value_has_its_gradient_within_ok() {
    let x: Vec<f64> = random(1, 5).iter().map(|v| v + 1.5).collect();
    let mut d_x = vec![0.0; 5];
    assert_eq!(log_pivots::grad(&x, &mut d_x, 5), log_pivots(&x, 5));
    check(|p| log_pivots(&p[0], 5).unwrap(), &[&x], &[&d_x]);
    log_pivots::check(&x, 5).unwrap_or_else(|mismatch| panic!("{mismatch}"));

    let (_, gradient) = log_pivots::gradient(&x, 5).unwrap();
    assert_eq!(gradient.x, d_x);
    let direction = random(2, 5);
    let (_, slope) = log_pivots::jvp(&x, &direction, 5).unwrap();
    let along: f64 = d_x.iter().zip(&direction).map(|(a, b)| a * b).sum();
    assert_near(&[slope], &[along]);

    let mut tape = log_pivots::Tape::default();
    log_pivots::forward(&x, 5, &mut tape).unwrap();
    let mut twice = vec![0.0; 5];
    log_pivots::backward(&x, &mut twice, 5, &tape, 2.0);
    assert_near(&twice, &d_x.iter().map(|d| 2.0 * d).collect::<Vec<_>>());
}

#[test]
fn an_error_is_the_functions_own_and_leaves_adjoints_untouched() {
    let x = [1.0, -2.0, 3.0];
    let mut d_x = [0.5; 3];
    let singular = Failure::Singular { row: 1, pivot: -2.0 };
    assert_eq!(log_pivots::grad(&x, &mut d_x, 3), Err(singular));
    assert_eq!(log_pivots::grad_into(&x, &mut d_x, 4), Err(Failure::Text("4".to_owned())));
    assert_eq!(log_pivots::vjp_into(&[], &mut [], 0, 1.0), Err(Failure::Empty));
    assert_eq!(log_pivots::jvp(&[], &[], 0), Err(Failure::Empty));
    let mut product = [0.5; 3];
    assert!(log_pivots::hvp(&x, &[1.0; 3], &mut product, 3).is_err());
    assert_eq!((d_x, product), ([0.5; 3], [0.5; 3]));
    assert!(log_pivots::gradient(&x, 3).is_err());
    let mut tape = log_pivots::Tape::default();
    assert!(log_pivots::forward(&x, 3, &mut tape).is_err());
    let panics = std::panic::catch_unwind(move || log_pivots::backward(&x, &mut d_x, 3, &tape, 1.0));
    assert!(panics.is_err(), "an empty tape");
}

/// Outputs of all kinds beside the value.
#[differentiate(forward, hvp, batch(2), check)]
fn damped(
    x: [f64; 2],
    y: &mut Vec<f64>,
    z: Vec<f64>,
    w: &mut [f64; 2],
    a: &mut f64,
    mut v: ArrayViewMut1<'_, f64>,
) -> Option<(f64, [f64; 2], usize)> {
    y[0] *= x[0] * z[0];
    w[0] *= 2.0;
    v[0] *= x[0];
    *a *= x[1];
    if x[1] < 0.0 {
        return None;
    }
    y[1] *= x[1];
    Some((y[0] * w[1] + v[0], [x[0] * *a, x[1].sqrt()], 3))
}

#[test]
fn outputs_are_run_once_and_left_as_the_function_leaves_them() {
    let mut v = array![0.6];
    damped::check([0.5, 0.7], &mut [0.3, 0.5], &[0.4], &mut [0.5, 0.8], &mut 0.3, v.view_mut())
        .unwrap_or_else(|mismatch| panic!("{mismatch}"));

    type Outputs = (Vec<f64>, [f64; 2], f64, Array1<f64>);
    let outputs = || -> Outputs { (vec![0.3, 0.5], [0.5, 0.8], 0.3, array![0.6]) };
    for x in [[0.5, 0.7], [0.5, -0.7]] {
        let (mut expected, mut found) = (outputs(), outputs());
        let (y, w, a, v) = &mut expected;
        let value = damped(x, y, vec![0.4], w, a, v.view_mut());
        let (y, w, a, v) = &mut found;
        assert_eq!(damped::value(x, y, &[0.4], w, a, v.view_mut()), value);
        assert_eq!(found, expected);

        let (mut found, mut adjoints) = (outputs(), outputs());
        let ((y, w, a, v), (d_y, d_w, d_a, d_v)) = (&mut found, &mut adjoints);
        let (mut d_x, mut d_z) = ([0.25; 2], [0.25]);
        let seed = (1.0, [1.0, 0.0]);
        let again = damped::vjp(
            x,
            &mut d_x,
            y,
            d_y,
            &[0.4],
            &mut d_z,
            w,
            d_w,
            a,
            d_a,
            v.view_mut(),
            d_v.view_mut(),
            seed,
        );
        assert_eq!((again, found), (value, expected));
        let is_touched = (d_x, d_z) != ([0.25; 2], [0.25]) && adjoints != outputs();
        assert_eq!(is_touched, value.is_some());
    }
}

#[differentiate(forward, hvp, batch(2), check)]
fn scale_all(x: &[f64], y: &mut [f64]) -> Result<(), String> {
    if x.len() > y.len() {
        return Err("too long".to_string());
    }
    for i in 0..x.len() {
        y[i] *= x[i];
    }
    Ok(())
}

#[test]
fn a_function_may_write_its_results_and_return_whether_it_did() {
    scale_all::check(&[0.3, 2.0], &mut [1.0, 2.0, 0.3]).unwrap_or_else(|mismatch| panic!("{mismatch}"));
    let (mut d_x, mut y, mut d_y) = ([0.0; 2], [1.0, 2.0, 0.3], [1.0; 3]);
    assert_eq!(scale_all::vjp(&[0.3, 2.0], &mut d_x, &mut y, &mut d_y), Ok(()));
    assert_eq!((d_x, y, d_y), ([1.0, 2.0], [0.3, 4.0, 0.3], [0.3, 2.0, 1.0]));
    let refused = scale_all::vjp(&[1.0; 2], &mut d_x, &mut y[..1], &mut d_y[..1]);
    assert_eq!((refused, d_x, y[0], d_y[0]), (Err("too long".to_owned()), [1.0, 2.0], 0.3, 0.3));
}

#[differentiate(forward, hvp, batch(2))]
fn root<const N: usize>(x: [f64; N]) -> Result<f64, &'static str> {
    if x[0] < 0.0 { Err("negative") } else { Ok(x[0].sqrt() * x[N - 1]) }
}

#[differentiate(forward, hvp, batch(2))]
fn plane_root(x: [f64; 2]) -> Option<f64> {
    if x[0] < 0.0 { None } else { Some(x[0].sqrt() * x[1]) }
}

#[test]
fn all_derivatives_come_with_the_value() {
    let mut d_x = [0.0; 2];
    assert_eq!(root::grad([4.0, 3.0], &mut d_x), Ok(6.0));
    assert_eq!((d_x, root::grad([-4.0, 3.0], &mut d_x)), ([0.75, 2.0], Err("negative")));
    assert_eq!(d_x, [0.75, 2.0]);

    let (value, jacobian) = plane_root::jacobian([4.0, 3.0]).unwrap();
    assert_eq!((value, jacobian.x), (6.0, d_x));
    let (_, hessian) = plane_root::hessian([4.0, 3.0]).unwrap();
    assert_near(&hessian.x[0].x, &[-0.25 * 3.0 / 8.0, 0.25]);
    assert!(plane_root::jacobian([-4.0, 3.0]).is_none() && plane_root::hessian([-4.0, 3.0]).is_none());
}

#[differentiate(forward, hvp, batch(2), check)]
mod solver {
    #![deny(warnings)]

    pub mod errors {
        #[derive(Debug, PartialEq)]
        pub struct Diverged<T>(pub T);
    }

    use errors::Diverged;

    pub type Solved<T> = Result<T, Diverged<f64>>;

    /// Not `Copy`.
    pub struct Newton {
        pub start: f64,
        pub steps: usize,
        pub path: [f64; 2],
    }

    impl Newton {
        pub fn root(&mut self, a: f64) -> Solved<f64> {
            let mut x = self.start;
            for _ in 0..self.steps {
                x = 0.5 * (x + a / x);
            }
            self.path[0] *= x;
            check_root(x, a)?;
            self.path[1] = x;
            Ok(x)
        }

        pub fn last(self, a: f64) -> Option<[f64; 2]> {
            (self.steps > 0).then(|| [self.start * a, self.path[1]])
        }
    }

    fn check_root(x: f64, a: f64) -> Solved<()> {
        if (x * x - a).abs() < 0.1 { Ok(()) } else { Err(Diverged(x)) }
    }

    pub fn sum_of_roots(a: &[f64]) -> Solved<f64> {
        let mut newton = Newton { start: 1.0, steps: 20, path: [1.0; 2] };
        let mut sum = 0.0;
        for &a in a {
            sum += newton.root(a)?;
        }
        Ok(sum)
    }
}

#[test]
fn methods_and_functions_of_modules_fail_as_well() {
    use solver::{Newton, errors::Diverged};
    let mut d_a = [0.0; 2];
    let sum = solver::sum_of_roots::grad(&[4.0, 9.0], &mut d_a).unwrap();
    assert_near(&[sum, d_a[0], d_a[1]], &[5.0, 0.25, 1.0 / 6.0]);
    assert!(matches!(solver::sum_of_roots::grad(&[4.0, -9.0], &mut d_a), Err(Diverged(_))));

    let newton = |steps| Newton { start: 2.0, steps, path: [0.5, 0.0] };
    solver::newton::root::check(&mut newton(6), 3.0).unwrap_or_else(|mismatch| panic!("{mismatch}"));
    solver::newton::last::check(newton(6), 3.0).unwrap_or_else(|mismatch| panic!("{mismatch}"));
    let (mut this, mut d_this, mut d_a) = (newton(6), Newton { start: 0.0, steps: 0, path: [0.0; 2] }, 0.0);
    let root = solver::newton::root::grad(&mut this, &mut d_this, 3.0, &mut d_a).unwrap();
    assert_near(&[root, this.path[0], d_a], &[3.0_f64.sqrt(), 0.5 * 3.0_f64.sqrt(), 0.5 / 3.0_f64.sqrt()]);
    let (mut this, mut d_a) = (newton(1), 0.0);
    assert_eq!(solver::newton::root::grad(&mut this, &mut d_this, 30.0, &mut d_a), Err(Diverged(8.5)));
    assert_eq!((this.path, d_a), ([4.25, 0.0], 0.0));
}

#[test]
fn a_function_in_a_body_names_an_error_of_the_module() {
    #[differentiate]
    fn square_root(x: f64) -> Result<f64, Failure> {
        if x < 0.0 { Err(Failure::Empty) } else { Ok(x.sqrt()) }
    }
    let mut d_x = 0.0;
    assert_eq!((square_root::grad(4.0, &mut d_x), d_x), (Ok(2.0), 0.25));
    assert_eq!(square_root::grad(-4.0, &mut d_x), Err(Failure::Empty));
}

/// An error of the most usual name, beside functions that stand at the top of a module.
mod usual {
    use pardiff::differentiate;

    /// Why there is no value.
    #[derive(Debug, PartialEq)]
    pub enum Error {
        /// No row may be divided by its pivot.
        Singular {
            /// The row.
            row: usize,
        },
    }

    /// The sum of quotients.
    #[differentiate(forward, split)]
    pub fn quotients(pivots: &Vec<f64>, b: &[f64]) -> Result<f64, Error> {
        let mut sum = 0.0;
        for row in 0..b.len() {
            if pivots[row].abs() < 1e-12 {
                return Err(Error::Singular { row });
            }
            sum += b[row] / pivots[row];
        }
        Ok(sum)
    }
}

#[test]
fn an_error_may_be_called_error() {
    use usual::{Error, quotients};
    let (mut d_pivots, mut d_b) = ([0.0; 2], [0.0; 2]);
    let value = quotients::grad(&[2.0, 4.0], &mut d_pivots, &[3.0, 8.0], &mut d_b);
    assert_eq!((value, d_pivots, d_b), (Ok(3.5), [-0.75, -0.5], [0.5, 0.25]));
    let value = quotients::grad(&[2.0, 0.0], &mut d_pivots, &[3.0, 8.0], &mut d_b);
    assert_eq!((value, d_pivots, d_b), (Err(Error::Singular { row: 1 }), [-0.75, -0.5], [0.5, 0.25]));
}

#[differentiate(forward, hvp)]
mod units {
    use super::Failure;

    #[derive(Clone, Copy, Debug, PartialEq)]
    pub enum Gain {
        By(f64),
        Off,
    }

    pub fn scale(gain: &mut Gain, s: f64) -> Option<()> {
        if s < 0.0 {
            return None;
        }
        if let Gain::By(by) = gain {
            *by *= s * s;
        }
        Some(())
    }

    pub(super) fn raise(value: &mut Option<f64>, s: f64) -> Result<(), Failure> {
        let Some(value) = value else { return Err(Failure::Empty) };
        *value *= s.exp();
        Ok(())
    }
}

#[test]
fn nothing_is_returned_beside_values_that_are_copied() {
    use units::{Gain, raise, scale};
    let (mut gain, mut d_gain, mut d_s) = (Gain::By(3.0), Gain::By(1.0), 0.0);
    assert_eq!(scale::vjp(&mut gain, &mut d_gain, 2.0, &mut d_s), Some(()));
    assert_eq!((gain, d_gain, d_s), (Gain::By(12.0), Gain::By(4.0), 12.0));
    assert_eq!(scale::vjp(&mut gain, &mut d_gain, -1.0, &mut d_s), None);
    assert_eq!((gain, d_gain, d_s), (Gain::By(12.0), Gain::By(4.0), 12.0));

    let (mut value, mut d_value, mut d_s) = (Some(3.0), Some(1.0), 0.0);
    assert_eq!(raise::vjp(&mut value, &mut d_value, 0.0, &mut d_s), Ok(()));
    assert_eq!((value, d_value, d_s), (Some(3.0), Some(1.0), 3.0));
    assert_eq!(raise::vjp(&mut None, &mut None, 0.0, &mut d_s), Err(Failure::Empty));
}
