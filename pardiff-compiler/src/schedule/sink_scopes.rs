//! A scalar that one arm of a condition alone mentions lives in that arm.
//!
//! ```text
//! scope d_x: f64                           scope
//!   if r < reach                             if r < reach
//!     d_x = d_e * k                =>          scope d_x: f64
//!     y += d_x                                   d_x = d_e * k
//!                                                y += d_x
//! ```
//!
//! Statements are moved into arms, see `skip_zero_adjoints`, and zeros in front of them are dropped, see `accumulate`. In lanes a local
//! from outside of an arm keeps what it was in lanes that do not take it: with every assignment the lanes choose. A local of
//! the arm has no such value.
//!
//! *Legality.* The content of a local is unspecified where its scope begins. An arm is executed at most once in a scope
//! around its condition, so nothing that is written in one execution is read in another; arms in loops are, unless the
//! scope is in the loop as well.

use crate::ir::{Block, BufferId, Program, Stmt, StmtKind, mentioned};

/// Moves the declarations of scalars into the arms that alone mention them.
pub(super) fn declare_in_arms(program: &mut Program) {
    program.with_body(|program, body| in_block(program, body));
}

fn in_block(program: &Program, block: &mut Block) {
    for stmt in block.iter_mut() {
        if let Some((buffers, body)) = stmt.as_scope_mut()
            && has_arms(body)
        {
            buffers.retain(|&buffer| program[buffer].rank() > 0 || !moved(program, body, buffer));
        }
        stmt.blocks_mut().into_iter().for_each(|inner| in_block(program, inner));
    }
}

fn has_arms(block: &Block) -> bool {
    block.iter().any(|stmt| stmt.as_if().is_some() || stmt.as_scope().is_some_and(|(_, body)| has_arms(body)))
}

/// Declares a scalar in the arm of a condition in the block if nothing else mentions it; whether it did.
fn moved(program: &Program, block: &mut Block, buffer: BufferId) -> bool {
    let mentions = |stmt: &Stmt| mentioned(program, std::slice::from_ref(stmt)).contains(buffer);
    let mut users = block.iter_mut().filter(|stmt| mentions(stmt));
    let (Some(user), None) = (users.next(), users.next()) else { return false };
    let origin = user.origin;
    match &mut user.kind {
        // what stands in a scope alone stands in the block
        StmtKind::Scope { body, .. } => moved(program, body, buffer),
        StmtKind::If { cond, then, els } => {
            let of_arm = |arm: &Block| mentioned(program, arm).contains(buffer);
            let arm = match (of_arm(then), of_arm(els)) {
                (true, false) => then,
                (false, true) => els,
                _ => return false,
            };
            let in_cond = cond.reads_buffer(program, buffer);
            if in_cond {
                return false;
            }
            if moved(program, arm, buffer) {
                return true;
            }
            if let [only] = arm.as_mut_slice()
                && let Some((buffers, _)) = only.as_scope_mut()
            {
                buffers.push(buffer);
            } else {
                let body = std::mem::take(arm);
                arm.push(Stmt::scope(vec![buffer], body, origin));
            }
            true
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::declare_in_arms;
    use crate::equivalence::{assert_pass, assert_unchanged};
    use crate::ir::interp::Array;

    #[test]
    fn what_an_arm_alone_mentions_is_its_own() {
        assert_pass(
            |mut program| {
                declare_in_arms(&mut program);
                program
            },
            "
            fn f(x: in f64[_], y: inout f64[len(x)])
              for i in 0..len(x)
                scope a: f64, b: f64, c: f64
                  a = x[i]
                  if a > 0.0
                    b = a * a
                    y[i] += b
                  else
                    if a < -1.0
                      c = a * 2.0
                      y[i] += c
            ",
            "
            fn f(x: in f64[_], y: inout f64[len(x)])
              for i in 0..len(x)
                scope a: f64
                  a = x[i]
                  if a > 0.0
                    scope b: f64
                      b = a * a
                      y[i] += b
                  else
                    if a < -1.0
                      scope c: f64
                        c = a * 2.0
                        y[i] += c
            ",
            vec![vec![Array::floats(&[1.0, -2.0, -0.5]), Array::floats(&[0.5, 1.5, 2.5])]],
        );
    }

    #[test]
    fn what_others_mention_or_a_loop_keeps_stays() {
        assert_unchanged(
            |mut program| {
                declare_in_arms(&mut program);
                program
            },
            "
            fn f(x: in f64[_], y: inout f64[len(x)])
              scope a: f64, b: f64, c: f64, d: f64[2]
                a = 0.0
                for i in 0..len(x)
                  if x[i] > 0.0
                    a += x[i]
                    y[i] = a
                b = x[0]
                if b > 0.0
                  y[0] = b
                if x[0] > 0.0
                  c = 1.0
                else
                  c = 2.0
                if x[0] > 0.0
                  d[0] = 1.0
                  y[0] += d[0] + c
            ",
        );
    }
}
