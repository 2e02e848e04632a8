//! Runs of scheduled programs: in order, and in race mode with several orders, which must give the same bits.

use pardiff_compiler::ir::interp::{self, Array, Fault, FaultKind, Given, Number, Outcome, Value};
use pardiff_compiler::ir::{Exec, OpaqueId, Program, StmtKind};

/// Runs a program as [`interp::run`] does; if loops of it are parallel, in race mode as well, and what that finds is
/// the outcome.
pub fn run<N: Number>(
    program: &Program,
    args: Vec<Array<N>>,
    paths: &dyn Fn(OpaqueId) -> Option<Given<N>>,
) -> Result<Outcome<N>, Fault> {
    if !is_scheduled(program) {
        return interp::run(program, args, paths);
    }
    let in_order = interp::run(program, args.clone(), paths);
    for seed in 1..=3 {
        match (&in_order, interp::run_racing(program, args.clone(), paths, seed)) {
            (Ok(expected), Ok(found)) => {
                let same = bits(&expected.params) == bits(&found.params)
                    && bits(&expected.results) == bits(&found.results);
                let message = "the outcome depends on the order of the tasks".to_owned();
                if !same {
                    return Err(Fault { kind: FaultKind::Race, message, origin: None });
                }
            }
            (Err(expected), Err(found)) if expected.kind.is_panic() && found.kind.is_panic() => {}
            (Err(_), Ok(_)) => {}
            (_, Err(found)) => return Err(found),
        }
    }
    in_order
}

/// Whether a loop of the program is executed in parallel or by lanes.
fn is_scheduled(program: &Program) -> bool {
    let mut found = false;
    for stmt in &program.body {
        stmt.walk(&mut |stmt| {
            let exec = match &stmt.kind {
                StmtKind::For(it) => it.exec,
                _ => Exec::Sequential,
            };
            found |= matches!(exec, Exec::Parallel(_) | Exec::Lanes { .. });
        });
    }
    found
}

fn bits<N: Number>(arrays: &[Array<N>]) -> Vec<String> {
    let value = |value: &Option<Value<N>>| match value {
        Some(Value::Float(x)) => x.real().map_or_else(|| format!("{x:?}"), |x| x.to_bits().to_string()),
        other => format!("{other:?}"),
    };
    arrays.iter().flat_map(|array| array.data.iter().map(value)).collect()
}

#[test]
fn a_race_is_the_outcome_of_a_run() {
    let outcome = |text: &str| {
        let program = pardiff_compiler::ir::parse(text).unwrap_or_else(|error| panic!("{error}"));
        run::<f64>(&program, vec![Array::floats(&[1.0, 2.0, 3.0])], &interp::no_paths)
    };
    let apart = outcome("fn f(x: inout f64[_])\n  for i in 0..3 parallel(task)\n    x[i] += 1.0");
    assert_eq!(apart.map(|it| it.params[0].reals()), Ok(vec![2.0, 3.0, 4.0]));
    let together = outcome("fn f(x: inout f64[_])\n  for i in 0..3 parallel(task)\n    x[0] += 1.0");
    assert_eq!(together.map_err(|it| it.kind), Err(FaultKind::Race));
}
