//! Statements.

use super::{Rule, Verifier};
use crate::ir::{
    Block, Buffer, BufferId, Callee, Exec, Expr, ExprKind, For, Int, Layout, Place, Product, Program,
    ReduceOp, Role, Stmt, StmtKind, Ty, While,
};
use std::collections::HashSet;

impl<'a> Verifier<'a> {
    pub(super) fn block(&mut self, block: &'a Block) {
        for stmt in block {
            let around = self.current.replace(stmt);
            self.stmt(stmt);
            self.current = around;
        }
    }

    fn stmt(&mut self, stmt: &'a Stmt) {
        let span = stmt.origin.span;
        let exists = (span.0 as usize) < self.program.spans.len();
        self.require(exists, Rule::Id, || format!("there is no {span:?}"));
        self.fits_schedule(stmt);
        match &stmt.kind {
            StmtKind::For(for_) => self.for_loop(for_),
            StmtKind::While(while_) => self.while_loop(while_),
            StmtKind::If { cond, then, els } | StmtKind::Guarded { fact: cond, then, els } => {
                self.typed_expr(cond, Ty::Bool, "a condition");
                self.block(then);
                self.block(els);
            }
            StmtKind::Assign { target, value } => {
                self.target(target, value);
            }
            StmtKind::Reduce { op, target, value, .. } => {
                if let Some(elem) = self.target(target, value) {
                    let is_of_bools = elem == Ty::Bool && *op != ReduceOp::Max;
                    self.require(!is_of_bools, Rule::Reduce, || {
                        "a reduction of bools other than by `max`".to_owned()
                    });
                }
                let mut reads = false;
                value.walk(&mut |expr| {
                    reads |= matches!(&expr.kind, ExprKind::Load(place) if place == target)
                });
                self.require(!reads, Rule::Reduce, || {
                    "the value reads the element that is updated".to_owned()
                });
            }
            StmtKind::Scope { buffers, body } => {
                self.open(buffers);
                self.block(body);
                self.close(buffers);
            }
            StmtKind::Swap { a, b } => self.swap(*a, *b),
            StmtKind::Fork { tasks } => {
                self.independent(tasks);
                tasks.iter().for_each(|task| self.block(task));
            }
            StmtKind::Check { cond, message } => {
                self.typed_expr(cond, Ty::Bool, "a condition");
                for operand in message.operands() {
                    self.typed_expr(operand, Ty::USIZE, "what a message shows");
                }
            }
            StmtKind::Call { callee, reads, writes } => {
                reads.iter().for_each(|&id| {
                    self.visible(id);
                });
                writes.iter().for_each(|&id| self.write(id));
                match callee {
                    Callee::Product(product) => self.product(product, reads, writes),
                    Callee::Scan(len) => {
                        self.whole(&[len], Ty::USIZE, reads, &[reads, writes]);
                        self.require(reads == writes, Rule::Order, || {
                            "a prefix sum reads and writes one array".to_owned()
                        });
                    }
                    Callee::Sort(sort) => {
                        self.whole(&sort.exprs(), Ty::Int(Int::U32), reads, &[writes]);
                        let differ = matches!((&reads[..], &writes[..]), ([a], [b, c]) if a == b && b != c);
                        self.require(differ, Rule::Order, || {
                            "a sort reads keys, and writes keys and order".to_owned()
                        });
                    }
                    Callee::Seam => {}
                    Callee::User(call) => self.user_call(call, reads, writes),
                    Callee::Communication(it) => self.communication(it, reads, writes),
                    Callee::Reserve(rows) => {
                        self.typed_expr(rows, Ty::USIZE, "a number of rows");
                        let reached =
                            |id: &BufferId| self.exists(*id) && self.program[*id].layout == Layout::Reserved;
                        let fits = reads.is_empty() && writes.len() == 1 && writes.iter().all(reached);
                        self.require(fits, Rule::Order, || {
                            "only what grows by rows has more of them".to_owned()
                        });
                    }
                }
            }
        }
    }

    /// What is done with whole arrays of one dimension, which lie one element behind the other.
    fn whole(&mut self, sizes: &[&Expr], elem: Ty, reads: &[BufferId], lists: &[&[BufferId]]) {
        sizes.iter().for_each(|size| self.typed_expr(size, Ty::USIZE, "a size of what is put in order"));
        self.require(reads.len() == 1, Rule::Order, || "one array is put in order".to_owned());
        for &id in lists.iter().copied().flatten() {
            let Some(it) = self.program.buffers.get(id.0 as usize) else { continue };
            let fits = it.elem == elem && it.rank() == 1 && it.layout == Layout::RowMajor;
            self.require(fits, Rule::Order, || {
                format!("`{}` is no row-major array of one dimension of `{elem}`", it.name)
            });
        }
    }

    fn product(&mut self, product: &Product, reads: &[BufferId], writes: &[BufferId]) {
        let matrices = product.matrices(reads);
        let Some(matrices) = matrices.filter(|[(target, _), ..]| writes == [*target]) else {
            return self
                .violate(Rule::Product, "a product reads left, right and target, and writes the target");
        };
        product.sizes.iter().for_each(|size| self.typed_expr(size, Ty::USIZE, "a size of a product"));
        let [(target, _), (left, _), (right, _)] = matrices;
        self.require(target != left && target != right, Rule::Product, || {
            "a product adds to one of its factors".to_owned()
        });
        for (buffer, matrix) in matrices {
            let Some(it) = self.program.buffers.get(buffer.0 as usize) else { continue };
            let of_target = self.program.buffers.get(target.0 as usize).map(|it| it.elem);
            let fits = it.elem.is_float() && Some(it.elem) == of_target;
            self.require(fits && it.layout == Layout::RowMajor && it.rank() > 0, Rule::Product, || {
                format!("`{}` is no row-major array of the floats of the product", it.name)
            });
            for index in [&matrix.first, &matrix.steps[0], &matrix.steps[1]] {
                self.require(index.len() == it.rank(), Rule::Type, || {
                    format!("a product has an index of {} dimensions into `{}`", index.len(), it.name)
                });
                index.iter().for_each(|at| self.typed_expr(at, Ty::USIZE, "an index of a product"));
            }
        }
        if let Some(it) = self.program.buffers.get(target.0 as usize) {
            self.typed_expr(&product.scale, it.elem, "the scale of a product");
        }
    }

    /// The element that a value is written to; its type if it exists.
    fn target(&mut self, target: &Place, value: &Expr) -> Option<Ty> {
        self.expr(value);
        let elem = self.place(target)?;
        self.typed(value, elem, "the value");
        self.write(target.buffer);
        Some(elem)
    }

    fn write(&mut self, id: BufferId) {
        if !self.visible(id) {
            return;
        }
        let program = self.program;
        let name = &program[id].name;
        self.written[id.0 as usize] = true;
        self.require(!is_read_only(program, id), Rule::ReadOnly, || format!("`{name}` is written"));
        self.require(self.frozen[id.0 as usize] == 0, Rule::Invariant, || {
            format!("`{name}` is written while it decides the extents of a buffer")
        });
    }

    fn for_loop(&mut self, for_: &'a For) {
        let ty = self.program.iters.get(for_.iter.0 as usize).map_or(for_.lo.ty, |iter| iter.ty);
        self.typed_expr(&for_.lo, ty, "the lower bound");
        self.typed_expr(&for_.hi, ty, "the upper bound");
        self.typed_expr(&for_.step, Ty::USIZE, "the step");
        let positive = !matches!(for_.step.kind, ExprKind::Int(step) if step <= 0);
        self.require(positive, Rule::Step, || "the step is not positive".to_owned());
        let both = for_.marks.parallel && for_.marks.sequential;
        self.require(!both, Rule::Execution, || "marked both parallel and sequential".to_owned());
        if let Exec::Lanes { block } = for_.exec {
            self.require(block > 0, Rule::Execution, || "a block without lanes".to_owned());
        }
        if !self.iter_exists(for_.iter) {
            return;
        }
        let name = &self.program[for_.iter].name;
        self.require(ty.is_int(), Rule::Iterator, || format!("the iterator `{name}` is no integer"));
        self.enter(for_.iter.0 as usize);
        self.body_of(for_);
        self.open[for_.iter.0 as usize] = false;
    }

    fn while_loop(&mut self, while_: &'a While) {
        if !self.iter_exists(while_.counter) {
            return;
        }
        let counter = &self.program[while_.counter];
        self.require(counter.ty == Ty::USIZE, Rule::Iterator, || {
            format!("the counter `{}` is no usize", counter.name)
        });
        self.enter(while_.counter.0 as usize);
        self.block(&while_.head);
        self.typed_expr(&while_.cond, Ty::Bool, "a condition");
        self.block(&while_.body);
        self.open[while_.counter.0 as usize] = false;
    }

    fn enter(&mut self, iter: usize) {
        let again = std::mem::replace(&mut self.used[iter], true);
        let name = &self.program.iters[iter].name;
        self.require(!again, Rule::Iterator, || format!("the iterator `{name}` belongs to two loops"));
        self.open[iter] = true;
    }

    fn swap(&mut self, a: BufferId, b: BufferId) {
        self.write(a);
        self.write(b);
        let program = self.program;
        let (Some(first), Some(second)) =
            (program.buffers.get(a.0 as usize), program.buffers.get(b.0 as usize))
        else {
            return;
        };
        let extents = |id: BufferId, buffer: &Buffer| -> Vec<Option<Expr>> {
            let own = |k: usize| ExprKind::Extent(id, k);
            let dims = buffer.dims.iter().enumerate();
            dims.map(|(k, dim)| (dim.kind != own(k)).then(|| resolve(program, dim))).collect()
        };
        let agree = a != b
            && first.elem == second.elem
            && first.layout == second.layout
            && extents(a, first) == extents(b, second);
        self.require(agree, Rule::Swap, || {
            format!("`{}` and `{}` cannot be exchanged", first.name, second.name)
        });
    }

    /// Whether no task writes a scalar that another one mentions, unless both do nothing but update it by one operation.
    fn independent(&mut self, tasks: &[Block]) {
        let mut reads: Vec<HashSet<BufferId>> = Vec::new();
        let mut writes: Vec<HashSet<BufferId>> = Vec::new();
        for task in tasks {
            let (mut read, mut write, mut own) = (HashSet::new(), HashSet::new(), HashSet::new());
            crate::ir::walk(task, &mut |stmt| {
                mentions(stmt, &mut read, &mut write);
                if let StmtKind::Scope { buffers, .. } = &stmt.kind {
                    own.extend(buffers.iter().copied());
                }
            });
            reads.push(read.difference(&own).copied().collect());
            writes.push(write.difference(&own).copied().collect());
        }
        let scalar = |id: &BufferId| self.program.buffers.get(id.0 as usize).is_some_and(|b| b.rank() == 0);
        let mut shared: Vec<BufferId> = Vec::new();
        for (k, written) in writes.iter().enumerate() {
            for other in (0..tasks.len()).filter(|&other| other != k) {
                let touches = |id: &&BufferId| reads[other].contains(id) || writes[other].contains(id);
                let summed = |id: &&BufferId| {
                    let op = updated_by(&tasks[k], **id);
                    op.is_some() && op == updated_by(&tasks[other], **id)
                };
                shared.extend(written.iter().filter(touches).filter(|id| scalar(id) && !summed(id)));
            }
        }
        shared.sort();
        shared.dedup();
        for id in shared {
            let name = &self.program[id].name;
            self.violate(Rule::Fork, format!("one task writes `{name}`, which another one uses"));
        }
    }
}

/// The operation, if all that a block does to a buffer is to update it by that one.
fn updated_by(block: &Block, buffer: BufferId) -> Option<ReduceOp> {
    let mut found = None;
    let mut only = true;
    let mut visit = |stmt: &Stmt| {
        let (mut read, mut write) = (HashSet::new(), HashSet::new());
        mentions(stmt, &mut read, &mut write);
        only &= !read.contains(&buffer);
        match &stmt.kind {
            StmtKind::Reduce { op, target, .. } if target.buffer == buffer => {
                only &= found.is_none_or(|found| found == *op);
                found = Some(*op);
            }
            _ => only &= !write.contains(&buffer),
        }
    };
    crate::ir::walk(block, &mut visit);
    found.filter(|_| only)
}

/// The buffers that a statement itself reads and writes.
fn mentions(stmt: &Stmt, reads: &mut HashSet<BufferId>, writes: &mut HashSet<BufferId>) {
    stmt.each_expr(&mut |expr| {
        expr.each_load(&mut |place| {
            reads.insert(place.buffer);
        })
    });
    match &stmt.kind {
        StmtKind::Assign { target, .. } | StmtKind::Reduce { target, .. } => {
            writes.insert(target.buffer);
        }
        StmtKind::Swap { a, b } => writes.extend([*a, *b]),
        StmtKind::Call { reads: read, writes: written, .. } => {
            reads.extend(read);
            writes.extend(written);
        }
        _ => {}
    }
}

/// Whether a buffer is never written: inputs, tables, seeds, and tangents of such.
fn is_read_only(program: &Program, id: BufferId) -> bool {
    let is_param = program.params.contains(&id);
    let mut at = id;
    for _ in 0..=program.buffers.len() {
        let Some(buffer) = program.buffers.get(at.0 as usize) else { return false };
        match buffer.role {
            Role::Input | Role::Table(_) => return at == id || is_param,
            Role::Adjoint(of) => {
                let seed = program.buffers.get(of.0 as usize).is_some_and(|b| b.role == Role::Output);
                return seed && is_param;
            }
            Role::Tangent(of) => at = of,
            _ => return false,
        }
    }
    false
}

/// An extent with `Extent(x, k)` replaced by what declares it, as far as it goes.
fn resolve(program: &Program, dim: &Expr) -> Expr {
    fn step(program: &Program, expr: Expr, depth: usize) -> Expr {
        expr.map(&mut |expr| match expr.kind {
            ExprKind::Extent(of, k) if depth > 0 => {
                let declared = program.buffers.get(of.0 as usize).and_then(|buffer| buffer.dims.get(k));
                match declared {
                    Some(declared) if declared.kind != expr.kind => {
                        step(program, declared.clone(), depth - 1)
                    }
                    _ => expr,
                }
            }
            _ => expr,
        })
    }
    step(program, dim.clone(), 8)
}
