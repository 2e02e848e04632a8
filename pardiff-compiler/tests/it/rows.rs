//! Rows of a matrix in compressed form: apart where a check of their starts says so, in order where it does not.

use crate::scheduled::many_chunks;
use crate::schemes::{check, indices, numbers, program, schemes, tasks};
use pardiff_compiler::ir::Scheme;
use pardiff_compiler::ir::interp::{Array, no_paths, run_racing};
use pardiff_compiler::schedule::cost::Costs;
use pardiff_compiler::schedule::{Options, schedule};

/// Each row adds to its own part of `d`; the rows start at `start`.
const ROWS: [&str; 5] = [
    "fn f(start: in usize[_], x: in f64[_], d: inout f64[_], n: in usize)",
    "  for i in 0..n",
    "    for k in start[i]..start[i + 1]",
    "      if k < len(d)",
    "        d[k] += x[i]",
];

fn args(start: &[i128]) -> Vec<Array<f64>> {
    let rows = start.len() - 1;
    vec![indices(start), numbers(rows), numbers(20), Array::int(rows as i128)]
}

#[test]
fn rows_whose_starts_rise_are_apart() {
    let made = check(&ROWS, args(&[0, 3, 3, 8, 9, 15, 20]));
    assert!(tasks(&made.program) > 0, "{}", made.program);
    let text = made.program.to_string();
    assert!(text.contains("guard holds"), "{text}");
    assert!(schemes(&made.program).iter().all(|scheme| *scheme == Scheme::NoneNeeded), "{text}");
}

#[test]
fn rows_whose_starts_fall_run_in_order() {
    // the rows meet: in tasks this would be a race, which the check in front of the loop keeps out
    check(&ROWS, args(&[0, 6, 2, 8, 4, 15, 20]));
}

#[test]
fn an_array_of_starts_that_is_too_short_is_not_read_beyond_its_end() {
    let mut args = args(&[0, 3, 5]);
    args[3] = Array::int(0);
    check(&ROWS, args);
}

const PAIRS: [&str; 5] = [
    "fn f(start: in i32[_], end: in i32[_], x: in f64[_], d: inout f64[_], n: in usize)",
    "  for i in 0..n",
    "    for k in start[i] as usize..end[i] as usize",
    "      if k < len(d)",
    "        d[k] += x[i]",
];

fn pairs(start: &[i128], end: &[i128]) -> Vec<Array<f64>> {
    let n = start.len();
    vec![indices(start), indices(end), numbers(n), numbers(12), Array::int(n as i128)]
}

#[test]
fn starts_and_ends_may_be_two_arrays_with_gaps_and_empty_rows() {
    let made = check(&PAIRS, pairs(&[1, 0, 5, 9], &[3, 0, 8, 12]));
    assert!(tasks(&made.program) > 0, "{}", made.program);
    // rows that overlap, that stand in the wrong order, that have no element
    check(&PAIRS, pairs(&[0, 2, 1], &[4, 9, 7]));
    check(&PAIRS, pairs(&[6, 3, 0], &[9, 6, 3]));
    check(&PAIRS, pairs(&[5, 4, 3], &[5, 2, 3]));
}

#[test]
fn a_start_below_zero_makes_the_loop_run_in_order() {
    // as a `usize` the bound is beyond every end, so the row has no element
    check(&PAIRS, pairs(&[0, -4, 3], &[2, 3, 5]));
}

#[test]
fn rows_may_name_their_last_element() {
    let last = [
        "fn f(start: in usize[_], x: in f64[_], d: inout f64[_], n: in usize)",
        "  for i in 0..n down",
        "    for k in start[i]..=start[i + 1] - 1",
        "      if k < len(d)",
        "        d[k] += x[i]",
    ];
    for starts in [&[1, 3, 4, 8, 9][..], &[1, 6, 2, 8, 4]] {
        let made = check(&last, args(starts));
        assert!(made.program.to_string().contains("guard holds"), "{}", made.program);
    }
}

/// Each iteration adds to the row that `m` names, which others may name as well.
const NAMED: [&str; 6] = [
    "fn f(start: in usize[_], m: in u32[_], x: in f64[_], d: inout f64[_])",
    "  for i in 0..len(m)",
    "    check i < len(x) index \"x\" \"x[i]\"",
    "    for k in start[m[i] as usize]..start[(m[i] as usize) + 1]",
    "      if k < len(d)",
    "        d[k] += x[i]",
];

fn named(m: &[i128], elements: usize) -> Vec<Array<f64>> {
    vec![indices(&[0, 3, 3, 8, 9, 15, 20]), indices(m), numbers(m.len()), numbers(elements)]
}

#[test]
fn rows_that_are_named_twice_have_copies() {
    let made = check(&NAMED, named(&[0, 5, 5, 0, 2, 0, 4], 20));
    let text = made.program.to_string();
    assert!(text.contains("d_parts") && text.contains("guard holds"), "{text}");
    check(&NAMED, named(&[5, 3, 0, 2], 20));
}

#[test]
fn rows_that_are_named_once_are_checked_where_copies_are_dear() {
    let costs = Costs { copied_element: 1, ..many_chunks(5).costs };
    let made = schedule(program(&NAMED), &Options { costs, ..Options::default() });
    // named in order, out of order, and twice: copies of so many elements are dear beside these few additions
    for m in [&[0, 2, 4, 5][..], &[5, 3, 0, 2], &[5, 5, 0, 0]] {
        let [expected, found] = [&program(&NAMED), &made.program].map(|program| {
            let found = run_racing::<f64>(program, named(m, 4000), &no_paths, 1);
            found.map(|found| found.params[3].data.clone()).map_err(|fault| format!("{fault:?}"))
        });
        assert_eq!(expected, found, "{}", made.program);
    }
}

#[test]
fn rows_that_are_named_are_not_checked_where_most_is_copied_anyhow() {
    let beside = [
        "fn f(start: in usize[_], m: in u32[_], at: in u32[_], d: inout f64[_], e: inout f64[_, 4])",
        "  for i in 0..len(m)",
        "    for k in start[m[i] as usize]..start[(m[i] as usize) + 1]",
        "      if k < len(d)",
        "        d[k] += 2.0",
        "        for c in 0..4",
        "          e[at[k] as usize, c] += 3.0",
    ];
    let at: Vec<i128> = (0..20).map(|k| k * 5 % 7).collect();
    let mut args = named(&[0, 5, 5, 0, 2, 0, 4], 20);
    args[2] = indices(&at);
    let mut e = numbers(28);
    e.dims = vec![7, 4];
    args.push(e);
    let made = check(&beside, args);
    let text = made.program.to_string();
    assert!(text.contains("d_parts") && text.contains("e_parts") && !text.contains("guard"), "{text}");
}

/// Short rows of `z` behind an index: a sum for each entry, and copies of `d` for each chunk.
const EDGES: [&str; 9] = [
    "fn f(start: in usize[_], at: in usize[_], z: in f64[_], e: inout f64[_], d: inout f64[_], n: in usize)",
    "  for i in 0..n",
    "    for k in start[i]..start[i + 1]",
    "      scope s: f64",
    "        s = 0.0",
    "        for c in 0..8",
    "          s += z[i * 8 + c] * z[at[k] * 8 + c]",
    "          d[at[k] * 8 + c] += z[i * 8 + c] * 2.0",
    "        e[k] = s",
];

#[test]
fn short_rows_behind_an_index_are_executed_together() {
    // the rows of four neighbours may be one
    for (start, at) in [
        (vec![0, 5, 5, 11, 12, 20], [0, 1, 1, 3, 0, 4, 4, 4, 4, 4, 2, 0, 1, 2, 3, 3, 2, 1, 0, 0]),
        (vec![0, 20, 20, 20, 20, 20], [0; 20]),
        (vec![0, 9, 4, 11, 12, 20], [2, 1, 1, 3, 0, 4, 4, 2, 4, 4, 2, 0, 1, 2, 3, 3, 2, 1, 0, 4]),
    ] {
        let floats = [numbers(40), numbers(20), numbers(40)];
        let [z, e, d] = floats;
        let made = check(&EDGES, vec![indices(&start), indices(&at), z, e, d, Array::int(5)]);
        assert!(tasks(&made.program) > 0, "{}", made.program);
        let text = made.program.to_string();
        assert!(text.contains(" step 4"), "{text}");
    }
}
