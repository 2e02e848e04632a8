//! Places: elements, rows and slices of arrays, with their checks.

use super::super::infer::Type;
use super::super::tree::{Access, Bounds, Expr as Tree, Kind};
use super::Emit;
use super::value::{Value, View, add, sub};
use crate::ir::{BinOp, Buffer, BufferId, Expr, ExprKind, Message, Role, StmtKind, Ty};

impl Emit<'_> {
    /// The place that an expression names.
    pub(super) fn place(&mut self, e: &Tree) -> Value {
        match &e.kind {
            Kind::Index(base, index, access) => {
                let base_view = self.array(base);
                let mark = self.mark();
                let index = self.scalar(index);
                let Some(view) = base_view else { return Value::UNIT };
                let mut base_value = Value::View(view);
                self.protect(&mut base_value, mark);
                let Value::View(view) = base_value else { return Value::UNIT };
                self.check_index(&view, &index, access, e.span);
                self.element(&view, index)
            }
            Kind::Slice(base, bounds, access) => match self.array(base) {
                Some(view) => self.slice(view, bounds, access, e.span),
                None => Value::UNIT,
            },
            Kind::Field(base, member) => match self.place(base) {
                Value::Tuple(parts) if *member < parts.len() => parts[*member].clone(),
                _ if !self.refusals.0.is_empty() => Value::UNIT,
                _ => {
                    self.refuse(
                        e.span,
                        format!("member `.{member}` of something that is not a tuple"),
                        "the members of a tuple are known from its type",
                        "write the type of the variable: `let t: (f64, f64) = …;`",
                    );
                    Value::UNIT
                }
            },
            Kind::Deref(inner) => self.place(inner),
            _ => self.value(e),
        }
    }

    /// The array that an expression is; refuses what is none.
    pub(super) fn array(&mut self, e: &Tree) -> Option<View> {
        match self.place(e) {
            Value::View(view) => Some(view),
            _ if !self.refusals.0.is_empty() => None,
            Value::Unset => {
                self.refuse(
                    e.span,
                    "an array without a value",
                    "it is used before it is assigned",
                    "assign it where it is declared: `let mut a = [0.0; 3];`",
                );
                None
            }
            _ => {
                self.refuse(
                    e.span,
                    "an index into something that is not an array",
                    "only arrays, slices and vectors are indexed",
                    "write the type of the variable",
                );
                None
            }
        }
    }

    /// Panics with the message unless the condition holds.
    pub(super) fn check(&mut self, cond: Expr, message: Message, span: proc_macro2::Span) {
        let outer = self.origin;
        self.origin.span = self.program.add_span(span);
        self.push(StmtKind::Check { cond, message });
        self.origin = outer;
    }

    /// Panics unless `index` is in the range of the view.
    pub(super) fn check_index(
        &mut self,
        view: &View,
        index: &Expr,
        access: &Access,
        span: proc_macro2::Span,
    ) {
        let len = view.len.clone();
        if let (ExprKind::Int(index), ExprKind::Int(len)) = (&index.kind, &len.kind)
            && index < len
        {
            return;
        }
        let cond = Expr::binary(BinOp::Lt, index.clone(), len.clone());
        let message = Message::Bounds {
            array: access.array.clone(),
            access: access.text.clone(),
            index: index.clone(),
            len,
        };
        self.check(cond, message, span);
    }

    fn slice(&mut self, view: View, bounds: &Bounds, access: &Access, span: proc_macro2::Span) -> Value {
        let ends: Vec<&Tree> = bounds.lo.iter().chain(&bounds.hi).map(|bound| &**bound).collect();
        let mark = self.mark();
        let mut values = self.operands(&ends).into_iter();
        let mut base = Value::View(view);
        self.protect(&mut base, mark);
        let Value::View(view) = base else { return Value::UNIT };
        let mut next = |this: &mut Self, e: &Option<Box<Tree>>| {
            e.as_ref().map(|e| {
                let value = values.next().unwrap_or(Value::Unset);
                this.load(value, e.span)
            })
        };
        let lo = next(self, &bounds.lo);
        let mut hi = next(self, &bounds.hi);
        if bounds.inclusive {
            hi = hi.map(|hi| add(hi, Expr::usize(1)));
        }
        let whole = view.len.clone();
        let start = lo.clone().unwrap_or_else(|| Expr::usize(0));
        let end = hi.clone().unwrap_or_else(|| whole.clone());
        let mut conds = Vec::new();
        if lo.is_some() && !known_le(&start, &end) {
            conds.push(Expr::binary(BinOp::Le, start.clone(), end.clone()));
        }
        if hi.is_some() && !known_le(&end, &whole) {
            conds.push(Expr::binary(BinOp::Le, end.clone(), whole.clone()));
        }
        let cond = conds.into_iter().reduce(|a, b| Expr::binary(BinOp::BitAnd, a, b));
        if let Some(cond) = cond {
            let message = Message::Slice {
                array: access.array.clone(),
                access: access.text.clone(),
                start: start.clone(),
                end: end.clone(),
                len: whole,
            };
            self.check(cond, message, span);
        }
        let len = length(start, end);
        if bounds.step == 1 {
            return Value::View(view.part(lo, len));
        }
        let last = add(len, Expr::usize(bounds.step - 1));
        let len = Expr::binary(BinOp::Div, last, Expr::usize(bounds.step));
        Value::View(View { step: view.step * bounds.step, ..view.part(lo, len) })
    }

    /// The buffer of a constant table.
    pub(super) fn table(&mut self, path: usize) -> View {
        if let Some(&buffer) = self.tables.get(&path) {
            return self.whole_view(buffer);
        }
        let ty = self.ty(&self.paths[path].ty);
        let elem = self.element_type(&ty);
        let lens = super::lens_of(self.infer, &ty);
        let lens: Vec<Option<Expr>> =
            lens.into_iter().map(|len| Some(self.constant(&*len.known()?))).collect();
        let id = self.opaque(path, elem);
        let text = &self.paths[path].text;
        let name = text.rsplit("::").next().unwrap_or(text).to_owned();
        let buffer = self.program.add_buffer(Buffer::new(&name, elem, Vec::new(), Role::Table(id)));
        let is_number = |len: &Expr| matches!(len.kind, ExprKind::Int(_));
        let dims = lens.into_iter().enumerate();
        self.program[buffer].dims = dims
            .map(|(dim, len)| len.filter(is_number).unwrap_or_else(|| Expr::extent(buffer, dim)))
            .collect();
        self.tables.insert(path, buffer);
        self.whole_view(buffer)
    }

    /// The scalar type at the bottom of an array type.
    pub(super) fn element_type(&self, ty: &Type) -> Ty {
        match self.infer.peel(ty) {
            Type::Array(elem, _) => self.element_type(&elem),
            Type::Scalar(ty) => ty,
            other => match self.infer.class(&other) {
                super::Class::Int => Ty::Int(crate::ir::Int::I32),
                _ => Ty::F64,
            },
        }
    }

    /// The local that owns a buffer, if it is one.
    pub(super) fn owner(&self, buffer: BufferId) -> Option<usize> {
        self.owners.get(&buffer).copied()
    }
}

fn known_le(a: &Expr, b: &Expr) -> bool {
    match (&a.kind, &b.kind) {
        (ExprKind::Int(a), ExprKind::Int(b)) => a <= b,
        (ExprKind::Int(0), _) => true,
        _ => a == b && !matches!(a.kind, ExprKind::Load(_)),
    }
}

/// `end - start`. Where the difference is visible it is written: `(i + 1) * d - i * d` is `d` in the arithmetic of the
/// machine as well, which is that of a ring, and where overflow panics, the check of the slice has panicked.
fn length(start: Expr, end: Expr) -> Expr {
    match &end.kind {
        ExprKind::Binary(BinOp::Add, base, width) if **base == start => return (**width).clone(),
        ExprKind::Binary(BinOp::Add, width, base) if **base == start => return (**width).clone(),
        ExprKind::Binary(BinOp::Mul, next, stride) => {
            for (next, stride) in [(next, stride), (stride, next)] {
                if let ExprKind::Binary(BinOp::Add, row, one) = &next.kind
                    && one.kind == ExprKind::Int(1)
                    && let ExprKind::Binary(BinOp::Mul, a, b) = &start.kind
                    && ((a == row && b == stride) || (b == row && a == stride))
                {
                    return (**stride).clone();
                }
            }
        }
        _ => {}
    }
    sub(end, start)
}
