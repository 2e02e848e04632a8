//! Segments of every length compute the same; programs that would not are left alone.

use super::obstacle::Obstacle;
use super::{in_segments, run};
use crate::adjoint::{live_in_tapes, reverse};
use crate::equivalence::{Args, assert_same, assert_unchanged, program};
use crate::ir::Count::Number;
use crate::ir::interp::{Array, Value};
use crate::ir::{Checkpoint, Lengths, Order, Program, walk_mut};

fn args(len: usize, n: i128, steps: i128) -> Args {
    let numbers =
        |by: usize| Array::floats(&(0..len).map(|k| (k * by % 13) as f64 - 3.0).collect::<Vec<_>>());
    let size = |value| Array::scalar(Value::Int(value));
    vec![numbers(5), numbers(7), size(n), size(steps)]
}

fn runs() -> Vec<Args> {
    let sizes = [(12, 3), (16, 4), (0, 0), (1, 1), (25, 5)];
    let all = sizes.into_iter().flat_map(|(len, n)| (0..12).map(move |steps| (len, n, steps)));
    all.map(|(len, n, steps)| args(len, n, steps)).collect()
}

/// Whether the loop over time runs in segments; the program computes the same with segments of all lengths.
#[track_caller]
fn in_pieces(before: &Program) {
    for steps in [1, 2, 3, 4, 7, 100] {
        let after = in_segments(before.clone(), Checkpoint::every(steps));
        assert!(after.to_string().contains("segments = "), "{after}");
        assert_same(before, &after, runs());
    }
    let after = in_segments(before.clone(), Checkpoint::LEAST);
    assert!(after.to_string().contains("isqrt"), "{after}");
    assert_same(before, &after, runs());
    let bytes = [1, 100, 500, 1000, 2000, 5000].map(|bytes| Lengths::Memory(Number(bytes)));
    let others =
        [Lengths::Least, Lengths::Every(Number(5)), Lengths::States(Number(2))].into_iter().chain(bytes);
    for (lengths, levels) in others.flat_map(|it| [1, 2, 3].map(|levels| (it, Some(levels)))) {
        let after = in_segments(before.clone(), Checkpoint { lengths, levels });
        assert_same(before, &after, runs());
        assert_same(before, &live_in_tapes(after), runs());
    }
    for states in [1, 2, 3, 5, 20] {
        let asked = Checkpoint { lengths: Lengths::Binomial(Number(states)), levels: None };
        let after = in_segments(before.clone(), asked);
        assert!(after.to_string().contains("binomial_checkpoint("), "{after}");
        assert_same(before, &after, runs());
    }
    // each loop that can
    let marked = in_segments(with_marks(before.clone()), None);
    assert_same(before, &marked, runs());
}

/// The program with a mark on every loop.
fn with_marks(mut program: Program) -> Program {
    walk_mut(&mut program.body, &mut |stmt| {
        if let Some(each) = stmt.as_for_mut().filter(|each| each.order == Order::Up) {
            each.marks.checkpoint = Some(Checkpoint::LEAST);
        }
    });
    program
}

#[track_caller]
fn stays(lines: &str) {
    assert_unchanged(|it| in_segments(it, Checkpoint::every(1)), lines);
}

/// A program whose steps have these lines, and its reversal these.
fn steps(step: &[&str], reversed: &[&str]) -> String {
    let head = [
        "fn f(x: inout f64[_], y: inout f64[_], n: in usize, steps: in usize)",
        "  scope u: f64[len(x)], next: f64[len(x)], s: f64",
        "    s = 0.0",
        "    for a in 0..len(x)",
        "      u[a] = x[a]",
        "    for b in 0..len(x)",
        "      next[b] = x[b] * 0.5",
        "    scope t: tape f64[steps, len(x)]",
        "      for r in 0..steps",
    ];
    let behind = ["      for q in 0..len(x)", "        x[q] = u[q] + next[q] * 3.0 + s"];
    let line = |line: &&str| format!("        {line}");
    let mut lines: Vec<String> = head.iter().map(|&line| line.to_owned()).collect();
    lines.extend(step.iter().map(line));
    lines.extend(behind.iter().map(|&line| line.to_owned()));
    lines.push("      for p in 0..steps down".to_owned());
    lines.extend(reversed.iter().map(line));
    lines.join("\n")
}

const STORE: [&str; 2] = ["for e in 0..len(x)", "  t[r, e] = u[e]"];
const REVERSE: [&str; 2] = ["for z in 0..len(x)", "  y[z] = y[z] * 0.5 + t[p, z]"];

fn stored(step: &[&str]) -> String {
    steps(&[&STORE[..], step].concat(), &REVERSE)
}

const SWAPPED: [&str; 4] = [
    "for i in 1..n",
    "  for j in 0..n - 1",
    "    next[i * n + j] = u[i * n + j] - u[i * n + j - n]",
    "swap u, next",
];

#[test]
fn states_that_live_in_the_tape_of_a_segment() {
    let before = program(&stored(&SWAPPED));
    in_pieces(&before);
    let after = in_segments(before, Checkpoint::every(2));
    assert_eq!(after.to_string().matches("swap").count(), 2, "{after}");
    let after = live_in_tapes(after);
    assert_eq!(after.to_string().matches("swap").count(), 1, "{after}");
}

#[test]
fn arrays_that_steps_exchange() {
    let step = ["next[i * n + j] = u[i * n + j] + next[i * n + j] * 0.25 - u[i * n + j - n]"];
    in_pieces(&program(&stored(&[&SWAPPED[..2], &[&format!("    {}", step[0])], &SWAPPED[3..]].concat())));
}

#[test]
fn arrays_that_a_step_changes_in_place() {
    let step = [
        "for i in 0..len(x)",
        "  next[i] = u[i] * 1.5 - next[i]",
        "for j in 0..len(x)",
        "  u[j] = next[j] + r as f64",
    ];
    in_pieces(&program(&stored(&step)));
}

#[test]
fn what_only_sums_is_not_run_again() {
    let step =
        ["for i in 0..len(x)", "  s += u[i] * 0.125", "for j in 0..len(x)", "  u[j] = u[j] * 0.75 - 1.0"];
    let before = program(&stored(&step));
    in_pieces(&before);
    let after = in_segments(before, Checkpoint::every(1)).to_string();
    assert_eq!(after.matches("s += ").count(), 1, "{after}");
    assert!(!after.contains("s_checkpoint") && !after.contains("next_checkpoint"), "{after}");
}

#[test]
fn checks_are_made_once() {
    let step = ["for i in 1..len(x)", "  check i - 1 < len(y) \"y\"", "  u[i] = u[i - 1] * 0.75 - 1.0"];
    let before = program(&stored(&step));
    in_pieces(&before);
    let after = in_segments(before, Checkpoint::every(1)).to_string();
    assert_eq!(after.matches("check ").count(), 1, "{after}");
}

#[test]
fn nests_with_needed_sums_come_whole() {
    let step = [
        "for i in 0..n",
        "  scope sum: f64",
        "    sum = 0.0",
        "    for j in 0..n",
        "      check i * n + j < len(x) \"x\"",
        "      sum += u[i * n + j] * 0.25",
        "      s += u[i * n + j]",
        "    u[i] = sum",
    ];
    let before = program(&stored(&step));
    in_pieces(&before);
    let after = in_segments(before, Checkpoint::every(1)).to_string();
    assert_eq!(after.matches("s.2 += u").count(), 1, "{after}");
    assert_eq!(after.matches("check ").count(), 2, "{after}");
}

#[test]
fn sums_beside_arrays_that_are_not_needed() {
    let step = ["for i in 0..n", "  for j in 0..n", "    u[i] += u[i * n + j] * 0.25", "  next[i] = u[i]"];
    in_pieces(&program(&stored(&step)));
}

#[test]
fn what_is_overwritten_before_the_reversal() {
    // a step reads what the reversal changes
    let before =
        program(&steps(&[&STORE[..], &["for i in 0..len(x)", "  u[i] = u[i] + y[i]"]].concat(), &REVERSE));
    in_pieces(&before);
    let after = in_segments(before, Checkpoint::every(2)).to_string();
    assert!(after.contains("y_kept[e] = y[e]"), "{after}");
}

/// A loop over time in another one, each with tapes of its own.
const NESTED: &str = "
fn f(x: inout f64[_], y: inout f64[_], n: in usize, steps: in usize)
  scope u: f64[len(x)], s: f64
    s = 1.0
    for a in 0..len(x)
      u[a] = x[a]
    scope t: tape f64[n, steps, len(x)], v: tape f64[n, len(x)]
      for r in 0..n
        scope w: f64[len(x)]
          for b in 0..len(x)
            w[b] = u[b] * 0.5
          for q in 0..steps marks(checkpoint)
            for e in 0..len(x)
              t[r, q, e] = w[e]
            for i in 1..len(x)
              w[i] = w[i] * 0.5 + w[i - 1] * 0.25 + u[i] * s
          for c in 0..len(x)
            v[r, c] = u[c]
          for d in 0..len(x)
            u[d] = w[d] + v[r, d]
      for g in 0..len(x)
        x[g] = u[g]
      for p in 0..n down
        scope z: f64[len(x)]
          for h in 0..len(x)
            z[h] = y[h] * 0.5
          for k in 0..steps down marks(checkpoint)
            for l in 0..len(x)
              z[l] = z[l] * 0.25 + t[p, k, l]
          for m in 0..len(x)
            y[m] = y[m] + z[m] * v[p, m]";

#[test]
fn a_marked_loop_in_a_loop() {
    let before = program(NESTED.trim_start());
    let after = in_segments(before.clone(), None);
    let text = after.to_string();
    // the state of every step of the outer loop, and segments inside
    assert!(text.contains("u_checkpoint: tape f64[segments, len(x)]"), "{text}");
    assert!(text.contains("t: tape f64[int::min(segment.2, steps), len(x)]"), "{text}");
    assert_same(&before, &after, runs());
    for mark in
        ["checkpoint", "checkpoint_2", "checkpoint_levels_2", "checkpoint_states_2", "checkpoint_binomial_2"]
    {
        let outer = NESTED.replace("for r in 0..n", &format!("for r in 0..n marks({mark})"));
        for inner in ["checkpoint_1", "checkpoint_memory_100", "checkpoint_binomial_2"] {
            let both = program(
                outer.replace("steps marks(checkpoint)", &format!("steps marks({inner})")).trim_start(),
            );
            let after = in_segments(both.clone(), None);
            assert!(!after.to_string().contains("t: tape f64[n, steps"), "{after}");
            assert_same(&before, &after, runs());
        }
    }
}

#[test]
fn a_limit_of_memory_around_a_marked_loop() {
    let outer = NESTED.replace("for r in 0..n", "for r in 0..n marks(checkpoint_memory_8)");
    let (_, found) = run(program(outer.trim_start()), None);
    assert!(found.values().any(|it| *it == Some(Obstacle::Memory)), "{found:?}");
}

/// A step has as many rounds as its numbers take, whose tapes grow.
const ROUNDS: &str = "
fn f(x: inout f64[_], n: in usize, steps: in usize)
  for r in 0..steps
    for i in 0..n
      loop k
        while (k < 9) & (abs(x[i]) > 0.5)
        x[i] = sin(x[i]) * 0.9
    for j in 1..len(x)
      x[j] = x[j] * 0.5 + x[j - 1]";

#[test]
fn rows_that_grow_in_a_step() {
    let primal = program(ROUNDS.trim_start());
    let before = reverse(&primal, &primal.params[..1]).expect("it has a gradient");
    assert!(before.to_string().contains("x_tape: tape f64[_] reached"), "{before}");
    in_pieces(&before);
    for slots in [1, 2, 5] {
        let lengths = Lengths::Binomial(Number(slots));
        let after = in_segments(before.clone(), Checkpoint { lengths, levels: None });
        assert!(after.to_string().contains("step_of"), "{after}");
        assert_same(&before, &after, runs());
    }
    let marked =
        before.to_string().replacen("for r in 0..steps", "for r in 0..steps marks(checkpoint_memory_8)", 1);
    let (_, found) = run(program(&marked), None);
    assert!(found.values().any(|it| *it == Some(Obstacle::Grows)), "{found:?}");
}

/// The weights of a step are those of all steps.
const ALIKE: &str = "
fn f(x: inout f64[_], n: in usize, steps: in usize)
  for r in 0..steps
    for i in 0..n
      for j in 0..n
        scope c: f64
          c = cos(i as f64 * j as f64)
          x[i] = sin(x[i]) * c + x[j] * 0.1";

#[test]
fn slots_that_all_steps_share() {
    let primal = program(ALIKE.trim_start());
    let before = reverse(&primal, &primal.params[..1]).expect("it has a gradient");
    assert!(before.to_string().contains("c_tape: tape f64[n"), "{before}");
    in_pieces(&before);
}

#[test]
fn ways_that_floats_decide() {
    in_pieces(&program(&stored(&["for i in 0..len(x)", "  if u[i] > 0.5", "    u[i] = u[i] * 0.5"])));
}

#[test]
fn integers_that_floats_decide() {
    let step = ["scope k: usize", "  k = 0", "  if u[0] > 0.5", "    k = 1"];
    let last = ["  for i in k..len(x)", "    u[i] = u[i] * 0.5"];
    in_pieces(&program(&stored(&[&step[..], &last].concat())));
}

#[test]
fn ways_that_a_tape_besides_knows() {
    // the tape of a number a step has no slot for the last one
    let step = ["for i in 0..len(x)", "  if u[i] > 0.5", "    u[i] = u[i] * 0.5", "k[steps - r - 1] = u[0]"];
    let text =
        stored(&step).replace("t: tape f64[steps, len(x)]", "t: tape f64[steps, len(x)], k: tape f64[steps]");
    stays(&text);
}

#[test]
fn slots_of_other_steps() {
    let step = ["if r > 0", "  for i in 0..len(x)", "    u[i] = u[i] + t[r - 1, i]"];
    stays(&stored(&step));
}

#[test]
fn steps_that_consist_of_steps() {
    let step = [
        "for i in 0..n",
        "  for j in 0..n",
        "    t[r, i * n + j] = next[j]",
        "    next[j] = next[j] * u[i * n + j]",
        "for k in 0..len(x)",
        "  u[k] = u[k] * 0.5",
    ];
    in_pieces(&program(&stored(&step)));
}

#[test]
fn a_few_numbers_a_step() {
    let step = ["k[r] = s", "s = s * 0.5 + 1.0"];
    let reversed = [REVERSE[0], "  y[z] = y[z] * k[p]"];
    in_pieces(&program(&steps(&step, &reversed).replace("t: tape f64[steps, len(x)]", "k: tape f64[steps]")));
}

#[test]
fn loops_without_a_mark_stay_as_they_are() {
    let before = program(&stored(&SWAPPED));
    let (after, found) = run(before.clone(), None);
    assert_eq!(after.to_string(), before.to_string());
    assert!(found.is_empty(), "{found:?}");
    let marked = stored(&SWAPPED).replace("for r in 0..steps", "for r in 0..steps marks(checkpoint_2)");
    let (after, found) = run(program(&marked), None);
    assert!(after.to_string().contains("marks(in_checkpoint_2)"), "{after}");
    assert_eq!(found.len(), 1);
}
