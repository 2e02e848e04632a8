//! Programs that are run as they are, and as they are scheduled for a GPU, with threads in several orders.

use super::schedule_for_gpu;
use crate::equivalence::program;
use crate::ir::interp::{Array, no_paths, run, run_racing};
use crate::ir::{Exec, Level, Program, Scheme, StmtKind, block_loops, thread_loops, verify};
use crate::schedule::Options;
use crate::schedule::cost::Costs;

fn bits(arrays: &[Array<f64>]) -> Vec<String> {
    arrays.iter().map(|it| format!("{:?}", it.data)).collect()
}

/// Schedules a program and runs it as it is and on a GPU, with threads in several orders; floats are small integers, so that
/// every order of the additions gives the same bits. Gives the schedule in which no number of elements is few.
pub(super) fn scheduled(text: &str, runs: &[Vec<Array<f64>>]) -> Program {
    let before = program(text);
    let of = |few_elements| {
        let costs = Costs { few_elements, ..Costs::default() };
        let options = Options { costs, ..Options::default() };
        schedule_for_gpu(before.clone(), &options, false, false).expect("a schedule").program
    };
    run_all(&before, &of(32), runs);
    let after = of(0);
    run_all(&before, &after, runs);
    after
}

fn run_all(before: &Program, after: &Program, runs: &[Vec<Array<f64>>]) {
    for program in [before, after] {
        assert_eq!(verify::verify(program), Ok(()), "{program}");
    }
    for args in runs {
        let expected = run::<f64>(before, args.clone(), &no_paths);
        for seed in 0..3 {
            let found = run_racing::<f64>(after, args.clone(), &no_paths, seed);
            match (&expected, found) {
                (Ok(expected), Ok(found)) => {
                    assert_eq!(bits(&expected.params), bits(&found.params), "{args:?}\n{after}");
                }
                (Err(expected), Err(found)) => {
                    assert!(expected.kind.is_panic() && found.kind.is_panic(), "{found:?}\n{after}");
                }
                (expected, found) => panic!("{expected:?}\n{found:?}\n{args:?}\n{after}"),
            }
        }
    }
}

pub(super) fn numbers(len: usize) -> Array<f64> {
    Array::floats(&(0..len).map(|k| (k * 7 % 11) as f64 - 4.0).collect::<Vec<_>>())
}

/// Indices below a bound.
pub(super) fn indices(len: usize, below: usize) -> Array<f64> {
    Array::usizes(&(0..len).map(|k| (k * k + 3 * k) % below).collect::<Vec<_>>())
}

/// How many loops are kernels, and how many statements there are of a scheme.
fn count(program: &Program, scheme: Scheme) -> [usize; 2] {
    let mut counts = [0; 2];
    let mut visit = |kind: &StmtKind| match kind {
        StmtKind::For(each) if each.exec == Exec::Parallel(Level::Grid) => counts[0] += 1,
        StmtKind::Reduce { scheme: of, .. } if *of == scheme => counts[1] += 1,
        _ => {}
    };
    program.body.iter().for_each(|stmt| stmt.walk(&mut |stmt| visit(&stmt.kind)));
    counts
}

#[test]
fn stencils_gather_in_one_kernel() {
    let line = "
    fn f(d: inout f64[_], e: in f64[_], lo: in usize)
      for i in lo..len(e)
        d[i] += e[i] * 2.0
        d[i + 1] += e[i] * e[i]
        d[i + 3] += e[i] + 1.0
    ";
    let runs: Vec<Vec<Array<f64>>> = (0..12)
        .flat_map(|n| (0..4).map(move |lo| vec![numbers(n + 3), numbers(n), Array::int(lo)]))
        .collect();
    let after = scheduled(line, &runs);
    assert_eq!(count(&after, Scheme::NoneNeeded), [1, 1], "{after}");
    let grid = "
    fn f(d: inout f64[_], e: in f64[_], n: in usize)
      for i in 1..n - 1
        for j in 1..n - 1
          d[(i - 1) * n + j] += e[i * n + j]
          d[(i + 1) * n + j] += e[i * n + j] * 2.0
          d[i * n + j - 1] += e[i * n + j] * 3.0
          d[i * n + j + 1] += e[i * n + j] * 4.0
          if e[i * n + j] > 0.0
            d[i * n + j] += e[i * n + j] * 5.0
    ";
    let runs: Vec<Vec<Array<f64>>> =
        (1..9).map(|n| vec![numbers(n * n), numbers(n * n), Array::int(n as i128)]).collect();
    let after = scheduled(grid, &runs);
    assert_eq!(count(&after, Scheme::Atomic), [6, 0], "{after}");
    assert!(after.to_string().contains("in 0..n parallel(grid)"), "elements, not iterations: {after}");
    // how far the last neighbour is away is known when the program runs
    let unknown = line.replace("i + 3", "i + lo");
    let runs: Vec<Vec<Array<f64>>> =
        (0..6).map(|n| vec![numbers(n + 3), numbers(n), Array::int(2)]).collect();
    assert_eq!(scheduled(&unknown, &runs).to_string().matches("part +=").count(), 2);
}

#[test]
fn threads_may_set_the_same_elements() {
    let text = "
    fn f(x: in f64[_], at: in usize[_], y: inout f64[_])
      scope used: bool[len(y)]
        for e in 0..len(y)
          used[e] = false
        for i in 0..len(at)
          check at[i] < len(y) index \"y\" \"y[at[i]]\" (at[i], len(y))
          used[at[i]] = true
        for k in 0..len(y)
          if used[k]
            y[k] = x[k] * x[k]
    ";
    let runs = [(50, 9), (0, 3), (7, 200)].map(|(n, m)| vec![numbers(m), indices(n, m), numbers(m)]);
    let after = scheduled(text, &runs);
    assert_eq!(count(&after, Scheme::Atomic), [3, 1], "{after}");
    // what others read in the loop is no reduction, and an element of an iterator has an owner
    let read = text
        .replace("used[at[i]] = true", "used[at[i]] = true\n          if used[i]\n            y[i] = 2.0");
    assert_eq!(count(&scheduled(&read, &[]), Scheme::Atomic)[1], 0);
    let owned = text.replace("used[at[i]] = true", "used[i] = true");
    assert_eq!(count(&scheduled(&owned, &[]), Scheme::Atomic), [3, 0]);
}

#[test]
fn sums_of_inner_loops_are_registers() {
    let text = "
    fn f(a: in f64[_], x: in f64[_], y: inout f64[_], n: in usize, m: in usize)
      for i in 0..n
        for k in 0..m
          y[i] += a[i * m + k] * x[k]
    ";
    let runs = [(3, 5), (2, 0), (0, 4), (40, 33)].map(|(n, m)| {
        vec![numbers(n * m), numbers(m), numbers(n), Array::int(n as i128), Array::int(m as i128)]
    });
    let after = scheduled(text, &runs).to_string();
    assert!(after.contains("y_sum = 0.0") && after.contains("if 0 < m"), "{after}");
    for other in [
        // another element in each iteration, one that is read, one that not every iteration updates
        "y[k] += a[i * m + k] * x[k]",
        "y[i] += a[i * m + k] * x[k]\n          y[i] = y[i] * 2.0",
        "if x[k] > 0.0\n            y[i] += a[i * m + k] * x[k]",
    ] {
        let text = text.replace("y[i] += a[i * m + k] * x[k]", other);
        let runs: &[Vec<Array<f64>>] =
            &[vec![numbers(20), numbers(5), numbers(5), Array::int(4), Array::int(5)]];
        assert!(!scheduled(&text, runs).to_string().contains("y_sum"), "{other}");
    }
}

/// The number of loop nests of depth `loops` whose iterations are the threads of a block.
fn nests_of_blocks(program: &Program, loops: usize) -> usize {
    block_loops(&program.body).into_iter().filter(|each| thread_loops(each).len() == loops).count()
}

#[test]
fn short_loops_of_a_nest_are_threads_together() {
    let line = "
    fn f(a: in f64[_], y: inout f64[_])
      for e in 0..len(y)
        scope t: f64[72], s: f64[12]
          for c in 0..12
            s[c] = 0.0
          for i in 1..4
            for j in 0..4
              for k in 0..6
                t[24 * (i - 1) + 6 * j + k] = a[i + j] * a[k] + a[e]
          for l in 0..3
            for m in 0..24
              s[l + m % 6] += t[24 * l + m]
          for b in 0..12
            y[e] += s[b] * t[b]";
    let runs: Vec<_> = [0, 1, 70].map(|n| vec![numbers(80), numbers(n)]).to_vec();
    let after = scheduled(line, &runs);
    // the first one of three loops, the second one of two, which meets in sums of the block
    assert_eq!([nests_of_blocks(&after, 3), nests_of_blocks(&after, 2)], [1, 1], "{after}");
}

#[test]
fn short_loops_are_threads_where_iterations_have_large_arrays() {
    // a block has the array of each iteration in shared memory; a thread has the smaller one for itself
    for (len, nests) in [(65, 1), (60, 0)] {
        let line = format!(
            "
    fn f(a: in f64[_], y: inout f64[_])
      for e in 0..len(y)
        scope t: f64[{len}]
          for i in 0..12
            for j in 0..5
              t[5 * i + j] = a[i] * a[j] + a[e]
          for k in 0..12
            y[e] += t[5 * k]"
        );
        let runs: Vec<_> = [0, 1, 70].map(|n| vec![numbers(80), numbers(n)]).to_vec();
        let after = scheduled(&line, &runs);
        assert_eq!(nests_of_blocks(&after, 2), nests, "{after}");
    }
}

#[test]
fn a_loop_with_sums_or_bounds_of_its_own_is_not_threads_with_that_around_it() {
    // of one row the elements are summed up; of the other the length depends on the row
    for (inner, update) in [("0..6", "s[i] += a[j] * a[i]"), ("0..i % 7", "s[j] += a[i]")] {
        let line = format!(
            "
    fn f(a: in f64[_], y: inout f64[_])
      for e in 0..len(y)
        scope s: f64[40]
          for c in 0..40
            s[c] = a[e]
          for i in 0..40
            for j in {inner}
              {update}
          for b in 0..40
            y[e] += s[b]"
        );
        let runs: Vec<_> = [0, 1, 70].map(|n| vec![numbers(80), numbers(n)]).to_vec();
        let after = scheduled(&line, &runs);
        assert_eq!(nests_of_blocks(&after, 2), 0, "{after}");
        assert!(nests_of_blocks(&after, 1) >= 2, "{after}");
    }
}
