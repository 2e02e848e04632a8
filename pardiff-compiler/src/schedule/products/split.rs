//! Which loops are distributed so that products stand alone, and what stands before, between and behind them.
//!
//! **Legality.** The iterations of a loop that is distributed meet in nothing but sums whose targets the body does not
//! read ([`meets`] is the proof), so they may be executed in any order, and part by part: within an iteration the order of
//! the parts is that of the source. What an iteration hands on from part to part in a local of its own, it keeps in an
//! element of its own. A product adds up what its three loops do to the target, which none of them reads.

use super::core::{Core, may_be_products, products};
use super::index::saturated;
use crate::ir::{
    Block, BufferId, BufferSet, Exec, Expr, ExprKind, For, Layout, Program, Space, Stmt, StmtKind, Ty, any,
    declared, mentioned, walk, written,
};
use crate::limits::LOOPS_OF_A_PRODUCT;
use crate::poly::Analysis;
use crate::schedule::Options;
use crate::schedule::parallel::meets;
use std::cell::OnceCell;

/// A part of the body of a loop.
#[derive(Clone, Debug)]
pub(super) enum Piece {
    /// What stays in loops.
    Plain(Block),
    /// A product.
    Core(Box<Core>),
}

/// A local that parts have in common.
#[derive(Clone, Debug)]
pub(super) struct Shared {
    pub(super) buffer: BufferId,
    /// The loops around its scope that are distributed, without their bodies.
    pub(super) around: Vec<For>,
}

/// The program, and the proofs about it, which are made when there is something to prove.
pub(super) struct Proofs<'a> {
    program: &'a Program,
    analysis: OnceCell<Analysis<'a>>,
}

impl<'a> Proofs<'a> {
    pub(super) fn of(program: &'a Program) -> Proofs<'a> {
        Proofs { program, analysis: OnceCell::new() }
    }

    /// Whether the iterations of a loop meet in nothing but sums.
    fn commute(&self, each: &For, options: &Options) -> bool {
        let analysis = self.analysis.get_or_init(|| Analysis::new(self.program));
        meets(analysis, each, options, &[]).is_ok()
    }
}

/// The outermost loop of products, and what was found in it.
pub(super) struct Nest<'a> {
    pub(super) program: &'a Program,
    proofs: &'a Proofs<'a>,
    options: &'a Options,
    /// What the body of the outermost loop writes or declares.
    changed: BufferSet,
    /// What more than one statement in it writes.
    changed_twice: BufferSet,
    inside: BufferSet,
    pub(super) shared: Vec<Shared>,
    /// The scalars that statements in front give a value that they keep, and that value.
    values: Vec<(BufferId, Expr)>,
}

/// The parts of the body of a loop, if there is a product among them; and the locals that they share.
pub(super) fn split<'a>(
    proofs: &'a Proofs<'a>,
    options: &'a Options,
    root: &'a For,
) -> Option<(Vec<Piece>, Vec<Shared>)> {
    let program = proofs.program;
    let (mut changed, inside) = (written(&root.body), declared(&root.body));
    changed.union(&inside);
    let (changed_twice, shared, values) = (written_twice(&root.body), Vec::new(), Vec::new());
    let mut nest = Nest { program, proofs, options, changed, changed_twice, inside, shared, values };
    let pieces = nest.distribute(root, &mut Vec::new())?;
    Some((pieces, nest.shared))
}

/// What more than one statement writes.
fn written_twice(block: &Block) -> BufferSet {
    let (mut once, mut twice) = (BufferSet::new(), BufferSet::new());
    walk(block, &mut |stmt| {
        stmt.writes_itself(&mut |buffer| _ = once.insert(buffer) || twice.insert(buffer));
    });
    twice
}

/// Whether there may be products in the statement so many loops deep: a look that costs nothing where there are none.
pub(super) fn may_contain(stmt: &Stmt, depth: usize) -> bool {
    match stmt.as_for() {
        Some(each) if depth == 1 => may_be_products(&each.body),
        Some(each) => depth > 1 && each.body.iter().any(|stmt| may_contain(stmt, depth - 1)),
        None => stmt.as_scope().is_some_and(|(_, body)| body.iter().any(|stmt| may_contain(stmt, depth))),
    }
}

impl<'a> Nest<'a> {
    /// Whether the value is another one in other iterations for what they write; or is not known outside.
    pub(super) fn changes(&self, expr: &Expr) -> bool {
        let of_own =
            |node: &Expr| matches!(&node.kind, ExprKind::Extent(buffer, _) if self.inside.contains(*buffer));
        expr.reads_any(self.program, &self.changed) || expr.any(&mut &of_own)
    }

    /// The same with the extents of locals as they are declared, and with what is known of scalars.
    pub(super) fn outside(&self, expr: &Expr) -> Expr {
        expr.map(&mut |node| match &node.kind {
            ExprKind::Extent(buffer, dim) if self.inside.contains(*buffer) => {
                match &self.program[*buffer].dims[*dim] {
                    own if *own == node => node,
                    dim => self.outside(dim),
                }
            }
            ExprKind::Load(place) if place.index.is_empty() => self.value(place.buffer).unwrap_or(node),
            _ => node,
        })
    }

    fn value(&self, scalar: BufferId) -> Option<Expr> {
        self.values.iter().find(|(known, _)| *known == scalar).map(|(_, value)| value.clone())
    }

    /// Notes what a statement says of a scalar: `row = i * d`, where nothing else in the nest writes `row`, and `d` does not
    /// change in it. Behind the statement, in its block, the value is the same wherever the scalar is read.
    fn note(&mut self, stmt: &Stmt) {
        let Some((target, value)) = stmt.as_assign() else { return };
        let is_name = target.index.is_empty()
            && self.program[target.buffer].elem == Ty::USIZE
            && self.inside.contains(target.buffer)
            && !self.changed_twice.contains(target.buffer);
        if is_name {
            let value = self.outside(value);
            if !self.changes(&value) {
                self.values.push((target.buffer, value));
            }
        }
    }

    /// How many loops are around the scope of a local that parts may share.
    pub(super) fn depth(&self, buffer: BufferId) -> Option<usize> {
        self.shared.iter().find(|shared| shared.buffer == buffer).map(|shared| shared.around.len())
    }

    /// The parts of the body of a loop, each without the loop itself; `None` if there is no product among them, or the
    /// loop may not be distributed.
    fn distribute(&mut self, each: &'a For, around: &mut Vec<&'a For>) -> Option<Vec<Piece>> {
        let fixed = |bound: &Expr| {
            let outside = self.outside(bound);
            let inner = around.iter().any(|outer| outside.mentions(outer.iter));
            !inner && !self.changes(&outside) && saturated(&outside, &|_| None).is_some()
        };
        let plain = each.exec == Exec::Undecided && !each.marks.sequential && each.is_plain();
        if !plain || around.len() == LOOPS_OF_A_PRODUCT || !fixed(&each.lo) || !fixed(&each.hi) {
            return None;
        }
        around.push(each);
        let pieces = match around[..] {
            [x, y, z] => products(self, [x, y, z], &each.body)
                .map(|cores| cores.into_iter().map(|core| Piece::Core(Box::new(core))).collect()),
            _ => self.parts(&each.body, around),
        };
        around.pop();
        pieces.filter(|_| self.proofs.commute(each, self.options))
    }

    /// The parts of a block; `None` if there is no product among them.
    fn parts(&mut self, block: &'a Block, around: &mut Vec<&'a For>) -> Option<Vec<Piece>> {
        let mut parts: Vec<(&Stmt, Option<Vec<Piece>>)> = Vec::new();
        let known = self.values.len();
        for stmt in block {
            self.note(stmt);
            let shared = self.shared.len();
            let inner = match &stmt.kind {
                _ if !may_contain(stmt, LOOPS_OF_A_PRODUCT - around.len()) => None,
                StmtKind::For(each) => self.distribute(each, around).map(|parts| {
                    let within = |part| match part {
                        Piece::Plain(body) => Piece::Plain(vec![each.around(body).stmt(stmt.origin)]),
                        core => core,
                    };
                    parts.into_iter().map(within).collect()
                }),
                StmtKind::Scope { buffers, body } => self.scope(stmt, buffers, body, around),
                _ => None,
            };
            if inner.is_none() {
                self.shared.truncate(shared);
            }
            parts.push((stmt, inner));
        }
        self.values.truncate(known);
        if parts.iter().all(|(_, inner)| inner.is_none()) {
            return None;
        }
        let mut pieces: Vec<Piece> = Vec::new();
        for (stmt, inner) in parts {
            let inner = inner.unwrap_or_else(|| vec![Piece::Plain(vec![stmt.clone()])]);
            inner.into_iter().for_each(|piece| push(&mut pieces, piece));
        }
        Some(pieces)
    }

    /// The parts of a scope: what one of them alone uses, it declares; the rest is shared.
    fn scope(
        &mut self,
        scope: &Stmt,
        buffers: &[BufferId],
        body: &'a Block,
        around: &mut Vec<&'a For>,
    ) -> Option<Vec<Piece>> {
        let from = self.shared.len();
        for &buffer in buffers {
            let around = around.iter().map(|each| each.around(Block::new())).collect();
            self.shared.push(Shared { buffer, around });
        }
        let mut pieces = self.parts(body, around)?;
        let mut kept = Vec::new();
        for &buffer in buffers {
            let users: Vec<usize> =
                (0..pieces.len()).filter(|&at| uses(self.program, &pieces[at], buffer)).collect();
            match users[..] {
                [] => {}
                [at] if matches!(pieces[at], Piece::Plain(_)) => {
                    if let Piece::Plain(block) = &mut pieces[at] {
                        *block = vec![Stmt::scope(vec![buffer], std::mem::take(block), scope.origin)];
                    }
                }
                _ => kept.push(buffer),
            }
        }
        let expands = |&buffer: &BufferId| {
            let it = &self.program[buffer];
            let fixed = |dim: &Expr| {
                let dim = self.outside(dim);
                let varies = around.iter().any(|each| dim.mentions(each.iter));
                !varies && !self.changes(&dim) && saturated(&dim, &|_| None).is_some()
            };
            it.layout == Layout::RowMajor && it.space == Space::Global && it.dims.iter().all(fixed)
        };
        let program = self.program;
        if !kept.iter().all(expands) || pieces.iter().any(|piece| needs_whole(program, piece, &kept)) {
            return None;
        }
        let mut at = 0;
        self.shared.retain(|shared| {
            at += 1;
            at <= from || !buffers.contains(&shared.buffer) || kept.contains(&shared.buffer)
        });
        Some(pieces)
    }
}

/// Appends a part; what stays in loops is one part with what stands before it.
fn push(pieces: &mut Vec<Piece>, piece: Piece) {
    match (pieces.last_mut(), piece) {
        (Some(Piece::Plain(before)), Piece::Plain(block)) => before.extend(block),
        (_, piece) => pieces.push(piece),
    }
}

/// Whether a part uses a buffer.
fn uses(program: &Program, piece: &Piece, buffer: BufferId) -> bool {
    match piece {
        Piece::Core(core) => [&core.target, &core.left, &core.right].iter().any(|it| it.buffer == buffer),
        Piece::Plain(block) => mentioned(program, block).contains(buffer),
    }
}

/// Whether a part exchanges one of the buffers with another one, or declares arrays of their sizes.
fn needs_whole(program: &Program, piece: &Piece, buffers: &[BufferId]) -> bool {
    let Piece::Plain(block) = piece else { return false };
    any(block, &mut |stmt| {
        let mut dims = stmt.declares().iter().flat_map(|&it| &program[it].dims);
        stmt.as_swap().into_iter().flatten().any(|it| buffers.contains(&it))
            || dims.any(|dim| buffers.iter().any(|&buffer| dim.names(buffer)))
    })
}
