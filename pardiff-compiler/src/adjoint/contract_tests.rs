//! Interface contraction: what is computed once, and where it may not be.

use super::{Batch, contract, seamed_after_gradient};
use crate::ir::{Derivative, parse};

/// The program after contraction for a batch of seeds.
fn contracted(text: &str) -> String {
    let program = parse(text).unwrap_or_else(|error| panic!("{error:?}"));
    contract(&program, Batch { width: 4, of: Derivative::Adjoint, in_front_of: Vec::new() }).to_string()
}

/// Whether nothing was contracted.
fn is_left(text: &str) -> bool {
    contracted(text) == parse(text).unwrap_or_else(|error| panic!("{error:?}")).to_string()
}

const SQUARES: &str = "\
fn f(x: in f64[_], d_x: adjoint(x) f64[len(x)], c: in f64[_], d_c: adjoint(c) f64[len(c)], seed: adjoint(r) f64) -> r: f64
  r = 0.0
  for i in 0..len(x)
    for j in 0..len(c)
      scope e: f64, d_e: adjoint(e) f64
        e = x[i] - c[j]
        r += e * e
        d_e = 0.0
        d_e += seed * e
        d_e += e * seed
        d_x[i] += d_e
        d_c[j] += -d_e
";

#[test]
fn a_seed_multiplies_what_was_summed_for_one() {
    let text = contracted(SQUARES);
    for line in ["d_e += 1.0 * e.3", "d_x.2[i] += d_e", "d_c.2[j] += -d_e", "d_x[e.4] += d_x.2[e.4] * seed"] {
        assert!(text.contains(line), "{line}\n{text}");
    }
    assert_eq!(text.matches("seed").count(), 3, "{text}");
}

#[test]
fn an_element_that_one_iteration_adds_to_has_no_sum_of_its_own() {
    let text = contracted(&SQUARES.replace("for j in 0..len(c)", "for j in i..i + 1"));
    assert!(text.contains("d_x.2[i] += d_e"), "{text}");
    // as the index of this one, the iterator of the outer loop stands in the bounds of the inner one
    assert!(text.contains("d_c[j] += -d_e * seed") && !text.contains("d_c.2"), "{text}");
    let text =
        contracted(&SQUARES.replace("d_x[i]", "d_x[k[i] as usize]").replace("seed:", "k: in u32[_], seed:"));
    assert!(text.contains("d_x.2[k[i] as usize] += d_e"), "{text}");
}

/// Rows of an output, each by a sum over the columns of what is not linear.
const ROWS: &str = "\
fn f(x: in f64[_], d_x: adjoint(x) f64[len(x)], a: in f64[_], y: inout f64[_], d_y: adjoint(y) f64[len(y)], m: in usize)
  for row in 0..len(y)
    scope t: f64
      t = d_y[row]
      d_y[row] = 0.0
      for k in 0..m
        scope d_e: f64, d_s: f64
          d_e = t * a[row * m + k]
          d_s = d_e * (1.0 - x[k])
          d_x[k] += d_s - d_e
";

#[test]
fn an_adjoint_of_a_row_multiplies_what_leaves_the_row() {
    let text = contracted(ROWS);
    for line in ["factor = d_y[row]", "t = 1.0", "d_x[k] += (d_s - d_e) * factor", "d_y[row] = 0.0"] {
        assert!(text.contains(line), "{line}\n{text}");
    }
}

#[test]
fn nothing_is_contracted_where_it_would_be_wrong() {
    for (why, from, to) in [
        ("two rows are read", "t = d_y[row]", "t = d_y[row] + d_y[0]"),
        ("it is not linear", "d_e = t * a", "d_e = t * t * a"),
        ("a constant is added", "d_s - d_e", "d_s - d_e + 1.0"),
        (
            "the row is not always read",
            "      t = d_y[row]",
            "      t = 0.0\n      if row > 2\n        t = d_y[row]",
        ),
        (
            "it is added to before it is read again",
            "          d_e = t * a",
            "          d_y[row] += d_e\n          d_e = d_y[row] * a",
        ),
        ("the index changes", "t = d_y[row]", "t = d_y[p[0] as usize]\n      p[0] = 2"),
        ("it is no sum", "d_x[k] += d_s", "d_x[k] max= d_s"),
    ] {
        assert!(ROWS.contains(from), "{why}");
        let text =
            contracted(&ROWS.replace(from, to).replace("m: in usize)", "m: in usize, p: inout u32[_])"));
        assert!(!text.contains("factor"), "{why}:\n{text}");
    }
    let two = SQUARES.replace(
        "seed: adjoint(r) f64) -> r: f64",
        "seed: adjoint(r) f64, s: adjoint(q) f64) -> r: f64, q: f64",
    );
    let two = two.replace("d_e += e * seed", "d_e += e * s").replace("  r = 0.0", "  r = 0.0\n  q = 0.0");
    assert!(is_left(&two), "two results:\n{}", contracted(&two));
}

#[test]
fn nothing_is_contracted_where_more_leaves_than_stays() {
    let text = ROWS
        .replace("        scope d_e: f64, d_s: f64\n", "")
        .replace("          d_e = t * a[row * m + k]\n", "");
    let text = text
        .replace("          d_s = d_e * (1.0 - x[k])\n", "")
        .replace("          d_x[k] += d_s - d_e", "        d_x[k] += t * a[row * m + k]");
    assert!(is_left(&text), "{}", contracted(&text));
}

#[test]
fn the_gradient_is_the_tape_of_a_function_that_returns_one_float() {
    let seamed = |text: &str| {
        seamed_after_gradient(&parse(text).unwrap_or_else(|error| panic!("{error:?}")))
            .map(|(it, _)| it.to_string())
    };
    let text = seamed(SQUARES).unwrap_or_default();
    let (forward, backward) = text.split_once("call seam").unwrap_or_default();
    assert!(forward.contains("d_x.2[i] += d_e") && !forward.contains("* seed"), "{text}");
    assert!(backward.contains("* seed") && !backward.contains("d_e"), "{text}");
    // the adjoint of an output is not known before the second sweep
    assert_eq!(seamed(ROWS), None);
    // nor is that of a result which is stored, not added to
    assert_eq!(seamed(&SQUARES.replace("d_x[i] += d_e", "d_x[i] = d_e")), None);
}
