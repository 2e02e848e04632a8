//! Loops of a constant number of iterations that fill vectors, as those over a batch are.

use super::{Arg, assert_same, inner};
use crate::equivalence::program;
use crate::ir::{Exec, For, Program, StmtKind};

/// How many lane loops the body has, once it computes the same with them. The loop over `w` counts as proven parallel.
fn in_lanes(strict: bool, body: &str) -> usize {
    let text = format!(
        "
        fn f(x: in f64[_, 8], y: inout f64[_, 8], z: inout f64[_, 8], n: in usize) -> total: f64
          total = 0.0
{}
        ",
        body.lines().map(|line| format!("          {line}")).collect::<Vec<_>>().join("\n")
    );
    let before = program(&text);
    let mut after = before.clone();
    let mut block = std::mem::take(&mut after.body);
    inner::mark_in_order(&before, strict, &mut block, &|iter| before[iter].name == "w");
    after.body = block;
    for n in [4, 9] {
        let args = |name: &str| match name {
            "n" => Arg::Size(n),
            _ => Arg::Records(n, 8),
        };
        assert_same(&before, &after, &args);
    }
    count(&after)
}

fn count(program: &Program) -> usize {
    let mut lanes = 0;
    let is_lanes = |kind: &StmtKind| matches!(kind, StmtKind::For(For { exec: Exec::Lanes { .. }, .. }));
    program.body.iter().for_each(|stmt| stmt.walk(&mut |stmt| lanes += usize::from(is_lanes(&stmt.kind))));
    lanes
}

#[test]
fn a_loop_that_fills_vectors_runs_in_lanes_wherever_it_stands() {
    for body in [
        "for w in 0..8\n  y[0, w] += x[1, w] * z[2, w]",
        // a row of each array belongs to an iteration: several places of it, in order
        "for w in 0..8\n  y[0, w] = x[1, w] * z[2, w]\n  y[1, w] = y[0, w] + y[2, w]\n  y[0, w] += x[0, w]",
        "for i in 1..n\n  for w in 0..8\n    y[i, w] += y[i - 1, w] * x[i, w]",
    ] {
        assert_eq!(in_lanes(false, body), 1, "{body}");
        assert_eq!(in_lanes(true, body), 1, "{body}");
    }
}

#[test]
fn a_loop_that_does_not_fill_them_or_whose_iterations_meet_stays() {
    for body in [
        // seven of eight
        "for w in 0..7\n  y[0, w] += x[1, w] * z[2, w]",
        // an iteration reads what the one before wrote
        "for w in 1..9\n  y[0, w - 1] = y[0, (w + 7) % 8] + x[0, w - 1]",
        // the row is the same in all iterations
        "for w in 0..8\n  y[0, 0] = y[0, 0] * 0.5 + x[0, w]\n  y[1, w] = y[0, 0]",
    ] {
        assert_eq!(in_lanes(false, body), 0, "{body}");
    }
}
