//! Calls of the user's functions and their rules, as programs.

use super::{reverse, second_order, tangent};
use crate::ir::{Program, parse, verify};

const CALLS: &str = "\
fn f(x: in f64[_], s: in f64, y: inout f64[_], n: in usize) -> r: f64
  scope q: f64
    call user g vjp g_vjp jvp g_jvp (shared, s * s, mut, n) reads(x, y) writes(y, q)
    r = q
";

fn derived(text: &str, of: impl Fn(&Program) -> Result<Program, Vec<crate::refusal::Refusal>>) -> String {
    let primal = parse(text).unwrap_or_else(|error| panic!("{error}"));
    verify::verify(&primal).expect("the primal is a program");
    let derived = of(&primal).unwrap_or_else(|refusals| panic!("{refusals:?}"));
    verify::verify(&derived).unwrap_or_else(|violations| panic!("{violations:?}\n{derived}"));
    derived.to_string()
}

#[test]
fn the_reverse_sweep_calls_the_rule_with_what_the_call_found() {
    let text = derived(CALLS, |primal| reverse(primal, &primal.params[..2]));
    assert!(
        text.contains(
            "call user g_vjp (shared, mut, s * s, mut, mut, mut, n, t.2) reads(x, d_x, t, y.2, d_y) writes(d_x, t, y.2, d_y)"
        ),
        "{text}"
    );
    assert!(text.contains("y_tape[e] = y[e]"), "{text}");
    assert!(!text.contains("x_tape"), "what nothing writes is in place\n{text}");
    assert!(text.contains("d_s += t * s"), "{text}");
}

#[test]
fn the_forward_rule_stands_in_the_place_of_the_call() {
    let text = derived(CALLS, |primal| tangent(primal, &primal.params[..1]));
    assert!(
        text.contains(
            "call user g_jvp (shared, shared, s * s, 0.0, mut, mut, n) reads(x, x_dot, y, y_dot) writes(y, y_dot, q, q_dot)"
        ),
        "{text}"
    );
    assert!(!text.contains("user g "), "{text}");
}

fn second(text: &str) -> Result<Program, Vec<crate::refusal::Refusal>> {
    let primal = parse(text).unwrap_or_else(|error| panic!("{error}"));
    let wrt = &primal.params[..2];
    let reversed = reverse(&primal, wrt).unwrap_or_else(|refusals| panic!("{refusals:?}"));
    second_order(&reversed, wrt, true)
}

#[test]
fn the_rule_of_a_rule_stands_in_the_place_of_its_call() {
    let with_rule = CALLS.replace(" jvp g_jvp", " jvp g_jvp vjp_jvp g_vjp::jvp");
    let program = second(&with_rule).unwrap_or_else(|refusals| panic!("{refusals:?}"));
    verify::verify(&program).unwrap_or_else(|violations| panic!("{violations:?}\n{program}"));
    let text = program.to_string();
    assert!(text.contains("call user g_jvp (shared, shared, "), "{text}");
    // the adjoint of `x` is no parameter: the rule adds to zeros in its place
    assert!(
        text.contains(
            "call user g_vjp::jvp (shared, shared, mut, mut, s * s, s_dot * s + s * s_dot, mut, mut, mut, mut, mut, mut, n, t.2, 0.0) \
             reads(x, x_dot, d_x.2, d_x_dot, t, t_dot, y.2, y_dot.2, d_y, d_y_dot)"
        ),
        "{text}"
    );
    assert!(!text.contains("user g ") && !text.contains("user g_vjp "), "{text}");
}

#[test]
fn rules_without_rules_have_no_derivatives() {
    let refused = second(CALLS).expect_err("the rule is not looked into");
    assert!(refused[0].what.contains("through the rule `g_vjp`"), "{}", refused[0].what);
    let refused = second(&CALLS.replace(" jvp g_jvp", "")).expect_err("there is no rule for tangents");
    assert!(refused[0].what.contains("`hvp` through `g`"), "{}", refused[0].what);
}
