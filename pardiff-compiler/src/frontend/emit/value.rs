//! Values of the emission: what an expression of the tree stands for in terms of buffers.

use super::super::infer::Type;
use super::super::tree::Expr as Tree;
use super::Emit;
use super::record::Group;
use crate::ir::{BinOp, BufferId, Expr, ExprKind, Place, StmtKind, Ty};
use std::rc::Rc;

/// A value or a place.
#[derive(Clone, Debug)]
pub(super) enum Value {
    /// A local that has no value yet.
    Unset,
    /// A scalar; holds until something that it loads is written.
    Scalar(Expr),
    /// A scalar variable or element.
    Place(Place, Ty),
    /// An array or a part of one.
    View(View),
    Tuple(Vec<Value>),
}

/// A part of a buffer: the first indices fixed, the next one restricted to a range, the others whole or cut as well.
#[derive(Clone, Debug)]
pub(super) struct View {
    pub(super) buffer: BufferId,
    pub(super) prefix: Vec<Expr>,
    /// Where the range starts; at 0 if `None`.
    pub(super) offset: Option<Expr>,
    pub(super) len: Expr,
    /// How far its elements are from each other.
    pub(super) step: usize,
    /// The dimension of the buffer that each index is of, where they are not in the buffer's order.
    pub(super) axes: Option<Rc<[usize]>>,
    /// The ranges of the indices behind, of those that are restricted.
    pub(super) cuts: Vec<Cut>,
    /// Whether it is a temporary that nothing else refers to.
    pub(super) owned: bool,
    /// Where the vectors begin of which it is one, or a part.
    pub(super) starts: Option<BufferId>,
    /// All buffers, if it is an array of structs; `buffer` is the first of them.
    pub(super) group: Option<Rc<Group>>,
}

/// The range of an index that is not the next one.
#[derive(Clone, Debug)]
pub(super) struct Cut {
    /// The dimension of the buffer.
    pub(super) dim: usize,
    pub(super) offset: Option<Expr>,
    pub(super) len: Expr,
    pub(super) step: usize,
}

impl View {
    /// The dimension of the buffer that the index at a position is of.
    pub(super) fn axis(&self, at: usize) -> usize {
        self.axes.as_ref().map_or(at, |axes| axes[at])
    }

    /// The index in the buffer of element or row `index`.
    fn position(&self, index: Expr) -> Expr {
        let index = match (self.step, &index.kind) {
            (1, _) | (_, ExprKind::Int(0)) => index,
            (step, _) => Expr::binary(BinOp::Mul, index, Expr::usize(step)),
        };
        match &self.offset {
            Some(offset) => add(offset.clone(), index),
            None => index,
        }
    }

    /// So many elements from `start` on, or from the first.
    pub(super) fn part(&self, start: Option<Expr>, len: Expr) -> View {
        let offset = start.map_or_else(|| self.offset.clone(), |start| Some(self.position(start)));
        let offset = offset.filter(|offset| offset.kind != ExprKind::Int(0));
        View { offset, len, owned: false, ..self.clone() }
    }
}

/// A position in what has been emitted.
#[derive(Clone, Copy)]
pub(super) struct Mark {
    frame: usize,
    stmt: usize,
}

impl Value {
    pub(super) const UNIT: Value = Value::Tuple(Vec::new());
}

impl Emit<'_> {
    /// The extents of a view, outermost first.
    pub(super) fn dims(&self, view: &View) -> Vec<Expr> {
        let rank = view.group.as_ref().map_or(usize::MAX, |group| group.depth());
        let rank = self.program[view.buffer].dims.len().min(rank);
        let inner = (view.prefix.len() + 1..rank).map(|at| self.range_at(view, at).len);
        std::iter::once(view.len.clone()).chain(inner).collect()
    }

    /// Where the range of the index at a position begins, and how long it is; the position is not that of the next index.
    pub(super) fn range_at(&self, view: &View, at: usize) -> Cut {
        let dim = view.axis(at);
        let cut = view.cuts.iter().find(|cut| cut.dim == dim).cloned();
        let whole = || Cut { dim, offset: None, len: self.program[view.buffer].dims[dim].clone(), step: 1 };
        cut.unwrap_or_else(whole)
    }

    /// The whole of a buffer that is no scalar.
    pub(super) fn whole_view(&self, buffer: BufferId) -> View {
        let len = match self.lengths.get(&buffer) {
            Some(&len) => self.program.load_scalar(len),
            None => self.program[buffer].dims.first().cloned().unwrap_or_else(|| Expr::usize(0)),
        };
        View {
            buffer,
            prefix: Vec::new(),
            offset: None,
            len,
            step: 1,
            axes: None,
            cuts: Vec::new(),
            owned: false,
            starts: None,
            group: None,
        }
    }

    /// Element or row `index` of a view.
    pub(super) fn element(&self, view: &View, index: Expr) -> Value {
        let buffer = &self.program[view.buffer];
        let mut prefix = view.prefix.clone();
        prefix.push(view.position(index));
        if let Some(group) = view.group.as_ref().filter(|group| group.depth() == prefix.len()) {
            return self.members(group, &prefix);
        }
        if prefix.len() >= buffer.rank() {
            let mut index = prefix.clone();
            prefix.into_iter().enumerate().for_each(|(at, of)| index[view.axis(at)] = of);
            return Value::Place(Place::new(view.buffer, index), buffer.elem);
        }
        let Cut { offset, len, step, .. } = self.range_at(view, prefix.len());
        Value::View(View { prefix, offset, len, step, owned: false, ..view.clone() })
    }

    /// The element at a full index.
    pub(super) fn element_at(&self, view: &View, index: &[Expr]) -> Value {
        let mut value = Value::View(view.clone());
        for index in index {
            if let Value::View(view) = &value {
                value = self.element(view, index.clone());
            }
        }
        value
    }

    /// Whether the view is a whole local array.
    pub(super) fn is_whole_local(&self, view: &View) -> bool {
        self.owners.contains_key(&view.buffer)
            && view.prefix.is_empty()
            && view.offset.is_none()
            && view.step == 1
            && view.axes.is_none()
            && view.cuts.is_empty()
            && view.len == self.whole_view(view.buffer).len
    }

    /// The scalar that a value is.
    pub(super) fn load(&mut self, value: Value, span: proc_macro2::Span) -> Expr {
        match value {
            Value::Scalar(e) => e,
            Value::Place(place, ty) => place.load(ty),
            Value::Unset if !self.refusals.0.is_empty() => Expr::float(Ty::F64, 0.0),
            Value::Unset => {
                self.refuse(
                    span,
                    "a variable without a value",
                    "it is read before it is assigned",
                    "assign it first",
                );
                Expr::float(Ty::F64, 0.0)
            }
            Value::View(_) | Value::Tuple(_) if !self.refusals.0.is_empty() => Expr::float(Ty::F64, 0.0),
            Value::View(_) | Value::Tuple(_) => {
                self.refuse(
                    span,
                    "an array or a tuple where a number is expected",
                    "operators work on numbers",
                    "index it: `x[i]`, or name the member: `t.0`",
                );
                Expr::float(Ty::F64, 0.0)
            }
        }
    }

    /// The value as a reference would hold it: later changes of index variables do not matter.
    pub(super) fn stabilise(&mut self, value: Value, hint: &str) -> Value {
        match value {
            Value::Scalar(e) if self.is_stable(&e) => Value::Scalar(e),
            Value::Scalar(e) => {
                let buffer = self.scalar_local(hint, e.ty);
                let ty = e.ty;
                self.assign_scalar(buffer, e);
                Value::Place(Place::scalar(buffer), ty)
            }
            Value::Place(place, ty) if self.referring.contains(&place.buffer) => {
                self.stabilise(Value::Scalar(place.load(ty)), hint)
            }
            Value::View(view) if self.referring.contains(&view.buffer) => {
                Value::View(View { owned: false, ..self.owned_copy(&view, hint, None) })
            }
            Value::Place(mut place, ty) => {
                for index in &mut place.index {
                    self.stabilise_index(index, hint, "index");
                }
                Value::Place(place, ty)
            }
            Value::View(mut view) => {
                for index in &mut view.prefix {
                    self.stabilise_index(index, hint, "index");
                }
                if let Some(offset) = &mut view.offset {
                    self.stabilise_index(offset, hint, "start");
                }
                // the length of an array that grows does not change while the array is borrowed
                if view.len != self.whole_view(view.buffer).len {
                    self.stabilise_index(&mut view.len, hint, "len");
                }
                for Cut { offset, len, .. } in &mut view.cuts {
                    offset.iter_mut().for_each(|offset| self.stabilise_index(offset, hint, "start"));
                    self.stabilise_index(len, hint, "len");
                }
                Value::View(view)
            }
            Value::Tuple(parts) => {
                Value::Tuple(parts.into_iter().map(|part| self.stabilise(part, hint)).collect())
            }
            Value::Unset => Value::Unset,
        }
    }

    fn stabilise_index(&mut self, index: &mut Expr, hint: &str, what: &str) {
        if !self.is_stable(index) {
            *index = self.snapshot(&format!("{hint}_{what}"), index.clone());
        }
    }

    /// Scalars copied to temporaries, so that the value survives assignments to what it was computed from.
    pub(super) fn freeze(&mut self, value: Value, hint: &str) -> Value {
        match value {
            Value::Scalar(e) if self.is_stable(&e) => Value::Scalar(e),
            Value::Scalar(e) => Value::Scalar(self.snapshot(hint, e)),
            Value::Place(place, ty) => self.freeze(Value::Scalar(place.load(ty)), hint),
            Value::Tuple(parts) => {
                Value::Tuple(parts.into_iter().map(|part| self.freeze(part, hint)).collect())
            }
            other => other,
        }
    }

    /// The value as a variable of its type would hold it: what is behind a reference is still where it is, and the rest is as
    /// it is now.
    pub(super) fn evaluated(&mut self, ty: &Type, value: Value, hint: &str) -> Value {
        match (self.infer.shallow(ty), value) {
            (Type::Ref(..), value) => self.stabilise(value, hint),
            (ty @ (Type::Tuple(_) | Type::Record(_)), Value::Tuple(parts)) => {
                let types = ty.members().unwrap_or_default().iter();
                let parts = types.zip(parts).map(|(ty, part)| self.evaluated(ty, part, hint));
                Value::Tuple(parts.collect())
            }
            (_, value) => self.freeze_whole(value, hint),
        }
    }

    /// As `freeze`, with copies of arrays as well: for what is assigned as a whole.
    pub(super) fn freeze_whole(&mut self, value: Value, hint: &str) -> Value {
        match value {
            Value::View(view) if !view.owned => Value::View(self.owned_copy(&view, hint, None)),
            Value::Tuple(parts) => {
                Value::Tuple(parts.into_iter().map(|part| self.freeze_whole(part, hint)).collect())
            }
            other => self.freeze(other, hint),
        }
    }

    pub(super) fn mark(&self) -> Mark {
        let frame = self.frames.len().saturating_sub(1);
        Mark { frame, stmt: self.frames.get(frame).map_or(0, |frame| frame.stmts.len()) }
    }

    /// Copies to temporaries, at the mark, what was written since and `value` loads.
    pub(super) fn protect(&mut self, value: &mut Value, mark: Mark) {
        let mut written = Vec::new();
        for (depth, frame) in self.frames.iter().enumerate().skip(mark.frame) {
            let from = if depth == mark.frame { mark.stmt } else { 0 };
            for stmt in frame.stmts.iter().skip(from) {
                stmt.writes(&mut |buffer| written.push(buffer));
            }
        }
        if !written.is_empty() {
            self.protect_from(value, &written, mark);
        }
    }

    /// The view with what was written since the mark and it loads in temporaries.
    pub(super) fn protected(&mut self, view: View, mark: Mark) -> View {
        let mut value = Value::View(view.clone());
        self.protect(&mut value, mark);
        match value {
            Value::View(view) => view,
            _ => view,
        }
    }

    fn protect_from(&mut self, value: &mut Value, written: &[BufferId], mark: Mark) {
        let endangered = |e: &Expr| {
            let mut found = false;
            e.walk(&mut |e| {
                if let ExprKind::Load(place) = &e.kind {
                    found |= written.contains(&place.buffer);
                }
            });
            found
        };
        match value {
            Value::Scalar(e) => {
                if endangered(e) {
                    *e = self.save(e.clone(), mark);
                }
            }
            Value::Tuple(parts) => parts.iter_mut().for_each(|part| self.protect_from(part, written, mark)),
            Value::Place(place, _) => {
                for index in &mut place.index {
                    if endangered(index) {
                        *index = self.save(index.clone(), mark);
                    }
                }
            }
            Value::View(view) => {
                let range = view.offset.iter_mut().chain([&mut view.len]);
                let cuts = view.cuts.iter_mut().flat_map(|cut| cut.offset.iter_mut().chain([&mut cut.len]));
                for index in view.prefix.iter_mut().chain(range).chain(cuts) {
                    if endangered(index) {
                        *index = self.save(index.clone(), mark);
                    }
                }
            }
            Value::Unset => {}
        }
    }

    /// Assigns the value to a temporary at the mark.
    fn save(&mut self, value: Expr, mark: Mark) -> Expr {
        let ty = value.ty;
        let buffer = self.program.add_scalar("saved", ty, crate::ir::Role::Local);
        self.immutable.insert(buffer);
        let target = Place::scalar(buffer);
        let stmt = crate::ir::Stmt::new(StmtKind::Assign { target: target.clone(), value }, self.origin);
        if let Some(frame) = self.frames.get_mut(mark.frame) {
            frame.buffers.push(buffer);
            let at = mark.stmt.min(frame.stmts.len());
            frame.stmts.insert(at, stmt);
        }
        target.load(ty)
    }

    /// New variables for a value of this type, if its shape is known from the type alone.
    pub(super) fn variables(&mut self, ty: &Type, name: &str) -> Option<Value> {
        match self.infer.shallow(ty) {
            Type::Scalar(ty) => {
                let buffer = self.scalar_local(name, ty);
                Some(Value::Place(Place::scalar(buffer), ty))
            }
            ty @ (Type::Tuple(_) | Type::Record(_)) => {
                let parts = ty.members()?;
                if !parts.iter().all(|part| self.has_static_shape(part)) {
                    return None;
                }
                let parts = super::record::member_names(&ty).into_iter().zip(parts);
                let parts: Option<Vec<Value>> =
                    parts.map(|(member, part)| self.variables(part, &format!("{name}_{member}"))).collect();
                parts.map(Value::Tuple)
            }
            ty @ Type::Array(..) => {
                let dims = self.static_lens(&ty)?;
                Some(Value::View(self.alloc_of(&ty, name, dims, None)))
            }
            Type::Never => Some(Value::UNIT),
            Type::Var(_) => {
                let ty = match self.infer.class(ty) {
                    super::super::infer::Class::Int => Ty::Int(crate::ir::Int::I32),
                    _ => Ty::F64,
                };
                let buffer = self.scalar_local(name, ty);
                Some(Value::Place(Place::scalar(buffer), ty))
            }
            Type::Ref(..) => None,
        }
    }

    /// Zeros of a type of static shape.
    pub(super) fn zeros(&mut self, e: &Tree) -> Value {
        // behind a `&mut` are variables that nobody reads
        let (ty, is_behind) = match self.ty(&e.ty) {
            Type::Ref(true, of) => (self.behind_shared(&of), true),
            _ => (self.behind_shared(&e.ty), false),
        };
        match ty.and_then(|ty| self.open_variables(&ty, "none")) {
            Some(Value::Place(_, ty)) if !is_behind => Value::Scalar(zero(ty)),
            Some(dest) => {
                self.clear(&dest);
                dest
            }
            None => {
                self.refuse_chosen(e);
                Value::UNIT
            }
        }
    }

    /// Sets every number of a place to zero; a vector that grows is empty then.
    pub(super) fn clear(&mut self, dest: &Value) {
        match dest {
            Value::Place(_, ty) => self.store(dest, Value::Scalar(zero(*ty))),
            Value::View(view) => {
                if let Some(len) = self.length_of_whole(view) {
                    return self.assign_scalar(len, Expr::usize(0));
                }
                let dims = self.dims(view);
                self.for_each(&dims, &mut |this, index| {
                    let element = this.element_at(view, index);
                    this.clear(&element);
                });
            }
            Value::Tuple(parts) => parts.iter().for_each(|part| self.clear(part)),
            Value::Scalar(_) | Value::Unset => {}
        }
    }

    pub(super) fn has_static_shape(&self, ty: &Type) -> bool {
        match self.infer.shallow(ty) {
            Type::Scalar(_) | Type::Never | Type::Var(_) => true,
            Type::Tuple(parts) => parts.iter().all(|part| self.has_static_shape(part)),
            Type::Record(record) => record.parts.iter().all(|part| self.has_static_shape(part)),
            Type::Array(elem, len) => {
                matches!(len, super::super::tree::Len::Known(_)) && self.has_static_shape(&elem)
            }
            Type::Ref(..) => false,
        }
    }
}

fn zero(ty: Ty) -> Expr {
    match ty {
        Ty::Float(_) => Expr::float(ty, 0.0),
        Ty::Int(_) => Expr::int(ty, 0),
        Ty::Bool => Expr::bool(false),
    }
}

/// `a + b` of indices.
pub(super) fn add(a: Expr, b: Expr) -> Expr {
    match (&a.kind, &b.kind) {
        (ExprKind::Int(0), _) => b,
        (_, ExprKind::Int(0)) => a,
        (ExprKind::Int(x), ExprKind::Int(y)) if fits(a.ty, x.checked_add(*y)) => Expr::int(a.ty, x + y),
        _ => Expr::binary(BinOp::Add, a, b),
    }
}

/// Whether the type can hold a folded constant.
pub(super) fn fits(ty: Ty, value: Option<i128>) -> bool {
    match (ty, value) {
        (Ty::Int(int), Some(value)) => value >= int.min() && int.max().is_none_or(|max| value <= max),
        _ => false,
    }
}

/// `a - b` of indices, where `b <= a` is known.
pub(super) fn sub(a: Expr, b: Expr) -> Expr {
    match (&a.kind, &b.kind) {
        (_, ExprKind::Int(0)) => a,
        (ExprKind::Int(x), ExprKind::Int(y)) if fits(a.ty, x.checked_sub(*y)) => Expr::int(a.ty, x - y),
        _ => Expr::binary(BinOp::Sub, a, b),
    }
}
