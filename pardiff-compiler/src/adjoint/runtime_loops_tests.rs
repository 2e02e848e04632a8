use super::tests::reversed;
use crate::ir::interp::Array;

fn reverse_of(condition: &str, changes: &str) -> String {
    let text = format!(
        "
fn f(x: in f64[_], n: in usize, start: in usize) -> sum: f64
  scope m: usize, limit: f64
    sum = 0.0
    m = n
    limit = 1.5
    loop k
      while {condition}
      check k + start < len(x) index \"x\" \"x[k + start]\"
      sum = sum + x[k + start] * x[k + start]
      limit = limit - 0.25{changes}"
    );
    let x = Array::floats(&[0.5, 2.0, -1.0, 0.25, 3.0, 1.0, 1.0, 1.0]);
    reversed(text.trim_start(), &[x, Array::int(4), Array::int(1)]).to_string()
}

/// The reverse loop of a loop that is left early ends before the bound of its range as well.
#[test]
fn a_bound_that_stays_ends_the_reverse_loop() {
    let text = reverse_of("(limit > 0.1) & (k < n)", "");
    assert!(text.contains("in 0..int::min(k_trips, n) down"), "{text}");
    let text = reverse_of("(k + start < n) & (limit > 0.1)", "");
    assert!(text.contains("in 0..int::min(k_trips, saturating_sub(n, start)) down"), "{text}");
}

/// One that the loop changes says nothing of the iterations before.
#[test]
fn a_bound_that_changes_does_not() {
    let text = reverse_of("(limit > 0.1) & (k < m)", "\n      m = 3");
    assert!(text.contains("in 0..k_trips down"), "{text}");
}

/// Nor does one of two conditions of which one holds.
#[test]
fn a_bound_that_may_be_passed_does_not() {
    let text = reverse_of("(limit > 0.1) | (k < n)", "");
    assert!(text.contains("in 0..k_trips down"), "{text}");
}
