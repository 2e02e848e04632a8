//! Loops around rows in lanes: each lane has a row of its own.

use super::in_inner_loops::{marked, marked_under};
use crate::ir::{Exec, Program, Stmt};

/// The names of the loops that run in lanes.
fn in_lanes(program: &Program) -> Vec<String> {
    let mut names = Vec::new();
    let mut see = |stmt: &Stmt| {
        if let Some(for_) = stmt.as_for()
            && matches!(for_.exec, Exec::Lanes { .. })
        {
            names.push(program[for_.iter].name.clone());
        }
    };
    program.body.iter().for_each(|stmt| stmt.walk(&mut |stmt| see(stmt)));
    names
}

#[track_caller]
fn assert_lanes(body: &str, expected: &[&str]) {
    let (_, after, _) = marked(body);
    assert_eq!(in_lanes(&after), expected, "{after}");
}

const ROWS: &str = "for j in 0..n
  scope w: f64
    w = 0.0
    for q in p[j]..n
      for r in 0..2
        w += exp(x[q] * x[r])
    s += w * x[j]
    z[j] += w";

#[test]
fn short_rows_with_functions_run_in_lanes() {
    assert_lanes(ROWS, &["j"]);
    // downwards, and with elements of several rows
    assert_lanes(&ROWS.replace("p[j]..n", "p[j]..n down"), &["j"]);
    assert_lanes(&ROWS.replace("  for r in 0..2", "  y[q] += exp(x[q] - x[j])\n      for r in 0..2"), &["j"]);
}

#[test]
fn own_arrays_are_vectors_if_they_are_small() {
    let with = |size: &str| {
        ROWS.replace("    for q in p[j]..n\n", &format!("    for q in p[j]..n\n      scope a: f64[{size}]\n"))
            .replace("      for r in 0..2\n        w += exp(x[q] * x[r])", "        for r in 0..2\n          a[r] = exp(x[q] * x[r])\n        for r.2 in 0..2\n          w += a[r.2] * x[j]")
    };
    assert_lanes(&with("2"), &["j"]);
    assert_lanes(&with("40"), &["r"]);
}

#[test]
fn rows_that_may_run_in_lanes_themselves_do() {
    assert_lanes("for j in 0..n\n  for q in p[j]..n\n    s += exp(x[q]) * x[j]", &["q"]);
}

#[test]
fn rows_that_meet_stay_in_order() {
    // an element that another row assigns, or a sum that is read
    assert_lanes(&ROWS.replace("    z[j] += w", "    y[p[j]] = w\n    t += y[j]"), &["r"]);
    assert_lanes(&ROWS.replace("    z[j] += w", "    z[j] += s"), &["r"]);
    assert!(in_lanes(&marked_under(true, ROWS).1).is_empty());
}

#[test]
fn rows_of_cheap_sums_anywhere_stay_in_order() {
    assert_lanes(
        "for j in 0..n\n  for q in p[j]..n\n    for r in 0..2\n      y[q + r] += x[q] * x[j]",
        &["r"],
    );
}
