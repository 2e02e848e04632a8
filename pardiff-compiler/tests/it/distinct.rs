//! Writes through index arrays: in tasks where a check says that no value comes twice, in order where one does.

use crate::scheduled::many_chunks;
use crate::schemes::{check, indices, numbers, program, schemes, tasks};
use pardiff_compiler::ir::interp::{Array, no_paths, run, run_racing};
use pardiff_compiler::ir::{Expr, Message, Program, Stmt, StmtKind};
use pardiff_compiler::schedule::{Options, refuse_marks, schedule};

/// A row of `y` by `p[i]`, with work enough for a check.
const SCATTER: [&str; 6] = [
    "fn f(p: in u32[_], x: in f64[_], y: inout f64[_], n: in usize)",
    "  for i in 0..n marks(parallel)",
    "    for j in 0..3",
    "      check i < len(p) index \"p\" \"p[i]\"",
    "      check (p[i] as usize) * 3 + j < len(y) index \"y\" \"y[p[i] * 3 + j]\"",
    "      y[(p[i] as usize) * 3 + j] = x[j] * y[(p[i] as usize) * 3 + j] + 2.0 * x[j] - x[j] * x[j]",
];

fn args(p: &[i128]) -> Vec<Array<f64>> {
    vec![indices(p), numbers(3), numbers(24), Array::int(p.len() as i128)]
}

#[test]
fn rows_by_values_that_do_not_repeat_are_written_in_tasks() {
    let made = check(&SCATTER, args(&[3, 0, 7, 5, 1]));
    assert!(tasks(&made.program) > 0 && made.program.to_string().contains("guard holds"), "{}", made.program);
    assert!(refuse_marks(&program(&SCATTER), &Options::default()).is_empty());
}

#[test]
fn rows_by_values_that_repeat_are_written_in_order() {
    check(&SCATTER, args(&[3, 0, 3, 5, 0]));
    check(&SCATTER, args(&[1, 1, 1, 1, 1, 1, 1]));
}

#[test]
fn values_beyond_the_array_and_arrays_that_are_too_short_panic_as_they_did() {
    let before = program(&SCATTER);
    let after = schedule(before.clone(), &many_chunks(3)).program;
    let mut short = args(&[3, 1]);
    short[3] = Array::int(5);
    for args in [short, args(&[3, 4_000_000_000, 0, 4_000_000_000]), args(&[1, 8])] {
        let old = run::<f64>(&before, args.clone(), &no_paths).map_err(|fault| fault.kind);
        let new = run_racing::<f64>(&after, args, &no_paths, 1).map_err(|fault| fault.kind);
        assert!(old.is_err_and(|old| old.is_panic()) && new.is_err_and(|new| new.is_panic()));
    }
    let mut none = args(&[3, 1]);
    none[3] = Array::int(0);
    check(&SCATTER, none);
    check(&SCATTER, args(&[]));
}

#[test]
fn what_one_iteration_leaves_to_another_stays_in_order() {
    for (at, line) in [
        (4, "      check (p[i] as usize) * 2 + j < len(y) index \"y\" \"y[p[i] * 2 + j]\""),
        (5, "      y[(p[i] as usize) * 3 + j] = x[j] * y[i] + 2.0 * x[j] - x[j] * x[j]"),
    ] {
        let mut text = SCATTER;
        text[at] = line;
        let overlapping = text[5].replace("* 3", "* 2");
        if at == 4 {
            text[5] = &overlapping;
        }
        let made = check(&text, args(&[3, 0, 7, 5, 1]));
        assert!(made.program.to_string().contains("for i in 0..n sequential"), "{}", made.program);
        assert_eq!(refuse_marks(&program(&text), &Options::default()).len(), 1);
    }
}

#[test]
fn little_work_is_not_worth_a_check() {
    let copy = [
        "fn f(p: in usize[_], x: in f64[_], y: inout f64[_], n: in usize)",
        "  for i in 0..n",
        "    if p[i] < len(y)",
        "      y[p[i]] = x[i]",
    ];
    let made = schedule(program(&copy), &Options::default());
    assert_eq!(tasks(&made.program), 0, "{}", made.program);
    let made = check(&copy, vec![indices(&[2, 0, 1]), numbers(3), numbers(3), Array::int(3)]);
    assert!(tasks(&made.program) > 0, "where it is free, it is made: {}", made.program);
}

#[test]
fn sums_by_values_that_may_repeat_have_copies_and_no_check() {
    let sum = [
        "fn f(p: in usize[_], x: in f64[_], y: inout f64[_], n: in usize)",
        "  for i in 0..n",
        "    for j in 0..4",
        "      if p[i] < len(y)",
        "        y[p[i]] += x[j] * x[i] * x[j] * x[i] + x[j] * 3.0",
    ];
    let args = vec![indices(&[2, 0, 2, 1]), numbers(4), numbers(3), Array::int(4)];
    let made = check(&sum, args);
    assert!(!made.program.to_string().contains("guard holds"), "{}", made.program);
    assert!(!schemes(&made.program).is_empty(), "{}", made.program);
}

#[test]
fn the_adjoint_of_a_write_is_apart_where_the_write_is() {
    // `d_y[e] = 0` is such a write; `d_x` goes to the same elements
    let adjoint = [
        "fn f(p: in i64[_], d_x: inout f64[_], d_y: inout f64[_], w: in f64[_], n: in usize)",
        "  for i in 0..n down",
        "    scope t: f64, k: usize",
        "      k = p[i] as usize",
        "      if k < len(d_x)",
        "        if k < len(d_y)",
        "          t = d_y[k]",
        "          d_y[k] = 0.0",
        "          for j in 0..8",
        "            d_x[k] += t * w[i] + t * w[i] * w[i]",
    ];
    for p in [&[3, 1, 0, 2][..], &[3, 1, 3, 2], &[-1, 2, -1, 0]] {
        let args = vec![indices(p), numbers(4), numbers(4), numbers(4), Array::int(4)];
        let made = check(&adjoint, args);
        assert!(tasks(&made.program) > 0, "{}", made.program);
        let plan: Vec<&String> = made.decisions.sums.values().collect();
        assert!(plan.iter().any(|why| why.contains("no value of `p` comes twice")), "{plan:?}");
    }
    let small = schedule(program(&adjoint), &Options::default());
    let least = Options::default().costs.worth_a_task.to_string();
    assert!(
        small.program.to_string().contains(&least),
        "the check is made where there is work: {}",
        small.program
    );
}

/// The program, which panics where a check in front of a loop fails.
fn relying(mut program: Program) -> Program {
    fn rely(stmt: &mut Stmt) {
        if let StmtKind::Guarded { els, .. } = &mut stmt.kind {
            let message = Message::Text("the check failed".to_owned());
            *els = vec![Stmt::new(StmtKind::Check { cond: Expr::bool(false), message }, stmt.origin)];
        }
        stmt.blocks_mut().into_iter().flatten().for_each(rely);
    }
    program.body.iter_mut().for_each(rely);
    program
}

fn relies(lines: &[&str], args: Vec<Array<f64>>) -> bool {
    let scheduled = relying(schedule(program(lines), &many_chunks(3)).program);
    assert!(scheduled.to_string().contains("guard holds"), "{scheduled}");
    run_racing::<f64>(&scheduled, args, &no_paths, 1).is_ok()
}

#[test]
fn the_version_in_tasks_runs_only_where_no_value_repeats() {
    assert!(relies(&SCATTER, args(&[3, 0, 7, 5, 1])));
    assert!(!relies(&SCATTER, args(&[3, 0, 3, 5, 1])));
}

/// Rows that have no place in `y` are marked by a negative one.
const MARKED: [&str; 5] = [
    "fn f(at: in i32[_], x: in f64[_], y: inout f64[_])",
    "  for i in 0..len(at)",
    "    if at[i] >= 0",
    "      check at[i] as usize < len(y) index \"y\" \"y[at[i]]\"",
    "      y[at[i] as usize] = x[0] * x[1] + x[2] * x[0] - x[1]",
];

#[test]
fn values_that_a_condition_keeps_out_may_repeat() {
    for (at, expected) in [(&[-1, 2, -1, 0, -1][..], true), (&[2, -1, 2, 1], false)] {
        let args = vec![indices(at), numbers(3), numbers(4)];
        check(&MARKED, args.clone());
        assert_eq!(relies(&MARKED, args), expected, "{at:?}");
    }
    // not where something is done without the condition
    let mut text = MARKED.to_vec();
    text.push("    y[0] = y[0] * x[1] + x[2] * x[0] - x[1]");
    let made = schedule(program(&text), &many_chunks(3));
    assert_eq!(tasks(&made.program), 0, "{}", made.program);
}
