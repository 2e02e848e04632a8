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
