//! Innermost loops as lane loops: when they are, and when not.

use super::{Arg, assert_same, changed, inner};
use crate::equivalence::program;
use crate::ir::{BufferSet, Exec, IterId, Program, Stmt, StmtKind, verify};

pub(super) fn marked(body: &str) -> (Program, Program, usize) {
    marked_under(false, body)
}

pub(super) fn marked_under(strict: bool, body: &str) -> (Program, Program, usize) {
    let text = format!(
        "
        fn f(x: in f64[_], y: inout f64[_], z: inout f64[_], p: in usize[_], n: in usize) -> total: f64
          total = 0.0
          for i in 0..n
            scope s: f64, t: f64
              s = 0.0
              t = 0.0
{}
              total += s + t
        ",
        body.lines().map(|line| format!("              {line}")).collect::<Vec<_>>().join("\n")
    );
    let mut loops = 0;
    let (before, after) = changed(&text, &mut |program, stmt| {
        loops = inner::mark(program, &BufferSet::new(), strict, &[], stmt)
    });
    for n in [0, 1, 8, 11] {
        let args = |name: &str| match name {
            "n" => Arg::Size(n),
            "p" => Arg::Indices((0..n).map(|i| n - 1 - i).collect()),
            _ => Arg::Floats(n * n + 3),
        };
        assert_same(&before, &after, &args);
    }
    (before, after, loops)
}

#[test]
fn sums_and_elementwise_updates_run_in_lanes() {
    for body in [
        "for j in 0..n\n  s += x[i * n + j] * x[j]",
        "for j in 0..n down\n  y[i + j] += x[j]\n  y[i + j] += x[j + 1]",
        "for j in 0..n\n  y[j] = x[j] * y[j]\n  z[j] = y[j]",
        "for j in 0..n\n  if x[j] > 0.0\n    s max= x[j]",
    ] {
        assert_eq!(marked(body).2, 1, "{body}");
    }
}

#[test]
fn rows_of_several_planes_run_in_lanes_where_that_is_known_to_be_right() {
    let known = |body: &str| {
        let text = format!(
            "
        fn f(x: in f64[_], y: inout f64[_], n: in usize)
          for i in 0..1
            for j in 0..n
              {body}
        "
        );
        let mut loops = 0;
        let (before, after) = changed(&text, &mut |program, stmt| {
            let j = IterId(1);
            assert_eq!(program[j].name, "j");
            assert_eq!(inner::mark(program, &BufferSet::new(), false, &[], &mut stmt.clone()), 0);
            loops = inner::mark(program, &BufferSet::new(), false, &[j], stmt);
        });
        for n in [0, 1, 8, 11] {
            let args = |name: &str| if name == "n" { Arg::Size(n) } else { Arg::Floats(2 * n) };
            assert_same(&before, &after, &args);
        }
        loops
    };
    assert_eq!(known("y[j] = x[j] * y[n + j]\n              y[n + j] = x[n + j]"), 1);
    // a loop of one iteration commutes as well, and has no lanes
    assert_eq!(known("if j < 1\n                y[0] = x[j] * y[0]"), 0);
}

#[test]
fn strict_sums_stay_in_order() {
    for (body, loops) in [
        ("for j in 0..n\n  s += x[i * n + j] * x[j]", 0),
        ("for j in 0..n\n  y[p[j]] += x[j]", 0),
        ("for j in 0..n\n  y[i + j] += x[j]\n  y[i + j] += x[j + 1]", 1),
        ("for j in 0..n\n  y[j] = x[j] * y[j]\n  z[j] = y[j]", 1),
    ] {
        assert_eq!(marked_under(true, body).2, loops, "{body}");
    }
}

#[test]
fn iterations_that_meet_stay_in_order() {
    for body in [
        // each element from the one before
        "for j in 0..n\n  y[j + 1] = x[j] * y[j]",
        // the sum is read
        "for j in 0..n\n  s += x[j]\n  y[j] += s",
        // the last one wins
        "for j in 0..n\n  t = x[j]",
        // sums of two kinds
        "for j in 0..n\n  s += x[j]\n  s max= x[j]",
        // one index, but it does not move by one element
        "for j in 0..n\n  y[j % 2] = x[j]",
    ] {
        assert_eq!(marked(body).2, 0, "{body}");
    }
}

#[test]
fn scattered_accesses_stay_as_they_are_unless_there_is_enough_to_compute() {
    for body in [
        // nothing is contiguous
        "for j in 0..n\n  s += x[j * n + i]",
        // a gather and a sum
        "for j in 0..n\n  s += x[p[j]]",
        // the lanes would be stored one after the other
        "for j in 0..n\n  y[p[j]] += x[j] * x[j]",
    ] {
        assert_eq!(marked(body).2, 0, "{body}");
    }
    for body in ["for j in 0..n\n  s += exp(x[p[j]] * x[j])", "for j in 0..n\n  y[p[j]] += exp(x[j])"] {
        assert_eq!(marked(body).2, 1, "{body}");
    }
    // whatever there is to compute, the last one wins
    assert_eq!(marked("for j in 0..n\n  y[p[j]] = exp(x[j])").2, 0);
}

#[test]
fn loops_over_the_same_range_become_one() {
    let (_, after, loops) = marked("for j in 0..n\n  y[j] += x[j]\nfor k in 0..n down\n  z[k] += y[k]");
    assert_eq!(loops, 1, "{after}");
}

#[test]
fn loops_whose_iterations_would_meet_stay_two() {
    for body in [
        "for j in 0..n\n  y[j] += x[j]\nfor k in 0..n\n  z[k] += y[k + 1]",
        "for j in 0..n\n  s += x[j]\nfor k in 0..n\n  z[k] += s",
        "for j in 0..n\n  y[j] += x[j]\nfor k in 1..n\n  z[k] += y[k]",
    ] {
        assert_eq!(marked(body).2, 2, "{body}");
    }
}

/// How many loops of the body of a loop in order run in lanes; the body's loops over `q` become tasks.
fn in_order(strict: bool, body: &str) -> usize {
    lane_loops(&marked_in_order(strict, body)).len()
}

/// The lane loops of a program.
fn lane_loops(program: &Program) -> Vec<&Stmt> {
    let mut lanes = Vec::new();
    let is_lanes =
        |kind: &StmtKind| matches!(kind, StmtKind::For(each) if matches!(each.exec, Exec::Lanes { .. }));
    program
        .body
        .iter()
        .for_each(|stmt| stmt.walk(&mut |stmt| lanes.extend(is_lanes(&stmt.kind).then_some(stmt))));
    lanes
}

/// The program with the body's loops marked, once it computes the same.
fn marked_in_order(strict: bool, body: &str) -> Program {
    let text = format!(
        "
        fn f(x: in f64[_], y: inout f64[_], z: inout f64[_], p: in usize[_], n: in usize) -> total: f64
          total = 0.0
          scope s: f64
            for i in 0..n
              s = 0.0
{}
              total = total * 0.5 + s
        ",
        body.lines().map(|line| format!("              {line}")).collect::<Vec<_>>().join("\n")
    );
    let before = program(&text);
    let mut after = before.clone();
    let mut block = std::mem::take(&mut after.body);
    let is_parallel = |iter: IterId| before[iter].name == "q";
    inner::mark_in_order(&before, strict, &mut block, &is_parallel);
    after.body = block;
    let errors = verify::verify(&after).err().unwrap_or_default();
    assert!(errors.is_empty(), "{errors:?}\n{after}");
    for n in [0, 1, 8, 11] {
        let args = |name: &str| match name {
            "n" => Arg::Size(n),
            "p" => Arg::Indices((0..n).map(|i| n - 1 - i).collect()),
            _ => Arg::Floats(n * n + 3),
        };
        assert_same(&before, &after, &args);
    }
    after
}

#[test]
fn sums_and_functions_in_loops_in_order_run_in_lanes() {
    for body in [
        "for j in 0..n\n  s += x[i * n + j] * y[j]",
        "for j in 0..n down\n  y[j] = exp(y[j] * x[j])",
        "for k in 0..n\n  for j in 0..n\n    s += x[j] * y[k + j]",
        "for j in 0..n\n  check i * n + j < len(x) \"x\"\n  s max= x[i * n + j]",
    ] {
        assert_eq!(in_order(false, body), 1, "{body}");
    }
}

#[test]
fn checks_in_scopes_stand_before_the_loop_unless_they_are_about_a_variable() {
    let inside = |check: &str| {
        let body = format!(
            "for j in 0..n\n  scope t: f64, k: usize\n    k = p[j]\n    {check}\n    t = exp(x[i * n + j])\n    s += t"
        );
        let program = marked_in_order(false, &body);
        let loops = lane_loops(&program);
        assert_eq!(loops.len(), 1, "{program}");
        let mut checks = 0;
        loops[0].walk(&mut |stmt| checks += usize::from(stmt.as_check().is_some()));
        checks
    };
    assert_eq!(inside("check i * n + j < len(x) \"x\""), 0);
    assert_eq!(inside("check k < n \"k\""), 1);
}

#[test]
fn what_rustc_does_itself_and_what_has_an_order_stays_in_order() {
    for body in [
        // vectors without us
        "for j in 0..n\n  y[j] += x[j] * z[j]",
        // each iteration reads what the one before wrote
        "for j in 0..n\n  s = exp(s * x[j])",
        "for j in 0..n\n  y[j + 1] = exp(-y[j])",
        // of few iterations
        "for j in 0..3\n  s += x[j] * y[j]",
        // a loop of tasks
        "for q in 0..n\n  for j in 0..n\n    z[q] += exp(x[j])",
    ] {
        assert_eq!(in_order(false, body), 0, "{body}");
    }
    assert_eq!(in_order(true, "for j in 0..n\n  s += x[i * n + j] * y[j]"), 0);
}
