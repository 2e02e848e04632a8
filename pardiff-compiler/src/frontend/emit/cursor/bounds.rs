//! The loop over a cursor: over its positions, or with the outermost adapters as its bounds, its step and its direction.

use super::super::Emit;
use super::{Cursor, CursorKind, saturating_sub};
use crate::ir::{Expr, ExprKind, Func, Order, Ty};

/// The loop over a cursor.
pub(in crate::frontend::emit) struct Bounds {
    pub(in crate::frontend::emit) lo: Expr,
    pub(in crate::frontend::emit) hi: Expr,
    pub(in crate::frontend::emit) inclusive: bool,
    pub(in crate::frontend::emit) step: Expr,
    pub(in crate::frontend::emit) order: Order,
    /// Whether the iterator of the loop is the position in what the outermost adapters adapt.
    pub(in crate::frontend::emit) direct: bool,
}

impl Emit<'_> {
    /// The loop over a cursor; `None` if it has no end.
    pub(in crate::frontend::emit) fn bounds(&mut self, cursor: &Cursor<'_>) -> Option<Bounds> {
        if let Some(bounds) = self.direct(cursor) {
            return Some(bounds);
        }
        Some(Bounds::counted(cursor.len.clone()?, false))
    }

    /// The loop in which the outermost adapters are bounds, step and direction, if they can be.
    fn direct(&mut self, cursor: &Cursor<'_>) -> Option<Bounds> {
        match &cursor.kind {
            CursorKind::Range { lo, hi, inclusive } => {
                Some(Bounds { lo: lo.clone(), inclusive: *inclusive, ..Bounds::counted(hi.clone()?, true) })
            }
            CursorKind::Elements(_)
            | CursorKind::Once(_)
            | CursorKind::Numbers { .. }
            | CursorKind::Parts { .. }
            | CursorKind::Zip(..)
            | CursorKind::Enumerate(_) => Some(Bounds::counted(cursor.len.clone()?, true)),
            // the one is taken apart, the other has no end
            CursorKind::Chain(..) | CursorKind::Cycle(_) => None,
            CursorKind::Map(inner, _)
            | CursorKind::Filter(inner, _)
            | CursorKind::Copied(inner)
            | CursorKind::FlatMap(inner, _)
            | CursorKind::Scan(inner, _)
            | CursorKind::TakeWhile(inner, ..)
            | CursorKind::TakeOf(inner, ..)
            | CursorKind::SkipWhile(inner, ..) => self.direct(inner),
            CursorKind::Rev(inner) => {
                let inner = self.direct(inner)?;
                let order = match inner.order {
                    Order::Up => Order::Down,
                    Order::Down => Order::Up,
                };
                Some(Bounds { order, ..inner })
            }
            CursorKind::StepBy(inner, by) => {
                let inner = self.direct(inner)?;
                (inner.order == Order::Up && inner.is_unit()).then(|| Bounds { step: by.clone(), ..inner })
            }
            CursorKind::Skip(inner, by) => {
                let inner = self.direct(inner).filter(Bounds::is_plain)?;
                Some(match inner.order {
                    Order::Up => {
                        let lo = saturating_add(inner.lo.clone(), by.clone());
                        Bounds { lo: self.named(lo, "from"), ..inner }
                    }
                    Order::Down => {
                        let hi = saturating_sub(inner.hi.clone(), by.clone());
                        Bounds { hi: self.named(hi, "until"), ..inner }
                    }
                })
            }
            CursorKind::Take(inner, most) => {
                let inner = match self.direct(inner) {
                    Some(inner) => inner,
                    // `(lo..).take(n)`
                    None => return self.taken_from_endless(inner, most),
                };
                let inner = Some(inner).filter(Bounds::is_plain)?;
                Some(match inner.order {
                    Order::Up if inner.lo.kind == ExprKind::Int(0) => {
                        Bounds { hi: cursor.len.clone()?, ..inner }
                    }
                    Order::Up => {
                        let end = saturating_add(inner.lo.clone(), most.clone());
                        let hi = self.shorter(Some(end), Some(inner.hi.clone()))?;
                        Bounds { hi, ..inner }
                    }
                    Order::Down => {
                        let from = saturating_sub(inner.hi.clone(), most.clone());
                        let lo = match inner.lo.kind {
                            ExprKind::Int(0) => from,
                            _ => Expr::call(Ty::USIZE, Func::IntMax, vec![from, inner.lo.clone()]),
                        };
                        Bounds { lo: self.named(lo, "from"), ..inner }
                    }
                })
            }
        }
    }

    fn taken_from_endless(&mut self, inner: &Cursor<'_>, most: &Expr) -> Option<Bounds> {
        let indexed = matches!(inner.kind, CursorKind::Zip(..) | CursorKind::Enumerate(_));
        (indexed && inner.len.is_none()).then(|| Bounds::counted(most.clone(), true))
    }
}

impl Bounds {
    fn counted(hi: Expr, direct: bool) -> Bounds {
        let (lo, step) = (Expr::int(hi.ty, 0), Expr::usize(1));
        Bounds { lo, hi, inclusive: false, step, order: Order::Up, direct }
    }

    /// A loop over all positions of a cursor.
    pub(in crate::frontend::emit) fn positions(len: Expr) -> Bounds {
        Bounds::counted(len, false)
    }

    /// Whether its iterator counts the items.
    pub(in crate::frontend::emit) fn counts_up(&self) -> bool {
        self.is_plain() && self.order == Order::Up && self.lo.kind == ExprKind::Int(0)
    }

    fn is_unit(&self) -> bool {
        self.step.kind == ExprKind::Int(1)
    }

    /// Whether positions can be left out at its ends by changing its bounds.
    fn is_plain(&self) -> bool {
        self.is_unit() && !self.inclusive && self.hi.ty == Ty::USIZE
    }
}

fn saturating_add(a: Expr, b: Expr) -> Expr {
    match (&a.kind, &b.kind) {
        (ExprKind::Int(0), _) => b,
        (_, ExprKind::Int(0)) => a,
        (ExprKind::Int(x), ExprKind::Int(y)) => Expr::int(Ty::USIZE, x + y),
        _ => Expr::call(Ty::USIZE, Func::SaturatingAdd, vec![a, b]),
    }
}
