use super::memo_tables::tabulate;
use crate::adjoint::reverse;
use crate::equivalence::{assert_pass, assert_same, assert_unchanged, program};
use crate::ir::Program;
use crate::ir::interp::{Array, no_paths, run};
use crate::simplify::simplify_reversed;

#[test]
fn functions_of_an_index_are_tabulated() {
    let c: Vec<f64> = (0..9).map(|k| 0.25 + k as f64).collect();
    let x: Vec<f64> = (0..13).map(|k| 1.0 - k as f64 * 0.5).collect();
    let runs = [
        vec![0, 1, 0, 2, 2, 2, 1, 0, 0, 0, 1, 1, 2],
        vec![0; 13],
        // too few iterations for the table, an index out of range, an index array that is too short, nothing to do
        vec![3; 13],
        vec![0, 1, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2],
    ];
    let mut runs: Vec<_> =
        runs.iter().map(|list| vec![Array::floats(&c), Array::floats(&x), Array::ints(list)]).collect();
    runs.push(vec![Array::floats(&c), Array::floats(&x[..5]), Array::ints(&[2, 1, 0, 1, 2])]);
    runs.push(vec![Array::floats(&c), Array::floats(&[]), Array::ints(&[])]);
    runs.push(vec![Array::floats(&[]), Array::floats(&[]), Array::ints(&[7])]);
    assert_pass(
        tabulate,
        "
        fn f(c: in f64[_], x: in f64[_], ci: in u32[_]) -> total: f64
          total = 0.0
          for i in 0..len(x)
            scope a: usize, s: f64, t: f64
              check i < len(ci) index \"ci\" \"ci[i]\"
              a = ci[i] as usize
              check 3 * a + 2 < len(c) index \"c\" \"c[3 * a + 2]\"
              s = c[3 * a] * c[3 * a + 2]
              if s != 0.0
                t = sin(s)
              else
                t = s / c[3 * a + 1]
              total += t * x[i] + s
        ",
        "
        fn f(c: in f64[_], x: in f64[_], ci: in u32[_]) -> total: f64
          total = 0.0
          scope ci_rows: usize
            ci_rows = select(len(c) / 3 <= saturating_sub(int::min(len(x), len(ci)), 0) / 4, len(c) / 3, 0)
            scope ci_used: bool[ci_rows], ci_table: f64[ci_rows, 2]
              for row in 0..ci_rows
                ci_used[row] = false
              if ci_rows != 0
                for i in 0..int::min(len(x), len(ci))
                  scope key: usize
                    key = ci[i] as usize
                    if key < ci_rows
                      ci_used[key] = true
              for row.2 in 0..ci_rows
                if ci_used[row.2]
                  scope s: f64, t: f64
                    s = c[3 * row.2] * c[3 * row.2 + 2]
                    if s != 0.0
                      t = sin(s)
                    else
                      t = s / c[3 * row.2 + 1]
                    ci_table[row.2, 0] = s
                    ci_table[row.2, 1] = t
              for i.2 in 0..len(x)
                scope a: usize, s.2: f64, t.2: f64
                  check i.2 < len(ci) index \"ci\" \"ci[i]\"
                  a = ci[i.2] as usize
                  check 3 * a + 2 < len(c) index \"c\" \"c[3 * a + 2]\"
                  if ci_rows != 0
                    s.2 = ci_table[a, 0]
                    t.2 = ci_table[a, 1]
                  else
                    s.2 = c[3 * a] * c[3 * a + 2]
                    if s.2 != 0.0
                      t.2 = sin(s.2)
                    else
                      t.2 = s.2 / c[3 * a + 1]
                  total += t.2 * x[i.2] + s.2
        ",
        runs,
    );
}

/// A kernel with an index array of type `usize`, and a check that comes too late to prove anything.
const WIDE: &str = "
fn f(c: in f64[_], x: in f64[_], ci: in usize[_]) -> total: f64
  total = 0.0
  for i in 0..len(x)
    scope s: f64
      check i < len(ci) index \"ci\" \"ci[i]\"
      check ci[i] < len(c) index \"c\" \"c[ci[i]]\"
      s = exp(c[ci[i]]) / c[ci[i]] + sqrt(c[ci[i]])
      total += s * x[i]
";

#[test]
fn an_index_that_may_wrap_is_compared_with_the_rows() {
    let before = program(WIDE);
    let after = tabulate(before.clone());
    assert!(after.to_string().contains("if ci[i.2] < ci_rows\n"), "{after}");
    let x = [0.5; 9];
    let runs = [vec![0, 1, 0, 1, 1, 0, 0, 0, 1], vec![0, 1, 0, 2, 1, 0, 0, 0, 1], vec![0, 1]];
    let runs = runs.map(|list| vec![Array::floats(&[2.0, 3.0]), Array::floats(&x), Array::ints(&list)]);
    assert_same(&before, &after, runs.to_vec());
}

#[test]
fn a_segment_of_an_index_array_has_no_table() {
    let rows = WIDE
        .replace("x: in f64[_], ci", "x: in f64[_], start: in usize[_], ci")
        .replace("  for i in 0..len(x)", "  for r in 0..len(start) - 1\n  for i in start[r]..start[r + 1]");
    let (head, body) = rows.split_once("  for i in").unwrap_or_else(|| panic!("{rows}"));
    let body: String = format!("  for i in{body}").lines().map(|line| format!("  {line}\n")).collect();
    assert_unchanged(tabulate, &format!("{head}{body}"));
    let all = format!("{head}{body}").replace("start[r]..start[r + 1]", "0..len(x)");
    assert!(tabulate(program(&all)).to_string().contains("ci_table"), "{all}");
}

/// The adjoint of the first parameter.
fn gradient(primal: &Program, args: Vec<Array<f64>>) -> Vec<f64> {
    let active = [primal.params[0]];
    let Ok(reversed) = reverse(primal, &active) else { panic!("not differentiable") };
    let reversed = simplify_reversed(reversed);
    let mut given = args;
    given.insert(1, Array::floats(&vec![0.0; given[0].data.len()]));
    given.push(Array::float(1.0));
    match run::<f64>(&reversed, given, &no_paths) {
        Ok(outcome) => outcome.params[1].reals(),
        Err(fault) => panic!("{fault:?}\n{reversed}"),
    }
}

#[test]
fn the_adjoint_of_a_row_is_summed_and_reversed_once_and_unused_rows_stay_zero() {
    let before = program(WIDE);
    let after = tabulate(before.clone());
    // the derivatives of the unused row are infinite
    let args = vec![
        Array::floats(&[2.0, 0.0, 3.0]),
        Array::floats(&[0.5, 1.0, -1.0, 2.0, 0.25, 1.0, 1.0, 1.0, 3.0, 4.0, 5.0, 6.0]),
        Array::ints(&[0, 2, 2, 0, 0, 2, 2, 2, 0, 0, 2, 0]),
    ];
    let (plain, tabulated) = (gradient(&before, args.clone()), gradient(&after, args));
    assert_eq!(plain[1], 0.0);
    assert_eq!(tabulated[1], 0.0);
    for (a, b) in plain.iter().zip(&tabulated) {
        assert!((a - b).abs() <= 1e-13 * a.abs(), "{plain:?} {tabulated:?}");
    }
}

#[test]
fn what_is_cheap_or_no_function_of_an_index_is_not_tabulated() {
    for statement in [
        // cheap
        "s = c[ci[i]] * 2.0",
        // of the iteration as well
        "s = exp(c[ci[i]]) / x[i]\n      s = sqrt(s * x[i]) / sin(s + x[i])",
        // of a loop around or inside
        "for j in 0..2\n        s = exp(c[ci[i]]) / (j as f64 + 1.0)",
        // of an element that the loop writes
        "s = exp(y[ci[i]]) / y[ci[i]] + sqrt(y[ci[i]])",
        // under a condition that the index does not decide
        "s = 0.0\n      if x[i] > 0.0\n        s = exp(c[ci[i]]) / c[ci[i]] + sqrt(c[ci[i]])",
        // at an index that may be out of range for some index in range
        "s = exp(c[ci[i] - 1]) / c[ci[i] / 2] + sqrt(c[ci[i] % 2])",
        // carried from one iteration to the next
        "last = exp(c[ci[i]]) / c[ci[i]] + last\n      s = last",
    ] {
        assert_unchanged(
            tabulate,
            &format!(
                "
fn f(c: in f64[_], x: in f64[_], y: inout f64[_], ci: in usize[_]) -> total: f64, last: f64
  total = 0.0
  last = 0.0
  for i in 0..len(x)
    scope s: f64
      {statement}
      y[i] = s
      total += s * x[i]
"
            ),
        );
    }
}
