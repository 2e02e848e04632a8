//! One step and its reversal, without loops around them.
//!
//! ```text
//! for k in 0..count                       scope v, d_v
//!   scope v                                 tape = e(u)
//!     tape[k] = e(u)                        u = f(u)
//!     u = f(u)                       =>     r(tape)
//! for k in 0..count down
//!   scope d_v
//!     r(tape[k])
//! ```
//!
//! where `count` is one. So a loop over time in the step stands in one block with its reversal, in the scope of their
//! tapes, and is a pair that goes into segments itself.
//!
//! **Legality.** A scope may begin earlier and end later: its buffers have no value when it begins, and their extents
//! are those of the place where it begins, if nothing that they name is written in the step.

use super::build::Build;
use super::find::ordinal;
use crate::adjoint::inplace_tapes::redirect;
use crate::ir::{
    Block, BufferId, BufferSet, Expr, ExprKind, For, Place, Program, Role, Stmt, Ty, change_exprs, declared,
    mentioned, substitute_all, walk, written,
};

impl Build<'_> {
    /// What a loop does in one iteration, counted from zero, where tapes have the slot of that iteration alone.
    pub(super) fn iteration(&mut self, mut each: For, at: &Expr) -> Block {
        let slot = ordinal(&each);
        let one = |place: &Place| {
            let (first, rest) = place.index.split_first()?;
            let of_tape = self.tapes.contains(&place.buffer) && *first == slot;
            of_tape.then(|| Place::new(place.buffer, rest.to_vec()))
        };
        each.body.iter_mut().for_each(|stmt| redirect(stmt, &one));
        let value = if each.lo == Expr::usize(0) { at.clone() } else { each.lo.clone() + at.clone() };
        substitute_all(self.program, &mut each.body, each.iter, &value);
        each.body
    }

    /// The statements of one step that tapes depend on: no step comes behind it that would begin with its state.
    fn filling(&self, fill: Block) -> Block {
        let mut needed: BufferSet = self.tapes.iter().copied().chain(self.growing.all()).collect();
        let mut kept: Block = fill
            .into_iter()
            .rev()
            .filter(|stmt| {
                let is_kept = stmt.as_check().is_some() || stmt.writes_any(&needed);
                if is_kept {
                    needed.union(&mentioned(self.program, std::slice::from_ref(stmt)));
                }
                is_kept
            })
            .collect();
        kept.reverse();
        kept
    }

    /// The step that begins with what is in `held`, and its reversal, in a scope of their own.
    pub(super) fn step(
        &mut self,
        mut held: Vec<BufferId>,
        begins: Block,
        [fill, down]: [For; 2],
        at: &Expr,
    ) -> Block {
        for &tape in self.tapes {
            let is_read = fill.body.iter().any(|stmt| stmt.any(&mut |stmt| loads(stmt, tape)));
            let of = &mut self.program[tape];
            of.dims.remove(0);
            // an array of the step, which lived in the slots of the loop
            if is_read {
                of.role = Role::Local;
            }
        }
        let mut blocks = [fill, down].map(|each| self.iteration(each, at));
        propagate(self.program, &mut blocks);
        let [fill, down] = blocks;
        let changed = [&begins, &fill, &down].map(|block| written(block));
        held.extend(self.tapes.iter().copied().chain(self.growing.all()));
        let mut body = begins;
        body.extend(self.growing.begins(self.origin));
        let fill = opened(self.program, fill, &changed, &mut held);
        body.extend(self.filling(fill));
        body.extend(opened(self.program, down, &changed, &mut held));
        vec![Stmt::scope(held, body, self.origin)]
    }
}

/// Whether a loop over time stands in the block that is to be run in segments itself.
pub(in crate::adjoint) fn has_marked(block: &Block) -> bool {
    let mut found = false;
    walk(block, &mut |stmt| found |= stmt.checkpoint().is_some());
    found
}

pub(super) fn loads(stmt: &Stmt, buffer: BufferId) -> bool {
    let is_load = |part: &Expr| matches!(&part.kind, ExprKind::Load(place) if place.buffer == buffer);
    stmt.exprs().into_iter().any(|expr| expr.any(&mut |part| is_load(part)))
}

/// Replaces integers of the step that have one definition, of what does not change in the step, by what they are:
/// bounds and extents are known before the step then. They are computed there without a panic, as they were in the
/// forward sweep.
fn propagate(program: &mut Program, blocks: &mut [Block; 2]) {
    let (mut changed, mut once, mut values) = (BufferSet::new(), BufferSet::new(), Vec::new());
    for block in &*blocks {
        walk(block, &mut |stmt| {
            stmt.writes_itself(&mut |buffer| match changed.insert(buffer) {
                true => _ = once.insert(buffer),
                false => once.remove(buffer),
            });
        });
    }
    let insert = |expr: &mut Expr, values: &[(BufferId, Expr)]| {
        expr.change(&mut |node| {
            if let ExprKind::Load(Place { buffer, .. }) = &node.kind
                && let Some((_, value)) = values.iter().find(|(of, _)| of == buffer)
            {
                *node = value.clone();
            }
        });
    };
    let mut line = Vec::new();
    blocks.iter().for_each(|block| in_line(block, &mut line));
    for (scalar, value) in line {
        let mut value = value.clone();
        insert(&mut value, &values);
        let is_integer = matches!(program[scalar].elem, Ty::Int(_));
        if is_integer && once.contains(scalar) && !value.reads_any(program, &changed) {
            values.push((scalar, value));
        }
    }
    for block in blocks {
        change_exprs(block, &mut |expr| insert(expr, &values));
        for buffer in declared(block).iter() {
            program[buffer].dims.iter_mut().for_each(|extent| insert(extent, &values));
        }
    }
}

/// The scalars that a block sets whenever it runs.
fn in_line<'a>(block: &'a Block, line: &mut Vec<(BufferId, &'a Expr)>) {
    for stmt in block {
        line.extend(stmt.as_scalar_assign());
        if let Some((_, inner)) = stmt.as_scope() {
            in_line(inner, line);
        }
    }
}

/// The statements without the scopes around them whose buffers have fixed extents, which are now around all.
fn opened(program: &Program, block: Block, changed: &[BufferSet; 3], around: &mut Vec<BufferId>) -> Block {
    let mut out = Block::new();
    for stmt in block {
        let is_fixed = |&buffer: &BufferId| {
            let names = |extent: &Expr| changed.iter().any(|changed| extent.reads_any(program, changed));
            !program[buffer].dims.iter().any(names)
        };
        if !stmt.as_scope().is_some_and(|(buffers, _)| buffers.iter().all(is_fixed)) {
            out.push(stmt);
        } else if let Some((buffers, body)) = stmt.into_scope() {
            around.extend(buffers);
            out.extend(opened(program, body, changed, around));
        }
    }
    out
}
