//! Sums move up to a loop that has what they add at hand.

use super::fuse_reductions::raise_sums;
use super::lanes::tests::{Arg, assert_same, assert_text, changed};
use crate::ir::Program;

fn raised(body: &str) -> (Program, Program) {
    let text = format!(
        "
        fn f(x: in f64[_], q: in f64[_], y: inout f64[_], z: inout f64[_], n: in usize, d: in usize) -> total: f64
          total = 0.0
          for i in 0..n # adjoint
            scope s: f64, t: f64[d], u: f64[d]
              s = x[i]
              for first in 0..d
                u[first] = x[first] * 0.5
{}
              for last in 0..d # primal
                total += t[last] * s + u[last]
        ",
        body.lines().map(|line| format!("              {line}")).collect::<Vec<_>>().join("\n")
    );
    let (before, after) = changed(&text, &mut |program, stmt| {
        let Some(each) = stmt.as_for_mut() else { return };
        raise_sums(program, &mut each.body);
    });
    for (n, d) in [(0, 3), (1, 0), (5, 4)] {
        let args = |name: &str| match name {
            "n" => Arg::Size(n),
            "d" => Arg::Size(d),
            _ => Arg::Floats(n * d + 8),
        };
        assert_same(&before, &after, &args);
    }
    (before, after)
}

#[test]
fn a_sum_moves_to_the_loop_that_makes_what_it_adds() {
    let (_, after) = raised(
        "for a in 0..d
  t[a] = x[a] * s
for b in 0..d
  for c in b + 1..d
    u[b] += t[c] * q[b]
for j in 0..d
  scope v: f64
    v = t[j]
    u[j] += v * q[j + 1]
    z[j] += v * 2.0
    y[j + 1] += -u[j]",
    );
    assert_text(
        &after,
        "
        for a in 0..d
          t[a] = x[a] * s
          u[a] += t[a] * q[a + 1]
          z[a] += t[a] * 2.0
        for b in 0..d
          for c in b + 1..d
            u[b] += t[c] * q[b]
        for j in 0..d
          y[j + 1] += -u[j]
        ",
    );
}

#[test]
fn a_variable_that_is_needed_stays() {
    let (_, after) = raised(
        "for a in 0..d
  t[a] = x[a] * s
s = s + 1.0
for j in 0..d
  scope v: f64
    v = t[j]
    u[j] += v * q[j]
    y[j] = v * s",
    );
    assert_text(
        &after,
        "
        for a in 0..d
          t[a] = x[a] * s
          u[a] += t[a] * q[a]
        s = s + 1.0
        for j in 0..d
          scope v: f64
            v = t[j]
            y[j] = v * s
        ",
    );
}

#[test]
fn sums_that_would_change_stay() {
    for body in [
        // what it adds is another element's
        "for a in 0..d\n  t[a] = x[a]\nfor j in 0..d\n  u[j] += t[d - 1 - j]",
        // or written in between
        "for a in 0..d\n  t[a] = x[a]\nt[0] = 3.0\nfor j in 0..d\n  u[j] += t[j] * 2.0",
        "for a in 0..d\n  t[a] = x[a] * s\ns = s + 1.0\nfor j in 0..d\n  u[j] += t[j] * s",
        // or in its own loop
        "for a in 0..d\n  t[a] = x[a]\nfor j in 0..d\n  u[j] += t[j]\n  t[j] = 0.0",
        // the target is read in between
        "for a in 0..d\n  t[a] = x[a]\nfor b in 0..d\n  y[b] += u[0]\nfor j in 0..d\n  u[j] += t[j] * 2.0",
        // or overwritten
        "for a in 0..d\n  t[a] = x[a]\nu[0] = 1.0\nfor j in 0..d\n  u[j] += t[j] * 2.0",
        // or read in front of the sum, or by another iteration
        "for a in 0..d\n  t[a] = x[a]\nfor j in 0..d\n  y[j] += u[j]\n  u[j] += t[j] * 2.0",
        "for a in 0..d\n  t[a] = x[a]\nfor j in 0..d\n  u[j] += t[j] * 2.0\n  y[j] += u[0]",
        // the loop that makes it is shorter, or has elements in common with later iterations
        "t[0] = 1.0\nfor a in 1..d\n  t[a] = x[a]\nfor j in 0..d\n  u[j] += t[j]",
        "for a in 0..d\n  t[a] = x[a]\n  t[d - 1 - a] = x[a]\nfor j in 0..d\n  u[j] += t[j]",
        // under a condition
        "for a in 0..d\n  t[a] = x[a]\nfor j in 0..d\n  if x[j] > 0.0\n    u[j] += t[j]",
    ] {
        let (before, after) = raised(body);
        assert_eq!(before.to_string(), after.to_string(), "{body}");
    }
}

#[test]
fn sums_of_the_primal_stay() {
    let text = "
        fn f(x: in f64[_], y: inout f64[_], d: in usize)
          scope t: f64[d]
            for a in 0..d
              t[a] = x[a]
            for j in 0..d
              y[j] += t[j] * 2.0
        ";
    let program = crate::ir::parse(text).expect("a program");
    let mut body = program.body.clone();
    raise_sums(&program, &mut body);
    assert_eq!(body, program.body);
}
