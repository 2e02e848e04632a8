//! Running counters become functions of the iterators.
//!
//! ```text
//! before                                   after
//!   p = d                                    p = d
//!   for i in 0..d                            for i in 0..d
//!     for j in i + 1..d                        for j in i + 1..d
//!       check p < len(l)                         check d + (i * d - (i * i + i) / 2) + (j - (i + 1)) < len(l)
//!       out[j] += l[p] * x[i]                    out[j] += l[d + (…) + (j - (i + 1))] * x[i]
//!       p = p + 1                            p = d + (d * d - (d * d + d) / 2)
//! ```
//!
//! So nothing has to remember where the counter was, and the accesses can be analysed.
//!
//! *Legality.* Over the loop nest the counter is written by `p = p + c` alone; nothing that `c` or a bound of the
//! nest reads is written in the nest; no increment stands under a condition. Then the value of `p` at any point is
//! its value at entry, plus for each enclosing loop what its earlier iterations added, plus what was added earlier
//! in the current iteration.
//!
//! *Machine integers.* Counter, iterators and step have one type, so no cast can cut a value; every term is
//! non-negative (unsigned, or signed with constants that show it), so that no partial sum exceeds `p`. For products
//! the closed form overflows exactly where the counter does, and wraps to the same value where overflow wraps. The
//! halves of triangular numbers are exact only below 2^32 iterations; they are used where a `Check` beside the
//! increment keeps `p` below the length of an array, which ends the program before that. The assignment after the
//! nest keeps the panic of a counter that overflows and is not read again; where a `Check` rules that out and nothing
//! reads the counter any more, it goes. Anything else is left alone: a counter
//! is then an integer variable like any other.

use super::recurrences::{Nest, plus};
use crate::ir::{
    Block, Buffer, BufferId, BufferSet, Expr, ExprKind, Message, Origin, Place, Program, Role, Stmt,
    StmtKind, Ty,
};

/// Closes every counter over the largest loop nests that allow it.
pub fn close(mut program: Program) -> Program {
    let candidates = candidates(&program);
    let immutable = if candidates.is_empty() { BufferSet::new() } else { written_once(&program) };
    for counter in candidates {
        let body = std::mem::take(&mut program.body);
        let mut closing = Closing {
            program: &mut program,
            counter,
            immutable: &immutable,
            enclosing: Vec::new(),
            ends: Vec::new(),
        };
        let mut body = closing.block(body, None).0;
        let ends = closing.ends;
        if !body.iter().any(|stmt| reads_inside(stmt, counter)) {
            body.iter_mut().for_each(|stmt| drop_ends(stmt, &ends));
            body.retain(|stmt| !ends.contains(stmt));
        }
        program.body = body;
    }
    program
}

/// The increment that `stmt` adds to `counter`.
pub(super) fn increment(stmt: &Stmt, counter: BufferId) -> Option<&Expr> {
    let (target, value) = stmt.as_assign()?;
    let ExprKind::Binary(crate::ir::BinOp::Add, lhs, rhs) = &value.kind else { return None };
    let is_counter = |expr: &Expr| expr.kind == ExprKind::Load(Place::scalar(counter));
    match (target.buffer == counter, is_counter(lhs), is_counter(rhs)) {
        (true, true, _) => Some(rhs),
        (true, _, true) => Some(lhs),
        _ => None,
    }
}

/// Integer locals that are incremented inside a loop and size no buffer.
fn candidates(program: &Program) -> Vec<BufferId> {
    let mut found = Vec::new();
    let mut visit = |stmt: &Stmt| {
        if let Some((target, _)) = stmt.as_assign()
            && program[target.buffer].role == Role::Local
            && matches!(program[target.buffer].elem, Ty::Int(int) if int.bits() <= 64)
            && program[target.buffer].rank() == 0
            && increment(stmt, target.buffer).is_some()
            && !found.contains(&target.buffer)
        {
            found.push(target.buffer);
        }
    };
    program.body.iter().for_each(|stmt| {
        stmt.walk(&mut |stmt| {
            if let Some(each) = stmt.as_for() {
                each.body.iter().for_each(|stmt| stmt.walk(&mut visit));
            }
        });
    });
    found.retain(|&counter| {
        let sizes = program.buffers.iter().flat_map(|buffer| &buffer.dims);
        !sizes.into_iter().any(|size| size.loads(counter))
    });
    found
}

fn reads_inside(stmt: &Stmt, counter: BufferId) -> bool {
    stmt.any(&mut |stmt| stmt.exprs().iter().any(|expr| expr.loads(counter)))
}

fn drop_ends(stmt: &mut Stmt, ends: &[Stmt]) {
    for block in stmt.blocks_mut() {
        block.iter_mut().for_each(|stmt| drop_ends(stmt, ends));
        block.retain(|stmt| !ends.contains(stmt));
    }
}

/// Scalar locals that one statement writes.
fn written_once(program: &Program) -> BufferSet {
    let (mut once, mut again) = (BufferSet::new(), BufferSet::new());
    let mut visit = |stmt: &Stmt| {
        if stmt.blocks().is_empty() {
            stmt.writes(&mut |buffer| {
                let is_let = stmt.as_assign().is_some()
                    && program[buffer].rank() == 0
                    && program[buffer].role == Role::Local;
                if !is_let || !once.insert(buffer) {
                    again.insert(buffer);
                }
            });
        }
    };
    program.body.iter().for_each(|stmt| stmt.walk(&mut visit));
    program.buffer_ids().filter(|&buffer| again.contains(buffer)).for_each(|buffer| once.remove(buffer));
    once
}

struct Closing<'a> {
    program: &'a mut Program,
    counter: BufferId,
    /// Locals that have one value from their assignment to the end of their block.
    immutable: &'a BufferSet,
    /// The loops around the block at hand, bodies left out.
    enclosing: Vec<super::recurrences::Around>,
    /// Assignments after a nest that cannot overflow: they go where nothing reads the counter any more.
    ends: Vec<Stmt>,
}

impl Closing<'_> {
    fn writes_counter(&self, stmt: &Stmt) -> bool {
        let mut found = false;
        stmt.writes(&mut |buffer| found |= buffer == self.counter);
        found
    }

    /// Closes the counter in the loops of a block; `known` is its value at entry, as an expression that holds
    /// anywhere inside the enclosing loops. Returns the value at exit as well.
    fn block(&mut self, block: Block, mut known: Option<Expr>) -> (Block, Option<Expr>) {
        let mut out = Vec::with_capacity(block.len());
        for mut stmt in block {
            if !self.writes_counter(&stmt) {
                out.push(stmt);
                continue;
            }
            match &mut stmt.kind {
                StmtKind::Assign { value, .. } => {
                    known = self.holds_anywhere(value).then(|| value.clone());
                    out.push(stmt);
                }
                StmtKind::Scope { body, buffers } => {
                    let inner = std::mem::take(body);
                    (*body, known) = self.block(inner, known);
                    known = known.filter(|value| !buffers.iter().any(|&buffer| value.loads(buffer)));
                    out.push(stmt);
                }
                StmtKind::For(_) => known = self.closed_loop(stmt, known, &mut out),
                _ => {
                    for inner in stmt.blocks_mut() {
                        *inner = self.block(std::mem::take(inner), None).0;
                    }
                    known = None;
                    out.push(stmt);
                }
            }
        }
        (out, known)
    }

    /// Closes the counter over a loop, or over what is inside it; returns the value after the loop.
    fn closed_loop(&mut self, mut stmt: Stmt, known: Option<Expr>, out: &mut Block) -> Option<Expr> {
        let of_loop = stmt.origin;
        let each = stmt.as_for_mut()?;
        let in_range = keeps_in_range(&each.body, self.counter);
        let nest = Nest::new(self.program, self.counter, &self.enclosing, each, in_range);
        let ty = nest.ty();
        let known = known.filter(|start| nest.is_invariant(start));
        // an unknown start may be negative, and a partial sum then larger than the counter
        let is_signed = matches!(ty, Ty::Int(int) if int.is_signed());
        let Some(total) = nest.total(each).filter(|_| known.is_some() || !is_signed) else {
            self.enclosing.push(super::recurrences::Around::new(each));
            let body = std::mem::take(&mut each.body);
            each.body = self.block(body, None).0;
            self.enclosing.pop();
            out.push(stmt);
            return None;
        };
        // a constant more than the index of an element
        let cannot_overflow = in_range && steps_are_constant(&each.body, self.counter);
        let scalar = Place::scalar(self.counter);
        let origin = first_increment(&each.body, self.counter).unwrap_or(of_loop);
        if let Some(start) = known {
            nest.rewrite(each, &start);
            let end = plus(ty, [start, total]);
            let known = self.holds_anywhere(&end).then(|| end.clone());
            out.push(stmt);
            let end = Stmt::new(StmtKind::Assign { target: scalar, value: end }, origin);
            if cannot_overflow {
                self.ends.push(end.clone());
            }
            out.push(end);
            return known;
        }
        let load = |buffer| Place::scalar(buffer).load(ty);
        let start = BufferId(self.program.buffers.len() as u32);
        nest.rewrite(each, &load(start));
        let name = format!("{}_start", self.program[self.counter].name);
        let start = self.program.add_buffer(Buffer::new(&name, ty, Vec::new(), Role::Local));
        let body = vec![
            Stmt::new(StmtKind::Assign { target: Place::scalar(start), value: load(self.counter) }, origin),
            stmt,
            Stmt::new(StmtKind::Assign { target: scalar, value: plus(ty, [load(start), total]) }, origin),
        ];
        out.push(Stmt::new(StmtKind::Scope { buffers: vec![start], body }, origin));
        None
    }

    /// Whether the value is short, and the same wherever the enclosing iterators are.
    fn holds_anywhere(&self, value: &Expr) -> bool {
        let mut nodes = 0;
        let mut holds = true;
        value.walk(&mut |expr| {
            nodes += 1;
            holds &= match &expr.kind {
                ExprKind::Load(place) => {
                    matches!(self.program[place.buffer].role, Role::Input | Role::Table(_))
                        || self.immutable.contains(place.buffer)
                }
                ExprKind::Extent(buffer, _) => {
                    matches!(self.program[*buffer].role, Role::Input | Role::InOut | Role::Table(_))
                }
                _ => true,
            };
        });
        // a signed start must be seen to be non-negative
        let signed = matches!(value.ty, Ty::Int(int) if int.is_signed());
        holds && nodes <= 9 && (!signed || matches!(value.kind, ExprKind::Int(0..)))
    }
}

fn first_increment(block: &Block, counter: BufferId) -> Option<Origin> {
    let mut origin = None;
    for stmt in block {
        stmt.walk(&mut |stmt| {
            if origin.is_none() && increment(stmt, counter).is_some() {
                origin = Some(stmt.origin);
            }
        });
    }
    origin
}

/// Whether beside every increment, in the same block, a `Check` keeps the counter below the length of an array.
fn keeps_in_range(block: &Block, counter: BufferId) -> bool {
    let is_check = |stmt: &Stmt| matches!(stmt.as_check(), Some((_, Message::Bounds { index, .. })) if is_summand(index, counter));
    let increments = block.iter().any(|stmt| increment(stmt, counter).is_some());
    (!increments || block.iter().any(is_check))
        && block.iter().flat_map(Stmt::blocks).all(|inner| keeps_in_range(inner, counter))
}

fn steps_are_constant(block: &Block, counter: BufferId) -> bool {
    let is_small = |by: &Expr| matches!(by.kind, ExprKind::Int(0..=0xffff));
    block.iter().all(|stmt| {
        increment(stmt, counter).is_none_or(is_small)
            && stmt.blocks().into_iter().all(|inner| steps_are_constant(inner, counter))
    })
}

fn is_summand(expr: &Expr, counter: BufferId) -> bool {
    match &expr.kind {
        ExprKind::Load(place) => place.buffer == counter,
        ExprKind::Binary(crate::ir::BinOp::Add, lhs, rhs) => {
            is_summand(lhs, counter) || is_summand(rhs, counter)
        }
        _ => false,
    }
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
