//! What is known in the iterations of a loop.

use super::access::{Loop, PointId};
use super::affine::{Affine, SymKind};
use super::analysis::Analysis;
use super::set::Constraint;
use super::structure::NestId;
use crate::ir::{Exec, Expr, ExprKind, For, Func, IterId, Order, Ty, While};

impl<'p> Analysis<'p> {
    pub(super) fn enter_for(&mut self, stmt: &'p For, outer: NestId, point: PointId) -> (NestId, PointId) {
        let iter = stmt.iter;
        let inner = self.inner_nest(outer, iter);
        let ty = self.program[iter].ty;
        let around = self.loops(outer).to_vec();
        let bound = |analysis: &mut Self, kind: SymKind| {
            Affine::symbol(analysis.symbols.intern(kind, Some(ty), &around, false))
        };
        let lo = self.value(&stmt.lo, point).unwrap_or_else(|| bound(self, SymKind::Lo(iter)));
        let hi = self
            .value(&stmt.hi, point)
            .or_else(|| self.bound_by_checks(stmt, &lo, point))
            .or_else(|| self.bound_of_another(stmt, outer, point));
        let hi = hi.and_then(|hi| hi.offset(if stmt.inclusive { 0 } else { -1 }));
        // an exclusive bound that is no form: the last value is at most the largest one of the type
        let known_hi = hi.is_some();
        let unless_wrapped = if known_hi { None } else { self.last_unless_wrapped(stmt, &lo, point) };
        let hi = hi.unwrap_or_else(|| bound(self, SymKind::Hi(iter)));
        let step = match stmt.step.kind {
            crate::ir::ExprKind::Int(step) if step > 0 => Some(step),
            _ => None,
        };
        let i = Affine::symbol(self.iterator(iter));
        let mut constraints: Vec<Constraint> = Vec::with_capacity(3);
        constraints.extend(Constraint::le(&lo, &i));
        constraints.extend(Constraint::le(&i, &hi));
        let complete = constraints.len() == 2;
        let less = self.less_than_greater(&stmt.hi, &lo, point).filter(|_| !stmt.inclusive);
        constraints.extend(less.and_then(|bound| Constraint::lt(&i, &bound)));
        if let Some(step) = step.filter(|&step| step != 1) {
            let depends: Vec<IterId> = around.iter().copied().chain([iter]).collect();
            let trip = self.symbols.intern(SymKind::Trip(iter), None, &depends, true);
            let value = Affine::symbol(trip).scale(step).and_then(|value| value.add(&lo));
            constraints.extend(value.and_then(|value| Constraint::eq(&i, &value)));
        }
        let exact = complete && known_hi && step.is_some();
        let inside = self.point_in(point, constraints, exact);
        if inside != point && !stmt.inclusive && ty == Ty::USIZE {
            self.add_counted_parts(&i, &stmt.hi, inside);
        }
        self.loops[iter.0 as usize] = Some(Loop {
            iter,
            outer,
            inner,
            lo,
            hi,
            step,
            order: stmt.order,
            is_sequential: matches!(stmt.exec, Exec::Undecided | Exec::Sequential),
            point,
            hi_is_bound: step != Some(1),
            unless_wrapped,
        });
        (inner, inside)
    }

    /// The other number of a bound `max(n, lo)`: an iteration is not below `lo`, so one below the greater of both is below `n`.
    fn less_than_greater(&mut self, bound: &'p Expr, lo: &Affine, point: PointId) -> Option<Affine> {
        let greater = if let ExprKind::Cast(greater) = &bound.kind { greater } else { bound };
        let ExprKind::Call(Func::IntMax, _, args) = &greater.kind else { return None };
        let [other, least] = &args[..] else { return None };
        let is_least = self.value(least, point).as_ref() == Some(lo);
        if is_least { self.value(other, point) } else { None }
    }

    pub(super) fn enter_while(
        &mut self,
        stmt: &'p While,
        outer: NestId,
        point: PointId,
        next: &mut u32,
    ) -> PointId {
        let iter = stmt.counter;
        let inner = self.inner_nest(outer, iter);
        let around = self.loops(outer).to_vec();
        self.iterator(iter);
        let hi = Affine::symbol(self.symbols.intern(SymKind::Hi(iter), Some(Ty::USIZE), &around, false));
        let inside = self.point_in(point, Vec::new(), false);
        self.loops[iter.0 as usize] = Some(Loop {
            iter,
            outer,
            inner,
            lo: Affine::number(0),
            hi,
            step: Some(1),
            order: Order::Up,
            is_sequential: true,
            point,
            hi_is_bound: true,
            unless_wrapped: None,
        });
        let behind_head = self.block(&stmt.head, inner, inside, next);
        self.index_loads(&stmt.cond, behind_head);
        let (constraints, _) = self.condition(&stmt.cond, true, behind_head);
        let in_body = self.point_in(behind_head, constraints, true);
        self.block(&stmt.body, inner, in_body, next);
        point
    }
}
