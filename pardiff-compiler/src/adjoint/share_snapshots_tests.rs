//! Tapes of loops that are left when something has converged, and arrays that are stored once for several nests.

use super::tests::{reversed, tapes};
use crate::ir::interp::Array;

/// At most five rounds, until `s` is less than `least`; in each the statements `front`, in front of the question, and
/// `rest`.
fn until(front: &[&str], rest: &[&str]) -> String {
    let indented = |lines: &[&str], by: usize| -> String {
        lines.iter().map(|line| format!("{:by$}{line}\n", "")).collect()
    };
    let (front, rest) = (indented(front, 6), indented(rest, 8));
    numbered(&format!(
        "fn f(x: in f64[_], n: in usize, least: in f64) -> r: f64
  r = 0.0
  scope p: f64[len(x)], s: f64, goes_on: bool
    for i in 0..len(x)
      p[i] = x[i]
    goes_on = true
    s = 9.0
    loop k
      while goes_on & (k < 5)
{front}      if s < least
        goes_on = false
      else
{rest}    for i in 0..len(x)
      r += p[i] * p[i] * s
"
    ))
}

/// Gives the iterator `i` of each loop a number of its own.
fn numbered(text: &str) -> String {
    let (mut number, mut out) = (0, String::new());
    for (at, line) in text.lines().enumerate() {
        if line.trim_start().starts_with("for i ") {
            number = at + 2;
        }
        let own = format!("i.{number}");
        let line = line.replace("[i", &format!("[{own}")).replace("for i ", &format!("for {own} "));
        out.push_str(&(line + "\n"));
    }
    out
}

/// The tapes, where the gradient is right however many rounds there are.
fn stored(text: &str, n: &[i128]) -> Vec<String> {
    let x = Array::floats(&[0.5, -0.25, 1.5, 0.75, -1.25]);
    let mut found = Vec::new();
    for &n in n {
        // five rounds, some, one that ends at once
        for least in [0.0, 1.0, 2.0, 4.0, 100.0] {
            found = tapes(&reversed(text, &[x.clone(), Array::int(n), Array::float(least)]));
        }
    }
    // without elements
    reversed(text, &[Array::floats(&[]), Array::int(0), Array::float(0.5)]);
    found
}

#[test]
fn what_stands_behind_a_break_has_a_row_for_each_round() {
    let rest =
        ["s = 0.4 * s", "for i in 0..len(x)", "  p[i] = p[i] * p[i] * 0.7", "  s += 0.1 * p[i] * p[i]"];
    let found = stored(&until(&[], &rest), &[5]);
    assert!(
        found.iter().any(|tape| tape.starts_with("p_tape") && tape.ends_with("rank 2 reached")),
        "{found:?}"
    );
    assert!(found.iter().all(|tape| !tape.ends_with("rank 1 reached")), "{found:?}");
    // in front of it, and behind it
    let found = stored(&until(&rest, &rest), &[5]);
    assert!(found.iter().filter(|tape| tape.ends_with("rank 2 reached")).count() >= 2, "{found:?}");
}

#[test]
fn what_another_condition_passes_over_has_a_row_for_itself() {
    // in rounds that do nothing no row may be taken, however long it would be
    let rest = ["s = 0.4 * s", "if n < 6", "  for i in 0..n", "    p[i] = p[i] * p[i] * 0.7"];
    let found = stored(&until(&[], &rest), &[5, i128::from(u64::MAX)]);
    assert!(found.iter().any(|tape| tape == "p_tape rank 1 reached"), "{found:?}");
    // a flag that is set again does not end the loop
    let text = until(&[], &rest[..1])
        .replace("        s = 0.4 * s\n", "        s = 0.4 * s\n        goes_on = true\n");
    stored(&text, &[5]);
}

#[test]
fn a_local_array_behind_a_break_lives_in_its_tape() {
    let rest = [
        "s = 0.4 * s",
        "scope q: f64[len(x)]",
        "  for i in 0..len(x)",
        "    q[i] = exp(0.1 * p[i])",
        "  for i in 0..len(x)",
        "    s += 0.1 * q[i] * q[i]",
        "  for i in 0..len(x)",
        "    p[i] = p[i] + 0.1 * q[i]",
    ];
    assert_eq!(stored(&until(&[], &rest), &[5]), ["q_tape rank 2 reached"]);
}

#[test]
fn an_array_that_several_nests_read_is_stored_once() {
    let sum = ["for i in 0..len(x)", "  s += 0.1 * p[i] * p[i]"];
    let product = ["for i in 0..len(x)", "  s += 0.1 * p[i] * p[i] * x[i]"];
    let update = ["for i in 0..len(x)", "  p[i] = 0.5 * p[i] * p[i]"];
    let count = |parts: &[&[&str]]| {
        let rest = parts.concat();
        let found = stored(&until(&[], &[&["s = 0.4 * s"], &rest[..]].concat()), &[5]);
        found.iter().filter(|tape| tape.starts_with("p_tape")).count()
    };
    assert_eq!(count(&[&sum, &product, &update]), 1);
    // the one that writes the array reads it first; behind it there are other values
    assert_eq!(count(&[&update, &sum, &product]), 2);
    assert_eq!(count(&[&sum, &update, &product, &update]), 2);
    // an element is read after another one has been written
    let shifted = ["for i in 1..len(x)", "  p[i] = 0.5 * p[i] * p[i - 1]"];
    assert!(count(&[&sum, &product, &shifted]) > 1);
    let late = ["for i in 0..len(x)", "  p[i] = 0.5 * p[i]", "  s += 0.1 * p[i] * p[i]"];
    assert!(count(&[&sum, &late, &update]) > 1);
    // a condition may pass over the first of them, or over others
    let sometimes = ["if s < 3.0", "  for i in 0..len(x)", "    s += 0.1 * p[i] * p[i]"];
    assert_eq!(count(&[&sometimes, &update]), 2);
    assert_eq!(count(&[&sum, &sometimes, &update]), 1);
    let behind = ["if s < 3.0", "  for i in 0..len(x)", "    p[i] = 0.5 * p[i] * p[i]"];
    assert_eq!(count(&[&sum, &product, &behind]), 1);
    let between = ["if s < 3.0", "  for i in 0..len(x)", "    p[i] = 0.5 * p[i]"];
    assert_eq!(count(&[&sum, &between, &update]), 2);
    // a few elements do not take a whole array
    let few = ["for i in 0..n", "  s += 0.1 * p[i] * p[i]"];
    assert_eq!(count(&[&few, &update]), 2);
}

#[test]
fn nests_of_a_counted_loop_share_as_well() {
    let text = numbered(
        "fn f(x: in f64[_], n: in usize) -> r: f64
  r = 0.0
  scope p: f64[len(x)]
    for i in 0..len(x)
      p[i] = x[i]
    for t in 0..n
      for i in 0..len(x)
        r += p[i] * p[i]
      for i in 0..len(x)
        p[i] = 0.5 * p[i] * p[i]
",
    );
    for n in 0..4 {
        let found = tapes(&reversed(&text, &[Array::floats(&[0.5, -0.25, 1.5]), Array::int(n)]));
        assert_eq!(found, ["p_tape rank 2"]);
    }
}

#[test]
fn lengths_are_compared_in_terms_of_what_they_are_computed_from() {
    let text = |hi: &str| {
        numbered(&format!(
            "fn f(x: in f64[_], y: in f64[_], n: in usize) -> r: f64
  r = 0.0
  scope m: usize, parts: usize, shorter: usize, other: usize
    m = len(x) + 1
    parts = saturating_sub(m, 1)
    shorter = int::min(parts, len(x))
    other = int::min(parts, len(y))
    scope p: f64[m]
      for i in 0..m
        p[i] = 0.25
      for i in 0..len(x)
        p[i] = x[i]
      for t in 0..n
        for i in 0..{hi}
          r += p[i] * p[i]
        for i in 0..shorter
          r += p[i] * p[i + 1] * y[i]
        for i in 0..m
          p[i] = 0.5 * p[i] * p[i]
"
        ))
    };
    let count = |hi: &str| {
        let x = Array::floats(&[0.5, -0.25, 1.5]);
        tapes(&reversed(&text(hi), &[x.clone(), x, Array::int(3)])).len()
    };
    assert_eq!(count("shorter"), 1);
    assert_eq!(count("parts"), 1);
    // another array may be much shorter
    assert_eq!(count("other"), 2);
}

#[test]
fn what_is_stored_for_a_sparse_product_serves_the_loops_behind_it() {
    let product = [
        "for j in 0..n",
        "  for c in 0..2",
        "    check at[2 * j + c] < len(p) \"p\"",
        "    r += x[j] * p[at[2 * j + c]]",
    ];
    let sums = ["for i in 0..n", "  r += p[i] * p[i]"];
    let count = |parts: &[&[&str]]| {
        let rest: String = parts.concat().iter().map(|line| format!("      {line}\n")).collect();
        let text = numbered(&format!(
            "fn f(x: in f64[_], n: in usize, at: in usize[_]) -> r: f64
  r = 0.0
  scope p: f64[len(x)]
    for i in 0..len(x)
      p[i] = x[i]
    for t in 0..3
{rest}      for i in 0..n
        p[i] = 0.5 * p[i] * p[i]
"
        ));
        let (x, at) = (Array::floats(&[0.5, -0.25, 1.5]), Array::ints(&[2, 1, 0, 0, 1, 2]));
        tapes(&reversed(&text, &[x, Array::int(3), at])).len()
    };
    // the loops to `n` need not go through all of an array that is there anyway
    assert_eq!(count(&[&product, &sums]), 1);
    // which it is not where a condition may pass over the product, or behind a write
    let under: Vec<String> = product.iter().map(|line| format!("  {line}")).collect();
    let under: Vec<&str> = under.iter().map(String::as_str).collect();
    assert!(count(&[&["if n > 2"], &under, &sums]) > 1);
    assert!(count(&[&product, &["for i in 0..n", "  p[i] = 0.5 * p[i]"]]) > 1);
}
