//! Derivatives that are made of values that are there anyway, and of which they are not: the functions that are called.

use super::tests::{program, reversed, x5};
use crate::ir::interp::Array;

#[test]
fn a_derivative_is_made_of_values_that_are_there_anyway() {
    let text = program(
        "
        fn f(x: in f64[_], n: in usize) -> r: f64
          r = 0.0
          for i in 0..n
            scope u: f64, s: f64, c: f64, q: f64
              u = 2.0 * x[i]
              s = sin(u)
              c = cos(2.0 * x[i])
              q = s / (c + 3.0)
              r += q * q * c
        ",
    );
    let count = |text: &str, what: &str| {
        let program = reversed(text, &[x5(), Array::int(5)]).to_string();
        (program.matches(what).count(), program)
    };
    // the operand has another form: not recognised
    let (cosines, program) = count(&text, "cos(");
    assert_eq!(cosines, 2, "{program}");
    let text = text.replace("cos(2.0 * x[i])", "cos(u)");
    for what in ["sin(", "cos("] {
        let (calls, program) = count(&text, what);
        assert_eq!(calls, 1, "{program}");
    }
    // the quotient itself is read, and the adjoint divided
    let (quotients, program) = count(&text, " / ");
    assert_eq!(quotients, 2, "{program}");
    // from tapes: the quotient `q.2` only where statements behind ask for it
    let text = text.replace("0..n", "0..n marks(store)");
    for (sum, is_asked_for) in [("q * q * c", true), ("q + c * s", false)] {
        let (quotients, program) = count(&text.replace("q * q * c", sum), " / ");
        assert_eq!(quotients, 3, "{program}");
        assert_eq!(program.contains(" * q.2)"), is_asked_for, "{program}");
        assert_eq!(program.matches("cos(").count(), 1, "{program}");
    }
}

#[test]
fn a_derivative_is_not_made_of_a_value_at_another_place() {
    for (what, cosine) in [
        ("the angle is another one by then", "u = u + 1.0\n      c = cos(u)"),
        ("only some iterations have it", "if i > 1\n        c = cos(u)"),
        ("it is of another element", "c = cos(x[i])\n      x[i] = u"),
    ] {
        let text = program(&format!(
            "
fn f(x: inout f64[_], n: in usize) -> r: f64
  r = 0.0
  for i in 0..n
    scope u: f64, s: f64, c: f64
      u = x[i]
      c = 0.5
      s = sin(u)
      {cosine}
      r += s * c * c
"
        ));
        let program = reversed(&text, &[x5(), Array::int(5)]).to_string();
        assert!(program.matches("cos(").count() > 1, "{what}: {program}");
    }
}

#[test]
fn a_quotient_is_read_from_the_element_that_holds_it() {
    let divisions = |behind: &str| {
        let text = program(&format!(
            "
fn f(x: in f64[_], y: inout f64[_], n: in usize) -> r: f64
  r = 0.0
  for i in 0..n
    y[i] = (x[i] + 1.0) / (x[i] * x[i] + 2.0)
    r += y[i] * y[i]
  {behind}
"
        ));
        let program = reversed(&text, &[x5(), x5(), Array::int(5)]).to_string();
        (program.matches(" / ").count(), program)
    };
    // in the forward sweep, and of the adjoint
    let (count, program) = divisions("r += y[0]");
    assert_eq!(count, 2, "{program}");
    // the element may be another value by then
    let (count, program) = divisions("y[0] = 2.0");
    assert_eq!(count, 3, "{program}");
}
