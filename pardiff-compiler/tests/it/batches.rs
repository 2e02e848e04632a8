//! Iterations that sweep over the same rows: in batches, in tasks of any number, without races and with the same sums.

use crate::schemes::{check, indices, numbers, program};
use pardiff_compiler::ir::interp::Array;
use pardiff_compiler::schedule::{Options, schedule};

/// Queries against the keys of a band, in heads whose bands have a stride of their own; `at` says how wide a stride.
const BAND: [&str; 27] = [
    "fn f(q: in f64[_], k: in f64[_], d_k: inout f64[_], y: inout f64[_], at: in usize[_], heads: in usize, n: in usize,",
    "    d: in usize) -> total: f64",
    "  total = 0.0",
    "  for h in 0..heads",
    "    for i in 0..n",
    "      scope e: f64[33], most: f64, start: usize",
    "        most = -1000.0",
    "        start = (h * n + i) * d",
    "        for t in 0..33",
    "          e[t] = 0.0",
    "        for t.2 in 0..33",
    "          scope j: i64",
    "            j = (i + t.2 * at[h]) as i64 - (16 * at[h]) as i64",
    "            if (j >= 0) & (j < n as i64)",
    "              scope s: f64",
    "                s = 0.0",
    "                for x in 0..d",
    "                  s += q[start + x] * k[(h * n + j as usize) * d + x]",
    "                e[t.2] = s",
    "                most max= s",
    "        for t.3 in 0..33 down",
    "          scope j.2: i64",
    "            j.2 = (i + t.3 * at[h]) as i64 - (16 * at[h]) as i64",
    "            if (j.2 >= 0) & (j.2 < n as i64)",
    "              for x.2 in 0..d",
    "                y[start + x.2] += (e[t.3] - most) * k[(h * n + j.2 as usize) * d + x.2]",
    "                d_k[(h * n + j.2 as usize) * d + x.2] += e[t.3] * q[start + x.2]",
];

fn args(heads: usize, n: usize, d: usize) -> Vec<Array<f64>> {
    let size = heads * n * d + d;
    let sizes = [heads, n, d].map(|size| Array::int(size as i128));
    let [q, k, d_k, y] = [numbers(size), numbers(size), numbers(size), numbers(size)];
    vec![q, k, d_k, y, indices(&[1, 4, 2]), sizes[0].clone(), sizes[1].clone(), sizes[2].clone()]
}

#[test]
fn queries_against_a_band_run_in_batches_in_tasks() {
    for (heads, n, d) in [(3, 19, 9), (1, 8, 3), (2, 41, 1), (3, 5, 0), (0, 9, 2)] {
        let made = check(&BAND, args(heads, n, d));
        let text = made.program.to_string();
        assert!(text.contains("for b in 0..n step 8") && text.contains("if holds"), "{text}");
    }
}

#[test]
fn the_plan_says_so() {
    let made = schedule(program(&BAND), &Options::default()).jammed();
    assert!(
        made.decisions.loops.values().any(|why| why.contains("of iterations in batches")),
        "{:?}",
        made.decisions
    );
    let strict = Options { strict: true, ..Options::default() };
    let made = schedule(program(&BAND), &strict).jammed();
    assert!(!made.program.to_string().contains("step 8"), "{}", made.program);
}

#[test]
fn queries_that_one_after_the_other_change_the_keys_are_in_no_batch() {
    let mut lines = BAND;
    lines[26] = "                k[(h * n + j.2 as usize) * d + x.2] += e[t.3] * q[start + x.2]";
    lines[0] = "fn f(q: in f64[_], k: inout f64[_], d_k: inout f64[_], y: inout f64[_], at: in usize[_], heads: in usize, n: in usize,";
    let mut few = args(2, 9, 3);
    // small numbers, as the keys grow with every query
    few[0] = Array::floats(&[0.0; 2 * 9 * 3 + 3]);
    let made = check(&lines, few);
    assert!(!made.program.to_string().contains("step 8"), "{}", made.program);
}
