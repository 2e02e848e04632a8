//! What does nothing unless a condition holds is skipped where none does.

use super::super::cut_off;
use super::{assert_text, changed};
use crate::equivalence;
use crate::ir::Program;
use crate::ir::interp::{Array, no_paths, run};

/// The loop over `i`, in lanes, before and after.
fn cut(head: &str, body: &str) -> (Program, Program) {
    let body = body.lines().filter(|line| !line.trim().is_empty());
    let margin = body.clone().map(|line| line.len() - line.trim_start().len()).min().unwrap_or(0);
    let body: Vec<String> = body.map(|line| format!("            {}", &line[margin..])).collect();
    let text = format!(
        "\n        fn f({head}, n: in usize)\n          for i in 0..n lanes(128)\n{}\n",
        body.join("\n")
    );
    changed(&text, &mut |program, stmt| {
        let mut block = vec![stmt.clone()];
        cut_off(program, &mut block);
        if let Some(made) = block.pop() {
            *stmt = made;
        }
    })
}

/// With this `u` there is no element `e[k]`.
const OUTSIDE: f64 = 77.0;

/// Asserts that two programs give the same bits for `x`, `c` and `u`; nothing is added to a negative zero.
fn assert_same_bits(before: &Program, after: &Program, x: &[f64], c: f64, u: f64) {
    let args = |program: &Program| {
        let arrays = program.params.iter().map(|&id| match program[id].name.as_str() {
            "n" => Array::int(x.len() as i128),
            "x" => Array::floats(x),
            "c" => Array::float(c),
            "u" => Array::float(u),
            "k" => Array::int(if u == OUTSIDE { 7 } else { 1 }),
            "e" => Array::floats(&[0.5, u, 2.0]),
            _ => Array::floats(&vec![0.25; x.len()]),
        });
        arrays.collect::<Vec<Array<f64>>>()
    };
    let of = |program: &Program| {
        let outcome = run::<f64>(program, args(program), &no_paths);
        outcome
            .map_err(|fault| fault.kind)
            .map(|outcome| outcome.params.iter().flat_map(Array::reals).map(f64::to_bits).collect::<Vec<_>>())
    };
    assert_eq!(of(before), of(after), "{x:?} {c} {u}\n{before}\n{after}");
}

const HEAD: &str = "x: in f64[_], y: inout f64[_], c: in f64, u: in f64, e: in f64[_], k: in usize";

/// Pairs beyond two cut-offs.
const PAIRS: &str = "
    scope r: f64, gap: f64, near: bool, t: f64
      r = sqrt(x[i])
      gap = r - c
      near = gap < 0.0
      t = 0.0
      if near
        t += 1.0 - r / c
      if gap < u
        t += gap / u
      y[i] += 0.5 * t
    ";

#[test]
fn a_root_that_is_compared_is_computed_only_where_the_square_is_small() {
    let (before, after) = cut(HEAD, PAIRS);
    assert_text(
        &after,
        "
        for i in 0..n lanes(128)
          scope square: f64
            square = x[i]
            if square <= bound
              scope r: f64, gap: f64, near: bool, t: f64
                r = sqrt(square)
                gap = r - c
                near = gap < 0.0
                t = 0.0
                if near
                  t += 1.0 - r / c
                if gap < u
                  t += gap / u
                y[i] += 0.5 * t
        ",
    );
    for n in super::SIZES {
        let x: Vec<f64> = (0..n).map(|i| i as f64 * 0.25).collect();
        assert_same_bits(&before, &after, &x, 2.0, 1.5);
    }
}

#[test]
fn no_lane_is_skipped_whose_condition_holds() {
    let strict = cut(HEAD, PAIRS);
    // comparisons that hold for equal values, and negations, which hold for NaN
    let weak = cut(HEAD, &PAIRS.replace("gap < u", "u >= gap").replace("gap < 0.0", "gap <= 0.0"));
    let negated =
        cut(HEAD, &PAIRS.replace("gap < u", "!(gap > u)").replace("near = gap < 0.0", "near = c + r <= u"));
    let others = cut(
        HEAD,
        &PAIRS
            .replace("if gap < u", "if gap >= u\n      else")
            .replace("near = gap < 0.0", "near = (r < c) | (r + c < u)"),
    );
    for (before, after) in [&strict, &weak, &negated, &others] {
        assert!(after.to_string().contains("square"), "{after}");
        let numbers =
            [0.0, -0.0, 1.0, -1.0, 0.1, 3.7, 1e-8, -1e-8, 1e-160, 5e-324, -5e-324, 1e-308, 1e150, 1e308];
        for c in numbers.into_iter().chain([f64::INFINITY, f64::NAN]) {
            for u in numbers.into_iter().chain([f64::NEG_INFINITY, f64::NAN, 0.3, 7.9]) {
                let mut x =
                    vec![0.0, -0.0, -1.0, f64::NAN, f64::INFINITY, 5e-324, f64::MIN_POSITIVE, f64::MAX];
                for limit in [c, c + u, u, u - c] {
                    let square = limit * limit;
                    let (mut below, mut above) = (square, square);
                    for _ in 0..12 {
                        x.extend([below, above]);
                        (below, above) = (below.next_down(), above.next_up());
                    }
                }
                assert_same_bits(before, after, &x, c, u);
            }
        }
    }
}

#[test]
fn the_bound_of_singles_is_rounded_for_singles() {
    let head = "x: in f32[_], y: inout f32[_], c: in f32, u: in f32";
    let (before, after) = cut(head, &PAIRS.replace("f64", "f32"));
    assert!(after.to_string().contains("square <= bound"), "{after}");
    for (c, u) in [(0.1f32, 0.7f32), (3.3, -1.1), (1e-20, 1e-21), (1e10, 3.0)] {
        let (mut below, mut above) = ((c + u) * (c + u), (c + u) * (c + u));
        let mut x = Vec::new();
        for _ in 0..20 {
            x.extend([f64::from(below), f64::from(above)]);
            (below, above) = (below.next_down(), above.next_up());
        }
        assert_same_bits(&before, &after, &x, f64::from(c), f64::from(u));
    }
}

#[test]
fn what_is_uniform_is_computed_in_front_of_the_loop() {
    let body = "
    scope r: f64, t: f64
      r = sqrt(x[i] * x[i])
      t = 0.0
      if r < c
        t += r / c
      if k < 5
        scope far: f64
          check k < len(e) index \"e\" \"e[k]\"
          far = e[k]
          if r < far
            t += 1.0 - r / far
      y[i] += 0.5 * t
    ";
    let (before, after) = cut(HEAD, body);
    assert_text(
        &after,
        "
        if 0 < n
          if k < 5
            check k < len(e) index \"e\" \"e[k]\"
            far = e[k]
          reach = -1.0
        ",
    );
    assert!(after.to_string().contains("if square <= bound"), "{after}");
    for x in [vec![], vec![0.5; 9], vec![0.0, 0.3, 1.0, 7.0, -0.2, f64::NAN]] {
        assert_same_bits(&before, &after, &x, 0.25, 0.75);
    }
}

#[test]
fn what_is_uniform_and_read_twice_is_one_local() {
    let body = "
    scope r: f64, t: f64
      r = sqrt(x[i])
      t = 0.0
      if c > 0.0
        scope first: f64
          check k < len(e) index \"e\" \"e[k]\"
          first = e[k]
          if r < first
            t += first
      if c > 0.0
        scope second: f64
          second = e[k]
          if r < second
            t += r * second
      y[i] += 0.5 * t
    ";
    let (before, after) = cut(HEAD, body);
    let text = after.to_string();
    assert_eq!(text.matches("= e[k]").count(), 1, "{text}");
    assert_eq!(text.matches("limit = ").count(), 1, "{text}");
    assert!(!text.contains("second"), "{text}");
    // under another condition it may not have been read before
    let (other, apart) =
        cut(HEAD, &body.replace("if c > 0.0\n        scope first", "if c > 1.0\n        scope first"));
    assert_eq!(apart.to_string().matches("= e[k]").count(), 2, "{apart}");
    for (before, after) in [(&before, &after), (&other, &apart)] {
        for c in [-1.0, 0.5, 2.0] {
            assert_same_bits(before, after, &[0.0, 0.1, 1.0, 4.0, 9.0, f64::NAN], c, 1.5);
        }
    }
}

#[test]
fn what_skipped_statements_load_alike_is_loaded_in_front_if_it_exists() {
    let body = "
    scope r: f64, t: f64
      r = sqrt(x[i] * x[i])
      t = 0.0
      if r < c
        check k < len(e) index \"e\" \"e[k]\"
        t += e[k] / (1.0 + r)
      y[i] += 0.5 * t
    ";
    let (before, after) = cut(HEAD, body);
    assert_text(&after, "e_here = 0.0\nif k < len(e)\n  e_here = e[k]");
    assert_text(&after, "check k < len(e) index \"e\" \"e[k]\"\nt += e_here / (1.0 + r)");
    for u in [0.5, OUTSIDE] {
        assert_same_bits(&before, &after, &[3.0, 2.0], 0.25, u);
        assert_same_bits(&before, &after, &[3.0, 0.1], 0.25, u);
    }
    // an element that the loop writes, and one at an index that differs between lanes
    for (from, to) in [("e[k]", "y[k]"), ("e[k]", "e[i]")] {
        let (before, after) =
            cut(HEAD, &body.replace(from, to).replace("len(e)", &format!("len({})", &to[..1])));
        assert!(!after.to_string().contains("_here"), "{after}");
        assert_same_bits(&before, &after, &[3.0, 0.1], 0.25, 0.5);
    }
}

#[test]
fn several_conditions_without_a_root_are_asked_at_once() {
    let body = "
    scope a: f64, s: f64, d_s: adjoint(s) f64
      a = x[i] * x[i]
      d_s = 0.0
      if a < c
        d_s += a / c # adjoint
      if a > u
        d_s += a / u # adjoint
      if d_s != 0.0 # adjoint
        y[i] += d_s * x[i]
      s = d_s * exp(x[i]) # adjoint
      y[i] += s # adjoint
    ";
    let (before, after) = cut(HEAD, body);
    assert_text(
        &after,
        "a = x[i] * x[i]\nif (a < c) | (a > u)\n  scope s: f64, d_s: adjoint(s) f64\n    d_s = 0.0",
    );
    assert_same_bits(&before, &after, &[0.5, 1.0, 2.0, -1.0, 0.0], 0.5, 2.0);
}

#[test]
fn what_an_iteration_does_anyway_is_not_skipped() {
    for (from, to) in [
        // zero is scaled by what may be infinite
        ("0.5 * t", "c * t"),
        // the result is there without the conditions
        ("y[i] += 0.5 * t", "y[i] = 0.5 * t"),
        ("y[i] += 0.5 * t", "y[i] += 0.5 * t + gap"),
        ("t = 0.0", "t = 1.0"),
        // a check that is not the same in all lanes
        ("near = gap < 0.0", "near = gap < 0.0\n      check i < k \"i\""),
        // it may overflow
        ("near = gap < 0.0", "near = (gap < 0.0) | (k - 1 > i)"),
        // it holds where the root is large
        ("if gap < u", "if gap > u"),
        // the limits differ between lanes
        ("if gap < u", "if gap < y[i]"),
        // the square changes before the root is compared
        ("near = gap < 0.0", "near = gap < 0.0\n      gap = x[i] / c"),
    ] {
        let body = PAIRS.replace(from, to);
        assert_ne!(body, PAIRS);
        let (before, after) = cut(HEAD, &body);
        assert!(!after.to_string().contains("square"), "{after}");
        assert_same_bits(&before, &after, &[0.25, 0.0], 2.0, 1.0);
    }
    // cheap
    let (before, after) = cut(HEAD, "if x[i] < c\n  y[i] += 0.5");
    assert_eq!(before.to_string(), after.to_string());
    // read behind what would be skipped
    let read = PAIRS.replace("y[i] += 0.5 * t", "y[i] += 0.5 * t\n      y[i] = r");
    let (before, after) = cut(HEAD, &read);
    assert_eq!(before.to_string(), after.to_string());
}

#[test]
fn loops_that_are_not_over_lanes_stay() {
    let text = "
        fn f(x: in f64[_], y: inout f64[_], c: in f64, u: in f64)
          for i in 0..len(x)
            scope r: f64
              r = sqrt(x[i])
              if r < c
                y[i] += 1.0 - r / c
        ";
    let program = equivalence::program(text);
    let mut body = program.body.clone();
    cut_off(&mut program.clone(), &mut body);
    assert_eq!(body, program.body);
}

#[test]
fn what_has_no_value_where_an_outer_condition_fails_is_not_read() {
    for test in ["r < u", "exp(y[i]) < u"] {
        let body = format!(
            "
    scope r: f64, t: f64
      r = sqrt(x[i] * x[i])
      t = 0.0
      if r < c
        t += r / c
      if c > 0.5
        scope kind: f64
          kind = ln(c)
          if kind < 0.0
            if {test}
              t += exp(r) / u + sin(r)
      y[i] += 0.5 * t
    "
        );
        let (before, after) = cut(HEAD, &body);
        assert!(!after.to_string().contains(" & "), "{after}");
        for c in [-1.0, 0.25, 0.75, 2.0] {
            assert_same_bits(&before, &after, &[0.0, 0.1, 1.0, 4.0, 9.0, f64::NAN], c, 1.5);
        }
    }
}
