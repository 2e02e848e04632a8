//! Tests of adjoints that are overwritten.

use super::overwrite;
use crate::ir::interp::{Array, Value, no_paths, run};
use crate::ir::verify::verify;
use crate::ir::{Program, parse};

fn program(text: &str) -> Program {
    parse(text).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

const PRODUCT: &str = "
fn f(x: in f64[_], a: in f64[_], d_a: adjoint(a) f64[len(a)], n: in usize)
  for i in 0..n
    for j in 0..n
      check i * n + j < len(a) \"a\"
    for q in 0..n down
      d_a[i * n + q] += x[i] * x[q]";

#[test]
fn what_is_computed_once_is_assigned() {
    let before = program(PRODUCT);
    let after = overwrite(before.clone()).program;
    assert_eq!(verify(&after), Ok(()), "{after}");
    assert_eq!(after.params.len(), before.params.len() + 1);
    for n in [0_i128, 1, 3] {
        let args = |fill: f64| {
            let (x, a) = (Array::<f64>::floats(&[2.0, 3.0, 5.0]), Array::floats(&[1.0; 11]));
            vec![x, a, Array::floats(&[fill; 11]), Array::scalar(Value::Int(n))]
        };
        assert_agree(&before, &after, &args, &n.to_string());
    }
}

#[test]
fn what_is_assigned_whole_has_no_rest() {
    for (number, rest) in [("len(a)", false), ("n", true)] {
        let before = program(&format!(
            "
fn f(x: in f64[_], a: in f64[_], d_a: adjoint(a) f64[len(a)], n: in usize)
  for i in 0..{number}
    check i < len(a) \"a\"
  for q in 0..{number} down
    d_a[q] += x[0] * x[1]"
        ));
        let after = overwrite(before.clone()).program;
        assert_eq!(after.params.len(), before.params.len() + 1, "{after}");
        assert_eq!(after.to_string().contains("] = 0.0"), rest, "{after}");
        let args = |fill: f64| {
            let (x, a) = (Array::<f64>::floats(&[2.0, 3.0]), Array::floats(&[1.0; 5]));
            vec![x, a, Array::floats(&[fill; 5]), Array::scalar(Value::Int(3))]
        };
        assert_agree(&before, &after, &args, number);
    }
}

/// Asserts that the program with the flag overwrites what the one before added to, or adds to it, as the flag says. `args` have a
/// number in every element of the adjoint.
fn assert_agree(before: &Program, after: &Program, args: &dyn Fn(f64) -> Vec<Array<f64>>, what: &str) {
    for (flag, fill) in [(true, f64::NAN), (true, 7.0), (false, 7.0)] {
        let mut flagged = args(fill);
        flagged.push(Array::scalar(Value::Bool(flag)));
        let after = run(after, flagged, &no_paths).map(|mut done| {
            done.params.pop();
            done
        });
        let before = run(before, args(if flag { 0.0 } else { fill }), &no_paths);
        match (&before, &after) {
            (Ok(before), Ok(after)) => assert_eq!(before, after, "{what} {flag}"),
            _ => assert_eq!(
                before.map_err(|fault| format!("{fault:?}")).err(),
                after.map_err(|fault| format!("{fault:?}")).err(),
                "{what} {flag}"
            ),
        }
    }
}

#[test]
fn rows_are_assigned_whole() {
    let after = overwrite(program(
        "
fn f(x: in f64[_], a: in f64[_, 3], d_a: adjoint(a) f64[len(a), 3])
  for i in 0..len(a)
    check i < len(x) \"x\"
    for j in 0..3
      d_a[i, j] += x[i]",
    ))
    .program;
    assert_eq!(verify(&after), Ok(()), "{after}");
    assert!(after.to_string().contains("d_a[i, j] = x[i]"), "{after}");
}

#[test]
fn records_are_assigned_by_a_statement_for_each_member() {
    let header = "
fn f(x: in f64[_], a: in f64[_, 2, 2], d_a: adjoint(a) f64[len(a), 2, 2], b: in f64[_], d_b: adjoint(b) f64[len(b)], n: in usize)
  for i in 0..n
    check i < len(x) \"x\"
    check i < len(a) \"a\"
    check i * 3 + 2 < len(b) \"b\"
";
    let cases = [
        // in any order, and what is added to an element later stays a sum
        (
            "d_a[i, 1, 0] += x[i]; d_a[i, 0, 0] += x[0]; d_a[i, 0, 1] += x[1]; d_a[i, 1, 1] += x[2]; d_a[i, 0, 0] += x[i]",
            "d_a",
            true,
        ),
        ("d_b[i * 3 + 2] += x[i]; d_b[i * 3] += x[0]; d_b[1 + 3 * i] += x[1]", "d_b", true),
        // one is missing, is there twice under two names, comes under a condition first
        ("d_a[i, 1, 0] += x[i]; d_a[i, 0, 0] += x[0]; d_a[i, 0, 1] += x[1]", "d_a", false),
        (
            "d_a[i, 1, 0] += x[i]; d_a[i, 0, 0] += x[0]; d_a[i, 0, 1] += x[1]; d_a[0, 1, 1] += x[1]",
            "d_a",
            false,
        ),
        ("d_b[i * 3 + 2] += x[i]; d_b[i * 3] += x[0]; d_b[3 * i] += x[1]", "d_b", false),
        ("d_b[i * 3 + 2] += x[i]; d_b[i * 3] += x[0]", "d_b", false),
        ("d_b[i * 2] += x[i]; d_b[i * 2 + 2] += x[0]", "d_b", false),
        (
            "if x[i] < x[0];   d_b[i * 3] += x[0]; d_b[i * 3 + 2] += x[i]; d_b[i * 3] += x[0]; d_b[1 + 3 * i] += x[1]",
            "d_b",
            false,
        ),
    ];
    for (body, name, assigned) in cases {
        let before = program(&format!("{header}    {}", body.replace("; ", "\n    ")));
        let after = overwrite(before.clone()).program;
        assert_eq!(verify(&after), Ok(()), "{after}");
        assert_eq!(after.params.len() > before.params.len(), assigned, "{name}: {body}\n{after}");
        if !assigned {
            continue;
        }
        for n in [0_i128, 1, 2] {
            let args = |fill: f64| {
                let x = Array::<f64>::floats(&[2.0, 3.0, 5.0]);
                let of = |values: &[f64]| Array::<f64>::floats(values).shaped(&[values.len() / 4, 2, 2]);
                let (a, b) = (of(&[1.0; 12]), Array::floats(&[1.0; 8]));
                let (d_a, d_b) = match name {
                    "d_a" => (of(&[fill; 12]), Array::floats(&[0.0; 8])),
                    _ => (of(&[0.0; 12]), Array::floats(&[fill; 8])),
                };
                vec![x, a, d_a, b, d_b, Array::scalar(Value::Int(n))]
            };
            assert_agree(&before, &after, &args, &format!("{n} {body}"));
        }
    }
}

#[test]
fn other_adjoints_are_added_to() {
    let header = "
fn f(x: in f64[_], a: in f64[_], d_a: adjoint(a) f64[len(a)], n: in usize, m: in usize)
  for i in 0..n
    for j in 0..n
";
    for (why, body) in [
        ("each n times", "      check j < len(a) \"a\"\n      d_a[j] += x[i]"),
        ("not all", "      check i * m + j < len(a) \"a\"\n      d_a[i * m + j] += x[i]"),
        (
            "under a condition",
            "      check i * n + j < len(a) \"a\"\n      if x[i] > 0.0\n        d_a[i * n + j] += x[i]",
        ),
        (
            "an element before it is computed",
            "      check i * n + j < len(a) \"a\"\n      d_a[0] += x[i]\n      d_a[i * n + j] += x[j]",
        ),
        (
            "another element, in the middle",
            "      check i * n + j < len(a) \"a\"\n      d_a[i * n + j] += x[i]\n      d_a[n * n - 1] += x[j]",
        ),
        (
            "rows of several lengths",
            "      for k in 0..i\n        check i * i + k < len(a) \"a\"\n        d_a[i * i + k] += x[j]",
        ),
        ("it may wrap", "      d_a[i * n + j] += x[i]"),
    ] {
        let before = program(&format!("{header}{body}"));
        let after = overwrite(before.clone()).program;
        assert_eq!(after.to_string(), before.to_string(), "{why}");
    }
}

/// What is said of the statements below: arguments are `x`, `a`, `d_a`, rows, and the number of rows.
const HEADER: &str = "
fn f(x: in f64[_], a: in f64[_], d_a: adjoint(a) f64[len(a)], start: in usize[_], n: in usize)
";

/// Overwriting gives what adding to zeros gives, and adding what it gave before.
fn assert_overwrites(body: &str, starts: &[&[usize]]) -> String {
    let before = program(&format!("{HEADER}{body}"));
    let after = overwrite(before.clone()).program;
    assert_eq!(verify(&after), Ok(()), "{after}");
    assert_eq!(after.params.len(), before.params.len() + 1, "{after}");
    for start in starts {
        for n in 0..start.len() + 1 {
            let args = |fill: f64| {
                let (x, a) = (Array::<f64>::floats(&[2.0, 3.0, 5.0, 7.0]), Array::floats(&[1.0; 9]));
                let d_a = Array::floats(&[fill; 9]);
                vec![x, a, d_a, Array::usizes(start), Array::scalar(Value::Int(n as i128))]
            };
            assert_agree(&before, &after, &args, &format!("{start:?} {n}"));
        }
    }
    after.to_string()
}

/// Pointers that rise from the beginning or not, leave something at the end, have empty rows, fall, and point outside.
const STARTS: [&[usize]; 8] =
    [&[0, 2, 5, 9], &[3, 3, 5, 7], &[1, 1, 1, 1], &[0, 4, 2, 6], &[5, 3, 2, 1], &[0, 2, 10, 9], &[4], &[]];

#[test]
fn rows_that_follow_one_another_are_assigned() {
    let after = assert_overwrites(
        "  for i in 0..n
    check i < len(start) \"start\"
    check i + 1 < len(start) \"start\"
    for k in start[i]..start[i + 1]
      check k < len(a) \"a\"
    for q in start[i]..start[i + 1] down
      d_a[q] += x[0] * x[1]",
        &STARTS,
    );
    assert!(after.contains("] = x[0] * x[1]"), "{after}");
}

#[test]
fn rows_of_rows_are_assigned() {
    let after = assert_overwrites(
        "  for i in 0..n
    check i < len(start) \"start\"
    check i + 1 < len(start) \"start\"
    for k in start[i]..start[i + 1]
      for f in 0..2
        check k * 2 + f < len(a) \"a\"
        d_a[k * 2 + f] += x[f]",
        &[&[0, 2, 3, 4], &[1, 1, 3, 3], &[0, 3, 2, 4], &[0, 2, 5, 5], &[2, 1]],
    );
    assert!(after.contains("] = x[f"), "{after}");
}

#[test]
fn what_is_added_to_an_element_after_its_assignment_stays() {
    let after = assert_overwrites(
        "  for i in 0..n
    check i < len(start) \"start\"
    check i + 1 < len(start) \"start\"
    for k in start[i]..start[i + 1]
      check k < len(a) \"a\"
      d_a[k] += x[0]
      if x[0] < x[1]
        d_a[k] += x[1]
    for q in start[i]..start[i + 1] down
      if q == 2
        d_a[q] += x[2]
  for i.2 in 0..n
    check i.2 < len(a) \"a\"
    d_a[i.2] += x[3]",
        &STARTS,
    );
    assert!(after.contains("] = x[0]"), "{after}");
}

#[test]
fn in_a_loop_that_computes_much_the_old_value_is_chosen() {
    let sum = vec!["x[0] * x[1]"; 30].join(" + ");
    let after = assert_overwrites(
        &format!("  for i in 0..n\n    check i < len(a) \"a\"\n    d_a[i] += {sum}"),
        &[&[0; 9], &[]],
    );
    assert!(after.contains("d_a[i] = select(overwrite, 0.0, d_a[i]) + "), "{after}");
}

#[test]
fn rows_that_may_miss_an_element_are_added_to() {
    for (why, body) in [
        ("a condition", "      if x[0] < x[1]\n        d_a[k] += x[0]"),
        ("a condition on rows", "      d_a[k + 1] += x[0]"),
        ("another row is read first", "      d_a[0] += x[0]\n      d_a[k] += x[0]"),
    ] {
        let before = program(&format!(
            "{HEADER}  for i in 0..n
    check i < len(start) \"start\"
    check i + 1 < len(start) \"start\"
    for k in start[i]..start[i + 1]
      check k < len(a) \"a\"
{body}"
        ));
        assert_eq!(overwrite(before.clone()).program.to_string(), before.to_string(), "{why}");
    }
}

#[test]
fn rows_that_are_not_meant_to_follow_one_another_are_added_to() {
    for (why, low, high) in [
        ("an index array picks them", "start[at[i]]", "start[at[i] + 1]"),
        ("windows of three", "start[i]", "start[i] + 3"),
        ("from one row to the next but one", "start[i]", "start[i + 2]"),
        ("ends of their own", "start[i]", "at[i]"),
        ("of other rows", "start[i]", "at[i + 1]"),
    ] {
        let before = program(&format!(
            "
fn f(x: in f64[_], a: in f64[_], d_a: adjoint(a) f64[len(a)], start: in usize[_], at: in usize[_], n: in usize)
  for i in 0..n
    check i + 2 < len(at) \"at\"
    check i + 2 < len(start) \"start\"
    check at[i] + 1 < len(start) \"start\"
    for k in {low}..{high}
      check k < len(a) \"a\"
      d_a[k] += x[0]"
        ));
        assert_eq!(overwrite(before.clone()).program.to_string(), before.to_string(), "{why}");
    }
    for (low, high) in [
        ("start[i]", "start[i + 1]"),
        ("start[2 * i]", "start[2 * (i + 1)]"),
        ("2 * start[n - i - 1]", "2 * start[n - i - 2]"),
    ] {
        let before = program(&format!(
            "
fn f(x: in f64[_], a: in f64[_], d_a: adjoint(a) f64[len(a)], start: in usize[_], n: in usize)
  for i in 0..n
    check 2 * i + 2 < len(start) \"start\"
    check n - i - 2 < len(start) \"start\"
    check n - i - 1 < len(start) \"start\"
    for k in {low}..{high}
      check k < len(a) \"a\"
      d_a[k] += x[0]"
        ));
        assert_ne!(overwrite(before.clone()).program.to_string(), before.to_string(), "{low}");
    }
}
