//! Identities of expressions that hold bit for bit.
//!
//! | before | after | why it is exact |
//! | --- | --- | --- |
//! | `1 * x`, `x * 1`, `x / 1` | `x` | no rounding |
//! | `-1 * x`, `x * -1`, `x / -1` | `-x` | floats: only the sign bit changes |
//! | `-(-x)` | `x` | floats: the sign bit twice |
//! | `x + (-y)`, `(-y) + x` | `x - y` | the definition of float subtraction |
//! | `x + (-a) * b`, `x + a * (-b)` | `x - a * b` | the sign of a product is apart from its rounding |
//! | `x - (-y)` | `x + y` | as above |
//! | `(-x) * (-y)`, `(-x) / (-y)` | `x * y`, `x / y` | signs cancel |
//! | `x - 0.0`, `x + -0.0` | `x` | also where x is -0.0 |
//! | `x + 0`, `x - 0` of integers | `x` | |
//! | `(x + 1) + 2` of unsigned integers | `x + 3` | overflows exactly where the left one does |
//! | `powi(x, 1)` | `x` | |
//! | `trip_count(0, 4, 1)` | `4` | |
//! | operations on constants | the constant | IEEE arithmetic is the same at compile time |
//! | `select(true, a, b)`, `select(c, a, a)` | `a` | if what goes may be dropped |
//! | `a & true`, `a \| false`, `!!a` | `a` | |
//! | `a & false`, `a \| true` | the constant | if `a` may be dropped |
//! | `x as T` where x is a `T` | `x` | |

use crate::ir::negated;
use crate::ir::{BinOp, Block, Expr, ExprKind, Float, Func, Phase, Program, Ty, UnOp};

/// Rewrites every expression of the program; whether one changed.
pub(super) fn rewrite(program: &mut Program) -> bool {
    let mut changed = false;
    for buffer in &mut program.buffers {
        for extent in &mut buffer.dims {
            changed |= simplify(extent, false);
        }
    }
    rewrite_block(&mut program.body, &mut changed);
    changed
}

fn rewrite_block(block: &mut Block, changed: &mut bool) {
    for stmt in block {
        let is_check = stmt.as_check().is_some();
        let may_drop = stmt.origin.phase != Phase::Primal && !is_check;
        for expr in stmt.exprs_mut() {
            *changed |= simplify(expr, may_drop);
        }
        stmt.blocks_mut().into_iter().for_each(|block| rewrite_block(block, changed));
    }
}

/// Simplifies bottom-up; `may_drop` says that a partial operand may go.
fn simplify(expr: &mut Expr, may_drop: bool) -> bool {
    let mut changed = match &mut expr.kind {
        ExprKind::Load(place) => simplify_all(&mut place.index, may_drop),
        ExprKind::Unary(_, operand) | ExprKind::Cast(operand) => simplify(operand, may_drop),
        ExprKind::Binary(_, lhs, rhs) => simplify(lhs, may_drop) | simplify(rhs, may_drop),
        ExprKind::Call(_, _, args) | ExprKind::Apply(_, args) => simplify_all(args, may_drop),
        ExprKind::Select(parts) => simplify_all(&mut parts[..], may_drop),
        _ => false,
    };
    while let Some(simpler) = step(expr, may_drop) {
        *expr = simpler;
        changed = true;
    }
    changed
}

fn simplify_all(list: &mut [Expr], may_drop: bool) -> bool {
    list.iter_mut().fold(false, |changed, expr| changed | simplify(expr, may_drop))
}

/// One identity at the root.
fn step(expr: &Expr, may_drop: bool) -> Option<Expr> {
    let droppable = |expr: &Expr| may_drop || expr.is_total();
    match &expr.kind {
        ExprKind::Unary(UnOp::Neg, x) if expr.ty.is_float() => match &x.kind {
            ExprKind::Unary(UnOp::Neg, inner) => Some((**inner).clone()),
            ExprKind::Float(value) => Some(Expr::float(expr.ty, -value)),
            _ => None,
        },
        ExprKind::Unary(UnOp::Not, x) if expr.ty == Ty::Bool => {
            let negation = negated((**x).clone());
            (negation != *expr).then_some(negation)
        }
        ExprKind::Binary(op, lhs, rhs) => match lhs.ty {
            Ty::Float(float) => float_step(*op, lhs, rhs, float),
            Ty::Int(_) => int_step(expr, *op, lhs, rhs, &droppable),
            Ty::Bool => bool_step(*op, lhs, rhs, &droppable),
        },
        ExprKind::Call(Func::Powi, _, args) if args[1].kind == ExprKind::Int(1) => Some(args[0].clone()),
        // an array has no more elements than fit in half of the address space
        ExprKind::Call(Func::SaturatingAdd, _, args) => match (&args[0].kind, &args[1].kind) {
            (ExprKind::Extent(..), ExprKind::Int(0..=0xffff)) => Some(args[0].clone() + args[1].clone()),
            _ => None,
        },
        ExprKind::Call(Func::TripCount, _, args) => {
            let [ExprKind::Int(lo), ExprKind::Int(hi), ExprKind::Int(step @ 1..)] =
                [&args[0].kind, &args[1].kind, &args[2].kind]
            else {
                return None;
            };
            let trips = (hi - lo).max(0) as u128;
            let trips = trips.div_ceil(*step as u128);
            u32::try_from(trips).ok().map(|trips| Expr::int(Ty::USIZE, trips.into()))
        }
        ExprKind::Cast(x) if x.ty == expr.ty => Some((**x).clone()),
        ExprKind::Cast(x) => match (&x.kind, expr.ty) {
            (ExprKind::Int(value), Ty::Int(int)) => {
                let fits = *value >= int.min() && int.max().is_none_or(|max| *value <= max);
                fits.then(|| Expr::int(expr.ty, *value))
            }
            // every integer of at most 24 bits is an f32 and an f64
            (ExprKind::Int(value), Ty::Float(_)) if value.unsigned_abs() <= 1 << 24 => {
                Some(Expr::float(expr.ty, *value as f64))
            }
            _ => None,
        },
        ExprKind::Select(parts) => {
            let [cond, yes, no] = &**parts;
            match cond.kind {
                ExprKind::Bool(true) if droppable(no) => Some(yes.clone()),
                ExprKind::Bool(false) if droppable(yes) => Some(no.clone()),
                _ if yes == no && droppable(cond) => Some(yes.clone()),
                _ => None,
            }
        }
        _ => None,
    }
}

fn negation_of(expr: &Expr) -> Option<&Expr> {
    match &expr.kind {
        ExprKind::Unary(UnOp::Neg, inner) => Some(inner),
        _ => None,
    }
}

/// The product with the opposite sign, where that takes a `-` away.
fn opposite_product(expr: &Expr) -> Option<Expr> {
    let ExprKind::Binary(op @ (BinOp::Mul | BinOp::Div), lhs, rhs) = &expr.kind else { return None };
    match (negation_of(lhs), negation_of(rhs)) {
        (Some(lhs), None) => Some(Expr::binary(*op, lhs.clone(), (**rhs).clone())),
        (None, Some(rhs)) => Some(Expr::binary(*op, (**lhs).clone(), rhs.clone())),
        _ => None,
    }
}

fn float_step(op: BinOp, lhs: &Expr, rhs: &Expr, float: Float) -> Option<Expr> {
    use BinOp::*;
    let constant = |expr: &Expr| match expr.kind {
        ExprKind::Float(value) => Some(value),
        _ => None,
    };
    let (a, b) = (constant(lhs), constant(rhs));
    if let (Some(a), Some(b)) = (a, b) {
        return folded(op, a, b, float);
    }
    let negative_zero =
        |value: Option<f64>| value.is_some_and(|value| value == 0.0 && value.is_sign_negative());
    let positive_zero =
        |value: Option<f64>| value.is_some_and(|value| value == 0.0 && value.is_sign_positive());
    let opposite = |expr: &Expr| negation_of(expr).cloned().or_else(|| opposite_product(expr));
    match op {
        Mul if a == Some(1.0) => Some(rhs.clone()),
        Mul | Div if b == Some(1.0) => Some(lhs.clone()),
        Mul if a == Some(-1.0) => Some(Expr::unary(UnOp::Neg, rhs.clone())),
        Mul | Div if b == Some(-1.0) => Some(Expr::unary(UnOp::Neg, lhs.clone())),
        Mul | Div => {
            let (lhs, rhs) = (negation_of(lhs)?, negation_of(rhs)?);
            Some(Expr::binary(op, lhs.clone(), rhs.clone()))
        }
        Add if negative_zero(b) => Some(lhs.clone()),
        Add if negative_zero(a) => Some(rhs.clone()),
        Sub if positive_zero(b) => Some(lhs.clone()),
        Add => match (opposite(rhs), negation_of(lhs)) {
            (Some(rhs), _) => Some(Expr::binary(Sub, lhs.clone(), rhs)),
            (None, Some(lhs)) => Some(Expr::binary(Sub, rhs.clone(), lhs.clone())),
            _ => None,
        },
        Sub => Some(Expr::binary(Add, lhs.clone(), opposite(rhs)?)),
        _ => None,
    }
}

/// The result of an operation on constants, where it is a finite number.
fn folded(op: BinOp, a: f64, b: f64, float: Float) -> Option<Expr> {
    let value = match op {
        BinOp::Add => a + b,
        BinOp::Sub => a - b,
        BinOp::Mul => a * b,
        BinOp::Div => a / b,
        _ => return None,
    };
    // one operation of f32 computed in f64 and rounded to f32 is the operation of f32
    let value = if float == Float::F32 { f64::from(value as f32) } else { value };
    value.is_finite().then(|| Expr::float(Ty::Float(float), value))
}

fn int_step(
    expr: &Expr,
    op: BinOp,
    lhs: &Expr,
    rhs: &Expr,
    droppable: &dyn Fn(&Expr) -> bool,
) -> Option<Expr> {
    use BinOp::*;
    let constant = |expr: &Expr| match expr.kind {
        ExprKind::Int(value) => Some(value),
        _ => None,
    };
    let (a, b) = (constant(lhs), constant(rhs));
    if let (Some(a), Some(b)) = (a, b) {
        if let Some(holds) = op.compares(a, b) {
            return Some(Expr::bool(holds));
        }
        let value = op.of_integers(a, b)?;
        let Ty::Int(int) = expr.ty else { return None };
        let fits = value >= int.min() && int.max().is_some_and(|max| value <= max);
        return fits.then(|| Expr::int(expr.ty, value));
    }
    match op {
        Add if a == Some(0) => Some(rhs.clone()),
        Add | Sub if b == Some(0) => Some(lhs.clone()),
        Mul if a == Some(1) => Some(rhs.clone()),
        Mul | Div if b == Some(1) => Some(lhs.clone()),
        Mul if a == Some(0) && droppable(rhs) => Some(lhs.clone()),
        Mul if b == Some(0) && droppable(lhs) => Some(rhs.clone()),
        Add if matches!(expr.ty, Ty::Int(int) if !int.is_signed()) => {
            let (ExprKind::Binary(Add, base, first), Some(second)) = (&lhs.kind, b) else { return None };
            let sum = Expr::binary(Add, (**first).clone(), Expr::int(expr.ty, second));
            let sum = constant(first).and_then(|_| step(&sum, false))?;
            Some(Expr::binary(Add, (**base).clone(), sum))
        }
        _ => None,
    }
}

fn bool_step(op: BinOp, lhs: &Expr, rhs: &Expr, droppable: &dyn Fn(&Expr) -> bool) -> Option<Expr> {
    let (constant, other) = match (&lhs.kind, &rhs.kind) {
        (ExprKind::Bool(value), _) => (*value, rhs),
        (_, ExprKind::Bool(value)) => (*value, lhs),
        _ => return None,
    };
    match (op, constant) {
        (BinOp::BitAnd, true) | (BinOp::BitOr, false) => Some(other.clone()),
        (BinOp::BitAnd, false) | (BinOp::BitOr, true) => droppable(other).then(|| Expr::bool(constant)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::rewrite;
    use crate::equivalence::{assert_pass, assert_unchanged};
    use crate::ir::Program;
    use crate::ir::interp::Array;

    fn algebra(mut program: Program) -> Program {
        rewrite(&mut program);
        program
    }

    #[test]
    fn identities_keep_every_bit() {
        let numbers = [0.0, -0.0, 1.5, -3.25, 1e-320, f64::MAX, f64::INFINITY];
        let runs = numbers.iter().flat_map(|&x| numbers.map(|y| (x, y)));
        let runs = runs.map(|(x, y)| vec![Array::float(x), Array::float(y), Array::int(3)]).collect();
        assert_pass(
            algebra,
            "
            fn f(x: in f64, y: in f64, n: in usize) -> z: f64[17], k: usize[4]
              z[0] = 1.0 * x
              z[1] = x * 1.0
              z[2] = x / 1.0
              z[3] = -(-x)
              z[4] = x + (-y)
              z[5] = (-x) + y
              z[6] = x - (-y)
              z[7] = x + (-y) * 3.0
              z[8] = x - 3.0 / (-y)
              z[9] = (-x) * (-y)
              z[10] = x - 0.0
              z[11] = x + (-0.0)
              z[12] = 2.0 * 3.0 * x
              z[13] = powi(x, 1)
              z[14] = select(true, x, y)
              z[15] = -1.0 * x
              z[16] = select(2 < 1, x, y)
              k[0] = (n + 1) + 2
              k[1] = n * 1 + 0
              k[2] = trip_count(-1i32, 6i32, 2)
              k[3] = trip_count(5, 3, 1)
            ",
            "
            fn f(x: in f64, y: in f64, n: in usize) -> z: f64[17], k: usize[4]
              z[0] = x
              z[1] = x
              z[2] = x
              z[3] = x
              z[4] = x - y
              z[5] = y - x
              z[6] = x + y
              z[7] = x - y * 3.0
              z[8] = x + 3.0 / y
              z[9] = x * y
              z[10] = x
              z[11] = x
              z[12] = 6.0 * x
              z[13] = x
              z[14] = x
              z[15] = -x
              z[16] = y
              k[0] = n + 3
              k[1] = n
              k[2] = 4
              k[3] = 0
            ",
            runs,
        );
    }

    #[test]
    fn lengths_are_far_from_the_end_of_their_type() {
        assert_pass(
            algebra,
            "
            fn f(x: in f64[_], n: in usize) -> k: usize
              k = saturating_add(len(x), 1) + saturating_add(n, 1)
            ",
            "
            fn f(x: in f64[_], n: in usize) -> k: usize
              k = len(x) + 1 + saturating_add(n, 1)
            ",
            vec![vec![Array::floats(&[1.0, 2.0]), Array::int(3)]],
        );
    }

    #[test]
    fn what_is_not_exact_stays() {
        assert_unchanged(
            algebra,
            "
            fn f(x: in f64, y: in f64, n: in usize) -> z: f64[7], k: usize
              z[0] = x * 0.0
              z[1] = 0.0 * x
              z[2] = x + 0.0
              z[3] = 0.0 - x
              z[4] = x * 2.0 * 3.0
              z[5] = -(x - y)
              z[6] = x / x
              k = (n - 1) * 0
            ",
        );
    }
}
