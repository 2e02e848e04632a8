//! Which loops in order have a short form, and that both forms compute the same.

use crate::scheduled::many_chunks;
use crate::schemes::{check, numbers};
use pardiff_compiler::ir::interp::{Array, no_paths, run_racing};
use pardiff_compiler::ir::parse;
use pardiff_compiler::schedule::cost::Costs;
use pardiff_compiler::schedule::{Options, Scheduled, schedule};

/// A filter of the coefficients `a`, over time; `inner` is the loop over them.
fn filter(inner: &[&str]) -> Vec<String> {
    let head = [
        "fn f(a: in f64[_], x: in f64[_], y: inout f64[_], start: in usize[_], n: in usize)",
        "  for t in len(a)..n",
        "    scope s: f64",
        "      s = 0.0",
    ];
    let tail = ["      y[t] = s + x[t]"];
    head.iter().chain(inner).chain(&tail).map(|line| (*line).to_owned()).collect()
}

const SUM: [&str; 2] = ["      for i in 0..len(a)", "        s += a[i] * y[t - 1 - i]"];

fn scheduled(lines: &[String]) -> Scheduled {
    let program = parse(&(lines.join("\n") + "\n")).unwrap();
    let costs = Costs { beside: 0.0, ..Costs::default() };
    schedule(program, &Options { costs, ..Options::default() })
}

fn is_made(made: &Scheduled) -> bool {
    made.decisions.loops.values().any(|why| why == "where the loops inside are short")
}

#[test]
fn a_loop_over_time_about_short_sums_has_a_short_form() {
    let made = scheduled(&filter(&SUM));
    assert!(is_made(&made), "{}", made.program);
    let text = made.program.to_string();
    // asked once, in front of the loop over time
    assert!(text.contains("\n  if 256 < saturating_mul(len(a), 7)\n"), "{text}");
    assert!(text.contains("parallel(task)"), "{text}");
}

#[test]
fn a_number_of_rows_computed_inside_is_asked_in_front_without_a_panic() {
    let made = scheduled(&filter(&[
        "      scope rows: usize",
        "        check n > 0 \"no rows\"",
        "        rows = len(x) / n",
        "        for i in 0..rows",
        "          s += a[i] * y[t - 1]",
    ]));
    let text = made.program.to_string();
    assert!(text.contains("\n  if 256 < saturating_mul(len(x) / int::max(n, 1), 6)\n"), "{text}");
}

#[test]
fn both_forms_compute_the_same() {
    for (order, n) in [(0, 0), (0, 5), (1, 1), (3, 12), (36, 60), (37, 60), (40, 50)] {
        let lines = filter(&SUM);
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        let small: Vec<f64> = (0..order).map(|k| [1.0, 0.0, -1.0, 0.0, 0.0][k % 5]).collect();
        let args =
            vec![Array::floats(&small), numbers(n), numbers(n), Array::ints(&[]), Array::int(n as i128)];
        check(&lines, args);
    }
}

#[test]
fn the_form_depends_on_sizes_alone() {
    let program = parse(&(filter(&SUM).join("\n") + "\n")).unwrap();
    let made = schedule(program, &many_chunks(3));
    let args = |order: usize| {
        let coefficients = Array::floats(&vec![0.1; order]);
        vec![coefficients, numbers(90), numbers(90), Array::ints(&[]), Array::int(90)]
    };
    for order in [2, 36, 37, 60] {
        let bits = |seed| {
            let outcome = run_racing::<f64>(&made.program, args(order), &no_paths, seed).unwrap();
            format!("{:?}", outcome.params[2].data)
        };
        assert_eq!(bits(1), bits(2));
    }
}

#[test]
fn loops_that_are_never_short_or_of_sizes_found_inside_have_one_form() {
    let terms = ["a[i] * y[t - 1 - i]"; 12].join(" * exp(x[i]) + ");
    let heavy = format!("        s += {terms}");
    let bodies: [&[&str]; 3] = [
        // much work in a few iterations
        &["      for i in 0..len(a)", &heavy],
        // rows of which nothing is known in front
        &["      for i in start[t]..start[t + 1]", "        s += a[i] * y[t - 1 - i]"],
        // known to be long
        &["      for i in 0..100000", "        s += a[i] * y[t - 1 - i]"],
    ];
    for body in bodies {
        let made = scheduled(&filter(body));
        assert!(!is_made(&made), "{}", made.program);
    }
}

#[test]
fn a_loop_that_is_parallel_itself_has_one_form() {
    let lines = [
        "fn f(a: in f64[_], x: in f64[_], y: inout f64[_], n: in usize)",
        "  for t in len(a)..n",
        "    scope s: f64",
        "      s = 0.0",
        "      for i in 0..len(a)",
        "        s += a[i] * x[t - 1 - i]",
        "      y[t] = s",
    ];
    let made = scheduled(&lines.map(str::to_owned));
    assert!(!is_made(&made), "{}", made.program);
}
