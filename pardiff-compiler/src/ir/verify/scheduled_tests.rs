//! A right schedule, and one change after the other that makes it wrong.

use super::{Rule, verify};
use crate::ir::parse;

const SCHEDULED: &str = "
fn f(x: in f64[_], w: in f64[_], d_x: inout f64[len(x)], d_w: inout f64[len(w)], n: in usize, m: inout usize) -> total: f64
  total = 0.0
  scope chunks: usize, mine: f64[n] thread, grown: f64[_] growing, other: f64[n], again: f64[n]
    chunks = n / 64 + 1
    mine[0] = 1.0
    grown[0] = 1.0
    scope d_w_c: f64[chunks, len(w)] padded(8), total_c: f64[chunks] padded(8)
      for c in 0..chunks parallel(task)
        total_c[c] = 0.0
        for j in 0..len(w)
          d_w_c[c, j] = 0.0
        scope hi: usize, q: f64[len(w), 128] thread
          hi = int::min(64 * c + 64, n)
          for b in 64 * c..hi step 128
            scope width: usize
              width = int::min(128, hi - b)
              for k in 0..len(w)
                for l in 0..width lanes(128)
                  q[k, l] = w[k] * x[b + l]
              for l.2 in 0..width lanes(128)
                check b + l.2 < len(x) index \"x\" \"x[b + l]\"
                scope t: f64, v: f64[3]
                  t = x[b + l.2]
                  for k.2 in 0..3
                    v[k.2] = t
                  if t > 0.0
                    for k.3 in 0..b
                      d_x[b + l.2] += t * v[2]
                  total_c[c] += t
      for c.2 in 0..chunks
        total += total_c[c.2]
        for j.2 in 0..len(w)
          d_w[j.2] += d_w_c[c.2, j.2]
";

/// The rules that the program breaks with one text replaced by another.
#[track_caller]
fn changed(from: &str, to: &str) -> Vec<Rule> {
    assert!(SCHEDULED.contains(from), "{from}");
    let text = SCHEDULED.replacen(from, to, 1);
    let program = parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    verify(&program).err().unwrap_or_default().into_iter().map(|violation| violation.rule).collect()
}

#[track_caller]
fn breaks(rule: Rule, from: &str, to: &str) {
    assert_eq!(changed(from, to), [rule], "{from} -> {to}");
}

/// The statement stands before the first one of the task loop.
#[track_caller]
fn task_breaks(statement: &str) {
    let at = "        total_c[c] = 0.0\n";
    breaks(Rule::Task, at, &format!("{at}{statement}\n"));
}

/// The statement stands in a lane loop.
#[track_caller]
fn lane_breaks(statement: &str) {
    let at = "                  total_c[c] += t\n";
    breaks(Rule::Lanes, at, &format!("{at}{statement}\n"));
}

#[test]
fn the_schedule_is_right() {
    assert_eq!(changed("total = 0.0", "total = 1.0"), []);
}

#[test]
fn task_loops_count_chunks() {
    breaks(Rule::Task, "for c in 0..chunks parallel", "for c in 1..chunks parallel");
    breaks(Rule::Task, "for c in 0..chunks parallel", "for c in 0..=chunks parallel");
    breaks(Rule::Task, "for c in 0..chunks parallel", "for c in 0..chunks step 2 parallel");
    breaks(Rule::Task, "for c in 0..chunks parallel", "for c in 0..chunks down parallel");
}

#[test]
fn task_loops_are_not_nested() {
    breaks(Rule::Task, "for j in 0..len(w)\n", "for j in 0..len(w) parallel(task)\n");
    let rules = changed("for k.2 in 0..3\n", "for k.2 in 0..3 parallel(task)\n");
    assert_eq!(rules, [Rule::Lanes, Rule::Task], "a task loop in a lane loop, which is in a task loop");
}

#[test]
fn tasks_write_no_scalar_of_the_outside() {
    task_breaks("        total = 1.0");
    task_breaks("        total += 1.0");
    task_breaks("        m max= 1");
}

#[test]
fn tasks_leave_storage_of_the_outside_where_it_is() {
    task_breaks("        grown[c] = 1.0");
    task_breaks("        swap again, other");
    task_breaks("        fork\n          task\n            d_x[c] = 1.0");
    task_breaks(
        "        call product [1, 1, 1] d_x[0] by [0] [0] += x[0] by [0] [0] * x[0] by [0] [0] * 2.0",
    );
}

#[test]
fn memory_of_a_thread_is_not_used_by_its_tasks() {
    task_breaks("        d_x[c] = mine[0]");
    task_breaks("        mine[c] = 1.0");
}

#[test]
fn lane_loops_stand_in_no_other_ones() {
    assert_eq!(changed("for j.2 in 0..len(w)\n", "for j.2 in 0..len(w) lanes(8)\n"), []);
    breaks(Rule::Lanes, "for k.2 in 0..3\n", "for k.2 in 0..3 lanes(8)\n");
}

#[test]
fn lane_loops_count_lanes() {
    breaks(Rule::Lanes, "for l.2 in 0..width", "for l.2 in 0..=width");
    breaks(Rule::Lanes, "for l.2 in 0..width", "for l.2 in 0..width step 2");
    breaks(Rule::Lanes, "for l.2 in 0..width", "for l.2 in 0..width down");
}

#[test]
fn all_lanes_reduce_one_element_but_do_not_assign_it() {
    breaks(Rule::Lanes, "total_c[c] += t", "total_c[c] = t");
    breaks(Rule::Lanes, "total_c[c] += t", "hi = 3");
    breaks(Rule::Lanes, "total_c[c] += t", "d_x[m + b] = t");
    assert_eq!(changed("total_c[c] += t", "d_x[b + l.2] = t"), []);
    assert_eq!(changed("total_c[c] += t", "d_x[t as usize] = t"), [], "the race mode looks at the elements");
    assert_eq!(changed("total_c[c] += t", "v[0] = t"), [], "each lane has its own");
}

#[test]
fn bounds_inside_a_lane_loop_may_differ_between_lanes() {
    for bounds in ["0..l.2", "t as usize..3", "0..m"] {
        assert_eq!(changed("for k.2 in 0..3\n", &format!("for k.2 in {bounds}\n")), [], "{bounds}");
    }
}

#[test]
fn extents_of_what_a_lane_owns_are_constant() {
    breaks(Rule::Lanes, "v: f64[3]\n", "v: f64[n]\n");
}

#[test]
fn lane_loops_contain_only_what_lanes_execute() {
    lane_breaks("                  loop trip\n                    while trip < 3");
    lane_breaks("                  guard n > 3\n                    v[0] = 1.0");
    lane_breaks("                  scope z: f64[3]\n                    swap v, z");
    let rules =
        changed("total_c[c] += t\n", "fork\n                    task\n                      v[0] = t\n");
    assert_eq!(rules, [Rule::Lanes, Rule::Task]);
}

#[test]
fn what_does_not_exist_is_no_panic() {
    let program = parse(SCHEDULED).unwrap_or_else(|error| panic!("{error}"));
    for missing in 0..program.buffers.len() {
        let mut wrong = program.clone();
        wrong.buffers.truncate(missing);
        assert!(verify(&wrong).is_err());
    }
}

const NEST: &str = "
fn f(x: in f64[_], y: inout f64[_]) -> total: f64
  total = 0.0
  for b in 0..len(x) / 64 parallel(grid)
    scope tile: f64[64] shared, sum: f64
      sum = 0.0
      for t in 0..64 parallel(block)
        scope v: f64
          v = x[b * 64 + t]
          tile[t] = v
          sum += v @ scalar_reduction
      for t.2 in 0..64 parallel(block)
        y[b * 64 + t.2] = tile[63 - t.2] * sum
      total += sum @ scalar_reduction
";

#[test]
fn threads_of_a_block_share_what_is_declared_for_the_block() {
    let rules = |from: &str, to: &str| {
        assert!(NEST.contains(from), "{from}");
        let text = NEST.replacen(from, to, 1);
        let program = parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        verify(&program).err().unwrap_or_default().into_iter().map(|it| it.rule).collect::<Vec<Rule>>()
    };
    assert_eq!(rules("sum", "sum"), []);
    assert_eq!(rules("len(x) / 64 parallel(grid)", "len(x) / 64"), [Rule::Block; 3]);
    assert_eq!(rules("scope v: f64\n", "scope v: f64, w: f64[8] shared\n"), [Rule::Block]);
    assert_eq!(rules("tile: f64[64] shared", "tile: f64[len(x)] shared"), [Rule::Block]);
    assert_eq!(rules("sum += v @ scalar_reduction", "sum += v"), [Rule::Block]);
    assert_eq!(rules("sum += v @ scalar_reduction", "sum = v"), [Rule::Block]);
    let inner = "for t in 0..64 parallel(block)\n        for u in 0..64 parallel(block)\n          y[u] = 1.0\n        ";
    assert_eq!(rules("for t in 0..64 parallel(block)\n        ", inner), [Rule::Block]);
}
