//! Loops that do both sweeps in one, loops that replay, and loops that may do neither: the loops that are made, and the
//! adjoint against the oracle.

use super::reverse;
use super::tests::{program, reversed, tapes, x5};
use crate::ir::interp::Array;
use crate::ir::{For, Phase, Program, Role, Stmt, StmtKind, parse};

/// Each loop with the loops inside it, and whether it runs primal statements (`F`), adjoint ones (`R`) or replays (`P`).
fn shape(program: &Program) -> String {
    block_shape(program, &program.body).trim().to_owned()
}

fn block_shape(program: &Program, block: &[Stmt]) -> String {
    block.iter().map(|stmt| statement_shape(program, stmt)).collect()
}

fn statement_shape(program: &Program, stmt: &Stmt) -> String {
    let inner: String = stmt.blocks().into_iter().map(|block| block_shape(program, block)).collect();
    let StmtKind::For(For { body, .. }) = &stmt.kind else { return inner };
    let mut kinds = String::new();
    for (phase, name) in [(Phase::Primal, 'F'), (Phase::Replay, 'P'), (Phase::Adjoint, 'R')] {
        let mut is_there = false;
        body.iter().for_each(|stmt| {
            stmt.walk(&mut |stmt| {
                // a store to a tape belongs to the forward sweep
                let is_effect = match &stmt.kind {
                    StmtKind::Assign { target, .. } | StmtKind::Reduce { target, .. } => {
                        program[target.buffer].role != Role::Tape
                    }
                    _ => false,
                };
                is_there |= is_effect && stmt.origin.phase == phase;
            })
        });
        kinds.extend(is_there.then_some(name));
    }
    match inner.is_empty() {
        true => format!("{kinds} "),
        false => format!("{kinds}({}) ", inner.trim()),
    }
}

fn shape_of(text: &str, args: &[Array<f64>]) -> (String, Program) {
    let program = reversed(&program(text), args);
    (shape(&program), program)
}

#[test]
fn a_sum_that_is_returned_takes_one_pass() {
    let text = "
        fn f(x: in f64[_], n: in usize) -> r: f64
          r = 0.0
          for i in 0..n
            scope t: f64
              t = exp(x[i])
              r += t * t
        ";
    let (shape, program) = shape_of(text, &[x5(), Array::int(5)]);
    assert_eq!(shape, "FR");
    assert_eq!(tapes(&program), [""; 0], "t is in place until the reversal of its iteration");
}

#[test]
fn nested_sums_take_one_pass_at_every_level() {
    let text = "
        fn f(x: in f64[_], y: in f64[_], n: in usize) -> total: f64
          total = 0.0
          for p in 0..n
            scope en: f64
              en = 0.0
              for i in 0..n
                for j in 0..n
                  scope r: f64
                    r = x[i] - y[j] * x[p]
                    en += sin(r * r)
              total += en
        ";
    let (shape, program) = shape_of(text, &[x5(), x5(), Array::int(5)]);
    assert_eq!(shape, "FR(FR(FR))");
    assert_eq!(tapes(&program), [""; 0]);
}

#[test]
fn a_loop_whose_result_is_used_nonlinearly_runs_before_its_reversal_in_one_iteration() {
    let text = "
        fn f(a: in f64[_, 5], x: in f64[_], n: in usize) -> total: f64
          total = 0.0
          for i in 0..n
            scope y: f64
              y = 0.0
              for j in 0..n
                y += a[i, j] * x[j]
              total += 0.5 * y * y
        ";
    let matrix: Vec<f64> = (0..25).map(|k| f64::from(k) / 13.0).collect();
    let (shape, program) = shape_of(text, &[Array::floats(&matrix).shaped(&[5, 5]), x5(), Array::int(5)]);
    assert_eq!(shape, "FR(F R)");
    assert_eq!(tapes(&program), [""; 0]);
}

#[test]
fn a_loop_whose_adjoints_are_not_known_replays() {
    // d_r is known when the forward loop has run, not before
    let text = "
        fn f(x: in f64[_], n: in usize) -> s: f64
          scope r: f64
            r = 0.0
            for i in 0..n
              scope t: f64
                t = exp(x[i])
                r += t * t
            s = r * r
        ";
    let (shape, program) = shape_of(text, &[x5(), Array::int(5)]);
    assert_eq!(shape, "F PR");
    assert_eq!(tapes(&program), [""; 0]);
}

#[test]
fn what_a_replay_reads_must_be_there_still() {
    // x is overwritten between the loop and its reversal
    let text = "
        fn f(x: inout f64[_], n: in usize) -> s: f64
          scope r: f64
            r = 0.0
            for i in 0..n
              scope t: f64
                t = exp(x[i])
                r += t * t * x[i]
            s = r * r
            for j in 0..n
              x[j] = x[j] * r
        ";
    let (shape, program) = shape_of(text, &[x5(), Array::int(5)]);
    assert_eq!(shape, "F FR R", "the loop over i stores");
    assert!(tapes(&program).contains(&"t_tape rank 1".to_owned()), "{program}");
}

#[test]
fn a_replay_writes_nothing_twice() {
    let text = "
        fn f(x: in f64[_], y: inout f64[_], n: in usize) -> s: f64
          scope r: f64
            r = 0.0
            for i in 0..n
              scope t: f64
                t = exp(x[i])
                y[i] += t
                r += t * t
            s = r * r
        ";
    let (shape, program) = shape_of(text, &[x5(), x5(), Array::int(5)]);
    assert_eq!(shape, "F PR");
    assert_eq!(program.to_string().matches("y[i] += t").count(), 1, "{program}");
}

#[test]
fn iterations_that_use_each_other_are_reversed_in_order() {
    for statement in ["r = r * (x[i] + 2.0)", "r = r * x[i]"] {
        let text = "
            fn f(x: in f64[_], n: in usize) -> r: f64
              r = 1.0
              for i in 0..n
                STATEMENT
            ";
        let (shape, program) = shape_of(&text.replace("STATEMENT", statement), &[x5(), Array::int(5)]);
        assert!(shape == "F R", "{shape}: {program}");
        assert_eq!(tapes(&program), ["r_tape rank 1"], "{statement}");
    }
}

#[test]
fn a_loop_is_not_moved_over_what_overwrites_its_arguments() {
    // in `x[j] = x[j] * r` the adjoint of r is found where x has been read and before it is written again
    let text = "
        fn f(x: inout f64[_], n: in usize) -> s: f64
          s = 0.0
          for i in 0..n
            s += x[i] * x[i]
          for j in 0..n
            x[j] = x[j] * s
        ";
    let (shape, _) = shape_of(text, &[x5(), Array::int(5)]);
    assert_eq!(shape, "F FR R");
}

#[test]
fn an_element_that_an_iteration_overwrites_is_stored_in_the_iteration() {
    let text = "
        fn f(x: inout f64[_], n: in usize)
          for i in 0..n
            x[i] = x[i] * x[i]
            x[i] = sin(x[i]) + 1.0
        ";
    let (shape, program) = shape_of(text, &[x5(), Array::int(5)]);
    assert_eq!(shape, "FR");
    assert_eq!(tapes(&program), ["x_tape rank 0", "x_tape rank 0"]);
}

#[test]
fn a_loop_in_a_time_loop_replays_with_the_iterators_of_the_reverse_sweep() {
    let text = "
        fn f(x: in f64[_], y: in f64[_], n: in usize) -> s: f64
          s = 1.0
          for t in 0..n
            scope r: f64, w: f64
              w = exp(y[t])
              r = 0.0
              for i in 0..n
                scope q: f64[2]
                  q[0] = sin(x[i] * w)
                  q[1] = q[0] * x[t]
                  r += q[0] * q[1]
              s = s * r
        ";
    let (shape, program) = shape_of(text, &[x5(), x5(), Array::int(5)]);
    assert_eq!(shape, "F(F) PR(PR(R))");
    assert_eq!(tapes(&program), ["r_tape rank 1", "s_tape rank 1", "w_tape rank 1"]);
}

#[test]
fn marks_override_the_choice_and_are_refused_where_they_are_illegal() {
    let text = program(
        "
        fn f(x: in f64[_], n: in usize) -> r: f64
          r = 1.0
          for i in 0..n marks(MARK)
            STATEMENT
        ",
    );
    let reversed = |mark: &str, statement: &str| {
        let text = text.replace("MARK", mark).replace("STATEMENT", statement);
        let primal = parse(&text).expect("a program");
        reverse(&primal, &[primal.params[0]])
    };
    assert_eq!(
        reversed("replay", "r += sin(x[i])").map(|program| shape(&program)).ok().as_deref(),
        Some("FR")
    );
    assert_eq!(
        reversed("store", "r += sin(x[i])").map(|program| shape(&program)).ok().as_deref(),
        Some("F R")
    );
    let refused = reversed("replay", "r = r * sin(x[i])").expect_err("iterations use each other");
    assert_eq!(refused[0].what, "this loop cannot be replayed");
    assert_eq!(refused[0].why, "an iteration uses what another one writes");
}

#[test]
fn sums_of_the_primal_keep_their_order() {
    // what the adjoint of z depends on, b, is made in a loop that adds to z as well
    let text = "
        fn f(x: in f64[_], z: inout f64[_], n: in usize) -> r: f64
          scope b: f64
            for i in 0..n
              z[i] += x[i]
            b = 1.0
            for j in 0..n
              b = x[j]
              z[1] += 0.1
            r = z[1] * b
        ";
    let (_, program) = shape_of(text, &[x5(), x5(), Array::int(5)]);
    let printed = program.to_string();
    assert!(printed.find("z[i] += x[i]") < printed.find("z[1] += 0.1"), "{printed}");
}

#[test]
fn a_variable_that_names_an_element_of_a_snapshot_needs_no_tape() {
    let text = |other: &str| {
        format!(
            "
        fn f(x: in f64[_], k: in f64[_], n: in usize) -> s: f64
          s = 0.0
          scope u: f64[len(x)], next: f64[len(x)]
            for a in 0..len(x)
              u[a] = x[a]
            for b in 0..len(x)
              next[b] = x[b]
            for t in 0..n
              for i in 1..len(x) - 1
                scope here: f64
                  here = u[i]
                  next[i] = here + k[i] * ({other} - 2.0 * here)
              swap u, next
            for c in 0..len(x)
              s += u[c] * u[c]
        "
        )
    };
    let (_, program) = shape_of(&text("u[i - 1] + u[i + 1]"), &[x5(), x5(), Array::int(3)]);
    assert_eq!(tapes(&program), ["u_tape rank 2"]);
    // no other value asks for the array
    let (_, program) = shape_of(&text("0.5"), &[x5(), x5(), Array::int(3)]);
    assert_eq!(tapes(&program), ["here_tape rank 2"]);
}

/// Neighbours of each element in a time loop, by rows of different length; `CHANGE` is what happens to the elements then.
const NEIGHBOURS: &str = "
    fn f(y: in f64[_], start: in usize[_], n: in usize) -> s: f64
      s = 0.0
      scope x: f64[len(y)], force: f64[len(y)]
        for a in 0..len(y)
          x[a] = y[a]
        for b in 0..len(y)
          force[b] = 0.0
        for t in 0..n
          scope h: f64
            h = 0.1
            h += x[t] * 0.01
            for i in 0..len(y)
              for k in start[i]..start[i + 1]
                scope d: f64
                  d = exp(x[i] * h) - x[k]
                  force[i] += d * d * x[k]
            for j in 0..len(y)
              x[j] += 0.01 * force[j]
        for c in 0..len(y)
          s += x[c] * x[c]
    ";

#[test]
fn a_loop_over_ragged_rows_replays_from_a_copy_of_what_is_overwritten_later() {
    let starts = Array::ints(&[0, 2, 3, 3, 4, 5]);
    let (shape, program) = shape_of(NEIGHBOURS, &[x5(), starts.clone(), Array::int(3)]);
    assert_eq!(shape, "F F F(F(F) F) R FR R PR(R PR(PR)) R R", "{program}");
    assert_eq!(tapes(&program), ["x_tape rank 2", "h_tape rank 1"]);
    assert!(program.to_string().contains("for k.2 in start[i.2]..start[i.2 + 1] # replay"), "{program}");

    // so do pairs
    let square = NEIGHBOURS.replace("start[i]..start[i + 1]", "0..len(y)");
    let (_, program) = shape_of(&square, &[x5(), starts, Array::int(3)]);
    assert!(program.to_string().contains("for k.2 in 0..len(y) # replay"), "{program}");
}

/// A loop over pairs of elements, which move later.
const PAIRS: &str = "
    fn f(x: inout f64[_], first: in usize[_], second: in usize[_]) -> s: f64
      scope r: f64
        r = 0.0
        for e in 0..len(first)
          scope t: f64
            t = exp(x[first[e]])
            r += t * t * x[second[e]]
        s = r * r
        for j in 0..len(x)
          x[j] = x[j] * r
    ";

#[test]
fn a_loop_replays_from_a_copy_of_what_it_gathers_and_is_overwritten_later() {
    let ends = || [Array::ints(&[0, 2, 3, 1]), Array::ints(&[1, 3, 4, 4])];
    let [first, second] = ends();
    let (shape, program) = shape_of(PAIRS, &[x5(), first, second]);
    assert_eq!(shape, "F FR PR", "{program}");
    // and one number that the last loop stores in its own iteration
    assert_eq!(tapes(&program), ["x_tape rank 0", "x_tape rank 1"]);

    // where one number an iteration is read, a copy takes as much as that
    let [first, second] = ends();
    let single = PAIRS.replace("r += t * t * x[second[e]]", "r += t * t");
    let (_, program) = shape_of(&single, &[x5(), first, second]);
    assert!(!program.to_string().contains("# replay"), "{program}");
}

#[test]
fn a_ragged_loop_that_writes_what_it_reads_stores() {
    // each row changes its own element before it reads it
    let text = NEIGHBOURS.replace("force[i] += d * d * x[k]", "x[i] = d * x[i]").replace("- x[k]", "- y[k]");
    let starts = Array::ints(&[0, 2, 3, 3, 4, 5]);
    let (_, program) = shape_of(&text, &[x5(), starts, Array::int(3)]);
    assert!(tapes(&program).contains(&"exp_of_tape rank 1 reached".to_owned()), "{program}");
}

#[test]
fn ragged_loops_in_an_iteration_take_no_growing_tapes() {
    let text = "
        fn f(x: in f64[_], y: in f64[_], start: in usize[_], first: in usize[_], n: in usize) -> s: f64
          s = 0.0
          for i in 0..n
            scope a: f64
              a = 0.0
              for k in start[i]..start[i + 1]
                scope b: f64
                  b = y[k]
                  for p in first[k]..first[k + 1]
                    scope e: f64
                      e = exp(x[p] * y[i])
                      b += e * e * x[p]
                  a += b * x[k]
              s += a * a
        ";
    let (start, first) = (Array::ints(&[0, 2, 3, 5]), Array::ints(&[0, 1, 1, 4, 5, 5]));
    let (shape, program) = shape_of(text, &[x5(), x5(), start, first, Array::int(3)]);
    assert_eq!(shape, "FPR(F(F) PR(PR))", "{program}");
    assert_eq!(tapes(&program), [""; 0]);
}

/// Whether steps over pairs, each of which has a `value`, replay them.
fn pairs_replay(value: &str) -> bool {
    let text = "
        fn f(x: in f64[_], m: in f64[_], n: in usize) -> r: f64
          r = 0.0
          scope p: f64[n], acc: f64[n]
            for a in 0..n
              p[a] = x[a]
            for t in 0..3
              for b in 0..n
                acc[b] = 0.0
              for i in 0..n
                for j in 0..n
                  scope w: f64
                    w = exp(VALUE)
                    acc[i] += w * w * p[j]
              for c in 0..n
                p[c] = 0.1 * acc[c]
            for d in 0..n
              r += p[d]
        ";
    let matrix: Vec<f64> = (0..25).map(|k| 0.01 * f64::from(k)).collect();
    let args = [x5(), Array::floats(&matrix), Array::int(5)];
    let (_, program) = shape_of(&text.replace("VALUE", value), &args);
    !tapes(&program).iter().any(|tape| tape.contains("rank 3"))
}

#[test]
fn pairs_of_what_is_short_replay_in_a_time_loop() {
    assert!(pairs_replay("p[i] - p[j]"));
    assert!(!pairs_replay("p[j] * m[i * n + j]"));
}
