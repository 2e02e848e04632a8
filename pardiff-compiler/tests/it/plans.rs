//! Every loop, every tape buffer and every summation of the two programs that the back end obeys is one line of the
//! plan, no more and no less.

use crate::random::{Style, program};
use crate::stages::{KERNELS, Stages, stages, stages_of};
use pardiff_compiler::frontend::Options;
use pardiff_compiler::ir::{Program, Role, StmtKind};

/// How many loops, tape buffers and summations there are.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
struct Count {
    loops: usize,
    tapes: usize,
    sums: usize,
}

fn of_program(program: &Program, count: &mut Count) {
    for stmt in &program.body {
        stmt.walk(&mut |stmt| match &stmt.kind {
            StmtKind::For(_) | StmtKind::While(_) => count.loops += 1,
            StmtKind::Reduce { .. } => count.sums += 1,
            StmtKind::Scope { buffers, .. } => {
                count.tapes += buffers.iter().filter(|&&buffer| program[buffer].role == Role::Tape).count();
            }
            _ => {}
        });
    }
}

fn of_plan(plan: &str) -> Count {
    let mut count = Count::default();
    for line in plan.lines().map(str::trim) {
        let what = line.split("  ").next().unwrap_or_default();
        count.loops += usize::from(what.starts_with("for "));
        count.tapes += usize::from(what.starts_with("tape "));
        count.sums += usize::from(["+=", "*=", "min=", "max="].iter().any(|sign| what.ends_with(sign)));
    }
    count
}

fn assert_complete(stages: &Stages) -> Count {
    let mut count = Count::default();
    of_program(&stages.scheduled, &mut count);
    of_program(&stages.value, &mut count);
    assert_eq!(of_plan(&stages.plan), count, "\n{}\n{}", stages.plan, stages.scheduled);
    count
}

#[test]
fn the_plans_of_the_kernels_are_complete() {
    for (_, source) in KERNELS {
        let count = assert_complete(&stages(source));
        assert!(count.loops > 1 && count.sums > 1, "{count:?}");
    }
}

#[test]
fn the_plans_of_random_programs_are_complete() {
    let mut total = Count::default();
    for seed in 0..300 {
        let source = program(seed, Style { exact: seed % 3 == 0, mixed: seed % 2 == 0 }).source();
        let Ok(function) = syn::parse_str(&source) else { panic!("{source}") };
        // a program without active floats is refused
        let Ok(stages) = stages_of(&Options::default(), function) else { continue };
        let count = assert_complete(&stages);
        total.loops += count.loops;
        total.tapes += count.tapes;
        total.sums += count.sums;
    }
    assert!(total.loops > 600 && total.tapes > 150 && total.sums > 600, "{total:?}");
}

fn plan_of(source: &str) -> String {
    let Ok(function) = syn::parse_str(source) else { panic!("{source}") };
    let Ok(stages) = stages_of(&Options::default(), function) else { panic!("{source}") };
    stages.plan
}

/// A step of time over chunks whose values the reverse sweep needs; chunk `b` has `length` elements.
fn steps_over_chunks(length: &str) -> String {
    let source = format!(
        "pub fn f(u: &mut [f64], steps: usize, c: usize, d: usize) {{
            let n = u.len();
            for _ in 0..steps {{
                for b in 0..(n + c - 1) / c {{
                    let size = {length};
                    for j in 0..size {{
                        u[b * c + j] = u[b * c + j].sin();
                    }}
                }}
            }}
        }}"
    );
    plan_of(&source)
}

#[test]
fn chunks_have_rows_of_one_length_in_tapes() {
    let plan = steps_over_chunks("c.min(n - b * c)");
    assert!(plan.contains(".min(u.len())") && !plan.contains("growing"), "{plan}");
}

#[test]
fn other_lengths_have_rows_of_their_own_in_tapes() {
    // nothing bounds the sum of these by a few times the elements
    for length in ["c.min(n - b * d)", "n - b * c", "c.max(n - b * c)"] {
        let plan = steps_over_chunks(length);
        assert!(plan.contains("growing"), "{length}\n{plan}");
    }
}

/// A nest under a condition in a loop whose iterations are `along`.
fn under_a_condition(along: &str, element: &str) -> String {
    let source = format!(
        "fn f(x: &mut [f64], n: usize, steps: usize) {{
            for s in 0..steps {{
                if s % 3 == {along} {{
                    for i in 0..n {{
                        x[{element}] = x[{element}] * x[{element}];
                    }}
                }}
            }}
        }}"
    );
    plan_of(&source)
}

#[test]
fn a_nest_under_a_condition_writes_its_rows_in_parallel() {
    let plan = under_a_condition("1", "i");
    assert!(plan.contains("x_value_tape  as many as needed f64, growing"), "{plan}");
    let inside = plan.lines().skip_while(|line| !line.contains("for s in 0..steps"));
    let inner = inside.skip(1).find(|line| line.contains("for ")).unwrap_or_default();
    assert!(inner.contains("for chunk in 0..chunks") && inner.contains("parallel"), "{plan}");
}

#[test]
fn a_loop_that_makes_rows_runs_in_order() {
    // its iterations touch no element twice, but where the rows of one start the others decide
    let plan = under_a_condition("1", "s * n + i");
    assert!(plan.contains("x_value_tape  as many as needed f64, growing"), "{plan}");
    let outer = plan.lines().find(|line| line.contains("for s in 0..steps")).unwrap_or_default();
    assert!(outer.contains("sequential"), "{plan}");
}

/// Factors of a matrix in a flat vector; in `loops`, an element is subtracted from and divided.
fn factors(loops: &str, divided: &str) -> String {
    let source = format!(
        "pub fn f(a: &[f64], n: usize) -> f64 {{
            let mut l = vec![0.0; n * n];
            {loops}
                let mut k = a[i * n + j];
                for m in 0..j {{
                    k -= l[i * n + m] * l[j * n + m];
                }}
                {divided}
            }} }}
            (0..n).map(|i| l[i * n + i].ln()).sum()
        }}"
    );
    plan_of(&source)
}

#[test]
fn what_loops_over_a_triangle_have_written_stays_in_place() {
    for loops in [
        "for i in 0..n { for j in 0..=i {",
        "for i in 0..n { for j in 0..i + 1 {",
        "for i in 1..n { for j in 0..i {",
        "for j in 0..n { for i in j..n {",
    ] {
        for divided in [
            "l[i * n + j] = if i == j { k.sqrt() } else { k / l[j * n + j] };",
            "if i == j { l[i * n + i] = k.sqrt(); } else { l[i * n + j] = k / l[j * n + j]; }",
            "l[i * n + j] = k / (1.0 + a[j]);",
        ] {
            let plan = factors(loops, divided);
            let mut tapes = plan.lines().filter(|line| line.trim_start().starts_with("tape"));
            let is_small = |line: &str| line.contains("/ 2 f64, packed triangle") && !line.contains("m]");
            assert!(tapes.all(is_small), "{loops}\n{divided}\n{plan}");
        }
    }
}

/// The plan of steps in which some are left out, in loops over `length`.
fn steps_left_out(length: &str) -> String {
    let source = format!(
        "#[differentiate] fn f<const K: usize, const L: usize>(w: &[[f64; K]; K], x: &[f64], m: &[bool], from: &[usize]) -> f64 {{
            let mut total = 0.0;
            for s in 0..from.len() - 1 {{
                let mut state = [0.1; K];
                for t in from[s]..from[s + 1] {{
                    if m[t] {{
                        for j in 0..{length} {{
                            let mut sum = x[t];
                            for i in 0..K {{
                                sum += (state[i] * w[i][j]).exp();
                            }}
                            state[j] = sum.ln();
                        }}
                    }}
                }}
                total += state[0];
            }}
            total
        }}"
    );
    stages(&source).plan
}

#[test]
fn a_const_generic_that_is_an_extent_is_a_dimension_of_tapes() {
    let plan = steps_left_out("K");
    assert!(plan.contains("* K f64") && !plan.contains("j_start"), "{plan}");
    // what is no extent may be any number
    let plan = steps_left_out("L");
    assert!(plan.contains("j_start"), "{plan}");
}

/// A sum over the faces of each cell, with the corners of faces in a constant that stands before or in the function.
fn over_faces(constant: &str) -> String {
    plan_of(&format!(
        "fn f(x: &[[f64; 8]], out: &mut [f64]) {{
            {constant}
            for i in 0..x.len() {{
                for face in FACES {{
                    let mut product = 1.0;
                    for c in face {{ product *= x[i][c].sin(); }}
                    out[i] += product;
                }}
            }}
        }}"
    ))
}

#[test]
fn loops_over_a_constant_array_have_the_lengths_of_its_type() {
    let plan = over_faces("const FACES: [[usize; 3]; 4] = [[0, 2, 3], [1, 3, 2], [4, 5, 6], [7, 0, 1]];");
    assert!(plan.contains("in 0..4 ") && !plan.contains("FACES.len()"), "{plan}");
}

#[test]
fn loops_over_a_constant_array_of_unknown_type_have_its_lengths() {
    let plan = over_faces("");
    assert!(plan.contains("in 0..FACES.len() "), "{plan}");
}
