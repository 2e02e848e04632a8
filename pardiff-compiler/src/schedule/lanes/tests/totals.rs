//! What is needed of a local as the sum over all lanes alone is one number for a block.

use super::{Arg, SIZES, assert_same, assert_text, in_blocks};
use crate::ir::Program;

/// The adjoint of a chain that all iterations share, and whose end each multiplies with an element.
fn reversed(chain: &str) -> Program {
    let (before, after, refused) = in_blocks(&text(chain));
    assert_eq!(refused, None);
    for n in SIZES {
        for flag in [false, true] {
            let args = |name: &str| match name {
                "n" => Arg::Size(n),
                "p" => Arg::Number(1.25),
                "q" => Arg::Number(-0.5),
                "flag" => Arg::Flag(flag),
                "d_k" => Arg::Floats(4),
                _ => Arg::Floats(n),
            };
            assert_same(&before, &after, &args);
        }
    }
    after
}

fn text(chain: &str) -> String {
    format!(
        "
        fn f(x: in f64[_], y: inout f64[_], d_k: inout f64[_], p: in f64, q: in f64, flag: in bool, n: in usize)
          for i in 0..n
            scope d_g: f64, d_s: f64, d_r: f64, own: f64, d_a: f64[4], t: f64
{}
        ",
        chain.lines().map(|line| format!("              {line}")).collect::<Vec<_>>().join("\n")
    )
}

const CHAIN: &str = "d_g = 0.0
d_g += x[i] * y[i]
d_s = 0.0
d_s += d_g * p
d_r = d_s / q
d_s = 0.0
d_r += -d_g * p
d_s += d_r * p + d_g
d_k[0] += d_s * q";

#[test]
fn what_goes_back_through_the_same_coefficients_is_computed_once() {
    let after = reversed(CHAIN);
    assert_text(
        &after,
        "
          d_g = 0.0
          d_s = 0.0
          for l in 0..w lanes(128)
            d_g += x[b + l] * y[b + l]
          d_s += d_g * p
          d_r = d_s / q
          d_s = 0.0
          d_r += -d_g * p
          d_s += d_r * p + d_g
          d_k[0] += d_s * q
        ",
    );
}

#[test]
fn a_first_part_is_assigned_and_equal_parts_are_one_product() {
    let after = reversed(&CHAIN.replace("d_g = 0.0\nd_g += x[i] * y[i]", "d_g = x[i] * y[i]\nd_g += p + q"));
    assert_text(
        &after,
        "
          d_g = 0.0
          for l in 0..w lanes(128)
            d_g += x[b + l] * y[b + l] @ sequential
          d_g += (p + q) * w as f64
        ",
    );
}

#[test]
fn lanes_are_added_up_in_one_loop_whatever_stands_between() {
    let more = "own = x[i] * x[i]\nt = own * y[i]\nd_k[1] += t * p";
    let after = reversed(&format!("{CHAIN}\n{more}"));
    assert_text(
        &after,
        "
          t = 0.0
          for l in 0..w lanes(128)
            scope own: f64, x_value: f64, y_value: f64
              x_value = x[b + l]
              y_value = y[b + l]
              d_g += x_value * y_value
              own = x_value * x_value
              t += own * y_value @ sequential
          d_s += d_g * p
        ",
    );
    assert_eq!(after.to_string().matches("lanes(128)").count(), 1, "{after}");
}

#[test]
fn elements_of_arrays_are_totals_too() {
    let after = reversed(
        "for k in 0..4
  d_a[k] = 0.0
d_a[2] += x[i] * y[i]
for k.2 in 1..4
  d_a[k.2 - 1] += d_a[k.2] * p
  d_k[k.2] += d_a[k.2 - 1] * q",
    );
    assert_text(
        &after,
        "
          for l in 0..w lanes(128)
            d_a[2] += x[b + l] * y[b + l]
          for k.2 in 1..4 sequential
            d_a[k.2 - 1] += d_a[k.2] * p
            d_k[k.2] += d_a[k.2 - 1] * q
        ",
    );
}

/// As it must be where something about the chain forbids a total: the same values, and a number for each lane.
fn assert_in_every_lane(chain: &str) {
    let after = reversed(chain);
    let text = after.to_string();
    let mut loops = text.split("lanes(128)").skip(1);
    assert!(loops.any(|lanes| lanes.contains("d_r = d_s / q")), "{after}");
}

#[test]
fn a_coefficient_that_differs_between_lanes_forbids_it() {
    assert_in_every_lane(&CHAIN.replace("d_s += d_g * p", "d_s += d_g * x[i]"));
    assert_in_every_lane(&CHAIN.replace("d_k[0] += d_s * q", "d_k[0] += d_s * x[i]"));
}

#[test]
fn a_product_of_two_of_them_forbids_it() {
    assert_in_every_lane(&CHAIN.replace("d_s += d_g * p", "d_s += d_g * d_g"));
    assert_in_every_lane(&CHAIN.replace("d_s += d_r * p + d_g", "d_s += d_r * p + q"));
    assert_in_every_lane(&CHAIN.replace("d_k[0] += d_s * q", "d_k[0] += abs(d_s)"));
}

#[test]
fn what_each_iteration_keeps_forbids_it() {
    assert_in_every_lane(&CHAIN.replace("d_k[0] += d_s * q", "y[i] = d_s * q"));
    assert_in_every_lane(&CHAIN.replace("d_k[0] += d_s * q", "y[i] += d_s * q"));
}

#[test]
fn a_condition_that_differs_between_lanes_forbids_it() {
    assert_in_every_lane(&CHAIN.replace("d_s += d_g * p", "if x[i] > 0.5\n  d_s += d_g * p"));
    assert_in_every_lane(&CHAIN.replace("d_g += x[i] * y[i]", "if x[i] > 0.5\n  d_g += x[i] * y[i]"));
    assert_in_every_lane(&CHAIN.replace("d_k[0] += d_s * q", "if d_s > 0.5\n  d_k[0] += d_s * q"));
}

#[test]
fn conditions_that_are_the_same_in_all_lanes_do_not() {
    let after = reversed(&CHAIN.replace("d_s += d_g * p", "if flag\n  d_s += d_g * p\n  d_g += y[i]"));
    assert_text(
        &after,
        "
          if flag
            d_s += d_g * p
            for l.2 in 0..w lanes(128)
              d_g += y[b + l.2]
        ",
    );
}

#[test]
fn a_fold_for_each_combination_does_not_pay() {
    let after = reversed("d_g = x[i] * y[i]\nd_s = x[i] + y[i]\nd_k[0] += d_g * p\nd_k[1] += d_s * q");
    assert!(!after.to_string().contains("d_g = 0.0"), "{after}");
}
