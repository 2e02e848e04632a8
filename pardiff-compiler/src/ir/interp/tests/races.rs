//! What iterations of a parallel loop may and may not do to each other's elements.

use super::program;
use crate::ir::interp::{Array, Fault, FaultKind, Outcome, no_paths, run, run_racing};

const HEAD: &str = "
fn f(x: in f64[_], p: in usize[_], y: inout f64[_], n: in usize) -> total: f64
  total = 0.0
";

fn args() -> Vec<Array<f64>> {
    let x = Array::floats(&[1.0, 2.5, -3.0, 0.1, 7.0, 0.3]);
    vec![x, Array::usizes(&[3, 0, 1, 5, 2, 4]), Array::floats(&[0.0; 8]), Array::int(6)]
}

#[track_caller]
fn racing(body: &str, args: Vec<Array<f64>>, seed: u64) -> Result<Outcome<f64>, Fault> {
    run_racing(&program(&format!("{HEAD}{body}")), args, &no_paths, seed)
}

/// The run in any order gives what the run in order gives.
#[track_caller]
fn is_race_free(body: &str) {
    let in_order = run(&program(&format!("{HEAD}{body}")), args(), &no_paths);
    assert!(in_order.is_ok(), "{in_order:?}");
    for seed in 0..5 {
        assert_eq!(racing(body, args(), seed), in_order, "{body}");
    }
}

/// The run in order ends well; in race mode there is a conflict, which says this.
#[track_caller]
fn races(body: &str, says: &[&str]) {
    assert!(run(&program(&format!("{HEAD}{body}")), args(), &no_paths).is_ok());
    let fault = racing(body, args(), 1).map(|_| ());
    let Err(fault) = fault else { panic!("no conflict in\n{body}") };
    assert_eq!(fault.kind, FaultKind::Race, "{fault}");
    assert!(!fault.kind.is_panic());
    says.iter().for_each(|what| assert!(fault.message.contains(what), "{fault}"));
}

#[test]
fn iterations_with_elements_of_their_own_do_not_race() {
    is_race_free("  for i in 0..n parallel(task)\n    y[i] = x[i] * x[0]\n    y[i] += x[i]");
    is_race_free("  for i in 0..n parallel(task)\n    y[p[i]] += x[i]");
    is_race_free("  for i in 0..n parallel(task)\n    scope t: f64\n      t = x[i]\n      y[i] = t * t");
}

#[test]
fn iterations_are_shuffled() {
    let body = "  for i in 0..n parallel(task)\n    check i > 2 \"small\"\n    check i < 3 \"large\"";
    let found = |seed| racing(body, args(), seed).err().map(|fault| fault.message);
    let all: Vec<_> = (0..20).filter_map(found).collect();
    assert!(all.contains(&"small".to_owned()) && all.contains(&"large".to_owned()), "{all:?}");
}

#[test]
fn two_writes_of_one_element_race() {
    races("  for i in 0..n parallel(task)\n    y[i / 2] = x[i]", &["`y[", "of `i`", "Write"]);
    races(
        "  for i in 0..2 parallel(task)\n    y[3] = x[i]",
        &["`y[3]` is touched by the iterations", "0", "1"],
    );
}

#[test]
fn a_write_and_a_read_of_one_element_race() {
    races("  for i in 0..n parallel(task)\n    y[i + 1] = x[i] * y[i]", &["`y["]);
    races("  for i in 0..n parallel(task)\n    y[i] = x[i] * y[7 - i]", &["`y["]);
    races(
        "  for i in 0..n parallel(task)\n    if i == 0\n      y[6] = 1.0\n    else\n      y[i] = y[6]",
        &["`y[6]`"],
    );
}

#[test]
fn there_are_no_atomics_between_tasks() {
    races("  for i in 0..n parallel(task)\n    y[0] += x[i]", &["`y[0]`", "Update(Add)"]);
}

#[test]
fn lanes_may_meet_in_a_sum_only() {
    let lanes = |body: &str| format!("  for c in 0..2 parallel(task)\n    for l in 0..3 lanes(8)\n{body}");
    is_race_free(&lanes("      y[c] += x[l]"));
    is_race_free(&lanes("      y[4 * c + p[l] % 2] += x[l]"));
    is_race_free(&lanes("      y[4 * c + l] = x[l]"));
    races(&lanes("      y[4 * c + p[l] % 2] = x[l]"), &["`y[", "of `l`"]);
    races(&lanes("      y[c] += x[l]\n      y[4 * c + l + 1] = y[c]"), &["of `l`"]);
    races(&lanes("      y[c] += x[l]\n      y[c] max= x[l]"), &["of `l`"]);
}

#[test]
fn one_iteration_may_use_an_element_as_it_likes_and_the_next_loop_again() {
    is_race_free(
        "  for i in 0..n parallel(task)\n    y[i] = x[i]\n    y[i] += y[7] * 2.0\n    y[i] max= 3.0\n  \
         for j in 0..n parallel(task)\n    y[n - 1 - j] += x[j]",
    );
}

#[test]
fn scratch_of_an_iteration_is_not_what_another_one_left() {
    let body = "  for i in 0..n parallel(task)\n    scope t: f64[2]\n      if i == 0\n        t[0] = 1.0\n      y[i] = t[0]";
    for seed in 0..4 {
        let kind = racing(body, args(), seed).err().map(|fault| fault.kind);
        assert_eq!(kind, Some(FaultKind::Unspecified));
    }
}

#[test]
fn what_no_iteration_before_has_written_is_not_read() {
    let body = "  scope t: f64[n]\n    for i in 0..n parallel(task)\n      t[i] = x[i]\n      if i > 0\n        y[i] = t[i - 1]";
    for seed in 0..8 {
        let kind = racing(body, args(), seed).err().map(|fault| fault.kind);
        assert!(matches!(kind, Some(FaultKind::Race | FaultKind::Unspecified)), "{kind:?}");
    }
}

#[test]
fn tasks_of_a_fork_race_like_iterations() {
    is_race_free("  fork\n    task\n      y[0] = x[0]\n    task\n      y[1] = x[0]");
    races("  fork\n    task\n      y[0] = x[0]\n    task\n      y[1] = y[0]", &["`y[0]`", "fork"]);
}

#[test]
fn padded_elements_are_named_by_their_index() {
    let body = "  scope t: f64[2, 3] padded(8)\n    for i in 0..n parallel(task)\n      t[1, 2] = x[i]";
    races(body, &["`t[1, 2]`"]);
}
