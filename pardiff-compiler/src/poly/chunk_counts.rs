//! Iterators that count parts of an array: chunks, whole chunks, windows.
//!
//! ```text
//! for i in 0..trip_count(0, n, c)          i * c < n
//! for i in 0..n / c                        (i + 1) * c <= n
//! for i in 0..n.saturating_sub(w)          i + w < n
//! for i in 0..min(a, b)                    what holds for both
//! ```
//!
//! **Legality.** `i` is less than the bound, so the bound is positive. `i < ceil(n / c)` is `i * c < n`, and
//! `i < floor(n / c)` is `(i + 1) * c <= n`, for positive `c` (a division by zero has panicked); a saturating difference
//! that is positive is the difference. These are relations of mathematical integers, so they are used where the operands
//! are proved to be in their type; the products are then at most `n` and do not wrap.

use super::access::PointId;
use super::affine::{Affine, Operation, SymKind};
use super::analysis::Analysis;
use super::set::Constraint;
use crate::ir::{Expr, Func, Ty};

impl<'p> Analysis<'p> {
    /// Adds to `inside`, a point in a loop over `i` that ends before `hi`, what is known of the part with that number.
    pub(super) fn add_counted_parts(&mut self, i: &Affine, hi: &'p Expr, inside: PointId) {
        let Some(hi) = self.ring(hi, inside) else { return };
        let mut facts = Vec::new();
        self.counted_parts(i, &hi, inside, &mut facts);
        self.learn(inside, facts);
    }

    fn counted_parts(&mut self, i: &Affine, hi: &Affine, inside: PointId, facts: &mut Vec<Constraint>) {
        let Some(sym) = hi.as_symbol() else { return };
        let SymKind::Function(operation, Ty::USIZE, args) = self.symbols.symbol(sym).kind.clone() else {
            return;
        };
        if matches!(operation, Operation::Call(_, of) if of != Ty::USIZE)
            || !args.iter().all(|arg| self.fits(arg, Ty::USIZE, inside))
        {
            return;
        }
        let fact = match (operation, &args[..]) {
            (Operation::Call(Func::IntMin, _), [a, b]) => {
                self.counted_parts(i, a, inside, facts);
                self.counted_parts(i, b, inside, facts);
                None
            }
            (Operation::Call(Func::TripCount, _), [lo, n, size]) if lo.as_constant() == Some(0) => {
                self.symbols.multiply(i, size).and_then(|start| Constraint::lt(&start, n))
            }
            (Operation::Quotient, [n, size]) => {
                let next = i.clone().offset(1).and_then(|next| self.symbols.multiply(&next, size));
                next.and_then(|end| Constraint::le(&end, n))
            }
            (Operation::Call(Func::SaturatingSub, _), [n, less]) => {
                i.add(less).and_then(|last| Constraint::lt(&last, n))
            }
            _ => None,
        };
        facts.extend(fact);
    }
}
