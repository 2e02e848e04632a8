use crate::adjoint::reverse;
use crate::equivalence::program;
use crate::ir::{BufferId, Program, Role, StmtKind};
use crate::normalise::normalise;
use crate::schedule::{Options, Scheduled, schedule};
use crate::simplify::{simplify, simplify_reversed};

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
        let adjoint = simplify_reversed(adjoint);
        let (adjoint, primal) = (scheduled(adjoint), scheduled(primal));
        let plan = super::describe(&adjoint, &primal);
        let (adjoint, primal) = (adjoint.program, primal.program);
        let (of_adjoint, of_primal) = (count(&adjoint), count(&primal));
        let lines = |is: &dyn Fn(&str) -> bool| plan.lines().filter(|line| is(line.trim())).count();
        let loops = lines(&|line| line.starts_with("for "));
        let tapes = lines(&|line| line.starts_with("tape "));
        let sums = lines(&|line| ["+= ", "max= ", "min= "].iter().any(|sign| line.contains(sign)));
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
    let plan = super::describe(&scheduled(simplify_reversed(adjoint)), &scheduled(primal));
    let tape = plan.lines().find(|line| line.trim().starts_with("tape "));
    assert_eq!(
        tape.map(str::trim),
        Some("tape x_tape  n * (n + 1) / 2 f64, packed triangle; holds x[i] at [i, j]")
    );
}

#[test]
fn a_loop_says_why_it_is_run_as_it_is() {
    let program = program(
        "
        fn marked(x: in f64[_], y: inout f64[_])
          for i in 0..len(x) marks(parallel)
            check i < len(y) index \"y\" \"y[i]\"
            y[i] = sin(exp(x[i])) * cos(exp(x[i]))
          for k in 0..len(x) marks(store)
            check k < len(y) index \"y\" \"y[k]\"
            y[k] = sin(exp(x[k])) * cos(exp(x[k]))
          for m in 0..len(x) marks(sequential)
            check m < len(y) index \"y\" \"y[m]\"
            y[m] = sin(exp(x[m])) * cos(exp(x[m]))
          for j in 1..len(x)
            check j < len(y) index \"y\" \"y[j]\"
            y[j] = sin(exp(y[j - 1])) * cos(exp(x[j]))
        ",
    );
    let scheduled = scheduled(program);
    let plan = super::describe(&scheduled, &scheduled);
    assert!(plan.starts_with("marked: value and gradient in one sweep; 2 loops in parallel"), "{plan}");
    let tasks = plan.lines().filter(|line| line.contains("for chunk in 0..chunks"));
    assert!(tasks.clone().all(|line| line.contains("parallel: at most 256 chunks")), "{plan}");
    assert_eq!(tasks.count(), 4, "{plan}");
    let line = |head: &str| plan.lines().find(|line| line.contains(head)).expect("each loop has a line");
    assert!(line("for m in").contains("sequential: marked `#[sequential]`"), "{plan}");
    let why = "an iteration reads what another iteration wrote (an element of `y`, at distance 1)";
    assert!(line("for j in").contains(why), "{plan}");
}

#[test]
fn a_sum_says_what_its_two_cheapest_schemes_are_estimated_at() {
    let program = program(
        "
        fn classes(x: in f64[_], class: in usize[_], y: inout f64[64]) -> total: f64
          total = 0.0
          for i in 0..len(x)
            check i < len(class) index \"class\" \"class[i]\"
            check class[i] < 64 index \"y\" \"y[_]\"
            y[class[i]] += exp(sin(x[i]))
            total += exp(cos(x[i]))
        ",
    );
    let scheduled = scheduled(program);
    let plan = super::describe(&scheduled, &scheduled);
    let line = |head: &str| plan.lines().find(|line| line.contains(head)).expect("each sum has a line");
    let prices = |line: &str| -> Vec<f64> {
        let (_, estimates) = line.split_once("(estimates: ").expect("estimates");
        let words = estimates.trim_end_matches(')').split(", ");
        words.filter_map(|it| it.rsplit(' ').next()?.parse().ok()).collect()
    };
    for sum in ["y_parts[chunk, class", "total_part +="] {
        let prices = prices(line(sum));
        assert!(prices.len() == 2 && prices[0] <= prices[1], "{plan}");
    }
}

/// Without lanes, so that the loops keep the names of the source.
fn scheduled(program: Program) -> Scheduled {
    schedule(program, &Options { scalar: true, ..Options::default() })
}
