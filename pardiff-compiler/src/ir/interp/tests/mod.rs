//! Small programs in text form, and what running them gives.

mod duals;
mod faults;
mod functions;
mod integers;
mod races;
mod statements;

use super::{Array, Fault, Number, Outcome, no_paths, run};
use crate::ir::{Program, parse, verify};

/// A program that the verifier accepts.
#[track_caller]
fn program(text: &str) -> Program {
    let program = parse(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    if let Err(violations) = verify::verify(&program) {
        panic!("{}\n{text}", violations[0]);
    }
    program
}

#[track_caller]
fn execute<N: Number>(text: &str, args: Vec<Array<N>>) -> Result<Outcome<N>, Fault> {
    run(&program(text), args, &no_paths)
}

/// The first result, of a run that ends well.
#[track_caller]
fn result(text: &str, args: Vec<Array<f64>>) -> Array<f64> {
    match execute(text, args) {
        Ok(outcome) => outcome.results[0].clone(),
        Err(fault) => panic!("{fault}\n{text}"),
    }
}
