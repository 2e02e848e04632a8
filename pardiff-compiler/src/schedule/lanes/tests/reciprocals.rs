//! Divisions by what is the same in all lanes are products.

use super::super::multiply_by_reciprocals;
use super::{Arg, SIZES, assert_same, assert_text, changed};
use crate::ir::Program;

/// Like [`assert_text`], where `{size of u}` is the power of two that the divisor `u` is multiplied by.
fn assert_scaled(program: &Program, expected: &str) {
    let mut text = String::new();
    for (at, part) in expected.split("{size of ").enumerate() {
        match part.split_once('}').filter(|_| at > 0) {
            Some((divisor, rest)) => {
                let size = format!("abs({divisor})");
                text += &format!(
                    "select({size} < 2.2250738585072014e-308, 1.8446744073709552e19, \
                     select({size} > 4.49423283715579e307, 5.421010862427522e-20, 1.0)){rest}"
                );
            }
            None => text += part,
        }
    }
    assert_text(program, &text);
}

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
    multiplied_in(&text)
}

fn multiplied_in(text: &str) -> (Program, Program) {
    changed(text, &mut |program, stmt| {
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
    assert_scaled(
        &after,
        "
        scope scale: f64 thread, by: f64 thread, scale.2: f64 thread, by.2: f64 thread
          scale = {size of u}
          by = 1.0 / (u * scale)
          scale.2 = {size of u * v}
          by.2 = 1.0 / (u * v * scale.2)
          for i in 0..n lanes(128)
            y[i] = x[i] * scale * by + 3.0 * scale * by
            if x[i] < 1.0
              y[i] += x[i] * scale.2 * by.2 * 0.5
        ",
    );
}

#[test]
fn a_divisor_has_its_value_where_it_is_divided_by() {
    let (_, after) = multiplied("if c\n  y[i] = x[i] / u\nelse\n  y[i] = x[i] / v");
    assert_scaled(
        &after,
        "
        if c
          scale = {size of u}
          by = 1.0 / (u * scale)
        if !c
          scale.2 = {size of v}
          by.2 = 1.0 / (v * scale.2)
        for i in 0..n lanes(128)
          if c
            y[i] = x[i] * scale * by
          else
            y[i] = x[i] * scale.2 * by.2
        ",
    );
    // an inner condition may be one that has a value only where the outer one holds
    let (_, after) = multiplied("if c\n  if u > 0.0\n    y[i] = x[i] / u");
    assert_scaled(
        &after,
        "
        if c
          if u > 0.0
            scale = {size of u}
            by = 1.0 / (u * scale)
        for i in 0..n lanes(128)
        ",
    );
}

#[test]
fn a_tape_that_is_filled_sometimes_is_not_read_outside_of_the_condition() {
    let with = |body: &str| {
        let text = format!(
            "
            fn f(x: in f64[_], y: inout f64[_], u: in f64, n: in usize)
              scope t: tape f64
                if u > 0.0
                  t = u
                for i in 0..n lanes(128)
                  {body}
            "
        );
        multiplied_in(&text).1.to_string()
    };
    let sometimes = with("if x[i] > u\n                    y[i] += x[i] / t");
    assert!(sometimes.contains("y[i] += x[i] / t"), "{sometimes}");
    let always = with("y[i] += x[i] / t");
    assert!(always.contains("y[i] += x[i] * by"), "{always}");
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
  if e[i] < 0.0
    y[i] += 2.0 / t + t / t";
    let (before, after) = multiplied(body);
    assert_scaled(
        &after,
        "
        for i in 0..n lanes(128)
          scope t: f64, scale: f64, by: f64
            t = x[i] + u
            scale = {size of t}
            by = 1.0 / (t * scale)
            y[i] = x[i] * scale * by
            if x[i] > 0.0
              y[i] += v * scale * by
            t = v * scale * by
            if e[i] < 0.0
              scope by.2: f64, unusual: bool
                by.2 = 1.0 / t
                unusual = !((abs(t) >= 2.2250738585072014e-308) & (abs(t) <= 4.49423283715579e307))
                scope quotient: f64, quotient.2: f64
                  quotient = t * by.2
                  if unusual
                    quotient = t / t
                  quotient.2 = 2.0 * by.2
                  if unusual
                    quotient.2 = 2.0 / t
                  y[i] += quotient.2 + quotient
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

#[test]
fn divisors_without_a_normal_reciprocal_are_exact() {
    for body in [
        // twice by what the loop computes, and by what is uniform
        "scope t: f64\n  t = e[i] * u\n  y[i] = (x[i] + 3.0) * v / t + x[i] * v / t + x[i] * v / u",
        // under a condition, a quotient of a quotient among them
        "scope t: f64\n  t = e[i] * u\n  if x[i] > 0.1\n    y[i] = (x[i] + 3.0) * v / t + 1.0 / t\n    y[i] += x[i] * v / t / t",
    ] {
        let (before, after) = multiplied(body);
        assert_ne!(before.to_string(), after.to_string());
        // the products of a subnormal or a huge divisor are ordinary numbers
        for (u, v) in [(1e-310, 1e-300), (-3e-320, 1e-310), (1e308, 1e307), (0.0, 1.0), (f64::INFINITY, 1.0)]
        {
            let args = |name: &str| match name {
                "n" => Arg::Size(40),
                "c" => Arg::Flag(true),
                "u" => Arg::Number(u),
                "v" => Arg::Number(v),
                _ => Arg::Floats(40),
            };
            assert_same(&before, &after, &args);
        }
    }
}

#[test]
fn the_reciprocal_of_a_root_needs_no_scale() {
    let roots = "scope r: f64, s: f64
  r = sqrt(x[i])
  s = r
  y[i] = x[i] / s + e[i] / s";
    let (before, after) = multiplied(roots);
    assert_text(
        &after,
        "
        for i in 0..n lanes(128)
          scope r: f64, s: f64, by: f64
            r = sqrt(x[i])
            s = r
            by = 1.0 / s
            y[i] = x[i] * by + e[i] * by
        ",
    );
    let args = |name: &str| match name {
        "n" => Arg::Size(40),
        "c" => Arg::Flag(true),
        "u" | "v" => Arg::Number(0.5),
        _ => Arg::Floats(40),
    };
    assert_same(&before, &after, &args);
    // one that is something else as well
    for other in ["r = x[i]", "r = sqrt(x[i]) * 2.0", "r = u", "r += 1.0"] {
        let (_, after) = multiplied(&roots.replace("  s = r", &format!("  if c\n    {other}\n  s = r")));
        assert!(after.to_string().contains("scale = select(abs(s)"), "{after}");
    }
}

#[test]
fn what_decides_something_is_divided() {
    for body in [
        "scope q: f64\n  q = x[i] / u\n  if q > 1.0\n    y[i] = q",
        "scope q: f64, r: f64, k: usize\n  q = x[i] / u\n  r = q * v + 1.0\n  k = r as usize\n  if k < 1\n    y[i] = v",
        "scope q: f64, p: bool\n  q = x[i] / u + v / u\n  p = q < v\n  if p\n    y[i] = v",
        "y[i] = select(x[i] / u < v, x[i], v)",
        "y[i] max= x[i] / u",
        "scope q: f64[3]\n  q[1] = x[i] / u\n  if q[1] > 1.0\n    y[i] = v",
        "scope q: f64\n  q = x[i] / u # replay\n  if q > 0.0 # adjoint\n    y[i] += v",
        "scope q: f64\n  q = x[i] / u\n  if q > 1.0 # adjoint\n    y[i] += v",
        "scope q: f64\n  q = x[i] / u\n  if q > 0.0\n    y[i] += v",
    ] {
        let (_, after) = multiplied(body);
        let after = after.to_string();
        assert!(after.contains("x[i] / u") && !after.contains("by"), "{after}");
    }
    // what is computed beside it is not
    let (_, after) = multiplied("scope q: f64\n  q = x[i] / u\n  if q > 1.0\n    y[i] = v / u");
    let after = after.to_string();
    assert!(after.contains("q = x[i] / u") && after.contains("y[i] = v * scale * by"), "{after}");
}

/// A comparison in the reverse sweep alone of what the primal computed: on which side of a kink it is.
#[test]
fn the_side_of_a_kink_decides_nothing() {
    for body in [
        "scope q: f64\n  q = x[i] / u\n  if q > 0.0 # adjoint\n    y[i] += v",
        "scope q: f64, q_tape: tape f64\n  q = x[i] / u\n  q_tape = q # adjoint\n  if q_tape < 0.0 # adjoint\n    y[i] += v",
        "scope q: f64[4]\n  q[1] = x[i] / u\n  if (q[1] < 0.0) & (v > 1.0) # adjoint\n    y[i] += v",
    ] {
        let (_, after) = multiplied(body);
        let after = after.to_string();
        assert!(after.contains("= x[i] * scale * by"), "{after}");
    }
    // nor do an adjoint and a sum of which no zeros are added
    for body in [
        "scope d_q: adjoint(x) f64\n  d_q = x[i] / u # adjoint\n  if d_q != 0.0 # adjoint\n    y[i] += d_q",
        "scope sum: f64\n  sum += x[i] / u @ factor_out\n  if sum != 0.0\n    y[i] += sum * v",
    ] {
        let (_, after) = multiplied(body);
        assert!(after.to_string().contains("= x[i] * scale * by"), "{after}");
    }
}
