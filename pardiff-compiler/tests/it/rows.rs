//! Rows of a matrix in compressed form: apart where a check of their starts says so, in order where it does not.

use crate::schemes::{check, indices, numbers, schemes, tasks};
use pardiff_compiler::ir::Scheme;
use pardiff_compiler::ir::interp::Array;

/// Each row adds to its own part of `d`; the rows start at `start`.
const ROWS: [&str; 5] = [
    "fn f(start: in usize[_], x: in f64[_], d: inout f64[_], n: in usize)",
    "  for i in 0..n",
    "    for k in start[i]..start[i + 1]",
    "      if k < len(d)",
    "        d[k] += x[i]",
];

fn args(start: &[i128]) -> Vec<Array<f64>> {
    let rows = start.len() - 1;
    vec![indices(start), numbers(rows), numbers(20), Array::int(rows as i128)]
}

#[test]
fn rows_whose_starts_rise_are_apart() {
    let made = check(&ROWS, args(&[0, 3, 3, 8, 9, 15, 20]));
    assert!(tasks(&made.program) > 0, "{}", made.program);
    let text = made.program.to_string();
    assert!(text.contains("guard rising"), "{text}");
    assert!(schemes(&made.program).iter().all(|scheme| *scheme == Scheme::NoneNeeded), "{text}");
}

#[test]
fn rows_whose_starts_fall_run_in_order() {
    // the rows meet: in tasks this would be a race, which the check in front of the loop keeps out
    check(&ROWS, args(&[0, 6, 2, 8, 4, 15, 20]));
}

#[test]
fn an_array_of_starts_that_is_too_short_is_not_read_beyond_its_end() {
    let mut args = args(&[0, 3, 5]);
    args[3] = Array::int(0);
    check(&ROWS, args);
}

#[test]
fn ends_of_another_array_prove_nothing() {
    let made = check(
        &[
            "fn f(start: in usize[_], end: in usize[_], x: in f64[_], d: inout f64[_], n: in usize)",
            "  for i in 0..n",
            "    for k in start[i]..end[i]",
            "      if k < len(d)",
            "        d[k] += x[i]",
        ],
        vec![indices(&[0, 2, 1]), indices(&[4, 9, 7]), numbers(3), numbers(12), Array::int(3)],
    );
    assert!(!made.program.to_string().contains("guard"), "{}", made.program);
}
