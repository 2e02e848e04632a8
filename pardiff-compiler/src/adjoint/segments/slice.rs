//! The statements of a step that fill tapes, and what they carry from step to step.
//!
//! Checks of sizes and iterators come along: they hold as they did before, and what rests on them is proved again.

use super::Window;
use crate::ir::{
    Block, BufferId, BufferSet, Expr, ExprKind, For, Layout, Program, Role, Stmt, StmtKind, written,
};

/// The slice of a step that fills the tapes, and the buffers that it shares with other steps and that are not
/// what they were when it runs again: they are written in the loop. Nothing where it reads what was written `behind` the
/// loop, or cannot be told to take the same way again.
pub(super) fn slice(
    program: &Program,
    step: &For,
    windows: &[Window],
    behind: &BufferSet,
) -> Option<(Block, Vec<BufferId>)> {
    let mut needed = BufferSet::new();
    for window in windows {
        needed.insert(window.tape);
    }
    let mut moving = written(&step.body);
    moving.union(behind);
    let mut slicer = Slicer { program, needed, moving, grown: true };
    while std::mem::take(&mut slicer.grown) {
        slicer.need(&step.body);
    }
    let slice = slicer.kept(&step.body);
    let changed = written(&step.body);
    let inside = declared(&slice);
    let is_tape = |buffer: BufferId| windows.iter().any(|window| window.tape == buffer);
    let mut carried = Vec::new();
    for buffer in program.buffer_ids() {
        if !slicer.needed.contains(buffer) || inside.contains(buffer) || is_tape(buffer) {
            continue;
        }
        if changed.contains(buffer) {
            carried.push(buffer);
        } else if behind.contains(buffer) {
            return None;
        }
    }
    let can_be_copied = |&buffer: &BufferId| {
        let of = &program[buffer];
        let fixed = of.dims.iter().all(|extent| !extent.reads_any(program, &changed));
        of.layout == Layout::RowMajor && of.role != Role::Tape && fixed
    };
    let same = slice.iter().all(|stmt| takes_the_same_way(program, stmt));
    (same && carried.iter().all(can_be_copied)).then_some((slice, carried))
}

/// The buffers that a block declares.
fn declared(block: &Block) -> BufferSet {
    let mut set = BufferSet::new();
    for stmt in block {
        stmt.walk(&mut |stmt| {
            if let StmtKind::Scope { buffers, .. } = &stmt.kind {
                buffers.iter().for_each(|&buffer| _ = set.insert(buffer));
            }
        });
    }
    set
}

struct Slicer<'p> {
    program: &'p Program,
    /// What later statements of the slice, or later steps, read.
    needed: BufferSet,
    /// What is written in the loop or behind it.
    moving: BufferSet,
    grown: bool,
}

impl Slicer<'_> {
    fn is_kept(&self, stmt: &Stmt) -> bool {
        if let StmtKind::Check { .. } = &stmt.kind {
            let fixed = |expr: &&Expr| !expr.reads_any(self.program, &self.moving) && is_of_integers(expr);
            return stmt.exprs().iter().all(fixed);
        }
        let mut kept = false;
        stmt.writes(&mut |buffer| kept |= self.needed.contains(buffer));
        kept
    }

    /// Adds what the statements of the slice read, and the other side of what they exchange.
    fn need(&mut self, block: &Block) {
        for stmt in block.iter().rev().filter(|stmt| !matches!(stmt.kind, StmtKind::Check { .. })) {
            if !self.is_kept(stmt) {
                continue;
            }
            for inner in stmt.blocks() {
                self.need(inner);
            }
            let mut read = Vec::new();
            for expr in stmt.evaluates(self.program) {
                expr.reads(self.program, &mut |buffer| read.push(buffer));
            }
            if let StmtKind::Swap { a, b } = stmt.kind {
                read.extend([a, b]);
            }
            for buffer in read {
                self.grown |= self.needed.insert(buffer);
            }
        }
    }

    fn kept(&self, block: &Block) -> Block {
        let mut out = Block::new();
        for stmt in block.iter().filter(|stmt| self.is_kept(stmt)) {
            let mut stmt = stmt.clone();
            for inner in stmt.blocks_mut() {
                *inner = self.kept(inner);
            }
            out.push(stmt);
        }
        out
    }
}

/// Whether a statement does the same again although sums of floats may be made in another order: no index, no condition and no
/// bound depends on a float.
fn takes_the_same_way(program: &Program, stmt: &Stmt) -> bool {
    let own = match &stmt.kind {
        StmtKind::Assign { target, value } => {
            target.index.iter().all(is_of_integers)
                && has_sure_indices(value)
                && (value.ty.is_float() || is_of_integers(value))
        }
        StmtKind::Reduce { target, value, .. } => {
            target.index.iter().all(is_of_integers) && has_sure_indices(value) && value.ty.is_float()
        }
        StmtKind::For(_) | StmtKind::If { .. } | StmtKind::Guarded { .. } => {
            stmt.exprs().into_iter().all(is_of_integers)
        }
        StmtKind::Scope { buffers, .. } => {
            buffers.iter().flat_map(|&buffer| &program[buffer].dims).all(is_of_integers)
        }
        StmtKind::Swap { .. } | StmtKind::Check { .. } => true,
        StmtKind::While(_) | StmtKind::Call { .. } | StmtKind::Fork { .. } => false,
    };
    own && stmt.blocks().into_iter().flatten().all(|inner| takes_the_same_way(program, inner))
}

fn is_of_integers(expr: &Expr) -> bool {
    let mut floats = false;
    expr.walk(&mut |part| floats |= part.ty.is_float());
    !floats
}

fn has_sure_indices(expr: &Expr) -> bool {
    let mut sure = true;
    expr.walk(&mut |part| {
        if let ExprKind::Load(place) = &part.kind {
            sure &= place.index.iter().all(is_of_integers);
        }
    });
    sure
}
