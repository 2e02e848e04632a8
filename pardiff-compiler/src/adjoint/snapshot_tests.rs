//! Arrays that are stored as a whole: before which loops, and once for all that find them as they were.

use super::tests::{program, reversed, tapes, x5};
use crate::ir::interp::Array;

/// The number of tapes that steps of `h` take, and how often it is stored as a whole in each: it is overwritten at the end
/// of a step, and `nests` read it before.
fn steps(nests: &[&str]) -> (usize, usize) {
    let text = program(
        "
        fn f(x: in f64[_], w: in f64[_], n: in usize) -> r: f64
          r = 0.0
          scope h: f64[n]
            for a in 0..n
              h[a] = x[a]
            for t in 0..4 marks(store)
              scope new: f64[n]
                for b in 0..n
                  new[b] = 0.0
                NESTS
                for c in 0..n
                  h[c] = new[c] + x[c]
            for d in 0..n
              r += h[d]
        ",
    );
    let text = text.replace("NESTS", &nests.join("\n        "));
    let program = reversed(&text, &[x5(), x5(), Array::int(5)]);
    (tapes(&program).len(), program.to_string().matches(" = h[e").count())
}

const ROWS: &str = "for i in 0..n marks(store)\n          for k in 0..n marks(store)\n            new[i] += w[i] * (w[k] * h[k])";
const ONCE: &str = "for k in 0..n marks(store)\n          new[k] += w[k] * h[k]";

/// The same by other names.
fn again() -> String {
    ROWS.replace("for i", "for j").replace("for k", "for l").replace("[i]", "[j]").replace("[k]", "[l]")
}

#[test]
fn what_a_loop_around_reads_again_and_again_is_stored_before_it() {
    assert_eq!(steps(&[ROWS]), (1, 1));
}

#[test]
fn loops_that_find_an_array_as_it_was_share_what_is_stored() {
    assert_eq!(steps(&[ROWS, &again()]), (1, 1));
    let changed = "for q in 0..n marks(store)\n          h[q] = h[q] * 0.5";
    assert_eq!(steps(&[ROWS, changed, &again()]), (2, 2));
}

#[test]
fn an_element_that_is_read_once_is_stored_where_it_is_read() {
    assert_eq!(steps(&[ONCE]), (1, 0));
    assert_eq!(
        steps(&["for k in 0..n marks(store)\n          if x[k] > 0.5\n            new[k] += w[k] * h[k]"]),
        (1, 0)
    );
}

/// What is stored of an array of `length` elements, a new one for each step, of which `read` is needed.
fn of_each_step(length: &str, read: &str) -> Vec<String> {
    let text = program(
        "
        fn f(x: in f64[_], at: in usize[_], n: in usize) -> r: f64
          r = 0.0
          for t in 0..4 marks(store)
            scope sums: f64[LENGTH]
              for b in 0..LENGTH
                sums[b] = x[t]
              for c in 0..LENGTH marks(store)
                sums[at[c]] += x[c]
              READ
        ",
    );
    let text = text.replace("LENGTH", length).replace("READ", read);
    tapes(&reversed(&text, &[x5(), Array::usizes(&[0, 2, 2, 1, 0]), Array::int(3)]))
}

#[test]
fn of_an_array_of_each_step_the_one_element_that_is_needed_is_stored() {
    assert_eq!(of_each_step("n", "r += sums[n - 1] * sums[n - 1]"), ["sums_tape rank 1"]);
    // loops go through it, or it is short
    let all = "for d in 0..n marks(store)\n        r += sums[d] * sums[d]";
    assert_eq!(of_each_step("n", all), ["sums_tape rank 2"]);
    assert_eq!(of_each_step("3", "r += sums[2] * sums[2]"), ["sums_tape rank 2"]);
    // what is stored for the loop is used for the element in front of it as well
    let both = format!("r += sums[0] * sums[0]\n      {all}");
    assert_eq!(of_each_step("n", &both), ["sums_tape rank 2"]);
}

#[test]
fn a_flat_matrix_is_not_stored_for_a_row_of_it() {
    let stored = |loops: &str| {
        let text = program(
            "
            fn f(x: in f64[_], n: in usize) -> r: f64
              r = 0.0
              scope len: usize
                len = n * n
                scope h: f64[len]
                  for a in 0..len
                    h[a] = x[0]
                  for t in 0..n marks(store)
                    LOOPS
                    for c in 0..len
                      h[c] = h[c] * 0.5
                  for d in 0..n
                    r += h[d]
            ",
        );
        let program = reversed(&text.replace("LOOPS", loops), &[x5(), Array::int(2)]);
        program.to_string().matches(" = h[e").count()
    };
    assert_eq!(stored("for k in 0..n marks(store)\n          r += x[0] * h[k] * h[n + k]"), 0);
    let rows = "for i in 0..n marks(store)\n          for k in 0..n marks(store)\n            r += h[i * n + k] * h[k * n + i]";
    assert_eq!(stored(rows), 1);
    assert_eq!(stored("for k in 0..n * n marks(store)\n          r += h[k] * h[n * n - 1 - k]"), 1);
}

#[test]
fn a_flat_matrix_of_another_length_is_not_stored_for_a_row_of_it_either() {
    let stored = |index: &str| {
        let text = program(
            "
            fn f(x: in f64[_], n: in usize) -> r: f64
              r = 0.0
              scope h: f64[len(x)]
                for a in 0..len(x)
                  h[a] = x[a]
                for t in 0..n marks(store)
                  for k in 0..n marks(store)
                    check INDEX < len(h) \"h\"
                    r += h[INDEX] * h[INDEX]
                    r += x[k] * h[INDEX]
                  for i in 0..n
                    for c in 0..n
                      check i * n + c < len(h) \"h\"
                      h[i * n + c] = h[i * n + c] * 0.5
            ",
        );
        let program = reversed(&text.replace("INDEX", index), &[x5(), Array::int(2)]);
        program.to_string().matches(" = h[e").count()
    };
    assert_eq!(stored("t * n + k"), 0);
    assert_eq!(stored("k * n + t"), 0);
}

#[test]
fn rows_of_three_are_stored_with_the_array_that_a_loop_goes_through() {
    let stored = |value: &str| {
        let text = program(
            "
            fn f(x: in f64[_], n: in usize) -> r: f64
              r = 0.0
              scope h: f64[n, 3]
                for a in 0..n
                  for b in 0..3
                    h[a, b] = x[a]
                for t in 0..n marks(store)
                  for i in 0..n marks(store)
                    for k in 0..n marks(store)
                      r += VALUE
                  for c in 0..n
                    for d in 0..3
                      h[c, d] = h[c, d] * 0.5
                for e in 0..n
                  r += h[e, 0]
            ",
        );
        let program = reversed(&text.replace("VALUE", value), &[x5(), Array::int(3)]);
        program.to_string().matches(" = h[e").count()
    };
    assert_eq!(stored("h[i, 0] * h[k, 2]"), 1);
    // one row, which no loop goes through
    assert_eq!(stored("x[k] * h[0, 0] * h[0, 2]"), 0);
}

/// A reflection of the columns behind the first one: each is read twice, and changed between, while rows are
/// shorter and shorter.
#[test]
fn a_column_that_is_read_twice_is_no_reason_to_store_the_matrix() {
    let text = program(
        "
        fn f(x: in f64[_], n: in usize) -> r: f64
          r = 0.0
          scope a: f64[len(x)]
            for e in 0..len(x)
              a[e] = x[e]
            for k in 0..n
              for j in k + 1..n
                scope dot: f64
                  dot = 0.0
                  for i in k + 1..n
                    dot += a[i * n + k] * a[i * n + j]
                  for l in k + 1..n
                    a[l * n + j] += -(dot * a[l * n + k])
            for d in 0..len(x)
              r += a[d] * a[d]
        ",
    );
    let x: Vec<f64> = (0..16).map(|k| 0.3 + f64::from(k * k % 7)).collect();
    let program = reversed(&text, &[Array::floats(&x), Array::int(4)]);
    assert!(!program.to_string().contains("tape f64[n, n, len(x)]"), "{program}");
}

#[test]
fn a_copy_has_rows_of_the_length_that_the_array_declares() {
    // pairs of points, which move later
    let text = program(
        "
        fn f(x: inout f64[_, 2], first: in usize[_], second: in usize[_]) -> s: f64
          scope r: f64
            r = 0.0
            for e in 0..len(first)
              scope t: f64
                t = exp(x[first[e], 0])
                r += t * t * x[second[e], 1]
            s = r * r
            for j in 0..len(x)
              x[j, 0] = x[j, 0] * r
        ",
    );
    let x = Array::floats(&[0.3, 0.1, -0.4, 0.2, 0.5, 0.7]).shaped(&[3, 2]);
    let program = reversed(&text, &[x, Array::ints(&[0, 2]), Array::ints(&[1, 0])]).to_string();
    assert!(program.contains("tape f64[len(x), 2]") && program.contains("for e.2 in 0..2\n"), "{program}");
}
