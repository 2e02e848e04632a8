//! Rows in compressed form: apart where the starts never fall.

use crate::ir::{IterId, Program, parse};
use crate::poly::{Analysis, Monotone};

#[track_caller]
fn program(starts: &str, row: &str, body: &str) -> Program {
    let text = format!(
        "fn f(v: in f64[_], d_v: adjoint(v) f64[len(v)], start: {starts}, n: in usize, q: in usize)\n  for r in 0..n{row}{body}"
    );
    parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// The facts that are worth a check, and whether the loop is independent without and with them.
#[track_caller]
fn known(program: &Program) -> (Vec<Monotone>, bool, bool) {
    let analysis = Analysis::new(program);
    let facts = analysis.facts_of(IterId(0));
    let plain = analysis.carried_by(IterId(0)).iter().all(|it| it.is_independent());
    let assuming = analysis.carried_assuming(IterId(0), &facts).iter().all(|it| it.is_independent());
    (facts, plain, assuming)
}

const ROW: &str = "
    for k in start[r] as usize..start[r + 1] as usize
      d_v[k] += v[k]
    for l in start[r] as usize..start[r + 1] as usize down
      d_v[l] += 2.0 * v[l]";

#[test]
fn rows_are_apart_where_the_starts_never_fall() {
    for starts in ["in u32[_]", "in usize[_]"] {
        for order in ["", " down"] {
            let program = program(
                starts,
                order,
                &ROW.replace(" as usize", if starts.contains("size") { "" } else { " as usize" }),
            );
            let (facts, plain, assuming) = known(&program);
            let fact = Monotone { along: IterId(0), pointers: program.params[2], offset: 0 };
            assert_eq!((facts, plain, assuming), (vec![fact], false, true), "{starts}{order}");
        }
    }
}

#[test]
fn elements_outside_the_row_are_not() {
    let beyond =
        program("in usize[_]", "", "\n    for k in start[r]..start[r + 1]\n      d_v[k + 1] += d_v[k]");
    assert!(!known(&beyond).2);
    let other = program("in usize[_]", "", "\n    for k in start[r]..start[r + 2]\n      d_v[k] += v[k]");
    assert_eq!(known(&other).0, []);
}

#[test]
fn starts_that_the_loop_writes_say_nothing() {
    let row = "\n    for k in start[r]..start[r + 1]\n      d_v[k] += v[k]\n    start[r] = q";
    let (facts, _, assuming) = known(&program("inout usize[_]", "", row));
    assert!(facts.is_empty() && !assuming);
}
