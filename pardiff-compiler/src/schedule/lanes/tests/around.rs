//! Neighbouring iterations around the lane loop of an inner loop, with statements before and behind it.

use super::{Arg, assert_same, assert_text, changed, inner};
use crate::ir::{BufferSet, Program, verify};
use crate::schedule::lanes::jam;
use std::collections::HashSet;

/// The loop over `k` in an iteration of a loop over `i`, before and after; its innermost loop runs in lanes.
fn jammed(nest: &str) -> (Program, Program) {
    let text = format!(
        "
        fn f(x: in f64[_], y: inout f64[_], z: inout f64[_], p: in usize[_], n: in usize, d: in usize) -> total: f64
          total = 0.0
          for i in 0..n
            scope e: f64[n + 1], most: f64, tape: f64[n + 1]
              most = -1000.0
              for q in 0..n + 1
                e[q] = 0.0
                tape[q] = 0.0
{}
              for r in 0..n
                total += e[r] * x[r] + tape[r]
              total += most
        ",
        nest.lines().map(|line| format!("              {line}")).collect::<Vec<_>>().join("\n")
    );
    let (before, mut after) =
        changed(&text, &mut |program, stmt| _ = inner::mark(program, &BufferSet::new(), false, &[], stmt));
    jam(&mut after, &HashSet::new(), &HashSet::new());
    let errors = verify::verify(&after).err().unwrap_or_default();
    assert!(errors.is_empty(), "{errors:?}\n{after}");
    for (n, d) in [0, 1, 3, 4, 5, 8, 11].into_iter().flat_map(|n| [(n, 0), (n, 3), (n, 9)]) {
        let args = |name: &str| match name {
            "n" => Arg::Size(n),
            "d" => Arg::Size(d),
            "p" => Arg::Indices((0..n).map(|k| k * 7 % 5).collect()),
            _ => Arg::Floats((n + 16) * (d + 1) + 12),
        };
        assert_same(&before, &after, &args);
    }
    (before, after)
}

/// Whether iterations of the loop over `k` are executed together.
fn is_jammed(nest: &str) -> bool {
    let (_, after) = jammed(nest);
    let text = after.to_string();
    text.lines().any(|line| line.trim().starts_with("for k") && line.contains(" step "))
}

const SCORES: &str = "for k in 0..n
  scope s: f64, row: usize
    row = p[k] * d
    tape[k] = most
    s = 0.0
    for j in 0..9
      s += x[i + j] * z[row + j]
    e[k] = s * 0.5
    most max= e[k]";

#[test]
fn what_stands_before_and_behind_a_sum_is_copied_with_it() {
    let (_, after) = jammed(SCORES);
    assert_text(
        &after,
        "
        scope x_value: f64
          x_value = x[i + j]
          s += x_value * z[row + j]
          s.2 += x_value * z[row.2 + j]",
    );
    // the running maximum is stored where the one before it is known
    assert_text(
        &after,
        "
        tape[k] = most
        e[k] = s * 0.5
        most max= e[k]
        tape[k + 1] = most
        e[k + 1] = s.2 * 0.5
        most max= e[k + 1]",
    );
}

#[test]
fn rows_that_are_only_added_to_may_be_the_same() {
    // `p` repeats values, and rows overlap
    for nest in [
        "for k in 0..n down\n  for j in 0..9\n    z[p[k] * 2 + j] += e[k] * x[j]\n    y[j] += e[k] * x[k * d + j]",
        "for k in 0..n\n  for j in 0..9\n    y[j] = y[j] * 0.5 + x[k * d + j]",
        "for k in 0..n\n  scope a: f64\n    a = e[k] + 1.0\n    most max= a\n    for j in 0..9\n      z[j] += a * x[k * d + j]",
    ] {
        assert!(is_jammed(nest), "{nest}");
    }
}

#[test]
fn iterations_that_share_something_else_stay_in_order() {
    for nest in [
        // each row from the one before
        "for k in 0..n\n  for j in 0..9\n    z[(k + 1) * d + j] = z[(k + 1) * d + j] + x[j] * x[k * d + j] * y[j]\n    y[j] += x[j] * z[(k + 1) * d + j]",
        "for k in 0..n\n  for j in 0..9\n    z[k + j] = x[j] * x[k * d + j] + z[k + j]",
        // the sum is read before the next one
        "for k in 0..n\n  scope s: f64\n    s = most\n    for j in 0..9\n      s += x[j] * z[k * d + j]\n    most = s * 0.5",
        // what stands behind writes what the loop reads
        "for k in 0..n\n  scope s: f64\n    s = 0.0\n    for j in 0..9\n      s += x[j] * y[j] * z[k * d + j]\n    y[0] = s * 0.01",
        // what stands before writes what the loop reads
        "for k in 0..n\n  y[k] = e[k]\n  for j in 0..9\n    z[j] += y[j] * x[k * d + j]",
        // long rows, and rows that are only added up
        "for k in 0..n\n  for j in 0..d\n    y[j] += x[k * d + j] * z[j]",
        "for k in 0..n\n  for j in 0..9\n    y[j] += x[k * d + j]",
        // the length of the loop differs
        "for k in 0..n\n  for j in 0..k\n    z[j] += e[k] * x[k * d + j]",
        "for k in 0..n\n  for j in 0..p[k]\n    z[j] += e[k] * x[k + j]",
    ] {
        assert!(!is_jammed(nest), "{nest}");
    }
}
