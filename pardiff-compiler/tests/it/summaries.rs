//! The summary of the plan, which users read: complete, short, and with what to change.

use crate::random::{Style, program};
use crate::stages::KERNELS;
use pardiff_compiler::frontend::{Asked, Options};

use pardiff_compiler::plan::Plan;
use proc_macro2::TokenStream;
use quote::ToTokens;
use syn::visit::Visit;

/// The most lines of a summary.
const LINES: usize = 40;

/// The constants of a generated module.
fn constants(tokens: TokenStream) -> Plan {
    struct Constants(Plan);
    impl<'ast> Visit<'ast> for Constants {
        fn visit_item_const(&mut self, item: &'ast syn::ItemConst) {
            let syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Str(text), .. }) = &*item.expr else { return };
            match item.ident.to_string().as_str() {
                "PLAN" => self.0.summary = text.value(),
                "DECISIONS" => self.0.decisions = text.value(),
                _ => {}
            }
        }
    }
    let file: syn::File = syn::parse2(tokens).unwrap_or_else(|error| panic!("{error}"));
    let mut found = Constants(Plan::default());
    found.visit_file(&file);
    assert!(!found.0.summary.is_empty() && !found.0.decisions.is_empty(), "{}", file.to_token_stream());
    found.0
}

fn plan_with(options: &Options, source: &str) -> Option<Plan> {
    let function = syn::parse_str(source).unwrap_or_else(|error| panic!("{error}\n{source}"));
    pardiff_compiler::compile(options, function).ok().map(constants)
}

fn plan(source: &str) -> Option<Plan> {
    plan_with(&Options::default(), source)
}

fn summary(source: &str) -> String {
    plan(source).unwrap_or_else(|| panic!("refused: {source}")).summary
}

fn has_lines(summary: &str) {
    let count = summary.lines().count();
    assert!(count <= LINES, "{count} lines:\n{summary}");
}

#[test]
fn a_summary_is_a_screen_whatever_the_function() {
    for (_, source) in KERNELS {
        let file = syn::parse_file(source).unwrap_or_else(|error| panic!("{error}"));
        for item in file.items {
            let syn::Item::Fn(mut function) = item else { continue };
            function.attrs.clear();
            if let Some(plan) = plan(&function.to_token_stream().to_string()) {
                has_lines(&plan.summary);
            }
        }
    }
    let mut accepted = 0;
    for seed in 0..60 {
        let source = program(seed, Style { exact: seed % 3 == 0, mixed: seed % 2 == 0 }).source();
        if let Some(plan) = plan(&source) {
            accepted += 1;
            has_lines(&plan.summary);
        }
    }
    assert!(accepted > 40, "{accepted} random programs are accepted");
    // many loops of every kind, many tapes
    let steps = |t: usize| {
        format!(
            "let mut a{t} = vec![0.0; n]; let mut s{t} = 0.0;
            for i in 1..n {{ a{t}[i] = (x[i] * {t}.5).sin() * a{t}[i - 1]; }}
            for i in 0..n {{ x[i] = x[i].exp() * a{t}[i]; }}
            for i in 0..n {{ s{t} = s{t} * 0.5 + x[k[i]] * x[i]; x[k[i]] += s{t}; }}
            for i in 0..n {{ total += x[i] * s{t}; }}"
        )
    };
    let body: String = (0..14).map(steps).collect();
    let large = format!(
        "fn large(x: &mut [f64], k: &[usize], n: usize) -> f64 {{ let mut total = 0.0; {body} total }}"
    );
    let all = Options {
        asked: Asked { forward: true, hvp: true, split: true, ..Asked::default() },
        ..Options::default()
    };
    let plan = plan_with(&all, &large).expect("accepted");
    has_lines(&plan.summary);
    assert!(plan.decisions.lines().count() > 150, "{}", plan.decisions);
    assert!(plan.summary.contains(" more\n"), "{}", plan.summary);
}

#[test]
fn loops_say_where_they_run_and_what_would_change_that() {
    let text = summary(
        "fn heat(u: &mut [f64], k: f64, steps: usize) -> f64 {
            let n = u.len();
            let mut next = vec![0.0; n];
            for t in 0..steps {
                for i in 1..n - 1 {
                    next[i] = u[i] + k * (u[i - 1] - 2.0 * u[i] + u[i + 1]) * u[i];
                }
                std::mem::swap(u, &mut next);
            }
            let mut total = 0.0;
            for i in 0..n {
                total += u[i] * u[i];
            }
            total
        }",
    );
    assert!(text.starts_with("heat: value and gradient in two sweeps; "), "{text}");
    let (_, parallel) = text.split_once("  in parallel\n").expect("some are");
    let (parallel, rest) = parallel.split_once("  in order\n").expect("some are not");
    assert!(parallel.contains("for i in 1..u.len() - 1 (line 5)"), "{text}");
    assert!(rest.contains("for t in 0..steps") && !parallel.contains("for t"), "{text}");
    assert!(
        rest.contains("forward: an iteration reads what another iteration wrote (an element of `u`)"),
        "{text}"
    );
    // another array would not help
    assert!(!rest.contains("to run it in parallel"), "{text}");
    assert!(rest.contains("  tapes: 8 * ") && rest.contains("u_tape: "), "{text}");
    assert!(text.contains("every loop, tape and sum: `heat::DECISIONS`"), "{text}");
}

#[test]
fn advice_is_for_what_may_be_otherwise() {
    let text = summary(
        "fn moved(x: &mut [f64], from: &[usize]) {
            for i in 0..from.len() { x[i] = x[from[i]].exp().sin().cos(); }
        }",
    );
    assert!(
        text.contains("an iteration may read what another iteration wrote (an element of `x`)"),
        "{text}"
    );
    assert!(text.contains("to run it in parallel: write into another array than the loop reads"), "{text}");
}

#[test]
fn nothing_is_said_of_loops_that_have_no_reason() {
    let recurrence = "fn f(x: &[f64], w: &[f64]) -> f64 {
        let mut total = 0.0;
        for i in 0..x.len() {
            let mut v = x[i];
            for j in 0..w.len() { v = (v * w[j]).sin(); }
            total += v;
        }
        total
    }";
    let text = summary(recurrence);
    let expected = "f: value and gradient in one sweep; 1 loop in parallel\n  in parallel\n    for i in 0..x.len() (line 3)\n";
    assert!(text.starts_with(expected), "{text}");
    let sequential = Options { sequential: true, ..Options::default() };
    let text = plan_with(&sequential, recurrence).expect("accepted").summary;
    assert!(
        text.starts_with("f: value and gradient in one sweep; every loop is sequential\n  in order\n"),
        "{text}"
    );
    assert!(text.contains("    for i in 0..x.len() (line 3); for j in 0..w.len() (line 5)\n"), "{text}");
}

#[test]
fn two_sweeps_are_seen_under_conditions() {
    let text = summary(
        "fn f(x: &mut [f64], on: bool) {
            if on {
                for i in 1..x.len() { x[i] = (x[i] * x[i - 1]).sin(); }
            }
        }",
    );
    assert!(text.starts_with("f: value and gradient in two sweeps; "), "{text}");
}

#[test]
fn one_sweep_is_not_called_two() {
    let dot = "fn dot(x: &[f64], y: &[f64]) -> f64 {
        let mut sum = 0.0;
        for i in 0..x.len() { sum += x[i] * y[i]; }
        sum
    }";
    let text = summary(dot);
    assert!(text.starts_with("dot: value and gradient in one sweep; 1 loop in parallel\n"), "{text}");
    assert!(!text.contains("in order") && !text.contains("tapes"), "{text}");
}

#[test]
fn tapes_are_added_up() {
    let text = summary(
        "fn f(x: &mut [f64], y: &mut [f32], n: usize, m: usize) {
            for t in 0..n {
                for i in 0..m { x[i] = x[i].sin() * x[i]; y[i] = y[i].sin() * y[i]; }
                for i in 1..m { x[i] += x[i - 1] * x[i]; }
            }
        }",
    );
    let tapes = text.lines().find(|line| line.starts_with("  tapes: ")).unwrap_or_else(|| panic!("{text}"));
    let total: usize = tapes
        .trim_start_matches("  tapes: ")
        .trim_end_matches(" bytes")
        .split(" + ")
        .filter_map(|term| term.split(" * ").next()?.parse::<usize>().ok())
        .sum();
    let each = |line: &str| -> Option<usize> {
        let (names, size) = line.trim().split_once(": ")?;
        let bytes: usize = size.split(" of ").nth(1)?.split(' ').next()?.parse().ok()?;
        let each = line.split(" each, ").nth(1).and_then(|rest| rest.split(' ').next()?.parse().ok());
        assert!(!line.contains('…') && names.split(", ").count() <= each.unwrap_or(1), "{line}");
        Some(bytes * each.unwrap_or(1))
    };
    let listed: usize = text.lines().filter(|line| line.contains("_tape")).filter_map(each).sum();
    assert!(total > 0 && total == listed, "{text}");
}

#[test]
fn sums_in_copies_say_why() {
    let text = summary(
        "fn histogram(x: &[f64], class: &[usize], y: &mut [f64; 64]) {
            for i in 0..x.len() { y[class[i]] += x[i].exp().sin(); }
        }",
    );
    let (_, copies) = text.split_once("  sums in copies\n").unwrap_or_else(|| panic!("{text}"));
    assert!(
        copies
            .lines()
            .next()
            .is_some_and(|line| line.starts_with("    y: window copies, y_total of 8 bytes: a copy a chunk")),
        "{text}"
    );
}

#[test]
fn copies_of_arrays_in_parallel_are_not_the_loop_that_they_are_made_for() {
    // in each step, parallel loops store `u` and set `d_c` and `d_d` to zero
    let source = "fn f(u0: &[f64], steps: usize) -> f64 {
        let n = u0.len();
        let mut u = u0.to_vec();
        let (mut c, mut d) = (vec![0.0; n], vec![0.0; n]);
        for _ in 0..steps {
            c[0] = u[0].sin();
            for i in 1..n {
                c[i] = u[i] / (2.0 + c[i - 1]);
                d[i] = u[i] * c[i - 1] + d[i - 1];
            }
            for i in 0..n {
                u[i] = d[i] * c[i].cos();
            }
        }
        u.iter().sum()
    }";
    let plan = plan(source).expect("it is accepted");
    let line = plan.summary.lines().find(|line| line.contains("for round in 0..steps")).expect("it is shown");
    let reversed = plan.decisions.lines().find(|line| line.contains("for round in 0..steps, downwards"));
    assert!(reversed.is_some_and(|line| line.contains("sequential")), "{}", plan.decisions);
    assert!(plan.decisions.contains("128 lanes: d_c[b + l] = 0.0"), "{}", plan.decisions);
    assert!(!line.contains("in parallel"), "{line}");
}
