//! Sums through an index array gather by an inverse index: the same terms in each row, or copies as before.

use crate::scheduled::{gathered, many_chunks};
use crate::schemes::{indices, numbers, program};
use pardiff_compiler::ir::interp::{Array, ModPrime, Number, Value, no_paths, run, run_racing};
use pardiff_compiler::ir::verify::verify;
use pardiff_compiler::schedule::{Options, Scheduled, schedule};

/// Tasks are free, and copies of arrays are never worth it.
fn options(most: usize) -> Options {
    let mut options = many_chunks(most);
    options.costs.least_copies = 1 << 30;
    options.costs.copied_element = 1;
    options
}

/// Runs a program as it is and scheduled in several ways; the floats are small integers, so that every order of the
/// additions gives the same bits. Gives the last schedule.
fn check(lines: &[&str], args: &[Array<f64>]) -> Scheduled {
    let before = program(lines);
    let expected = run::<f64>(&before, args.to_vec(), &no_paths);
    let mut last = None;
    for most in 1..5 {
        let scheduled = schedule(before.clone(), &options(most)).jammed();
        if let Err(errors) = verify(&scheduled.program) {
            panic!("{errors:?}\n{}", scheduled.program);
        }
        for seed in 0..3 {
            let found = run_racing::<f64>(&scheduled.program, args.to_vec(), &no_paths, seed);
            match (&expected, found) {
                (Ok(expected), Ok(found)) => {
                    let bits = |list: &[Array<f64>]| -> Vec<_> {
                        list.iter().map(|it| format!("{:?}", it.data)).collect()
                    };
                    assert_eq!(bits(&expected.params), bits(&found.params), "{}", scheduled.program);
                    assert_eq!(bits(&expected.results), bits(&found.results), "{}", scheduled.program);
                }
                (Err(expected), Err(found)) => {
                    assert!(
                        expected.kind.is_panic() && found.kind.is_panic(),
                        "{found:?}\n{}",
                        scheduled.program
                    );
                }
                (expected, found) => panic!("{expected:?}\n{found:?}\n{}", scheduled.program),
            }
        }
        last = Some(scheduled);
    }
    last.unwrap_or_else(|| Scheduled::sequential(before))
}

/// A loop over the rows of a graph, as the reverse of attention over neighbours has it.
const GRAPH: [&str; 21] = [
    "fn f(d_z: inout f64[_], d_l: inout f64[_], d_y: in f64[_], e: in f64[_], ptr: in u32[_], at: in u32[_]) -> total: f64",
    "  total = 0.0",
    "  for i in 0..len(ptr) - 1",
    "    scope begin: usize, end: usize, g: f64[9]",
    "      begin = ptr[i] as usize",
    "      end = ptr[i + 1] as usize",
    "      for f in 0..9",
    "        g[f] = d_y[i * 9 + f] * 2.0",
    "      for k in begin..end down",
    "        scope j: usize",
    "          check k < len(at) index \"at\" \"at[k]\"",
    "          j = at[k] as usize",
    "          for f.2 in 0..9 down",
    "            scope t: f64, w: f64",
    "              check j * 9 + f.2 < len(d_z) index \"z\" \"z[j * 9 + f]\"",
    "              t = g[f.2]",
    "              total += t * e[k]",
    "              w = e[k] * 3.0",
    "              d_z[j * 9 + f.2] += t * w",
    "      for k.2 in begin..end down",
    "        d_l[at[k.2] as usize] += e[k.2] * e[k.2]",
];

fn graph(nodes: usize, ptr: &[i128], at: &[i128]) -> Vec<Array<f64>> {
    let rows = ptr.len() - 1;
    vec![numbers(nodes * 9), numbers(nodes), numbers(rows * 9), numbers(at.len()), indices(ptr), indices(at)]
}

#[test]
fn neighbours_of_a_graph_gather() {
    let made = check(&GRAPH, &graph(4, &[0, 3, 3, 5, 9], &[0, 3, 3, 1, 0, 2, 2, 2, 0]));
    assert_eq!(gathered(&made.program), 2, "{}", made.program);
    let text = made.program.to_string();
    assert!(text.contains("private_copies"), "the version with copies stays\n{text}");
    // the values of a row of `d_y` are there when it is gathered; those of an update are stored
    assert!(text.contains("d_z_given"), "{text}");
}

#[test]
fn a_graph_without_nodes_or_edges_gathers_nothing() {
    check(&GRAPH, &graph(0, &[0], &[]));
    check(&GRAPH, &graph(3, &[0, 0, 0, 0], &[]));
    check(&GRAPH, &graph(1, &[0, 2], &[0, 0]));
}

#[test]
fn an_index_out_of_range_panics_as_before() {
    check(&GRAPH, &graph(3, &[0, 2, 3, 3], &[0, 3, 1]));
    check(&GRAPH, &graph(3, &[0, 2, 3, 4], &[0, 2, 1]));
    check(&GRAPH, &graph(3, &[0, 2, 1, 3], &[0, 2, 1]));
}

#[test]
fn rows_by_a_plain_index_gather() {
    let lines = [
        "fn f(d: inout f64[rows, n], e: in f64[_, n], at: in u32[_], rows: in usize, n: in usize)",
        "  for i in 0..len(at)",
        "    for f in 0..n",
        "      check at[i] as usize < rows index \"at\" \"at[i]\"",
        "      d[at[i] as usize, f] += e[i, f] * e[i, 0]",
    ];
    for n in [0, 1, 9] {
        let size = |value: usize| Array::<f64>::int(value as i128);
        let at = indices(&[2, 0, 2, 1, 2]);
        let args = [numbers(3 * n).shaped(&[3, n]), numbers(5 * n).shaped(&[5, n]), at, size(3), size(n)];
        let made = check(&lines, &args);
        assert_eq!(gathered(&made.program), 1, "{}", made.program);
    }
}

#[test]
fn rows_without_elements_need_no_index() {
    let lines = [
        "fn f(d: inout f64[rows, 16], e: in f64[_], at: in u32[_], rows: in usize, m: in usize, n: in usize)",
        "  for i in 0..m",
        "    for f in 0..n",
        "      check i < len(at) index \"at\" \"at[i]\"",
        "      check at[i] as usize < rows index \"d\" \"d[at[i]]\"",
        "      check f < 16 index \"d\" \"d[at[i]][f]\"",
        "      d[at[i] as usize, f] += e[f] * e[0]",
    ];
    for (at, n) in [(&[][..], 0), (&[7, 9, 8], 0), (&[1, 0, 1], 3), (&[1, 9, 1], 3), (&[1, 0], 1)] {
        let size = |value: usize| Array::<f64>::int(value as i128);
        let args = [numbers(32).shaped(&[2, 16]), numbers(16), indices(at), size(2), size(3), size(n)];
        let made = check(&lines, &args);
        assert_eq!(gathered(&made.program), 1, "{}", made.program);
    }
}

#[test]
fn what_a_loop_left_behind_is_no_row() {
    let lines = [
        "fn f(d: inout f64[_], e: in f64[_], at: in u32[_], n: in usize)",
        "  for i in 0..n",
        "    scope j: usize",
        "      for q in 0..3",
        "        j = at[i * 3 + q] as usize",
        "      for f in 0..9",
        "        check j * 9 + f < len(d) index \"d\" \"d[j * 9 + f]\"",
        "        d[j * 9 + f] += e[i] * e[f]",
    ];
    let size = |value: usize| Array::<f64>::int(value as i128);
    let args = [numbers(27), numbers(9), indices(&[0, 1, 2, 2, 1, 0, 1, 1, 2]), size(3)];
    check(&lines, &args);
}

#[test]
fn residues_are_the_same() {
    let before = program(&GRAPH);
    let residues = |array: &Array<f64>| -> Array<ModPrime> {
        let data = array.data.iter().map(|value| {
            value.as_ref().map(|value| match value {
                Value::Float(x) => Value::Float(ModPrime::constant(*x)),
                Value::Int(x) => Value::Int(*x),
                Value::Bool(x) => Value::Bool(*x),
            })
        });
        Array { dims: array.dims.clone(), data: data.collect() }
    };
    let args: Vec<_> = graph(3, &[0, 3, 4, 6], &[2, 2, 0, 1, 1, 2]).iter().map(residues).collect();
    let expected = run(&before, args.clone(), &no_paths).map(|it| format!("{:?}", it.params));
    let scheduled = schedule(before, &options(3));
    let found = run_racing(&scheduled.program, args, &no_paths, 5).map(|it| format!("{:?}", it.params));
    assert_eq!(expected, found);
}

/// The program with one line replaced.
fn with(line: usize, by: &'static str) -> Vec<&'static str> {
    let mut lines = GRAPH.to_vec();
    lines[line] = by;
    lines
}

#[test]
fn what_cannot_be_gathered_has_copies() {
    let args = graph(4, &[0, 3, 3, 5, 9], &[0, 3, 3, 1, 0, 2, 2, 2, 0]);
    let gathered_with = |line, by| gathered(&check(&with(line, by), &args).program);
    // rows overlap
    assert_eq!(gathered_with(18, "              d_z[j * 3 + f.2] += t * w"), 0);
    // a term depends on the update and on the element, in memory of the iteration
    assert_eq!(gathered_with(15, "              t = g[(f.2 + k) % 9]"), 0);
    // what a term is made of changes while the row is added to
    let mut lines = GRAPH.to_vec();
    lines.insert(19, "              g[f.2] = w");
    assert_eq!(gathered(&check(&lines, &args).program), 0);
    // the update stands under a condition
    let lines = with(18, "              if 0.0 < t\n                d_z[j * 9 + f.2] += t * w");
    assert_eq!(gathered(&check(&lines, &args).program), 0);
}

#[test]
fn copies_stay_where_they_are_cheaper() {
    let made = schedule(program(&GRAPH), &Options::default());
    let text = made.program.to_string();
    assert!(gathered(&made.program) > 0 && text.contains("private_copies"), "{text}");
    // nor is a pass over the rows where there are few updates: they are made in order
    let in_order =
        made.decisions.loops.values().any(|why| why.contains("copies would cost more than the work"));
    assert!(in_order && text.contains("8) <= saturating_mul("), "{text}");
    // rows of a few elements are not worth an index
    let lines: Vec<String> = GRAPH.iter().map(|line| line.replace('9', "3")).collect();
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    assert_eq!(gathered(&schedule(program(&lines), &Options::default()).program), 0);
}
