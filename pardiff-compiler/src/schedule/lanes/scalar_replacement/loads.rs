//! What a lane loop loads more than once from the same place is loaded once, into a register.
//!
//! ```text
//! for l in 0..w lanes                 for l in 0..w lanes
//!   a = ci[b + l]                       scope cams_value: f64
//!   e = cams[a * 11] * x[b + l]           a = ci[b + l]
//!   d_x[b + l] += e * cams[a * 11]        cams_value = cams[a * 11]
//!                                         e = cams_value * x[b + l]
//!                                         d_x[b + l] += e * cams_value
//! ```
//!
//! A load through an index costs one access a lane. rustc cannot join two of them across a scatter, which may write
//! anything as far as it knows.
//!
//! *Legality.* The loop writes nothing of the buffer, and what the index reads has one value in an iteration: it is
//! not written in the loop, or it is a scalar of the loop that is written once, in the list of the loop's body, before
//! the first of the loads. The first load stands in that list as well, so the register has its value wherever it is
//! read, and nothing is loaded that was not.

use crate::ir::{Block, BufferId, BufferSet, Expr, ExprKind, For, Place, Program, Role, Stmt, replace_loads};
use crate::schedule::lanes::stride::{Walk, walk};

/// Loads each place of a lane loop once.
pub(crate) fn reuse_loads(program: &mut Program, lanes: &mut For) {
    let (written, iter) = (crate::ir::written(&lanes.body), lanes.iter);
    let (mut held, mut list) = opened(std::mem::take(&mut lanes.body));
    let once = written_once(&list, &written);
    let mut repeated: Vec<Place> = {
        let mut seen: Vec<Seen<'_>> = Vec::new();
        let mut number = 0;
        crate::ir::walk(&list, &mut |stmt| {
            number += 1;
            stmt.each_expr(&mut |expr| count(expr, number, &mut seen));
        });
        let fixed = |place: &Place| {
            let of_index = |part: &Expr| match &part.kind {
                ExprKind::Load(place) => !written.contains(place.buffer) || once.contains(place.buffer),
                ExprKind::Iter(other) => !is_inner(&list, *other),
                _ => true,
            };
            !written.contains(place.buffer) && place.index.iter().all(|index| index.all(&mut &of_index))
        };
        let repeated = |seen: &Seen<'_>| match walk(seen.place, iter, &|place| written.contains(place.buffer))
        {
            Walk::Still => false,
            // within a statement rustc sees that the two are one
            Walk::Contiguous => seen.statements > 1,
            Walk::Strided | Walk::Irregular => seen.times > 1,
        };
        let wanted = seen.into_iter().filter(|seen| repeated(seen) && fixed(seen.place));
        wanted.map(|seen| seen.place.clone()).collect()
    };
    // the loads of an index come before the load that it belongs to
    repeated.reverse();
    while let Some(place) = repeated.pop() {
        let Some(at) = list.iter().position(|stmt| stmt_loads(stmt, &place)) else { continue };
        let leaf = list[at].as_store().is_some() || list[at].as_check().is_some();
        let defined = |buffer: BufferId| {
            let mut writes = list[..at].iter().filter(|stmt| writes_directly(stmt, buffer));
            !once.contains(buffer) || writes.next().is_some()
        };
        let mut known = true;
        place.index.iter().for_each(|index| index.reads(program, &mut |buffer| known &= defined(buffer)));
        if !leaf || !known {
            continue;
        }
        let elem = program[place.buffer].elem;
        let name = format!("{}_value", program[place.buffer].name);
        let register = program.add_scalar(&name, elem, Role::Local);
        held.push(register);
        let value = program.load_scalar(register);
        replace_loads(&mut list[at..], &place, &value);
        for other in &mut repeated {
            other.index.iter_mut().for_each(|index| index.replace_loads(&place, &value));
        }
        let origin = list[at].origin;
        list.insert(at, Stmt::set(register, place.load(elem), origin));
    }
    lanes.body = crate::ir::scoped(held, list);
}

/// The buffers of the scope that a body is, if it is one, and its statements.
pub(crate) fn opened(mut body: Block) -> (Vec<BufferId>, Block) {
    if body.len() == 1
        && body[0].as_scope().is_some()
        && let Some(scope) = body.pop().and_then(Stmt::into_scope)
    {
        return scope;
    }
    (Vec::new(), body)
}

/// The scalars that one assignment of the list, and nothing else, writes.
fn written_once(list: &Block, written: &BufferSet) -> BufferSet {
    let mut times: Vec<(BufferId, usize)> = Vec::new();
    for stmt in list {
        stmt.writes(&mut |buffer| match times.iter_mut().find(|(other, _)| *other == buffer) {
            Some((_, times)) => *times += 1,
            None => times.push((buffer, 1)),
        });
    }
    let mut once = BufferSet::new();
    for (buffer, times) in times {
        if times == 1 && written.contains(buffer) && list.iter().any(|stmt| writes_directly(stmt, buffer)) {
            once.insert(buffer);
        }
    }
    once
}

fn writes_directly(stmt: &Stmt, buffer: BufferId) -> bool {
    stmt.as_assign().is_some_and(|(target, _)| target.buffer == buffer && target.index.is_empty())
}

fn is_inner(list: &Block, iter: crate::ir::IterId) -> bool {
    crate::ir::any(list, &mut |stmt| stmt.as_for().is_some_and(|for_| for_.iter == iter))
}

/// A place that is loaded.
struct Seen<'a> {
    place: &'a Place,
    times: usize,
    statements: usize,
    last: usize,
}

/// Counts the loads of arrays in a statement, those in an index before the load that it belongs to.
fn count<'a>(expr: &'a Expr, stmt: usize, seen: &mut Vec<Seen<'a>>) {
    match &expr.kind {
        ExprKind::Binary(_, a, b) => {
            count(a, stmt, seen);
            count(b, stmt, seen);
        }
        _ => expr.operands().iter().for_each(|operand| count(operand, stmt, seen)),
    }
    let ExprKind::Load(place) = &expr.kind else { return };
    if place.index.is_empty() {
        return;
    }
    match seen.iter_mut().find(|seen| seen.place == place) {
        Some(seen) => {
            seen.times += 1;
            seen.statements += usize::from(seen.last != stmt);
            seen.last = stmt;
        }
        None => seen.push(Seen { place, times: 1, statements: 1, last: stmt }),
    }
}

fn stmt_loads(stmt: &Stmt, place: &Place) -> bool {
    stmt.any_part(&mut |part| matches!(&part.kind, ExprKind::Load(other) if other == place))
}
