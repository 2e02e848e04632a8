//! `let` and assignments: values into variables.

use super::super::infer::Type;
use super::super::tree::{Access, Expr as Tree, Kind, LocalId, Pattern};
use super::Emit;
use super::value::{Value, View};
use crate::ir::{BinOp, Expr, Place, StmtKind, Ty};
use proc_macro2::Span;

impl Emit<'_> {
    /// `let pattern = init;`
    pub(super) fn let_stmt(&mut self, pattern: &Pattern, init: Option<&Tree>, span: Span) {
        match init {
            Some(init) => self.bind_expr(pattern, init),
            None => self.declare_unset(pattern, span),
        }
    }

    fn declare_unset(&mut self, pattern: &Pattern, span: Span) {
        match pattern {
            Pattern::Wild => {}
            Pattern::Bind(local) => {
                let (ty, name) = (self.ty(&self.locals[*local].ty), self.locals[*local].name.clone());
                if let Type::Array(..) = ty {
                    let dims = match self.static_lens(&ty) {
                        Some(dims) => dims,
                        None => {
                            self.must_grow.insert(*local);
                            vec![Expr::usize(0)]
                        }
                    };
                    let rank = super::lens_of(self.infer, &ty).len();
                    if dims.len() != rank {
                        self.refuse(
                            span,
                            "a nested vector without a value",
                            "its shape is not known where it is declared",
                            "write the shape: `let mut a = vec![vec![0.0; m]; n];`",
                        );
                        return;
                    }
                    let view = self.alloc_of(&ty, &name, dims, Some(*local));
                    self.bound[*local] = Value::View(view);
                    return;
                }
                let copied = self.copied(&ty);
                match self.variables(copied.as_ref().unwrap_or(&ty), &name) {
                    Some(value) => {
                        if copied.is_some() {
                            self.note_variables(&value);
                        }
                        self.bound[*local] = value;
                    }
                    None => self.refuse(
                        span,
                        "a reference without a value",
                        "which array it stands for would be known only at run time",
                        "write `let` where the value is known",
                    ),
                }
            }
            Pattern::Tuple(parts) | Pattern::Slice(parts) => {
                parts.iter().for_each(|part| self.declare_unset(part, span));
            }
            Pattern::Rest(front, rest, back) => {
                front.iter().chain([&**rest]).chain(back).for_each(|part| self.declare_unset(part, span));
            }
            Pattern::Deref(inner) => self.declare_unset(inner, span),
        }
    }

    fn bind_expr(&mut self, pattern: &Pattern, e: &Tree) {
        match (pattern, &e.kind) {
            (Pattern::Wild, _) => self.effect(e),
            (Pattern::Tuple(patterns), Kind::Tuple(parts)) if patterns.len() == parts.len() => {
                for (pattern, part) in patterns.iter().zip(parts) {
                    self.bind_expr(pattern, part);
                }
            }
            (Pattern::Bind(local), _) => self.bind_local(*local, e),
            (Pattern::Tuple(patterns), kind) if kind.is_of_statements() => {
                let mut dests = Vec::new();
                let ty = self.ty(&e.ty);
                let Some(parts) = ty.members() else {
                    let value = self.value(e);
                    return self.bind_value(pattern, value, e.span);
                };
                if !self.has_static_shape(&ty) {
                    let value = self.value(e);
                    return self.bind_value(pattern, value, e.span);
                }
                for (position, part) in parts.iter().enumerate() {
                    let name = match patterns.get(position) {
                        Some(Pattern::Bind(local)) => self.locals[*local].name.clone(),
                        _ => format!("member_{position}"),
                    };
                    let Some(dest) = self.variables(part, &name) else { return };
                    dests.push(dest);
                }
                self.into(e, &Value::Tuple(dests.clone()));
                for (pattern, dest) in patterns.iter().zip(dests) {
                    match pattern {
                        Pattern::Bind(local) => self.adopt(*local, dest),
                        other => self.bind_value(other, dest, e.span),
                    }
                }
            }
            // jumps in it leave more than the value
            (Pattern::Slice(_) | Pattern::Rest(..), kind)
                if kind.is_of_statements()
                    && self.jumps(e).next().is_some()
                    && self.has_static_shape(&e.ty) =>
            {
                let Some(dest) = self.variables(&e.ty, "elements") else { return };
                self.into(e, &dest);
                self.bind_value(pattern, dest, e.span);
            }
            _ => {
                let value = self.value(e);
                self.bind_value(pattern, value, e.span);
            }
        }
    }

    fn bind_local(&mut self, local: LocalId, e: &Tree) {
        let (name, mutable) = (self.locals[local].name.clone(), self.locals[local].mutable);
        let ty = self.ty(&self.locals[local].ty);
        match (&ty, &e.kind) {
            (Type::Array(..), _) => {
                let view = self.make_array(e, &name, Some(local));
                self.adopt(local, Value::View(view));
            }
            (Type::Ref(..), _) if self.locals[local].assigned => {
                let value = self.value(e);
                self.bound[local] = self.referring(&ty, value, &name, e.span);
            }
            (Type::Ref(..), Kind::Borrow(inner)) => {
                let value = self.borrow(inner, &name);
                self.bound[local] = value;
            }
            (Type::Ref(..), _) => {
                let value = self.value(e);
                self.bound[local] = self.stabilise(value, &name);
            }
            (_, kind) if kind.is_of_statements() && self.has_static_shape(&ty) => {
                if let Kind::If(..) = e.kind
                    && let Type::Scalar(Ty::Int(_) | Ty::Bool) = ty
                    && self.jumps(e).next().is_none()
                {
                    let value = self.scalar(e);
                    self.bound[local] = self.new_scalar(&name, value, mutable);
                    return;
                }
                let Some(dest) = self.variables(&ty, &name) else { return };
                self.into(e, &dest);
                self.adopt(local, dest);
            }
            (Type::Scalar(_) | Type::Var(_), _) => {
                let value = self.scalar(e);
                self.bound[local] = self.new_scalar(&name, value, mutable);
            }
            _ => {
                let value = self.value(e);
                self.bind_value(&Pattern::Bind(local), value, e.span);
            }
        }
    }

    /// Makes the local stand for variables that hold its value already.
    fn adopt(&mut self, local: LocalId, value: Value) {
        if !self.locals[local].mutable {
            self.set_immutable(&value);
        }
        self.bound[local] = match value {
            Value::View(view) => {
                if view.prefix.is_empty() && (self.lengths.contains_key(&view.buffer) | view.owned) {
                    self.owners.insert(view.buffer, local);
                }
                Value::View(View { owned: false, ..view })
            }
            other => other,
        };
    }

    fn set_immutable(&mut self, value: &Value) {
        match value {
            Value::Place(place, _) => {
                self.immutable.insert(place.buffer);
            }
            Value::Tuple(parts) => parts.iter().for_each(|part| self.set_immutable(part)),
            _ => {}
        }
    }

    /// Binds a pattern to a value that is already there.
    pub(super) fn bind_value(&mut self, pattern: &Pattern, value: Value, span: Span) {
        match pattern {
            Pattern::Wild => {}
            Pattern::Deref(inner) => self.bind_value(inner, value, span),
            Pattern::Bind(local) => {
                let (name, mutable) = (self.locals[*local].name.clone(), self.locals[*local].mutable);
                let ty = self.ty(&self.locals[*local].ty);
                let bound = self.own(&ty, value, &name, mutable, Some(*local), span);
                self.bound[*local] = bound;
            }
            Pattern::Tuple(patterns) => match value {
                Value::Tuple(parts) if parts.len() == patterns.len() => {
                    for (pattern, part) in patterns.iter().zip(parts) {
                        self.bind_value(pattern, part, span);
                    }
                }
                _ if !self.refusals.0.is_empty() => {}
                _ => self.refuse(
                    span,
                    "a tuple pattern on something that is not a tuple",
                    "the members of a tuple are known from its type",
                    "write the type: `let t: (f64, f64) = …;`",
                ),
            },
            Pattern::Slice(_) | Pattern::Rest(..) => match value {
                Value::View(view) => self.bind_elements(pattern, &view, span),
                _ if !self.refusals.0.is_empty() => {}
                _ => self.refuse(
                    span,
                    "an array pattern on something that is not an array",
                    "the elements of an array are known from its type",
                    "index it: `let a = x[0];`",
                ),
            },
        }
    }

    /// Binds the patterns of elements from the front and from the back, and what is between them.
    fn bind_elements(&mut self, pattern: &Pattern, view: &View, span: Span) {
        let (front, rest, back) = match pattern {
            Pattern::Slice(parts) => (&parts[..], None, &[][..]),
            Pattern::Rest(front, rest, back) => (&front[..], Some(rest), &back[..]),
            _ => return,
        };
        let from_end = |count: usize| super::value::sub(view.len.clone(), Expr::usize(count));
        let first = (0..front.len()).map(Expr::usize);
        let last = (0..back.len()).rev().map(|position| from_end(position + 1));
        let access = Access { array: "slice".to_owned(), text: "[…]".to_owned() };
        for (pattern, index) in front.iter().chain(back).zip(first.chain(last)) {
            self.check_index(view, &index, &access, span);
            let element = self.element(view, index);
            self.bind_value(pattern, element, span);
        }
        if let Some(rest) = rest {
            let part = view.part(Some(Expr::usize(front.len())), from_end(front.len() + back.len()));
            self.bind_value(rest, Value::View(part), span);
        }
    }

    /// A variable of type `ty` that starts as `value`.
    pub(super) fn own(
        &mut self,
        ty: &Type,
        value: Value,
        name: &str,
        mutable: bool,
        local: Option<LocalId>,
        span: Span,
    ) -> Value {
        match (ty, value) {
            (Type::Ref(..), value) if local.is_some_and(|local| self.locals[local].assigned) => {
                self.referring(ty, value, name, span)
            }
            (Type::Ref(..), value) => self.stabilise(value, name),
            (Type::Array(..), Value::View(view)) => {
                if view.owned && self.grows_as(&view, local) {
                    if let Some(local) = local {
                        self.owners.insert(view.buffer, local);
                    }
                    return Value::View(View { owned: false, ..view });
                }
                let copy = self.owned_copy(&view, name, local);
                Value::View(View { owned: false, ..copy })
            }
            (Type::Tuple(_) | Type::Record(_), Value::Tuple(parts))
                if ty.members().is_some_and(|types| types.len() == parts.len()) =>
            {
                let types = ty.members().unwrap_or_default().iter().zip(parts);
                let parts = super::record::member_names(ty).into_iter().zip(types);
                let parts = parts
                    .map(|(member, (ty, part))| {
                        self.own(ty, part, &format!("{name}_{member}"), mutable, local, span)
                    })
                    .collect();
                Value::Tuple(parts)
            }
            (_, value) => {
                let value = self.load(value, span);
                self.new_scalar(name, value, mutable)
            }
        }
    }

    /// Assigns a value to a place of its shape.
    pub(super) fn store(&mut self, dest: &Value, value: Value) {
        match (dest, value) {
            (Value::Place(place, _), Value::Scalar(value)) => {
                self.push(StmtKind::Assign { target: place.clone(), value });
            }
            (Value::Place(place, _), Value::Place(source, ty)) => {
                self.push(StmtKind::Assign { target: place.clone(), value: source.load(ty) });
            }
            (Value::View(dest), Value::View(source)) => self.copy_whole(dest, &source),
            (Value::Tuple(dests), Value::Tuple(parts)) => {
                for (dest, part) in dests.iter().zip(parts) {
                    self.store(dest, part);
                }
            }
            _ => {
                let span = self.program[self.origin.span];
                self.refuse_shape(span);
            }
        }
    }

    pub(super) fn refuse_shape(&mut self, span: Span) {
        if self.refusals.0.is_empty() {
            self.refuse(
                span,
                "a value of another shape than its place",
                "scalars go to scalars, arrays to arrays, tuples to tuples",
                "assign the members one by one",
            );
        }
    }

    /// `left = right`
    pub(super) fn assign(&mut self, left: &Tree, right: &Tree) {
        match &left.kind {
            Kind::Hole => self.effect(right),
            Kind::Tuple(targets) => {
                let value = self.value(right);
                let value = self.evaluated(&self.ty(&right.ty), value, "swapped");
                self.destructure(targets, value, right.span);
            }
            _ => match self.ty(&left.ty) {
                Type::Array(..) => self.assign_array(left, right),
                Type::Tuple(_) | Type::Record(_) if !is_unit(&self.ty(&left.ty)) => {
                    let value = self.value(right);
                    let value = self.evaluated(&self.ty(&left.ty), value, "member");
                    let dest = self.place(left);
                    self.assign_whole(&self.ty(&left.ty), &dest, value, left.span);
                }
                ty @ Type::Ref(..) => self.assign_reference(&ty, left, right),
                _ => self.assign_one(left, right),
            },
        }
    }

    fn destructure(&mut self, targets: &[Tree], value: Value, span: Span) {
        let Value::Tuple(parts) = value else {
            return self.refuse(
                span,
                "an assignment to a tuple of something that is none",
                "the members of a tuple are known from its type",
                "write `(a, b) = (c, d);`",
            );
        };
        for (target, part) in targets.iter().zip(parts) {
            match &target.kind {
                Kind::Hole => {}
                Kind::Tuple(inner) => self.destructure(inner, part, span),
                _ => {
                    let dest = self.place(target);
                    self.assign_whole(&self.ty(&target.ty), &dest, part, target.span);
                }
            }
        }
    }

    /// Assigns a value that nothing else refers to; vectors in it may have another length than those in its place.
    fn assign_whole(&mut self, ty: &Type, dest: &Value, value: Value, span: Span) {
        match (dest, value) {
            (dest, value) if matches!(ty, Type::Ref(..)) => self.refer(ty, dest, value, span),
            (Value::View(dest), Value::View(source)) => self.assign_view(ty, dest, &source, span),
            (Value::Tuple(dests), Value::Tuple(parts)) => {
                let types = ty.members().unwrap_or_default().iter();
                for ((dest, part), ty) in dests.iter().zip(parts).zip(types) {
                    self.assign_whole(&self.infer.shallow(ty), dest, part, span);
                }
            }
            (dest, value) => self.store(dest, value),
        }
    }

    fn assign_one(&mut self, left: &Tree, right: &Tree) {
        if let Kind::Local(local) = &left.kind {
            // evaluated in place: nothing reads the variable after its last assignment
            let dest = self.bound[*local].clone();
            if let Value::Place(place, _) = &dest
                && place.index.is_empty()
                && right.kind.is_of_statements()
            {
                return self.into(right, &dest);
            }
        }
        let value = self.scalar(right);
        let mark = self.mark();
        let mut value = Value::Scalar(value);
        let dest = self.target(left);
        self.protect(&mut value, mark);
        if let (Some(target), Value::Scalar(value)) = (dest, value) {
            self.push(StmtKind::Assign { target, value });
        }
    }

    /// The scalar place that is assigned to.
    fn target(&mut self, left: &Tree) -> Option<Place> {
        match self.place(left) {
            Value::Place(place, _) => Some(place),
            _ if !self.refusals.0.is_empty() => None,
            _ => {
                self.refuse(
                    left.span,
                    "an assignment to something that is not a variable",
                    "only variables and elements are assigned to",
                    "assign to a variable declared with `let mut`",
                );
                None
            }
        }
    }

    /// `left op= right`: on primitive types the right side is evaluated first.
    pub(super) fn assign_op(&mut self, op: BinOp, left: &Tree, right: &Tree) {
        let value = self.scalar(right);
        let mark = self.mark();
        let mut value = Value::Scalar(value);
        let target = self.target(left);
        self.protect(&mut value, mark);
        let ty = self.scalar_type(left);
        if let (Some(target), Value::Scalar(value)) = (target, value) {
            self.need_fit(super::scalar::fits(op, ty, value.ty), left);
            let value = Expr::binary(op, target.clone().load(ty), value);
            self.push(StmtKind::Assign { target, value });
        }
    }
}

fn is_unit(ty: &Type) -> bool {
    ty.members().is_some_and(<[Type]>::is_empty)
}
