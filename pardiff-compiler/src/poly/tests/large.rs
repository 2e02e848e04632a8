//! A mixture model: what must be known of a kernel of ordinary size, and that it is known at once.

use crate::ir::{IterId, Program, parse};
use crate::poly::{AccessKind, Analysis, Answer, Reason};
use std::time::{Duration, Instant};

fn mixture() -> Program {
    parse(include_str!("mixture.ir")).expect("a program")
}

fn iter(program: &Program, name: &str) -> IterId {
    IterId(program.iters.iter().position(|iter| iter.name == name).expect("an iterator") as u32)
}

/// The answers about all loads of floats: buffer, and whether it is in place.
fn in_place(analysis: &Analysis<'_>) -> Vec<(String, bool)> {
    let reads = analysis.accesses().iter().filter(|access| access.kind == AccessKind::Read);
    let floats = reads.filter(|access| analysis.program[access.buffer].elem.is_float());
    let named = |access: &crate::poly::Access<'_>| {
        let name = analysis.program[access.buffer].name.clone();
        (name, analysis.overwritten_after(access.id).answer == Answer::No)
    };
    floats.map(named).collect()
}

#[test]
fn a_mixture_model_stores_what_points_overwrite() {
    let program = mixture();
    let analysis = Analysis::new(&program);
    for (name, known) in in_place(&analysis) {
        let expected = match name.as_str() {
            "x" | "means" | "icf" | "alphas" | "m" => true,
            // written once, before all points
            "qs" | "sums" => true,
            // written again for the next component or point
            "xc" | "qxc" | "main_term" => false,
            // locals that are final when they are read
            _ => true,
        };
        assert_eq!(known, expected, "{name}");
    }
    let qs = program.buffer_ids().find(|&id| program[id].name == "qs").expect("qs");
    let strides = analysis.strides(qs).expect("rows and columns");
    assert!(strides.requires.is_empty());
    let points = analysis.carried_by(iter(&program, "i"));
    let shared: Vec<&str> = points
        .iter()
        .filter(|carried| !carried.is_reduction_only())
        .map(|carried| program[carried.buffer].name.as_str())
        .collect();
    assert_eq!(shared, ["main_term", "xc", "qxc"]);
    let x = program.buffer_ids().find(|&id| program[id].name == "x").expect("x");
    assert_eq!(analysis.overwritten_after(analysis.of(x)[0]).reason, Reason::NeverWritten);
}

#[test]
fn what_is_known_of_checks_alone_is_all_that_is_known_of_them() {
    let sources = [
        include_str!("../../../../workloads/gmm.rs"),
        include_str!("../../../../workloads/attn.rs"),
        include_str!("../../../../workloads/gat.rs"),
        include_str!("../../../../workloads/soft_dtw.rs"),
        include_str!("../../../../workloads/lattice_boltzmann.rs"),
    ];
    let mut known = 0;
    for source in sources {
        let program = scheduled(source);
        let alone = Analysis::exact_checks(&program);
        assert_eq!(alone, Analysis::new(&program).checks_that_fit(), "{program}");
        known += alone.len();
    }
    assert!(known > 50, "{known}");
}

/// The gradient of the annotated function, scheduled.
fn scheduled(source: &str) -> Program {
    use crate::{
        adjoint, frontend,
        normalise::normalise,
        schedule,
        simplify::{simplify, simplify_reversed},
    };
    let file = syn::parse_file(source).expect("a file");
    let function = file.items.into_iter().find_map(|item| match item {
        syn::Item::Fn(mut function) => {
            let is_ours = |attr: &syn::Attribute| attr.path().is_ident("differentiate");
            let at = function.attrs.iter().position(is_ours)?;
            function.attrs.remove(at);
            Some(function)
        }
        _ => None,
    });
    let lowered = frontend::lower(&frontend::Options::default(), function.expect("a function"));
    let Ok(frontend::Lowered { cases, signature, .. }) = lowered else { panic!("refused") };
    let active = signature.params.iter().filter(|param| param.active);
    let active: Vec<_> = active.flat_map(|param| &param.leaves).map(|leaf| leaf.buffer).collect();
    let reversed = adjoint::reverse(&simplify(normalise(cases.into_general())), &active).expect("a gradient");
    schedule::schedule(simplify_reversed(reversed), &schedule::Options::default()).program
}

#[test]
fn the_analysis_takes_no_noticeable_time() {
    let program = mixture();
    let all = || {
        let start = Instant::now();
        let analysis = Analysis::new(&program);
        let built = start.elapsed();
        in_place(&analysis);
        for at in 0..program.iters.len() {
            analysis.carried_by(IterId(at as u32));
        }
        (start.elapsed(), built)
    };
    let best = (0..10).map(|_| all()).min().expect("ten runs");
    println!("{best:?}");
    // about a fiftieth of that when nothing else runs
    assert!(best.0 < Duration::from_secs(1), "{best:?}");
}
