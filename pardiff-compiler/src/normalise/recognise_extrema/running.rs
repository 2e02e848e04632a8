//! A variable that is replaced by what is greater is a running maximum.
//!
//! ```text
//! before                                   after
//!   s = 0.0                                  s = 0.0
//!   for i in 0..n                            for i in 0..n
//!     if abs(x[i]) > s                         s = max(s, abs(x[i]))
//!       s = abs(x[i])
//! ```
//!
//! *Legality.* All that the variable is ever assigned is a number that is no NaN, or something that compared as greater, so it is never
//! NaN itself. A NaN compares as not greater, and the maximum of a number and a NaN is the number. Of equal values the
//! variable keeps its own, which is where the adjoint of a maximum goes; of two zeros of different sign the maximum may be either,
//! as of every running maximum. With `>=` the last of equal values would be the one, and the condition stays. The checks under the
//! condition are those that its own evaluation has passed.

use crate::ir::{
    BinOp, Block, BufferId, BufferSet, Expr, ExprKind, Func, Place, Program, Role, Stmt, StmtKind,
};

/// What constants of the standard library that are numbers are called.
const NUMBERS: [&str; 6] = ["MIN", "MAX", "INFINITY", "NEG_INFINITY", "MIN_POSITIVE", "EPSILON"];

/// Makes maxima and minima of such conditions.
pub fn run(mut program: Program) -> Program {
    let mut others = BufferSet::new();
    note_others(&program, &program.body, &mut others);
    let mut body = std::mem::take(&mut program.body);
    rewrite(&program, &mut body, &others);
    Program { body, ..program }
}

/// Notes the scalars that are assigned anything else.
fn note_others(program: &Program, block: &Block, others: &mut BufferSet) {
    for (at, stmt) in block.iter().enumerate() {
        let is_numbered = stmt.as_scalar_assign().is_some_and(|(_, value)| is_number(program, value));
        if is_numbered || replaced(program, block, at).is_some() {
            continue;
        }
        stmt.writes_itself(&mut |buffer| _ = others.insert(buffer));
        stmt.blocks().into_iter().for_each(|inner| note_others(program, inner, others));
    }
}

fn rewrite(program: &Program, block: &mut Block, others: &BufferSet) {
    for at in 0..block.len() {
        match replaced(program, block, at) {
            Some((target, func, item)) if !others.contains(target) => {
                let own = program.load_scalar(target);
                let value = Expr::call(item.ty, func, vec![own, item.clone()]);
                block[at].kind = StmtKind::Assign { target: Place::scalar(target), value };
            }
            _ => block[at].blocks_mut().into_iter().for_each(|inner| rewrite(program, inner, others)),
        }
    }
}

/// The local that the statement at `at` replaces by an item if that is greater, or less; as a maximum or minimum.
fn replaced<'p>(program: &Program, block: &'p Block, at: usize) -> Option<(BufferId, Func, &'p Expr)> {
    let (cond, then, els) = block[at].as_if()?;
    let ExprKind::Binary(op @ (BinOp::Gt | BinOp::Lt), a, b) = &cond.kind else { return None };
    let (last, checks) = then.split_last()?;
    let (target, value) = last.as_assign()?;
    let is_own = |side: &Expr| matches!(&side.kind, ExprKind::Load(place) if place == target);
    let func = match (is_own(a) && value == &**b, is_own(b) && value == &**a, op) {
        (false, true, BinOp::Gt) | (true, false, BinOp::Lt) => Func::Max,
        (false, true, BinOp::Lt) | (true, false, BinOp::Gt) => Func::Min,
        _ => return None,
    };
    let passed = block[..at].iter().rev().take_while(|stmt| stmt.as_check().is_some());
    let is_passed = |check: &Stmt| passed.clone().any(|other| other.kind == check.kind);
    let is_local = target.index.is_empty() && program[target.buffer].role == Role::Local;
    (is_local && value.ty.is_float() && els.is_empty() && checks.iter().all(is_passed)).then_some((
        target.buffer,
        func,
        value,
    ))
}

/// Whether the value is a constant and no NaN.
fn is_number(program: &Program, value: &Expr) -> bool {
    match &value.kind {
        ExprKind::Float(number) => !number.is_nan(),
        ExprKind::Unary(_, operand) => value.ty.is_float() && is_number(program, operand),
        ExprKind::Opaque(constant) => {
            let path: Vec<&str> = program[*constant].text.split("::").map(str::trim).collect();
            let [.., ty, name] = &path[..] else { return false };
            ["f32", "f64"].contains(ty) && NUMBERS.contains(name)
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::run;
    use crate::equivalence::{assert_pass, assert_unchanged};
    use crate::ir::interp::Array;

    /// A loop over `x` with these statements, in front of which `s` is `first`.
    fn looped(first: &str, stmts: &[&str]) -> String {
        let head = [
            "fn f(x: in f64[_], y: in f64) -> r: f64".to_owned(),
            "  opaque LEAST: f64 = \"f64::NEG_INFINITY\"".to_owned(),
            "  opaque NONE: f64 = \"limits::MAX\"".to_owned(),
            "  scope s: f64".to_owned(),
            format!("    s = {first}"),
            "    for i in 0..len(x)".to_owned(),
        ];
        let stmts = stmts.iter().map(|stmt| format!("      {stmt}"));
        let lines: Vec<String> = head.into_iter().chain(stmts).collect();
        lines.join("\n") + "\n    r = s"
    }

    #[test]
    fn what_is_replaced_by_what_is_greater_is_a_maximum() {
        let nan = f64::NAN;
        let runs = || {
            let rows: [&[f64]; 4] = [&[1.0, -3.0, 3.0, nan, 2.0], &[nan, nan], &[], &[-0.5]];
            rows.map(|x| vec![Array::floats(x), Array::float(0.0)]).to_vec()
        };
        let check = "check i < len(x) \"x[i]\"";
        for (cond, made) in [
            ("abs(x[i]) > s", "max"),
            ("s < abs(x[i])", "max"),
            ("abs(x[i]) < s", "min"),
            ("s > abs(x[i])", "min"),
        ] {
            let (cond, made) = (format!("if {cond}"), format!("s = {made}(s, abs(x[i]))"));
            let inside = format!("  {check}");
            let before = [check, &cond, &inside, "  s = abs(x[i])"];
            let after = [check, &made];
            for (first, runs) in [("0.5", runs()), ("-2.0", runs()), ("LEAST", Vec::new())] {
                assert_pass(run, &looped(first, &before), &looped(first, &after), runs);
            }
        }
    }

    #[test]
    fn other_conditions_stay() {
        let stays = |first: &str, stmts: &[&str]| assert_unchanged(run, &looped(first, stmts));
        let greater = ["if x[i] > s", "  s = x[i]"];
        // what may be NaN, in front of the loop or in it
        stays("y", &greater);
        stays("NONE", &greater);
        stays("0.0", &[&greater[..], &["s = s * x[i]"]].concat());
        // the last of equal ones, another item, more than that, a check that was not passed
        stays("0.0", &["if x[i] >= s", "  s = x[i]"]);
        stays("0.0", &["if x[i] > s", "  s = y"]);
        stays("0.0", &["if x[i] > s", "  s = x[i]", "else", "  s = 0.0"]);
        stays("0.0", &["if x[i] > s", "  check y > 0.0 \"y\"", "  s = x[i]"]);
    }
}
