use super::skip_zero_adjoints::skip;
use crate::equivalence::{assert_pass, assert_unchanged, program};
use crate::ir::Program;
use crate::ir::interp::{Array, no_paths, run};

fn skipped(mut program: Program) -> Program {
    skip(&mut program);
    program
}

fn args(x: &[f64]) -> Vec<Array<f64>> {
    vec![Array::floats(x), Array::floats(&vec![0.5; x.len()])]
}

/// A loop body around statements.
fn with(stmts: &[&str]) -> String {
    let head = [
        "fn f(x: in f64[_], d_x: adjoint(x) f64[len(x)])",
        "  for i in 0..len(x) sequential",
        "    scope r: f64, d_r: adjoint(r) f64, d_s: adjoint(r) f64",
        "      r = x[i]",
        "      d_r = 0.0 # adjoint",
        "      d_s = 0.0 # adjoint",
    ];
    let stmts = stmts.iter().map(|stmt| format!("      {stmt}"));
    head.iter().map(|line| (*line).to_owned()).chain(stmts).collect::<Vec<_>>().join("\n")
}

const SOMETIMES: [&str; 2] = ["if r < 1.0", "  d_r += 3.0 * r # adjoint"];

#[test]
fn what_an_adjoint_that_is_seldom_not_zero_contributes_is_skipped() {
    let [cond, add] = SOMETIMES;
    let before = [
        cond,
        add,
        "d_s += -d_r # adjoint",
        "scope t: f64 # adjoint",
        "  t = d_r / (2.0 * r)",
        "  d_x[i] += t * r + d_s / r",
    ];
    let after = [
        cond,
        add,
        "if d_r != 0.0 # adjoint",
        "  d_s += -d_r",
        "  scope t: f64",
        "    t = d_r / (2.0 * r)",
        "    d_x[i] += t * r + d_s / r",
    ];
    let runs = vec![args(&[]), args(&[0.5, 2.0, -1.0, 3.0])];
    assert_pass(skipped, &with(&before), &with(&after), runs);
    // nothing comes through an infinite derivative either
    let zero = args(&[0.0]);
    let made = run::<f64>(&skipped(program(&with(&before))), zero, &no_paths);
    assert_eq!(made.map(|outcome| outcome.params[1].reals()), Ok(vec![0.5]));
}

/// Sums of products, six of them dear enough to be skipped.
fn products() -> Vec<String> {
    (2..8).map(|k| format!("d_x[i] += d_r * r * {k}.0 # adjoint")).collect()
}

#[test]
fn sums_of_products_go_into_the_arm_that_adds_to_their_adjoints() {
    let [cond, add] = SOMETIMES;
    let sums = products();
    let behind = |head: &[&'static str]| -> Vec<String> {
        head.iter().map(|line| (*line).to_owned()).chain(sums.clone()).collect()
    };
    let made = |head: &[&'static str]| -> Vec<String> {
        let inside = sums.iter().map(|sum| format!("  {sum}"));
        head.iter().map(|line| (*line).to_owned()).chain(inside).collect()
    };
    let text = |lines: Vec<String>| with(&lines.iter().map(String::as_str).collect::<Vec<_>>());
    let runs = vec![args(&[]), args(&[0.5, 2.0, -1.0, 3.0, 0.0])];
    assert_pass(skipped, &text(behind(&[cond, add])), &text(made(&[cond, add])), runs.clone());
    // the other arm
    let other = [cond, "  r = 2.0", "else", add];
    assert_pass(skipped, &text(behind(&other)), &text(made(&other)), runs.clone());
    // two conditions may have added, or something stands between
    let question = |head: &[&'static str]| {
        let mut lines: Vec<String> = head.iter().map(|line| (*line).to_owned()).collect();
        lines.push("if d_r != 0.0 # adjoint".to_owned());
        lines.extend(sums.iter().map(|sum| format!("  {}", sum.trim_end_matches(" # adjoint"))));
        text(lines)
    };
    for head in [vec!["if r < 0.0", "  d_r += r # adjoint", cond, add], vec![cond, add, "r = 4.0"]] {
        assert_pass(skipped, &text(behind(&head)), &question(&head), runs.clone());
    }
}

#[test]
fn variables_of_the_scope_may_be_given_a_value_and_scopes_are_joined() {
    let before = |last: &[&str]| {
        let mut lines = vec![
            "scope q: f64, d_q: adjoint(r) f64",
            "  q = x[i] + 1.0",
            "  if r < 1.0",
            "    d_r += 3.0 * r # adjoint",
            "  scope u: f64",
            "    u = 2.0 * q",
            "    d_q = d_r / u # adjoint",
        ];
        lines.extend(last);
        with(&lines)
    };
    let after = |last: &[&str]| {
        let mut lines = vec![
            "scope q: f64, d_q: adjoint(r) f64, u: f64",
            "  q = x[i] + 1.0",
            "  if r < 1.0",
            "    d_r += 3.0 * r # adjoint",
            "  u = 2.0 * q",
            "  if d_r != 0.0 # adjoint",
            "    d_q = d_r / u",
        ];
        lines.extend(last);
        with(&lines)
    };
    let runs = vec![args(&[]), args(&[0.5, 2.0, -1.0, 3.0])];
    let sum = ["  d_x[i] += d_q / r * (q / r) # adjoint"];
    assert_pass(skipped, &before(&sum), &after(&["    d_x[i] += d_q / r * (q / r)"]), runs.clone());
    // what is read behind is zero where the statements are skipped
    let sums = [sum[0], "  d_x[i] += d_q * q + 1.0 # adjoint"];
    let made =
        ["    d_x[i] += d_q / r * (q / r)", "  else", "    d_q = 0.0", "  d_x[i] += d_q * q + 1.0 # adjoint"];
    assert_pass(skipped, &before(&sums), &after(&made), runs);
    // under a condition of its own it may keep what it had
    assert_unchanged(
        skipped,
        &before(&["  d_q = 3.0 # adjoint", "  if q > 1.0", "    d_q = d_r / r / q / r # adjoint"]),
    );
}

#[test]
fn what_need_not_be_zero_or_is_cheap_stays() {
    let [cond, add] = SOMETIMES;
    let use_it = "d_x[i] += d_r / (2.0 * r) * (r / (3.0 * r)) # adjoint";
    // added to under no condition
    assert_unchanged(skipped, &with(&["d_r += 3.0 * r # adjoint", use_it]));
    // in both arms
    assert_unchanged(skipped, &with(&[cond, add, "else", "  d_r += r # adjoint", use_it]));
    // with a term that is not zero
    let constant = "d_x[i] += d_r / (2.0 * r) * (r / (3.0 * r)) + r # adjoint";
    assert_unchanged(skipped, &with(&[cond, add, constant]));
    // a statement of the primal
    assert_unchanged(skipped, &with(&[cond, add, "d_x[i] += d_r / (2.0 * r) * (r / (3.0 * r))"]));
    // cheap
    assert_unchanged(skipped, &with(&[cond, add, "d_x[i] += d_r * r # adjoint"]));
}
