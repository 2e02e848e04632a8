//! What the host of a GPU knows without asking it: sizes, trip counts, conditions.
//!
//! The host runs the statements outside of kernels: loops over kernels, conditions and memory. A value is the host's if it comes
//! from constants, from lengths, from scalar parameters and from integers that the host itself computes. Everything else is
//! in the memory of the device.

use crate::ir::{
    Block, BufferId, BufferSet, Callee, Exec, Expr, ExprKind, For, IterId, Level, Program, Role, Space, Stmt,
    StmtKind,
};

/// The integers and truth values that the host computes, and the loops that it runs.
#[derive(Clone, Debug)]
pub struct Host<'p> {
    program: &'p Program,
    /// Scalars of the host: parameters that are not written, and locals.
    scalars: BufferSet,
    /// Iterators of loops that the host runs.
    iters: Vec<IterId>,
}

impl<'p> Host<'p> {
    /// What the host of this program, whose kernels are the loops of level `Grid`, knows.
    pub fn of(program: &'p Program) -> Host<'p> {
        let mut scalars = BufferSet::new();
        for &param in &program.params {
            if program[param].rank() == 0 && is_by_value(program, param) {
                scalars.insert(param);
            }
        }
        let mut locals = Vec::new();
        program.body.iter().for_each(|stmt| {
            stmt.walk(&mut |stmt| {
                if let Some((buffers, _)) = stmt.as_scope() {
                    let is_local = |id: &&BufferId| {
                        let buffer = &program[**id];
                        buffer.rank() == 0 && !buffer.elem.is_float() && !program.results.contains(*id)
                    };
                    locals.extend(buffers.iter().filter(is_local));
                }
            });
        });
        locals.iter().for_each(|&local| {
            scalars.insert(local);
        });
        let mut host = Host { program, scalars, iters: Vec::new() };
        loop {
            host.iters.clear();
            let before = host.scalars.clone();
            host.block(&program.body, true);
            if host.scalars == before {
                return host;
            }
        }
    }

    /// Takes the scalars away that it cannot compute, and finds the loops that it runs.
    fn block(&mut self, block: &Block, here: bool) {
        for stmt in block {
            let here = here && self.runs(stmt);
            match &stmt.kind {
                StmtKind::Assign { target, value } | StmtKind::Reduce { target, value, .. }
                    if !here || !(self.knows(value) || self.reads_back(stmt)) =>
                {
                    self.scalars.remove(target.buffer);
                }
                StmtKind::Swap { a, b } => {
                    self.scalars.remove(*a);
                    self.scalars.remove(*b);
                }
                StmtKind::Call { writes, .. } => writes.iter().for_each(|it| self.scalars.remove(*it)),
                // what a kernel declares is a thread's
                StmtKind::Scope { buffers, .. } if !here => {
                    buffers.iter().for_each(|it| self.scalars.remove(*it));
                }
                StmtKind::For(each) if here => self.iters.push(each.iter),
                _ => {}
            }
            stmt.blocks().into_iter().for_each(|inner| self.block(inner, here));
        }
    }

    /// Whether the host runs the statement, which stands outside of kernels and of what one thread does, and looks inside.
    pub fn runs(&self, stmt: &Stmt) -> bool {
        match &stmt.kind {
            StmtKind::For(each) => {
                each.exec != Exec::Parallel(Level::Grid) && has_kernels(&each.body) && self.counts(each)
            }
            StmtKind::If { cond, .. } | StmtKind::Guarded { fact: cond, .. } => self.knows(cond),
            StmtKind::Scope { .. } => true,
            StmtKind::Check { cond, message } => {
                self.knows(cond) && message.operands().into_iter().all(|it| self.knows(it))
            }
            StmtKind::Assign { target, value } | StmtKind::Reduce { target, value, .. } => {
                self.scalars.contains(target.buffer) && (self.knows(value) || self.reads_back(stmt))
            }
            StmtKind::Swap { a, b } => {
                [a, b].iter().all(|&&it| self.program[it].rank() > 0 && !self.program.params.contains(&it))
            }
            StmtKind::Call { callee: Callee::Scan(_) | Callee::Sort(_), .. } => {
                stmt.exprs().into_iter().all(|it| self.knows(it))
            }
            _ => false,
        }
    }

    /// Whether it waits for the device and reads a scalar from there.
    pub fn reads_back(&self, stmt: &Stmt) -> bool {
        stmt.as_assign().is_some_and(|(target, value)| {
            self.program[target.buffer].space == Space::Host
                && matches!(&value.kind, ExprKind::Load(of) if of.index.is_empty() && !self.has(of.buffer))
        })
    }

    /// Whether it knows how often a loop iterates.
    pub fn counts(&self, each: &For) -> bool {
        each.bounds().into_iter().all(|it| self.knows(it))
    }

    /// Whether the buffer is a variable of the host.
    pub fn has(&self, buffer: BufferId) -> bool {
        self.scalars.contains(buffer)
    }

    /// Whether it can evaluate the expression. Functions of floats it leaves to the device: theirs may differ in the last bit.
    pub fn knows(&self, expr: &Expr) -> bool {
        expr.all(&mut |expr| match &expr.kind {
            ExprKind::Iter(iter) => self.iters.contains(iter),
            ExprKind::Load(place) => place.index.is_empty() && self.scalars.contains(place.buffer),
            ExprKind::Extent(buffer, dim) => self.knows_extent(*buffer, *dim),
            ExprKind::Call(..) => !expr.ty.is_float(),
            _ => true,
        })
    }

    fn knows_extent(&self, buffer: BufferId, dim: usize) -> bool {
        let of = &self.program[buffer];
        if of.layout.grows() {
            return false;
        }
        match &of.dims[dim].kind {
            ExprKind::Extent(same, at) if *same == buffer && *at == dim => true,
            _ => self.knows(&of.dims[dim]),
        }
    }
}

/// Whether a scalar parameter comes by value: nobody writes it.
fn is_by_value(program: &Program, param: BufferId) -> bool {
    // the seed is an adjoint that is only read
    let mut written = false;
    program.body.iter().for_each(|stmt| stmt.writes(&mut |it| written |= it == param));
    match program[param].role {
        Role::Input => !written,
        Role::Adjoint(of) => program.results.contains(&of) && !written,
        _ => !written && !program[param].elem.is_float(),
    }
}

/// Whether loops of a grid are in a block.
pub(super) fn has_kernels(block: &Block) -> bool {
    let mut found = false;
    block.iter().for_each(|stmt| {
        stmt.walk(&mut |stmt| {
            found |= matches!(&stmt.kind, StmtKind::For(For { exec: Exec::Parallel(Level::Grid), .. }));
        });
    });
    found
}
