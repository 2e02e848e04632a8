//! Numbers that go around a ring: `(i + 1) % n` for `i` in `0..n`.
//!
//! That is a permutation of `0..n`, whatever the step; the other way round it is `(i + n - 1) % n`. What users write for it,
//!
//! ```text
//! (i + 2) % n          (i + n - 1) % n          (i as isize - 1).rem_euclid(n as isize) as usize
//! ```
//!
//! and what [`turned`] makes, is a sum of the iterator, numbers and multiples of `n`, from which the rest of a division by `n` is
//! taken; or a choice where the step is one.

use super::{BinOp, Expr, ExprKind, Func, Int, IterId, Ty};
use crate::limits::RING_STEP;

/// `(iter + by) modulo around`, for an iterator below `around`, which is greater than `by` without its sign.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Turned {
    pub(crate) iter: IterId,
    pub(crate) by: i128,
    pub(crate) around: Expr,
    /// The type of fewer bits in which it is computed: there, `around` times four has to have room.
    pub(crate) narrow: Option<Int>,
}

/// A number below `around`, turned; for any `by` and any `around` but zero.
pub(crate) fn turned(number: Expr, by: i128, around: &Expr) -> Expr {
    let one = Expr::usize(1);
    let size = Expr::int(Ty::USIZE, by.abs());
    match by {
        0 => number,
        1 => {
            let next = number.clone() + one;
            Expr::select(next.clone().below(around.clone()), next.wrapping(Ty::is_usize), Expr::usize(0))
        }
        -1 => {
            let last = (around.clone() - one.clone()).wrapping(Ty::is_usize);
            Expr::select(Expr::usize(0).below(number.clone()), (number - one).wrapping(Ty::is_usize), last)
        }
        2.. => Expr::binary(BinOp::Rem, number + size, around.clone()),
        _ => {
            let back = around.clone() - Expr::binary(BinOp::Rem, size, around.clone());
            Expr::binary(BinOp::Rem, number + back, around.clone())
        }
    }
}

impl Turned {
    /// What an expression turns, and by how much, if it is of this kind.
    pub(crate) fn of(expr: &Expr) -> Option<Turned> {
        if expr.ty != Ty::USIZE {
            return None;
        }
        match &expr.kind {
            ExprKind::Select(parts) => chosen(&parts[..]),
            ExprKind::Cast(rest) => match rest.ty {
                Ty::Int(narrow) => Some(Turned { narrow: Some(narrow), ..rest_of(rest)? }),
                _ => None,
            },
            _ => rest_of(expr),
        }
    }
}

/// One of the choices of [`turned`].
fn chosen(parts: &[Expr]) -> Option<Turned> {
    let ExprKind::Binary(BinOp::Lt, a, b) = &parts[0].kind else { return None };
    let (number, by, around) = match (&a.kind, &b.kind) {
        (ExprKind::Binary(BinOp::Add, number, _), _) => ((**number).clone(), 1, (**b).clone()),
        (ExprKind::Int(0), _) => {
            let ExprKind::Call(Func::WrappingSub, _, last) = &parts[2].kind else { return None };
            ((**b).clone(), -1, last[0].clone())
        }
        _ => return None,
    };
    let ExprKind::Iter(iter) = number.kind else { return None };
    let is = turned(number, by, &around).kind;
    matches!(is, ExprKind::Select(own) if own[..] == *parts).then_some(Turned {
        iter,
        by,
        around,
        narrow: None,
    })
}

/// The rest of a division of a sum.
fn rest_of(expr: &Expr) -> Option<Turned> {
    let (sum, around, is_euclidean) = match &expr.kind {
        ExprKind::Binary(BinOp::Rem, sum, around) => (&**sum, &**around, false),
        ExprKind::Call(Func::IntRemEuclid, _, args) => (&args[0], &args[1], true),
        _ => return None,
    };
    let around = word(around);
    let mut found = Sum { iter: None, by: 0, times: 0 };
    found.add(sum, around, 1)?;
    let Sum { iter, by, times } = found;
    // with the sum below zero `%` does not give what is meant
    let is_rest = is_euclidean || by >= 0 || times > 0;
    let (by, around) = match around.kind {
        ExprKind::Int(size) if size > 0 => (nearest(by, size), Expr::int(Ty::USIZE, size)),
        _ => (by, around.clone()),
    };
    let is_small = by.abs() <= RING_STEP && (0..=2).contains(&times);
    (is_rest && is_small).then_some(Turned { iter: iter?, by, around, narrow: None })
}

/// The least step around a ring of known size that leads to the same number.
fn nearest(by: i128, size: i128) -> i128 {
    let on = by.rem_euclid(size);
    if 2 * on > size { on - size } else { on }
}

/// `iter + by + times * around`
struct Sum {
    iter: Option<IterId>,
    by: i128,
    times: i128,
}

impl Sum {
    fn add(&mut self, expr: &Expr, around: &Expr, sign: i128) -> Option<()> {
        let expr = word(expr);
        match &expr.kind {
            _ if expr == around => self.times += sign,
            ExprKind::Int(number) => self.by = self.by.checked_add(sign * number)?,
            ExprKind::Binary(BinOp::Mul, a, b) => {
                let (size, count) = if matches!(a.kind, ExprKind::Int(_)) { (b, a) } else { (a, b) };
                let ExprKind::Int(count) = count.kind else { return None };
                (word(size) == around).then_some(())?;
                self.times = self.times.checked_add(sign.checked_mul(count)?)?;
            }
            ExprKind::Unary(super::UnOp::Neg, operand) => self.add(operand, around, -sign)?,
            ExprKind::Iter(iter) if sign == 1 && expr.ty == Ty::USIZE && self.iter.is_none() => {
                self.iter = Some(*iter);
            }
            ExprKind::Binary(op @ (BinOp::Add | BinOp::Sub), a, b) => {
                self.add(a, around, sign)?;
                self.add(b, around, if *op == BinOp::Add { sign } else { -sign })?;
            }
            // so much and a multiple
            ExprKind::Binary(BinOp::Rem, number, by) if word(by) == around => {
                let ExprKind::Int(number) = number.kind else { return None };
                self.by = self.by.checked_add(sign * number)?;
            }
            _ => return None,
        }
        Some(())
    }
}

/// A `usize` behind its cast.
fn word(expr: &Expr) -> &Expr {
    match &expr.kind {
        ExprKind::Cast(operand) if operand.ty == Ty::USIZE => operand,
        _ => expr,
    }
}

#[cfg(test)]
mod tests {
    use super::{Turned, turned};
    use crate::ir::{BinOp, Expr, ExprKind, Func, Int, IterId, Ty};

    fn iter() -> Expr {
        Expr::iter(IterId(3), Ty::USIZE)
    }

    fn size() -> Expr {
        Expr::iter(IterId(4), Ty::USIZE)
    }

    fn value(expr: &Expr, i: usize, n: usize) -> usize {
        let at = |expr: &Expr| value(expr, i, n);
        match &expr.kind {
            ExprKind::Int(number) => *number as usize,
            ExprKind::Iter(IterId(3)) => i,
            ExprKind::Iter(_) => n,
            ExprKind::Binary(BinOp::Add, a, b) => at(a) + at(b),
            ExprKind::Binary(BinOp::Sub, a, b) => at(a) - at(b),
            ExprKind::Binary(BinOp::Rem, a, b) => at(a) % at(b),
            ExprKind::Call(Func::WrappingAdd, _, args) => at(&args[0]).wrapping_add(at(&args[1])),
            ExprKind::Call(Func::WrappingSub, _, args) => at(&args[0]).wrapping_sub(at(&args[1])),
            ExprKind::Select(parts) => match &parts[0].kind {
                ExprKind::Binary(BinOp::Lt, a, b) if at(a) < at(b) => at(&parts[1]),
                _ => at(&parts[2]),
            },
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn numbers_go_around_and_are_known_again() {
        for by in -3..=3_i128 {
            let expr = turned(iter(), by, &size());
            for n in 1..6 {
                for i in 0..n {
                    assert_eq!(
                        value(&expr, i, n) as i128,
                        (i as i128 + by).rem_euclid(n as i128),
                        "{by} {i} {n}"
                    );
                }
            }
            let known = Turned { iter: IterId(3), by, around: size(), narrow: None };
            assert_eq!(Turned::of(&expr), (by != 0).then_some(known));
        }
    }

    #[test]
    fn what_users_write_is_known() {
        let one = || Expr::usize(1);
        let by = |expr: Expr| Turned::of(&expr).map(|turned| (turned.by, turned.narrow));
        let rest = |sum: Expr| Expr::binary(BinOp::Rem, sum, size());
        assert_eq!(by(rest(iter() + one())), Some((1, None)));
        assert_eq!(by(rest(one() + iter())), Some((1, None)));
        assert_eq!(by(rest(iter() + size() - one())), Some((-1, None)));
        assert_eq!(by(rest(iter() + (size() - one()))), Some((-1, None)));
        let signed = Ty::Int(Int::I32);
        let minus = iter().cast(signed) - Expr::int(signed, 1);
        let euclid = Expr::call(signed, Func::IntRemEuclid, vec![minus.clone(), size().cast(signed)]);
        assert_eq!(by(euclid.cast(Ty::USIZE)), Some((-1, Some(Int::I32))));
        let plain = Expr::binary(BinOp::Rem, minus.clone() + size().cast(signed), size().cast(signed));
        assert_eq!(by(plain.cast(Ty::USIZE)), Some((-1, Some(Int::I32))));
        assert_eq!(by(rest(iter() + Expr::usize(2) * size() - one())), Some((-1, None)));
        assert_eq!(by(rest(iter() + Expr::usize(3) * size() - one())), None);
        // below zero the rest is not what is meant
        let below = Expr::binary(BinOp::Rem, minus, size().cast(signed));
        assert_eq!(by(below.cast(Ty::USIZE)), None);
        assert_eq!(by(rest(iter() + iter())), None);
        assert_eq!(by(rest(iter() + Expr::usize(65))), None);
        assert_eq!(by(Expr::binary(BinOp::Rem, iter() + one(), Expr::usize(7))), Some((1, None)));
        assert_eq!(by(Expr::binary(BinOp::Rem, iter() + Expr::usize(6), Expr::usize(7))), Some((-1, None)));
        assert_eq!(by(Expr::select(iter().below(size()), iter(), one())), None);
    }
}
