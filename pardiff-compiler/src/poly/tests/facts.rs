//! Facts that a check establishes: rows that do not overlap, values that do not repeat; and indices of another array.

use crate::ir::{BufferId, IterId, Program, parse};
use crate::poly::{Analysis, Fact, Proof};

#[track_caller]
fn program(starts: &str, row: &str, body: &str) -> Program {
    let text = format!(
        "fn f(v: in f64[_], d_v: adjoint(v) f64[len(v)], start: {starts}, end: {starts}, n: in usize, q: in usize)\n  for r in 0..n{row}{body}"
    );
    parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// The facts that are worth a check, and whether the loop is independent without and with them.
#[track_caller]
fn known(program: &Program) -> (Vec<Fact>, bool, bool) {
    let analysis = Analysis::new(program);
    let facts = analysis.facts_of(IterId(0));
    let plain = analysis.carried_by(IterId(0)).iter().all(|it| it.is_independent());
    let assuming = analysis.carried_assuming(IterId(0), &facts).all(|it| it.is_independent());
    (facts, plain, assuming)
}

const ROW: &str = "
    for k in start[r] as usize..start[r + 1] as usize
      d_v[k] += v[k]
    for l in start[r] as usize..start[r + 1] as usize down
      d_v[l] += 2.0 * v[l]";

const TYPES: [&str; 6] = ["u32", "u64", "i32", "i64", "isize", "usize"];

#[test]
fn rows_that_do_not_overlap_are_apart() {
    for ty in TYPES {
        for order in ["", " down"] {
            let row = if ty == "usize" { ROW.replace(" as usize", "") } else { ROW.to_owned() };
            let program = program(&format!("in {ty}[_]"), order, &row);
            let (facts, plain, assuming) = known(&program);
            let both = |fact: &Fact| matches!(fact, Fact::Rows(rows) if rows.loops.len() == 2);
            assert!(both(&facts[0]), "{facts:?}");
            assert_eq!((plain, assuming), (false, true), "{ty}{order}\n{program}");
        }
    }
}

#[test]
fn rows_have_many_forms() {
    for row in [
        "for k in start[r]..end[r]",
        "for k in start[r]..=end[r]",
        "for k in start[r]..=start[r + 1] - 1",
        "for k in start[r] * 3..start[r + 1] * 3 step 2",
        "for k in start[n - 1 - r] + q..start[n - r] + q",
    ] {
        let program = program("in usize[_]", "", &format!("\n    {row}\n      d_v[k] += v[k]"));
        let (facts, plain, assuming) = known(&program);
        assert!(matches!(facts[0], Fact::Rows(_)), "{row}");
        assert_eq!((plain, assuming), (false, true), "{row}");
    }
    let by_locals = "
    scope s: usize, e: usize
      s = start[r]
      e = start[r + 1]
      for k in s..e
        for j in 0..q
          check k * q + j < len(d_v) \"v\"
          d_v[k * q + j] += v[k]";
    assert!(known(&program("in usize[_]", "", by_locals)).2);
}

#[test]
fn elements_outside_the_row_are_not_apart() {
    let beyond =
        program("in usize[_]", "", "\n    for k in start[r]..start[r + 1]\n      d_v[k + 1] += d_v[k]");
    assert!(!known(&beyond).2);
    let behind = "\n    for k in start[r]..start[r + 1]\n      d_v[k] += v[k]\n    d_v[start[r]] += 1.0";
    let rows = |facts: Vec<Fact>| facts.into_iter().filter(|fact| !fact.is_distinct()).collect::<Vec<_>>();
    let behind = program("in usize[_]", "", behind);
    let analysis = Analysis::new(&behind);
    let facts = rows(analysis.facts_of(IterId(0)));
    let first = analysis.carried_assuming(IterId(0), &facts).next();
    assert!(first.is_some_and(|it| !it.is_independent()), "an empty row says nothing");
}

#[test]
fn rows_of_a_loop_say_nothing_of_a_loop_inside() {
    let row = "\n    for f in 0..q\n      for k in start[r]..start[r + 1]\n        d_v[k] = d_v[k] * v[f]";
    let program = program("in usize[_]", "", row);
    let (facts, _, assuming) = known(&program);
    assert!(assuming, "{facts:?}");
    let analysis = Analysis::new(&program);
    assert!(analysis.carried_assuming(IterId(1), &facts).any(|it| !it.is_independent()));
}

#[test]
fn starts_that_the_loop_writes_say_nothing() {
    let row = "\n    for k in start[r]..start[r + 1]\n      d_v[k] += v[k]\n    start[r] = q";
    let (facts, _, assuming) = known(&program("inout usize[_]", "", row));
    assert!(facts.is_empty() && !assuming);
}

#[test]
fn values_that_do_not_repeat_are_indices_of_elements_apart() {
    for ty in TYPES {
        let cast = if ty == "usize" { "" } else { " as usize" };
        for body in [
            "\n    d_v[start[r]] = v[r]",
            "\n    d_v[start[r]] += d_v[start[r]] * v[r]",
            "\n    for j in 0..3\n      check start[r] * 3 + j < len(d_v) \"v\"\n      d_v[start[r] * 3 + j] = v[j]",
            "\n    scope p: usize\n      p = start[r]\n      d_v[p] = v[p]",
        ] {
            let body = body.replace("start[r]", &format!("(start[r]{cast})"));
            let program = program(&format!("in {ty}[_]"), "", &body);
            let (facts, plain, assuming) = known(&program);
            assert!(facts.iter().all(Fact::is_distinct) && !facts.is_empty(), "{program}");
            assert_eq!((plain, assuming), (false, true), "{program}");
        }
    }
}

#[test]
fn values_that_do_not_repeat_say_nothing_of_their_neighbours() {
    for body in [
        "\n    d_v[start[r] + r] = v[r]",
        "\n    d_v[start[r]] = d_v[start[r] + 1]",
        "\n    for j in 0..4\n      check start[r] * 3 + j < len(d_v) \"v\"\n      d_v[start[r] * 3 + j] = v[j]",
        "\n    d_v[start[r]] = v[r]\n    d_v[end[r]] = v[r]",
        "\n    for j in 0..q\n      d_v[start[r * q + j]] = v[j]",
        "\n    d_v[start[r]] = v[r]\n    start[r] = q",
    ] {
        let kind = if body.contains("start[r] = q") { "inout" } else { "in" };
        let (_, plain, assuming) = known(&program(&format!("{kind} usize[_]"), "", body));
        assert_eq!((plain, assuming), (false, false), "{body}");
    }
}

#[test]
fn a_local_array_is_looked_at_only_where_every_iteration_reads_it() {
    let local = |body: &str| {
        let text = format!(
            "fn f(v: in f64[_], y: inout f64[_], n: in usize)\n  scope p: usize[n]\n    for i in 0..n\n      if v[i] > 0.0\n        p[i] = i / 2\n    for r in 0..n{body}"
        );
        let program = parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        let analysis = Analysis::new(&program);
        analysis.facts_of(IterId(1)).len()
    };
    assert_eq!(local("\n      y[p[r]] = v[r]"), 1);
    assert_eq!(local("\n      if v[r] > 0.0\n        y[p[r]] = v[r]"), 0);
    // a condition on integers is one of the check as well
    assert_eq!(local("\n      if r % 3 > 0\n        y[p[r]] = v[r]"), 1);
    assert_eq!(local("\n      if r % 3 > 0\n        y[p[r]] = v[r]\n      y[r] = 1.0"), 0);
}

/// The proof for each buffer that the loop over `i` writes, with the facts of the loop.
fn proofs(text: &str) -> Vec<Option<Proof>> {
    let program = parse(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let analysis = Analysis::new(&program);
    let facts = analysis.facts_of(IterId(0));
    let carried: Vec<_> = analysis.carried_assuming(IterId(0), &facts).collect();
    carried.iter().map(|it| it.is_independent().then_some(it.proof)).collect()
}

/// `y` has rows of length `d`; in `x` something else spoils them.
const ROWS_OF_ANOTHER: &str = "
fn f(y: inout f64[_], x: inout f64[_], w: in f64[_], n: in usize, d: in usize)
  for i in 0..n
    for j in 0..d
      check i * d + j < len(y) \"y\"
      y[i * d + j] = w[j]
      x[i * d + j] += w[j]
  for k in 0..n
    x[k * k] = 0.0
    x[k * k * n] = 0.0";

#[test]
fn an_array_at_the_indices_of_another_is_apart_as_that_one_is() {
    let [y, x] = [BufferId(0), BufferId(1)];
    let both = proofs(ROWS_OF_ANOTHER);
    assert_eq!(both, [Some(Proof::Sets), Some(Proof::SameIndex(y))], "{x:?}");
}

#[test]
fn the_same_index_proves_nothing_of_sums_other_guards_and_other_indices() {
    for (old, new) in [
        ("y[i * d + j] = w[j]", "y[j] += w[j]"),
        ("      y[i * d + j] = w[j]", "      if w[j] > 0.0\n        if j < 1\n          y[i * d + j] = w[j]"),
        ("x[i * d + j] += w[j]", "x[i * d + j + 1] += w[j]"),
    ] {
        let text = ROWS_OF_ANOTHER.replace(old, new);
        assert_ne!(text, ROWS_OF_ANOTHER);
        assert_eq!(proofs(&text)[1], None, "{text}");
    }
}

#[test]
fn rows_of_a_matrix_without_borders_are_apart_where_no_index_wraps() {
    let nest = |first: &str, second: &str, index: &str| {
        format!(
            "fn f(v: in f64[_], d_v: adjoint(v) f64[len(v)], n: in usize, q: in usize)
  for r in {first}
    for c in {second}
      check {index} < len(v) \"v\"
      d_v[{index}] = v[{index}]"
        )
    };
    let known = |text: String| known(&parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}")));
    for (first, second) in [("1..n - 1", "1..n - 1"), ("4..q", "0..n"), ("1..q down", "0..n - 1 down")] {
        let (facts, plain, assuming) = known(nest(first, second, "r * n + c"));
        assert!(matches!(&facts[..], [Fact::Fits(fits)] if fits.scales.len() == 1), "{facts:?}");
        assert_eq!((plain, assuming), (false, true), "{first} {second}");
    }
    // columns beyond the row, another stride, a bound that the loop finds
    for (first, second, index) in [
        ("1..n", "1..n + 2", "r * n + c"),
        ("1..n", "1..n - 1", "r * q + c"),
        ("1..n", "1..n - 1", "r * 2 + c"),
    ] {
        assert!(!known(nest(first, second, index)).2, "{first} {second} {index}");
    }
}

/// What is known of the loop over `i` of a nest that writes `v` by these loops and this index.
fn grid(loops: &[&str], index: &str) -> (Vec<Fact>, bool, bool) {
    let mut text = "fn f(v: inout f64[_], n0: in usize, n1: in usize, n2: in usize, n3: in usize)".to_owned();
    for (depth, (name, range)) in ["i", "j", "k", "l"].iter().zip(loops).enumerate() {
        text += &format!("\n{}for {name} in {range}", "  ".repeat(depth + 1));
    }
    let inside = "  ".repeat(loops.len() + 1);
    text += &format!("\n{inside}check {index} < len(v) \"v\"\n{inside}v[{index}] = 2.0 * v[{index}]");
    known(&parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}")))
}

#[test]
fn inner_elements_of_grids_of_any_dimension_are_apart_where_no_index_wraps() {
    let three = ["1..n0 - 1", "1..n1 - 1", "1..n2 - 1"];
    let four = ["2..n0 - 2", "1..n1 - 1", "3..n2 - 1", "1..n3 - 1"];
    let down = ["1..n0 - 1 down", "1..n1 - 1 down", "0..n2 down"];
    for (loops, index) in [
        (&three[..], "(i * n1 + j) * n2 + k"),
        (&three, "i * n1 * n2 + j * n2 + k"),
        (&three, "(i * (n1 * n2) + j * n2) + k"),
        (&down, "(i * n1 + j) * n2 + k"),
        (&["1..=n0", "0..=n1 - 1", "1..=n2 - 2"], "(i * n1 + j) * n2 + k"),
        (&["0..n0", "1..n1 - 1", "4..n2"], "((i + 2) * n1 + j) * n2 + k - 4"),
        (&["1..n0", "1..n1 - 1", "1..n2"], "((i - 1) * n1 + j) * n2 + k"),
        (&["1..n0", "1..n1 - 1", "0..n2", "0..3"], "((i * n1 + j) * n2 + k) * 3 + l"),
        (&four, "((i * n1 + j) * n2 + k) * n3 + l"),
        (&four, "i * n1 * n2 * n3 + j * n2 * n3 + k * n3 + l"),
        // what does not change in the loops is looked at by itself
        (&["0..n0", "1..n1 - 1", "1..n2 - 1"], "((i + 9) * n1 + j) * n2 + k"),
        (&three, "2 * (n0 * n1 * n2) + (i * n1 + j) * n2 + k"),
    ] {
        let (facts, plain, assuming) = grid(loops, index);
        assert!(facts.iter().all(|fact| matches!(fact, Fact::Fits(_))), "{facts:?}");
        assert_eq!((plain, assuming), (false, true), "{loops:?} {index}");
    }
}

#[test]
fn digits_beyond_their_row_and_bounds_that_may_wrap_elsewhere_say_nothing() {
    for (loops, index) in [
        (["1..n0 - 1", "1..n1 + 2", "1..n2 - 1"], "(i * n1 + j) * n2 + k"),
        (["1..n0 - 1", "1..n1 - 1", "1..n2 + 1"], "(i * n1 + j) * n2 + k"),
        (["1..n0 - 1", "1..n1 - 1", "1..n2 - 1"], "(i * n1 + j + 2) * n2 + k"),
        (["1..n0 - 1", "1..n1 - 1", "1..n2 - 1"], "(i * n0 + j) * n2 + k"),
        (["1..n0 - 1", "1..n1 - 1", "1..n2 - 1"], "(i * n1 + j) * n2 + k * 2"),
        // a bound below zero is a large one, and so is one that comes round again
        (["0..n0", "0..n1 - n3", "0..n2"], "(i * n1 + j) * n2 + k"),
        (["0..n0", "0..n1 * n3", "0..n2"], "(i * n1 + j) * n2 + k"),
    ] {
        assert!(!grid(&loops, index).2, "{loops:?} {index}");
    }
}

/// Whether the loop over `i` is apart that writes elements of planes with so many indices, without facts and with them.
fn planes(rows: &str, array: &str, indices: &[&str]) -> (bool, bool) {
    let mut text =
        format!("fn f(v: inout {array}, n: in usize, m: in usize)\n  for i in {rows}\n    for j in 1..m - 1");
    let value = if array.starts_with('f') { "1.0" } else { "1" };
    for index in indices {
        let first = index.split(", ").next().unwrap_or(index);
        text += &format!("\n      check {first} < len(v) \"v\"\n      v[{index}] = {value}");
    }
    let (_, plain, assuming) = known(&parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}")));
    (plain, assuming)
}

#[test]
fn planes_of_a_grid_are_apart_where_no_index_wraps() {
    let three = ["i * m + j", "n * m + (i * m + j)", "2 * (n * m) + (i * m + j)"];
    for rows in ["0..n", "1..n - 1", "1..n - 1 down"] {
        assert_eq!(planes(rows, "f64[_]", &three), (false, true), "{rows}");
    }
    // a record in each place
    let records = ["i * m + j, 0", "i * m + j, 1", "n * m + (i * m + j), 0"];
    assert_eq!(planes("0..n", "f64[_, 2]", &records), (false, true));
    assert_eq!(planes("0..n", "f64[_, 2]", &["i * m + j, 0", "i * m + j, 1"]), (false, true));
    // planes that overlap, rows that do, and numbers of which an array may have as many as there are
    assert!(!planes("0..n", "f64[_]", &["i * m + j", "(n - 1) * m + (i * m + j)"]).1);
    assert!(!planes("0..n + 1", "f64[_]", &["i * m + j", "n * m + (i * m + j)"]).1);
    assert!(!planes("0..n", "f64[_]", &["i * m + j", "m + (i * m + j)"]).1);
    assert!(!planes("0..n", "u8[_]", &["i * m + j", "n * m + (i * m + j)"]).1);
}

#[test]
fn one_check_is_enough_for_loops_of_one_range() {
    let text = "
fn f(v: inout f64[_], n: in usize, m: in usize, p: in usize)
  for i in 1..n - 1
    for j in 1..m - 1
      for k in 1..p - 1
        check (i * m + j) * p + k < len(v) \"v\"
        v[(i * m + j) * p + k] = 1.0
    for y in 1..m - 1 down
      for z in 1..p - 1 down
        v[(i * m + y) * p + z] = v[(i * m + y) * p + z] * 2.0";
    let program = parse(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let (facts, plain, assuming) = known(&program);
    assert!(facts.len() <= 3, "{facts:?}");
    assert_eq!((plain, assuming), (false, true), "{facts:?}");
}

#[test]
fn the_bounds_of_a_reversed_loop_are_those_of_the_primal() {
    let text = |around: &str| {
        format!(
            "fn f(v: in f64[_], d_v: adjoint(v) f64[len(v)], n: in usize, q: in usize)
  for s in 0..{around}
    for r in 1..n - 1
      for c in 1..n - 1
        check r * n + c < len(v) \"v\"
        d_v[r * n + c] = v[r * n + c]
  for t in 0..q down
    for i in 1..n - 1 down
      for j in 1..n - 1 down
        d_v[i * n + j] = 2.0 * d_v[i * n + j]"
        )
    };
    let checks = |around: &str| {
        let text = text(around);
        let program = parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        let analysis = Analysis::new(&program);
        let facts = analysis.facts_of(IterId(4));
        assert!(analysis.carried_assuming(IterId(4), &facts).all(|it| it.is_independent()));
        facts.len()
    };
    assert_eq!(checks("q"), 1);
    // it may not have run, so the bound of the inner loop is checked as well
    assert_eq!(checks("n"), 2);
}

/// Whether the loop over `h` is known to be apart, without facts and with them: the rows of `heads` matrices that a band
/// around each row goes to.
fn bands(row: &str, cond: &str, used: &str) -> (bool, bool) {
    let text = format!(
        "fn f(k: in f64[_], d_k: adjoint(k) f64[len(k)], heads: in usize, n: in usize, d: in usize, q: in usize)
  for h in 0..heads
    for i in 0..n
      for t in 0..5
        scope j: i64, row: usize
          j = {row}
          if {cond}
            row = (h * n + {used}) * d
            for x in 0..d
              d_k[row + x] += k[row + x]"
    );
    let program = parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let (facts, plain, assuming) = known(&program);
    assert!(matches!(&facts[..], [Fact::Fits(_), ..]), "{facts:?}");
    (plain, assuming)
}

#[test]
fn a_condition_bounds_what_a_local_holds() {
    let inside = "(j >= 0) & (j < n as i64)";
    for row in ["(i + t) as i64 - 2", "(i + t * q) as i64 - (2 * q) as i64", "i as i64 - t as i64"] {
        assert_eq!(bands(row, inside, "j as usize"), (false, true), "{row}");
        assert_eq!(bands(row, "(j > 2) & (j <= (n as i64) - 1)", "j as usize"), (false, false), "{row}");
    }
}

/// Whether the loop over rows is known to be apart, without facts and with them: of elements at a local that holds `index`.
fn at_local(index: &str, cond: &str) -> (bool, bool) {
    let text = format!(
        "fn f(v: in f64[_], d_v: adjoint(v) f64[len(v)], n: in usize, k: in usize)
  for i in 0..n
    for j in 0..k
      scope q: usize
        q = {index}
        if {cond}
          d_v[q] += v[q]"
    );
    let (_, plain, assuming) = known(&parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}")));
    (plain, assuming)
}

#[test]
fn a_local_that_a_condition_bounds_may_be_what_is_left_of_a_sum_that_wrapped() {
    for index in ["i * k + j", "wrapping_add(wrapping_mul(i, k), j)", "((i + 1) * k + j) - k"] {
        for cond in ["q < len(v)", "(q < len(v)) & (j < k)", "(q >= 0) & (q < 7)"] {
            assert_eq!(at_local(index, cond), (false, true), "{index} {cond}");
        }
    }
    // one of another row is none of this one, however it is compared
    assert_eq!(at_local("i * k + j + 1", "q < len(v)"), (false, false));
    assert_eq!(at_local("i * n + j", "q < len(v)"), (false, false));
}

#[test]
fn a_condition_that_leaves_a_row_of_another_matrix_bounds_nothing() {
    let row = "(i + t) as i64 - 2";
    for (cond, used) in [
        ("j < n as i64", "j as usize"),
        ("(j >= 0) & (j <= n as i64)", "j as usize"),
        ("(j >= 0) & (j < d as i64)", "j as usize"),
        ("(j >= 0) | (j < n as i64)", "j as usize"),
        ("(j >= 0) & (j < n as i64)", "j as usize + 1"),
        ("(j >= 0) & (j < n as i64)", "i + t"),
    ] {
        assert_eq!(bands(row, cond, used), (false, false), "{cond} {used}");
    }
}

#[test]
fn rows_of_an_array_whose_length_is_exact_lie_beside_each_other() {
    // the first iterations are empty, so checks alone say nothing of the product
    let proved = |rows: &str, said: &str| {
        let text = format!(
            "fn f(n: in usize, m: in usize) -> s: f64
  s = 0.0
  scope len: usize
    len = {rows} * m
    check {said} \"the length\"
    scope l: f64[len]
      for k in 0..len
        l[k] = 1.0
      for i in 2..{rows}
        for j in 3..m
          check i * m + j < len \"l\"
          l[i * m + j] = 2.0
      s += l[0]"
        );
        let program = parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        let analysis = Analysis::new(&program);
        let l = program.buffer_ids().find(|id| program[*id].name == "l").unwrap();
        analysis.strides(l).is_some_and(|strides| strides.requires.is_empty())
    };
    assert!(proved("n", "saturating_mul(n, m) < !0 / 2"));
    // it says nothing that another condition would say, nor where a factor may have wrapped
    assert!(!proved("n", "n < !0 / 2"));
    assert!(!proved("n", "saturating_mul(n, n) < !0 / 2"));
    assert!(!proved("n", "saturating_mul(n, m) <= !0"));
    assert!(!proved("(n - 7)", "saturating_mul(n - 7, m) < !0 / 2"));
}
