//! Sums of stencils gather: the same additions in nests over the elements, or as before where that is not proved right.

use crate::scheduled::many_chunks;
use crate::schemes::{check, indices, numbers, program};
use pardiff_compiler::ir::interp::Array;
use pardiff_compiler::ir::{Exec, Level, Program, Scheme, StmtKind};
use pardiff_compiler::schedule::{Options, Scheduled, schedule};

/// The gathered sums of a program, and those of them that stand in task loops.
pub(crate) fn gathered(program: &Program) -> (usize, usize) {
    let is_gathered = |stmt: &pardiff_compiler::ir::Stmt| {
        matches!(&stmt.kind, StmtKind::Reduce { scheme: Scheme::Shift, .. })
    };
    let (mut all, mut in_tasks) = (0, 0);
    program.body.iter().for_each(|stmt| {
        stmt.walk(&mut |stmt| {
            all += usize::from(is_gathered(stmt));
            if let StmtKind::For(each) = &stmt.kind
                && each.exec == Exec::Parallel(Level::Task)
            {
                each.body
                    .iter()
                    .for_each(|stmt| stmt.walk(&mut |stmt| in_tasks += usize::from(is_gathered(stmt))));
            }
        });
    });
    (all, in_tasks)
}

fn size(value: usize) -> Array<f64> {
    Array::int(value as i128)
}

/// Checks a program for all lengths of its arrays, with a scalar argument of each value.
fn for_sizes(
    lines: &[&str],
    args: impl Fn(usize) -> Vec<Array<f64>>,
    sizes: std::ops::Range<usize>,
) -> Scheduled {
    let mut last = None;
    for n in sizes {
        last = Some(check(lines, args(n)));
    }
    last.unwrap_or_else(|| Scheduled::sequential(program(lines)))
}

#[test]
fn neighbours_along_a_line_gather() {
    let lines = [
        "fn f(d: inout f64[_], e: in f64[_])",
        "  for i in 1..len(e)",
        "    d[i - 1] += e[i] * 2.0",
        "    d[i] += e[i] * e[i]",
        "    d[i + 1] += e[i] + 1.0",
    ];
    let made = for_sizes(&lines, |n| vec![numbers(n + 1), numbers(n)], 0..12);
    assert_eq!(gathered(&made.program), (1, 1), "{}", made.program);
}

#[test]
fn offsets_with_gaps_gather() {
    let lines = [
        "fn f(d: inout f64[_], e: in f64[_])",
        "  for i in 0..len(e)",
        "    d[i + 4] += e[i] * 2.0",
        "    d[i] += e[i] * 3.0",
        "    d[i + 2] += e[i] - 1.0",
    ];
    let made = for_sizes(&lines, |n| vec![numbers(n + 4), numbers(n)], 0..14);
    assert_eq!(gathered(&made.program), (1, 1), "{}", made.program);
}

const GRID: [&str; 16] = [
    "fn f(d: inout f64[_], l: inout f64[_], k: in f64[_], d_k: inout f64[_], n: in usize)",
    "  for a in 1..n - 1",
    "    for b in 1..n - 1",
    "      check a * n + b < len(k) \"k\"",
    "      check (a + 1) * n + b < len(k) \"k\"",
    "      check a * n + b + 1 < len(k) \"k\"",
    "  for i in 1..n - 1",
    "    for j in 1..n - 1",
    "      scope t: f64, m: f64",
    "        t = l[i * n + j]",
    "        l[i * n + j] = 0.0",
    "        d_k[i * n + j] += t * 3.0",
    "        m = t * k[i * n + j]",
    "        d[(i - 1) * n + j] += m",
    "        d[(i + 1) * n + j] += m * 2.0",
    "        d[i * n + j - 1] += -m",
];

#[test]
fn neighbours_in_a_flat_grid_gather() {
    let mut lines = GRID.to_vec();
    lines.extend(["        d[i * n + j + 1] += m", "        d[i * n + j] += t - m"]);
    let args = |n: usize| vec![numbers(n * n), numbers(n * n), numbers(n * n), numbers(n * n), size(n)];
    let made = for_sizes(&lines, args, 1..9);
    let (all, in_tasks) = gathered(&made.program);
    assert!(all > in_tasks && in_tasks > 0, "{}", made.program);
}

#[test]
fn each_plane_gathers_from_its_own_neighbours() {
    let planes = [
        "fn f(d: inout f64[_], e: in f64[_], k: in f64[_], m: in usize)",
        "  for i in 1..len(e)",
        "    d[i - 1] += e[i] * 2.0",
        "    d[i + 1] += e[i] * k[i]",
        "    d[m + i] += e[i] * 5.0",
        "    d[2 * m + i] += k[i] * 3.0",
        "    d[2 * m + (i + 2)] += e[i]",
    ];
    // also where planes meet: the sums are of all that is added, wherever that is
    for m in [0, 1, 2, 3, 9] {
        let args = |n: usize| vec![numbers(2 * m + n + 2), numbers(n), numbers(n), size(m)];
        let made = for_sizes(&planes, args, 1..9);
        // two planes, whose elements are apart whatever wraps; what the third is given stays in the nest
        assert_eq!(gathered(&made.program).0, 2, "{}", made.program);
    }
    let strides = [
        "fn f(d: inout f64[_], e: in f64[_])",
        "  for i in 1..len(e)",
        "    d[i - 1] += e[i] * 2.0",
        "    d[i + 1] += e[i]",
        "    d[2 * i] += e[i] * 5.0",
    ];
    let made = for_sizes(&strides, |n| vec![numbers(2 * n + 2), numbers(n)], 1..9);
    assert_eq!(gathered(&made.program).0, 0, "{}", made.program);
}

#[test]
fn members_of_records_gather_in_one_nest() {
    let lines = [
        "fn f(d: inout f64[_, 2], e: inout f64[_, 2], k: in f64[_])",
        "  for i in 1..len(k)",
        "    for s in 0..2 down",
        "      scope t: f64",
        "        t = ((((e[i, s] * k[i] + 1.0) * k[i] + e[i, s]) * k[i] + 2.0) * e[i, s] + k[i]) * e[i, s] + k[i] * k[i]",
        "        e[i, s] = 0.0",
        "        d[i - 1, s] += t * 2.0",
        "        d[i + 1, s] += t",
        "    d[i, 1] += k[i]",
    ];
    let pairs = |n: usize| numbers(2 * n).shaped(&[n, 2]);
    let made = for_sizes(&lines, |n| vec![pairs(n + 1), pairs(n), numbers(n)], 1..9);
    let text = made.program.to_string();
    // an iteration has a value of each member
    assert!(text.contains("given: f64[2, len(k) - 1]") && text.contains("given[1, b + l - 1] = t"), "{text}");
    assert_eq!(gathered(&made.program), (2, 2), "{text}");
    let sums: Vec<usize> = (0..2).filter_map(|s| text.find(&format!("d[b.3 + l.3, {s}] += "))).collect();
    assert!(sums.len() == 2 && !text[sums[0]..sums[1]].contains("for"), "{text}");
    // under a condition, an iteration may have no value of a member
    let mut lines = lines.to_vec();
    lines.splice(
        6..8,
        ["        if t > 0.5", "          d[i - 1, s] += t * 2.0", "          d[i + 1, s] += t"],
    );
    let made = for_sizes(&lines, |n| vec![pairs(n + 1), pairs(n), numbers(n)], 1..9);
    assert_eq!(gathered(&made.program).0, 0, "{}", made.program);
}

#[test]
fn what_the_nest_overwrites_is_gathered_in_front_of_it() {
    let lines = [
        "fn f(d: inout f64[n, m], l: inout f64[n, m], k: in f64[n, m], d_k: inout f64[n, m], n: in usize, m: in usize)",
        "  for i in 1..n - 1",
        "    for j in 1..m - 1",
        "      scope t: f64, q: f64",
        "        t = l[i, j]",
        "        l[i, j] = 0.0",
        "        d_k[i, j] += t * 3.0",
        "        q = t * k[i, j]",
        "        d[i - 1, j] += q",
        "        d[i + 1, j] += q * 2.0",
        "        d[i, j - 1] += -q",
        "        d[i, j + 1] += q",
        "        d[i, j] += t - q",
    ];
    let args = |n: usize| {
        let dims = [n, 8 - n.min(6)];
        let grid = || numbers(dims.iter().product()).shaped(&dims);
        vec![grid(), grid(), grid(), grid(), size(dims[0]), size(dims[1])]
    };
    let made = for_sizes(&lines, args, 1..8);
    assert!(gathered(&made.program).1 > 0, "{}", made.program);
    assert!(!made.program.to_string().contains("given"), "{}", made.program);
    assert!(!made.program.to_string().contains("private_copies"), "{}", made.program);
}

#[test]
fn neighbours_in_a_grid_of_three_dimensions_gather() {
    let lines = [
        "fn f(d: inout f64[n, m, p], e: in f64[n, m, p], n: in usize, m: in usize, p: in usize)",
        "  for i in 1..n - 1",
        "    for j in 1..m - 1",
        "      for k in 1..p - 1",
        "        d[i - 1, j, k] += e[i, j, k]",
        "        d[i + 1, j, k] += e[i, j, k] * 2.0",
        "        d[i, j - 1, k] += e[i, j, k] * 3.0",
        "        d[i, j + 1, k] += e[i, j, k] * 4.0",
        "        d[i, j, k - 1] += e[i, j, k] * 5.0",
        "        d[i, j, k + 1] += e[i, j, k] * 6.0",
    ];
    let args = |n: usize| {
        let dims = [n, 7 - n.min(5), 5];
        let grid = || numbers(dims.iter().product()).shaped(&dims);
        vec![grid(), grid(), size(dims[0]), size(dims[1]), size(dims[2])]
    };
    let made = for_sizes(&lines, args, 1..7);
    assert!(gathered(&made.program).1 > 0, "{}", made.program);
    assert!(!made.program.to_string().contains("private_copies"), "{}", made.program);
}

#[test]
fn taps_of_a_loop_gather_what_the_nest_computes() {
    let lines = [
        "fn f(d: inout f64[_], d_w: inout f64[5], x: in f64[_], w: in f64[5], y: in f64[_])",
        "  for i in 0..len(y)",
        "    scope s: f64",
        "      s = 1.0",
        "      for t in 0..5",
        "        s += w[t] * x[i + t]",
        "      s = s * s * y[i]",
        "      for u in 0..5",
        "        d_w[u] += s * x[i + u]",
        "        d[i + u] += s * w[u]",
    ];
    let args = |n: usize| vec![numbers(n + 4), numbers(5), numbers(n + 4), numbers(5), numbers(n)];
    let made = for_sizes(&lines, args, 0..12);
    assert_eq!(gathered(&made.program), (1, 1), "{}", made.program);
    assert!(made.program.to_string().contains("given[b + l] = s"), "{}", made.program);
}

/// What a nest computes from `s`, which costs more than all of it, for three neighbours.
const OF_ONE_VALUE: [&str; 15] = [
    "fn f(d: inout f64[_], e: inout f64[_], x: in f64[_], y: in f64[_], n: in usize)",
    "  for i in 1..n",
    "    scope s: f64, a: f64, b: f64, c: f64",
    "      s = ((((x[i] * y[i] + 1.0) * y[i] + x[i]) * x[i] + y[i - 1]) * x[i - 1] + y[i]) * y[i - 1] + x[i]",
    "      e[i] += s",
    "      c = 0.0",
    "      scope r: f64",
    "        r = x[i] - x[i - 1]",
    "        a = s * r * 0.5",
    "        d[i - 1] += a",
    "        c += a * r",
    "      b = s * (x[i] + y[i])",
    "      d[i + 1] += b",
    "      c += -b",
    "      d[i] += c",
];

#[test]
fn one_value_is_stored_for_all_terms_that_are_made_of_it() {
    let args = |n: usize| vec![numbers(n + 1), numbers(n), numbers(n), numbers(n), size(n)];
    let made = for_sizes(&OF_ONE_VALUE, args, 1..9);
    let text = made.program.to_string();
    assert_eq!(gathered(&made.program), (1, 1), "{text}");
    assert!(text.contains("given[b + l - 1] = s") && !text.contains("given.2"), "{text}");
    // not where it is another one afterwards
    let mut lines = OF_ONE_VALUE.to_vec();
    lines.insert(11, "      s = s * s");
    let made = for_sizes(&lines, args, 1..9);
    let text = made.program.to_string();
    assert!(text.contains("given.2[") && !text.contains("given.3"), "{text}");
}

#[test]
fn squares_of_squares_are_stored_though_they_are_few_operations() {
    let mut lines =
        ["fn f(d: inout f64[_], e: in f64[_])", "  for i in 1..len(e)"].map(String::from).to_vec();
    let names: Vec<String> = (0..14).map(|k| format!("s{k}: f64")).collect();
    lines.push(format!("    scope {}", names.join(", ")));
    lines.push("      s0 = e[i]".to_owned());
    lines.extend((1..14).map(|k| format!("      s{k} = s{} * s{}", k - 1, k - 1)));
    lines.extend(["      d[i - 1] += s13", "      d[i + 1] += s13 * 2.0"].map(String::from));
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    let text = schedule(program(&lines), &many_chunks(3)).program.to_string();
    // written out, the last square has eight thousand operations
    assert!(text.contains("given") && text.len() < 1 << 14, "{text}");
}

#[test]
fn what_arms_assign_is_what_they_give() {
    let lines = [
        "fn f(d: inout f64[_], e: in f64[_], n: in usize)",
        "  for i in 1..n",
        "    scope s: f64, t: f64",
        "      s = (((e[i] + 1.0) * e[i] + 2.0) * e[i - 1] + e[i]) * e[i] + e[i - 1]",
        "      if 0.25 < e[i]",
        "        s = s * e[i - 1]",
        "        t = s * 2.0",
        "        d[i - 1] += t",
        "      else",
        "        t = s * 3.0",
        "        d[i - 1] += t",
        "      t = s * e[i]",
        "      d[i + 1] += t",
    ];
    let made = for_sizes(&lines, |n| vec![numbers(n + 1), numbers(n), size(n)], 1..12);
    assert!(gathered(&made.program).0 > 0, "{}", made.program);
}

#[test]
fn what_is_added_under_a_condition_is_stored_as_a_sum() {
    let lines = [
        "fn f(d: inout f64[_], e: in f64[_])",
        "  for i in 1..len(e)",
        "    if 0.0 < e[i]",
        "      d[i - 1] += e[i] * 2.0",
        "    for r in 0..len(e) - i",
        "      d[i + 1] += e[r]",
    ];
    let made = for_sizes(&lines, |n| vec![numbers(n + 1), numbers(n)], 1..9);
    // in lanes, and lane after lane where indices wrap
    assert_eq!(gathered(&made.program).0, 2, "{}", made.program);
}

#[test]
fn what_no_iteration_adds_needs_no_element() {
    let guarded = [
        "fn f(d: inout f64[_], e: in f64[_])",
        "  for i in 0..len(e)",
        "    if i > 0",
        "      d[i - 1] += e[i] * e[i]",
        "    if i + 1 < len(e)",
        "      d[i + 1] += e[i]",
    ];
    let made = for_sizes(&guarded, |n| vec![numbers(n), numbers(n)], 0..12);
    assert!(gathered(&made.program).0 > 0, "{}", made.program);
    let grid = [
        "fn f(d: inout f64[n, n], e: in f64[n, n], n: in usize)",
        "  for i in 0..n",
        "    for j in 0..n",
        "      if i >= 2",
        "        d[i - 2, j] += e[i, j] * 3.0",
        "      if j + 1 < n",
        "        d[i, j + 1] += e[i, j] * e[i, j]",
        "      if (i + 1 < n) & (j > 0)",
        "        d[i + 1, j - 1] += e[i, j] * 2.0",
    ];
    let square = |n: usize| numbers(n * n).shaped(&[n, n]);
    let made = for_sizes(&grid, |n| vec![square(n), square(n), size(n)], 0..8);
    assert!(gathered(&made.program).0 > 0, "{}", made.program);
    let flat = [
        "fn f(d: inout f64[_], e: in f64[_], n: in usize, m: in usize)",
        "  for i in 0..n",
        "    for j in 0..m",
        "      if i > 0",
        "        d[i * m + j - m] += e[i * m + j] * 3.0",
        "      if i + 1 < n",
        "        d[i * m + j + m] += e[i * m + j]",
    ];
    for m in 1..5 {
        let made = for_sizes(&flat, |n| vec![numbers(n * m), numbers(n * m), size(n), size(m)], 0..8);
        assert!(gathered(&made.program).0 > 0, "{}", made.program);
    }
}

#[test]
fn an_index_that_is_read_under_a_condition_stays_there() {
    let lines = [
        "fn f(d: inout f64[_], e: in f64[_], at: in usize[_])",
        "  for i in 0..len(e)",
        "    if i + 1 < len(at)",
        "      d[i + at[0]] += e[i] * e[i]",
        "      d[i + at[0] + 1] += e[i]",
    ];
    for at in [&[][..], &[1], &[1, 0, 4, 5]] {
        for_sizes(&lines, |n| vec![numbers(n + 2), numbers(n), indices(at)], 0..9);
    }
}

#[test]
fn two_arrays_gather_apart() {
    let lines = [
        "fn f(d: inout f64[_], g: inout f64[_], e: in f64[_], h: inout f64[_])",
        "  for i in 1..len(e)",
        "    g[i] += e[i]",
        "    d[i - 1] += e[i] * 2.0",
        "    h[i] = e[i] * 3.0",
        "    g[i - 1] += h[i]",
        "    d[i + 1] += e[i]",
    ];
    let made = for_sizes(&lines, |n| vec![numbers(n + 1), numbers(n), numbers(n), numbers(n)], 1..9);
    assert_eq!(gathered(&made.program), (2, 2), "{}", made.program);
}

#[test]
fn an_index_that_two_iterations_share_gathers_right() {
    // rows of `m` elements overlap where `m` is below five
    let lines = [
        "fn f(d: inout f64[_], e: in f64[_], m: in usize)",
        "  for i in 1..len(e)",
        "    for j in 0..len(e)",
        "      d[i * m + j] += e[j]",
        "      d[(i - 1) * m + j] += e[i]",
        "      d[(i - 1) * m + j + 1] += e[i] * 3.0",
    ];
    for m in 0..7 {
        for_sizes(&lines, |n| vec![numbers(60), numbers(n), size(m)], 2..6);
    }
}

#[test]
fn rows_of_a_constant_length_gather() {
    let lines = [
        "fn f(d: inout f64[_], e: in f64[_])",
        "  for i in 1..len(e)",
        "    d[i * 8 + 3] += e[i]",
        "    d[(i - 1) * 8 + 3] += e[i] * 2.0",
    ];
    let made = for_sizes(&lines, |n| vec![numbers(8 * n.max(1)), numbers(n)], 0..6);
    assert_eq!(gathered(&made.program), (2, 1), "{}", made.program);
}

#[test]
fn what_an_iteration_reads_of_another_is_stored_before_it_is_gathered() {
    let lines = [
        "fn f(d: inout f64[_], e: inout f64[_])",
        "  for i in 1..len(e)",
        "    d[i - 1] += e[i - 1] * 2.0",
        "    d[i + 1] += e[i]",
        "    e[i] = e[i - 1] + 1.0",
    ];
    let made = for_sizes(&lines, |n| vec![numbers(n + 1), numbers(n)], 1..9);
    assert_eq!(gathered(&made.program).0, 1, "{}", made.program);
    assert!(made.program.to_string().contains("given[i - 1] = "), "{}", made.program);
}

#[test]
fn what_is_checked_is_checked_before_anything_is_gathered() {
    let lines = [
        "fn f(d: inout f64[_], e: inout f64[_])",
        "  for i in 1..len(e)",
        "    check i < len(d) index \"x\" \"x[i]\"",
        "    d[i - 1] += e[i] * 2.0",
        "    d[i] += e[i]",
        "    e[i] = 0.0",
    ];
    let made = for_sizes(&lines, |n| vec![numbers(n + 1), numbers(n)], 1..9);
    let text = made.program.to_string();
    let (stored, gathers) = (text.find("given["), text.find("shift"));
    assert!(stored.is_some() && stored < gathers, "{text}");
}

#[test]
fn what_is_no_stencil_stays() {
    let nests: [&[&str]; 7] = [
        // the nest looks at the target
        &["    d[i - 1] += e[i]", "    d[i + 1] += d[i]"],
        // or writes it in another way
        &["    d[i - 1] += e[i]", "    d[i + 1] += e[i]", "    d[i] = 0.0"],
        &["    d[i - 1] += e[i]", "    d[i + 1] max= e[i]"],
        // the distance is known only when the program runs
        &["    d[i - 1] += e[i]", "    d[i + m] += e[i]"],
        &["    d[i - 1] += e[i]", "    d[p[i]] += e[i]"],
        // neighbours in a ring
        &["    d[i - 1] += e[i]", "    d[(i + 1) % len(e)] += e[i]"],
        // one element for each iteration
        &["    d[i + 1] += e[i]", "    d[i + 1] += e[i] * 2.0"],
    ];
    for nest in nests {
        let mut lines =
            vec!["fn f(d: inout f64[_], e: in f64[_], p: in usize[_], m: in usize)", "  for i in 1..len(e)"];
        lines.extend(nest);
        let indices = |n: usize| indices(&(0..n as i128).rev().collect::<Vec<_>>());
        let made = for_sizes(&lines, |n| vec![numbers(n + 1), numbers(n), indices(n), size(1)], 2..7);
        assert_eq!(gathered(&made.program).0, 0, "{}", made.program);
    }
}

#[test]
fn a_strict_program_keeps_the_order_of_its_additions() {
    let lines = [
        "fn f(d: inout f64[_], e: in f64[_])",
        "  for i in 1..len(e)",
        "    d[i - 1] += e[i]",
        "    d[i + 1] += e[i]",
    ];
    let made = schedule(program(&lines), &Options { strict: true, ..many_chunks(3) });
    assert_eq!(gathered(&made.program).0, 0, "{}", made.program);
    let made = schedule(program(&lines), &many_chunks(3));
    assert_eq!(gathered(&made.program).0, 1, "{}", made.program);
}
