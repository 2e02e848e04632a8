//! Control flow without effect.
//!
//! ```text
//! before                                   after
//!   if true { a } else { b }                 a
//!   if c { }                                 nothing                     c may be dropped
//!   for i in 0..n { }                        nothing                     the bounds may be dropped
//!   scope t { a }                            a                           t does not occur in a
//!   check true                               nothing                     what it would show is not evaluated
//!   if c { a }; if c { b }                   if c { a; b }               a writes nothing that c reads
//!   if c { a }; if !c { b }                  if c { a } else { b }       as above
//! ```
//!
//! *Legality.* A condition, bound or extent is dropped only where that changes no panic of the primal. The second of
//! two equal conditions has the value of the first, as nothing that it reads was written in between. A loop that
//! iterates forever is not a loop of the IR: `For` ends, and a `While` stays.

use crate::ir::negated;
use crate::ir::{Block, ExprKind, For, Phase, Program, Role, Stmt, StmtKind, declared, mentioned, written};

/// Flattens the program; whether it changed.
pub(super) fn flatten(program: &mut Program) -> bool {
    program.with_body(|program, body| flatten_block(program, body))
}

fn flatten_block(program: &Program, block: &mut Block) -> bool {
    let mut changed = false;
    let mut out: Block = Vec::with_capacity(block.len());
    for mut stmt in block.drain(..) {
        stmt.blocks_mut().into_iter().for_each(|inner| changed |= flatten_block(program, inner));
        changed |= drop_unused_buffers(program, &mut stmt);
        if let Some(inner) = what_remains(&mut stmt) {
            changed = true;
            out.extend(inner);
            continue;
        }
        match out.last_mut() {
            None => out.push(stmt),
            Some(last) => match merged(program, last, stmt) {
                None => changed = true,
                Some(stmt) => out.push(stmt),
            },
        }
    }
    *block = out;
    changed
}

/// What a statement without effect of its own leaves; `None` if it has to stay.
fn what_remains(stmt: &mut Stmt) -> Option<Block> {
    let phase = stmt.origin.phase;
    match &mut stmt.kind {
        StmtKind::If { cond, then, els } => match cond.kind {
            ExprKind::Bool(true) => Some(std::mem::take(then)),
            ExprKind::Bool(false) => Some(std::mem::take(els)),
            _ => {
                let no_effect = then.is_empty() && els.is_empty() && cond.may_be_dropped(phase);
                no_effect.then(Vec::new)
            }
        },
        StmtKind::For(For { lo, hi, step, body, .. }) => {
            let may_go = [lo, hi, step].iter().all(|bound| bound.may_be_dropped(phase));
            (body.is_empty() && may_go).then(Vec::new)
        }
        StmtKind::Scope { buffers, body } if buffers.is_empty() => Some(std::mem::take(body)),
        StmtKind::Check { cond, .. } if cond.kind == ExprKind::Bool(true) => Some(Vec::new()),
        _ => None,
    }
}

/// Moves the arms of `next` into `last` if both have one condition; gives `next` back otherwise.
fn merged(program: &Program, last: &mut Stmt, next: Stmt) -> Option<Stmt> {
    let (StmtKind::If { cond, then, els }, StmtKind::If { cond: again, .. }) = (&mut last.kind, &next.kind)
    else {
        return Some(next);
    };
    let is_opposite = cond != again && *again == negated(cond.clone());
    if last.origin.phase != next.origin.phase || !(is_opposite || cond == again) {
        return Some(next);
    }
    let mut writes = written(then);
    writes.union(&written(els));
    if cond.reads_any(program, &writes) {
        return Some(next);
    }
    if let StmtKind::If { then: mut more, els: mut more_els, .. } = next.kind {
        if is_opposite {
            std::mem::swap(&mut more, &mut more_els);
        }
        then.extend(more);
        els.extend(more_els);
    }
    None
}

/// Takes the buffers that do not occur out of a `Scope`.
fn drop_unused_buffers(program: &Program, stmt: &mut Stmt) -> bool {
    let phase = stmt.origin.phase;
    let Some((buffers, body)) = stmt.as_scope_mut() else { return false };
    let mut used = mentioned(program, body);
    used.union(&declared(body));
    let before = buffers.len();
    // extents and row starts of a buffer that stays are used as well; they stand before it
    for index in (0..buffers.len()).rev() {
        let buffer = &program[buffers[index]];
        let is_user = matches!(buffer.role, Role::Local) && phase == Phase::Primal;
        let may_go = buffer.dims.iter().all(|extent| !is_user || extent.is_total());
        if may_go && !used.contains(buffers[index]) {
            buffers.remove(index);
        } else {
            used.insert(buffers[index]);
            buffer.dims.iter().for_each(|extent| extent.each_named(&mut |of| _ = used.insert(of)));
        }
    }
    buffers.len() < before
}

#[cfg(test)]
mod tests {
    use super::flatten;
    use crate::equivalence::{assert_pass, assert_unchanged};
    use crate::ir::Program;
    use crate::ir::interp::Array;

    fn control(mut program: Program) -> Program {
        flatten(&mut program);
        program
    }

    #[test]
    fn what_does_nothing_goes_and_equal_conditions_are_one() {
        assert_pass(
            control,
            "
            fn f(x: in f64, n: in usize) -> s: f64
              scope unused: f64, t: f64, work: f64[n]
                if x > 0.0
                  t = x
                else
                  t = 1.0
                if x > 0.0
                  s = t * t
                else
                  s = t
                if true
                  s += 1.0
                if x > 1.0
                  s += x
                if !(x > 1.0)
                  s += 2.0
                for i in 0..n
                  if x < 0.0
                scope more: f64[n]
                  for j in 0..n
            ",
            "
            fn f(x: in f64, n: in usize) -> s: f64
              scope t: f64
                if x > 0.0
                  t = x
                  s = t * t
                else
                  t = 1.0
                  s = t
                s += 1.0
                if x > 1.0
                  s += x
                else
                  s += 2.0
            ",
            vec![vec![Array::float(2.0), Array::int(2)], vec![Array::float(-2.0), Array::int(0)]],
        );
    }

    #[test]
    fn conditions_that_change_and_expressions_that_panic_stay() {
        assert_unchanged(
            control,
            "
            fn f(n: in usize) -> s: f64
              scope x: f64, work: f64[n - 1]
                x = 1.0
                if x > 0.0
                  x = -1.0
                if x > 0.0
                  s = 1.0
                else
                  s = 2.0
                for i in 0..n - 2
                if n - 3 > 0
            ",
        );
    }
}
