//! A small builder of programs for tests.

use crate::ir::*;
use proc_macro2::Span;

pub(super) struct Builder {
    pub(crate) program: Program,
}

pub(super) fn origin() -> Origin {
    Origin { stmt: 0, phase: Phase::Primal, span: SpanId(0) }
}

pub(super) fn stmt(kind: StmtKind) -> Stmt {
    Stmt::new(kind, origin())
}

pub(super) fn n(value: i128) -> Expr {
    Expr::int(Ty::USIZE, value)
}

pub(super) fn lt(a: Expr, b: Expr) -> Expr {
    Expr::binary(BinOp::Lt, a, b)
}

pub(super) fn assign(target: Place, value: Expr) -> Stmt {
    stmt(StmtKind::Assign { target, value })
}

pub(super) fn add_to(target: Place, value: Expr) -> Stmt {
    stmt(StmtKind::Reduce { op: ReduceOp::Add, target, value, scheme: Scheme::Undecided })
}

pub(super) fn scope(buffers: &[BufferId], body: Block) -> Stmt {
    stmt(StmtKind::Scope { buffers: buffers.to_vec(), body })
}

pub(super) fn when(cond: Expr, then: Block) -> Stmt {
    stmt(StmtKind::If { cond, then, els: Vec::new() })
}

impl Builder {
    pub(super) fn new() -> Builder {
        Builder { program: Program::new("kernel", Span::call_site()) }
    }

    pub(super) fn buffer(&mut self, name: &str, elem: Ty, dims: Vec<Expr>, role: Role) -> BufferId {
        let id = self.program.add_buffer(Buffer::new(name, elem, dims, role));
        if matches!(role, Role::Input | Role::InOut) {
            self.program.params.push(id);
        }
        id
    }

    /// A parameter of rank one whose length the caller decides.
    pub(super) fn slice(&mut self, name: &str, elem: Ty, role: Role) -> BufferId {
        let id = self.buffer(name, elem, Vec::new(), role);
        self.program[id].dims = vec![Expr::extent(id, 0)];
        id
    }

    pub(super) fn scalar(&mut self, name: &str, elem: Ty, role: Role) -> BufferId {
        self.buffer(name, elem, Vec::new(), role)
    }

    pub(super) fn get(&self, buffer: BufferId) -> Expr {
        self.program.load_scalar(buffer)
    }

    pub(super) fn at(&self, buffer: BufferId, index: Vec<Expr>) -> Expr {
        Place::new(buffer, index).load(self.program[buffer].elem)
    }

    pub(super) fn iter(&mut self, name: &str) -> (IterId, Expr) {
        let iter = self.program.add_iter(name, Ty::USIZE);
        (iter, Expr::iter(iter, Ty::USIZE))
    }

    pub(super) fn check(&self, buffer: BufferId, index: Expr) -> Stmt {
        let len = Expr::extent(buffer, 0);
        let name = self.program[buffer].name.clone();
        let message =
            Message::Bounds { array: name.clone(), access: name, index: index.clone(), len: len.clone() };
        stmt(StmtKind::Check { cond: lt(index, len), message })
    }
}

pub(super) fn for_loop(iter: IterId, lo: Expr, hi: Expr, body: Block) -> Stmt {
    for_with(iter, lo, hi, false, 1, Order::Up, body)
}

pub(super) fn for_with(
    iter: IterId,
    lo: Expr,
    hi: Expr,
    inclusive: bool,
    step: usize,
    order: Order,
    body: Block,
) -> Stmt {
    stmt(StmtKind::For(For {
        iter,
        lo,
        hi,
        inclusive,
        step: Expr::usize(step),
        order,
        exec: Exec::Undecided,
        marks: Marks::default(),
        body,
    }))
}
