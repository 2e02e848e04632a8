//! Rust in, the same numbers out: each program is compiled by rustc and run, and lowered and interpreted; parameters
//! and results must have the same bits, and what panics in one must panic in the other.

mod aliases;
mod arrays;
mod branches;
mod calls;
mod checks;
mod constants;
mod floats;
mod gradient;
mod growing;
mod host;
mod idioms;
mod integers;
mod iterators;
mod kernels;
mod known_functions;
mod locals;
mod loops;
mod marks;
mod moved_elements;
mod ndarray;
mod option_values;
mod options;
mod order;
mod orderings;
mod parallel;
mod parameters;
mod references;
mod refusals;
mod robustness;
mod runtime;
mod slices;
mod steps;
mod tasks;
mod tuples;

use host::Host;
use pardiff_compiler::frontend::{Lowered, Options, lower};
use pardiff_compiler::ir::interp::{Array, FaultKind, Given, Value, run};
use pardiff_compiler::ir::{OpaqueId, Program, verify};
use pardiff_compiler::signature::Signature;

/// An accepted function: the program that is right for all calls.
struct Accepted {
    program: Program,
    signature: Signature,
}

/// Lowers a function from its text, and verifies what comes out.
fn lowered(source: &str) -> Accepted {
    let item: syn::ItemFn = syn::parse_str(source).expect("the test's source is a function");
    match lower(&Options::default(), item) {
        Ok(Lowered { cases, signature, .. }) => {
            let program = cases.into_general();
            if let Err(violations) = verify::verify(&program) {
                let list: Vec<String> = violations.iter().map(ToString::to_string).collect();
                panic!("{}\n{program}", list.join("\n"));
            }
            Accepted { program, signature }
        }
        Err(refusals) => {
            let list: Vec<String> = refusals
                .iter()
                .map(|refusal| {
                    let text = refusal.span.source_text().unwrap_or_default();
                    format!("`{text}`: {} ({})", refusal.what, refusal.why)
                })
                .collect();
            panic!("refused:\n{}\nin {source}", list.join("\n"));
        }
    }
}

/// The values of the paths that the tests use.
fn paths(program: &Program, generics: &[(&str, usize)], id: OpaqueId) -> Option<Given<f64>> {
    let text = program.opaques[id.0 as usize].text.as_str();
    if let Some((_, value)) = generics.iter().find(|(name, _)| *name == text) {
        return Some(Given::Value(Value::Int(*value as i128)));
    }
    constants::given(text)
}

/// What a native run leaves: parameters, results; `None` if it panicked.
type Native = Option<(Vec<Array<f64>>, Vec<Array<f64>>)>;

fn compare(source: &str, generics: &[(&str, usize)], before: Vec<Array<f64>>, native: Native) {
    let program = lowered(source).program;
    let outcome = run::<f64>(&program, before.clone(), &|id| paths(&program, generics, id));
    match (native, outcome) {
        (None, Err(fault)) => assert!(fault.kind.is_panic(), "{fault}\n{program}"),
        (Some((params, results)), Ok(outcome)) => {
            let names = program.params.iter().chain(&program.results).map(|&b| program[b].name.clone());
            let want = params.iter().chain(&results);
            let have = outcome.params.iter().chain(&outcome.results);
            assert_eq!(params.len() + results.len(), outcome.params.len() + outcome.results.len());
            for ((want, have), name) in want.zip(have).zip(names) {
                let same = want.data.len() == have.data.len()
                    && want
                        .reals()
                        .iter()
                        .zip(have.reals())
                        .all(|(a, b)| a.to_bits() == b.to_bits() || (a.is_nan() && b.is_nan()));
                assert!(
                    same,
                    "`{name}`: rustc {:?}, lowered {:?}\n{before:?}\n{program}",
                    want.reals(),
                    have.reals()
                );
            }
            gradient::assert_adjoint(&program, generics, &before);
        }
        (None, Ok(_)) => panic!("rustc's program panics, the lowered one does not\n{program}"),
        (Some(_), Err(fault)) => {
            assert_ne!(fault.kind, FaultKind::Arguments, "{fault}\n{program}");
            panic!("the lowered program faults: {fault}\n{before:?}\n{program}");
        }
    }
}

/// A test: a function and arguments to run it with.
macro_rules! same {
    ($(fn $name:ident $(<$(const $generic:ident: usize = $value:literal),*>)? ($($params:tt)*) $(-> $ret:ty)? $body:block
       $(with ($($arg:ident = $init:expr),* $(,)?);)+)+) => {$(
        #[test]
        #[allow(clippy::all, unused, unconditional_panic, arithmetic_overflow)]
        fn $name() {
            use crate::frontend::host::{Host, Pass, Results};
            #[rustfmt::skip]
            fn $name $(<$(const $generic: usize),*>)? ($($params)*) $(-> $ret)? $body
            let source = stringify!(fn $name $(<$(const $generic: usize),*>)? ($($params)*) $(-> $ret)? $body);
            let generics: &[(&str, usize)] = &[$($((stringify!($generic), $value)),*)?];
            $({
                $(let mut $arg = $init;)*
                let before = vec![$(Host::array(&$arg)),*];
                let run = std::panic::AssertUnwindSafe(|| $name($(Pass::pass(&mut $arg)),*));
                let result = std::panic::catch_unwind(run).ok().map(Results::arrays);
                let native = result.map(|results| (vec![$(Host::array(&$arg)),*], results));
                crate::frontend::compare(source, generics, before, native);
            })+
        }
    )+};
}
use same;

/// A test: a function, and the refusals that it gets: the text that each points at, and a part of its message.
macro_rules! refused {
    ($($name:ident: $source:literal => $([$at:literal, $what:literal])+)+) => {$(
        #[test]
        fn $name() {
            crate::frontend::assert_refused($source, &[$(($at, $what)),+]);
        }
    )+};
}
use refused;

fn assert_refused(source: &str, expected: &[(&str, &str)]) {
    let item: syn::ItemFn = syn::parse_str(source).expect("the test's source is a function");
    let refusals = match lower(&Options::default(), item) {
        Ok(lowered) => panic!("accepted\n{}", lowered.cases.general()),
        Err(refusals) => refusals,
    };
    let have: Vec<(String, String)> = refusals
        .iter()
        .map(|refusal| (refusal.span.source_text().unwrap_or_default(), refusal.what.clone()))
        .collect();
    assert_eq!(have.len(), expected.len(), "{have:#?}");
    for ((at, what), (want_at, want_what)) in have.iter().zip(expected) {
        assert_eq!(at, want_at, "{what}");
        assert!(what.contains(want_what), "{what:?} does not contain {want_what:?}");
    }
    for refusal in &refusals {
        assert!(!refusal.why.is_empty() && !refusal.help.is_empty(), "{refusal:?}");
    }
}
