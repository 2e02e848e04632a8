//! Values that arms of conditions give: which are computed again, and which are stored.

use super::tests::{program, reversed, tapes, x5};
use crate::ir::interp::Array;

/// Steps of `u`, whose neighbours are found under conditions: the tapes.
fn steps(neighbours: &str) -> Vec<String> {
    let text = program(
        "
        fn f(x: in f64[_], n: in usize) -> r: f64
          r = 0.0
          scope u: f64[len(x)]
            for k in 0..len(x)
              u[k] = x[k]
            for t in 0..n
              scope v: f64[len(x)]
                for i in 0..len(x)
                  scope near: f64
                    NEIGHBOURS
                    v[i] = near * near * u[i]
                for k.2 in 0..len(x)
                  u[k.2] = v[k.2]
            for k.3 in 0..len(x)
              r += u[k.3]
        ",
    );
    let neighbours = neighbours.replace('\n', "\n            ");
    tapes(&reversed(&text.replace("NEIGHBOURS", &neighbours), &[x5(), Array::int(3)]))
}

#[test]
fn neighbours_at_the_ends_are_read_again() {
    for neighbours in [
        "if i == 0\n  near = u[0]\nelse\n  near = u[i - 1]",
        "if i == 0\n  near = 0.5\nelse\n  near = u[i] - u[i - 1]",
        "if i == 0\n  near = u[1]\nelse\n  if i + 1 == len(x)\n    near = -u[i - 1]\n  else\n    near = u[i + 1] - u[i - 1]",
    ] {
        assert_eq!(steps(neighbours), ["u_tape rank 2"], "{neighbours}");
    }
}

#[test]
fn values_that_cost_or_come_from_inside_are_stored() {
    for neighbours in [
        // a function
        "if i == 0\n  near = u[0]\nelse\n  near = exp(u[i - 1])",
        // a value of the arm
        "if i == 0\n  near = u[0]\nelse\n  scope a: f64\n    a = sin(u[i - 1])\n    near = a",
        // assigned twice
        "if i == 0\n  near = u[0]\nelse\n  near = u[i - 1]\nif i == 1\n  near = 2.0 * u[i]",
        // an arm that leaves it
        "near = 1.0\nif i == 0\n  near = u[0]",
        // numbers decide
        "if u[i] * u[i] > 0.2\n  near = u[0]\nelse\n  near = u[i]",
    ] {
        let tapes = steps(neighbours);
        assert!(tapes.len() > 1, "{neighbours}: {tapes:?}");
    }
}

#[test]
fn a_condition_on_a_value_of_the_arm_is_not_asked_again() {
    let text = program(
        "
        fn f(x: in f64[_], a: in usize[_]) -> r: f64
          r = 0.0
          for i in 0..len(x)
            scope y: f64
              if i > 1
                scope k: usize
                  k = a[i] % 2
                  if k == 0
                    y = x[0] + x[i]
                  else
                    y = x[i]
              else
                y = 2.0 * x[i]
              r += y * y
        ",
    );
    reversed(&text, &[x5(), Array::usizes(&[0, 1, 2, 3, 4])]);
}
