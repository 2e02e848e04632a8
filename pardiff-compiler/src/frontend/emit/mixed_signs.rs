//! Operations of an unsigned and a signed integer of one width: `i.checked_add_signed(d)`, `d.saturating_sub_unsigned(i)`.
//!
//! The second operand `b` is read as a number `c` of the first one's type. Modulo the width both are one number, and so are
//! `a + b` and `a + c`, which is the wrapping operation.
//!
//! Whether `a + b` is in range: where the sign bit of `b` is not set, `b` is `c`. Where it is, they are `2^w` apart, which is
//! as much as the range is wide, and `a + c` is less than that away from the range: one of `a + b` and `a + c` is
//! in range, and the other is not. The same holds for `a - b`.

use super::Emit;
use crate::ir::{BinOp, Expr, Func, Int, Ty, UnOp};

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
            let most = greatest(int);
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

/// The greatest number of a signed type, whose width may be that of the machine.
pub(super) fn greatest(int: Int) -> Expr {
    let unsigned = Ty::Int(int.unsigned());
    let all_ones = Expr::unary(UnOp::Not, Expr::int(unsigned, 0));
    Expr::binary(BinOp::Shr, all_ones, Expr::int(unsigned, 1)).cast(Ty::Int(int))
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

/// Whether the operation has a result in its type, and the result.
pub(super) fn checked(op: &str, a: Expr, b: Expr) -> (Expr, Expr) {
    let (ok, value) = match op {
        "div" | "rem" => return divided(op, a, b),
        "add" => (Func::CheckedAddOk, Func::WrappingAdd),
        "sub" => (Func::CheckedSubOk, Func::WrappingSub),
        _ => (Func::CheckedMulOk, Func::WrappingMul),
    };
    let (ok, b) = in_range(ok, &a, b);
    (ok, Expr::call(a.ty, value, vec![a, b]))
}

/// The same of a quotient or a remainder: there is none for 0, nor for -1 if the quotient is too large.
fn divided(op: &str, a: Expr, b: Expr) -> (Expr, Expr) {
    let binary = |op, a: &Expr, b: Expr| Expr::binary(op, a.clone(), b);
    let mut ok = binary(BinOp::Ne, &b, Expr::int(b.ty, 0));
    if let Ty::Int(int) = a.ty
        && int.is_signed()
    {
        let is_least = binary(BinOp::Eq, &a, Expr::unary(UnOp::Not, greatest(int)));
        let too_large = binary(BinOp::BitAnd, &is_least, binary(BinOp::Eq, &b, Expr::int(b.ty, -1)));
        ok = binary(BinOp::BitAnd, &ok, Expr::unary(UnOp::Not, too_large));
    }
    let by = Expr::select(ok.clone(), b.clone(), Expr::int(b.ty, 1));
    let op = if op == "div" { BinOp::Div } else { BinOp::Rem };
    (ok, Expr::binary(op, a, by))
}
