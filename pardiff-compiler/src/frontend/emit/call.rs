//! Methods and the functions of std.

use super::super::infer::Type;
use super::super::tree::{Access, Expr as Tree, Kind, Len, Method, PathId};
use super::Emit;
use super::mixed_signs::checked;
use super::value::{Value, View};
use crate::ir::{BinOp, Expr, ExprKind, Func, Message, StmtKind, Ty};

impl Emit<'_> {
    pub(super) fn method(&mut self, method: Method, args: &[Tree], access: &Access, e: &Tree) -> Value {
        match method {
            Method::Scalar(name) => self.table_function(name, args, e),
            Method::Apply(path) => self.apply(path, args, e),
            Method::User(function) => self.user_call(function, args),
            Method::SinCos => {
                let angle = self.scalar(&args[0]);
                let Value::Scalar(angle) = self.freeze(Value::Scalar(angle), "angle") else {
                    return Value::UNIT;
                };
                let of = |func| Value::Scalar(Expr::call(angle.ty, func, vec![angle.clone()]));
                Value::Tuple(vec![of(Func::Sin), of(Func::Cos)])
            }
            Method::IsPositive | Method::IsNegative => {
                let value = self.scalar(&args[0]);
                let op = if method == Method::IsPositive { BinOp::Gt } else { BinOp::Lt };
                let zero = Expr::int(value.ty, 0);
                Value::Scalar(Expr::binary(op, value, zero))
            }
            Method::Fits => {
                let [number, cast] = self.scalars([&args[0], &args[1]]);
                Value::Scalar(super::scalar::keeps_its_value(&number, cast.ty))
            }
            Method::CheckedUnwrap(op) => {
                let [a, b] = self.scalars([&args[0], &args[1]]);
                let (ok, value) = checked(op, a, b);
                let text = "called `Option::unwrap()` on a `None` value".to_owned();
                self.check(ok, Message::Text(text), e.span);
                Value::Scalar(value)
            }
            Method::CheckedUnwrapOr(op) => {
                let [a, b, other] = self.scalars([&args[0], &args[1], &args[2]]);
                let (ok, value) = checked(op, a, b);
                Value::Scalar(Expr::select(ok, value, other))
            }
            Method::CheckedIsSome(op) => {
                let [a, b] = self.scalars([&args[0], &args[1]]);
                Value::Scalar(checked(op, a, b).0)
            }
            Method::SaturatingMixed(op) => {
                let [a, b] = self.scalars([&args[0], &args[1]]);
                Value::Scalar(self.saturating_mixed(op, a, b))
            }
            Method::WrappingMixed(op) => {
                let [a, b] = self.scalars([&args[0], &args[1]]);
                Value::Scalar(checked(op, a, b).1)
            }
            Method::Len => match self.array(&args[0]) {
                Some(view) => Value::Scalar(view.len),
                None => Value::UNIT,
            },
            Method::IsEmpty => match self.array(&args[0]) {
                Some(view) => Value::Scalar(Expr::binary(BinOp::Eq, view.len, Expr::usize(0))),
                None => Value::UNIT,
            },
            Method::Whole => self.place(&args[0]),
            Method::Extent(axis) => match self.array(&args[0]) {
                Some(view) => Value::Scalar(self.dims(&view).get(axis).cloned().unwrap_or(Expr::usize(0))),
                None => Value::UNIT,
            },
            Method::Count => match self.array(&args[0]) {
                Some(view) => Value::Scalar(self.number_of_elements(&view)),
                None => Value::UNIT,
            },
            Method::AxisFirst(axis) => self.axis_first(&args[0], axis),
            Method::ToOwned => match self.infer.peel(&e.ty) {
                Type::Array(..) => Value::View(self.make_array(e, "copy", None)),
                _ => {
                    let value = self.value(&args[0]);
                    match value {
                        Value::Tuple(parts) => Value::Tuple(parts),
                        value => Value::Scalar(self.load(value, e.span)),
                    }
                }
            },
            Method::Fill => {
                let Some(view) = self.array(&args[0]) else { return Value::UNIT };
                let mark = self.mark();
                let value = self.element_value(&args[1]);
                let view = self.protected(view, mark);
                self.fill_rows(&view, &value);
                Value::UNIT
            }
            Method::CopyFrom => {
                if let Some((dest, source)) = self.two_arrays(args) {
                    self.equal_lengths(&dest, &source, access, e.span);
                    self.copy(&dest, &source);
                }
                Value::UNIT
            }
            Method::SwapElements => {
                self.swap_elements(args, access, e);
                Value::UNIT
            }
            Method::SwapWith => {
                if let Some((a, b)) = self.two_arrays(args) {
                    self.equal_lengths(&a, &b, access, e.span);
                    self.exchange_elements(&a, &b);
                }
                Value::UNIT
            }
            Method::Reverse => {
                self.reverse(&args[0]);
                Value::UNIT
            }
            Method::RotateLeft | Method::RotateRight => {
                self.rotate(args, method == Method::RotateLeft, access, e.span);
                Value::UNIT
            }
            Method::ToArray => self.as_array(args, access, e.span),
            Method::MemSwap => {
                self.mem_swap(args, access, e);
                Value::UNIT
            }
            Method::MemReplace => self.mem_replace(args, e),
            Method::Push => {
                self.push_element(args, e);
                Value::UNIT
            }
            Method::Clear | Method::Truncate => {
                if let Some(view) = self.array(&args[0])
                    && let Some(len) = self.growing_length(&view, e)
                {
                    let left = match args.get(1) {
                        None => Expr::usize(0),
                        Some(most) => {
                            let most = self.scalar(most);
                            Expr::call(Ty::USIZE, Func::IntMin, vec![self.program.load_scalar(len), most])
                        }
                    };
                    self.assign_scalar(len, left);
                }
                Value::UNIT
            }
            Method::BetweenRanks(of) => self.between_ranks(of, args, access, e),
            Method::Pop => self.pop_element(args, e),
            Method::SplitAt => self.split_at(args, access, e),
        }
    }

    /// The value of each element of an array.
    pub(super) fn element_value(&mut self, e: &Tree) -> Value {
        match self.infer.peel(&e.ty) {
            Type::Array(..) => Value::View(self.make_array(e, "row", None)),
            Type::Tuple(_) | Type::Record(_) => {
                let value = self.value(e);
                self.freeze_whole(value, "value")
            }
            _ => {
                let value = self.scalar(e);
                self.freeze(Value::Scalar(value), "value")
            }
        }
    }

    /// Gives arrays that are exchanged lengths of their own, so that their storage is.
    fn grow_all(&mut self, views: [&View; 2], span: proc_macro2::Span) {
        self.would_be_alike(views[0], views[1]);
        for view in views {
            if !self.lengths.contains_key(&view.buffer) {
                self.grow(view, span);
            }
        }
    }

    /// A row of the table of functions.
    fn table_function(&mut self, name: &str, args: &[Tree], e: &Tree) -> Value {
        let ty = self.scalar_type(e);
        let list: Vec<&Tree> = args.iter().collect();
        let spans: Vec<_> = list.iter().map(|arg| arg.span).collect();
        let values = self.operands(&list);
        let values: Vec<Expr> =
            values.into_iter().zip(spans).map(|(value, span)| self.load(value, span)).collect();
        let func = match values.first() {
            Some(Expr { ty: Ty::Float(_), .. }) => super::super::resolve::functions(name).0,
            Some(_) => super::super::resolve::functions(name).1,
            None => None,
        };
        match func.filter(|func| func.arity() == values.len()) {
            Some(func) => {
                let first = values[0].ty;
                self.need_fit((0..values.len()).all(|k| values[k].ty == func.operand_ty(k, first)), e);
                Value::Scalar(Expr::call(ty, func, values))
            }
            None => {
                self.refuse(
                    e.span,
                    format!("`{name}` on a value of this type"),
                    "the type has no such method",
                    "convert with `as`",
                );
                Value::Scalar(Expr::float(Ty::F64, 0.0))
            }
        }
    }

    /// A function that is not looked into; it may panic, so its value is computed here.
    fn apply(&mut self, path: PathId, args: &[Tree], e: &Tree) -> Value {
        let ty = self.scalar_type(e);
        let list: Vec<&Tree> = args.iter().collect();
        let values = self.operands(&list);
        let values = values.into_iter().zip(args).map(|(value, arg)| self.load(value, arg.span)).collect();
        let id = self.opaque(path, ty);
        let name = format!("{}_value", self.program[id].text);
        let value = Expr { ty, kind: ExprKind::Apply(id, values) };
        Value::Scalar(self.snapshot(&name, value))
    }

    fn equal_lengths(&mut self, dest: &View, source: &View, access: &Access, span: proc_macro2::Span) {
        let (a, b) = (self.canonical(dest.len.clone()), self.canonical(source.len.clone()));
        if a == b && !matches!(a.kind, ExprKind::Load(_)) {
            return;
        }
        let cond = Expr::binary(BinOp::Eq, dest.len.clone(), source.len.clone());
        let text = format!("`{}`: the lengths of the slices differ", access.text);
        self.check(cond, Message::Text(text), span);
    }

    /// An array and another one, of which the index may change what the range of the first was made of.
    fn two_arrays(&mut self, args: &[Tree]) -> Option<(View, View)> {
        let first = self.array(&args[0])?;
        let mark = self.mark();
        let second = self.array(&args[1])?;
        Some((self.protected(first, mark), second))
    }

    fn swap_elements(&mut self, args: &[Tree], access: &Access, e: &Tree) {
        let Some(view) = self.array(&args[0]) else { return };
        let mark = self.mark();
        let [i, j] = self.scalars([&args[1], &args[2]]);
        let view = self.protected(view, mark);
        self.check_index(&view, &i, access, e.span);
        self.check_index(&view, &j, access, e.span);
        let (a, b) = (self.element(&view, i), self.element(&view, j));
        self.exchange(&a, &b, Some(e.span));
    }

    /// Exchanges two places of one shape.
    pub(super) fn exchange(&mut self, a: &Value, b: &Value, span: Option<proc_macro2::Span>) {
        match (a, b) {
            (Value::Place(a, ty), Value::Place(b, _)) => {
                let first = self.snapshot("swapped", a.clone().load(*ty));
                self.push(StmtKind::Assign { target: a.clone(), value: b.clone().load(*ty) });
                self.push(StmtKind::Assign { target: b.clone(), value: first });
            }
            (Value::View(a), Value::View(b)) => self.exchange_elements(a, b),
            (Value::Tuple(a), Value::Tuple(b)) => {
                for (a, b) in a.iter().zip(b) {
                    self.exchange(a, b, span);
                }
            }
            _ => self.refuse(
                span.unwrap_or(self.program[self.origin.span]),
                "an exchange of these values",
                "scalars, elements and local arrays are exchanged",
                "write `std::mem::swap(&mut a, &mut b);` with two variables",
            ),
        }
    }

    fn exchange_elements(&mut self, a: &View, b: &View) {
        self.vectors_of_one_length(a, b);
        let dims = self.dims(a);
        self.for_each(&dims, &mut |this, index| {
            let (a, b) = (this.element_at(a, index), this.element_at(b, index));
            this.exchange(&a, &b, None);
        });
    }

    fn mem_swap(&mut self, args: &[Tree], access: &Access, e: &Tree) {
        let values = self.operands(&[&args[0], &args[1]]);
        let [a, b] = &values[..] else { return };
        let ty = match self.ty(&args[0].ty) {
            Type::Ref(_, inner) => self.ty(&inner),
            other => other,
        };
        self.swap_values(&ty, a, b, access, e);
    }

    /// Exchanges two values of one type; vectors in them may differ in length, but for those of the caller.
    fn swap_values(&mut self, ty: &Type, a: &Value, b: &Value, access: &Access, e: &Tree) {
        let (a, b) = match (a, b) {
            (Value::View(a), Value::View(b)) => (a, b),
            (Value::Tuple(a), Value::Tuple(b)) => {
                for ((a, b), ty) in a.iter().zip(b).zip(ty.members().unwrap_or_default()) {
                    self.swap_values(&self.infer.shallow(ty), a, b, access, e);
                }
                return;
            }
            (a, b) => return self.exchange(a, b, Some(e.span)),
        };
        if a.buffer == b.buffer {
            return self.exchange_elements(a, b);
        }
        if self.exchanged(a, b) {
            return;
        }
        if self.static_lens(ty).is_some() || self.dims(a) == self.dims(b) && !self.is_whole_local(a) {
            return self.exchange_elements(a, b);
        }
        let rows_differ = self.program[a.buffer].dims.get(1..) != self.program[b.buffer].dims.get(1..);
        if self.is_whole_local(a) && self.is_whole_local(b) && !rows_differ {
            return self.grow_all([a, b], e.span);
        }
        let help = match ty {
            Type::Array(_, Len::Axis) => {
                "exchange the elements in a loop, or make two local arrays of one shape: `Array2::zeros(a.dim())`"
            }
            _ if rows_differ => "make both of one shape: `vec![vec![0.0; m]; n]`",
            _ => {
                // a vector of the caller keeps its length
                self.equal_lengths(a, b, access, e.span);
                return self.exchange_elements(a, b);
            }
        };
        self.refuse(
            e.span,
            "an exchange of arrays whose lengths are not seen to be equal",
            "local arrays and arrays of constant length are exchanged",
            help,
        );
    }

    /// Exchanges the storage of two local arrays of one type, if they are such and of one shape or both growing.
    pub(super) fn exchanged(&mut self, a: &View, b: &View) -> bool {
        let has_vectors = |view: &View| {
            view.group.as_ref().is_some_and(|group| group.has_vectors()) && !self.has_growing_rows(view)
        };
        if !self.is_whole_local(a) || !self.is_whole_local(b) || has_vectors(a) || has_vectors(b) {
            return false;
        }
        let lengths = (self.lengths.get(&a.buffer).copied(), self.lengths.get(&b.buffer).copied());
        match lengths {
            (None, None) if self.program[a.buffer].dims == self.program[b.buffer].dims => {
                self.swap_buffers(a, b);
                true
            }
            (Some(x), Some(y)) => {
                self.swap_buffers(a, b);
                let first = self.program.load_scalar(x);
                let first = self.snapshot("swapped_len", first);
                let second = self.program.load_scalar(y);
                self.assign_scalar(x, second);
                self.assign_scalar(y, first);
                true
            }
            _ => false,
        }
    }

    /// All buffers of local arrays of one type.
    fn swap_buffers(&mut self, a: &View, b: &View) {
        if self.has_growing_rows(a) {
            self.push(StmtKind::Swap { a: a.buffer, b: b.buffer });
        }
        for (a, b) in a.buffers().into_iter().zip(b.buffers()) {
            self.push(StmtKind::Swap { a, b });
        }
    }

    /// `std::mem::replace` of an array: the storage of a vector that is moved is exchanged, other elements are copied.
    fn replace_array(&mut self, args: &[Tree], e: &Tree) -> Value {
        let moved = matches!(args[1].kind, Kind::Local(_));
        let new = match moved {
            true => self.array(&args[1]),
            false => Some(self.make_array(&args[1], "new", None)),
        };
        let (Some(dest), Some(new)) = (self.array(&args[0]), new) else { return Value::UNIT };
        if moved && self.exchanged(&dest, &new) {
            // nobody sees any more what was moved: it is what was there before
            return Value::View(View { owned: true, ..new });
        }
        let (have, want) = (self.dims(&new), self.dims(&dest));
        if have == want {
            let old = self.owned_copy(&dest, "old", None);
            self.copy(&dest, &new);
            return Value::View(old);
        }
        if moved && have.get(1..) == want.get(1..) && [&dest, &new].iter().all(|it| self.is_whole_local(it)) {
            self.grow_all([&dest, &new], e.span);
        } else {
            self.refuse(
                e.span,
                "`std::mem::replace` of an array by one whose length is not seen to be equal",
                "the storage of vectors declared in this function is exchanged",
                "declare the new one first: `let new = vec![0.0; n]; let old = std::mem::replace(&mut a, new);`",
            );
        }
        Value::View(new)
    }

    fn mem_replace(&mut self, args: &[Tree], e: &Tree) -> Value {
        if let Type::Array(..) = self.infer.peel(&e.ty) {
            return self.replace_array(args, e);
        }
        let values = self.operands(&[&args[0], &args[1]]);
        let mut values = values.into_iter();
        match (values.next(), values.next()) {
            (Some(Value::Place(place, ty)), Some(new)) => {
                let new = self.load(new, args[1].span);
                let new = if new.ty == ty { new } else { new.cast(ty) };
                let Value::Scalar(new) = self.freeze(Value::Scalar(new), "new") else { return Value::UNIT };
                let old = self.snapshot("old", place.clone().load(ty));
                self.push(StmtKind::Assign { target: place, value: new });
                Value::Scalar(old)
            }
            (Some(place), Some(new)) if self.has_static_shape(&e.ty) => {
                let new = self.freeze_whole(new, "new");
                let old = self.freeze_whole(place.clone(), "old");
                self.store(&place, new);
                old
            }
            _ => {
                self.refuse(
                    e.span,
                    "`std::mem::replace` of a value with vectors in it",
                    "values of constant length and vectors are replaced",
                    "replace its members one by one",
                );
                Value::UNIT
            }
        }
    }

    /// The length variable of an array that grows; asks for one where there is none.
    pub(super) fn growing_length(&mut self, view: &View, e: &Tree) -> Option<crate::ir::BufferId> {
        let length = self.length_of_whole(view);
        if length.is_none() {
            self.grow(view, e.span);
        }
        length
    }

    /// `v.pop()` of an array that is not empty.
    fn pop_element(&mut self, args: &[Tree], e: &Tree) -> Value {
        let Some(view) = self.array(&args[0]) else { return Value::UNIT };
        let Some(len) = self.growing_length(&view, e) else { return self.element(&view, Expr::usize(0)) };
        let last = super::value::sub(self.program.load_scalar(len), Expr::usize(1));
        let last = self.snapshot("last", last);
        let element = self.element(&view, last.clone());
        let element = self.freeze(element, "popped");
        let element = self.freeze_whole(element, "popped");
        self.assign_scalar(len, last);
        element
    }

    fn split_at(&mut self, args: &[Tree], access: &Access, e: &Tree) -> Value {
        let Some(view) = self.array(&args[0]) else { return Value::UNIT };
        let middle = self.scalar(&args[1]);
        let middle = if self.is_stable(&middle) { middle } else { self.snapshot("middle", middle) };
        let cond = Expr::binary(BinOp::Le, middle.clone(), view.len.clone());
        let message = Message::Slice {
            array: access.array.clone(),
            access: access.text.clone(),
            start: middle.clone(),
            end: view.len.clone(),
            len: view.len.clone(),
        };
        self.check(cond, message, e.span);
        let first = view.part(None, middle.clone());
        let len = super::value::sub(view.len.clone(), middle.clone());
        let second = self.stabilise(Value::View(view.part(Some(middle), len)), "tail");
        Value::Tuple(vec![Value::View(first), second])
    }
}
