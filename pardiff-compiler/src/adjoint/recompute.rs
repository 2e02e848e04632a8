//! Values found without a tape of their own: arrays computed again from the one definition of their elements, and results
//! of functions found where they were assigned.
//!
//! ```text
//! scope q[d] { for j { q[j] = x[i, j] - m[j] } … }     reverse: scope q'[d] { for j { q'[j] = x[i, j] - m[j] } … }
//! y[i] = exp(x[i])                                     reverse: exp(x[i]) is y[i]
//! ```
//!
//! *Legality of the first.* Every loop between the array and its only write is an index of that write, and there is no
//! condition; so an element that has a value has it from the iteration that its index names. Everything that the
//! definition reads is in place, or a scalar with a definition. *Of the second*: nothing overwrites the element afterwards.

use super::recompute_or_store::{computes_floats, operands, operations};
use super::reverse_stmt::Sweep;
use super::structure::key;
use crate::ir::{
    Buffer, BufferId, Expr, ExprKind, For, Iter, IterId, Layout, Names, Origin, Phase, Place, Role, Stmt,
    StmtKind, Ty,
};
use crate::limits::OPERATIONS_PER_STORE;

/// A local array that the reverse sweep computes again.
#[derive(Clone)]
pub(super) struct Remade<'p> {
    /// The array of the reverse sweep.
    pub(super) copy: BufferId,
    array: BufferId,
    definition: &'p Stmt,
}

/// The definition of an element while it is looked at.
struct Element<'a> {
    array: BufferId,
    /// What indexes it.
    iters: &'a [IterId],
    /// How many more may be repeated.
    operations: usize,
    /// Whether what it needs is to be provided; otherwise only whether there is such an expression.
    is_made: bool,
}

impl<'p> Sweep<'p> {
    /// Whether the reverse sweep may compute `buffer` again.
    pub(super) fn can_be_remade(&mut self, buffer: BufferId) -> bool {
        // the length of an array that grows is not known where its scope begins
        if self.primal[buffer].layout != Layout::RowMajor {
            return false;
        }
        let Some((definition, iters)) = self.elementwise_definition(buffer) else { return false };
        let Some((_, value)) = definition.as_assign() else { return false };
        let mut element =
            Element { array: buffer, iters: &iters, operations: OPERATIONS_PER_STORE, is_made: false };
        let mut is_known = self.inlined(value, definition, &mut element).is_some();
        for looped in self.loops_of_definition(buffer, definition) {
            is_known &=
                looped.exprs().into_iter().all(|bound| self.inlined(bound, looped, &mut element).is_some());
        }
        is_known
    }

    /// The reverse sweep's copy of `buffer`, which [`Sweep::can_be_remade`].
    pub(super) fn remade(&mut self, buffer: BufferId) -> BufferId {
        let (definition, _) = self.elementwise_definition(buffer).expect("asked by `can_be_remade`");
        let scope = self.structure.scope(buffer).expect("a local has a scope");
        let inside = |stmt: &&Stmt| self.structure.is_inside(stmt, scope);
        let top = self.structure.ancestors(definition).take_while(inside).last().unwrap_or(definition);
        let mut known = self.region.remade.get(&key(top)).into_iter().flatten();
        if let Some(remade) = known.find(|remade| remade.array == buffer) {
            return remade.copy;
        }
        let dims = (0..self.primal[buffer].rank())
            .map(|dim| self.value_at(&self.primal[buffer].dims[dim].clone(), scope))
            .collect();
        let Buffer { name, elem, .. } = &self.primal[buffer];
        let copy = self.out.add_buffer(Buffer::new(name, *elem, dims, Role::Local));
        self.region.remade.entry(key(top)).or_default().push(Remade { copy, array: buffer, definition });
        copy
    }

    /// The loops that compute a copy.
    pub(super) fn remake(&mut self, remade: &Remade<'p>) -> Option<Stmt> {
        let Remade { copy, array, definition } = *remade;
        let (_, iters) = self.elementwise_definition(array)?;
        let (target, value) = definition.as_assign()?;
        let mut element = Element { array, iters: &iters, operations: usize::MAX, is_made: true };
        let value = self.inlined(value, definition, &mut element)?;
        let origin = Origin { phase: Phase::Replay, ..definition.origin };
        let mut code = Stmt::assign(Place::new(copy, target.index.clone()), value, origin);
        for stmt in self.loops_of_definition(array, definition) {
            let looped = stmt.as_for()?;
            let lo = self.inlined(&looped.lo, stmt, &mut element)?;
            let hi = self.inlined(&looped.hi, stmt, &mut element)?;
            let step = self.inlined(&looped.step, stmt, &mut element)?;
            let origin = Origin { phase: Phase::Replay, ..stmt.origin };
            let body = vec![code];
            code = Stmt::new(StmtKind::For(For { lo, hi, step, ..looped.around(body) }), origin);
        }
        let own = |iter: &IterId| {
            let Iter { name, ty } = self.primal[*iter].clone();
            (*iter, self.out.add_iter(&name, ty))
        };
        let fresh: Vec<(IterId, IterId)> = iters.iter().map(own).collect();
        let named = |iter: &mut IterId| {
            *iter = fresh.iter().find(|(old, _)| old == iter).map_or(*iter, |(_, new)| *new);
        };
        Names { buffer: &|_| {}, iter: &named }.block(std::slice::from_mut(&mut code));
        Some(code)
    }

    /// The loops around the definition of an array inside its scope, innermost first.
    fn loops_of_definition(&self, buffer: BufferId, definition: &Stmt) -> Vec<&'p Stmt> {
        let scope = self.structure.scope(buffer);
        let is_inside = |stmt: &&Stmt| scope.is_some_and(|scope| self.structure.is_inside(stmt, scope));
        let around = self.structure.ancestors(definition).take_while(is_inside);
        around.filter(|stmt| stmt.is_loop()).collect()
    }

    /// The only write of a local array, if each dimension is indexed by a loop of its own inside the array's scope and
    /// there is no other loop.
    fn elementwise_definition(&self, buffer: BufferId) -> Option<(&'p Stmt, Vec<IterId>)> {
        let scope = self.structure.scope(buffer)?;
        let [write] = self.structure.writes(buffer) else { return None };
        let (target, _) = write.as_assign()?;
        let mut iters = Vec::new();
        for index in &target.index {
            match index.kind {
                ExprKind::Iter(iter) if index.ty == Ty::USIZE && !iters.contains(&iter) => iters.push(iter),
                _ => return None,
            }
        }
        let inside = |stmt: &&Stmt| self.structure.is_inside(stmt, scope);
        let is_index = |stmt: &Stmt| {
            stmt.as_for().is_some_and(|looped| iters.contains(&looped.iter)) || stmt.as_scope().is_some()
        };
        let is_plain = self.structure.ancestors(write).take_while(inside).all(is_index);
        let loops = self.loops_of_definition(buffer, write).len();
        (is_plain && !iters.is_empty() && loops == iters.len()).then_some((*write, iters))
    }

    /// `expr` as `stmt` evaluates it, in values that the reverse sweep finds anywhere in the scope of the array; the
    /// iterators that index the element stay.
    fn inlined(&mut self, expr: &Expr, stmt: &'p Stmt, element: &mut Element<'_>) -> Option<Expr> {
        element.operations = element.operations.checked_sub(operations(expr))?;
        match &expr.kind {
            ExprKind::Load(place) if self.lives_here(place.buffer) => {
                if self.overwritten_after(stmt, place) {
                    return None;
                }
                let mut index = Vec::new();
                for part in &place.index {
                    index.push(self.inlined(part, stmt, element)?);
                }
                Some(Place::new(place.buffer, index).load(expr.ty))
            }
            ExprKind::Load(place) => {
                let definition = self.structure.single_definition(place.buffer)?;
                let (own, outer) =
                    (self.structure.scope(place.buffer)?, self.structure.scope(element.array)?);
                if self.structure.is_inside(own, outer) {
                    let (_, value) = definition.as_assign()?;
                    return self.inlined(value, definition, element);
                }
                Some(match element.is_made {
                    true => self.definition(definition, place.buffer, expr.ty),
                    false => expr.clone(),
                })
            }
            ExprKind::Iter(iter) if element.iters.contains(iter) => Some(expr.clone()),
            ExprKind::Iter(_) => Some(self.value_at(expr, stmt)),
            ExprKind::Extent(buffer, _) if !self.lives_here(*buffer) => None,
            ExprKind::Call(func, ..) if expr.ty.is_float() && !func.cost().is_below_a_load() => None,
            ExprKind::Apply(..) => None,
            _ if !expr.ty.is_float() && computes_floats(expr) => None,
            _ => {
                let mut parts = Vec::new();
                for operand in operands(expr) {
                    parts.push(self.inlined(operand, stmt, element)?);
                }
                let mut parts = parts.into_iter();
                Some(expr.with_operands(&mut |part| parts.next().unwrap_or_else(|| part.clone())))
            }
        }
    }

    /// The value that `stmt` assigned to `target`, where the reverse sweep finds it there.
    pub(super) fn assigned_value(&mut self, target: &Place, ty: Ty, stmt: &'p Stmt) -> Option<Expr> {
        let buffer = target.buffer;
        if !self.lives_here(buffer)
            && let Some(definition) = self.structure.single_definition(buffer)
        {
            return Some(self.definition(definition, buffer, ty));
        }
        if self.overwritten_after(stmt, target) {
            return None;
        }
        if self.lives_here(buffer) {
            return Some(Place::new(buffer, self.index_at(target, stmt)).load(ty));
        }
        if !self.can_be_kept(buffer) {
            return None;
        }
        let index = self.index_at(target, stmt);
        Some(self.kept_in_tape(buffer).load(index))
    }
}
