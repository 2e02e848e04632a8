//! Divisions by what is the same in all lanes are products.

use super::super::multiply_by_reciprocals;
use super::{Arg, SIZES, assert_same, assert_text, changed};
use crate::ir::Program;

fn multiplied(body: &str) -> (Program, Program) {
    let body: Vec<String> = body.lines().map(|line| format!("            {line}")).collect();
    let text = format!(
        "
        fn f(x: in f64[_], y: inout f64[_], e: in f64[_], u: in f64, v: in f64, c: in bool, n: in usize)
          for i in 0..n lanes(128)
{}
        ",
        body.join("\n")
    );
    changed(&text, &mut |program, stmt| {
        let mut block = vec![stmt.clone()];
        multiply_by_reciprocals(program, &mut block);
        if let Some(made) = block.pop() {
            *stmt = made;
        }
    })
}

#[test]
fn a_division_by_what_is_uniform_is_a_product() {
    let (_, after) = multiplied("y[i] = x[i] / u + 3.0 / u\nif x[i] < 1.0\n  y[i] += x[i] / (u * v) / 2.0");
    assert_text(
        &after,
        "
        scope by: f64 thread, by.2: f64 thread
          by = 1.0 / u
          by.2 = 1.0 / (u * v)
          for i in 0..n lanes(128)
            y[i] = x[i] * by + 3.0 * by
            if x[i] < 1.0
              y[i] += x[i] * by.2 * 0.5
        ",
    );
}

#[test]
fn a_divisor_has_its_value_where_it_is_divided_by() {
    let (_, after) = multiplied("if c\n  y[i] = x[i] / u\nelse\n  y[i] = x[i] / v");
    assert_text(
        &after,
        "
        if c
          by = 1.0 / u
        if !c
          by.2 = 1.0 / v
        for i in 0..n lanes(128)
          if c
            y[i] = x[i] * by
          else
            y[i] = x[i] * by.2
        ",
    );
}

#[test]
fn other_divisions_stay() {
    for body in [
        // by what varies
        "y[i] = u / x[i] + v / x[i]",
        // by what the loop computes, once
        "scope t: f64\n  t = u * x[i]\n  y[i] = x[i] / t",
        // by different values of it
        "scope t: f64\n  t = u * x[i]\n  y[i] = x[i] / t\n  t = t * u\n  y[i] += x[i] / t",
        // the second time under a condition
        "scope t: f64\n  t = u * x[i]\n  y[i] = x[i] / t\n  if x[i] > 0.0\n    y[i] += u / t",
        // by an element, which need not exist where no lane asks for it
        "if x[i] < 1.0\n  y[i] = x[i] / e[3]",
        // a comparison is one of the quotient
        "if x[i] / u < 1.0\n  y[i] = 2.0",
        // the reciprocal is not a number of all digits
        "y[i] = x[i] / 1e309",
        "y[i] = x[i] / 0.0",
    ] {
        let (before, after) = multiplied(&body.replace("1e309", "1e308"));
        assert_eq!(before.to_string(), after.to_string());
    }
}

#[test]
fn what_is_divided_by_twice_is_inverted_once() {
    let body = "scope t: f64
  t = x[i] + u
  y[i] = x[i] / t
  if x[i] > 0.0
    y[i] += v / t
  t = v / t
  if t < 0.0
    y[i] += 2.0 / t + t / t";
    let (before, after) = multiplied(body);
    assert_text(
        &after,
        "
        for i in 0..n lanes(128)
          scope t: f64, by: f64
            t = x[i] + u
            by = 1.0 / t
            y[i] = x[i] * by
            if x[i] > 0.0
              y[i] += v * by
            t = v * by
            if t < 0.0
              scope by.2: f64
                by.2 = 1.0 / t
                y[i] += 2.0 * by.2 + t * by.2
        ",
    );
    assert_same(&before, &after, &|name| match name {
        "n" => Arg::Size(40),
        "c" => Arg::Flag(false),
        "u" | "v" => Arg::Number(2.75),
        _ => Arg::Floats(40),
    });
}

#[test]
fn the_values_are_close() {
    let (before, after) = multiplied("y[i] += x[i] / u - x[i] / v\nif x[i] < 0.5\n  y[i] += -(x[i] / 3.0)");
    for n in SIZES {
        for u in [1.5, -0.1, f64::NAN] {
            let args = |name: &str| match name {
                "n" => Arg::Size(n),
                "c" => Arg::Flag(true),
                "u" => Arg::Number(u),
                "v" => Arg::Number(0.7),
                _ => Arg::Floats(n),
            };
            assert_same(&before, &after, &args);
        }
    }
}
