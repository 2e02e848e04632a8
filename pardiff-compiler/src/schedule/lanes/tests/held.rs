//! What a lane loop updates more than once is held in a register.

use super::{assert_text, same_in_blocks};
use crate::ir::Program;

fn held(body: &str) -> Program {
    let text = format!(
        "
        fn f(x: in f64[_], y: inout f64[_], n: in usize, m: in usize)
          for i in 0..n
            scope t: f64[m], u: f64
              for j in 0..m
                t[j] = x[i * m + j]
              for k in 1..m
{}
              for last in 0..m
                y[i * m + last] = t[last]
        ",
        body.lines().map(|line| format!("                {line}")).collect::<Vec<_>>().join("\n")
    );
    same_in_blocks(&text)
}

#[test]
fn updates_of_one_element_are_made_in_a_register() {
    let after = held("t[k] += x[k]\nt[k] += t[k - 1] * x[k]\nt[k] = t[k] * 2.0");
    assert_text(
        &after,
        "
        t_held = t[k, l.2]
        t_held += x[k]
        t_held += t[k - 1, l.2] * x[k]
        t_held = t_held * 2.0
        t[k, l.2] = t_held
        ",
    );
}

#[test]
fn what_is_overwritten_first_is_not_loaded() {
    let after = held("t[k] = x[i * m + k]\nt[k] += x[k]");
    assert_text(&after, "t_held = x[(b + l.2) * m + k]\nt_held += x[k]\nt[k, l.2] = t_held");
}

#[test]
fn elements_that_may_be_one_are_not_held() {
    for body in [
        "t[k] += x[k]\nt[m - k] += x[k]\nt[k] += x[k]",
        "t[k] += x[k]\nif x[i] > 0.0\n  t[k] = 1.0\nt[k] += x[k]",
    ] {
        let after = held(body);
        assert!(!after.to_string().contains("_held"), "{after}");
    }
}
