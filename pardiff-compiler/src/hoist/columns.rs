//! Which statements of a loop's body a table replaces, and what its rows hold.
//!
//! A *run* is a sequence of statements of one block that assign functions of the key to scalars and do nothing else.
//! Runs stand in the body itself, in a `Scope`, or under a condition that is a function of the key (and not in an inner
//! loop), so that the key decides which of them an iteration executes. A *column* is a scalar that something outside of
//! the runs reads, as a run leaves it.

use super::form::{self, Form};
use super::key::{Depends, Keyed};
use crate::ir::{BinOp, Block, BufferId, BufferSet, Expr, ExprKind, For, Place, Stmt, Ty, declared};
use crate::limits::{TABLE_COLUMNS, WORTH_A_COLUMN, WORTH_A_RUN, WORTH_A_TABLE};
use std::collections::HashSet;

/// A sequence of statements that loads from a table replace.
#[derive(Debug)]
pub(super) struct Run {
    /// The way to the block: at each level the position of a statement and which of its blocks.
    pub(super) path: Vec<(usize, usize)>,
    /// Positions in that block.
    pub(super) first: usize,
    pub(super) end: usize,
    /// The columns, by scalar and number.
    pub(super) columns: Vec<(BufferId, usize)>,
}

/// An element that the statements of the runs read: the extent and the form of the index that depends on the key.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Reach {
    pub(super) extent: Expr,
    pub(super) form: Form,
}

/// A table.
#[derive(Debug)]
pub(super) struct Columns {
    pub(super) runs: Vec<Run>,
    pub(super) elem: Ty,
    pub(super) count: usize,
    /// The scalars that have to be computed for the columns.
    pub(super) needed: HashSet<BufferId>,
    pub(super) reaches: Vec<Reach>,
}

/// Finds the columns of a loop with a key, if a table of them is worth its while.
pub(super) fn find(keyed: &Keyed<'_>, each: &For) -> Option<Columns> {
    let mut found = Vec::new();
    runs_in(keyed, &each.body, &mut Vec::new(), &mut found);
    found.retain(|(_, cost)| *cost >= WORTH_A_RUN);
    let work: usize = found.iter().map(|(_, cost)| cost).sum();
    let mut runs: Vec<Run> = found.into_iter().map(|(run, _)| run).collect();
    let read = read_outside(&each.body, &runs);
    let mut count = 0;
    let mut elem = None;
    for run in &mut runs {
        let block = block_at(&each.body, &run.path)?;
        let stmts = &block[run.first..run.end];
        let mut assigned = Vec::new();
        stmts.iter().for_each(|stmt| stmt.writes(&mut |buffer| assigned.push(buffer)));
        assigned.sort_unstable();
        assigned.dedup();
        let inner = declared(stmts);
        for buffer in assigned.into_iter().filter(|&it| read.contains(it) && !inner.contains(it)) {
            let ty = keyed.program[buffer].elem;
            if elem.is_some_and(|elem| elem != ty) {
                return None;
            }
            elem = Some(ty);
            run.columns.push((buffer, count));
            count += 1;
        }
    }
    let worth = work >= WORTH_A_TABLE.max(WORTH_A_COLUMN * count) && (1..=TABLE_COLUMNS).contains(&count);
    if !worth {
        return None;
    }
    let needed = needed_for(keyed, runs.iter().flat_map(|run| &run.columns).map(|&(buffer, _)| buffer));
    let reaches = reaches(keyed, &needed)?;
    Some(Columns { runs, elem: elem?, count, needed, reaches })
}

/// The block at the end of a path.
pub(super) fn block_at<'b>(body: &'b Block, path: &[(usize, usize)]) -> Option<&'b Block> {
    path.iter().try_fold(body, |block, &(at, arm)| block.get(at)?.blocks().get(arm).copied())
}

fn runs_in(keyed: &Keyed<'_>, block: &Block, path: &mut Vec<(usize, usize)>, found: &mut Vec<(Run, usize)>) {
    let mut open: Option<(usize, usize)> = None;
    let mut close = |open: &mut Option<(usize, usize)>, end: usize, path: &[(usize, usize)]| {
        if let Some((first, cost)) = open.take() {
            found.push((Run { path: path.to_vec(), first, end, columns: Vec::new() }, cost));
        }
    };
    let mut inner = Vec::new();
    for (at, stmt) in block.iter().enumerate() {
        match cost_of(keyed, stmt) {
            // a plain copy alone is no work
            Some(0) if open.is_none() => {}
            Some(cost) => {
                let (first, before) = open.unwrap_or((at, 0));
                open = Some((first, before + cost));
            }
            None => {
                close(&mut open, at, path);
                inner.push(at);
            }
        }
    }
    close(&mut open, block.len(), path);
    for at in inner {
        let may_enter = block[at].as_scope().is_some()
            || block[at].as_if().is_some_and(|(cond, ..)| value(keyed, cond).is_some());
        if may_enter {
            for (arm, block) in block[at].blocks().into_iter().enumerate() {
                path.push((at, arm));
                runs_in(keyed, block, path, found);
                path.pop();
            }
        }
    }
}

/// The work of a statement that does nothing but assign functions of the key to scalars; `None` for others.
fn cost_of(keyed: &Keyed<'_>, stmt: &Stmt) -> Option<usize> {
    let all = |block: &Block| block.iter().map(|stmt| cost_of(keyed, stmt)).sum::<Option<usize>>();
    if let Some((target, of)) = stmt.as_store() {
        let scalar = keyed.scalars.get(&target.buffer)?;
        if scalar.depends == Depends::Other || !of.ty.is_float() {
            return None;
        }
        return value(keyed, of);
    }
    if let Some((cond, then, els)) = stmt.as_if() {
        return Some(value(keyed, cond)? + all(then)? + all(els)?);
    }
    let (buffers, body) = stmt.as_scope()?;
    buffers.iter().all(|buffer| keyed.scalars.contains_key(buffer)).then(|| all(body))?
}

/// The work of a float or bool expression that can be evaluated from the key alone, without a panic, wherever its loads
/// are in range; `None` for others.
fn value(keyed: &Keyed<'_>, expr: &Expr) -> Option<usize> {
    if keyed.depends(expr) == Depends::Other {
        return None;
    }
    if let ExprKind::Int(_) = expr.kind {
        return Some(0);
    }
    if expr.ty.is_int() {
        let form = form::of_key(keyed, expr)?;
        return (form.scale == 0 || form == Form { scale: 1, offset: 0 }).then_some(0);
    }
    let operands = |list: &[Expr]| list.iter().map(|expr| value(keyed, expr)).sum::<Option<usize>>();
    Some(match &expr.kind {
        ExprKind::Float(_) | ExprKind::Bool(_) | ExprKind::Opaque(_) => 0,
        ExprKind::Load(place) if place.index.is_empty() => 0,
        ExprKind::Load(place) => reach(keyed, place).map(|_| 0)?,
        ExprKind::Unary(_, of) => value(keyed, of)?,
        ExprKind::Cast(of) if of.ty != Ty::Bool => 1 + value(keyed, of)?,
        ExprKind::Binary(op, lhs, rhs) => {
            let own = if *op == BinOp::Div { 6 } else { 1 };
            own + value(keyed, lhs)? + value(keyed, rhs)?
        }
        ExprKind::Call(func, _, args) if func.is_total() => func.cost().additions() + operands(args)?,
        ExprKind::Select(parts) => 1 + operands(&parts[..])?,
        _ => return None,
    })
}

/// What the load of an array element, at an index that the key decides, reaches; `None` if it may be out of range.
fn reach(keyed: &Keyed<'_>, place: &Place) -> Option<Reach> {
    if !keyed.is_fixed(place.buffer) {
        return None;
    }
    let forms: Option<Vec<Form>> = place.index.iter().map(|index| form::of_key(keyed, index)).collect();
    let (dim, form) = form::the_one(keyed.program, place, &forms?)?;
    Some(Reach { extent: keyed.program[place.buffer].dims[dim].clone(), form })
}

/// The buffers that the body reads outside of the runs.
fn read_outside(body: &Block, runs: &[Run]) -> BufferSet {
    let mut read = BufferSet::new();
    let mut path = Vec::new();
    read_in(body, runs, &mut path, &mut read);
    read
}

fn read_in(block: &Block, runs: &[Run], path: &mut Vec<(usize, usize)>, read: &mut BufferSet) {
    for (at, stmt) in block.iter().enumerate() {
        if runs.iter().any(|run| run.path == *path && (run.first..run.end).contains(&at)) {
            continue;
        }
        stmt.each_expr(&mut |expr| {
            expr.each_load(&mut |place| {
                read.insert(place.buffer);
            })
        });
        for (arm, inner) in stmt.blocks().into_iter().enumerate() {
            path.push((at, arm));
            read_in(inner, runs, path, read);
            path.pop();
        }
    }
}

/// The columns and all scalars that their values are computed from.
fn needed_for(keyed: &Keyed<'_>, columns: impl Iterator<Item = BufferId>) -> HashSet<BufferId> {
    let mut needed = HashSet::new();
    let mut open: Vec<BufferId> = columns.collect();
    while let Some(buffer) = open.pop() {
        if keyed.program[buffer].elem.is_int() || !needed.insert(buffer) {
            continue;
        }
        for write in keyed.scalars.get(&buffer).map_or(&[][..], |scalar| &scalar.writes) {
            for expr in write.conditions.iter().chain([&write.value]) {
                expr.walk(&mut |expr| match &expr.kind {
                    ExprKind::Load(place) if keyed.scalars.contains_key(&place.buffer) => {
                        open.push(place.buffer);
                    }
                    _ => {}
                });
            }
        }
    }
    needed
}

/// Every element that the computation of these scalars reads; `None` if one may be out of range, or a value is not ours.
fn reaches(keyed: &Keyed<'_>, needed: &HashSet<BufferId>) -> Option<Vec<Reach>> {
    let mut out: Vec<Reach> = Vec::new();
    for buffer in needed {
        for write in &keyed.scalars.get(buffer)?.writes {
            for expr in write.conditions.iter().chain([&write.value]) {
                value(keyed, expr)?;
                let mut is_inside = true;
                expr.walk(&mut |expr| {
                    if let ExprKind::Load(place) = &expr.kind
                        && !place.index.is_empty()
                        && !expr.ty.is_int()
                    {
                        match reach(keyed, place) {
                            Some(reach) => add(&mut out, reach),
                            None => is_inside = false,
                        }
                    }
                });
                if !is_inside {
                    return None;
                }
            }
        }
    }
    // an order that does not depend on the one of a hash table
    out.sort_by_key(|reach| (format!("{:?}", reach.extent), reach.form.scale, reach.form.offset));
    Some(out)
}

/// Of two with one extent and scale, the farther one counts.
fn add(reaches: &mut Vec<Reach>, reach: Reach) {
    let same = |known: &&mut Reach| known.extent == reach.extent && known.form.scale == reach.form.scale;
    match reaches.iter_mut().find(same) {
        Some(known) => known.form.offset = known.form.offset.max(reach.form.offset),
        None => reaches.push(reach),
    }
}
