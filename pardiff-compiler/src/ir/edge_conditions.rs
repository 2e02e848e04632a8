//! Conditions that the ends of a loop decide.
//!
//! `i + 1 < n` holds in all iterations of `0..n` but the last one, `i == 0` in none but the first.

use super::{BinOp, Expr, ExprKind, For, Func, UnOp, offset_of};

/// Conditions on iterations further from the ends are none of these.
const FAR: i128 = 16;

/// In all iterations of a loop but the first `low` and the last `high` ones a condition has the value `inside`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Margin {
    pub(crate) low: i128,
    pub(crate) high: i128,
    pub(crate) inside: bool,
}

impl Margin {
    /// Where a condition has one value in a loop that counts up by one, if that is all but a few iterations at its ends. The
    /// loop has to be longer than these.
    pub(crate) fn of(cond: &Expr, each: &For) -> Option<Margin> {
        if each.inclusive || each.step != Expr::usize(1) {
            return None;
        }
        match &cond.kind {
            ExprKind::Unary(UnOp::Not, cond) => Some(Margin::of(cond, each)?.not()),
            ExprKind::Binary(op @ (BinOp::BitAnd | BinOp::BitOr), a, b) => {
                let (a, b) = (Margin::of(a, each)?, Margin::of(b, each)?);
                let inside = if *op == BinOp::BitAnd { a.inside & b.inside } else { a.inside | b.inside };
                Some(Margin { low: a.low.max(b.low), high: a.high.max(b.high), inside })
            }
            ExprKind::Binary(op, a, b) if op.is_comparison() => {
                compared(*op, a, b, each).or_else(|| compared(turned_round(*op), b, a, each))
            }
            _ => None,
        }
    }

    fn not(self) -> Margin {
        Margin { inside: !self.inside, ..self }
    }
}

/// `a op b` with the iterator in `a`.
fn compared(op: BinOp, a: &Expr, b: &Expr, each: &For) -> Option<Margin> {
    let (iter, by) = offset_of(a);
    // below zero an index wraps
    if iter.kind != ExprKind::Iter(each.iter) || by < 0 {
        return None;
    }
    let from = |end: &Expr| distance_from_end(end, b).map(|distance| distance - by);
    // between two numbers both ends are known: the nearer one decides
    let margins =
        [from(&each.lo).and_then(|at| of_number(op, at)), from(&each.hi).and_then(|at| of_last(op, at))];
    let near = margins.into_iter().flatten().filter(|margin| margin.low <= FAR && margin.high <= FAR);
    near.min_by_key(|margin| margin.low + margin.high)
}

/// `t op at` for the number `t` of an iteration.
fn of_number(op: BinOp, at: i128) -> Option<Margin> {
    let first = |low: i128, inside| Some(Margin { low: low.max(0), high: 0, inside });
    match op {
        BinOp::Lt => first(at, false),
        BinOp::Le => first(at + 1, false),
        BinOp::Ge => first(at, true),
        BinOp::Gt => first(at + 1, true),
        BinOp::Eq => first(at + 1, false),
        BinOp::Ne => first(at + 1, true),
        _ => None,
    }
}

/// `t op at` for the number `t` of an iteration, the last one being -1.
fn of_last(op: BinOp, at: i128) -> Option<Margin> {
    let last = |high: i128, inside| Some(Margin { low: 0, high: high.max(0), inside });
    match op {
        BinOp::Lt => last(-at, true),
        BinOp::Le => last(-at - 1, true),
        BinOp::Ge => last(-at, false),
        BinOp::Gt => last(-at - 1, false),
        BinOp::Eq => last(-at, false),
        BinOp::Ne => last(-at, true),
        _ => None,
    }
}

/// The same from the bound of a loop, which saturates behind its last number.
fn distance_from_end(end: &Expr, to: &Expr) -> Option<i128> {
    match &end.kind {
        ExprKind::Call(Func::SaturatingAdd, _, parts) if parts[1] == Expr::usize(1) => {
            Some(distance(&parts[0], to)? - 1)
        }
        _ => distance(end, to),
    }
}

/// `to - from`, if that is a number.
fn distance(from: &Expr, to: &Expr) -> Option<i128> {
    if let (ExprKind::Int(from), ExprKind::Int(to)) = (&from.kind, &to.kind) {
        return Some(to - from);
    }
    let ((base, x), (other, y)) = (offset_of(from), offset_of(to));
    (base == other).then_some(y - x)
}

/// The comparison with its sides exchanged.
pub(crate) fn turned_round(op: BinOp) -> BinOp {
    match op {
        BinOp::Lt => BinOp::Gt,
        BinOp::Le => BinOp::Ge,
        BinOp::Gt => BinOp::Lt,
        BinOp::Ge => BinOp::Le,
        same => same,
    }
}

#[cfg(test)]
mod tests {
    use super::Margin;
    use crate::ir::{BinOp, Block, Expr, For, IterId, Ty};

    const OPS: [BinOp; 6] = [BinOp::Lt, BinOp::Le, BinOp::Gt, BinOp::Ge, BinOp::Eq, BinOp::Ne];

    #[test]
    fn margins_are_those_of_all_iterations() {
        let (i, n) = (Expr::iter(IterId(0), Ty::USIZE), Expr::iter(IterId(1), Ty::USIZE));
        for (lo, size) in [(0_i128, 9_i128), (1, 8)] {
            let hi = n.clone() - Expr::int(Ty::USIZE, lo);
            let hi = if lo == 0 { n.clone() } else { hi };
            let each = For { lo: Expr::int(Ty::USIZE, lo), ..For::counted(IterId(0), hi, Block::new()) };
            for op in OPS {
                for (by, at, of_end) in
                    (0..3).flat_map(|by| (0..4).flat_map(move |at| [(by, at, false), (by, at, true)]))
                {
                    let number = |value| Expr::int(Ty::USIZE, value);
                    let a = if by == 0 { i.clone() } else { i.clone() + number(by) };
                    let (b, bound) = match of_end {
                        true if at == 0 => (n.clone(), 9),
                        true => (n.clone() - number(at), 9 - at),
                        false => (number(at), at),
                    };
                    for (op, cond) in [
                        (op, Expr::binary(op, a.clone(), b.clone())),
                        (super::turned_round(op), Expr::binary(op, b.clone(), a.clone())),
                    ] {
                        let margin = Margin::of(&cond, &each).expect("it is decided by the ends");
                        for t in lo + margin.low..size - margin.high {
                            assert_eq!(op.compares(t + by, bound), Some(margin.inside), "{cond:?} at {t}");
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn what_wraps_or_is_anything_else_has_no_margin() {
        let (i, n) = (Expr::iter(IterId(0), Ty::USIZE), Expr::iter(IterId(1), Ty::USIZE));
        let each = For::counted(IterId(0), n.clone(), Block::new());
        let other = Expr::iter(IterId(2), Ty::USIZE);
        for cond in [
            (i.clone() - Expr::usize(1)).below(n.clone()),
            i.clone().below(other),
            (i.clone() + i.clone()).below(n.clone()),
            i.clone().equal(Expr::usize(40)),
        ] {
            assert_eq!(Margin::of(&cond, &each), None, "{cond:?}");
        }
        let each = For { step: Expr::usize(2), ..each };
        assert_eq!(Margin::of(&i.below(n), &each), None);
    }
}
