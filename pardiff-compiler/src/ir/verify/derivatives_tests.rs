//! Each way to decide by a derivative, and what a derivative may do.

use super::{Rule, verify};
use crate::ir::parse;

const HEAD: &str = "
fn f(x: in f64[_], d_x: adjoint(x) f64[len(x)], y: inout f64[len(x)], y_dot: tangent(y) f64[len(x)], n: in usize) -> total: f64, count: usize, big: bool
  count = 0
  big = false
  total = 0.0
  total += x[0]
";

/// The rules that a body breaks.
fn broken(body: &str) -> Vec<Rule> {
    let text = format!("{HEAD}{body}");
    let program = parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    verify(&program).err().unwrap_or_default().into_iter().map(|it| it.rule).collect()
}

#[test]
fn nothing_decides_by_a_derivative() {
    for wrong in [
        "if d_x[0] > 0.0\n    total = 1.0",
        "if (n > 0) & is_nan(y_dot[0])\n    total = 1.0",
        "guard d_x[0] == 0.0\n    total = 1.0",
        "loop trip\n    while y_dot[0] > 0.0\n    total += 1.0",
        "total = y[y_dot[0] as usize]",
        "y[y_dot[0] as usize] = 1.0",
        "total = y[n + (d_x[0] as usize)]",
        "for i in d_x[0] as usize..n\n    total += 1.0",
        "for i in 0..d_x[0] as usize\n    total += 1.0",
        "for i in 0..n step d_x[0] as usize\n    total += 1.0",
        "scope t: f64[y_dot[0] as usize]\n    total = 1.0",
        "count = y_dot[0] as usize",
        "count += y_dot[0] as usize",
        "big = y_dot[0] < y[0]",
        "total = (d_x[0] as i32) as f64",
        "total = select(d_x[0] > 0.0, x[0], y[0])",
        "check d_x[0] > 0.0 \"positive\"",
        // by floats that are computed from one
        "total = 2.0 * d_x[0]\n  big = total > 0.0",
        "scope t: f64\n    t = 0.0\n    if t > 0.0\n      t = y[0]\n    t += abs(y_dot[0])",
        "scope a: f64[n], b: f64[n]\n    for i in 0..n\n      a[i] = y_dot[i]\n    swap a, b\n    big = b[0] > 0.0",
    ] {
        assert_eq!(broken(&format!("  {wrong}")), [Rule::Derivative], "{wrong}");
    }
}

#[test]
fn values_and_lengths_may() {
    for right in [
        "if x[0] > 0.0\n    d_x[0] += y_dot[0] * x[0]",
        "total += select(x[0] > y[0], y_dot[0], d_x[0])",
        "for i in 0..len(d_x)\n    y_dot[i] = abs(d_x[i])",
        // the value that a rule for tangents leaves
        "call user g_jvp (mut, mut) reads(y, y_dot) writes(y, y_dot)\n  big = y[0] > 0.0",
        // what decides once is decided is the scheduler's
        "for i in 0..n sequential\n    if d_x[i] != 0.0\n      y_dot[i] += d_x[i]",
    ] {
        assert_eq!(broken(&format!("  {right}")), [], "{right}");
    }
}
