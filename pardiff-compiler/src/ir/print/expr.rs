//! Expressions as text, with the parentheses and literal suffixes that reading back needs and no others.

use super::Names;
use crate::ir::{BinOp, Expr, ExprKind, Flavour, Float, Func, Place, Ty, UnOp};
use std::fmt::Write;

/// Binding strength of the forms of the grammar, weakest first.
pub(crate) mod strength {
    use crate::ir::BinOp;

    /// Of `as`.
    pub(crate) const CAST: u8 = 8;
    /// Of the unary operators.
    pub(crate) const UNARY: u8 = 9;
    /// Of names, literals, calls.
    pub(crate) const ATOM: u8 = 10;

    /// Of a binary operator; comparisons do not associate, all others to the left.
    pub(crate) fn of(op: BinOp) -> u8 {
        use BinOp::*;
        match op {
            Eq | Ne | Lt | Le | Gt | Ge => 1,
            BitOr => 2,
            BitXor => 3,
            BitAnd => 4,
            Shl | Shr => 5,
            Add | Sub => 6,
            Mul | Div | Rem => 7,
        }
    }
}

impl Names {
    /// An expression as the text form shows it, in a place whose type is `expected`.
    pub fn expr(&self, expr: &Expr, expected: Option<Ty>) -> String {
        let mut out = String::new();
        self.write(expr, expected, 0, &mut out);
        out
    }

    /// An element as the text form shows it.
    pub fn place(&self, place: &Place) -> String {
        let mut out = String::new();
        self.write_place(place, &mut out);
        out
    }

    fn write_place(&self, place: &Place, out: &mut String) {
        out.push_str(self.buffer(place.buffer));
        if !place.index.is_empty() {
            out.push('[');
            self.write_list(place.index.iter().map(|index| (index, Some(Ty::USIZE))), out);
            out.push(']');
        }
    }

    fn write_list<'a>(&self, list: impl Iterator<Item = (&'a Expr, Option<Ty>)>, out: &mut String) {
        for (k, (expr, expected)) in list.enumerate() {
            if k > 0 {
                out.push_str(", ");
            }
            self.write(expr, expected, 0, out);
        }
    }

    /// Writes `expr` into a place that takes forms of at least the binding strength `least`.
    fn write(&self, expr: &Expr, expected: Option<Ty>, least: u8, out: &mut String) {
        let own = match &expr.kind {
            ExprKind::Unary(..) => strength::UNARY,
            ExprKind::Cast(_) => strength::CAST,
            ExprKind::Binary(op, ..) => strength::of(*op),
            _ => strength::ATOM,
        };
        if own < least {
            out.push('(');
        }
        self.write_bare(expr, expected, own, out);
        if own < least {
            out.push(')');
        }
    }

    fn write_bare(&self, expr: &Expr, expected: Option<Ty>, own: u8, out: &mut String) {
        // Writing into a string cannot fail.
        let _ = match &expr.kind {
            ExprKind::Float(value) => write!(out, "{}", float(*value, expr.ty, expected)),
            ExprKind::Int(value) => {
                let suffix = suffix(expr.ty, expected.unwrap_or(Ty::USIZE));
                write!(out, "{value}{suffix}")
            }
            ExprKind::Bool(value) => write!(out, "{value}"),
            ExprKind::Opaque(id) => write!(out, "{}", self.opaque(*id)),
            ExprKind::Iter(id) => write!(out, "{}", self.iter(*id)),
            ExprKind::Extent(buffer, 0) => write!(out, "len({})", self.buffer(*buffer)),
            ExprKind::Extent(buffer, dim) => write!(out, "len({}, {dim})", self.buffer(*buffer)),
            ExprKind::Load(place) => {
                self.write_place(place, out);
                Ok(())
            }
            ExprKind::Unary(op, operand) => {
                out.push(match op {
                    UnOp::Neg => '-',
                    UnOp::Not => '!',
                });
                // `-1.0` is the literal
                let least = if *op == UnOp::Neg && is_literal(operand) {
                    strength::ATOM + 1
                } else {
                    strength::UNARY
                };
                self.write(operand, expected, least, out);
                Ok(())
            }
            ExprKind::Cast(operand) => {
                self.write(operand, None, strength::CAST, out);
                write!(out, " as {}", expr.ty)
            }
            ExprKind::Binary(op, lhs, rhs) => {
                let shift = matches!(op, BinOp::Shl | BinOp::Shr);
                let expected = if op.is_comparison() { None } else { expected };
                let left = expected.or_else(|| visible(lhs)).or_else(|| visible(rhs).filter(|_| !shift));
                let right = if shift { None } else { left };
                self.write(lhs, left, if op.is_comparison() { own + 1 } else { own }, out);
                let _ = write!(out, " {} ", op.symbol());
                self.write(rhs, right, own + 1, out);
                Ok(())
            }
            ExprKind::Call(func, flavour, args) => {
                if *flavour == Flavour::Polynomial {
                    out.push_str("poly::");
                }
                let _ = write!(out, "{}(", func.text());
                let first = first_operand(*func, expected, args, visible);
                self.write_list(args.iter().enumerate().map(|(k, arg)| (arg, operand(*func, k, first))), out);
                out.push(')');
                Ok(())
            }
            ExprKind::Apply(function, args) => {
                let _ = write!(out, "apply({}", self.opaque(*function));
                for arg in args {
                    out.push_str(", ");
                    self.write(arg, None, 0, out);
                }
                out.push(')');
                Ok(())
            }
            ExprKind::Select(parts) => {
                let [cond, yes, no] = &**parts;
                let expected = expected.or_else(|| visible(yes)).or_else(|| visible(no));
                out.push_str("select(");
                self.write_list([(cond, Some(Ty::Bool)), (yes, expected), (no, expected)].into_iter(), out);
                out.push(')');
                Ok(())
            }
        };
    }
}

/// The type of a call's first operand: said by the call's surroundings where the result has it, otherwise by an
/// operand that has it.
pub(crate) fn first_operand<A>(
    func: Func,
    expected: Option<Ty>,
    args: &[A],
    visible: impl Fn(&A) -> Option<Ty>,
) -> Option<Ty> {
    let same = func.fixed_result_ty().is_none() && !matches!(func, Func::AbsDiff | Func::UnsignedAbs);
    let mut of_first = (0..args.len()).filter(|&k| operand_is_first(func, k));
    expected.filter(|_| same).or_else(|| of_first.find_map(|k| visible(&args[k])))
}

/// The type that operand `k` of a call has to have, if it is known.
pub(crate) fn operand(func: Func, k: usize, first: Option<Ty>) -> Option<Ty> {
    if operand_is_first(func, k) { first } else { Some(func.operand_ty(k, Ty::Bool)) }
}

fn operand_is_first(func: Func, k: usize) -> bool {
    func.operand_ty(k, Ty::Bool) == Ty::Bool
}

/// The type that the text of an expression shows by itself; a literal shows none.
fn visible(expr: &Expr) -> Option<Ty> {
    match &expr.kind {
        ExprKind::Float(_) | ExprKind::Int(_) => None,
        ExprKind::Unary(_, operand) => visible(operand),
        ExprKind::Binary(op, ..) if op.is_comparison() => Some(Ty::Bool),
        ExprKind::Binary(BinOp::Shl | BinOp::Shr, lhs, _) => visible(lhs),
        ExprKind::Binary(_, lhs, rhs) => visible(lhs).or_else(|| visible(rhs)),
        ExprKind::Call(func, _, args) => func
            .fixed_result_ty()
            .or_else(|| first_operand(*func, None, args, visible).map(|first| func.result_ty(first))),
        ExprKind::Select(parts) => visible(&parts[1]).or_else(|| visible(&parts[2])),
        _ => Some(expr.ty),
    }
}

fn is_literal(expr: &Expr) -> bool {
    matches!(expr.kind, ExprKind::Float(_) | ExprKind::Int(_))
}

fn suffix(ty: Ty, expected: Ty) -> String {
    if ty == expected { String::new() } else { ty.to_string() }
}

/// A float constant: the shortest digits that read back to the same value.
fn float(value: f64, ty: Ty, expected: Option<Ty>) -> String {
    if value.is_nan() {
        return format!("{ty}::NAN");
    }
    if value.is_infinite() {
        return format!("{ty}::{}", if value > 0.0 { "INFINITY" } else { "NEG_INFINITY" });
    }
    let suffix = suffix(ty, expected.unwrap_or(Ty::F64));
    match ty {
        Ty::Float(Float::F32) => format!("{:?}{suffix}", value as f32),
        _ => format!("{value:?}{suffix}"),
    }
}
