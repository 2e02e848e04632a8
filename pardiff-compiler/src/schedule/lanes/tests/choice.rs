//! Which form of a loop is chosen.

use super::{Lifted, lifted};

fn made(body: &str) -> Lifted {
    let text = format!(
        "
        fn f(x: in f64[_], y: inout f64[_], p: in usize[_], n: in usize, d: in usize) -> total: f64
          total = 0.0
          for i in 0..n
{body}
        "
    );
    lifted(&text).2
}

#[test]
fn a_sum_over_contiguous_elements_is_one_lane_loop_over_all_of_them() {
    let (_, after, made) = lifted(
        "
        fn f(x: in f64[_], n: in usize) -> total: f64
          total = 0.0
          for i in 0..n
            check i < len(x) index \"x\" \"x[i]\"
            total += x[i] * x[i]
        ",
    );
    assert!(matches!(made, Lifted::Blocks { .. }), "{made:?}");
    super::assert_text(
        &after,
        "
  scope lanes: usize
    lanes = int::max(n, 1)
    for b in 0..n step lanes sequential
        ",
    );
}

#[test]
fn the_reason_names_the_forms_and_their_prices() {
    let Lifted::Blocks { reason, .. } = made("            total += exp(x[i])") else { panic!("no blocks") };
    assert!(reason.starts_with("lanes over the iterations: one iteration after the other costs"), "{reason}");
}

#[test]
fn scattered_accesses_alone_are_not_worth_lanes() {
    let made = made("            y[p[i]] += x[p[n - 1 - i]]");
    assert!(matches!(made, Lifted::Serial { .. }), "{made:?}");
}

#[test]
fn strides_alone_are_worth_lanes_where_there_is_much_to_compute() {
    let neighbours = "y[2 * i] += 0.25 * (y[2 * i + 1] + y[2 * i + 3] + x[2 * i])";
    let lanes = |body: &str| matches!(made(&format!("            {body}")), Lifted::Blocks { .. });
    assert!(!lanes(neighbours));
    assert!(lanes(&neighbours.replace("x[2 * i]", "exp(x[2 * i])")));
    // one of them goes from element to element
    assert!(lanes("y[2 * i] += 0.25 * (x[i] + x[i + 1] + x[i + 2] + x[i + 3])"));
}

#[test]
fn a_refusal_is_part_of_the_reason() {
    let Lifted::Serial { reason } = made("            y[0] = x[i]") else { panic!("lifted") };
    assert!(
        reason.contains("no blocks, because every iteration assigns the same element of `y`"),
        "{reason}"
    );
}

#[test]
fn the_same_loop_is_chosen_for_any_constant_trip() {
    for trip in ["3", "d"] {
        let made = made(&format!("            for j in 0..{trip}\n              total += exp(x[i] * y[j])"));
        assert!(matches!(made, Lifted::Blocks { .. }), "{made:?}");
    }
}

#[test]
fn checks_of_indices_that_count_cost_nothing_and_others_do() {
    let stencil = |check: &str| {
        made(&format!(
            "            for j in 1..d
              check {check} \"far\"
              check i * d + j + 1 < len(x) \"far\"
              y[i * d + j] = x[i * d + j] + x[i * d + j - 1] + x[i * d + j + 1]"
        ))
    };
    let inner = stencil("i * d + j < len(x)");
    assert!(matches!(&inner, Lifted::Inner { loops: 1, .. }), "{inner:?}");
    let times = |made: &Lifted| -> f64 {
        let (Lifted::Inner { reason, .. } | Lifted::Serial { reason }) = made else { panic!("{made:?}") };
        let (_, rest) = reason.split_once("one iteration after the other costs ").expect("a price");
        rest.split(' ').next().and_then(|times| times.parse().ok()).expect("a number")
    };
    assert!(times(&inner) > times(&stencil("p[j] < len(x)")), "{inner:?}");
}

#[test]
fn short_rows_in_rows_are_not_worth_lanes() {
    let made = |rows: &str, margin: &str| {
        made(&format!(
            "            scope s: f64
              s = 0.0
{rows}
              {margin}for k in p[i]..p[i + 1]
                {margin}s += x[k] * y[k]
              total += s * s"
        ))
    };
    let in_rows = made("              for c in p[i]..p[i + 1]", "  ");
    assert!(matches!(in_rows, Lifted::Serial { .. }), "{in_rows:?}");
    let alone = made("              total += s", "");
    assert!(matches!(alone, Lifted::Inner { .. }), "{alone:?}");
}
