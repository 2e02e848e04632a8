//! Marks on loops: read, and removed from the primal.

use super::{lowered, refused};
use pardiff_compiler::frontend::{Options, lower};
use pardiff_compiler::ir::{For, Marks, Program, Provide, StmtKind};
use quote::ToTokens;

fn marks(program: &Program) -> Vec<Marks> {
    let mut marks = Vec::new();
    for stmt in &program.body {
        stmt.walk(&mut |stmt| {
            if let StmtKind::For(For { marks: found, .. }) = &stmt.kind {
                marks.push(*found);
            }
        });
    }
    marks
}

#[test]
fn marks_are_read_and_removed() {
    let source = "fn f(x: &mut [f64]) {
        #[parallel]
        #[store]
        for i in 0..x.len() { #[sequential] for _ in 0..3 { x[i] += 1.0; } }
        #[replay]
        for i in 0..x.len() { x[i] *= 2.0; }
    }";
    let lowered = lowered(source);
    let store = Marks { parallel: true, provide: Some(Provide::Store), ..Marks::default() };
    let sequential = Marks { sequential: true, ..Marks::default() };
    let replay = Marks { provide: Some(Provide::Replay), ..Marks::default() };
    assert_eq!(marks(&lowered.program), [store, sequential, replay]);
    let mut item = syn::parse_str(source).expect("a function");
    pardiff_compiler::frontend::strip(&mut item);
    assert!(!item.to_token_stream().to_string().contains('#'));
}

#[test]
fn the_option_parallel_marks_loops_by_iterator() {
    let options = Options::parse("parallel(i)".parse().unwrap()).unwrap();
    let source = "fn f(x: &mut [f64]) { for i in 0..3 { for j in 0..2 { x[i] += j as f64; } } }";
    let program = lower(&options, syn::parse_str(source).unwrap()).unwrap().cases.into_general();
    let parallel: Vec<bool> = marks(&program).iter().map(|marks| marks.parallel).collect();
    assert_eq!(parallel, [true, false]);
    let options = Options::parse("parallel(k)".parse().unwrap()).unwrap();
    let refusals = lower(&options, syn::parse_str(source).unwrap()).err().expect("refused");
    assert_eq!(refusals.len(), 1);
    assert!(refusals[0].what.contains("no loop runs over `k`"), "{refusals:?}");
}

refused! {
    checkpoint: "fn f(x: &mut [f64]) { #[checkpoint(sqrt)] for i in 0..3 { x[i] += 1.0; } }"
        => ["#[checkpoint(sqrt)]", "arguments of `#[checkpoint]`"]
    checkpoint_every_zero: "fn f(x: &mut [f64]) { #[checkpoint(every = 0)] for i in 0..3 { x[i] += 1.0; } }"
        => ["#[checkpoint(every = 0)]", "arguments of `#[checkpoint]`"]
    checkpoint_in_other_units:
        "fn f(x: &mut [f64]) { #[checkpoint(memory = \"1 MiB\")] for i in 0..3 { x[i] += 1.0; } }"
        => ["#[checkpoint(memory = \"1 MiB\")]", "arguments of `#[checkpoint]`"]
    checkpoint_of_two_lengths:
        "fn f(x: &mut [f64]) { #[checkpoint(every = 3, states = 2)] for i in 0..3 { x[i] += 1.0; } }"
        => ["#[checkpoint(every = 3, states = 2)]", "arguments of `#[checkpoint]`"]
    checkpoint_of_nine_levels:
        "fn f(x: &mut [f64]) { #[checkpoint(levels = 9)] for i in 0..3 { x[i] += 1.0; } }"
        => ["#[checkpoint(levels = 9)]", "arguments of `#[checkpoint]`"]
    checkpoint_by_memory_until:
        "fn f(x: &mut [f64]) { #[checkpoint(memory = 1)] while x[0] > 1.0 { x[0] *= 0.5; } }"
        => ["#[checkpoint(memory = 1)]", "on a loop that is not counted"]
    checkpoint_of_a_parallel_loop: "fn f(x: &mut [f64]) { #[checkpoint] #[parallel] for i in 0..3 { x[i] += 1.0; } }"
        => ["#[checkpoint]", "and `#[parallel]`"]
    contradiction: "fn f(x: &mut [f64]) { #[replay] #[store] for i in 0..3 { x[i] += 1.0; } }"
        => ["#[store]", "either replayed or stored"]
    arguments: "fn f(x: &mut [f64]) { #[parallel(4)] for i in 0..3 { x[i] += 1.0; } }"
        => ["#[parallel(4)]", "takes no arguments"]
}
