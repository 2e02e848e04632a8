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
//! of the second. Its extents are those that it had where the second program can say them as well, and else its own.
//! *Legality*: at the level of the region the seam stands in scopes alone, so that what stands before it in each is all that
//! runs before it. The seam writes all outputs: the reverse sweep finds no value there, and the second program has no need
//! of them but for their lengths, which are those of their adjoints, or scalars of the tape.

use crate::ir::{
    Block, Buffer, BufferId, Callee, Expr, ExprKind, Layout, Origin, Phase, Place, Program, Role, SpanId,
    Stmt, StmtKind, Ty, mentioned, scoped_as,
};

/// The primal with a seam at its end: a reversal of it keeps forward and reverse sweep apart.
pub fn seamed(primal: &Program) -> Program {
    let mut program = primal.clone();
    program.body.push(seam(primal));
    program
}

/// The end of the first sweep, which writes all outputs.
pub(super) fn seam(program: &Program) -> Stmt {
    let is_output = |&id: &BufferId| program[id].role == Role::InOut;
    let outputs = program.params.iter().copied().filter(is_output);
    let writes = outputs.chain(program.results.iter().copied()).collect();
    let origin = Origin { stmt: 0, phase: Phase::Primal, span: SpanId(0) };
    Stmt::new(StmtKind::Call { callee: Callee::Seam, reads: Vec::new(), writes }, origin)
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

/// Cuts a reversal; `None` where it has no seam at the level of the function. Both programs are called with the same
/// values of the scalars `same`, and with inputs of the same lengths.
pub fn cut(reversed: &Program, same: &[BufferId]) -> Option<Halves> {
    let mut program = reversed.clone();
    let body = std::mem::take(&mut program.body);
    let mut tape = Vec::new();
    let (mut before, mut after) = parted(&program, body, &mut tape)?;
    let (adjoints, primals): (Vec<BufferId>, Vec<BufferId>) =
        program.params.iter().partition(|id| program.is_derivative(**id));
    let mut lengths = Lengths { lost: Vec::new(), companions: Vec::new(), kept: Vec::new() };
    for id in primals.iter().copied().filter(|&id| program[id].role == Role::InOut) {
        lengths.lost.push(id);
        let companion = adjoints.iter().copied().find(|&adjoint| program[adjoint].role == Role::Adjoint(id));
        lengths.companions.extend(companion.map(|adjoint| (id, adjoint)));
    }
    lengths.rename_all(&mut program, &mut after);
    let lengths_of_tape: Vec<BufferId> = lengths.kept.iter().map(|&(_, _, scalar)| scalar).collect();
    tape.extend(&lengths_of_tape);
    before = lengths.kept_in_front_of(before);
    keep(&mut before, &tape);

    let mut backward = Program { results: Vec::new(), ..program.clone() };
    for id in program.buffer_ids() {
        for dim in 0..program[id].rank() {
            backward[id].dims[dim].change(&mut |part| lengths.rename(part));
        }
    }
    for &(_, adjoint) in &lengths.companions {
        own_extents(&mut backward, adjoint, &|_| false);
    }
    for &id in &tape {
        let is_same = |expr: &Expr| {
            !expr.any(&mut |part| match &part.kind {
                ExprKind::Load(place) => !tape.contains(&place.buffer) && !same.contains(&place.buffer),
                ExprKind::Extent(of, _) => !program.params.contains(of) || lengths.lost.contains(of),
                _ => false,
            })
        };
        match backward[id].layout.grows() {
            true => {
                own_extents(&mut backward, id, &|_| false);
                backward[id].layout = Layout::RowMajor;
            }
            false => own_extents(&mut backward, id, &is_same),
        }
        backward[id].role = Role::Input;
    }
    let given = program.params.iter().copied().filter(|id| !lengths.lost.contains(id));
    backward.params = given.chain(tape.iter().copied()).collect();
    backward.body = after;
    let forward = Program { params: primals, body: before, ..program };
    Some(Halves { forward, backward, tape })
}

/// The lengths of the arguments that the second program is not given.
struct Lengths {
    lost: Vec<BufferId>,
    /// Their adjoints, which have the same.
    companions: Vec<(BufferId, BufferId)>,
    /// Scalars of the tape for those that have none.
    kept: Vec<(BufferId, usize, BufferId)>,
}

impl Lengths {
    /// Renames a length by what the second program has in its place.
    fn rename(&self, part: &mut Expr) {
        let ExprKind::Extent(of, dim) = part.kind else { return };
        if let Some((_, adjoint)) = self.companions.iter().find(|(lost, _)| *lost == of) {
            *part = Expr::extent(*adjoint, dim);
        } else if let Some((.., scalar)) = self.kept.iter().find(|(lost, at, _)| (*lost, *at) == (of, dim)) {
            *part = Place::scalar(*scalar).load(Ty::USIZE);
        }
    }

    /// Whether the tape keeps the lengths of an argument.
    fn are_kept(&self, of: BufferId) -> bool {
        self.lost.contains(&of) && !self.companions.iter().any(|(lost, _)| *lost == of)
    }

    /// Renames them in the second program, after those that it asks for have scalars.
    fn rename_all(&mut self, program: &mut Program, after: &mut Block) {
        let mut asked = Vec::new();
        let mut ask = |part: &Expr| {
            if let ExprKind::Extent(of, dim) = part.kind
                && self.are_kept(of)
                && !asked.contains(&(of, dim))
            {
                asked.push((of, dim));
            }
        };
        crate::ir::walk(after, &mut |stmt| {
            stmt.exprs().into_iter().for_each(|expr| expr.walk(&mut ask));
        });
        for id in mentioned(program, after).iter() {
            program[id].dims.iter().for_each(|extent| extent.walk(&mut ask));
        }
        for (of, dim) in asked {
            let name = format!("{}_len", program[of].name);
            self.kept.push((of, dim, program.add_scalar(&name, Ty::USIZE, Role::Local)));
        }
        for stmt in after.iter_mut() {
            stmt.change_exprs(&mut |expr| expr.change(&mut |part| self.rename(part)));
        }
    }

    /// The first program, which keeps them.
    fn kept_in_front_of(&self, before: Block) -> Block {
        let origin = Origin { stmt: 0, phase: Phase::Primal, span: SpanId(0) };
        let keep = |&(of, dim, scalar): &(BufferId, usize, BufferId)| {
            Stmt::assign(Place::scalar(scalar), Expr::extent(of, dim), origin)
        };
        let body = self.kept.iter().map(keep).chain(before).collect();
        scoped_as(self.kept.iter().map(|&(.., scalar)| scalar).collect(), body, origin)
    }
}

/// The caller, or the tape, decides the extents but for those that are known.
fn own_extents(program: &mut Program, id: BufferId, is_known: &dyn Fn(&Expr) -> bool) {
    let Buffer { dims, .. } = &mut program[id];
    for (dim, extent) in dims.iter_mut().enumerate() {
        if extent.as_usize().is_none() && !is_known(extent) {
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
    // a wire holds nothing: both programs have it
    let is_wire = |id: BufferId| program[id].role == Role::Wire;
    let both = |id: &&BufferId| own.contains(**id) && others.contains(**id) && !is_wire(**id);
    tape.extend(buffers.iter().filter(both));
    let first = buffers.iter().copied().filter(|&id| own.contains(id) || !others.contains(id)).collect();
    let only = |id: &BufferId| (!own.contains(*id) || is_wire(*id)) && others.contains(*id);
    let second: Vec<BufferId> = buffers.into_iter().filter(only).collect();
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
