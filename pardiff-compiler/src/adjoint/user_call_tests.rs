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

#[test]
fn rules_have_no_derivatives() {
    let primal = parse(CALLS).unwrap_or_else(|error| panic!("{error}"));
    let wrt = &primal.params[..2];
    let reversed = reverse(&primal, wrt).unwrap_or_else(|refusals| panic!("{refusals:?}"));
    let refused = second_order(&reversed, wrt, true).expect_err("the rule is not looked into");
    assert!(refused[0].what.contains("through `g`"), "{}", refused[0].what);
}
