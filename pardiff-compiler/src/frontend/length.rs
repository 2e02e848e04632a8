//! Lengths of arrays in types.

use super::tree::{Expr, Kind};
use std::cell::OnceCell;
use std::rc::Rc;

/// The length of an array, as far as its type says.
#[derive(Clone)]
pub(super) enum Len {
    /// The `N` of `[T; N]`, a constant expression.
    Known(Rc<Expr>),
    /// That of an array whose type follows from where it goes: known, or equal to another one, as soon as that is.
    Open(Rc<OnceCell<Len>>),
    /// A slice or a `Vec`.
    Dynamic,
    /// A dimension of an array of `ndarray`.
    Axis,
}

impl Len {
    /// A constant as a length.
    pub(super) fn of(value: Expr) -> Len {
        match value.kind {
            Kind::Length(len) => len,
            _ => Len::Known(Rc::new(value)),
        }
    }

    /// The constant that it is.
    pub(super) fn known(&self) -> Option<Rc<Expr>> {
        match self {
            Len::Known(len) => Some(len.clone()),
            Len::Open(len) => len.get()?.known(),
            Len::Dynamic | Len::Axis => None,
        }
    }

    /// Makes two lengths equal, of which one at least is open.
    pub(super) fn unify(&self, other: &Len) {
        match (self.last(), other.last()) {
            (Len::Open(a), Len::Open(b)) if Rc::ptr_eq(a, b) => {}
            (Len::Open(open), len @ (Len::Known(_) | Len::Open(_)))
            | (len @ Len::Known(_), Len::Open(open)) => {
                open.get_or_init(|| len.clone());
            }
            _ => {}
        }
    }

    /// Whether it is the same open length.
    pub(super) fn is(&self, other: &Len) -> bool {
        matches!((self.last(), other.last()), (Len::Open(a), Len::Open(b)) if Rc::ptr_eq(a, b))
    }

    /// The end of the chain of open lengths that are equal to each other.
    fn last(&self) -> &Len {
        match self {
            Len::Open(open) => open.get().map_or(self, Len::last),
            len => len,
        }
    }
}
