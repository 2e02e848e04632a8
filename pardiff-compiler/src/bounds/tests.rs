//! Checks that leave their loops, and those that do not.

use super::place;
use crate::ir::interp::{Array, Value, no_paths, run};
use crate::ir::verify::verify;
use crate::ir::{Program, parse};

const HEAD: &str = "
fn f(a: in f64[_], p: in usize[_], n: in usize, m: in usize, k: in usize, y: inout f64[_], q: inout usize)
";

#[track_caller]
fn program(body: &str) -> Program {
    let program = parse(&format!("{HEAD}{body}")).unwrap_or_else(|error| panic!("{error}\n{body}"));
    assert_eq!(verify(&program), Ok(()), "{body}");
    program
}

/// The program with its checks placed; it panics exactly where it did.
#[track_caller]
fn placed(body: &str) -> String {
    let before = program(body);
    let after = place(before.clone());
    assert_eq!(verify(&after), Ok(()), "{after}");
    for len in [0, 1, 2, 3, 5, 6, 7, 12, 13] {
        for n in 0..4 {
            for (m, k) in [(0, 0), (1, 2), (2, 1), (3, 3), (4, 0)] {
                let args = || -> Vec<Array<f64>> {
                    let ints = [n, m, k].map(|value| Array::scalar(Value::Int(value)));
                    let [n, m, k] = ints;
                    let a = Array::floats(&vec![1.5; len]);
                    vec![a, Array::usizes(&[0, 2, 2, 3]), n, m, k, Array::floats(&[0.0; 3]), Array::int(2)]
                };
                let (old, new) = (run(&before, args(), &no_paths), run(&after, args(), &no_paths));
                match (&old, &new) {
                    (Ok(old), Ok(new)) => assert_eq!(old, new),
                    (Err(old), Err(new)) => {
                        assert!(old.kind.is_panic() && new.kind.is_panic(), "{old} {new}");
                    }
                    _ => panic!("len {len}, n {n}, m {m}, k {k}\n{before}\n{old:?}\n{after}\n{new:?}"),
                }
            }
        }
    }
    let text = after.to_string();
    text.split_once("usize)\n").map_or(text.clone(), |(_, body)| body.trim_end().to_owned())
}

/// Nothing moves.
#[track_caller]
fn stays(body: &str) {
    assert_eq!(
        placed(body),
        program(body).to_string().split_once("usize)\n").map_or("", |it| it.1).trim_end()
    );
}

#[test]
fn conditions_that_held_nothing_but_repeated_checks_go() {
    assert_eq!(
        placed(
            "
  for i in 0..n
    check i < len(a) index \"a\" \"a[i]\"
    y[0] += a[i]
  if 0 < n
    if 0 < n
      check saturating_sub(n, 1) < len(a) index \"a\" \"a[n - 1]\"
  if 0 < n - 1
    if 0 < n
      check saturating_sub(n, 1) < len(a) index \"a\" \"a[n - 1]\"
"
        ),
        "  if 0 < n
    check saturating_sub(n, 1) < len(a) index \"a\" \"a[i]\"
  for i in 0..n
    y[0] += a[i]
  if 0 < n - 1"
    );
}

#[test]
fn a_check_of_every_row_stands_once_in_front() {
    assert_eq!(
        placed(
            "  for i in 0..n\n    for j in 0..m\n      check i * m + j < len(a) index \"a\" \"a[i * m + j]\"\n      y[0] += a[i * m + j]"
        ),
        "  if 0 < n
    if 0 < m
      check saturating_add(saturating_mul(saturating_sub(n, 1), m), saturating_sub(m, 1)) < len(a) index \"a\" \"a[i * m + j]\"
  for i in 0..n
    for j in 0..m
      y[0] += a[i * m + j]"
    );
}

#[test]
fn a_check_that_the_bounds_imply_is_none() {
    assert_eq!(
        placed("  for i in 0..n\n    for j in 0..m\n      check i < n \"i\"\n      y[0] += 1.0"),
        "  for i in 0..n\n    for j in 0..m\n      y[0] += 1.0"
    );
    stays(
        "  for i in 0..=n\n    for j in 0..m\n      if m > 0\n        check i < n \"i\"\n      y[0] += 1.0",
    );
}

#[test]
fn the_last_iteration_of_an_inclusive_or_falling_loop_is_known() {
    let last = placed("  for i in 1..=n down\n    check i < len(a) \"a\"\n    y[0] += a[i]");
    assert_eq!(last, "  if 1 <= n\n    check n < len(a) \"a\"\n  for i in 1..=n down\n    y[0] += a[i]");
}

#[test]
fn a_triangle_is_left_as_far_as_its_bounds_allow() {
    assert_eq!(
        placed(
            "  for i in 0..n\n    for j in i + 1..m\n      check i + (j - (i + 1)) < len(a) \"a\"\n      y[0] += 1.0"
        ),
        "  for i in 0..n
    if i + 1 < m
      check saturating_add(i, saturating_sub(saturating_sub(m, 1), i + 1)) < len(a) \"a\"
    for j in i + 1..m
      y[0] += 1.0"
    );
}

#[test]
fn what_a_condition_guards_stays_under_it() {
    stays("  for i in 0..n\n    if i > 1\n      check i < len(a) \"a\"\n      y[0] += a[i]");
    let inside = placed("  if m > 1\n    for i in 0..n\n      check i < len(a) \"a\"\n      y[0] += a[i]");
    assert_eq!(
        inside,
        "  if m > 1\n    if 0 < n\n      check saturating_sub(n, 1) < len(a) \"a\"\n    for i in 0..n\n      y[0] += a[i]"
    );
}

#[test]
fn indirect_indices_and_short_rows_keep_their_checks() {
    stays("  for i in 0..3\n    check p[i] < len(a) \"a\"\n    y[i] += a[p[i]]");
    stays("  for i in 0..3\n    for j in p[i]..p[i + 1]\n      check j < len(a) \"a\"\n      y[i] += a[j]");
}

#[test]
fn what_falls_or_changes_in_the_loop_stays() {
    stays("  for i in 0..n\n    check n - 1 - i < len(a) \"a\"\n    y[0] += a[n - 1 - i]");
    stays("  for i in 0..n\n    check q < len(a) \"a\"\n    y[0] += a[q]\n    q = q + 1");
    stays(
        "  for i in 0..n\n    scope t: usize\n      t = i / 2\n      check t < len(a) \"a\"\n      y[0] += a[t]",
    );
    stays("  for i in 0..n step 2\n    check i < len(a) \"a\"\n    y[0] += a[i]");
}

#[test]
fn a_loop_that_may_not_end_keeps_its_checks() {
    stays("  for i in 0..n\n    loop t\n      while t < 2\n    check i < len(a) \"a\"\n    y[0] += a[i]");
}

#[test]
fn an_index_that_may_wrap_keeps_its_check() {
    // `i * k` with `k` as large as it likes, in a loop that starts anywhere
    stays("  for i in m..n\n    check i * k * k < len(a) \"a\"\n    y[0] += 1.0");
}

#[test]
fn a_check_is_made_once() {
    let twice = "  for i in 0..n\n    check i < len(a) \"a\"\n    y[0] += a[i]\n  for j in 0..n\n    check j < len(a) \"a\"\n    y[1] += a[j]";
    let once = "  if 0 < n\n    check saturating_sub(n, 1) < len(a) \"a\"\n  for i in 0..n\n    y[0] += a[i]\n  for j in 0..n\n    y[1] += a[j]";
    assert_eq!(placed(twice), once);
    stays("  check q < len(a) \"a\"\n  q = q + 1\n  check q < len(a) \"a\"\n  y[0] += 1.0");
    stays("  if n > 1\n    check m < len(a) \"a\"\n    y[1] = 1.0\n  check m < len(a) \"a\"\n  y[0] += 1.0");
}

#[test]
fn a_check_that_was_passed_under_the_same_conditions_is_not_repeated() {
    let body = "  scope i: usize, u: f64
    i = p[k % 2]
    u = 2.0
    if m < 3
      check i < len(a) index \"a\" \"a[i]\"
      u = a[i]
    for l in 0..n
      if m < 3
        if u > 1.0
          check i < len(a) index \"a\" \"a[i]\"
          y[1] += a[i]
";
    let text = placed(body);
    assert_eq!(text.matches("check i <").count(), 1, "{text}");
    for (from, to) in [
        // under another condition
        ("    for l in 0..n\n      if m < 3\n", "    for l in 0..n\n      if m < 4\n"),
        // of another index
        ("    for l in 0..n\n", "    i = i + 1\n    for l in 0..n\n"),
        ("          y[1] += a[i]\n", "          y[1] += a[i]\n          i = i + 1\n"),
    ] {
        let changed = body.replace(from, to);
        assert_ne!(changed, body);
        let text = placed(&changed);
        assert_eq!(text.matches("check i <").count(), 2, "{text}");
    }
}

#[test]
fn what_a_loop_checks_is_known_in_it_alone() {
    // the loop need not have an iteration, and its last index is not known behind it
    let text = placed(
        "  for l in 0..n
    check p[l] < len(a) index \"a\" \"a[p[l]]\"
    y[1] += a[p[l]]
    check p[l] < len(a) index \"a\" \"a[p[l]]\"
  for l.2 in 0..n
    check p[l.2] < len(a) index \"a\" \"a[p[l]]\"
    y[1] += a[p[l.2]]
",
    );
    assert_eq!(text.matches("check p[").count(), 2, "{text}");
}

#[test]
fn ends_below_zero_are_asked_for_in_tasks_where_checks_stay_in_the_loop() {
    let nest = |exec: &str, hi: &str, inner: &str| {
        format!(
            "  for i in 0..m {exec}
    check i < len(y) \"y\"
    for j in 1..{hi} sequential
      check j < len(p) \"p\"
{inner}"
        )
    };
    let gather = "      check p[j] < len(a) \"a\"\n      y[i] += a[p[j]]";
    let asked = "check n - 1 < !0 / 2 \"the end of a loop is below zero\"\n    for j in 1..n - 1";
    assert!(placed(&nest("parallel(task)", "n - 1", gather)).contains(asked));
    let named = "    scope e: usize\n      e = n - 1\n      for j in 1..e sequential\n        check p[j] < len(a) \"a\"
        check j < len(p) \"p\"\n        y[i] += a[p[j]]";
    let named = format!("  for i in 0..m parallel(task)\n    check i < len(y) \"y\"\n{named}");
    assert!(
        placed(&named).contains("check e < !0 / 2 \"the end of a loop is below zero\"\n      for j in 1..e")
    );
    // in order, up to a size, and with no check that stays
    for body in [
        nest("sequential", "n - 1", gather),
        nest("parallel(task)", "n", gather),
        nest("parallel(task)", "n - 1", "      y[i] += 1.0"),
    ] {
        assert!(!placed(&body).contains("below zero"), "{body}");
    }
}
