//! Whether an expression is linear in some of its operands, without a constant term: it is zero wherever they are zero.

use crate::ir::{BinOp, Expr, ExprKind, Func, Place, UnOp};

/// Whether the value is linear in operands that `is_operand` accepts. Of a product it asks about one factor, and about the
/// other where the first is not linear: it may have asked about operands that the value does not depend on linearly.
pub(super) fn is_linear(value: &Expr, is_operand: &mut dyn FnMut(&Place) -> bool) -> bool {
    let mut linear = |part: &Expr| is_linear(part, is_operand);
    match &value.kind {
        ExprKind::Float(value) => *value == 0.0,
        ExprKind::Load(place) => is_operand(place),
        ExprKind::Unary(UnOp::Neg, operand) => linear(operand),
        ExprKind::Cast(operand) => operand.ty.is_float() && linear(operand),
        ExprKind::Binary(BinOp::Add | BinOp::Sub, a, b) => linear(a) && linear(b),
        ExprKind::Binary(BinOp::Mul, a, b) => linear(a) || linear(b),
        ExprKind::Binary(BinOp::Div, a, _) => linear(a),
        ExprKind::Call(Func::MulAdd, _, args) => match &args[..] {
            [a, b, c] => (linear(a) || linear(b)) && linear(c),
            _ => false,
        },
        ExprKind::Select(parts) => linear(&parts[1]) && linear(&parts[2]),
        _ => false,
    }
}
