//! The work and the span of scheduled programs, counted by the interpreter, and the table of `docs/scaling.md` that
//! follows from them. `PARDIFF_UPDATE_DOCS=1` writes it.

use crate::stages::{Stages, stages};
use pardiff_compiler::ir::interp::{Array, Effort, Value, effort, no_paths};
use pardiff_compiler::ir::{Program, Role};

const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/scaling.md");
const BEGIN: &str = "<!-- work and span: begin -->\n";
const END: &str = "<!-- work and span: end -->";
const THREADS: [u64; 4] = [2, 8, 32, 128];

/// Values for parameters by name; adjoints have the extents of what they are adjoint to.
type Given = Vec<(&'static str, Array<f64>)>;

fn floats(dims: &[usize]) -> Array<f64> {
    let value = |k: usize| Some(Value::Float(0.5 + 0.3 * (0.7 * k as f64).sin()));
    Array { dims: dims.to_vec(), data: (0..dims.iter().product()).map(value).collect() }
}

fn ints(values: impl Iterator<Item = usize>) -> Array<f64> {
    let data: Vec<Option<Value<f64>>> = values.map(|k| Some(Value::Int(k as i128))).collect();
    Array { dims: vec![data.len()], data }
}

fn bools(count: usize, every: usize) -> Array<f64> {
    let data = (0..count).map(|k| Some(Value::Bool(k % every != 0))).collect();
    Array { dims: vec![count], data }
}

fn effort_of(program: &Program, given: &Given) -> Effort {
    let args = program.params.iter().map(|&param| {
        let buffer = &program[param];
        let name = buffer.name.strip_prefix("d_").unwrap_or(&buffer.name);
        match given.iter().find(|(it, _)| *it == name) {
            Some((_, array)) if matches!(buffer.role, Role::Adjoint(_)) => floats(&array.dims),
            Some((_, array)) => array.clone(),
            None => floats(&[]),
        }
    });
    effort(program, args.collect(), &no_paths).unwrap_or_else(|fault| panic!("{fault:?}\n{program}"))
}

/// Each program with its size in words.
fn programs() -> Vec<(&'static str, &'static str, &'static str, Given)> {
    let (n, rows) = (40_000, 20_000);
    let (poses, ligand, protein, types) = (256, 4, 30, 5);
    let pairs = ligand * protein;
    vec![
        (
            "heat",
            "40,000 cells, 2 steps",
            include_str!("kernels/heat.rs"),
            vec![
                ("u", floats(&[n])),
                ("conductivity", floats(&[n])),
                ("n", Array::int(n as i128)),
                ("steps", Array::int(2)),
            ],
        ),
        (
            "csr_product",
            "20,000 rows of 5",
            include_str!("kernels/csr_product.rs"),
            vec![
                ("row_ptr", ints((0..=rows).map(|row| 5 * row))),
                ("columns", ints((0..5 * rows).map(|k| (k / 5 + k % 5 * 37) % rows))),
                ("values", floats(&[5 * rows])),
                ("x", floats(&[rows])),
                ("y", floats(&[rows])),
            ],
        ),
        (
            "minibude",
            "256 poses of 4 against 30",
            include_str!("../../../workloads/minibude.rs"),
            vec![
                ("poses", floats(&[6 * poses])),
                ("radius", floats(&[types])),
                ("hydrophobicity", floats(&[types])),
                ("charge", floats(&[types])),
                ("ligand", floats(&[ligand, 3])),
                ("ligand_type", ints((0..ligand).map(|k| k % types))),
                ("protein", floats(&[protein, 3])),
                ("protein_type", ints((0..protein).map(|k| k % types))),
                ("p_sign", floats(&[pairs])),
                ("l_sign", floats(&[pairs])),
                ("reach", floats(&[pairs])),
                ("electrostatic", floats(&[pairs])),
                ("attracts", bools(pairs, 3)),
                ("dissolves", bools(pairs, 4)),
                ("n", Array::int(poses as i128)),
            ],
        ),
    ]
}

/// The table, a line for each program and for its gradient.
fn table() -> String {
    let mut out = "| program | size | | work | span | 2 threads | 8 | 32 | 128 |\n".to_owned();
    out += "| --- | --- | --- | ---: | ---: | ---: | ---: | ---: | ---: |\n";
    for (name, size, source, given) in programs() {
        let Stages { scheduled, value, .. } = stages(source);
        for (what, program) in [("value", value), ("gradient", scheduled)] {
            let Effort { work, span } = effort_of(&program, &given);
            assert!(span <= work && span > 0, "{name}: {work} {span}");
            out += &format!("| {name} | {size} | {what} | {work} | {span} |");
            for threads in THREADS {
                let speed_up = work as f64 / (work as f64 / threads as f64 + span as f64);
                out += &format!(" {speed_up:.1} |");
            }
            out.push('\n');
        }
    }
    out
}

#[test]
fn the_documentation_shows_work_and_span() {
    let Ok(page) = std::fs::read_to_string(PAGE) else { panic!("{PAGE} cannot be read") };
    let (before, rest) = page.split_once(BEGIN).expect("the begin of the table");
    let (shown, after) = rest.split_once(END).expect("the end of the table");
    let table = table();
    if std::env::var_os("PARDIFF_UPDATE_DOCS").is_some() {
        std::fs::write(PAGE, format!("{before}{BEGIN}{table}{END}{after}")).expect("the page can be written");
        return;
    }
    assert_eq!(shown, table, "PARDIFF_UPDATE_DOCS=1 writes it");
}

#[test]
fn the_span_of_a_task_loop_is_its_longest_iteration() {
    let program = crate::schemes::program(&[
        "fn f(x: inout f64[_])",
        "  x[0] = 1.0",
        "  for c in 0..4 parallel(task)",
        "    for i in 0..c",
        "      x[c] = x[c] + 1.0",
    ]);
    let Effort { work, span } = effort(&program, vec![floats(&[4])], &no_paths).expect("it runs");
    // the assignment, the loop, and of the last iteration: itself, its loop, and three iterations of a statement
    assert_eq!((work, span), (1 + 1 + 4 + 4 + 2 * 6, 1 + 1 + 1 + 1 + 2 * 3));
}
