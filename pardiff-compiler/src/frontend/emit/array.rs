//! Arrays: allocation, literals, copies.

use super::super::infer::Type;
use super::super::tree::{Expr as Tree, Kind, LocalId, Method};
use super::value::{Value, View};
use super::{Emit, Frame};
use crate::ir::{
    BinOp, Buffer, BufferId, Exec, Expr, ExprKind, For, Layout, Marks, Message, Order, Role, StmtKind, Ty,
    exactness,
};

impl Emit<'_> {
    /// A new array. One that grows has extent 0 until it is written, and a length of its own.
    pub(super) fn alloc(&mut self, name: &str, elem: Ty, dims: Vec<Expr>, local: Option<LocalId>) -> View {
        let length = self.new_length(name, &dims, local);
        self.alloc_with(name, elem, dims, local, length)
    }

    /// The length of a new array that grows.
    pub(super) fn new_length(
        &mut self,
        name: &str,
        dims: &[Expr],
        local: Option<LocalId>,
    ) -> Option<BufferId> {
        local.filter(|local| self.growing.contains(local))?;
        let len = self.scalar_local(&format!("{name}_len"), Ty::USIZE);
        if let Some(dim) = dims.first() {
            let dim = self.canonical(dim.clone());
            self.assign_scalar(len, dim);
        }
        Some(len)
    }

    /// A new array, which grows if it has a length.
    pub(super) fn alloc_with(
        &mut self,
        name: &str,
        elem: Ty,
        dims: Vec<Expr>,
        local: Option<LocalId>,
        length: Option<BufferId>,
    ) -> View {
        let dims: Vec<Expr> = dims.into_iter().map(|dim| self.canonical(self.taken_to_be(dim))).collect();
        let skipped = usize::from(length.is_some());
        let fixed = dims.iter().skip(skipped).all(|dim| self.is_fixed(dim));
        let mut extents = Vec::new();
        for (position, dim) in dims.iter().enumerate() {
            let snapshot = position >= skipped && !self.is_stable(dim);
            extents.push(if snapshot { self.extent(name, dim) } else { dim.clone() });
        }
        let buffer = self.program.add_buffer(Buffer::new(name, elem, extents, Role::Local));
        if let Some(len) = length {
            self.lengths.insert(buffer, len);
            self.program[buffer].layout = Layout::Growing;
            self.program[buffer].dims[0] = Expr::extent(buffer, 0);
        }
        if !fixed {
            self.frames.push(Frame::default());
        }
        if let Some(frame) = self.frames.last_mut() {
            frame.buffers.push(buffer);
        }
        if let Some(local) = local {
            self.owners.insert(buffer, local);
        }
        self.whole_view(buffer)
    }

    /// An extent as a scalar that does not change. Arrays with extents of one formula, of values that do not change either,
    /// share it, so that they are seen to have one shape: `vec![0.0; n * m]` twice may be swapped.
    fn extent(&mut self, name: &str, dim: &Expr) -> Expr {
        // what stands in an open frame was evaluated before
        let open = |known: &BufferId| self.frames.iter().any(|frame| frame.buffers.contains(known));
        if let Some((_, known)) = self.extents.iter().find(|(e, known)| e == dim && open(known)) {
            return self.program.load_scalar(*known);
        }
        if let Some(cond) = exactness(dim) {
            let message = Message::Text(format!("the length of `{name}` is more than an array can have"));
            self.push(StmtKind::Check { cond, message });
        }
        let taken = self.snapshot(&format!("{name}_len"), dim.clone());
        if let ExprKind::Load(place) = &taken.kind
            && self.is_invariant(dim)
        {
            self.extents.push((dim.clone(), place.buffer));
        }
        taken
    }

    /// Whether the expression has one value wherever its names are visible.
    fn is_invariant(&self, e: &Expr) -> bool {
        match &e.kind {
            ExprKind::Unary(_, a) | ExprKind::Cast(a) => self.is_invariant(a),
            ExprKind::Binary(_, a, b) => self.is_invariant(a) && self.is_invariant(b),
            ExprKind::Extent(..) => self.is_fixed(e),
            _ => self.is_stable(e),
        }
    }

    /// Gives the array a length of its own, when emission starts again.
    pub(super) fn grow(&mut self, view: &View, span: proc_macro2::Span) {
        let buffer = view.buffer;
        match self.owner(buffer) {
            Some(owner) if !self.growing.contains(&owner) => {
                self.must_grow.insert(owner);
            }
            // only a vector of the caller is written to and no local
            _ if self.program[buffer].role == Role::InOut => self.refuse(
                span,
                format!("a change of the length of `{}`, which is the caller's", self.program[buffer].name),
                "generated functions take a slice in its place, and its adjoint has the length that it has before",
                "leave the length to the caller, or let a vector that is declared here grow: `let mut v = Vec::new();`",
            ),
            _ if !view.prefix.is_empty() => self.refuse(
                span,
                format!("a row of `{}` that changes its length by itself", self.program[buffer].name),
                "rows lie one behind the other, without room to grow",
                "make each row whole and push it, `rows.push(row)`, or keep the elements of all rows in one vector, and \
                 where each begins in another: `&v[begin[i]..begin[i + 1]]`",
            ),
            _ => self.refuse(
                span,
                "an array whose length changes and is not a local",
                "only a `Vec` declared in this function can grow",
                "declare it here: `let mut v = Vec::new();`",
            ),
        }
    }

    /// Whether an array has a length of its own if the local has one that it becomes.
    pub(super) fn grows_as(&self, view: &View, local: Option<LocalId>) -> bool {
        local.is_none_or(|local| !self.growing.contains(&local) || self.lengths.contains_key(&view.buffer))
    }

    /// The length of an array that grows, where the view is all of it.
    pub(super) fn length_of_whole(&self, view: &View) -> Option<BufferId> {
        let is_whole = view.prefix.is_empty() && view.offset.is_none() && view.step == 1;
        self.lengths.get(&view.buffer).copied().filter(|_| is_whole)
    }

    /// The constant lengths of an array type; `None` where one is dynamic.
    pub(super) fn static_lens(&mut self, ty: &Type) -> Option<Vec<Expr>> {
        let lens = super::lens_of(self.infer, ty);
        let known: Option<Vec<_>> = lens.into_iter().map(|len| len.known()).collect();
        Some(known?.iter().map(|len| self.constant(len)).collect())
    }

    /// A new array with the value of `e`, or the array that `e` makes.
    pub(super) fn make_array(&mut self, e: &Tree, name: &str, local: Option<LocalId>) -> View {
        let ty = self.ty(&e.ty);
        let elem = self.element_type(&ty);
        let mut view = match &e.kind {
            Kind::Array(_) | Kind::Repeat(..) => match self.shape_of(e) {
                Some(dims) => {
                    let view = self.alloc_of(&ty, name, dims, local);
                    self.array_into(e, &view);
                    view
                }
                None => self.repeat_of_array(e, name, local),
            },
            Kind::EmptyVec => self.empty(e, name, local),
            Kind::Collect(chain) => self.collected(chain, e, name, local),
            kind if kind.is_of_statements() => match self.static_lens(&ty) {
                Some(dims) => {
                    let view = self.alloc_of(&ty, name, dims, local);
                    self.into(e, &Value::View(view.clone()));
                    view
                }
                None => self.open(e, name, local),
            },
            Kind::Method(Method::ToOwned, args, _) => {
                let source = self.array(&args[0]);
                self.copy_of(source, elem, name, local)
            }
            _ => {
                let source = self.array(e);
                match source {
                    Some(view) if view.owned && self.grows_as(&view, local) => view,
                    source => self.copy_of(source, elem, name, local),
                }
            }
        };
        if let Some(local) = local
            && view.prefix.is_empty()
        {
            self.owners.insert(view.buffer, local);
        }
        view.owned = true;
        view
    }

    fn copy_of(&mut self, source: Option<View>, elem: Ty, name: &str, local: Option<LocalId>) -> View {
        match source {
            Some(view) => self.owned_copy(&view, name, local),
            None => self.alloc(name, elem, vec![Expr::usize(0)], local),
        }
    }

    /// A new array with the elements of `view`.
    pub(super) fn owned_copy(&mut self, view: &View, name: &str, local: Option<LocalId>) -> View {
        if let Some(copy) = self.owned_rows(view, name) {
            return copy;
        }
        if let Some(group) = view.group.as_ref().filter(|group| group.has_vectors()) {
            let copy = self.alloc_with_vectors(view, group, name);
            if let Some(local) = local.filter(|local| self.growing.contains(local)) {
                self.refuse_growth_with_vectors(local);
            }
            self.copy(&copy, view);
            return View { owned: true, ..copy };
        }
        // extents are evaluated when the scope is entered, so what they load must not change before
        let dims = self.dims(view);
        let copy = self.alloc_like(view, name, dims, local);
        self.copy(&copy, view);
        View { owned: true, ..copy }
    }

    /// The extents of an array literal, evaluated; `None` if an element's length is not visible.
    fn shape_of(&mut self, e: &Tree) -> Option<Vec<Expr>> {
        let mut dims = Vec::new();
        let mut e = e;
        loop {
            let inner = match &e.kind {
                Kind::Array(parts) => {
                    dims.push(Expr::usize(parts.len()));
                    parts.first()?
                }
                Kind::Repeat(value, len) => {
                    let len = self.scalar(len);
                    dims.push(len);
                    value
                }
                _ => {
                    let ty = self.ty(&e.ty);
                    if let Type::Array(..) = ty {
                        dims.extend(self.static_lens(&ty)?);
                    }
                    return Some(dims);
                }
            };
            e = inner;
        }
    }

    /// `vec![row; n]` where the length of `row` is known only as a value.
    fn repeat_of_array(&mut self, e: &Tree, name: &str, local: Option<LocalId>) -> View {
        let ty = self.ty(&e.ty);
        let elem = self.element_type(&ty);
        match &e.kind {
            Kind::Repeat(row, len) => {
                let row = self.make_array(row, "row", None);
                let len = self.scalar(len);
                let mut dims = vec![len];
                dims.extend(self.dims(&row));
                let view = self.alloc_like(&row, name, dims, local);
                self.fill_rows(&view, &Value::View(row));
                view
            }
            Kind::Array(parts) if !parts.is_empty() => {
                let rows: Vec<View> = parts.iter().map(|part| self.make_array(part, "row", None)).collect();
                if local.is_some_and(|local| self.growing.contains(&local))
                    && let Some(view) = self.new_rows(&ty, name)
                {
                    rows.iter().for_each(|row| self.push_row(&view, row));
                    return view;
                }
                let mut dims = vec![Expr::usize(rows.len())];
                dims.extend(self.dims(&rows[0]));
                let view = self.alloc_like(&rows[0], name, dims, local);
                for (position, row) in rows.iter().enumerate() {
                    if let Value::View(dest) = self.element(&view, Expr::usize(position)) {
                        self.rows_of_one_length(&dest, row);
                        self.copy(&dest, row);
                    }
                }
                view
            }
            _ => {
                self.refuse(
                    e.span,
                    "an array of arrays of unknown length",
                    "its rows must have one length",
                    "write `vec![vec![0.0; m]; n]`, then assign the elements",
                );
                self.alloc(name, elem, vec![Expr::usize(0)], local)
            }
        }
    }

    /// `Vec::new()`.
    fn empty(&mut self, e: &Tree, name: &str, local: Option<LocalId>) -> View {
        let ty = self.ty(&e.ty);
        let inner = match &ty {
            Type::Array(row, _) => match self.infer.peel(row) {
                row @ Type::Array(..) => self.static_lens(&row),
                _ => Some(Vec::new()),
            },
            _ => Some(Vec::new()),
        };
        if inner.is_none()
            && let Some(rows) = self.new_rows(&ty, name)
        {
            return rows;
        }
        if let Some(local) = local {
            self.must_grow.insert(local);
        }
        let mut dims = vec![Expr::usize(0)];
        match inner {
            Some(inner) => dims.extend(inner),
            None => self.refuse(
                e.span,
                "a vector of vectors that grows",
                "its rows must have one length, known when it is made",
                "write `vec![vec![0.0; m]; n]`, or push the elements to a flat vector",
            ),
        }
        self.alloc_of(&ty, name, dims, local)
    }

    /// A block or a helper whose value is an array of run-time length: its scopes stay open, so that the array
    /// outlives it.
    fn open(&mut self, e: &Tree, name: &str, local: Option<LocalId>) -> View {
        let ty = self.ty(&e.ty);
        let elem = self.element_type(&ty);
        let block = match &e.kind {
            Kind::Block(block) if !self.is_left_early(block) => block,
            Kind::Inline(inline) if !self.is_left_early(&inline.body) => {
                self.bind_arguments(inline);
                &inline.body
            }
            _ => match self.chosen(e, name) {
                Some(Value::View(view)) if self.grows_as(&view, local) => return view,
                Some(Value::View(view)) => return self.owned_copy(&view, name, local),
                _ => {
                    self.refuse_chosen(e);
                    return self.alloc(name, elem, vec![Expr::usize(0)], local);
                }
            },
        };
        let first_new = BufferId(self.program.buffers.len() as u32);
        block.stmts.iter().for_each(|stmt| self.stmt(stmt));
        let Some(tail) = &block.tail else { return self.alloc(name, elem, vec![Expr::usize(0)], local) };
        if let Kind::Local(inner) = &tail.kind
            && let Value::View(view) = &self.bound[*inner]
            && view.buffer >= first_new
            && self.owners.contains_key(&view.buffer)
            && local.is_none_or(|local| !self.growing.contains(&local) || self.growing.contains(inner))
        {
            return view.clone();
        }
        self.make_array(tail, name, local)
    }

    /// Writes the value of `e`, which does not read it, to the elements of `dest`.
    pub(super) fn array_into(&mut self, e: &Tree, dest: &View) {
        match &e.kind {
            Kind::Array(parts) => {
                for (position, part) in parts.iter().enumerate() {
                    match self.element(dest, Expr::usize(position)) {
                        Value::View(row) => self.array_into(part, &row),
                        place => self.into(part, &place),
                    }
                }
            }
            Kind::Repeat(value, _) => {
                let mut value = &**value;
                while let Kind::Repeat(inner, _) = &value.kind {
                    value = inner;
                }
                let value = self.element_value(value);
                self.fill_rows(dest, &value);
            }
            kind if kind.is_of_statements() => {
                self.into(e, &Value::View(dest.clone()));
            }
            Kind::Method(Method::ToOwned, args, _) => {
                if let Some(source) = self.array(&args[0]) {
                    self.copy(dest, &source);
                }
            }
            _ => {
                if let Some(source) = self.array(e) {
                    self.copy(dest, &source);
                }
            }
        }
    }

    /// Assigns `value`, a scalar or an array of lower rank, to every element or row of `dest`.
    pub(super) fn fill_rows(&mut self, dest: &View, value: &Value) {
        let dims = self.dims(dest);
        self.for_each(&dims, &mut |this, index| {
            let source = match value {
                Value::View(row) => {
                    let rank = this.dims(row).len();
                    this.element_at(row, &index[index.len() - rank.min(index.len())..])
                }
                value => value.clone(),
            };
            let target = this.element_at(dest, index);
            this.store(&target, source);
        });
    }

    /// Writes the value of `e`, which does not read it, to an array that grows.
    pub(super) fn vector_into(&mut self, e: &Tree, dest: &View) {
        let source = match &e.kind {
            Kind::Method(Method::ToOwned, args, _) => self.array(&args[0]),
            _ => self.array(e),
        };
        if let Some(source) = source {
            self.copy_whole(dest, &source);
        }
    }

    /// Copies `source` to `dest`, which becomes as long where it grows.
    pub(super) fn copy_whole(&mut self, dest: &View, source: &View) {
        if self.has_growing_rows(dest) {
            return self.copy_rows(dest, source);
        }
        if let Some(len) = self.length_of_whole(dest) {
            self.assign_scalar(len, source.len.clone());
        }
        self.copy(dest, source);
    }

    /// Copies the elements of `source` to `dest`, which has the same extents.
    pub(super) fn copy(&mut self, dest: &View, source: &View) {
        self.vectors_of_one_length(dest, source);
        let dims = self.dims(source);
        self.for_each(&dims, &mut |this, index| {
            let value = this.element_at(source, index);
            let target = this.element_at(dest, index);
            this.store(&target, value);
        });
    }

    /// Panics where a row of a vector of rows of one length has another one.
    pub(super) fn rows_of_one_length(&mut self, dest: &View, row: &View) {
        let (have, want) = (self.dims(row), self.dims(dest));
        let differ =
            |(have, want): &(Expr, Expr)| self.canonical(have.clone()) != self.canonical(want.clone());
        let differ: Vec<(Expr, Expr)> = have.into_iter().zip(want).filter(differ).collect();
        for (have, want) in differ {
            let name = &self.program[dest.buffer].name;
            let text = format!(
                "a row of `{name}` has another length than the first one; rows of local vectors have one"
            );
            let cond = Expr::binary(BinOp::Eq, have, want);
            self.check(cond, Message::Text(text), self.program[self.origin.span]);
        }
    }

    /// Panics where a vector in a vector would take the elements of one of another length.
    pub(super) fn vectors_of_one_length(&mut self, dest: &View, source: &View) {
        if dest.starts.or(source.starts).is_some() && dest.len != source.len {
            let cond = Expr::binary(BinOp::Eq, dest.len.clone(), source.len.clone());
            let name = &self.program[dest.buffer].name;
            let text = format!(
                "a vector in `{name}` takes the elements of one of another length; vectors keep their lengths"
            );
            self.check(cond, Message::Text(text), self.program[self.origin.span]);
        }
    }

    /// Loops over all indices below `dims`.
    pub(super) fn for_each(&mut self, dims: &[Expr], body: &mut dyn FnMut(&mut Self, &[Expr])) {
        let mut index = Vec::new();
        self.nest(dims, &mut index, body);
    }

    fn nest(&mut self, dims: &[Expr], index: &mut Vec<Expr>, body: &mut dyn FnMut(&mut Self, &[Expr])) {
        let Some((dim, rest)) = dims.split_first() else {
            body(self, index);
            return;
        };
        let iter = self.program.add_iter("k", Ty::USIZE);
        index.push(Expr::iter(iter, Ty::USIZE));
        let block = self.block(|this| this.nest(rest, index, body));
        index.pop();
        self.push(StmtKind::For(For {
            iter,
            lo: Expr::usize(0),
            hi: dim.clone(),
            inclusive: false,
            step: Expr::usize(1),
            order: Order::Up,
            exec: Exec::Undecided,
            marks: Marks::default(),
            body: block,
        }));
    }
}
