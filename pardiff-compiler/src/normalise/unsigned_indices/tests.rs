//! Signed sums in conditions and indices.

use super::rewrite;
use crate::equivalence::{assert_pass, assert_unchanged};
use crate::ir::Program;
use crate::ir::interp::Array;
use crate::simplify::propagate_copies;

fn of(body: &str) -> String {
    format!("fn f(x: in f64[_], n: in usize, m: in i32) -> total: f64\n  total = 0.0\n{body}")
}

fn runs() -> Vec<Vec<Array<f64>>> {
    let x = Array::floats(&[1.0, -2.0, 3.0, 0.5, 4.0]);
    [0, 1, 2, 5].map(|n| vec![x.clone(), Array::int(n), Array::int(n)]).into()
}

#[test]
fn conditions_and_indices_are_of_one_type() {
    let nest = |row: &str, cond: &str, index: &str| {
        of(&format!(
            "  for i in 0..n
    for d in 0..3
      scope r: i64
{row}        if {cond}
          total += x[{index}]
"
        ))
    };
    let row = "        r = i as i64 + (d as i64 - 1)\n";
    let nested = of("  for i in 0..n
    for d in 0..3
      scope r: i64
        if i + d >= 1
          if i + d < n + 1
            total += x[i + d - 1]
");
    assert_pass(rewrite, &nest(row, "(r >= 0) & (r < n as i64)", "r as usize"), &nested, runs());
    assert_pass(
        rewrite,
        &nest(row, "(r < 0) | (n as i64 - 1 < r)", "0"),
        &nest("", "(i + d < 1) | (n < i + d)", "0"),
        runs(),
    );
    assert_pass(
        rewrite,
        &nest(row, "n > 9", "r as usize"),
        &nest("", "n > 9", "wrapping_sub(wrapping_add(i, d), 1)"),
        runs(),
    );
}

#[test]
fn limits_are_those_of_sizes() {
    for (before, after) in [
        ("int::clamp(i as isize - 2, 0, n as isize - 1)", "saturating_sub(i, 2)"),
        ("int::clamp(i as isize + 2, 0, n as isize - 1)", "int::min(i + 2, n - 1)"),
        ("int::clamp(i as isize, 0, n as isize - 1)", "i"),
        ("int::max(i as isize - 2, 0)", "saturating_sub(i, 2)"),
        ("int::min(i as isize + 2, n as isize - 1)", "int::min(i + 2, n - 1)"),
        ("int::min(n as isize - 1, i as isize + 2)", "int::min(i + 2, n - 1)"),
        ("int::min(int::max(i as i64 - 2, 0), n as i64 - 1)", "saturating_sub(i, 2)"),
        ("int::max(int::min(i as i64 - 2, n as i64 - 1), 0)", "saturating_sub(i, 2)"),
        ("(i as isize + 1) * 2", "i * 2 + 2"),
        ("int::clamp(i as isize, 1, n as isize)", "int::clamp(i, 1, n)"),
    ] {
        let nest = |index: &str| of(&format!("  for i in 0..n\n    total += x[{index}]\n"));
        let enough = runs().into_iter().filter(|args| args[1] != Array::int(5)).collect();
        assert_pass(rewrite, &nest(&format!("({before}) as usize")), &nest(after), enough);
    }
}

#[test]
fn fewer_bits_are_checked() {
    let text = |check: &str, bound: &str, cond: &str, index: &str| {
        of(&format!(
            "{check}  for i in 0..{bound}
    if {cond}
      total += x[{index}]
"
        ))
    };
    let message = "\"a loop whose iterator is cast to `i32` has too many iterations for that\"";
    let check = format!("  check n < 536870911 {message}\n");
    assert_pass(
        rewrite,
        &text("", "n", "i as i32 - 1 >= 0", "(i as i32 - 1) as usize"),
        &text(&check, "n", "i >= 1", "i - 1"),
        runs(),
    );
    let bound = "int::max(m, 0) as usize";
    let check = format!("  check {bound} < 536870911 {message}\n");
    assert_pass(
        rewrite,
        &text("", bound, "i as i32 + 1 < m", "(i as i32 + 1) as usize"),
        &text(&check, bound, &format!("i + 1 < {bound}"), "i + 1"),
        runs(),
    );
}

#[test]
fn a_loop_without_a_cast_is_not_checked() {
    let text = |check: &str, cond: &str| {
        of(&format!(
            "  for k in 0..n
    total += x[k]
  if len(x) > 2
{check}    for i in 0..n
      if {cond}
        total += x[i]
"
        ))
    };
    let message = "\"a loop whose iterator is cast to `i32` has too many iterations for that\"";
    let check = format!("    check n < 536870911 {message}\n");
    assert_pass(rewrite, &text("", "i as i32 - 1 >= 0"), &text(&check, "i >= 1"), runs());
}

/// The passes over signed sums in the order in which they run.
fn named(program: Program) -> Program {
    rewrite(propagate_copies(program))
}

#[test]
fn a_size_that_a_helper_is_given_is_the_bound_of_the_loop() {
    let text = |name: &str, size: &str, index: &str| {
        of(&format!(
            "  for i in 0..n
    scope size: usize
{name}      if {size}
        total += x[{index}]
"
        ))
    };
    assert_pass(
        named,
        &text(
            "      size = n\n",
            "i as i64 + 1 < size as i64",
            "int::min(int::max(i as i64 - 2, 0), size as i64 - 1) as usize",
        ),
        &text("      size = n\n", "i + 1 < n", "saturating_sub(i, 2)"),
        runs(),
    );
}

#[test]
fn a_name_of_several_sizes_stays() {
    assert_unchanged(
        named,
        &of("  for i in 0..n
    scope size: usize
      size = n
      size = len(x)
      if i as i64 + 1 < size as i64
        total += x[i]
"),
    );
}

#[test]
fn other_numbers_stay() {
    for body in [
        // of a size that is no bound of a loop around, of 16 bits, of a number that the loop changes, of an element
        "  for i in 0..n\n    if i as i64 + 1 < len(x) as i64\n      total += 1.0\n",
        "  for i in 0..n\n    if i as i16 - 1 >= 0\n      total += 1.0\n",
        "  scope k: i64\n    k = 0\n    for i in 0..n\n      if i as i64 + k < n as i64\n        k = k + 1\n",
        "  for i in 0..n\n    total += x[(x[i] as i64) as usize]\n",
        // of a number that a `while` asks for again
        "  for i in 0..n
    scope k: i64
      k = i as i64 - 2
      loop round
        while k < n as i64
        k = k * 2 + 9
",
        // a number that has no room in 32 bits
        "  for i in 0..n\n    total += x[((i as i32 + 60000) * 60000) as usize]\n",
        // an iterator may be zero
        "  for i in 0..n\n    total += x[(int::min(i as i64 + 2, i as i64 - 1)) as usize]\n",
    ] {
        assert_unchanged(rewrite, &of(body));
    }
}

#[test]
fn a_limit_far_above_the_bound_is_no_size_of_a_product() {
    let text = |check: &str| {
        of(&format!(
            "{check}  for i in 0..n
    for j in 0..n
      total += x[(int::min(i as i32 + 1, n as i32 + 65000) * j as i32) as usize % len(x)]
"
        ))
    };
    let check =
        "  check n < 536870911 \"a loop whose iterator is cast to `i32` has too many iterations for that\"\n";
    assert_pass(rewrite, &text(""), &text(check), runs());
}
