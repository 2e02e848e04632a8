//! Loops in the middle as blocks of lanes: when they are, and when not.

use super::{Arg, Lifted, assert_same, changed, lifted};
use crate::ir::Program;
use crate::schedule::lanes::{lift, middle};

/// A convolution of rows over channels and a square kernel, and its gradient; `BODY` ends an element of the result.
fn convolution(body: &str) -> String {
    format!(
        "
        fn f(x: in f64[_], w: in f64[_], y: inout f64[_], d_x: inout f64[_], d_w: inout f64[_], p: in usize[_],
            n: in usize, m: in usize, d: in usize) -> total: f64
          total = 0.0
          for i in 0..n
            for q in 0..m
              scope s: f64
                s = w[i]
                for c in 0..d
                  for k in 0..d
                    for j in 0..d
                      s += w[(c * d + k) * d + j] * x[(i + c * n + k) * m + q + j]
                total += s * s
                for c.2 in 0..d
                  for k.2 in 0..d
                    for j.2 in 0..d
                      d_w[(c.2 * d + k.2) * d + j.2] += s * x[(i + c.2 * n + k.2) * m + q + j.2]
                      d_x[(i + c.2 * n + k.2) * m + q + j.2] += s * w[(c.2 * d + k.2) * d + j.2]
                {body}
        "
    )
}

fn args(n: usize, m: usize, d: usize) -> impl Fn(&str) -> Arg {
    move |name: &str| match name {
        "n" => Arg::Size(n),
        "m" => Arg::Size(m),
        "d" => Arg::Size(d),
        "p" => Arg::Indices((0..m).rev().collect()),
        _ => Arg::Floats(d * d * d + n + (n + d * n + d + 1) * m + d),
    }
}

/// How many loops in the middle of the loop over `i` become blocks, which must change nothing but the order of sums.
fn made(text: &str) -> (Program, usize) {
    let mut loops = 0;
    let (before, after) =
        changed(text, &mut |program, stmt| loops = middle::middle(program, stmt, &[]).loops);
    for (n, m, d) in [(0, 3, 2), (2, 0, 2), (1, 1, 1), (2, 7, 3), (1, 130, 2), (1, 300, 1)] {
        assert_same(&before, &after, &args(n, m, d));
    }
    (after, loops)
}

#[test]
fn the_pixels_of_a_row_are_lanes_not_the_elements_of_a_kernel() {
    let (before, after, lifted) = lifted(&convolution("y[i * m + q] += s"));
    let Lifted::Middle { loops: 1, reason, over_lanes } = &lifted else { panic!("{lifted:?}\n{after}") };
    assert!(
        reason.starts_with("lanes over loops in the middle: one iteration after the other costs"),
        "{reason}"
    );
    assert!(!over_lanes.is_empty());
    assert_same(&before, &after, &args(3, 140, 2));
}

/// The same with an edge: what is outside of a row is not there, and a column has a name.
fn padded(column: &str, behind: &str) -> String {
    format!(
        "
        fn f(x: in f64[_], w: in f64[_], n: in usize, m: in usize, d: in usize) -> total: f64
          total = 0.0
          for i in 0..n
            for q in 0..m
              scope s: f64
                s = w[i]
                for c in 0..d
                  for k in 0..3
                    scope at: isize
                      at = {column}
                      {behind}
                      if (at >= 0isize) & (at < m as isize)
                        s += w[c * 3 + k] * x[(i + c) * m + at as usize]
                total += s * s
        "
    )
}

#[test]
fn columns_may_have_names() {
    let (before, after, lifted) = lifted(&padded("q as isize + k as isize - 1isize", ""));
    assert!(matches!(lifted, Lifted::Middle { loops: 1, .. }), "{lifted:?}\n{after}");
    assert!(after.to_string().contains("as isize + k as isize - 1) as usize]"), "{after}");
    for (n, m, d) in [(0, 3, 2), (1, 1, 1), (2, 7, 3), (3, 140, 2)] {
        assert_same(&before, &after, &args(n, m, d));
    }
}

#[test]
fn names_of_what_is_not_one_value_stay() {
    // lanes leap, and a name that is written twice
    for (column, behind) in
        [("q as isize * 2isize - k as isize", ""), ("q as isize + k as isize - 1isize", "at = at + 1isize")]
    {
        let (before, after, lifted) = lifted(&padded(column, behind));
        assert!(!matches!(lifted, Lifted::Middle { .. }), "{lifted:?}\n{after}");
        assert!(after.to_string().contains("at as usize]"), "{after}");
        assert_same(&before, &after, &args(2, 9, 3));
    }
}

#[test]
fn what_each_lane_has_to_itself_may_be_written() {
    for body in ["y[q] = s", "y[i * m + q] += s", "total += x[q]", "y[i] += s", "y[q] = y[q] * s"] {
        let (after, loops) = made(&convolution(body));
        assert_eq!(loops, 1, "{body}\n{after}");
    }
}

#[test]
fn records_one_beside_the_other_are_lanes_and_rows_are_not() {
    let along = |array: &str, index: &str| {
        let text = format!(
            "
        fn f(a: in {array}, b: inout {array}, n: in usize, m: in usize)
          for i in 0..n
            for j in 0..m
              for s in 0..2
                b[{index}, s] = a[{index}, s] * a[{index}, 0]
        "
        );
        let mut program = crate::equivalence::program(&text);
        let mut stmt = program.body.remove(0);
        middle::middle(&mut program, &mut stmt, &[crate::ir::IterId(1)]).loops
    };
    assert_eq!(along("f64[_, 2]", "i * m + j"), 1);
    assert_eq!(along("f64[_, 8]", "i * m + j"), 1);
    // a cache line has no more than eight numbers
    assert_eq!(along("f64[_, 9]", "i * m + j"), 0);
    assert_eq!(along("f64[_, 2]", "i * m + j * 3"), 0);
    assert_eq!(along("f64[_, 2]", "j * n + i"), 0);
}

#[test]
fn iterations_that_meet_are_left_alone() {
    // a neighbour is read, all assign one element, or one that another one reads
    for body in ["y[q] = y[q + 1] * s", "y[i] = s", "y[d] = y[q] * s"] {
        let (after, loops) = made(&convolution(body));
        assert_eq!(loops, 0, "{body}\n{after}");
    }
}

#[test]
fn rows_that_lanes_leap_over_stay_whole() {
    let rows = |d: &str| {
        let text = format!(
            "
        fn f(x: in f64[_], w: in f64[_], y: inout f64[_], d_x: inout f64[_], d_w: inout f64[_], p: in usize[_],
            n: in usize, m: in usize, d: in usize) -> total: f64
          total = 0.0
          for i in 0..n
            for q in 0..m
              scope s: f64
                s = w[q] * y[q]
                for j in 0..{d}
                  s += w[j] * x[q * {d} + j]
                total += s * y[q]
        "
        );
        made(&text).1
    };
    assert_eq!((rows("d"), rows("3")), (0, 1), "rows of three are short");
}

#[test]
fn float_sums_that_keep_their_order_have_no_blocks() {
    let mut made = Lifted::Serial { reason: String::new() };
    changed(&convolution("y[q] = s"), &mut |program, stmt| made = lift(program, stmt, true, &[]));
    assert!(!matches!(made, Lifted::Middle { .. }), "{made:?}");
}
