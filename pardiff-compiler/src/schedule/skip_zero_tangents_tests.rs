use super::skip_zero_tangents::skip;
use crate::equivalence::{assert_pass, assert_unchanged, program};
use crate::ir::Program;
use crate::ir::interp::{Array, no_paths, run};

fn skipped(mut program: Program) -> Program {
    skip(&mut program);
    program
}

/// Four bones that move `n` points, along eight directions, with these statements in the loop over the bones.
fn skinning(stmts: &[&str]) -> String {
    let head = [
        "fn f(w: in f64[_, 4], m: in f64[4], m_dot: tangent(m) f64[4, 8], x: inout f64[len(w)], x_dot: tangent(x) f64[len(w), 8])",
        "  for i in 0..len(w) sequential",
        "    for b in 0..4",
    ];
    head.iter()
        .map(|line| (*line).to_owned())
        .chain(stmts.iter().map(|it| format!("      {it}")))
        .collect::<Vec<_>>()
        .join("\n")
}

const PLAIN: [&str; 5] = [
    "x[i] += m[b] * w[i, b]",
    "for d in 0..8 # tangent",
    "  scope t: f64",
    "    t = m_dot[b, d] * w[i, b] / 2.0 - w[i, b] * m_dot[b, d]",
    "    x_dot[i, d] += t + m_dot[b, d] * (3.0 + w[i, b])",
];

const ASKED: &str = r"
    fn f(w: in f64[_, 4], m: in f64[4], m_dot: tangent(m) f64[4, 8], x: inout f64[len(w)], x_dot: tangent(x) f64[len(w), 8])
      scope moves: bool[4]
        for b in 0..4 # tangent
          moves[b] = false
          for d in 0..8
            moves[b] = moves[b] | (m_dot[b, d] != 0.0)
        for i in 0..len(w) sequential
          for b.2 in 0..4
            x[i] += m[b.2] * w[i, b.2]
            if moves[b.2] # tangent
              for d.2 in 0..8
                scope t: f64
                  t = m_dot[b.2, d.2] * w[i, b.2] / 2.0 - w[i, b.2] * m_dot[b.2, d.2]
                  x_dot[i, d.2] += t + m_dot[b.2, d.2] * (3.0 + w[i, b.2])
";

fn args(points: usize, m_dot: &[f64]) -> Vec<Array<f64>> {
    let numbers = |many: usize, by: f64| (0..many).map(|k| by * k as f64 - 1.0).collect::<Vec<_>>();
    let matrix = |rows: usize, columns: usize, of: &[f64]| Array::floats(of).shaped(&[rows, columns]);
    vec![
        matrix(points, 4, &numbers(4 * points, 0.25)),
        Array::floats(&numbers(4, 0.5)),
        matrix(4, 8, m_dot),
        Array::floats(&numbers(points, 1.0)),
        matrix(points, 8, &numbers(8 * points, 0.125)),
    ]
}

/// One bone moves.
fn one(value: f64) -> [f64; 32] {
    std::array::from_fn(|k| if k == 17 { value } else { 0.0 })
}

#[test]
fn what_tangents_that_are_zero_contribute_in_a_loop_is_skipped() {
    let dense: [f64; 32] = std::array::from_fn(|k| 0.5 + k as f64);
    let all = [[0.0; 32], one(1.0), one(f64::NAN), dense];
    let runs = all.iter().flat_map(|m_dot| [args(0, m_dot), args(3, m_dot)]).collect();
    assert_pass(skipped, &skinning(&PLAIN), ASKED, runs);
}

#[test]
fn nothing_comes_through_an_infinite_weight() {
    let mut given = args(1, &one(1.0));
    given[0] = Array::floats(&[f64::INFINITY; 4]).shaped(&[1, 4]);
    let made = run::<f64>(&skipped(program(&skinning(&PLAIN))), given, &no_paths);
    let x_dot = made.map(|outcome| outcome.params[4].reals()).unwrap_or_default();
    let moved: Vec<bool> = x_dot.iter().map(|it| it.is_nan()).collect();
    // of the bone that moves, all directions are asked for at once
    assert_eq!(moved, [true; 8]);
    let mut given = args(1, &[0.0; 32]);
    given[0] = Array::floats(&[f64::INFINITY; 4]).shaped(&[1, 4]);
    let made = run::<f64>(&skipped(program(&skinning(&PLAIN))), given.clone(), &no_paths);
    assert_eq!(made.map(|outcome| outcome.params[4].reals()), Ok(given[4].reals()));
}

#[test]
fn what_is_not_known_before_the_loop_or_not_linear_stays() {
    let last = |last: &'static str| [PLAIN[0], PLAIN[1], PLAIN[2], PLAIN[3], last];
    for stays in [
        // a term without a tangent
        "    x_dot[i, d] += t + m_dot[b, d] + w[i, b]",
        // tangents that the loop writes
        "    m_dot[b, d] += t * 2.0 + m_dot[b, d] * w[i, b]",
        // not a sum
        "    x_dot[i, d] = t + m_dot[b, d] * w[i, b]",
        // an element that may not be there
        "    x_dot[i, d] += t + m_dot[b + 1, d] * w[i, b]",
        // a function of a tangent
        "    x_dot[i, d] += t + sin(m_dot[b, d])",
        // the quotient by a tangent
        "    x_dot[i, d] += t + w[i, b] / m_dot[b, d]",
    ] {
        assert_unchanged(skipped, &skinning(&last(stays)));
    }
    // too little work: one direction
    let few = ["x_dot[i, 3] += m_dot[b, 3] * w[i, b] # tangent"];
    assert_unchanged(skipped, &skinning(&few));
    // one question for all
    let all = ["for d in 0..8 # tangent", "  x_dot[i, d] += m_dot[3, d] * w[i, b] * 2.0 + m_dot[3, d] / 3.0"];
    assert_unchanged(skipped, &skinning(&all));
    // the target has an index that each iteration computes
    let through = [
        "scope v: usize",
        "  v = i / 2",
        "  for d in 0..8 # tangent",
        "    x_dot[v, d] += m_dot[b, d] * w[i, b] * 2.0 + m_dot[b, d] / 3.0",
    ];
    assert_unchanged(skipped, &skinning(&through));
    // what moves depends on the iteration
    let own = ["for d in 0..8 # tangent", "  x_dot[i, d] += x_dot[i, d] * w[i, b] * 2.0 + x_dot[i, d] / 3.0"];
    assert_unchanged(skipped, &skinning(&own));
}
