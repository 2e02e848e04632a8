//! Where values stand in their tapes: dimensions that are left out, packed, ragged or empty.

use super::tests::{program, reversed, tapes, x5};
use crate::ir::Program;
use crate::ir::interp::Array;

/// A value that stays along the second of three loops, of which the outermost and this one have these trip counts.
fn stays_along(outer: &str, left_out: &str) -> String {
    let text = program(
        "
        fn f(x: in f64[_], y: in f64[_], n: in usize, m: in usize) -> r: f64
          r = 0.0
          for t in OUTER marks(store)
            for i in LEFT_OUT marks(store)
              for j in 0..n marks(store)
                scope v: f64
                  v = exp(y[j] * x[t])
                  r += v * v * x[i]
        ",
    );
    let text = text.replace("OUTER", outer).replace("LEFT_OUT", left_out);
    let reversed_with = |m: i128| reversed(&text, &[x5(), x5(), Array::int(5), Array::int(m)]);
    reversed_with(0);
    let reversed = reversed_with(3).to_string();
    let (_, declared) =
        reversed.split_once("v_tape: tape ").unwrap_or_else(|| panic!("no tape in\n{reversed}"));
    declared.lines().next().unwrap_or_default().trim_end_matches(" # adjoint").to_owned()
}

#[test]
fn a_loop_along_which_the_value_stays_is_left_out() {
    assert_eq!(stays_along("0..n", "0..n"), "f64[n, n]");
    assert_eq!(stays_along("0..n", "0..4"), "f64[n, n]");
}

#[test]
fn an_element_that_a_loop_does_not_change_has_one_slot_for_it() {
    let text = program(
        "
        fn f(x: inout f64[_, 3], n: in usize) -> r: f64
          r = 0.0
          for t in 0..n
            for k in 0..3
              for i in 0..3
                if CONDITION
                  for j in 0..3
                    x[i, j] = x[i, j] - x[k, j] * x[k, j]
          for i.2 in 0..3
            r += x[i.2, 0]
        ",
    );
    let matrix = Array::floats(&[0.5, 0.1, -0.2, 0.3, 0.7, 0.2, -0.1, 0.4, 0.9]).shaped(&[3, 3]);
    for (condition, rank) in [("i != k", 3), ("(i < k) | (k < i)", 4), ("k != 1", 4), ("i != 1", 4)] {
        let program = reversed(&text.replace("CONDITION", condition), &[matrix.clone(), Array::int(2)]);
        assert_eq!(tapes(&program), [format!("x_tape rank {rank}")], "{condition}");
    }
}

#[test]
fn a_loop_under_a_condition_has_the_slots_of_one_that_is_left_out() {
    let pivots = |trips: &str| {
        let text = program(
            "
            fn f(x: inout f64[_, 3], n: in usize, m: in usize) -> r: f64
              for k in 0..n
                for i in 0..n
                  if i != k
                    for j in 0..TRIPS
                      x[i, j] = x[i, j] - x[k, j] * x[k, j]
                for c in 0..3
                  x[k, c] = 0.5 * x[k, c]
              r = x[0, 0] + x[1, 2]
            ",
        );
        let x = Array::floats(&[0.5, 1.5, 0.8, 2.5, -1.5, 0.75, 0.25, 1.25, -0.5]).shaped(&[3, 3]);
        let args = [x, Array::int(3), Array::int(2)];
        tapes(&reversed(&text.replace("TRIPS", trips), &args))
    };
    let grows = |found: &[String]| found.iter().any(|tape| tape.ends_with("reached"));
    let found = pivots("n");
    assert!(found.contains(&"x_tape rank 2".to_owned()) && !grows(&found), "{found:?}");
    // as long as nothing around it
    let found = pivots("m");
    assert!(grows(&found), "{found:?}");
}

#[test]
fn a_tape_is_empty_where_a_loop_that_is_left_out_is() {
    assert_eq!(stays_along("0..n", "0..m"), "f64[n * int::min(m, 1), n]");
    assert_eq!(stays_along("0..n", "2..m"), "f64[n * int::min(trip_count(2, m, 1), 1), n]");
}

#[test]
fn a_tape_grows_where_it_is_not_known_whether_a_loop_that_is_left_out_runs() {
    assert_eq!(stays_along("0..n", "0..t"), "f64[_, n] reached");
}

#[test]
fn triangular_loops_have_packed_tapes() {
    for inner in ["0..i", "0..=i", "i..n", "i + 1..n"] {
        let text = program(
            "
            fn f(x: in f64[_], n: in usize) -> r: f64
              r = 1.0
              for i in 0..n
                for j in BOUNDS
                  r = r * sin(x[j] + x[i])
            ",
        );
        let program = reversed(&text.replace("BOUNDS", inner), &[x5(), Array::int(5)]);
        assert_eq!(tapes(&program), ["r_tape rank 2 triangular"], "{inner}");
    }
}

#[test]
fn ragged_loops_record_where_they_start() {
    let text = program(
        "
        fn f(x: in f64[_], ptr: in usize[_], n: in usize) -> r: f64
          r = 1.0
          for i in 0..n
            for j in ptr[i]..ptr[i + 1]
              for k in j..5
                r = r * cos(x[k])
        ",
    );
    let program = reversed(&text, &[x5(), Array::usizes(&[0, 2, 2, 5]), Array::int(3)]);
    assert_eq!(tapes(&program), ["r_tape rank 1 reached"]);
    let starts = program.buffers.iter().filter(|buffer| buffer.name.ends_with("_start")).count();
    assert_eq!(starts, 2, "one for the rows of j, one for those of k");
}

#[test]
fn loops_that_begin_at_one_of_a_few_numbers_have_rows_of_one_length() {
    let found = |first: &str| {
        let text = program(
            "
            fn f(x: in f64[_], k: in usize, n: in usize) -> r: f64
              r = 1.0
              for c in 0..2
                for i in 0..n
                  scope from: usize
                    from = FIRST
                    for j in from..n step 2
                      r = r * cos(x[j] + x[i])
            ",
        );
        let text = text.replace("FIRST", first);
        for n in [0, 1, 2] {
            reversed(&text, &[x5(), Array::int(3), Array::int(n)]);
        }
        tapes(&reversed(&text, &[x5(), Array::int(3), Array::int(5)]))
    };
    for few in ["1 + (i + c) % 2", "(i + c) & 1", "(i + c) % 3 + (i & 3)", "2 - (i + c) % 2"] {
        assert_eq!(found(few), ["r_tape rank 3"], "{few}");
    }
    // they may begin anywhere, or in too many places
    for many in ["(i + c) % k", "1 + (i + c) % 100", "i / 2", "i * c"] {
        assert_eq!(found(many), ["r_tape rank 1 reached"], "{many}");
    }
}

#[test]
fn loops_over_any_range_have_slots() {
    let bounds = [
        ("usize", "2..n step 2"),
        ("usize", "1..=n - 2"),
        ("usize", "0..n step 3 down"),
        ("i32", "-2..3"),
        ("i32", "-2..=2 step 3 down"),
        ("u8", "1..=4"),
    ];
    for (ty, bounds) in bounds {
        let index = if ty == "i32" { "(i + 2) as usize" } else { "i as usize" };
        let index = if ty == "usize" { "i" } else { index };
        let text = program(
            "
            fn f(x: in f64[_], n: in usize) -> r: f64
              r = 1.0
              for i in BOUNDS
                r = r * sin(x[INDEX]) + r
            ",
        );
        let text = text.replace("BOUNDS", bounds).replace("INDEX", index);
        let text = if ty == "usize" { text } else { text.replace("for i in", &format!("for i: {ty} in")) };
        assert_eq!(tapes(&reversed(&text, &[x5(), Array::int(5)])), ["r_tape rank 1"], "{bounds}");
    }
}

#[test]
fn a_tape_takes_no_more_than_the_loops_that_ran() {
    // a length that a condition, or an outer loop without iterations, keeps from being used
    let bodies = [
        &["if n < 6", "  for i in 0..n", "    r = r * sin(x[i])"][..],
        &["if n < 6", "  for i in 0..n", "    for j in 0..n", "      r = r * sin(x[j])"],
        &["for k in 0..0", "  for i in 0..n", "    r = r * exp(x[i])"],
        &["for k in 0..2", "  if n < 6", "    for i in 0..n", "      r = r * sin(x[i])"],
        &["for k in 0..5", "  if n < 6", "    for i in 0..k", "      r = r * sin(x[i])"],
        &[
            "if n < 6",
            "  scope q: f64[n]",
            "    for i in 0..n",
            "      q[i] = exp(x[i])",
            "    for j in 0..n",
            "      r += q[j] * q[j]",
        ],
        &[
            "for k in 0..2",
            "  for m in 0..0",
            "    for i in 0..n",
            "      scope t: f64",
            "        t = exp(x[i])",
            "        r += t * t",
        ],
    ];
    for body in bodies {
        let text = format!("fn f(x: in f64[_], n: in usize) -> r: f64\n  r = 1.0\n  {}\n", body.join("\n  "));
        for n in [5, i128::from(u64::MAX)] {
            reversed(&text, &[x5(), Array::int(n)]);
        }
    }
}

/// The tapes of steps in a branch, with what follows the condition.
fn in_a_branch(follows: &str) -> Vec<String> {
    let text = program(
        "
        fn f(x: inout f64[_], n: in usize, m: in usize) -> s: f64
          s = 0.0
          if m == 0
            s = x[0]
          else
            for t in 0..n
              for j in 0..m
                x[j] = x[j] * x[j]
            for j.2 in 0..m
              s += x[j.2] * x[j.2]
          FOLLOWS
        ",
    );
    let text = text.replace("FOLLOWS", follows);
    let mut found = Vec::new();
    for (n, m) in [(3, 5), (2, 0), (0, 5)] {
        found = tapes(&reversed(&text, &[x5(), Array::int(n), Array::int(m)]));
    }
    found
}

#[test]
fn behind_an_early_return_the_region_goes_on() {
    // the sum is one loop with its reversal, and the steps have a length
    assert_eq!(in_a_branch("").last().map(String::as_str), Some("x_tape rank 2"));
    let followed = in_a_branch("s = s * s");
    assert!(followed.iter().any(|tape| tape == "x_tape rank 2 reached"), "{followed:?}");
}

/// Steps of `x`; in each one iteration, or all up to it, add to the result. The number of that iteration is a variable with
/// two definitions, so it is not computed again.
fn one_of(cond: &str, value: &str) -> Program {
    let text = program(
        "
        fn f(x: in f64[_], n: in usize) -> r: f64
          r = 0.0
          scope u: f64[len(x)]
            for k in 0..len(x)
              u[k] = x[k]
            for t in 0..n
              scope at: usize
                at = 0
                if u[0] > 0.2
                  at = 3
                for i in 0..len(x)
                  if COND
                    scope v: f64
                      v = VALUE
                      r += v * v
                for k.2 in 0..len(x)
                  u[k.2] = u[k.2] * 0.5
        ",
    );
    reversed(&text.replace("COND", cond).replace("VALUE", value), &[x5(), Array::int(4)])
}

#[test]
fn the_only_iteration_that_does_something_has_no_dimension() {
    let single = one_of("i == at", "exp(u[i])");
    assert_eq!(tapes(&single), ["v_tape rank 1", "u_tape rank 1"]);
    let at = single.buffers.iter().find(|buffer| buffer.name == "at_tape").expect("it is stored once a step");
    assert_eq!(at.rank(), 1);
    assert!(!single.buffers.iter().any(|buffer| buffer.name == "condition"), "{single}");
    for several in ["i <= at", "i == at / 2 + i / 2"] {
        assert_eq!(tapes(&one_of(several, "exp(u[i])")), ["v_tape rank 2", "u_tape rank 2"], "{several}");
    }
}

/// `x` stays from step to step, but each step takes another element.
#[test]
fn a_loop_that_decides_which_iteration_does_something_is_kept() {
    assert_eq!(tapes(&one_of("i == at", "exp(x[i])")), ["v_tape rank 1"]);
}
