//! The test that every pass has: print before and after, interpret both, same numbers and same panics.

use crate::ir::interp::{Array, FaultKind, no_paths, run};
use crate::ir::{Program, verify};

/// Arguments of one run.
pub(crate) type Args = Vec<Array<f64>>;

/// A program from its text, which may be indented and begin on a new line.
pub(crate) fn program(text: &str) -> Program {
    let text = text.trim_start_matches('\n').trim_end();
    let indent = text.len() - text.trim_start().len();
    let lines: Vec<&str> = text.lines().map(|line| line.get(indent..).unwrap_or("")).collect();
    let text = lines.join("\n") + "\n";
    match crate::ir::parse(&text) {
        Ok(program) => program,
        Err(error) => panic!("{error:?}\n{text}"),
    }
}

/// Asserts that `pass` turns `before` into `after`, and that both compute the same in every run.
pub(crate) fn assert_pass(pass: fn(Program) -> Program, before: &str, after: &str, runs: Vec<Args>) {
    let (before, after) = (program(before), program(after));
    let made = pass(before.clone());
    assert_eq!(made.to_string(), after.to_string(), "\nbefore:\n{before}\nmade:\n{made}\nexpected:\n{after}");
    assert_same(&before, &made, runs);
}

/// Asserts that `pass` leaves the program as it is.
pub(crate) fn assert_unchanged(pass: fn(Program) -> Program, text: &str) {
    let before = program(text);
    let made = pass(before.clone());
    assert_eq!(made.to_string(), before.to_string(), "\nbefore:\n{before}\nmade:\n{made}");
}

/// Asserts that two programs give the same bits, or the same kind of panic.
pub(crate) fn assert_same(before: &Program, after: &Program, runs: Vec<Args>) {
    for program in [before, after] {
        if let Err(errors) = verify::verify(program) {
            panic!("{errors:?}\n{program}");
        }
    }
    for args in runs {
        let outcome = |program| match run::<f64>(program, args.clone(), &no_paths) {
            Ok(outcome) => Ok(bits(&outcome.params).chain(bits(&outcome.results)).collect::<Vec<_>>()),
            Err(fault) => Err(fault.kind),
        };
        let (left, right) = (outcome(before), outcome(after));
        assert!(!matches!(left, Err(FaultKind::Arguments | FaultKind::Unspecified)), "{left:?}\n{before}");
        assert_eq!(left, right, "\n{args:?}\nbefore:\n{before}\nafter:\n{after}");
    }
}

fn bits(arrays: &[Array<f64>]) -> impl Iterator<Item = u64> + '_ {
    arrays.iter().flat_map(Array::reals).map(f64::to_bits)
}
