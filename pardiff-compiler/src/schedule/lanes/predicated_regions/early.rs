//! What skipped statements load alike in all lanes is loaded in front of the loop, where it exists.
//!
//! ```text
//! for l in 0..w lanes                       e_here = 0.0
//!   if square[l] <= bound                   if k < len(e)
//!     check k < len(e)                =>      e_here = e[k]
//!     t += e[k] * r                         for l in 0..w lanes
//!                                             if square[l] <= bound
//!                                               check k < len(e)
//!                                               t += e_here * r
//! ```
//!
//! A load may only be made where some lane passes its check, so it keeps what is around it under a jump for every vector;
//! a scalar does not. Several checks of one list stand under one condition, whether one of them fails, which is computed
//! in front as well.
//!
//! *Legality.* The load reads nothing that the loop writes, at an index that is the same in front of it; there it is made
//! if all of its indices are in range, by sums and products that wrap. Where they are not, the loop panics at the check
//! of the load before the value is used, if it comes to it at all. Checks that are the same in all lanes are made where
//! the first of their list stands, if one of them fails: what the statements between them did, nobody reads after a
//! panic.

use crate::ir::LoopFacts;
use crate::ir::{
    BinOp, Block, BufferId, Expr, ExprKind, Layout, Origin, Place, Program, Role, Space, Stmt, StmtKind, Ty,
};
use crate::limits::EARLY_LOADS;

/// The loads of the statements under a condition of a list, in front of the loop; and the scalars that hold them.
pub(super) fn load(
    program: &mut Program,
    inside: &LoopFacts,
    list: &mut Block,
    origin: Origin,
) -> (Block, Vec<BufferId>) {
    let mut loads = Loads { program, inside, path: Vec::new(), found: Vec::new(), checks: Vec::new() };
    list.iter_mut().for_each(|stmt| loads.arms(stmt));
    let Loads { found, checks, .. } = loads;
    let assign = |buffer, value| Stmt::set(buffer, value, origin);
    let under = |cond, then| Stmt::when(cond, then, origin);
    let mut before = Block::new();
    let mut declared = Vec::new();
    for Early { path, mut place, held } in found {
        place.index.iter_mut().for_each(|index| *index = index.wrapping(Ty::is_usize));
        let ty = program[held].elem;
        let none = if ty == Ty::Bool { Expr::bool(false) } else { Expr::float(ty, 0.0) };
        before.push(assign(held, none));
        let in_range = |(dim, index): (usize, &Expr)| index.clone().below(Expr::extent(place.buffer, dim));
        let exists = place.index.iter().enumerate().map(in_range).reduce(|a, b| a & b);
        let load = under(exists.unwrap_or(Expr::bool(true)), vec![assign(held, place.load(ty))]);
        // the index has a value where the path is taken
        before.push(path.into_iter().rev().fold(load, |inner, cond| under(cond, vec![inner])));
        declared.push(held);
    }
    for Failing { path, cond, held } in checks {
        before.push(assign(held, Expr::bool(false)));
        before.push(path.into_iter().rev().fold(assign(held, cond), |inner, cond| under(cond, vec![inner])));
        declared.push(held);
    }
    (before, declared)
}

/// Checks of a list.
struct Failing {
    /// The uniform conditions that they stand under.
    path: Vec<Expr>,
    /// Whether one of them fails.
    cond: Expr,
    held: BufferId,
}

/// A load that is made early.
struct Early {
    /// The uniform conditions that it stands under.
    path: Vec<Expr>,
    place: Place,
    held: BufferId,
}

struct Loads<'a> {
    program: &'a mut Program,
    inside: &'a LoopFacts,
    path: Vec<Expr>,
    found: Vec<Early>,
    checks: Vec<Failing>,
}

impl Loads<'_> {
    fn stmt(&mut self, stmt: &mut Stmt) {
        if let Some(value) = stmt.computes_mut() {
            *value = self.expr(value);
        }
        self.arms(stmt);
    }

    /// What stands inside a statement.
    fn arms(&mut self, stmt: &mut Stmt) {
        let Some((cond, then, els)) = stmt.as_if_mut() else {
            return stmt.blocks_mut().into_iter().flatten().for_each(|stmt| self.stmt(stmt));
        };
        let outer = self.path.len();
        let uniform = self.inside.is_invariant(self.program, cond);
        for (cond, arm) in [(cond.clone(), then), (!cond.clone(), els)] {
            self.path.extend(uniform.then_some(cond));
            arm.iter_mut().for_each(|stmt| self.stmt(stmt));
            self.join_checks(arm);
            self.path.truncate(outer);
        }
    }

    /// Makes the checks of a list together, under the condition that one of them fails.
    fn join_checks(&mut self, list: &mut Block) {
        if let [Stmt { kind: StmtKind::Scope { body, .. }, .. }] = &mut list[..] {
            return self.join_checks(body);
        }
        let of = |stmt: &Stmt| Some(stmt.as_check()?.0.clone()).filter(|cond| self.is_plain(cond));
        let failing = list.iter().filter_map(of).map(|cond| !cond);
        let (Some(at), 2..) = (list.iter().position(|stmt| of(stmt).is_some()), failing.clone().count())
        else {
            return;
        };
        let cond = failing.reduce(|a, b| a | b).unwrap_or(Expr::bool(true));
        let (checks, mut rest): (Block, Block) =
            std::mem::take(list).into_iter().partition(|stmt| of(stmt).is_some());
        let held = self.program.add_scalar("fails", Ty::Bool, Role::Local);
        self.program[held].space = Space::Thread;
        let origin = checks[0].origin;
        let cond_held = self.program.load_scalar(held);
        rest.insert(at, Stmt::when(cond_held, checks, origin));
        *list = rest;
        self.checks.push(Failing { path: self.path.clone(), cond, held });
    }

    /// Whether a condition can be computed in front of the loop.
    fn is_plain(&self, cond: &Expr) -> bool {
        cond.is_total() && !cond.loads_elements() && self.inside.is_invariant(self.program, cond)
    }

    fn expr(&mut self, expr: &Expr) -> Expr {
        if let ExprKind::Load(place) = &expr.kind
            && self.is_early(place, expr)
        {
            let known = self.found.iter().find(|known| {
                known.place == *place && known.path.iter().all(|cond| self.path.contains(cond))
            });
            let known = known.map(|known| known.held);
            if known.is_none() && self.found.len() == EARLY_LOADS {
                return expr.clone();
            }
            let held = known.unwrap_or_else(|| {
                let name = format!("{}_here", self.program[place.buffer].name);
                let held = self.program.add_scalar(&name, expr.ty, Role::Local);
                self.program[held].space = Space::Thread;
                self.found.push(Early { path: self.path.clone(), place: place.clone(), held });
                held
            });
            return self.program.load_scalar(held);
        }
        expr.with_operands(&mut |operand| self.expr(operand))
    }

    /// Whether the element is one of an array that nobody writes (another task might write others meanwhile), the same in
    /// all iterations, at an index that can be computed anywhere.
    fn is_early(&self, place: &Place, load: &Expr) -> bool {
        let plain = |part: &Expr| match &part.kind {
            ExprKind::Int(_) | ExprKind::Iter(_) | ExprKind::Extent(..) => true,
            ExprKind::Load(at) => at.index.is_empty(),
            ExprKind::Binary(op, ..) => matches!(op, BinOp::Add | BinOp::Sub | BinOp::Mul),
            _ => false,
        };
        !place.index.is_empty()
            && (load.ty.is_float() || load.ty == Ty::Bool)
            && self.program[place.buffer].layout == Layout::RowMajor
            && self.program[place.buffer].role == Role::Input
            && place.index.iter().all(|index| index.all(&mut |part| plain(part)))
            && self.inside.is_invariant(self.program, load)
    }
}
