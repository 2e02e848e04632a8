//! What the generated functions say when they are called wrongly, and that they say nothing where the primal would not.

use pardiff::differentiate;
use std::panic::{AssertUnwindSafe, catch_unwind};

#[differentiate]
pub fn weighted(x: &[f64], w: &[f64], y: &mut [f64], idx: &[usize], n: usize) -> f64 {
    let mut sum = 0.0;
    for i in 0..n {
        y[i] = x[idx[i]] * w[i]; // LINE
        sum += y[i] * y[i];
    }
    sum
}

#[differentiate]
pub fn guarded(x: &[f64], i: usize) -> f64 {
    if i < x.len() && x[i] > 0.0 { x[i].sqrt() } else { 0.0 }
}

#[differentiate]
pub fn rows(m: &[[f64; 2]], j: usize) -> f64 {
    let part = &m[1..];
    part[0][j]
}

#[differentiate]
pub fn halves(x: &[f64], cut: usize) -> f64 {
    let tail = &x[cut..];
    let mut sum = 0.0;
    for i in 0..tail.len() {
        sum += tail[i];
    }
    sum
}

#[differentiate]
pub fn copied(x: &[f64], y: &mut [f64]) {
    assert!(!x.is_empty(), "nothing to copy");
    y.copy_from_slice(x);
}

#[differentiate]
pub fn table(x: &[f64], n: usize, m: usize) -> f64 {
    let mut rows = vec![0.0; n * m + 1];
    for (row, x) in rows.iter_mut().zip(x) {
        *row = x * x;
    }
    rows[0]
}

/// What it panics with.
fn message<T>(run: impl FnOnce() -> T) -> String {
    match catch_unwind(AssertUnwindSafe(run)) {
        Ok(_) => panic!("nothing panicked"),
        Err(panic) => match panic.downcast::<String>() {
            Ok(text) => *text,
            Err(panic) => panic.downcast_ref::<&str>().map(|text| text.to_string()).unwrap_or_default(),
        },
    }
}

#[track_caller]
fn assert_says(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(text.contains(part), "`{part}` is missing in `{text}`");
    }
}

/// The line of this file that is marked.
fn marked_line() -> String {
    let line = include_str!("panics.rs").lines().position(|line| line.ends_with("// LINE"));
    line.map_or(String::new(), |line| (line + 1).to_string())
}

#[test]
fn an_adjoint_of_another_length() {
    let (mut y, mut d_y) = (vec![0.0; 2], vec![0.0; 2]);
    let (mut d_x, mut d_w) = (vec![7.0; 4], vec![7.0; 2]);
    let text =
        message(|| weighted::grad(&[1.0; 3], &mut d_x, &[1.0; 2], &mut d_w, &mut y, &mut d_y, &[0, 1], 2));
    assert_says(&text, &["weighted", "`d_x`", "4", "`x`", "3"]);
    // shapes are checked before anything is written
    assert_eq!((d_x, d_w, y), (vec![7.0; 4], vec![7.0; 2], vec![0.0; 2]));
    let mut d_y = vec![0.0; 3];
    let text = message(|| {
        weighted::vjp(
            &[1.0; 3],
            &mut [0.0; 3],
            &[1.0; 2],
            &mut [0.0; 2],
            &mut [0.0; 2],
            &mut d_y,
            &[0, 1],
            2,
            1.0,
        )
    });
    assert_says(&text, &["weighted", "`d_y`", "3", "`y`", "2"]);
    let text = message(|| rows::grad_into(&[[0.0; 2]; 3], &mut [[0.0; 2]; 2], 1));
    assert_says(&text, &["rows", "`d_m`", "2", "`m`", "3"]);
}

#[test]
fn an_array_that_is_too_short() {
    let text = message(|| {
        weighted::grad(
            &[1.0; 3],
            &mut [0.0; 3],
            &[1.0; 1],
            &mut [0.0; 1],
            &mut [0.0; 2],
            &mut [0.0; 2],
            &[0, 1],
            2,
        )
    });
    assert_says(&text, &["weighted", "`w[i]`", "index is 1", "`w`", "is 1", &marked_line()]);
    let text = message(|| weighted::value(&[1.0; 3], &[1.0; 2], &mut [0.0; 1], &[0, 1], 2));
    assert_says(&text, &["weighted", "`y[i]`", "index is 1", "`y`", "is 1", &marked_line()]);
}

#[test]
fn an_index_out_of_range() {
    let text = message(|| {
        weighted::grad(
            &[1.0; 3],
            &mut [0.0; 3],
            &[1.0; 2],
            &mut [0.0; 2],
            &mut [0.0; 2],
            &mut [0.0; 2],
            &[0, 3],
            2,
        )
    });
    assert_says(&text, &["weighted", "`x[idx[i]]`", "index is 3", "`x`", "is 3", &marked_line()]);
    let text = message(|| rows::gradient(&[[0.0; 2]; 3], 2));
    assert_says(&text, &["rows", "part[0][j]", "index is 2", "is 2"]);
    let text = message(|| rows::gradient(&[[0.0; 2]; 1], 0));
    assert_says(&text, &["rows", "part[0]", "index is 0", "is 0"]);
}

#[test]
fn a_slice_out_of_range() {
    let text = message(|| halves::gradient(&[1.0; 2], 3));
    assert_says(&text, &["halves", "x[cut..]", "3..", "`x`", "is 2"]);
}

#[test]
fn a_copy_of_another_length_and_an_assertion() {
    let text = message(|| copied::vjp(&[1.0; 2], &mut [0.0; 2], &mut [0.0; 3], &mut [0.0; 3]));
    assert_says(&text, &["copied"]);
    let text = message(|| copied::vjp(&[], &mut [], &mut [], &mut []));
    assert_says(&text, &["copied", "nothing to copy"]);
}

#[test]
fn a_length_that_overflows() {
    let half = 1 << (usize::BITS / 2);
    for n in [half, half - 1] {
        let text = message(|| table::gradient(&[1.0; 2], n, half + 1));
        assert_says(&text, &["table", "the length of `rows`"]);
    }
    assert_eq!(table::gradient(&[3.0, 1.0], 0, half).1.x, [6.0, 0.0]);
}

#[test]
fn nothing_panics_where_the_primal_would_not() {
    // empty slices and no iterations: the arrays are not looked at
    let value = weighted::grad(&[], &mut [], &[], &mut [], &mut [], &mut [], &[], 0);
    assert_eq!(value, 0.0);
    // an access behind its guard
    assert_eq!(guarded::gradient(&[4.0], 0).1.x, [0.25]);
    assert_eq!(guarded::gradient(&[4.0], 1).1.x, [0.0]);
    assert_eq!(guarded::gradient(&[], 0).0, 0.0);
    assert_eq!(halves::gradient(&[1.0, 2.0], 2).1.x, [0.0, 0.0]);
}
