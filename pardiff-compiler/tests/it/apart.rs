//! Which few iterations run apart, and that both forms compute the same.

use crate::schemes::{check, indices, numbers};
use pardiff_compiler::ir::Program;
use pardiff_compiler::ir::interp::Array;

/// A state of `n` numbers for each of some sources, in `rounds` rounds; `#` for what becomes of an element.
fn searches(new: &str, sources: &[i128], [n, rounds]: [i128; 2]) -> Program {
    let new = format!("          t[i] = {new}");
    let lines = [
        "fn f(s: in f64[_], src: in usize[_], n: in usize, rounds: in usize, d: inout f64[_]) -> total: f64",
        "  total = 0.0",
        "  for k in 0..len(src)",
        "    scope t: f64[n]",
        "      for e in 0..n",
        "        t[e] = 100.0",
        "      check src[k] < n index \"t\" \"t[src[k]]\"",
        "      t[src[k]] = 0.0",
        "      for round in 0..rounds",
        "        for i in 1..n",
        "          check i < len(s) index \"s\" \"s[i]\"",
        &new,
        "      for j in 0..n",
        "        check j < len(d) index \"d\" \"d[j]\"",
        "        d[j] += t[j]",
        "        total += t[j] * s[j]",
    ];
    let sizes = [n, rounds].map(Array::int);
    let args = [numbers(n as usize), indices(sources)].into_iter().chain(sizes);
    check(&lines, args.chain([numbers(n as usize)]).collect()).program
}

fn runs_apart(program: &Program) -> bool {
    program.to_string().contains("if few\n")
}

/// The least of two numbers, as a search has it.
const RELAXED: &str = "min(t[i], t[i - 1] + s[i])";

#[test]
fn few_searches_run_apart_and_many_in_lanes() {
    for many in [0, 1, 2, 3, 5, 8, 9, 14, 17, 40] {
        let sources: Vec<i128> = (0..many).map(|k| k * 5 % 7).collect();
        let made = searches(RELAXED, &sources, [7, 2]);
        assert!(runs_apart(&made), "{made}");
        let text = made.to_string();
        assert!(text.contains("few = (trip <= 7) & (size <= 2)"), "{text}");
    }
    assert!(runs_apart(&searches(RELAXED, &[0, 0], [1, 3])));
    assert!(runs_apart(&searches(RELAXED, &[2, 1], [5, 0])));
}

#[test]
fn iterations_without_a_state_stay_in_lanes() {
    let made = searches("100.0 * s[i]", &[1, 2, 3], [7, 2]);
    assert!(!runs_apart(&made), "{made}");
}

#[test]
fn functions_that_are_much_cheaper_in_lanes_stay_there() {
    let made = searches("t[i] + 0.0 * exp(sin(t[i - 1]) * cos(s[i]))", &[1, 2, 3], [7, 2]);
    assert!(!runs_apart(&made), "{made}");
}

#[test]
fn so_many_that_the_source_says_it_have_one_form() {
    let both = [8, 40].map(|many| {
        let loop_ = format!("  for k in 0..{many}");
        let lines = [
            "fn f(s: in f64[_], x: in f64[_], n: in usize, rounds: in usize) -> total: f64",
            "  total = 0.0",
            &loop_,
            "    scope t: f64[n]",
            "      for e in 0..n",
            "        check k < len(x) index \"x\" \"x[k]\"",
            "        t[e] = x[k]",
            "      for round in 0..rounds",
            "        for i in 1..n",
            "          check i < len(s) index \"s\" \"s[i]\"",
            "          t[i] = min(t[i], t[i - 1] + s[i])",
            "      for j in 0..n",
            "        total += t[j]",
        ];
        runs_apart(&check(&lines, vec![numbers(7), numbers(40), Array::int(7), Array::int(2)]).program)
    });
    assert_eq!(both, [true, false]);
}
