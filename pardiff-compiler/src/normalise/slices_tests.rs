use super::slices::along;
use crate::equivalence::{Args, assert_pass, assert_unchanged};
use crate::ir::interp::Array;

/// Rows of `x` and `y` with ends in `start`: `check` in front of each, and `body` for `k` below `len`.
fn rows(check: &str, len: &str, body: &[&str]) -> String {
    let head = [
        "fn f(x: in f64[_], y: in f64[_], start: in usize[_], n: in usize) -> s: f64",
        "  s = 0.0",
        "  for i in 0..n",
        "    scope row: usize, length: usize, other: usize, others: usize",
    ];
    let check = format!("      {check}");
    let ends = [
        "      row = start[i]".to_owned(),
        "      length = start[i + 1] - start[i]".to_owned(),
        "      other = start[i]".to_owned(),
        "      others = start[i + 1] - start[i]".to_owned(),
        format!("      for k in 0..{len}"),
    ];
    let body = body.iter().map(|line| format!("        {line}"));
    let lines = head.map(str::to_owned).into_iter().chain([check]).chain(ends).chain(body);
    lines.collect::<Vec<_>>().join("\n") + "\n"
}

const CHECK: &str = "check (start[i] <= start[i + 1]) & (start[i + 1] <= len(x)) \"a row\"";

fn args() -> Vec<Args> {
    let floats = |by: usize| Array::floats(&(0..9).map(|k| (k * by % 7) as f64 - 2.5).collect::<Vec<_>>());
    let with = |n: i128, start: &[usize]| vec![floats(3), floats(5), Array::usizes(start), Array::int(n)];
    vec![with(0, &[0]), with(3, &[0, 2, 2, 9]), with(2, &[1, 4, 6])]
}

/// The loop becomes one from `start[i]` to `start[i + 1]` with this body.
#[track_caller]
fn assert_along(len: &str, before: &[&str], after: &[&str]) {
    let expected = rows(CHECK, len, after).replace(&format!("0..{len}"), "start[i]..start[i + 1]");
    assert_pass(along, &rows(CHECK, len, before), &expected, args());
}

#[test]
fn a_loop_over_a_row_runs_along_the_array() {
    assert_along("length", &["s += x[row + k] * x[k + row]"], &["s += x[k] * x[k]"]);
}

#[test]
fn rows_with_the_same_ends_run_together() {
    let before = ["s += x[row + k] * y[other + k]"];
    assert_along("int::min(length, others)", &before, &["s += x[k] * y[k]"]);
}

#[test]
fn that_an_index_is_below_the_length_is_what_the_loop_says() {
    let before = ["check k < others index \"y\" \"y[k]\"", "s += y[other + k]"];
    assert_along("length", &before, &["s += y[k]"]);
}

#[test]
fn a_loop_whose_iterator_is_used_otherwise_stays() {
    assert_unchanged(along, &rows(CHECK, "length", &["s += x[row + k] * y[k]"]));
    assert_unchanged(along, &rows(CHECK, "length", &["s += x[row + k + k]"]));
}

#[test]
fn a_loop_whose_length_may_be_below_zero_stays() {
    let check = "check start[i + 1] <= len(x) \"a row\"";
    assert_unchanged(along, &rows(check, "length", &["s += x[row + k]"]));
}

#[test]
fn a_loop_over_rows_with_other_ends_stays() {
    let shifted = rows(CHECK, "length", &["s += x[row + k]"]).replace("row = start[i]", "row = start[i] + 1");
    assert_unchanged(along, &shifted);
    let two = rows(CHECK, "int::min(length, others)", &["s += x[row + k]"]);
    assert_unchanged(along, &two.replace("others = start[i + 1]", "others = start[i + 2]"));
}

#[test]
fn a_loop_over_rows_whose_ends_are_written_stays() {
    let text = rows(CHECK, "length", &["s += x[row + k]"]);
    let text = text.replace("start: in usize[_]", "start: inout usize[_]");
    assert_unchanged(along, &(text + "    start[i] = 0\n"));
}
