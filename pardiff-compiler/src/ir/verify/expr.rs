//! Types of expressions.

use super::{Rule, Verifier};
use crate::ir::{BinOp, Expr, ExprKind, Flavour, Func, Kind, Place, Role, Ty, UnOp};

impl Verifier<'_> {
    /// An expression and everything below it.
    pub(super) fn expr(&mut self, expr: &Expr) {
        match &expr.kind {
            ExprKind::Float(value) => {
                let exact = expr.ty != Ty::F32 || value.is_nan() || f64::from(*value as f32) == *value;
                let fits = expr.ty.is_float() && exact;
                self.require(fits, Rule::Constant, || format!("{value:?} is no {}", expr.ty));
            }
            ExprKind::Int(value) => {
                let fits = match expr.ty {
                    Ty::Int(int) => *value >= int.min() && int.max().is_none_or(|max| *value <= max),
                    _ => false,
                };
                self.require(fits, Rule::Constant, || format!("{value} is no {}", expr.ty));
            }
            ExprKind::Bool(_) => self.typed(expr, Ty::Bool, "a truth value"),
            ExprKind::Opaque(id) => {
                let program = self.program;
                let Some(opaque) = program.opaques.get(id.0 as usize) else {
                    self.violate(Rule::Id, format!("there is no {id:?}"));
                    return;
                };
                self.typed(expr, opaque.ty, &opaque.text);
                let table = program.buffers.iter().any(|buffer| buffer.role == Role::Table(*id));
                self.require(!table, Rule::Role, || {
                    format!("`{}` is a table, and is used as a value", opaque.text)
                });
            }
            ExprKind::Iter(id) => {
                if self.iter_exists(*id) {
                    let iter = &self.program[*id];
                    self.typed(expr, iter.ty, &iter.name);
                    self.require(self.open[id.0 as usize], Rule::Iterator, || {
                        format!("`{}` is mentioned outside its loop", iter.name)
                    });
                }
            }
            ExprKind::Extent(id, dim) => {
                self.typed(expr, Ty::USIZE, "an extent");
                if self.visible(*id) {
                    let buffer = &self.program[*id];
                    self.require(*dim < buffer.rank(), Rule::Type, || {
                        format!("`{}` has no dimension {dim}", buffer.name)
                    });
                }
            }
            ExprKind::Load(place) => {
                if let Some(elem) = self.place(place) {
                    self.typed(expr, elem, "a load");
                }
            }
            ExprKind::Unary(op, operand) => {
                self.expr(operand);
                let fits = match (op, operand.ty) {
                    (UnOp::Neg, Ty::Float(_)) | (UnOp::Not, Ty::Bool | Ty::Int(_)) => true,
                    (UnOp::Neg, Ty::Int(int)) => int.is_signed(),
                    _ => false,
                };
                self.require(fits, Rule::Type, || format!("{op:?} of a {}", operand.ty));
                self.typed(expr, operand.ty, "an operator's result");
            }
            ExprKind::Binary(op, lhs, rhs) => {
                self.expr(lhs);
                self.expr(rhs);
                self.binary(expr, *op, lhs, rhs);
            }
            ExprKind::Call(func, flavour, args) => {
                args.iter().for_each(|arg| self.expr(arg));
                self.call(expr, *func, *flavour, args);
            }
            ExprKind::Apply(id, args) => {
                args.iter().for_each(|arg| self.expr(arg));
                match self.program.opaques.get(id.0 as usize) {
                    Some(function) => self.typed(expr, function.ty, &function.text),
                    None => self.violate(Rule::Id, format!("there is no {id:?}")),
                }
            }
            ExprKind::Cast(operand) => {
                self.expr(operand);
                let fits = match (operand.ty, expr.ty) {
                    (Ty::Bool, Ty::Float(_)) => false,
                    (from, Ty::Bool) => from == Ty::Bool,
                    _ => true,
                };
                self.require(fits, Rule::Type, || format!("a cast from {} to {}", operand.ty, expr.ty));
            }
            ExprKind::Select(parts) => {
                parts.iter().for_each(|part| self.expr(part));
                self.typed(&parts[0], Ty::Bool, "the condition of a select");
                self.typed(&parts[1], expr.ty, "a side of a select");
                self.typed(&parts[2], expr.ty, "a side of a select");
            }
        }
    }

    /// Requires the type of an expression.
    pub(super) fn typed(&mut self, expr: &Expr, ty: Ty, what: &str) {
        self.require(expr.ty == ty, Rule::Type, || format!("{what} is {}, not {ty}", expr.ty));
    }

    /// An expression that has to have a type.
    pub(super) fn typed_expr(&mut self, expr: &Expr, ty: Ty, what: &str) {
        self.expr(expr);
        self.typed(expr, ty, what);
    }

    /// An element and the expressions of its index; its type if it exists.
    pub(super) fn place(&mut self, place: &Place) -> Option<Ty> {
        for index in &place.index {
            self.typed_expr(index, Ty::USIZE, "an index");
        }
        if !self.visible(place.buffer) {
            return None;
        }
        let buffer = &self.program[place.buffer];
        self.require(place.index.len() == buffer.rank(), Rule::Type, || {
            format!("`{}` has {} dimensions, not {}", buffer.name, buffer.rank(), place.index.len())
        });
        Some(buffer.elem)
    }

    fn binary(&mut self, expr: &Expr, op: BinOp, lhs: &Expr, rhs: &Expr) {
        use BinOp::*;
        let (left, right) = (lhs.ty, rhs.ty);
        let shift = matches!(op, Shl | Shr);
        let fits = match op {
            Add | Sub | Mul | Div | Rem => left != Ty::Bool,
            BitAnd | BitOr | BitXor => !left.is_float(),
            Shl | Shr => left.is_int() && right.is_int(),
            Eq | Ne | Lt | Le | Gt | Ge => true,
        };
        self.require(fits && (shift || left == right), Rule::Type, || {
            format!("`{}` between {left} and {right}", op.symbol())
        });
        let result = if op.is_comparison() { Ty::Bool } else { left };
        self.typed(expr, result, "an operator's result");
    }

    fn call(&mut self, expr: &Expr, func: Func, flavour: Flavour, args: &[Expr]) {
        let name = func.text();
        if args.len() != func.arity() {
            self.violate(Rule::Type, format!("`{name}` has {} operands, not {}", func.arity(), args.len()));
            return;
        }
        let Some(first) = args.first().map(|arg| arg.ty) else { return };
        let fits = match (func.kind(), first) {
            (Kind::Float | Kind::FloatConstant | Kind::Attached, ty) => ty.is_float(),
            (Kind::Int, Ty::Int(int)) => match func {
                Func::IntAbs | Func::IntSignum | Func::UnsignedAbs => int.is_signed(),
                Func::DivCeil | Func::NextMultipleOf | Func::NextPowerOfTwo | Func::IsPowerOfTwo => {
                    !int.is_signed()
                }
                _ => true,
            },
            (Kind::Int, _) => false,
        };
        self.require(fits, Rule::Type, || format!("`{name}` of a {first}"));
        for (k, arg) in args.iter().enumerate() {
            self.typed(arg, func.operand_ty(k, first), "an operand");
        }
        self.typed(expr, func.result_ty(first), "a function's result");
        let fits = flavour == Flavour::Std || func.kind() == Kind::Float;
        self.require(fits, Rule::Type, || format!("`{name}` is no polynomial"));
    }
}
