//! Stores of `true` as or-reductions, which threads make in any order.
//!
//! ```text
//! for i in 0..n                     for i in 0..n
//!   used[key[i]] = true      =>       used[key[i]] max= true
//! ```
//!
//! Elements that iterators name have owners, and stay as they are; so do those that are set for the first time.
//!
//! **Legality.** `true` is the greatest value of its type: the maximum of it and what was there is `true`. So the statement
//! does what it did, and as a reduction it commutes with the others of its kind. An element that an index array names was set
//! before, since arrays are set as a whole where they are declared.

use super::indirect::is_computed;
use crate::ir::{Block, Expr, ExprKind, LoopFacts, Place, Program, ReduceOp, Scheme, StmtKind, Ty};

/// Rewrites the stores of a program into elements that index arrays name.
pub(super) fn from_stores(program: &mut Program) {
    program.with_body(|program, body| in_block(program, body, None));
}

fn in_block(program: &Program, block: &mut Block, inside: Option<&LoopFacts>) {
    for stmt in block {
        let outermost = if inside.is_none() { stmt.as_for().map(LoopFacts::of) } else { None };
        let inside = inside.or(outermost.as_ref());
        let is_mark = |(target, value): (&Place, &Expr)| {
            program[target.buffer].elem == Ty::Bool
                && matches!(value.kind, ExprKind::Bool(true))
                && inside.is_some_and(|inside| is_computed(inside, &target.index))
        };
        let mark =
            stmt.as_assign().filter(|&it| is_mark(it)).map(|(target, value)| (target.clone(), value.clone()));
        if let Some((target, value)) = mark {
            stmt.kind = StmtKind::Reduce { op: ReduceOp::Max, target, value, scheme: Scheme::Undecided };
        }
        stmt.blocks_mut().into_iter().for_each(|inner| in_block(program, inner, inside));
    }
}
