//! Which arrays are read by way of shared memory, that every value stays what it was, and which stay where they are.

use crate::equivalence::program;
use crate::gpu::schedule_for_gpu;
use crate::ir::interp::{Array, no_paths, run, run_racing};
use crate::ir::{Level, Program, Role, verify};
use crate::schedule::Options;
use crate::schedule::cost::Costs;

/// The tiles of a program: their names and extents.
fn tiles(program: &Program) -> Vec<String> {
    let mut tiles = Vec::new();
    program.body.iter().for_each(|stmt| {
        stmt.walk(&mut |stmt| {
            let Some((buffers, _)) = stmt.as_scope() else { return };
            for buffer in buffers.iter().map(|&id| &program[id]).filter(|it| it.role == Role::Tile) {
                let dims = buffer.dims.iter().map(|dim| dim.as_usize().unwrap());
                tiles.push(format!("{} {:?}", buffer.name, dims.collect::<Vec<_>>()));
            }
        });
    });
    tiles
}

/// Schedules a program, as if no grid were small, and runs it as it is and on a GPU, with threads in several orders.
fn scheduled(text: &str, runs: &[Vec<Array<f64>>]) -> Program {
    let before = program(text);
    let costs = Costs { tiles: 0, far_apart: 16, ..Costs::default() };
    let options = Options { costs, ..Options::default() };
    let after = schedule_for_gpu(before.clone(), &options, false, false).expect("a schedule").program;
    for program in [&before, &after] {
        assert_eq!(verify::verify(program), Ok(()), "{program}");
    }
    let bits = |arrays: &[Array<f64>]| arrays.iter().map(|it| format!("{:?}", it.data)).collect::<Vec<_>>();
    for args in runs {
        let expected = run::<f64>(&before, args.clone(), &no_paths);
        for seed in 0..3 {
            let found = run_racing::<f64>(&after, args.clone(), &no_paths, seed);
            match (&expected, found) {
                (Ok(expected), Ok(found)) => {
                    assert_eq!(bits(&expected.params), bits(&found.params), "{args:?}\n{after}");
                    assert_eq!(bits(&expected.results), bits(&found.results), "{args:?}\n{after}");
                }
                (Err(expected), Err(found)) => {
                    assert!(expected.kind.is_panic() && found.kind.is_panic(), "{found:?}\n{after}");
                }
                (expected, found) => panic!("{expected:?}\n{found:?}\n{args:?}\n{after}"),
            }
        }
    }
    after
}

fn assert_tiles(text: &str, expected: &[&str], runs: &[Vec<Array<f64>>]) -> Program {
    let after = scheduled(text, runs);
    assert_eq!(tiles(&after), expected, "{after}");
    after
}

fn numbers(len: usize) -> Array<f64> {
    Array::floats(&(0..len).map(|k| (k * 7 % 11) as f64 - 4.0).collect::<Vec<_>>())
}

/// A grid of `n` by `m`, and another one.
fn grids(n: usize, m: usize) -> Vec<Array<f64>> {
    vec![numbers(n * m), numbers(n * m), Array::int(n as i128), Array::int(m as i128)]
}

const FIVE_POINTS: &str = "
    fn f(x: in f64[_], y: inout f64[_], n: in usize, m: in usize)
      for i in 1..n - 1
        for j in 0..m
          check (i + 1) * m + j < len(x) index \"x\" \"x[(i + 1) * m + j]\" ((i + 1) * m + j, len(x))
          check i * m + j < len(y) index \"y\" \"y[i * m + j]\" (i * m + j, len(y))
          if x[i * m + j] > -3.0
            y[i * m + j] = x[(i - 1) * m + j] + x[(i + 1) * m + j] - x[i * m + j - 1] * x[i * m + j + 1]
    ";

#[test]
fn neighbours_in_two_dimensions() {
    let mut runs: Vec<_> =
        [(3, 3), (9, 10), (10, 128), (11, 129), (18, 127), (20, 260)].map(|(n, m)| grids(n, m)).into();
    // an element that is not there
    runs.push(vec![numbers(99), numbers(100), Array::int(10), Array::int(10)]);
    let after = assert_tiles(FIVE_POINTS, &["x_tile [10, 128]"], &runs);
    // the copy stands in front of the condition, and of what is checked
    let text = after.to_string();
    let (copied, checked) = (text.find("x_tile[row, thread] = ").unwrap(), text.find("check").unwrap());
    assert!(copied < checked, "{text}");
}

#[test]
fn a_small_grid_is_left_to_threads() {
    let before = program(FIVE_POINTS);
    let after = schedule_for_gpu(before, &Options::default(), false, false).expect("a schedule").program;
    let text = after.to_string();
    assert!(text.contains("256 <= saturating_mul(") && text.contains("else\n"), "{text}");
    let fixed = FIVE_POINTS.replace("1..n - 1", "1..99").replace("0..m", "0..99");
    let after = schedule_for_gpu(program(&fixed), &Options::default(), false, false).expect("a schedule");
    assert_eq!(tiles(&after.program), [""; 0]);
}

#[test]
fn windows_that_loops_of_constant_length_span() {
    let text = "
    fn f(x: in f64[_, _], w: in f64[5, 3], y: inout f64[_, _])
      for i in 4..len(x) - 1
        for j in 2..len(x, 1) - 2
          scope sum: f64
            sum = 0.0
            for p in 0..5
              for q in 0..3
                sum += w[p, q] * x[i + 1 - p, j + q] + x[i, j - 2]
            y[i, j] = sum
    ";
    let text = text.replace("len(x, 1)", "len(x)");
    let runs = [(9, 9), (40, 40), (140, 140)].map(|(n, m)| {
        let grid = Array { dims: vec![n, m], ..numbers(n * m) };
        let w = Array { dims: vec![5, 3], ..numbers(15) };
        vec![grid.clone(), w, grid]
    });
    assert_tiles(&text, &["x_tile [12, 128]"], &runs);
}

#[test]
fn what_was_never_written_is_not_read() {
    // corners of the local array have no value
    let text = "
    fn f(x: in f64[_], y: inout f64[_], n: in usize, m: in usize)
      scope t: f64[n, m]
        for i in 1..n
          for j in 0..m
            t[i, j] = x[i * m + j] * 2.0
        for j.2 in 0..m
          if j.2 % 3 > 0
            t[0, j.2] = x[j.2]
        for i.3 in 1..n - 1
          for j.3 in 0..m
            check i.3 * m + j.3 < len(y) index \"y\" \"y[i * m + j]\" (i.3 * m + j.3, len(y))
            if j.3 % 3 > 0
              y[i.3 * m + j.3] = t[i.3 - 1, j.3] + t[i.3, j.3] + t[i.3 + 1, j.3]
    ";
    assert_tiles(text, &["t_tile [10, 128]"], &[(3, 3), (12, 130), (17, 9)].map(|(n, m)| grids(n, m)));
}

#[test]
fn squares_that_do_not_pay_or_are_not_allowed() {
    let rows = |index: &str| {
        let read = "x[(i - 1) * m + j] + x[(i + 1) * m + j] - x[i * m + j - 1] * x[i * m + j + 1]";
        FIVE_POINTS.replace(read, index).replace("if x[i * m + j] > -3.0", "if y[i * m + j] > -3.0")
    };
    let none = |index: &str| {
        let after = scheduled(&rows(index), &[grids(5, 5), grids(12, 130)]);
        assert_eq!(tiles(&after), [""; 0], "{after}");
        assert!(after.to_string().contains("parallel(grid)"), "{after}");
    };
    // neighbours in one row, and in two
    none("x[i * m + j - 1] + x[i * m + j] + x[i * m + j + 1]");
    none("x[(i - 1) * m + j] + x[(i + 1) * m + j]");
    // rows that lie far apart: most of the copy would not be read
    none("x[i % 2 + j] + x[(i - 1) * m + j] + x[i / 2 * m + j]");
    // columns: neighbouring threads do not read neighbours
    none("x[(j - 1) * n + i] + x[j * n + i] + x[(j - 1) * n + i - 1]");
    let far = rows("x[(i - 1) * m + j] + x[(i + 20) * m + j] + x[(i + 40) * m + j]");
    assert_eq!(tiles(&scheduled(&far, &[])), [""; 0]);
    let wide = rows("x[(i - 1) * m + j] + x[i * m + j] + x[(i + 1) * m + j + 33]");
    assert_eq!(tiles(&scheduled(&wide, &[])), [""; 0]);
    // by how much they are apart is known when the program runs
    let any = rows("x[(i - 1) * m + j] + x[i * m + j] + x[(i + n) * m + j]");
    assert_eq!(tiles(&scheduled(&any, &[])), [""; 0]);
}

#[test]
fn arrays_that_the_kernel_writes_stay_where_they_are() {
    // each iteration has one element of all three rows to itself
    let text = "
    fn f(x: inout f64[3, _], y: inout f64[_, _], n: in usize)
      for i in 0..len(y)
        for j in 0..n
          y[i, j] += x[0, j]
      for j.2 in 0..n
        x[0, j.2] = x[0, j.2] + x[1, j.2] + x[2, j.2]
    ";
    assert_eq!(tiles(&scheduled(text, &[])), [""; 0]);
    let rows = ROWS.replace("sum += x[i * d + j] * w[j]", "x[i * d + j] = x[i * d + j] * w[j]");
    let rows = rows.replace("x: in f64", "x: inout f64");
    let after = scheduled(&rows, &[of_rows(5, 9), of_rows(130, 16)]);
    assert_eq!(tiles(&after), [""; 0], "{after}");
}

const ROWS: &str = "
    fn f(x: in f64[_], w: in f64[_], y: inout f64[_], n: in usize, d: in usize)
      for i in 0..n
        scope sum: f64
          sum = 0.0
          for j in 0..d
            check i * d + j < len(x) index \"x\" \"x[i * d + j]\" (i * d + j, len(x))
            sum += x[i * d + j] * w[j]
            sum = sum * sum
          for b in 1..d
            for c in 0..b
              sum += x[i * d + b] - x[i * d + c]
          y[i] = sum
    ";

fn of_rows(n: usize, d: usize) -> Vec<Array<f64>> {
    vec![numbers(n * d), numbers(d), numbers(n), Array::int(n as i128), Array::int(d as i128)]
}

#[test]
fn rows_that_threads_read_element_by_element() {
    let mut runs: Vec<_> = [(0, 9), (1, 8), (5, 32), (128, 2), (129, 9), (40, 33), (40, 1), (40, 0)]
        .map(|(n, d)| of_rows(n, d))
        .into();
    runs.push(vec![numbers(350), numbers(9), numbers(40), Array::int(40), Array::int(9)]);
    let after = assert_tiles(ROWS, &["x_tile [128, 33]"], &runs);
    let text = after.to_string();
    assert!(text.contains("(2 <= d) & (d <= 32)") && text.contains("else\n"), "{text}");
    // a number of columns that is known needs no other version
    let text = ROWS.replace("i * d + ", "i, ").replace("0..d", "0..10").replace("1..d", "1..10");
    let text = text.replace("x: in f64[_]", "x: in f64[_, 10]").replace("i * d", "i");
    let lines: Vec<&str> = text.lines().filter(|line| !line.contains("check")).collect();
    let runs = [5, 128, 200].map(|n| {
        let x = Array { dims: vec![n, 10], ..numbers(10 * n) };
        vec![x, numbers(10), numbers(n), Array::int(n as i128), Array::int(10)]
    });
    let after = assert_tiles(&(lines.join("\n") + "\n"), &["x_tile [128, 11]"], &runs);
    assert!(!after.to_string().contains("else\n"), "{after}");
}

#[test]
fn rows_whose_lengths_nobody_knows_stay_where_they_are() {
    // the length of a row is in an array
    let text = "
    fn f(x: in f64[_], lens: in usize[_], y: inout f64[_], n: in usize, d: in usize)
      for i in 0..n
        scope sum: f64
          sum = 0.0
          for j in 0..lens[i]
            check i * d + j < len(x) index \"x\" \"x[i * d + j]\" (i * d + j, len(x))
            sum = (sum + x[i * d + j]) * 0.5
          y[i] = sum
    ";
    assert_eq!(tiles(&scheduled(text, &[])), [""; 0]);
    let known = |by: &str| text.replace("0..lens[i]", by);
    assert_eq!(tiles(&scheduled(&known("0..d"), &[])), ["x_tile [128, 33]"]);
    // rows that are too long for shared memory, or may be longer than the next one's beginning says
    for by in ["0..40", "0..=d", "0..i", "0..y"] {
        let text = known(by).replace("0..y", "0..len(y)");
        let after = scheduled(&text, &[]);
        assert!(by == "0..y" || tiles(&after).is_empty(), "{after}");
    }
}

#[test]
fn copies_of_few_elements_leave_room_or_not() {
    let text = |bins: usize| {
        format!(
            "
    fn f(x: in f64[_, 16], class: in usize[_], y: inout f64[{bins}])
      for i in 0..len(class)
        scope sum: f64
          sum = 0.0
          for j in 0..16
            sum = (sum + x[i, j]) * 0.5
          y[class[i]] += sum
    "
        )
    };
    let run = |bins: usize| {
        let class = Array::usizes(&(0..150).map(|k| k * k % bins).collect::<Vec<_>>());
        vec![Array { dims: vec![150, 16], ..numbers(150 * 16) }, class, numbers(bins)]
    };
    assert_tiles(&text(4), &["x_tile [128, 17]"], &[run(4)]);
    assert_eq!(tiles(&scheduled(&text(32), &[])), [""; 0]);
}

#[test]
fn the_copy_is_made_by_all_threads_of_a_block() {
    let after = scheduled(FIVE_POINTS, &[]);
    let mut checked = 0;
    after.body.iter().for_each(|stmt| {
        stmt.walk(&mut |stmt| {
            let Some(each) = stmt.as_for() else { return };
            if each.exec == crate::ir::Exec::Parallel(Level::Block) {
                checked += 1;
            }
        });
    });
    assert_eq!(checked, 2, "one loop copies, one computes");
    // the verifier knows no tile that one thread fills, or that is not a copy
    let text = after.to_string();
    let wrong = |from: &str, to: &str| {
        assert!(text.contains(from), "{from}\n{text}");
        let changed = program(&text.replacen(from, to, 1));
        assert!(verify::verify(&changed).is_err(), "{changed}");
    };
    wrong(
        "for thread in 0..j_to - j_from + 2 parallel(block)",
        "for thread in 0..j_to - j_from + 2 sequential",
    );
    wrong("x_tile[row, thread] = x[", "x_tile[row, thread] = 2.0 * x[");
    wrong("x_tile: tile f64[10, 128] shared", "x_tile: tile f64[10, 128]");
}
