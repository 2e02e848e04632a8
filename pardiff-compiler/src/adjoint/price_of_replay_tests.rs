//! Loops that are stored because a replay costs more, and loops that are not.

use super::tests::{program, reversed, tapes, x5};
use crate::ir::interp::Array;

/// The tapes of rows of sums, `terms` of them in each, that meet in differences of neighbours behind the loop.
fn tapes_of(index: &str, terms: &str) -> Vec<String> {
    let text = program(&format!(
        "
        fn f(w: in f64[_, 5], x: in f64[_, 5], y: inout f64[_], n: in usize) -> r: f64
          for i in 0..n
            scope sum: f64
              sum = 0.0
              for j in 0..n
                scope a: f64
                  a = 0.0
                  for k in 0..{terms}
                    a += w[j, k] * x[{index}]
                  sum += a * a
              y[i] = sum
          r = 0.0
          for l in 1..n
            r += (y[l] - y[l - 1]) * (y[l] - y[l - 1])
        "
    ));
    let matrix: Vec<f64> = (0..25).map(|k| f64::from(k % 7) / 5.0).collect();
    let matrix = || Array::floats(&matrix).shaped(&[5, 5]);
    tapes(&reversed(&text, &[matrix(), matrix(), x5(), Array::int(5)]))
}

#[test]
fn a_number_that_takes_long_is_stored() {
    assert_eq!(tapes_of("i, k", "n"), ["a_tape rank 2"]);
}

#[test]
fn a_number_that_takes_a_moment_is_computed_again() {
    assert_eq!(tapes_of("i, k", "5"), [""; 0]);
}

#[test]
fn no_tape_has_more_sizes_than_the_arrays() {
    let text = program(
        "
        fn f(w: in f64[_], x: in f64[_], y: inout f64[_], n: in usize) -> r: f64
          for i in 0..n
            scope sum: f64
              sum = 0.0
              for j in 0..n
                scope a: f64
                  a = 0.0
                  for k in 0..n
                    a += w[j] * x[k] + w[k] * x[i]
                  sum += a * a
              y[i] = sum
          r = 0.0
          for l in 1..n
            r += (y[l] - y[l - 1]) * (y[l] - y[l - 1])
        ",
    );
    assert_eq!(tapes(&reversed(&text, &[x5(), x5(), x5(), Array::int(5)])), [""; 0]);
}
