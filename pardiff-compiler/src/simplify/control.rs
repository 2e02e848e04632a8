//! Control flow without effect.
//!
//! ```text
//! before                                   after
//!   if true { a } else { b }                 a
//!   if c { }                                 nothing                     c may be dropped
//!   for i in 0..n { }                        nothing                     the bounds may be dropped
//!   scope t { a }                            a                           t does not occur in a
//!   if c { a }; if c { b }                   if c { a; b }               a writes nothing that c reads
//! ```
//!
//! *Legality.* A condition, bound or extent is dropped only where that changes no panic of the primal. The second of
//! two equal conditions has the value of the first, as nothing that it reads was written in between. A loop that
//! iterates forever is not a loop of the IR: `For` ends, and a `While` stays.

use crate::ir::{Block, BufferSet, ExprKind, For, Layout, Phase, Program, Role, Stmt, StmtKind, written};

/// Flattens the program; whether it changed.
pub(super) fn flatten(program: &mut Program) -> bool {
    let mut body = std::mem::take(&mut program.body);
    let changed = flatten_block(program, &mut body);
    program.body = body;
    changed
}

fn flatten_block(program: &Program, block: &mut Block) -> bool {
    let mut changed = false;
    let mut out: Block = Vec::with_capacity(block.len());
    for mut stmt in block.drain(..) {
        for inner in stmt.blocks_mut() {
            changed |= flatten_block(program, inner);
        }
        changed |= drop_unused_buffers(program, &mut stmt);
        match what_remains(stmt) {
            Remains::All(stmt) => match out.last_mut() {
                None => out.push(stmt),
                Some(last) => match merged(program, last, stmt) {
                    None => changed = true,
                    Some(stmt) => out.push(stmt),
                },
            },
            Remains::Only(inner) => {
                changed = true;
                out.extend(inner);
            }
        }
    }
    *block = out;
    changed
}

enum Remains {
    All(Stmt),
    Only(Block),
}

fn what_remains(stmt: Stmt) -> Remains {
    let Stmt { kind, origin } = stmt;
    let phase = origin.phase;
    match kind {
        StmtKind::If { cond, then, els } => match cond.kind {
            ExprKind::Bool(true) => Remains::Only(then),
            ExprKind::Bool(false) => Remains::Only(els),
            _ if then.is_empty() && els.is_empty() && cond.may_be_dropped(phase) => Remains::Only(Vec::new()),
            _ => Remains::All(Stmt { kind: StmtKind::If { cond, then, els }, origin }),
        },
        StmtKind::For(For { ref body, ref lo, ref hi, ref step, .. })
            if body.is_empty() && [lo, hi, step].iter().all(|bound| bound.may_be_dropped(phase)) =>
        {
            Remains::Only(Vec::new())
        }
        StmtKind::Scope { buffers, body } if buffers.is_empty() => Remains::Only(body),
        kind => Remains::All(Stmt { kind, origin }),
    }
}

/// Moves the arms of `next` into `last` if both have one condition; gives `next` back otherwise.
fn merged(program: &Program, last: &mut Stmt, next: Stmt) -> Option<Stmt> {
    let (StmtKind::If { cond, then, els }, StmtKind::If { cond: again, .. }) = (&mut last.kind, &next.kind)
    else {
        return Some(next);
    };
    let mut writes = written(then);
    writes.union(&written(els));
    if last.origin.phase != next.origin.phase || cond != again || cond.reads_any(program, &writes) {
        return Some(next);
    }
    if let StmtKind::If { then: more, els: more_els, .. } = next.kind {
        then.extend(more);
        els.extend(more_els);
    }
    None
}

/// Takes the buffers that do not occur out of a `Scope`.
fn drop_unused_buffers(program: &Program, stmt: &mut Stmt) -> bool {
    let phase = stmt.origin.phase;
    let StmtKind::Scope { buffers, body } = &mut stmt.kind else { return false };
    let mut used = BufferSet::new();
    body.iter().for_each(|stmt| stmt.walk(&mut |stmt| mentioned(program, stmt, &mut used)));
    let before = buffers.len();
    // extents and row starts of a buffer that stays are used as well; they stand before it
    for index in (0..buffers.len()).rev() {
        let buffer = &program[buffers[index]];
        let is_user = matches!(buffer.role, Role::Local) && phase == Phase::Primal;
        let may_go = buffer.dims.iter().all(|extent| !is_user || extent.is_total());
        if may_go && !used.contains(buffers[index]) {
            buffers.remove(index);
        } else {
            buffer_mentions(program, buffers[index], &mut used);
        }
    }
    buffers.len() < before
}

fn buffer_mentions(program: &Program, buffer: crate::ir::BufferId, used: &mut BufferSet) {
    used.insert(buffer);
    for extent in &program[buffer].dims {
        expr_mentions(extent, used);
    }
    if let Layout::Rows { start } = program[buffer].layout {
        used.insert(start);
    }
}

fn expr_mentions(expr: &crate::ir::Expr, used: &mut BufferSet) {
    expr.walk(&mut |expr| match &expr.kind {
        ExprKind::Load(place) => {
            used.insert(place.buffer);
        }
        ExprKind::Extent(buffer, _) => {
            used.insert(*buffer);
        }
        _ => {}
    });
}

fn mentioned(program: &Program, stmt: &Stmt, used: &mut BufferSet) {
    stmt.exprs().into_iter().for_each(|expr| expr_mentions(expr, used));
    stmt.writes(&mut |buffer| {
        used.insert(buffer);
    });
    match &stmt.kind {
        StmtKind::Scope { buffers, .. } => {
            buffers.iter().for_each(|&buffer| buffer_mentions(program, buffer, used));
        }
        StmtKind::Call { reads, .. } => reads.iter().for_each(|&buffer| {
            used.insert(buffer);
        }),
        StmtKind::For(For { exec: crate::ir::Exec::Lanes { mask: Some(mask), .. }, .. }) => {
            used.insert(*mask);
        }
        _ => {}
    }
}
