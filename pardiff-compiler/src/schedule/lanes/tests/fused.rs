//! Loops over the same range become one where their iterations do not meet.

use super::{Arg, Divergence, assert_same, assert_text, changed, fuse};
use crate::ir::Program;

fn fused(body: &str) -> (Program, Program) {
    let text = format!(
        "
        fn f(x: in f64[_], y: inout f64[_], z: inout f64[_], n: in usize, d: in usize) -> total: f64
          total = 0.0
          for i in 0..n
            scope s: f64, t: f64[d]
              s = x[i]
{}
              for last in 0..len(t)
                total += t[last] * s
        ",
        body.lines().map(|line| format!("              {line}")).collect::<Vec<_>>().join("\n")
    );
    let (before, after) = changed(&text, &mut |program, stmt| {
        let Some(for_) = stmt.as_for_mut() else { return };
        let lanes = Divergence::of(program, for_);
        fuse::fuse(program, &lanes, &mut for_.body);
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

fn loops(program: &Program) -> usize {
    program.to_string().matches("for ").count()
}

#[test]
fn loops_that_hand_elements_to_each_other_become_one() {
    let (before, after) = fused(
        "for a in 0..d\n  t[a] = 0.0\ns = s * 2.0\nfor b in 0..d down\n  t[b] += x[b] * 3.0\n  y[i * d + b] += t[b]",
    );
    assert_eq!(loops(&before), 4);
    assert_text(
        &after,
        "
        for a in 0..d down
          t[a] = 0.0
          t[a] += x[a] * 3.0
          y[i * d + a] += t[a]
        s = s * 2.0
        ",
    );
}

#[test]
fn loops_whose_iterations_meet_stay_apart() {
    for body in [
        // the neighbour's element
        "for a in 0..d\n  t[a] = x[a]\nfor b in 0..d\n  z[b] += t[d - 1 - b]",
        // all elements
        "for a in 0..d\n  t[a] = x[a]\nfor b in 0..d\n  for c in 0..d\n    z[b] += t[c]",
        // a sum that the second one reads
        "for a in 0..d\n  t[a] = x[a]\n  s += x[a]\nfor b in 0..d\n  z[b] += s",
        // what stands between reads what the first one writes and is read by the second one
        "for a in 0..d\n  t[a] = x[a]\nif d > 0\n  s = t[0]\nfor b in 0..d\n  z[b] += t[b] * s",
        // a nest, and no nest behind it
        "for a in 0..d\n  t[a] = 1.0\n  for c in 0..d\n    y[i * d + a] += x[c]\nfor b in 0..d\n  z[b] += x[b]",
        // another range
        "for a in 0..d\n  t[a] = x[a]\nfor b in 1..d\n  z[b] += t[b]",
    ] {
        let (before, after) = fused(body);
        assert_eq!(loops(&before), loops(&after), "{after}");
    }
}

#[test]
fn a_loop_whose_order_counts_is_not_turned_round() {
    let (before, after) = fused(
        "for a in 0..d\n  y[a + 1] = y[a] * 2.0\n  t[a] = 1.0\nfor b in 0..d down\n  z[b] = z[b + 1] + x[b]",
    );
    assert_eq!(loops(&before), loops(&after), "{after}");
}
