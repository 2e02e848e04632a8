//! Sums of an inner loop into one element are made in a register, and added to the element behind the loop.
//!
//! ```text
//! for i in 0..n                          for i in 0..n
//!   for k in lo..hi               =>       scope y_sum: f64
//!     y[i] += a[i, k] * x[k]                 y_sum = 0
//!                                            for k in lo..hi
//!                                              y_sum += a[i, k] * x[k]
//!                                            if lo < hi
//!                                              y[i] += y_sum
//! ```
//!
//! A compiler of kernels may not do this: another pointer might be one to the same element, so that each addition waits for the store
//! of the one before. And the threads of a block may share out a loop that sums into a register.
//!
//! **Legality.** The loop does nothing to the array but add to that element, which nothing in the loop changes, and every
//! iteration does: if there is an iteration, the element is there. Float sums are reordered, so nothing happens under
//! `strict`.

use crate::ir::{BinOp, Block, Expr, Place, Program, ReduceOp, Role, Scheme, Stmt, StmtKind, any};
use crate::schedule::parallel::only_updated;
use crate::schedule::scalar_replacement::{redirect, updated};

/// Makes such sums of the innermost loops that stand in other loops.
pub(super) fn sum_in_registers(program: &mut Program) {
    program.with_body(|program, body| in_block(program, body, false));
}

fn in_block(program: &mut Program, block: &mut Block, in_loop: bool) {
    for stmt in block {
        let is_loop = stmt.is_loop();
        if in_loop && stmt.as_for().is_some_and(|each| !any(&each.body, &mut |stmt| stmt.is_loop())) {
            innermost(program, stmt);
            continue;
        }
        stmt.blocks_mut().into_iter().for_each(|inner| in_block(program, inner, in_loop || is_loop));
    }
}

fn innermost(program: &mut Program, stmt: &mut Stmt) {
    let Some(each) = stmt.as_for() else { return };
    let only = only_updated(&each.body);
    let is_sum = |buffer| only.get(&buffer) == Some(&Some(ReduceOp::Add)) && program[buffer].elem.is_float();
    let places = updated(program, each, &is_sum);
    if places.is_empty() {
        return;
    }
    let op = if each.inclusive { BinOp::Le } else { BinOp::Lt };
    let cond = Expr::binary(op, each.lo.clone(), each.hi.clone());
    let origin = stmt.origin;
    let (mut sums, mut body, mut added) = (Vec::new(), Block::new(), Block::new());
    let mut inner = stmt.clone();
    for target in places {
        let (name, elem) = (format!("{}_sum", program[target.buffer].name), program[target.buffer].elem);
        let sum = program.add_scalar(&name, elem, Role::Local);
        redirect(&mut inner, &target, sum);
        sums.push(sum);
        body.push(Stmt::assign(Place::scalar(sum), Expr::float(elem, 0.0), origin));
        let (op, value) = (ReduceOp::Add, program.load_scalar(sum));
        added.push(Stmt::new(StmtKind::Reduce { op, target, value, scheme: Scheme::Undecided }, origin));
    }
    body.push(inner);
    body.push(Stmt::when(cond, added, origin));
    *stmt = Stmt::scope(sums, body, origin);
}
