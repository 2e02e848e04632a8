use super::share::{share, share_gathers};
use crate::equivalence::{assert_pass, assert_unchanged};
use crate::ir::interp::Array;

#[test]
fn loads_and_costly_operations_are_shared() {
    assert_pass(
        share,
        "
        fn f(x: in f64[_], k: in usize[_], y: inout f64[len(k)]) -> s: f64
          s = 0.0
          for i in 0..len(k)
            scope e: f64
              e = x[k[i]] * exp(y[i]) + y[i]
              for j in 0..2
                s += x[k[i]] / exp(y[i])
              if x[k[i]] < e
                y[i] = 1.0 / e
              s += e / 2.0 + y[i]
        ",
        "
        fn f(x: in f64[_], k: in usize[_], y: inout f64[len(k)]) -> s: f64
          s = 0.0
          for i in 0..len(k)
            scope e: f64, x_value: f64, exp_value: f64, y_value: f64
              x_value = x[k[i]]
              y_value = y[i]
              exp_value = exp(y_value)
              e = x_value * exp_value + y_value
              for j in 0..2
                s += x_value / exp_value
              if x_value < e
                y[i] = 1.0 / e
              s += e / 2.0 + y[i]
        ",
        vec![vec![
            Array::floats(&[1.0, -2.0, 9.0]),
            Array::ints(&[2, 0, 1]),
            Array::floats(&[0.5, 1.5, 2.5]),
        ]],
    );
}

#[test]
fn what_is_written_in_between_or_evaluated_only_sometimes_before_stays() {
    assert_unchanged(
        share,
        "
        fn f(x: inout f64[_], n: in usize) -> s: f64
          s = 0.0
          for i in 0..n
            s += x[i]
            x[0] = s
            s += x[i]
          if n > 3
            s += x[1] / s
          s += x[1]
          x[1] = s
          s += x[1] * 2.0
          for j in 0..n
            s += x[2]
            x[2] = s
        ",
    );
}

#[test]
fn what_is_added_here_and_subtracted_there_is_one_value() {
    let inputs = || {
        vec![vec![Array::floats(&[1.0, -2.0]), Array::floats(&[0.5, 1.5]), Array::floats(&[0.5, 1.5, 2.5])]]
    };
    assert_pass(
        share,
        "
        fn f(x: in f64[_], w: in f64[_], y: inout f64[_])
          for i in 0..2
            scope a: f64, b: f64
              a = x[i]
              b = w[i]
              y[i] += a * b
              y[i + 1] += -(a * b)
        ",
        "
        fn f(x: in f64[_], w: in f64[_], y: inout f64[_])
          for i in 0..2
            scope a: f64, b: f64, summand: f64
              a = x[i]
              b = w[i]
              summand = a * b
              y[i] += summand
              y[i + 1] += -summand
        ",
        inputs(),
    );
}

#[test]
fn summands_that_are_variables_or_change_in_between_stay() {
    assert_unchanged(
        share,
        "
        fn f(a: in f64, b: inout f64, s: inout f64, y: inout f64[_])
          y[0] += a
          y[1] += -a
          y[0] += a * b
          b = 2.0
          y[1] += a * b
          s += a - 1.0
          s += a - 1.0
        ",
    );
}

#[test]
fn beside_a_reverse_sweep_only_gathers_and_operations_are_shared() {
    assert_pass(
        share_gathers,
        "
        fn f(x: in f64[_], k: in usize[_], d_x: adjoint(x) f64[len(x)], seed: in f64) -> s: f64
          s = 0.0
          for i in 0..len(k)
            s += x[k[i]] / x[i]
            d_x[k[i]] += seed / x[i] # adjoint
            d_x[i] += -(seed / x[i] * (x[k[i]] / x[i])) # adjoint
        ",
        "
        fn f(x: in f64[_], k: in usize[_], d_x: adjoint(x) f64[len(x)], seed: in f64) -> s: f64
          s = 0.0
          for i in 0..len(k)
            scope quotient: f64, quotient.2: f64
              quotient = x[k[i]] / x[i]
              s += quotient
              quotient.2 = seed / x[i] # adjoint
              d_x[k[i]] += quotient.2 # adjoint
              d_x[i] += -(quotient.2 * quotient) # adjoint
        ",
        vec![vec![
            Array::floats(&[1.0, -2.0, 9.0]),
            Array::ints(&[2, 0, 1]),
            Array::floats(&[0.5, 1.5, 2.5]),
            Array::float(1.0),
        ]],
    );
}

#[test]
fn scopes_are_no_border_and_checks_stay_as_written() {
    assert_pass(
        share,
        "
        fn f(x: in f64[_], y: inout f64[2])
          scope t: f64
            check x[0] < 1.0 \"small\"
            t = x[0]
            y[0] += t / x[1]
          scope u: f64
            u = x[0]
            y[1] += u / x[1]
        ",
        "
        fn f(x: in f64[_], y: inout f64[2])
          scope x_value: f64, x_value.2: f64
            scope t: f64
              check x[0] < 1.0 \"small\"
              x_value = x[0]
              t = x_value
              x_value.2 = x[1]
              y[0] += t / x_value.2
            scope u: f64
              u = x_value
              y[1] += u / x_value.2
        ",
        vec![vec![Array::floats(&[0.5, 4.0]), Array::floats(&[1.0, 2.0])]],
    );
}
