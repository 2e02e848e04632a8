//! Nests with products compute what they computed: the same numbers modulo a prime, close ones in floats, the same
//! panics.

use super::take_out;
use crate::equivalence::program;
use crate::ir::{Program, verify};
use crate::schedule::lanes::tests::{Arg, assert_same, assert_text};
use crate::schedule::{Library, Options};

fn with() -> Options {
    Options { products: Library::Gemm, ..Options::default() }
}

/// The parameters of all programs here.
const HEAD: &str =
    "fn f(a: in f64[_], b: in f64[_], c: inout f64[_], d: inout f64[_], m: in usize, n: in usize,
    k: in usize, alpha: in f64) -> total: f64
  total = 0.0
";

/// The program with its products taken out, and how many these are.
fn taken(body: &str, options: &Options) -> (Program, Program, usize) {
    let body = body.trim_start_matches('\n').trim_end();
    let margin = body.len() - body.trim_start().len();
    let lines = body.lines().map(|line| format!("  {}\n", line.get(margin..).unwrap_or("")));
    let before = program(&format!("{HEAD}{}", lines.collect::<String>()));
    let mut after = before.clone();
    let count = take_out(&mut after, options);
    for program in [&before, &after] {
        assert_eq!(verify::verify(program), Ok(()), "{program}");
    }
    (before, after, count)
}

/// Asserts that so many products are taken out, and that both programs compute the same where they are large, where they
/// are small, and where an array is too short.
fn assert_taken(body: &str, products: usize) -> Program {
    let (before, after, count) = taken(body, &with());
    assert_eq!(count, products, "{after}");
    for (m, n, k, short) in [(64, 65, 66, 0), (3, 4, 2, 0), (0, 4, 2, 0), (64, 64, 64, 1)] {
        let args = |name: &str| match name {
            "m" => Arg::Size(m),
            "n" => Arg::Size(n),
            "k" => Arg::Size(k),
            "alpha" => Arg::Number(-1.5),
            "b" => Arg::Floats(k * n - short),
            "a" => Arg::Floats(m * k),
            _ => Arg::Floats(m * n.max(k)),
        };
        assert_same(&before, &after, &args);
    }
    after
}

fn assert_left(body: &str) {
    let (before, after, count) = taken(body, &with());
    assert_eq!(count, 0, "{after}");
    assert_eq!(before.to_string(), after.to_string());
}

const PRODUCT: &str = "
    for i in 0..m
      for j in 0..n
        scope s: f64
          s = 0.0
          for l in 0..k
            check i * k + l < len(a) index \"a\" \"a[i * k + l]\"
            check l * n + j < len(b) index \"b\" \"b[l * n + j]\"
            s += a[i * k + l] * b[l * n + j]
          check i * n + j < len(c) index \"c\" \"c[i * n + j]\"
          c[i * n + j] = tanh(s)
    ";

#[test]
fn a_product_is_taken_out_of_its_loops() {
    let after = assert_taken(PRODUCT, 1);
    assert_text(
        &after,
        "
        guard (0 < m) & (0 < n) & (0 < k) & ((64 <= m) & (64 <= n) & (64 <= k)) & (saturating_add(saturating_mul(saturating_sub(m, 1), k), saturating_sub(k, 1)) < len(a)) & (saturating_add(saturating_mul(saturating_sub(k, 1), n), saturating_sub(n, 1)) < len(b))
          for block in 0..m step 1024
            scope rows: usize
              rows = int::min(1024, m - block)
              scope s: f64[rows, n]
                for i in block..block + rows
                  for j in 0..n
                    s[i - block, j] = 0.0
                call product [rows, n, k] s[0, 0] by [1, 0] [0, 1] += a[saturating_mul(block, k)] by [k] [1] * b[0] by [n] [1] * 1.0
                for i.2 in block..block + rows
                  for j.2 in 0..n
                    check i.2 * n + j.2 < len(c) index \"c\" \"c[i * n + j]\"
                    c[i.2 * n + j.2] = tanh(s[i.2 - block, j.2])
        otherwise
          for i.3 in 0..m
        ",
    );
}

/// The product with a name for the first element of a row; `WRITE` stands in front of the loops that use it.
fn of_named_rows(row: &str, write: &str) -> String {
    PRODUCT
        .replace("scope s: f64", "scope s: f64, row: usize")
        .replace("s = 0.0", &format!("s = 0.0\n          row = {row}{write}"))
        .replace("check i * k + l < len(a)", "check row + l < len(a)")
        .replace("* b[", "* 1.0 * b[")
        .replace("a[i * k + l] * 1.0", "a[row + l]")
}

#[test]
fn rows_may_have_names() {
    let after = assert_taken(&of_named_rows("i * k", ""), 1);
    assert!(after.to_string().contains("+= a[saturating_mul(block, k)] by [k] [1] * b[0]"), "{after}");
    // another value in the loops, one that is not known in front of them, and one that does not grow
    assert_left(&of_named_rows("i * k", "\n          row = row + 1"));
    assert_left(&of_named_rows("i * k", "\n          if row < m\n            row = i"));
    assert_left(&of_named_rows("i / 2", ""));
}

#[test]
fn a_product_without_anything_around_needs_no_blocks() {
    let after = assert_taken(
        "
        for l in 0..k down
          for i in 0..m
            for j in 0..n
              check l * n + j < len(b) index \"b\" \"b[l * n + j]\"
              c[i * n + j] += -(b[l * n + j] * (a[i * k + l] * alpha))
        ",
        1,
    );
    assert_text(
        &after,
        "call product [m, n, k] c[0] by [n] [1] += a[0] by [k] [1] * b[0] by [n] [1] * -alpha",
    );
}

#[test]
fn a_layer_with_its_adjoint_is_three_products() {
    assert_taken(
        "
        for i in 0..m
          scope hidden: f64[n], d_hidden: adjoint(hidden) f64[n]
            for e in 0..n
              hidden[e] = 0.0
            for l in 0..k
              for j in 0..n
                check l * n + j < len(b) index \"b\" \"b[l * n + j]\"
                check j < len(hidden) index \"hidden\" \"hidden[j]\"
                hidden[j] += a[i * k + l] * b[l * n + j]
            for j.2 in 0..len(hidden)
              total += hidden[j.2] * hidden[j.2]
              d_hidden[j.2] = hidden[j.2] * alpha
            for l.2 in 0..k down
              for j.3 in 0..n down
                c[l.2 * n + j.3] += d_hidden[j.3] * a[i * k + l.2]
                d[i * k + l.2] += b[l.2 * n + j.3] * d_hidden[j.3]
        ",
        3,
    );
}

#[test]
fn what_is_constant_in_some_loops_is_kept_by_the_others() {
    // the element of `a` is a local of two loops
    assert_taken(
        "
        for i in 0..m
          for l in 0..k
            scope t: f64
              t = a[i * k + l] * alpha
              for j in 0..n
                check l * n + j < len(b) index \"b\" \"b[l * n + j]\"
                c[i * n + j] += t * b[l * n + j]
        ",
        1,
    );
}

#[test]
fn loops_around_stay() {
    // the time loop carries `c`
    let after = assert_taken(
        "
        for t in 0..2
          for i in 0..m
            for j in 0..n
              for l in 0..k
                check l * n + j < len(b) index \"b\" \"b[l * n + j]\"
                d[i * n + j] += a[i * k + l] * b[l * n + j]
          for e in 0..len(c)
            c[e] = c[e] * 0.5 + d[e]
        ",
        1,
    );
    assert_text(&after, "for t in 0..2\n  guard");
}

#[test]
fn rows_of_the_target_may_overlap() {
    assert_taken(
        "
        for i in 0..m
          for j in 0..n
            for l in 0..k
              check l * n + j < len(b) index \"b\" \"b[l * n + j]\"
              c[i + j] += a[i * k + l] * b[l * n + j]
        ",
        1,
    );
}

#[test]
fn what_the_nest_reads_is_no_target() {
    assert_left(
        "
        for i in 0..m
          for j in 0..n
            for l in 0..k
              c[i * n + j] += c[i * k + l] * b[l * n + j]
        ",
    );
    // an iteration uses what the one before has added up
    assert_left(
        "
        for i in 1..m
          for j in 0..n
            for l in 0..k
              c[i * n + j] += d[i * k + l] * b[l * n + j]
          for e in 0..n
            d[i * k + e] = c[(i - 1) * n + e]
        ",
    );
}

#[test]
fn other_nests_stay_as_they_are() {
    let nest = |bound: &str, value: &str| {
        format!(
            "
            for i in 0..m
              for j in 0..n
                for l in 0..{bound}
                  c[i * n + j] += {value}
            "
        )
    };
    assert_eq!(taken(&nest("k", "a[i * k + l] * b[l * n + j]"), &with()).2, 1);
    // a triangle, an index that is no multiple, three factors, a sum of two rows, a factor of one loop
    assert_left(&nest("i", "a[i * k + l] * b[l * n + j]"));
    assert_left(&nest("k", "a[i * i + l] * b[l * n + j]"));
    assert_left(&nest("k", "a[i * k + l] * b[l * n + j] * d[l]"));
    assert_left(&nest("k", "a[i * k + l] * b[j]"));
    assert_left(&nest("k", "a[i * k + l] + b[l * n + j]"));
    assert_left(&nest("k", "a[i * k - l] * b[l * n + j]"));
}

#[test]
fn sums_keep_their_order_where_that_is_asked_for() {
    let (before, after, count) = taken(PRODUCT, &Options { strict: true, ..with() });
    assert_eq!((count, before.to_string()), (0, after.to_string()));
}

#[test]
fn without_the_library_products_are_counted() {
    let (before, after, count) = taken(PRODUCT, &Options { products: Library::Off, ..with() });
    assert_eq!((count, before.to_string()), (1, after.to_string()));
    let calls = |program: &Program| {
        let mut calls = 0;
        program.body.iter().for_each(|stmt| {
            stmt.walk(&mut |stmt| calls += usize::from(stmt.is_opaque()));
        });
        calls
    };
    assert_eq!(calls(&after), 0);
}
