//! Values that derivatives are made of, and that the reverse sweep has anyway.
//!
//! ```text
//! s = sin(u); c = cos(u); y = s * c          s_bar += y_bar * c; c_bar += y_bar * s
//!                                            u_bar += s_bar * c       not cos(u)
//!                                            u_bar -= c_bar * s       not sin(u)
//! q = a / b; y = q * q                       b_bar -= q_bar / b * q   not a / b
//! x[i] = a / b                               b_bar -= x_bar[i] / b * x[i]
//! ```
//!
//! Only what is in place is taken, and what statements behind ask for anyway: statements are reversed from the last to the
//! first, so that it has its tape or its copy by then. A tape more would cost memory, and to compute the value again from what
//! is at hand costs as much.
//!
//! *Legality.* The twin is the one definition of a scalar, in a scope around the statement. So it is executed once in the
//! instance of that scope in which the statement is, and what is stored of it, or computed again, is its value there. Where it
//! is in place, the forward sweep has been there: it belongs to the iteration that is reversed, or stands in front. Its
//! operands are the same expressions of constants, of iterators of loops around that scope, and of scalars that have one
//! definition themselves: each has one value in that instance. An element that a quotient is assigned to holds it until it is
//! overwritten, which is asked of every statement that may run in between.

use super::reverse_stmt::Sweep;
use super::structure::Structure;
use crate::ir::{BinOp, BufferId, Expr, ExprKind, Func, Place, Stmt};

impl<'p> Sweep<'p> {
    /// The function that the derivative of `func` calls, and its value for the operands that `func` has in `stmt`.
    pub(super) fn twin(&mut self, func: Func, args: &[Expr], stmt: &'p Stmt) -> Option<(Func, Expr)> {
        let twins = func.twins();
        if twins.is_empty() || !args.iter().all(|arg| has_one_value(&self.structure, arg)) {
            return None;
        }
        let bodies = self.structure.ancestors(stmt).filter_map(|outer| Some(outer.as_scope()?.1));
        let (function, definition, buffer) =
            bodies.flatten().find_map(|other| match (other.as_assign()?, &other.as_assign()?.1.kind) {
                ((target, _), ExprKind::Call(of, _, operands)) if twins.contains(of) && operands == args => {
                    let definition = self.structure.single_definition(target.buffer)?;
                    self.is_known(definition, target.buffer, stmt).then_some((*of, definition, target.buffer))
                }
                _ => None,
            })?;
        Some((function, self.known(definition, buffer)))
    }

    /// The value of a quotient that `stmt` assigned to a scalar, or to an element that is not overwritten since.
    pub(super) fn known_quotient(&mut self, target: &Place, quotient: &Expr, stmt: &'p Stmt) -> Option<Expr> {
        if !matches!(quotient.kind, ExprKind::Binary(BinOp::Div, ..)) {
            return None;
        }
        let buffer = target.buffer;
        if let Some(definition) = self.structure.single_definition(buffer) {
            return self.is_known(definition, buffer, stmt).then(|| self.known(definition, buffer));
        }
        if !self.lives_here(buffer) || self.overwritten_after(stmt, target) {
            return None;
        }
        Some(Place::new(buffer, self.index_at(target, stmt)).load(quotient.ty))
    }

    /// Whether the reversal of `stmt` finds the value of a scalar that has one definition.
    fn is_known(&self, definition: &Stmt, scalar: BufferId, stmt: &Stmt) -> bool {
        let was_executed =
            || self.is_here(definition) || self.structure.order(definition) < self.structure.order(stmt);
        self.region.definitions.contains(definition) || self.lives_here(scalar) && was_executed()
    }

    /// The value of a scalar that is known.
    fn known(&mut self, definition: &'p Stmt, scalar: BufferId) -> Expr {
        match self.lives_here(scalar) {
            true => self.primal.load_scalar(scalar),
            false => self.definition(definition, scalar, self.primal[scalar].elem),
        }
    }
}

/// Whether an expression has one value wherever it is evaluated in an instance of the scopes that it can be named in.
fn has_one_value(structure: &Structure<'_>, expr: &Expr) -> bool {
    expr.all(&mut |part| match &part.kind {
        ExprKind::Load(place) => {
            structure.is_constant(place.buffer) || structure.single_definition(place.buffer).is_some()
        }
        ExprKind::Extent(buffer, _) => structure.is_constant(*buffer),
        _ => true,
    })
}
