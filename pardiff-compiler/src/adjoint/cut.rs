//! Cuts a reversal at its seam into the program that computes the value and the one that computes the adjoints.
//!
//! ```text
//! before                                     forward                              backward
//! scope a, b, d_b                            scope a, b                           scope d_b
//!   F(a, b); seam; R(a, d_b)                   F(a, b); seam reads(a)               R(a, d_b)
//! ```
//!
//! *Comes in*: a reversal of a primal that ends with a seam, see [`seamed`]. *Goes out*: two programs; what both mention of
//! what the scopes around the seam declare is the tape. The seam of the first keeps it, and it stands behind the parameters
//! of the second, with extents of its own. *Legality*: at the level of the region the seam stands in scopes alone, so that
//! what stands before it in each is all that runs before it. The seam writes all outputs: the reverse sweep finds no value
//! there, and the second program has no need of them.

use crate::ir::{
    Block, Buffer, BufferId, Callee, Expr, ExprKind, Layout, Origin, Phase, Program, Role, SpanId, Stmt,
    StmtKind, mentioned,
};

/// The primal with a seam at its end: a reversal of it keeps forward and reverse sweep apart.
pub fn seamed(primal: &Program) -> Program {
    let mut program = primal.clone();
    let is_output = |&id: &BufferId| program[id].role == Role::InOut;
    let outputs = program.params.iter().copied().filter(is_output);
    let writes = outputs.chain(program.results.iter().copied()).collect();
    let origin = Origin { stmt: 0, phase: Phase::Primal, span: SpanId(0) };
    let kind = StmtKind::Call { callee: Callee::Seam, reads: Vec::new(), writes };
    program.body.push(Stmt::new(kind, origin));
    program
}

/// The two programs of a reversal, and what the first keeps for the second: its last parameters.
#[derive(Clone, Debug)]
pub struct Halves {
    /// The value.
    pub forward: Program,
    /// The adjoints.
    pub backward: Program,
    /// The buffers of the tape, which have the same ids in both.
    pub tape: Vec<BufferId>,
}

/// Cuts a reversal; `None` where it has no seam at the level of the function.
pub fn cut(reversed: &Program) -> Option<Halves> {
    let mut program = reversed.clone();
    let body = std::mem::take(&mut program.body);
    let mut tape = Vec::new();
    let (mut before, mut after) = parted(&program, body, &mut tape)?;
    keep(&mut before, &tape);
    let is_backward = |id: &BufferId| program.is_derivative(*id);
    let (adjoints, primals): (Vec<_>, Vec<_>) = program.params.iter().partition(|id| is_backward(id));
    let mut backward = Program { results: Vec::new(), ..program.clone() };
    for &id in &adjoints {
        owned_extents(&mut backward, id);
    }
    for &id in &tape {
        owned_extents(&mut backward, id);
        if backward[id].layout.grows() {
            backward[id].layout = Layout::RowMajor;
        }
        backward[id].role = Role::Input;
    }
    let is_lost = |id: BufferId| program[id].role == Role::InOut;
    let companion = |of: BufferId| adjoints.iter().copied().find(|&id| program[id].role == Role::Adjoint(of));
    let renamed = |part: &mut Expr| {
        if let ExprKind::Extent(of, dim) = part.kind
            && is_lost(of)
            && let Some(adjoint) = companion(of)
        {
            *part = Expr::extent(adjoint, dim);
        }
    };
    for stmt in &mut after {
        stmt.change_exprs(&mut |expr| expr.change(&mut |part| renamed(part)));
    }
    for buffer in &mut backward.buffers {
        buffer.dims.iter_mut().for_each(|dim| dim.change(&mut |part| renamed(part)));
    }
    let given = program.params.iter().copied().filter(|&id| !is_lost(id));
    backward.params = given.chain(tape.iter().copied()).collect();
    backward.body = after;
    let forward = Program { params: primals, body: before, ..program };
    Some(Halves { forward, backward, tape })
}

/// The caller, or the tape, decides the extents.
fn owned_extents(program: &mut Program, id: BufferId) {
    let Buffer { dims, .. } = &mut program[id];
    for (dim, extent) in dims.iter_mut().enumerate() {
        if extent.as_usize().is_none() {
            *extent = Expr::extent(id, dim);
        }
    }
}

/// What stands before the seam and behind it; the first ends with the seam.
fn parted(program: &Program, block: Block, tape: &mut Vec<BufferId>) -> Option<(Block, Block)> {
    let at = block.iter().position(|stmt| stmt.any(&mut Stmt::is_seam))?;
    let mut before = block;
    let mut after = before.split_off(at + 1);
    let path = before.pop()?;
    if path.is_seam() {
        before.push(path);
        return Some((before, after));
    }
    path.as_scope()?;
    let origin = path.origin;
    let (buffers, body) = path.into_scope()?;
    let (inner, behind) = parted(program, body, tape)?;
    let [own, others] = [&inner, &behind].map(|block| mentioned(program, block));
    let both = |id: &&BufferId| own.contains(**id) && others.contains(**id);
    tape.extend(buffers.iter().filter(both));
    let first = buffers.iter().copied().filter(|&id| own.contains(id) || !others.contains(id)).collect();
    let second: Vec<BufferId> =
        buffers.into_iter().filter(|&id| !own.contains(id) && others.contains(id)).collect();
    before.push(Stmt::scope(first, inner, origin));
    after.splice(
        0..0,
        match second.is_empty() {
            true => behind,
            false => vec![Stmt::scope(second, behind, origin)],
        },
    );
    Some((before, after))
}

/// The seam reads the tape.
fn keep(block: &mut Block, tape: &[BufferId]) {
    for stmt in block {
        stmt.walk_mut(&mut |stmt| {
            if let StmtKind::Call { callee: Callee::Seam, reads, writes } = &mut stmt.kind {
                *reads = tape.to_vec();
                writes.clear();
            }
        });
    }
}
