use super::describe;
use crate::adjoint::reverse;
use crate::equivalence::program;
use crate::ir::{BufferId, Program, Role, StmtKind};
use crate::normalise::normalise;
use crate::simplify::simplify;

/// Programs with every construct that the plan speaks of.
const PROGRAMS: [&str; 5] = [
    "
    fn dot(x: in f64[_], y: in f64[_]) -> sum: f64
      sum = 0.0
      for i in 0..len(x)
        check i < len(y) index \"y\" \"y[i]\"
        sum = sum + x[i] * y[i]
    ",
    "
    fn waves(u: inout f64[_], n: in usize, steps: in usize) -> top: f64
      scope next: f64[n]
        for t in 0..steps
          for i in 0..n
            next[i] = sin(u[i]) * u[i]
          for i.2 in 0..n step 2 down
            u[i.2] = next[i.2]
      top = u[0]
      for k in 1..n
        top = max(u[k], top)
    ",
    "
    fn rows(ptr: in usize[_], x: inout f64[_], w: in f32)
      for i in 0..len(ptr) - 1
        for k in ptr[i]..ptr[i + 1]
          scope t: f64
            t = exp(x[k])
            if t < 3.0
              x[k] = t * t * (w as f64)
    ",
    "
    fn triangle(l: in f64[_], x: inout f64[_], n: in usize)
      scope p: usize
        p = 0
        for i in 0..n marks(store)
          for j in 0..=i
            check p < len(l) index \"l\" \"l[p]\"
            x[i] = x[i] * l[p]
            p = p + 1
    ",
    "
    fn nothing(x: in f64) -> y: f64
      y = x * x * x
    ",
];

/// The loops, tape buffers and summations of a program, counted without the code under test.
fn count(program: &Program) -> (usize, usize, usize) {
    let (mut loops, mut tapes, mut sums) = (0, 0, 0);
    program.body.iter().for_each(|stmt| {
        stmt.walk(&mut |stmt| match &stmt.kind {
            StmtKind::For(_) | StmtKind::While(_) => loops += 1,
            StmtKind::Reduce { .. } => sums += 1,
            StmtKind::Scope { buffers, .. } => {
                tapes += buffers.iter().filter(|&&buffer| program[buffer].role == Role::Tape).count();
            }
            _ => {}
        });
    });
    (loops, tapes, sums)
}

#[test]
fn every_loop_tape_and_summation_is_one_line() {
    let mut seen = (0, 0, 0);
    for text in PROGRAMS {
        let primal = simplify(normalise(program(text)));
        let active: Vec<BufferId> =
            primal.params.iter().copied().filter(|&id| primal[id].elem.is_float()).collect();
        let Ok(adjoint) = reverse(&primal, &active) else { panic!("{text}") };
        let adjoint = simplify(adjoint);
        let plan = describe(&adjoint, &primal);
        let (of_adjoint, of_primal) = (count(&adjoint), count(&primal));
        let lines = |is: &dyn Fn(&str) -> bool| plan.lines().filter(|line| is(line.trim())).count();
        let loops = lines(&|line| line.starts_with("for "));
        let tapes = lines(&|line| line.starts_with("tape "));
        let sums = lines(&|line| ["+= ", "max= ", "min= ", "*= "].iter().any(|sign| line.contains(sign)));
        assert_eq!(loops, of_adjoint.0 + of_primal.0, "{plan}\n{adjoint}");
        assert_eq!(tapes, of_adjoint.1, "{plan}\n{adjoint}");
        assert_eq!(sums, of_adjoint.2 + of_primal.2, "{plan}\n{adjoint}");
        seen = (seen.0 + loops, seen.1 + tapes, seen.2 + sums);
    }
    assert!(seen.0 > 20 && seen.1 > 3 && seen.2 > 10, "{seen:?}");
}

#[test]
fn tapes_say_their_size_and_what_they_hold() {
    let primal = simplify(normalise(program(PROGRAMS[3])));
    let Ok(adjoint) = reverse(&primal, &primal.params[..2]) else { panic!("{primal}") };
    let plan = describe(&simplify(adjoint), &primal);
    let tape = plan.lines().find(|line| line.trim().starts_with("tape "));
    assert_eq!(
        tape.map(str::trim),
        Some("tape x_tape  n * (n + 1) / 2 f64, packed triangle; holds x[i] at [i, j]")
    );
}

#[test]
fn a_mark_that_is_not_obeyed_is_named() {
    let program = program(
        "
        fn marked(x: in f64[_], y: inout f64[_])
          for i in 0..len(x) marks(parallel)
            check i < len(y) index \"y\" \"y[i]\"
            y[i] = x[i]
          for k in 0..len(x) marks(store)
            check k < len(y) index \"y\" \"y[k]\"
            y[k] = x[k]
          for m in 0..len(x) marks(sequential)
            check m < len(y) index \"y\" \"y[m]\"
            y[m] = x[m]
        ",
    );
    let plan = describe(&program, &program);
    let line = |head: &str| plan.lines().find(|line| line.contains(head)).expect("each loop has a line");
    assert!(line("for i in").contains("marked parallel, which this version does not check"), "{plan}");
    assert!(line("for k in").contains("(marked store)"), "{plan}");
    assert!(!line("for m in").contains("marked"), "{plan}");
}
