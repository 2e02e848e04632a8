//! Which sums are gathered, that they are the same sums, and which stay atomic.

use crate::equivalence::program;
use crate::gpu::schedule_for_gpu;
use crate::gpu::tests::{indices, numbers, scheduled};
use crate::ir::interp::Array;
use crate::ir::{Program, Scheme, StmtKind};
use crate::schedule::Options;

/// How many sums of each kind: gathered, and atomic.
fn kinds(program: &Program) -> [usize; 2] {
    let mut kinds = [0; 2];
    let mut visit = |kind: &StmtKind| match kind {
        StmtKind::Reduce { scheme: Scheme::InverseIndex, .. } => kinds[0] += 1,
        StmtKind::Reduce { scheme: Scheme::Atomic, .. } => kinds[1] += 1,
        _ => {}
    };
    program.body.iter().for_each(|stmt| stmt.walk(&mut |stmt| visit(&stmt.kind)));
    kinds
}

fn assert_gathered(text: &str, sums: usize, runs: &[Vec<Array<f64>>]) -> Program {
    let after = scheduled(text, runs);
    assert_eq!(kinds(&after), [sums, 0], "{after}");
    after
}

fn assert_atomic(text: &str) {
    let after = scheduled(text, &[]);
    let [gathered, atomic] = kinds(&after);
    assert!(gathered == 0 && atomic > 0, "{after}");
    let denied = schedule_for_gpu(program(text), &Options::default(), false, true);
    assert!(denied.is_err(), "{text}");
}

#[test]
fn elements_that_an_index_array_names() {
    let text = "
    fn f(x: in f64[_], at: in usize[_], y: inout f64[_])
      for i in 0..len(x)
        check i < len(at) index \"at\" \"at[i]\" (i, len(at))
        check at[i] < len(y) index \"y\" \"y[at[i]]\" (at[i], len(y))
        y[at[i]] += x[i] * x[i]
    ";
    let runs = [(200, 7), (0, 7), (1, 1), (300, 300)]
        .map(|(n, m)| vec![numbers(n), indices(n, m), numbers(m)])
        .into_iter()
        // an element that is not there
        .chain([
            vec![numbers(100), indices(100, 9), numbers(8)],
            vec![numbers(9), indices(8, 2), numbers(2)],
        ]);
    let after = assert_gathered(text, 1, &runs.collect::<Vec<_>>());
    // every iteration updates: keys need no value before, and memory is bounded by portions
    let text = after.to_string();
    assert!(!text.contains("= len(y) as u32") && text.contains("div_ceil"), "{text}");
}

#[test]
fn several_updates_under_conditions_at_computed_elements() {
    let text = "
    fn f(x: in f64[_], at: in usize[_, 3], y: inout f64[_, 2])
      for i in 0..len(x)
        scope t: f64
          t = x[i] * 2.0
          if t > 0.0
            y[at[i, 0], 1] += t
          for e in 0..3
            if x[i] < 3.0
              y[(at[i, e] + i) % len(y), e % 2] += t * x[i]
    ";
    let at = |n: usize, m| Array { dims: vec![n, 3], ..indices(3 * n, m) };
    let y = |m: usize| Array { dims: vec![m, 2], ..numbers(2 * m) };
    let runs = [(150, 5), (0, 5), (70, 200)].map(|(n, m)| vec![numbers(n), at(n, m), y(m)]);
    let after = assert_gathered(text, 1, &runs);
    // iterations that do not update leave their places to a key that no element has
    assert!(after.to_string().contains("_keys[update] = "), "{after}");
}

const ROWS: &str = "
    fn f(w: in f64[_], at: in usize[_], start: in usize[_], y: inout f64[_], n: in usize)
      for i in 0..n
        scope begin: usize
          check i + 1 < len(start) index \"start\" \"start[i + 1]\" (i + 1, len(start))
          begin = start[i]
          for k in begin..start[i + 1]
            check k < len(w) index \"w\" \"w[k]\" (k, len(w))
            y[at[k]] += w[k]
    ";

fn starts(list: &[usize]) -> Array<f64> {
    Array::usizes(list)
}

#[test]
fn rows_whose_lengths_are_in_memory_are_counted() {
    let row = |start: &[usize], n: usize| {
        vec![numbers(40), indices(40, 6), starts(start), numbers(6), Array::int(n as i128)]
    };
    let runs = [
        row(&[0, 3, 3, 10, 40], 4),
        row(&[0], 0),
        // rows that overlap, and one that ends before it begins
        row(&[5, 20, 10, 30, 12], 4),
        // more elements than there are, and fewer rows
        row(&[0, 50], 1),
        row(&[0, 10], 2),
    ];
    let after = assert_gathered(ROWS, 1, &runs);
    assert!(after.to_string().contains("call scan"), "{after}");
}

#[test]
fn rows_of_elements_have_one_key() {
    let text = "
    fn f(x: in f64[_], at: in usize[_], y: inout f64[_], m: in usize)
      for i in 0..len(at)
        for k in 0..2
          scope row: usize
            row = at[i]
            for e in 0..m
              y[row * m + e] += x[i] * x[e]
    ";
    // long rows of few iterations are run by blocks
    let runs = [(100, 5, 3), (100, 5, 0), (0, 2, 4), (20, 5, 17)]
        .map(|(n, rows, m)| vec![numbers(100), indices(n, rows), numbers(rows * m), Array::int(m as i128)]);
    let after = assert_gathered(text, 2, &runs);
    assert!(after.to_string().contains("y_terms: tape f64[y_room, m]"), "{after}");
}

#[test]
fn parts_of_rows_are_elements() {
    let text = "
    fn f(x: in f64[_], at: in usize[_], y: inout f64[_, 4])
      for i in 0..len(at)
        for e in 1..4
          y[at[i], e] += x[i] * x[e]
    ";
    let y = |rows: usize| Array { dims: vec![rows, 4], ..numbers(4 * rows) };
    let runs = [(100, 15), (0, 2)].map(|(n, rows)| vec![numbers(100), indices(n, rows), y(rows)]);
    let after = assert_gathered(text, 1, &runs);
    assert!(after.to_string().contains("y_terms: tape f64[y_room]"), "{after}");
}

#[test]
fn what_cannot_be_counted_stays_atomic() {
    // how long the loop is, the kernel computes
    assert_atomic(
        "
    fn f(x: in f64[_], at: in usize[_], y: inout f64[_])
      for i in 0..len(x)
        scope many: usize
          many = 0
          for k in 0..len(x)
            if x[k] > x[i]
              many += 1
          for j in 0..many
            y[at[j]] += x[i]
    ",
    );
    // it ends when it says so
    assert_atomic(
        "
    fn f(x: in f64[_], at: in usize[_], y: inout f64[_])
      for i in 0..len(x)
        loop trip
          while x[i] > trip as f64
          y[at[trip]] += x[i]
    ",
    );
    // two lengths in memory
    assert_atomic(
        "
    fn f(x: in f64[_], a: in usize[_], b: in usize[_], y: inout f64[_])
      for i in 0..len(x)
        for j in a[i]..a[i + 1]
          for k in b[j]..b[j + 1]
            y[a[k]] += x[i]
    ",
    );
}

#[test]
fn variables_have_their_values_where_they_are_read() {
    // the bound is that of the iteration before
    assert_atomic(
        "
    fn f(x: in f64[_], at: in usize[_], y: inout f64[_])
      for i in 0..len(x)
        scope end: usize
          for j in 0..3
            if j > 0
              for k in 0..end
                y[at[k]] += x[i]
            end = at[j + i]
    ",
    );
}

#[test]
fn rows_that_do_not_overlap_need_no_places() {
    let text = "
    fn f(w: in f64[_], start: in usize[_], y: inout f64[_], n: in usize)
      for i in 0..n
        check i + 1 < len(start) index \"start\" \"start[i + 1]\" (i + 1, len(start))
        for k in start[i]..start[i + 1]
          check k < len(y) index \"y\" \"y[k]\" (k, len(y))
          y[k] += w[i] * w[i]
    ";
    let row = |start: &[usize], n: usize, len: usize| {
        vec![numbers(9), starts(start), numbers(len), Array::int(n as i128)]
    };
    let runs = [
        row(&[0, 3, 3, 10, 40], 4, 50),
        row(&[], 0, 5),
        // rows that overlap
        row(&[5, 20, 10, 30, 12], 4, 40),
        // fewer rows than iterations, and elements that are not there
        row(&[0, 10], 2, 10),
        row(&[0, 4, 12], 2, 11),
    ];
    let after = assert_gathered(text, 1, &runs).to_string();
    let (owned, others) = after.split_once("otherwise").expect("two versions");
    assert!(owned.contains("@ none_needed") && !owned.contains("call sort"), "{after}");
    assert!(others.contains("call sort"), "{after}");
}
