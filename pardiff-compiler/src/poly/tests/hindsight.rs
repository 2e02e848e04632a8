//! Indices of runs that come to their ends: how often loops run, and what later checks prove.

use crate::ir::parse;
use crate::poly::Analysis;

const HEAD: &str = "fn f(a: inout f64[_], n: in usize, b: in bool)\n";

/// How many indices of `a` may wrap, as it is known where they are used and in hindsight.
#[track_caller]
fn may_wrap(body: &str) -> (usize, usize) {
    let text = format!("{HEAD}{}\n", body.trim_matches('\n'));
    let program = parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let count = |analysis: Analysis<'_>| {
        let unknown = |access: &&crate::poly::Access<'_>| access.index.iter().any(Option::is_none);
        analysis.accesses().iter().filter(unknown).count()
    };
    (count(Analysis::new(&program)), count(Analysis::in_hindsight(&program)))
}

#[test]
fn a_loop_that_makes_checks_does_not_run_for_centuries() {
    let diagonal = "
  for j in 0..n
    check j * n + j < len(a) \"a\"
    a[j * n + j] = 0.5";
    assert_eq!(
        may_wrap(diagonal),
        (1, 0),
        "n + 1 fits; tasks begin in the midst of the loop, and it might not"
    );
    // it may run once in all of them, or go past where `j * n + j` leaves the words
    assert_eq!(may_wrap(&diagonal.replace("check", "if b\n      check")), (1, 1));
    assert_eq!(may_wrap(&diagonal.replace("j in 0..n", "j in 0..n step 3")), (1, 1));
    assert_eq!(may_wrap(&diagonal.replace("j in 0..n", "j in 0..n down")), (1, 1));
}

#[test]
fn rows_that_begin_empty_count_from_the_second() {
    let below = "
  for j in 0..n
    for k in 0..j
      check j * n + k < len(a) \"a\"
      a[j * n + k] = 0.5";
    assert_eq!(may_wrap(below), (0, 0));
    assert_eq!(may_wrap(&below.replace("0..j", "2..j")), (1, 1), "two rows are empty");
}

#[test]
fn what_passes_for_all_rows_in_the_end_has_passed_for_each() {
    let others = "
  for k in 0..n
    for j in 0..n
      check k * n + j < len(a) \"a\"
    for i in 0..n
      if i != k
        for q in 0..n
          check i * n + q < len(a) \"a\"
          a[i * n + q] = 0.5";
    assert_eq!(may_wrap(others), (1, 0));
    assert_eq!(
        may_wrap(&others.replace("for j in 0..n\n", "for j in 0..n - k\n")),
        (1, 1),
        "not all columns"
    );
    assert_eq!(may_wrap(&others.replace("for i in 0..n\n", "for i in 0..n + n\n")), (1, 1), "more rows");
    let sometimes =
        others.replace("    for j in 0..n\n      check", "    if b\n      for j in 0..n\n        check");
    assert_eq!(may_wrap(&sometimes), (1, 1), "not in each run");
}

#[test]
fn what_is_near_an_index_that_has_passed_fits() {
    let near = "
  for k in 0..n
    check k * n + k < len(a) \"a\"
  for i in 0..n
    for j in 0..i
      if b
        check i * n + j < len(a) \"a\"
        a[i * n + j] = 0.5";
    assert_eq!(may_wrap(near), (1, 0), "below the diagonal");
    assert_eq!(may_wrap(&near.replace("0..i", "0..len(a)")), (1, 0), "beside it");
    assert_eq!(
        may_wrap(&near.replace("[i * n + j]", "[i * n + j * n]").replace("i * n + j <", "i * n + j * n <")),
        (1, 1)
    );
}
