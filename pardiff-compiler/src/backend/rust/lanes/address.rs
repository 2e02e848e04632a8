//! Positions behind an index: what of them is the same for all lanes.

use super::{Context, Lanes};
use crate::backend::rust::{Code, code};
use crate::ir::{BinOp, Expr, ExprKind, Ty};
use proc_macro2::Ident;

/// A position as the sum, modulo the width of `usize`, of what is the same for all lanes and what is not.
struct Apart {
    uniform: Option<Code>,
    varying: Option<Expr>,
    /// Whether something is subtracted: then the varying part alone may be larger than the position.
    minus: bool,
}

impl Lanes<'_, '_> {
    /// What all lanes have in common of a position, and the rest. Positions behind one index have the same rest, which is
    /// taken apart into its lanes once.
    pub(super) fn apart(&self, position: &Expr) -> (Code, Expr) {
        let Apart { uniform, varying, .. } = self.parts(position);
        (uniform.unwrap_or(code!(0_usize)), varying.unwrap_or(Expr::usize(0)))
    }

    /// Where rows begin, by the name that it has already, or computed. Rows of different arrays behind one index often begin
    /// at the same places, a condition in between, and what is out of a vector once need not be taken out of it again.
    pub(super) fn position_of_rows(&self, start: &Expr, context: &Context) -> Code {
        let positions = self.positions.borrow();
        let known = positions.iter().rev().find(|(known, part, _)| known == start && *part == context.part);
        known.map_or_else(|| self.array(start, context), |(_, _, name)| code!(#name))
    }

    /// Keeps the name of positions for the rest of the block, if they stay the same: all active lanes there are active here,
    /// since conditions only take lanes away.
    pub(super) fn name_positions(&self, start: Expr, name: &Ident, context: &Context) {
        let mut stays = true;
        start.walk(&mut |expr| match &expr.kind {
            ExprKind::Load(place) if self.own.contains(place.buffer) => {
                stays &= place.index.is_empty() && self.emitter.writes(place.buffer) == 1;
            }
            ExprKind::Load(place) => stays &= !self.written.contains(place.buffer),
            _ => {}
        });
        if stays {
            self.positions.borrow_mut().push((start, context.part, name.clone()));
        }
    }

    fn parts(&self, expr: &Expr) -> Apart {
        let whole = || Apart { uniform: None, varying: Some(expr.clone()), minus: false };
        if !self.varies_expr(expr) {
            return Apart { uniform: Some(self.emitter.typed(expr)), varying: None, minus: false };
        }
        match &expr.kind {
            ExprKind::Binary(BinOp::Add, a, b) if expr.ty == Ty::USIZE => {
                let (a, b) = (self.parts(a), self.parts(b));
                let uniform = match (a.uniform, b.uniform) {
                    (Some(a), Some(b)) => Some(code!(usize::wrapping_add(#a, #b))),
                    (a, b) => a.or(b),
                };
                let varying = match (a.varying, b.varying) {
                    (Some(a), Some(b)) => Some(Expr::binary(BinOp::Add, a, b)),
                    (a, b) => a.or(b),
                };
                Apart { uniform, varying, minus: a.minus || b.minus }
            }
            ExprKind::Binary(BinOp::Sub, a, b) if expr.ty == Ty::USIZE && !self.varies_expr(b) => {
                let (a, by) = (self.parts(a), self.emitter.typed(b));
                let from = a.uniform.unwrap_or(code!(0_usize));
                Apart {
                    uniform: Some(code!(usize::wrapping_sub(#from, #by))),
                    varying: a.varying,
                    minus: true,
                }
            }
            ExprKind::Binary(BinOp::Mul, a, b) if expr.ty == Ty::USIZE => {
                let (sum, factor) = if self.varies_expr(a) { (a, b) } else { (b, a) };
                let Apart { uniform: Some(uniform), varying: Some(varying), minus: false } = self.parts(sum)
                else {
                    return whole();
                };
                let by = self.emitter.typed(factor);
                let varying = Expr::binary(BinOp::Mul, varying, (**factor).clone());
                Apart {
                    uniform: Some(code!(usize::wrapping_mul(#uniform, #by))),
                    varying: Some(varying),
                    minus: false,
                }
            }
            _ => whole(),
        }
    }
}
