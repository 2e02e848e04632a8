//! Expressions whose value stays.

use super::Emit;
use crate::ir::{Expr, ExprKind, Role};

impl Emit<'_> {
    /// Whether the expression has one value in the whole call and cannot panic, so that it may stand in front of
    /// anything.
    pub(super) fn is_fixed(&self, e: &Expr) -> bool {
        match &e.kind {
            ExprKind::Float(_) | ExprKind::Int(_) | ExprKind::Bool(_) | ExprKind::Opaque(_) => true,
            ExprKind::Extent(buffer, _) => {
                matches!(self.program[*buffer].role, Role::Input | Role::InOut | Role::Table(_))
            }
            ExprKind::Load(place) => place.index.is_empty() && self.program[place.buffer].role == Role::Input,
            _ => false,
        }
    }

    /// Whether the expression is a name or a constant whose value does not change while it is visible.
    pub(super) fn is_stable(&self, e: &Expr) -> bool {
        match &e.kind {
            ExprKind::Iter(_) | ExprKind::Extent(..) => true,
            ExprKind::Load(place) => {
                place.index.is_empty()
                    && (self.program[place.buffer].role == Role::Input
                        || self.immutable.contains(&place.buffer))
            }
            _ => self.is_fixed(e),
        }
    }

    /// The expression, through copies of fixed values.
    pub(super) fn canonical(&self, e: Expr) -> Expr {
        match &e.kind {
            ExprKind::Load(place) if place.index.is_empty() => {
                self.copies.get(&place.buffer).cloned().unwrap_or(e)
            }
            _ => e,
        }
    }
}
