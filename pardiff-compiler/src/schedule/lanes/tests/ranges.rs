//! Lanes run over the iterations that a condition allows, and only where it is a range that nothing wraps in.

use super::{Arg, assert_same, assert_text, in_blocks};
use crate::ir::Program;

/// A row of a picture with edges and its neighbours, `COND` around what is done.
fn row(cond: &[&str]) -> String {
    let mut text = "
        fn f(x: in f64[_], y: inout f64[_], d_x: inout f64[_], n: in usize, m: in usize)
          for i in 0..n
            scope s: f64
              s = 1.0
              for j in 0..3
                scope p: isize
                  p = i as isize + j as isize - 1
"
    .to_owned();
    let mut indent = " ".repeat(18);
    for cond in cond {
        text += &format!("{indent}{cond}\n");
        if cond.starts_with("if") {
            indent += "  ";
        }
    }
    text += "              y[i] = s\n";
    text
}

const USIZE: &[&str] = &[
    "if i + j >= 1",
    "if i + j < n + 1",
    "check i + j - 1 < len(x) index \"x\" \"x[i + j - 1]\"",
    "s += x[i + j - 1] * x[j]",
    "d_x[i + j - 1] += x[j]",
];

const SIGNED: &[&str] = &[
    "if (p >= 0) & (p < n as isize)",
    "check p as usize < len(x) index \"x\" \"x[p as usize]\"",
    "s += x[p as usize] * x[j]",
    "d_x[p as usize] += x[j]",
];

/// The loop in blocks, which compute the same for rows of any length, as far as `x` has elements.
fn same(cond: &[&str], m: usize) -> Program {
    let (before, after, refused) = in_blocks(&row(cond));
    assert_eq!(refused, None);
    for n in [0_usize, 1, 2, 7, 127, 128, 129, 300] {
        for len in [n + 3, n.max(3), n.saturating_sub(2)] {
            let args = |name: &str| match name {
                "n" => Arg::Size(n),
                "m" => Arg::Size(m),
                "x" => Arg::Floats(len),
                _ => Arg::Floats(n + 8),
            };
            assert_same(&before, &after, &args);
        }
    }
    after
}

#[test]
fn edges_of_a_row_are_ends_of_a_lane_loop() {
    let after = same(USIZE, 0);
    assert_text(
        &after,
        "for l.2 in first..int::min(count, w) lanes(128)\n  s[l.2] += x[b + l.2 + j - 1] * x[j]",
    );
    assert_text(&after, "check b + (int::min(count, w) - 1) + j - 1 < len(x)");
    assert!(!after.to_string().contains("if b + l.2"), "{after}");
}

#[test]
fn numbers_with_a_sign_have_the_same_ends() {
    let after = same(SIGNED, 0);
    assert_text(&after, "check place + (int::min(count, w) - 1 - first) < len(x)");
    assert_text(&after, "d_x[place + (l.2 - first)] += x[j]");
}

#[test]
fn strict_and_turned_comparisons_and_one_end_alone_are_ranges() {
    for cond in ["if 0 < i + j", "if i + j > 0", "if i + j <= n", "if n >= i + j", "if i >= m"] {
        let after = same(&[cond, "s += x[j]", "d_x[i] += x[j]"], 5).to_string();
        assert!(after.contains("in first..") || after.contains("..int::min(count, w)"), "{after}");
    }
}

#[test]
fn what_is_asked_of_all_lanes_is_asked_once_and_other_conditions_stay() {
    let after = same(&["if (m > j) & (i >= j) & (x[i] > 0.0)", "s += x[j]", "d_x[i] += 1.0"], 2);
    assert_text(&after, "if x[b + l.2] > 0.0");
    let once = same(&["if (m > j) & (i >= j)", "s += x[j]", "d_x[i] += 1.0"], 2).to_string();
    assert!(once.contains("if m > j"), "{once}");
}

#[test]
fn numbers_that_wrap_are_asked_for_lane_by_lane() {
    for far in [usize::MAX - 2, usize::MAX, usize::MAX / 2] {
        for cond in [
            "if wrapping_add(i, m) < 5",
            "if wrapping_add(i, m) >= 5",
            "if wrapping_add(i, m) <= 4",
            "if wrapping_add(i, m) > 4",
            "if wrapping_add(i as isize, m as isize) < 5",
            "if wrapping_add(i as isize, m as isize) >= 0",
            "if wrapping_add(i, 7) < wrapping_add(m, 9)",
        ] {
            let after = same(&[cond, "s += x[j]", "d_x[i] += x[j]"], far);
            assert_text(&after, "otherwise\n  for l.3 in 0..w");
        }
    }
}

#[test]
fn what_is_no_range_or_does_more_stays_under_its_condition() {
    for cond in [
        &["if i * 2 < n", "s += x[j]", "d_x[i] += x[j]"][..],
        &["if n - i > j", "s += x[j]", "d_x[i] += x[j]"],
        &["if x[i] > 0.5", "s += x[j]", "d_x[i] += x[j]"],
        &["d_x[i] += 1.0", "if i + j >= 1", "s += x[j]"],
        &["if i % 3 < 2", "s += x[j]", "d_x[i] += x[j]"],
    ] {
        let after = same(cond, 0).to_string();
        assert!(!after.contains("first") && !after.contains("count"), "{after}");
    }
}
