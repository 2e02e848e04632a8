//! Sums under conditions become sums of what is neutral, and what two lane loops would hand on is made where it is used.

use super::{assert_text, same_in_blocks};
use crate::ir::Program;

fn blocks(body: &str) -> Program {
    let text = format!(
        "
        fn f(x: in f64[_], y: inout f64[_], n: in usize, m: in usize, flag: in bool)
          for i in 0..n
            scope s: f64, t: f64, u: f64, p: usize
{}
        ",
        body.lines().map(|line| format!("              {line}")).collect::<Vec<_>>().join("\n")
    );
    same_in_blocks(&text)
}

#[test]
fn cheap_sums_under_a_condition_are_sums_of_what_is_neutral() {
    let after = blocks(
        "s = 0.0\nt = x[i] - 0.5\nif t > 0.0\n  s += -t\nelse\n  s += t * 2.0\nfor j in 0..m\n  y[i * m + j] += s * x[j]",
    );
    assert_text(&after, "s_held += select(t > 0.0, -t, -0.0)\ns_held += select(t > 0.0, -0.0, t * 2.0)");
}

#[test]
fn conditions_around_anything_else_stay() {
    for (stmts, stays) in [
        // what may panic, or is read from memory
        ("if t > 0.0\n  s += x[i + 1]", "if t > 0.0"),
        // no sum
        ("if t > 0.0\n  s = t", "if t > 0.0"),
        // changes what the condition reads
        ("if t > 0.0\n  t += s\n  s += t", "if t > 0.0"),
        // a local that has a value under the condition alone
        ("if t > 0.0\n  u = t\nif t > 0.0\n  u += t\n  s += u", "if t > 0.0"),
        // dear
        ("if t > 0.0\n  s += exp(t)", "if t > 0.0"),
    ] {
        let body = format!("s = 0.0\nt = x[i]\n{stmts}\nfor j in 0..m\n  y[i * m + j] += s * x[j]");
        let after = blocks(&body).to_string();
        assert!(after.contains(stays) && !after.contains("select"), "{after}");
    }
}

#[test]
fn what_one_later_lane_loop_uses_is_made_there() {
    let after =
        blocks("u = 0.0\ns = 0.0\nt = x[i]\nfor j in 0..m\n  s += t * x[j]\nu += s\nu += t\ny[i] = u * u");
    assert_text(&after, "scope u: f64\n  u = 0.0\n  u += s[l.3]\n  u += t[l.3]");
}

#[test]
fn what_is_used_or_changed_in_between_is_made_first() {
    // `u` reads what the loop between changes, or the loop reads `u`
    for body in [
        "s = x[i]\nu = s\nfor j in 0..m\n  s += x[j]\ny[i] = u * s",
        "s = 0.0\nu = x[i]\nfor j in 0..m\n  s += u * x[j]\ny[i] = u * s",
    ] {
        let after = blocks(body).to_string();
        assert!(after.contains("u: f64[lanes]") || after.contains("u: f64[128]"), "{after}");
    }
}
