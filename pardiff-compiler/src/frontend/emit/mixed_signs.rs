//! Operations of an unsigned and a signed integer of one width: `i.checked_add_signed(d)`, `d.saturating_sub_unsigned(i)`.
//!
//! The second operand `b` is read as a number `c` of the first one's type. Modulo the width both are one number, and so are
//! `a + b` and `a + c`, which is the wrapping operation.
//!
//! Whether `a + b` is in range: where the sign bit of `b` is not set, `b` is `c`. Where it is, they are `2^w` apart, which is
//! as much as the range is wide, and `a + c` is less than that away from the range: one of `a + b` and `a + c` is
//! in range, and the other is not. The same holds for `a - b`.

use super::Emit;
use super::call::checked;
use crate::ir::{BinOp, Expr, Func, Ty, UnOp};

impl Emit<'_> {
    /// `a.saturating_add_signed(b)` and the like.
    pub(super) fn saturating_mixed(&mut self, op: &str, a: Expr, b: Expr) -> Expr {
        let a = self.snapshot("left", a);
        let b = self.snapshot("right", b);
        let (ok, value) = checked(op, a.clone(), b.clone());
        let Ty::Int(int) = a.ty else { return value };
        let unsigned = Ty::Int(int.unsigned());
        let all_ones = Expr::unary(UnOp::Not, Expr::int(unsigned, 0));
        let end = if int.is_signed() {
            // what is added or subtracted is not negative, so that the end is known
            let half = Expr::binary(BinOp::Shr, all_ones, Expr::int(unsigned, 1));
            let most = half.cast(a.ty);
            if op == "add" { most } else { Expr::unary(UnOp::Not, most) }
        } else {
            let zero = Expr::int(b.ty, 0);
            let negative = Expr::binary(BinOp::Lt, b, zero);
            let (down, up) = (Expr::int(unsigned, 0), all_ones);
            if op == "add" { Expr::select(negative, down, up) } else { Expr::select(negative, up, down) }
        };
        Expr::select(ok, value, end)
    }
}

/// Whether an operation has a result in the type of `a`, by the function that says so for operands of one type, and `b`
/// as a number of that type.
pub(super) fn in_range(func: Func, a: &Expr, b: Expr) -> (Expr, Expr) {
    if a.ty == b.ty {
        return (Expr::call(Ty::Bool, func, vec![a.clone(), b.clone()]), b);
    }
    let read = b.clone().cast(a.ty);
    let ok = Expr::call(Ty::Bool, func, vec![a.clone(), read.clone()]);
    let signed = match b.ty {
        Ty::Int(int) if int.is_signed() => b,
        _ => read.clone(),
    };
    let zero = Expr::int(signed.ty, 0);
    let sign_bit = Expr::binary(BinOp::Lt, signed, zero);
    (Expr::binary(BinOp::BitXor, ok, sign_bit), read)
}
