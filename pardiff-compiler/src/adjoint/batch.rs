//! Vector modes: the same derivative for several directions, or several seeds, in one run.
//!
//! *Comes in*: a program with tangents, or a reversal, that is not scheduled. *Goes out*: the same with one more dimension,
//! of the width of the batch, for every buffer that depends on a derivative that the caller gives. *Guarantees*: each
//! member of the batch has the bits that a run for it alone has. *Never*: computes twice what the members share: values,
//! checks, control, tapes of values.
//!
//! A *wide* buffer is one that depends on the derivatives given. Consecutive statements that write wide buffers become the
//! body of one loop over the batch, and what stands between them and is shared goes in front:
//!
//! ```text
//! s_dot += x_dot[i] * y[i]               for w in 0..8
//! s += x[i] * y[i]              =>         s_dot[w] += x_dot[i, w] * y[i]
//! t_dot = s_dot * c                      …
//! ```
//!
//! *Legality*: nothing that decides depends on a derivative (a rule of the verifier), so control is the same for all
//! members. What is shared never depends on what is wide; it goes in front of wide statements unless it overwrites what
//! these read. The dimension is the innermost of locals, so that the members stand side by side; a scalar that one loop
//! over the batch alone mentions stays a scalar of that loop.

use crate::ir::{
    Block, BufferId, BufferSet, Callee, Communication, Derivative, Expr, ExprKind, For, IterId, Layout,
    Place, Program, Role, Stmt, StmtKind, Ty, mentioned,
};
use crate::pass::Context;
use crate::refusal::Refusal;

/// A batch of derivatives.
#[derive(Clone, Debug)]
pub struct Batch {
    /// How many.
    pub width: usize,
    /// Which derivatives of parameters and results the caller gives for each member.
    pub of: Derivative,
    /// In front of which dimension of a parameter or result of the primal its derivatives have that of the batch; not of a
    /// scalar, which has no other.
    pub in_front_of: Vec<(BufferId, usize)>,
}

impl Batch {
    /// Whether the caller gives a derivative of this role for each member.
    fn gives(&self, role: Role) -> bool {
        role.derivative().is_some_and(|(_, last)| last == self.of)
    }
}

/// Gives the dimension to all that depends on the derivatives.
pub(super) fn batched(program: &mut Program, context: &mut Context) {
    let Some(batch) = context.batch.take() else { return };
    // what is returned has the dimension where it is zero as well
    let returned = program.results.iter().copied().filter(|&id| batch.gives(program[id].role));
    let mut given = given(program, &batch);
    returned.for_each(|id| _ = given.insert(id));
    let wide = dependent(program, batch.of, given);
    let of = |id: BufferId| {
        let buffer = &program[id];
        let (root, _) = program.root(id);
        let interface = batch.in_front_of.iter().find(|(of, _)| *of == root && is_public(program, id));
        match (interface, &buffer.layout) {
            (Some(&(_, at)), _) => at.min(buffer.rank()),
            (None, Layout::PackedTriangular) => 0,
            (None, _) => buffer.rank(),
        }
    };
    let at = program.buffer_ids().map(of).collect();
    program.with_body(|program, body| {
        let mut pass = Batching {
            program,
            wide,
            of: batch.of,
            at,
            width: batch.width,
            scalars: BufferSet::new(),
            refusals: Vec::new(),
        };
        *body = pass.block(std::mem::take(body));
        pass.extents(body);
        pass.dimensions();
        context.refusals.append(&mut pass.refusals);
    });
}

/// The parameters that the caller gives for each member.
pub(super) fn given(program: &Program, batch: &Batch) -> BufferSet {
    program.params.iter().copied().filter(|&id| batch.gives(program[id].role)).collect()
}

/// Whether the caller passes or gets it.
fn is_public(program: &Program, id: BufferId) -> bool {
    program.params.contains(&id) || program.results.contains(&id)
}

/// The buffers, derivatives of this kind, and all that depend on them. What a rule finds besides tangents is the value.
pub(super) fn dependent(program: &Program, of: Derivative, given: BufferSet) -> BufferSet {
    let mut wide = given;
    let mut changed = true;
    while std::mem::take(&mut changed) {
        crate::ir::walk(&program.body, &mut |stmt| {
            let mut depends = false;
            stmt.each_expr(&mut |expr| depends |= expr.loads_any(&wide));
            stmt.reads_itself(&mut |buffer| depends |= wide.contains(buffer));
            if let Some(both) = stmt.as_swap() {
                depends |= both.into_iter().any(|buffer| wide.contains(buffer));
            }
            if let Some((it, arrays)) = message(stmt) {
                // whatever this rank knows of it: both sides of a message have the dimension, or none
                if it.carries == Some(of) {
                    arrays.for_each(|array| changed |= wide.insert(array));
                }
                return;
            }
            if depends
                && of == Derivative::Tangent
                && let Some((call, reads, writes)) = stmt.as_user_call()
            {
                let tangents = call.tangents(program, reads, writes).into_iter();
                tangents.filter(|it| writes.contains(it)).for_each(|it| changed |= wide.insert(it));
            } else if depends {
                stmt.writes_itself(&mut |buffer| changed |= wide.insert(buffer));
            }
        });
    }
    wide
}

/// An operation between ranks, and its arrays: all but the wire.
fn message(stmt: &Stmt) -> Option<(&Communication, impl Iterator<Item = BufferId>)> {
    match &stmt.kind {
        StmtKind::Call { callee: Callee::Communication(it), reads, writes } => {
            Some((it, reads.iter().skip(1).chain(writes.iter().skip(1)).copied()))
        }
        _ => None,
    }
}

pub(super) struct Batching<'p> {
    pub(super) program: &'p mut Program,
    pub(super) wide: BufferSet,
    /// Which derivatives the batch is of.
    of: Derivative,
    /// By buffer: in front of which dimension that of the batch goes.
    at: Vec<usize>,
    pub(super) width: usize,
    /// Wide ones that are scalars of a loop over the batch.
    scalars: BufferSet,
    refusals: Vec<Refusal>,
}

/// What becomes of statements.
enum Item {
    /// A loop over the batch.
    Wide(Block),
    /// A statement as it is.
    Shared(Box<Stmt>),
}

/// The statements of a block in the order in which they run.
#[derive(Default)]
struct Items {
    done: Vec<Item>,
    /// The loop over the batch that more statements may join.
    run: Block,
    /// What it reads of what is shared, and all else that it mentions.
    mentioned: BufferSet,
    /// Scalars of scopes around some of the statements.
    declared: Vec<BufferId>,
}

impl Items {
    fn close(&mut self) {
        if !self.run.is_empty() {
            self.done.push(Item::Wide(std::mem::take(&mut self.run)));
            self.mentioned = BufferSet::new();
        }
    }
}

impl Batching<'_> {
    fn block(&mut self, block: Block) -> Block {
        let Some(origin) = block.first().map(|stmt| stmt.origin) else { return block };
        let mut items = Items::default();
        block.into_iter().for_each(|stmt| self.stmt(stmt, &mut items));
        items.close();
        let Items { done, declared, .. } = items;
        let within: Vec<BufferSet> = done.iter().map(|item| self.mentions(item)).collect();
        let mut locals: Vec<Vec<BufferId>> = vec![Vec::new(); done.len()];
        let mut around = Vec::new();
        for id in declared {
            let mut mentioning = (0..done.len()).filter(|&at| within[at].contains(id));
            match (mentioning.next(), mentioning.next()) {
                (Some(at), None) if self.wide.contains(id) && matches!(done[at], Item::Wide(_)) => {
                    self.scalars.insert(id);
                    locals[at].push(id);
                }
                (None, _) => {}
                _ => around.push(id),
            }
        }
        let stmts = done.into_iter().zip(locals).map(|(item, locals)| match item {
            Item::Shared(stmt) => *stmt,
            Item::Wide(run) => self.over_batch(run, locals),
        });
        let stmts: Block = stmts.collect();
        crate::ir::scoped_as(around, stmts, origin)
    }

    fn mentions(&self, item: &Item) -> BufferSet {
        match item {
            Item::Shared(stmt) => mentioned(self.program, std::slice::from_ref(&**stmt)),
            Item::Wide(run) => mentioned(self.program, run),
        }
    }

    fn is_wide(&self, stmt: &Stmt) -> bool {
        let mut any = stmt.declares().iter().any(|&buffer| self.wide.contains(buffer));
        stmt.writes(&mut |buffer| any |= self.wide.contains(buffer));
        any || message(stmt).is_some_and(|(it, _)| it.carries == Some(self.of))
    }

    fn stmt(&mut self, stmt: Stmt, items: &mut Items) {
        let own = std::slice::from_ref(&stmt);
        if !self.is_wide(&stmt) {
            if crate::ir::written(own).meets(&items.mentioned) {
                items.close();
            }
            return items.done.push(Item::Shared(Box::new(stmt)));
        }
        if stmt.as_store().is_some() || stmt.as_update().is_some() {
            items.mentioned.union(&mentioned(self.program, own));
            return items.run.push(stmt);
        }
        let Stmt { kind, origin } = stmt;
        let kind = match kind {
            StmtKind::Scope { buffers, body } if buffers.iter().all(|&id| self.program[id].rank() == 0) => {
                items.declared.extend(buffers);
                return body.into_iter().for_each(|stmt| self.stmt(stmt, items));
            }
            StmtKind::Scope { buffers, body } => StmtKind::Scope { buffers, body: self.block(body) },
            StmtKind::For(each) => StmtKind::For(For { body: self.block(each.body), ..each }),
            StmtKind::While(mut each) => {
                each.head = self.block(each.head);
                each.body = self.block(each.body);
                StmtKind::While(each)
            }
            StmtKind::If { cond, then, els } => {
                StmtKind::If { cond, then: self.block(then), els: self.block(els) }
            }
            StmtKind::Guarded { fact, then, els } => {
                StmtKind::Guarded { fact, then: self.block(then), els: self.block(els) }
            }
            StmtKind::Fork { tasks } => {
                StmtKind::Fork { tasks: tasks.into_iter().map(|task| self.block(task)).collect() }
            }
            StmtKind::Call { callee: Callee::User(call), reads, writes } => {
                self.for_each_member(*call, &reads, &writes, origin).kind
            }
            // one message for all members, which stand side by side in each of its elements
            StmtKind::Call { callee: Callee::Communication(mut it), reads, writes } => {
                if let Some(length) = it.length_mut() {
                    *length = length.clone() * Expr::int(length.ty, self.width as i128);
                }
                StmtKind::Call { callee: Callee::Communication(it), reads, writes }
            }
            StmtKind::Call { callee, reads, writes } => {
                match &callee {
                    Callee::Reserve(_) => {}
                    Callee::Product(_)
                    | Callee::Scan(_)
                    | Callee::Sort(_)
                    | Callee::Seam
                    | Callee::Communication(_)
                    | Callee::User(_) => self.refuse(origin.span, "a call"),
                }
                StmtKind::Call { callee, reads, writes }
            }
            kind @ (StmtKind::Assign { .. }
            | StmtKind::Reduce { .. }
            | StmtKind::Swap { .. }
            | StmtKind::Check { .. }) => kind,
        };
        items.close();
        items.done.push(Item::Shared(Box::new(Stmt::new(kind, origin))));
    }

    fn refuse(&mut self, span: crate::ir::SpanId, what: &str) {
        let span = self.program.spans.get(span.0 as usize).copied();
        self.refusals.push(Refusal::new(
            span.unwrap_or_else(proc_macro2::Span::call_site),
            format!("{what} that is not looked into, with `batch`"),
            "it is not known how it works on several derivatives at once",
            "call the function for each direction or seed without `batch`",
        ));
    }

    /// The loop over the batch.
    fn over_batch(&mut self, run: Block, locals: Vec<BufferId>) -> Stmt {
        let origin = run[0].origin;
        let iter = self.program.add_iter("w", Ty::USIZE);
        let mut body = crate::ir::scoped_as(locals, run, origin);
        self.widen_block(&mut body, iter);
        For::counted(iter, Expr::usize(self.width), body).stmt(origin)
    }

    /// Statements with the elements of the member.
    pub(super) fn widen_block(&self, block: &mut [Stmt], iter: IterId) {
        crate::ir::walk_mut(block, &mut |stmt| {
            for expr in stmt.exprs_mut() {
                expr.change(&mut |node| {
                    if let ExprKind::Load(place) = &mut node.kind {
                        self.widen(place, iter);
                    }
                });
            }
            if let StmtKind::Assign { target, .. } | StmtKind::Reduce { target, .. } = &mut stmt.kind {
                self.widen(target, iter);
            }
        });
    }

    /// The element of the member of the batch.
    fn widen(&self, place: &mut Place, iter: IterId) {
        if self.wide.contains(place.buffer) && !self.scalars.contains(place.buffer) {
            place.index.insert(self.at[place.buffer.0 as usize], Expr::iter(iter, Ty::USIZE));
        }
    }

    /// Extents that are mentioned keep their meaning.
    fn extents(&mut self, body: &mut Block) {
        let (wide, at) = (&self.wide, &self.at);
        let moved = &mut |node: &mut Expr| {
            if let ExprKind::Extent(id, dim) = &mut node.kind
                && wide.contains(*id)
                && *dim >= at[id.0 as usize]
            {
                *dim += 1;
            }
        };
        crate::ir::change_exprs(body, &mut |expr| expr.change(moved));
        for buffer in &mut self.program.buffers {
            buffer.dims.iter_mut().for_each(|dim| dim.change(moved));
        }
    }

    fn dimensions(&mut self) {
        for id in self.program.buffer_ids() {
            if !self.wide.contains(id) || self.scalars.contains(id) {
                continue;
            }
            let at = self.at[id.0 as usize];
            let buffer = &mut self.program[id];
            buffer.dims.insert(at, Expr::usize(self.width));
            if matches!(buffer.layout, Layout::Padded(_)) {
                buffer.layout = Layout::RowMajor;
            }
        }
    }
}
