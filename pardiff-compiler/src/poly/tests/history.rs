//! Loops without checks after loops with the same ones.

use crate::ir::{Program, parse};
use crate::poly::Analysis;

/// Whether the loop `r` carries nothing.
#[track_caller]
fn loop_is_independent(text: &str) -> bool {
    let program: Program = parse(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let Some(last) = program.iters.iter().position(|iter| iter.name == "r") else { panic!("no loop `r`") };
    let analysis = Analysis::new(&program);
    analysis.carried_by(crate::ir::IterId(last as u32)).iter().all(|found| found.is_independent())
}

const HEAD: &str = "fn f(a: in f64[_], d_a: adjoint(a) f64[len(a)], n: in usize, m: in usize, b: in bool)\n";

#[track_caller]
fn rows(checks: &str, lo: &str, hi: &str) -> bool {
    loop_is_independent(&format!(
        "{HEAD}{checks}  for r in 0..n down\n    for q in {lo}..{hi} down\n      d_a[r * m + q] += a[r * m + q]\n"
    ))
}

const CHECKED: &str = "  for i in 0..n\n    for j in 0..m\n      check i * m + j < len(a) \"a\"\n";

#[test]
fn indices_that_an_earlier_loop_has_checked_do_not_wrap() {
    assert!(rows(CHECKED, "0", "m"));
    assert!(rows(CHECKED, "1", "m"), "fewer of them");
}

#[test]
fn indices_that_no_loop_has_checked_may_wrap() {
    assert!(!rows("", "0", "m"));
    assert!(!rows(CHECKED, "0", "n"), "not below m");
    assert!(!rows(&CHECKED.replace("0..n", "1..n"), "0", "m"), "not row 0 … of which n - 1 is the same");
    assert!(!rows(&CHECKED.replace("0..n", "0..m"), "0", "m"), "other rows");
}

#[test]
fn a_check_under_a_condition_proves_nothing_behind_it() {
    let under = "  for i in 0..n\n    for j in 0..m\n      if b\n        check i * m + j < len(a) \"a\"\n";
    assert!(!rows(under, "0", "m"));
}

#[test]
fn a_loop_that_the_index_does_not_mention_has_to_have_an_iteration() {
    let inside =
        "  for z in 0..m\n    for i in 0..n\n      for j in 0..m\n        check i * m + j < len(a) \"a\"\n";
    assert!(rows(inside, "0", "m"), "q is below m, so z was as well");
    let other = inside.replace("z in 0..m", "z in 0..len(a)");
    assert!(!rows(&other, "0", "m"));
}

#[test]
fn the_loops_before_are_those_of_the_same_iteration() {
    let fused = |checks: &str| {
        format!(
            "{HEAD}  for r in 0..n\n{checks}    for q in 0..m down\n      d_a[r * m + q] += a[r * m + q]\n"
        )
    };
    assert!(loop_is_independent(&fused("    for j in 0..m\n      check r * m + j < len(a) \"a\"\n")));
    assert!(!loop_is_independent(&fused("")));
}
