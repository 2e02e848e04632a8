//! Local arrays of random programs in the IR: how they begin, parts of them, copies and exchanges.

use super::{Binding, Lower, View, assign, each, scope, ty};
use crate::random::program::{Expr as Rust, Start};
use pardiff_compiler::ir::{Block, Buffer, BufferId, Expr, IterId, Layout, Place, Role, Ty};

impl Lower<'_> {
    pub(super) fn array(&mut self, name: &str, start: &Start) -> (Vec<BufferId>, Block) {
        if let Start::Vec(value, dims) = start
            && name.starts_with("fl")
        {
            // it will be exchanged with one of another length
            let before = self.names.len();
            let (base, len) = self.growing(name, ty(value.ty));
            let view = self.view(name);
            let own = self.names.split_off(before);
            let mut body = self.store(Place::scalar(len), &dims[0]);
            body.extend(self.filled(&view, value));
            self.names.extend(own);
            return (vec![base, len], body);
        }
        if let Start::Collect(chain, value) = start {
            // one element is pushed after the other
            let before = self.names.len();
            let (base, len) = self.growing(name, ty(value.ty));
            let view = self.view(name);
            let own = self.names.split_off(before);
            let mut body = vec![assign(Place::scalar(len), Expr::usize(0))];
            body.extend(self.over(chain, &mut |this| {
                let end = this.load(len);
                let mut push = this.store(view.place(vec![end.clone()]), value);
                push.push(assign(Place::scalar(len), end + Expr::usize(1)));
                push
            }));
            self.names.extend(own);
            return (vec![base, len], body);
        }
        let mut body = Vec::new();
        let mut buffers = Vec::new();
        let (elem, dims) = match start {
            Start::Repeat(value, dims) | Start::Vec(value, dims) => {
                let dims = dims.iter().map(|dim| self.expr(dim, &mut body)).collect();
                (ty(value.ty), dims)
            }
            Start::List(values) => (ty(values[0].ty), vec![Expr::usize(values.len())]),
            Start::ToVec(from) => {
                let view = self.view(from);
                (self.program[view.base].elem, view.dims)
            }
            Start::Collect(..) => panic!("made above"),
            Start::Growing(elem) => {
                let (base, len) = self.growing(name, ty(*elem));
                return (vec![base, len], vec![assign(Place::scalar(len), Expr::usize(0))]);
            }
        };
        let dims: Vec<Expr> = dims;
        let base = self.program.add_buffer(Buffer::new(name, elem, dims.clone(), Role::Local));
        buffers.push(base);
        let view = View { base, prefix: vec![], offset: None, dims, length: None };
        match start {
            Start::Repeat(value, _) | Start::Vec(value, _) => {
                body.extend(self.filled(&view, value));
            }
            Start::List(values) => {
                for (k, value) in values.iter().enumerate() {
                    body.extend(self.store(Place::new(base, vec![Expr::usize(k)]), value));
                }
            }
            Start::ToVec(from) => {
                let from = self.view(from);
                body.extend(self.copy_rank1(&view, &from));
            }
            Start::Growing(_) | Start::Collect(..) => {}
        }
        self.bind(name, Binding::Array(view));
        (buffers, body)
    }

    /// Declares an array whose length changes, and that length.
    pub(super) fn growing(&mut self, name: &str, elem: Ty) -> (BufferId, BufferId) {
        let base = BufferId(self.program.buffers.len() as u32);
        let mut buffer = Buffer::new(name, elem, vec![Expr::extent(base, 0)], Role::Local);
        buffer.layout = Layout::Growing;
        self.program.add_buffer(buffer);
        let len = self.local("len", Ty::USIZE);
        let (prefix, dims) = (vec![], vec![self.load(len)]);
        self.bind(name, Binding::Array(View { base, prefix, offset: None, dims, length: Some(len) }));
        (base, len)
    }

    /// All elements set to a value that is evaluated once.
    pub(super) fn filled(&mut self, view: &View, value: &Rust) -> Block {
        self.with_temporaries(|this, before| {
            let filled = this.temporary(ty(value.ty));
            let value = this.expr(value, before);
            before.push(assign(Place::scalar(filled), value));
            let value = this.load(filled);
            before.extend(this.fill(view, &value));
        })
    }

    pub(super) fn fill(&mut self, view: &View, value: &Expr) -> Block {
        let iters: Vec<IterId> = view.dims.iter().map(|_| self.program.add_iter("e", Ty::USIZE)).collect();
        let index: Vec<Expr> = iters.iter().map(|&iter| Expr::iter(iter, Ty::USIZE)).collect();
        let mut body = vec![assign(view.place(index), value.clone())];
        for (&iter, dim) in iters.iter().zip(&view.dims).rev() {
            body = vec![each(iter, dim.clone(), body)];
        }
        body
    }

    pub(super) fn exchange(&mut self, a: &View, b: &View) -> Block {
        let iters: Vec<IterId> = a.dims.iter().map(|_| self.program.add_iter("e", Ty::USIZE)).collect();
        let index: Vec<Expr> = iters.iter().map(|&iter| Expr::iter(iter, Ty::USIZE)).collect();
        let elem = self.program[a.base].elem;
        let kept = self.local("kept", elem);
        let (left, right) = (a.place(index.clone()), b.place(index));
        let mut body = vec![
            assign(Place::scalar(kept), left.clone().load(elem)),
            assign(left, right.clone().load(elem)),
            assign(right, self.load(kept)),
        ];
        for (&iter, dim) in iters.iter().zip(&a.dims).rev() {
            body = vec![each(iter, dim.clone(), body)];
        }
        scope(vec![kept], body)
    }

    pub(super) fn copy_rank1(&mut self, to: &View, from: &View) -> Block {
        let iter = self.program.add_iter("e", Ty::USIZE);
        let at = || vec![Expr::iter(iter, Ty::USIZE)];
        let elem = self.program[from.base].elem;
        let body = vec![assign(to.place(at()), from.place(at()).load(elem))];
        vec![each(iter, to.dims[0].clone(), body)]
    }

    pub(super) fn slice(
        &mut self,
        name: &str,
        base: &str,
        row: bool,
        lo: &Option<Rust>,
        hi: &Option<Rust>,
    ) -> (Vec<BufferId>, Block) {
        let mut view = self.view(base);
        let mut body = Vec::new();
        let start = self.local("lo", Ty::USIZE);
        let zero = Rust::usize(0);
        body.extend(self.store(Place::scalar(start), lo.as_ref().unwrap_or(&zero)));
        let mut buffers = vec![start];
        if row {
            view.prefix.push(self.load(start));
            view.dims.remove(0);
        } else {
            let end = self.local("hi", Ty::USIZE);
            match hi {
                Some(hi) => body.extend(self.store(Place::scalar(end), hi)),
                None => body.push(assign(Place::scalar(end), view.dims[0].clone())),
            }
            buffers.push(end);
            let offset = self.load(start);
            view.offset = Some(match view.offset.take() {
                Some(outer) => outer + offset,
                None => offset,
            });
            view.dims[0] = self.load(end) - self.load(start);
        }
        self.bind(name, Binding::Array(view));
        (buffers, body)
    }
}
