//! Expressions.

use super::super::infer::Type;
use super::super::tree::{Block, Expr as Tree, Kind, Method};
use super::Emit;
use super::value::{Mark, Value};
use crate::ir::{BinOp, Expr, ExprKind, Float, Func, Int, Place, StmtKind, Ty, UnOp};

impl Emit<'_> {
    /// The value of an expression that is a scalar.
    pub(super) fn scalar(&mut self, e: &Tree) -> Expr {
        let value = self.value(e);
        self.load(value, e.span)
    }

    /// The values of operands, evaluated in order; each holds until the next statement.
    pub(super) fn operands(&mut self, list: &[&Tree]) -> Vec<Value> {
        let mut values: Vec<(Value, Mark)> = Vec::new();
        for e in list {
            let value = self.value(e);
            let value = self.by_value(value, &e.ty);
            values.push((value, self.mark()));
        }
        for (value, mark) in values.iter_mut().rev() {
            self.protect(value, *mark);
        }
        values.into_iter().map(|(value, _)| value).collect()
    }

    /// The values of variables, not the variables; references stay what they are.
    fn by_value(&self, value: Value, ty: &Type) -> Value {
        match (value, self.infer.shallow(ty)) {
            (value, Type::Ref(..)) => value,
            (Value::Place(place, ty), _) => Value::Scalar(place.load(ty)),
            (Value::Tuple(parts), ty) if ty.members().is_some_and(|types| types.len() == parts.len()) => {
                let parts = parts.into_iter().zip(ty.members().unwrap_or_default());
                Value::Tuple(parts.map(|(part, ty)| self.by_value(part, ty)).collect())
            }
            (value, _) => value,
        }
    }

    pub(super) fn scalars<const N: usize>(&mut self, list: [&Tree; N]) -> [Expr; N] {
        let spans = list.map(|e| e.span);
        let mut values = self.operands(&list).into_iter();
        spans.map(|span| {
            let value = values.next().unwrap_or(Value::Unset);
            self.load(value, span)
        })
    }

    /// The value of an expression; of a place the place itself.
    pub(super) fn value(&mut self, e: &Tree) -> Value {
        let outer = std::mem::replace(&mut self.in_expression, true);
        let value = self.value_inside(e);
        self.in_expression = outer;
        value
    }

    fn value_inside(&mut self, e: &Tree) -> Value {
        match &e.kind {
            Kind::Int(value) => self.integer(e, *value),
            Kind::Float(digits) => {
                let ty = self.scalar_type(e);
                let value = match ty {
                    Ty::Float(Float::F32) => digits.parse::<f32>().map(f64::from),
                    _ => digits.parse::<f64>(),
                };
                Value::Scalar(Expr::float(if ty.is_float() { ty } else { Ty::F64 }, value.unwrap_or(0.0)))
            }
            Kind::Bool(value) => Value::Scalar(Expr::bool(*value)),
            Kind::Local(id) => self.bound[*id].clone(),
            Kind::Path(path) => self.path(*path, e),
            Kind::Deref(inner) => self.value(inner),
            Kind::Borrow(inner) => self.borrow(inner, "borrowed"),
            Kind::Unary(op, inner) => {
                let inner = self.scalar(inner);
                let fits = match (op, inner.ty) {
                    (UnOp::Neg, Ty::Int(int)) => int.is_signed(),
                    (UnOp::Neg, ty) => ty.is_float(),
                    (UnOp::Not, ty) => !ty.is_float(),
                };
                self.need_fit(fits, e);
                Value::Scalar(Expr::unary(*op, inner))
            }
            Kind::Binary(..) => self.binary(e),
            Kind::And(left, right) => self.short_circuit(left, right, true),
            Kind::Or(left, right) => self.short_circuit(left, right, false),
            Kind::Cast(inner) => {
                let to = self.scalar_type(e);
                let value = self.scalar(inner);
                if to == Ty::Bool && value.ty != Ty::Bool {
                    self.refuse(
                        e.span,
                        format!("a cast from `{}` to `{to}`", value.ty),
                        "there is no such conversion in Rust",
                        "compare, `n != 0`, or convert in two steps, `b as i32 as f64`",
                    );
                }
                Value::Scalar(cast(value, to))
            }
            Kind::Index(..) | Kind::Slice(..) | Kind::Field(..) => self.place(e),
            Kind::Tuple(parts) => {
                let parts: Vec<&Tree> = parts.iter().collect();
                Value::Tuple(self.operands(&parts))
            }
            Kind::Array(_) | Kind::Repeat(..) | Kind::EmptyVec | Kind::Collect(_) => {
                Value::View(self.make_array(e, "array", None))
            }
            Kind::Rows(elements, starts) => match (self.array(elements), self.array(starts)) {
                (Some(elements), Some(starts)) => Value::View(self.vectors_of(elements, &starts)),
                _ => self.zeros(e),
            },
            Kind::Zeros => self.zeros(e),
            Kind::Block(block) if block.stmts.is_empty() => match &block.tail {
                Some(tail) => self.value(tail),
                None => Value::UNIT,
            },
            Kind::If(cond, then, Some(els)) if self.is_selectable(e, then, els) => {
                let [cond, then, els] = self.scalars([cond, then, els]);
                Value::Scalar(Expr::select(cond, then, els))
            }
            Kind::Block(_)
            | Kind::If(..)
            | Kind::Match(_)
            | Kind::Inline(_)
            | Kind::While(_)
            | Kind::Labelled(_) => self.computed(e),
            Kind::Method(method, args, access) => self.method(*method, args, access, e),
            Kind::For(_)
            | Kind::Each(_)
            | Kind::Fork(_)
            | Kind::Jump(..)
            | Kind::Assert(..)
            | Kind::Panic(_)
            | Kind::Assign(..)
            | Kind::AssignOp(..) => {
                self.effect(e);
                Value::UNIT
            }
            Kind::Length(len) => Value::Scalar(match len.known() {
                Some(len) => self.constant(&len),
                None => Expr::usize(0),
            }),
            Kind::Hole | Kind::Error => {
                self.refuse(
                    e.span,
                    "`_` as a value",
                    "it is only a place that is not looked at",
                    "write the value",
                );
                Value::UNIT
            }
        }
    }

    /// A chain of operators, `a + b + c + …`, without a recursion as deep as it is long.
    fn binary(&mut self, e: &Tree) -> Value {
        let mut chain = Vec::new();
        let mut innermost = e;
        while let Kind::Binary(op, left, right) = &innermost.kind {
            chain.push((innermost, *op, right));
            innermost = left;
        }
        let value = self.value(innermost);
        let mut left = Value::Scalar(self.load(value, innermost.span));
        for (e, op, right) in chain.into_iter().rev() {
            let mark = self.mark();
            let right = self.scalar(right);
            self.protect(&mut left, mark);
            let value = self.load(left, e.span);
            self.need_fit(fits(op, value.ty, right.ty), e);
            left = Value::Scalar(Expr::binary(op, value, right));
        }
        left
    }

    /// Refuses an operation on types that have none; rustc refuses it as well. What was refused before has no type.
    pub(super) fn need_fit(&mut self, fits: bool, e: &Tree) {
        if !fits && self.refusals.0.is_empty() {
            self.refuse(
                e.span,
                "an operation on values of these types",
                "Rust does not define it",
                "convert one side with `as`",
            );
        }
    }

    /// The value of a block, a branch or a helper, computed into a temporary.
    fn computed(&mut self, e: &Tree) -> Value {
        let ty = self.ty(&e.ty);
        if self.refers(&ty) || ty.members().is_some() && !self.has_static_shape(&ty) {
            match &e.kind {
                Kind::Inline(inline) if !self.is_left_early(&inline.body) => {
                    return self.returned_in_place(inline, e);
                }
                Kind::Block(block) if !self.is_left_early(block) => {
                    return self.block_in_place(block, e, "value");
                }
                _ => {}
            }
        }
        match ty {
            Type::Array(..) => Value::View(self.make_array(e, "array", None)),
            Type::Never => {
                self.into(e, &Value::UNIT);
                Value::UNIT
            }
            _ => {
                let name = match &e.kind {
                    Kind::Inline(inline) => inline.name.clone(),
                    _ => "value".to_owned(),
                };
                self.chosen(e, &name).unwrap_or_else(|| {
                    self.refuse_chosen(e);
                    Value::UNIT
                })
            }
        }
    }

    /// A variable that is assigned once, as a value.
    pub(super) fn as_value(&mut self, dest: Value) -> Value {
        match dest {
            Value::Place(place, ty) => {
                self.immutable.insert(place.buffer);
                Value::Scalar(place.load(ty))
            }
            Value::Tuple(parts) => Value::Tuple(parts.into_iter().map(|part| self.as_value(part)).collect()),
            Value::View(mut view) => {
                view.owned = true;
                Value::View(view)
            }
            other => other,
        }
    }

    fn integer(&mut self, e: &Tree, value: i128) -> Value {
        let ty = self.scalar_type(e);
        let Ty::Int(int) = ty else {
            return Value::Scalar(Expr::float(if ty.is_float() { ty } else { Ty::F64 }, value as f64));
        };
        if value < int.min() || int.max().is_some_and(|max| value > max) {
            self.refuse(
                e.span,
                format!("the literal `{value}` does not fit `{ty}`"),
                "integers have the range of their type",
                "write a wider type",
            );
            return Value::Scalar(Expr::int(ty, 0));
        }
        Value::Scalar(Expr::int(ty, value))
    }

    fn path(&mut self, path: usize, e: &Tree) -> Value {
        let ty = self.infer.peel(&self.paths[path].ty);
        match ty {
            Type::Array(..) => Value::View(self.table(path)),
            Type::Tuple(_) | Type::Record(_) => {
                self.refuse(
                    e.span,
                    "a constant tuple or struct",
                    "constants are scalars and tables",
                    "write one constant for each member",
                );
                Value::UNIT
            }
            _ => {
                let ty = self.scalar_type(e);
                let id = self.opaque(path, ty);
                Value::Scalar(Expr { ty, kind: ExprKind::Opaque(id) })
            }
        }
    }

    /// `a && b` or `a || b`.
    fn short_circuit(&mut self, left: &Tree, right: &Tree, and: bool) -> Value {
        if self.is_simple(right) {
            let [left, right] = self.scalars([left, right]);
            let op = if and { BinOp::BitAnd } else { BinOp::BitOr };
            return Value::Scalar(Expr::binary(op, left, right));
        }
        let left = self.scalar(left);
        let buffer = self.scalar_local("cond", Ty::Bool);
        self.assign_scalar(buffer, left);
        let cond = self.program.load_scalar(buffer);
        let evaluate = self.block(|this| {
            let right = this.scalar(right);
            this.assign_scalar(buffer, right);
        });
        let (then, els) = if and { (evaluate, Vec::new()) } else { (Vec::new(), evaluate) };
        self.push(StmtKind::If { cond: cond.clone(), then, els });
        self.immutable.insert(buffer);
        Value::Scalar(cond)
    }

    /// Whether an `if` may become a select: no floats, nothing that can panic, no loads but of scalars.
    fn is_selectable(&self, e: &Tree, then: &Tree, els: &Tree) -> bool {
        let ty = self.infer.peel(&e.ty);
        let exact = matches!(ty, Type::Scalar(Ty::Int(_) | Ty::Bool));
        exact && self.is_simple(then) && self.is_simple(els)
    }

    /// Whether evaluating the expression has no effect, cannot panic and loads only scalars.
    pub(super) fn is_simple(&self, e: &Tree) -> bool {
        match &e.kind {
            Kind::Int(_) | Kind::Float(_) | Kind::Bool(_) | Kind::Path(_) => {
                !matches!(self.infer.peel(&e.ty), Type::Array(..) | Type::Tuple(_) | Type::Record(_))
            }
            Kind::Local(id) => match &self.bound[*id] {
                Value::Scalar(_) => true,
                Value::Place(place, _) => place.index.is_empty(),
                _ => false,
            },
            Kind::Deref(inner) | Kind::Cast(inner) | Kind::Unary(UnOp::Not, inner) => self.is_simple(inner),
            Kind::Unary(UnOp::Neg, inner) => self.is_float(e) && self.is_simple(inner),
            Kind::Binary(op, left, right) => {
                let total = op.is_comparison()
                    || matches!(op, BinOp::BitAnd | BinOp::BitOr | BinOp::BitXor)
                    || self.is_float(e);
                total && self.is_simple(left) && self.is_simple(right)
            }
            Kind::And(left, right) | Kind::Or(left, right) => self.is_simple(left) && self.is_simple(right),
            Kind::Block(Block { stmts, tail: Some(tail) }) => stmts.is_empty() && self.is_simple(tail),
            Kind::Method(Method::Len | Method::IsEmpty | Method::Extent(_), args, _) => match &args[0].kind {
                Kind::Local(id) => matches!(self.bound[*id], Value::View(_)),
                _ => false,
            },
            Kind::Method(Method::Scalar(name), args, _) => {
                let func = self.function_of(name, &args[0]);
                func.is_some_and(Func::is_total) && args.iter().all(|arg| self.is_simple(arg))
            }
            Kind::Field(base, member) => match &base.kind {
                Kind::Local(id) => match &self.bound[*id] {
                    Value::Tuple(parts) => {
                        matches!(parts.get(*member), Some(Value::Place(place, _)) if place.index.is_empty())
                    }
                    _ => false,
                },
                _ => false,
            },
            _ => false,
        }
    }

    fn is_float(&self, e: &Tree) -> bool {
        self.infer.class(&e.ty) == super::Class::Float
    }

    /// The row of the table of functions for a receiver.
    pub(super) fn function_of(&self, name: &str, receiver: &Tree) -> Option<Func> {
        let (float, int) = super::super::resolve::functions(name);
        match self.infer.class(&receiver.ty) {
            super::Class::Float => float,
            super::Class::Int => int,
            super::Class::Any => None,
        }
    }

    /// `&e`: the place, or a temporary.
    pub(super) fn borrow(&mut self, inner: &Tree, hint: &str) -> Value {
        let value = self.value(inner);
        self.stabilise(value, hint)
    }

    /// A new scalar variable that starts as `value`.
    pub(super) fn new_scalar(&mut self, name: &str, value: Expr, mutable: bool) -> Value {
        let ty = value.ty;
        let fixed = self.is_fixed(&value);
        let buffer = self.scalar_local(name, ty);
        if !mutable {
            self.immutable.insert(buffer);
            if fixed {
                self.copies.insert(buffer, value.clone());
            }
            self.define(buffer, &value);
        }
        self.assign_scalar(buffer, value);
        Value::Place(Place::scalar(buffer), ty)
    }
}

/// Whether Rust has the operation on these types.
pub(super) fn fits(op: BinOp, left: Ty, right: Ty) -> bool {
    match op {
        BinOp::Shl | BinOp::Shr => left.is_int() && right.is_int(),
        BinOp::Add | BinOp::Sub | BinOp::Mul | BinOp::Div | BinOp::Rem => left == right && left != Ty::Bool,
        BinOp::BitAnd | BinOp::BitOr | BinOp::BitXor => left == right && !left.is_float(),
        _ => left == right,
    }
}

/// `value as to`; a bool becomes a float by way of an integer, as in `f64::from(true)`.
fn cast(value: Expr, to: Ty) -> Expr {
    if value.ty == to {
        return value;
    }
    if value.ty == Ty::Bool && to.is_float() {
        return value.cast(Ty::Int(Int::U8)).cast(to);
    }
    value.cast(to)
}

/// Whether a number has the same value in another type: it comes back from there, and its sign does not change.
pub(super) fn keeps_its_value(number: &Expr, to: Ty) -> Expr {
    let (Ty::Int(from), Ty::Int(int)) = (number.ty, to) else { return Expr::bool(true) };
    // a `usize` has 32 or 64 bits
    let pointer = |int: Int| matches!(int, Int::Usize | Int::Isize);
    let least = if pointer(int) && !pointer(from) { 32 } else { int.bits() };
    let becomes_signed = int.is_signed() && !from.is_signed();
    let not_negative = |number: Expr| Expr::binary(BinOp::Ge, number.clone(), Expr::int(number.ty, 0));
    let cast = number.clone().cast(to);
    let mut conditions = Vec::new();
    if from.is_signed() && !int.is_signed() {
        conditions.push(not_negative(number.clone()));
    }
    if least < from.bits() + u32::from(becomes_signed) {
        conditions.push(Expr::binary(BinOp::Eq, cast.clone().cast(number.ty), number.clone()));
        if becomes_signed {
            conditions.push(not_negative(cast));
        }
    }
    let both = |a, b| Expr::binary(BinOp::BitAnd, a, b);
    conditions.into_iter().reduce(both).unwrap_or(Expr::bool(true))
}
