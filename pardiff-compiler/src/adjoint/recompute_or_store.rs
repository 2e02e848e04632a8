//! Where the reverse sweep finds a value of the forward sweep. For a load `b[e]` in a statement `S`, the first that
//! applies of:
//!
//! 1. *In place*: `b` still exists, and no write to that element executes after `S`.
//! 2. *Its definition*, if `b` is a scalar that is assigned exactly once in its scope: recomputed where that is cheap and
//!    needs nothing stored that is not stored anyway, or little that varies with fewer loops; otherwise stored behind the
//!    definition. Functions such as `exp` are stored, unless they are made of what is in place.
//! 3. *The definition of its elements*, if `b` is a local array with one that is cheap: the array is recomputed, see
//!    `recompute`.
//! 4. *Kept*: `b` is a local array, no write to that element executes after `S` inside its scope, and a loop goes through its
//!    elements: the array lives in a tape, a copy for each instance of its scope.
//! 5. *Snapshot*: a loop nest around `S` reads `b` over and over and does not write it: the whole array is stored before
//!    the nest, or once for several nests, see `share_snapshots`.
//! 6. *At the use*: the value is stored before `S`, in a slot for the iterators that it varies with. Always exact.
//!
//! Conditions are recomputed from integers and from floats in place; one that needs float arithmetic is stored.

use super::COSTLY_VALUES;
use super::reverse_stmt::Sweep;
use super::structure::{Key, Structure, key};
use super::tape_layout::Tape;
use crate::ir::{
    BinOp, Block, BufferId, Expr, ExprKind, For, Kind, Origin, Phase, Place, Role, Stmt, Ty, UnOp,
};
use crate::limits::{INNER_VALUES_PER_OUTER, OPERATIONS_PER_STORE};
use crate::map::Map;
use crate::poly::AccessId;

/// Locals with one definition whose values the reverse sweep wants.
#[derive(Default)]
pub(super) struct Definitions {
    copies: Map<Key, BufferId>,
    tapes: Map<Key, Tape>,
}

impl Definitions {
    /// The copy that the reverse sweep computes of what `stmt` defines.
    pub(super) fn replayed(&self, stmt: &Stmt) -> Option<BufferId> {
        self.copies.get(&key(stmt)).copied()
    }

    /// Whether the reverse sweep has the value that `stmt` defines anyway, for statements behind it.
    pub(super) fn contains(&self, stmt: &Stmt) -> bool {
        self.copies.contains_key(&key(stmt)) || self.tapes.contains_key(&key(stmt))
    }
}

/// Whose body a block is.
#[derive(Clone, Copy, Default)]
pub(super) enum Body<'p> {
    /// Of a `Scope` that declares these.
    Scope(&'p [BufferId]),
    /// Of this counted loop.
    Loop(&'p Stmt),
    /// One that may not run where the statement that it belongs to does.
    #[default]
    Other,
}

/// Values to be stored at their use, in one block.
#[derive(Default)]
pub(super) struct Pending<'p> {
    /// Whose body the block is.
    pub(super) body: Body<'p>,
    /// The position in the block that is being reversed.
    pub(super) at: usize,
    pub(super) entries: Vec<Entry>,
}

pub(super) struct Entry {
    pub(super) expr: Expr,
    pub(super) tape: Tape,
    /// Stored before the statement at this position.
    pub(super) at: usize,
    /// Nothing that the value depends on was written between here and `at`.
    pub(super) open: bool,
    pub(super) origin: Origin,
}

impl<'p> Pending<'p> {
    /// Nothing yet.
    pub(super) fn new(body: Body<'p>) -> Pending<'p> {
        Pending { body, ..Pending::default() }
    }

    /// The stores, by the position of the statement that they precede.
    pub(super) fn stores(self) -> Map<usize, Block> {
        let mut stores: Map<usize, Block> = Map::default();
        for entry in self.entries {
            let store = Stmt::assign(entry.tape.place(&[]), entry.expr, entry.origin);
            stores.entry(entry.at).or_default().push(store);
        }
        stores
    }

    /// Moves the values of variables that do not change before their use to the block around this one, where a use
    /// before it finds them: one tape instead of two, and one store for all iterations of a loop.
    ///
    /// Out of the body of a `Scope`, which runs exactly when the scope does, if between its begin and the use nothing was
    /// written that the value depends on; what the scope itself declares stays. Out of the body of a counted loop, if nothing
    /// in the loop writes the variable: each iteration would store the same value in the same slot, as slots are found
    /// by the iterators of loops that write the variable. Where the loop has no iteration the slot is there as well, and nobody reads it.
    pub(super) fn leave(&mut self, structure: &Structure<'_>, around: &mut Pending<'_>) {
        let stays = |variable: BufferId| match self.body {
            Body::Scope(declared) => declared.contains(&variable),
            Body::Loop(looped) => structure.writes(variable).iter().any(|it| structure.is_inside(it, looped)),
            Body::Other => true,
        };
        let leaves = |entry: &Entry| match &entry.expr.kind {
            ExprKind::Load(place) => entry.open && place.index.is_empty() && !stays(place.buffer),
            _ => false,
        };
        let (left, kept) = std::mem::take(&mut self.entries).into_iter().partition(leaves);
        self.entries = kept;
        around.entries.extend(left.into_iter().map(|entry: Entry| Entry { at: around.at, ..entry }));
    }
}

/// How much may be recomputed for one value.
pub(super) struct Budget {
    /// Operations of floats, and parts of the expressions.
    operations: usize,
    parts: usize,
    /// Values of as many iterations that may be stored for it.
    stored: usize,
    /// The number of loops that the value varies with, and how many variables that vary with fewer of them may be stored for
    /// it; those that are.
    loops: usize,
    outer: usize,
    variables: Vec<BufferId>,
    /// Whether these are taken where it costs more than an operation to compute them again.
    takes_outer: bool,
    /// Locals that are recomputed for it.
    recomputed: Vec<BufferId>,
    /// Arrays that are stored as a whole for it.
    pub(super) copied: Vec<BufferId>,
}

impl<'p> Sweep<'p> {
    /// The value that `expr` has when `stmt` evaluates it, in the reverse sweep.
    pub(super) fn value_at(&mut self, expr: &Expr, stmt: &'p Stmt) -> Expr {
        match &expr.kind {
            ExprKind::Load(place) => self.load_at(place, expr.ty, stmt),
            ExprKind::Iter(iter) => {
                let names = self.region.loops.iter().find(|names| names.looped.iter == *iter);
                // the loops around a region have one iterator in both sweeps
                Expr::iter(names.map_or(*iter, |names| names.rev_iter), expr.ty)
            }
            ExprKind::Extent(buffer, dim) if !self.lives_here(*buffer) => {
                let declared = self.primal[*buffer].dims[*dim].clone();
                let scope = self.structure.scope(*buffer).expect("it is not at the level of the region");
                match declared.kind == expr.kind {
                    true => self.stored_at_use(expr, stmt),
                    false => self.value_at(&declared, scope),
                }
            }
            _ => expr.with_operands(&mut |operand| self.value_at(operand, stmt)),
        }
    }

    fn load_at(&mut self, place: &Place, ty: Ty, stmt: &'p Stmt) -> Expr {
        let buffer = place.buffer;
        let overwritten = self.overwritten_after(stmt, place);
        if self.lives_here(buffer) {
            if !overwritten {
                let index = self.index_at(place, stmt);
                return Place::new(buffer, index).load(ty);
            }
        } else if let Some(definition) = self.structure.single_definition(buffer) {
            return self.definition(definition, buffer, ty);
        } else if let Some(gate) = self.structure.conditional_definition(buffer)
            && self.can_be_chosen(gate, buffer, &mut self.budget(&place.clone().load(ty), gate))
        {
            return self.chosen(gate, buffer, ty);
        } else if self.can_be_remade(buffer) {
            let index = self.index_at(place, stmt);
            return Place::new(self.remade(buffer), index).load(ty);
        } else if !overwritten && self.is_best_kept(place, stmt) {
            let index = self.index_at(place, stmt);
            return self.kept_in_tape(buffer).load(index);
        }
        if let Some(nest) = self.stored_nest(place, stmt) {
            let index = self.index_at(place, stmt);
            return self.snapshot(buffer, nest).load(index);
        }
        self.stored_before(&place.clone().load(ty), self.analysis.at(place), stmt)
    }

    /// Whether all iterations of a loop that read an element read the same value of the same one: the array is there in front of
    /// the loop, the index does not vary, and no write comes between two of the reads. In
    /// `for i { if i != k { a[i] -= f * a[k] } }` that is `a[k]`.
    pub(super) fn is_constant_in(&self, read: AccessId, looped: &Stmt) -> bool {
        let access = self.analysis.access(read);
        let Some(each) = looped.as_for() else { return false };
        let is_fixed = |place: &Place| !place.index.iter().any(|index| self.structure.varies(index, looped));
        let scope = self.structure.scope(access.buffer);
        scope.is_none_or(|scope| self.structure.is_inside(looped, scope))
            && access.place.is_some_and(is_fixed)
            && self.analysis.affecting(each.iter, access.buffer, &[read]).is_no()
    }

    /// The index of an access of `stmt` in the reverse sweep.
    pub(super) fn index_at(&mut self, place: &Place, stmt: &'p Stmt) -> Vec<Expr> {
        place.index.iter().map(|index| self.value_at(index, stmt)).collect()
    }

    /// Whether the element that `read` reads may be written after it, inside the scope of its buffer: by program order
    /// and common loops, and where these do not decide by the indices.
    pub(super) fn overwritten_after(&self, read: &Stmt, place: &Place) -> bool {
        // what other iterations of the region's loop write is never what this one reads
        let here = |write: &&Stmt| !self.lives_around(place.buffer) || self.is_here(write);
        let mut writes = self.structure.writes(place.buffer).iter().filter(|write| here(write));
        if !writes.any(|write| self.structure.may_follow(read, write, place.buffer, self.region.root)) {
            return false;
        }
        // of a seam it does not matter whether the read ever runs: the second program has no such buffer
        if self.structure.writes(place.buffer).iter().any(|write| write.is_seam()) {
            return true;
        }
        let access = self.analysis.at(place);
        access.is_none_or(|access| !self.analysis.overwritten_after(access).answer.is_no())
    }

    /// The value of a scalar that `stmt` defines.
    pub(super) fn definition(&mut self, stmt: &'p Stmt, scalar: BufferId, ty: Ty) -> Expr {
        if let Some(&copy) = self.region.definitions.copies.get(&key(stmt)) {
            return self.out.load_scalar(copy);
        }
        if let Some(tape) = self.region.definitions.tapes.get(&key(stmt)) {
            return tape.load(Vec::new());
        }
        let Some((_, value)) = stmt.as_assign() else { unreachable!("a definition is an assignment") };
        let name = self.primal[scalar].name.clone();
        // what loops around compute is computed again there, once for all iterations, if not in each of them
        let at_hand = || Budget { takes_outer: true, ..self.budget(value, stmt) };
        if self.can_replay(value, stmt, &mut self.budget(value, stmt))
            || self.can_replay(value, stmt, &mut at_hand())
        {
            let copy = self.out.add_scalar(&name, ty, Role::Local);
            self.region.definitions.copies.insert(key(stmt), copy);
            return self.out.load_scalar(copy);
        }
        let tape = self.new_tape(&format!("{name}_tape"), ty, stmt, Vec::new(), |sweep, names| {
            sweep.structure.varies(value, names.stmt)
        });
        let origin = Origin { phase: Phase::Adjoint, ..stmt.origin };
        let store = Stmt::assign(tape.place(&[]), self.primal.load_scalar(scalar), origin);
        self.region.after.entry(key(stmt)).or_default().push(store);
        let load = tape.load(Vec::new());
        self.region.definitions.tapes.insert(key(stmt), tape);
        load
    }

    /// What may be spent on a value that `stmt` computes.
    fn budget(&self, value: &Expr, stmt: &'p Stmt) -> Budget {
        let loops: Vec<&For> = self.varied(value, stmt).collect();
        // the loops of fewer iterations than a value is worth store nothing less
        let is_short = loops
            .first()
            .is_some_and(|inner| trips(inner).is_some_and(|trips| trips < INNER_VALUES_PER_OUTER as i128));
        Budget {
            operations: OPERATIONS_PER_STORE,
            parts: 200,
            stored: 1,
            loops: loops.len(),
            outer: if is_short { 0 } else { INNER_VALUES_PER_OUTER },
            variables: Vec::new(),
            takes_outer: false,
            recomputed: Vec::new(),
            copied: Vec::new(),
        }
    }

    /// The counted loops that a value of `stmt` varies with, innermost first.
    fn varied<'s>(&'s self, value: &'s Expr, stmt: &'s Stmt) -> impl Iterator<Item = &'p For> + 's {
        let loops = self.structure.ancestors(stmt).filter(|looped| self.structure.varies(value, looped));
        loops.filter_map(|looped| looped.as_for())
    }

    /// Whether `stmt` may have a variable stored that varies with fewer loops than what it is needed for.
    fn is_outer(&self, variable: BufferId, stmt: &Stmt, budget: &mut Budget) -> bool {
        if budget.variables.contains(&variable) {
            return true;
        }
        let load = self.primal.load_scalar(variable);
        let is_outer =
            budget.variables.len() < budget.outer && self.varied(&load, stmt).count() < budget.loops;
        budget.variables.extend(is_outer.then_some(variable));
        is_outer
    }

    /// Whether `value`, the definition at `stmt`, is cheap to compute again from what is in place or stored anyway, and
    /// is no decision (integer or bool) made by float arithmetic.
    pub(super) fn can_replay(&self, value: &Expr, stmt: &Stmt, budget: &mut Budget) -> bool {
        let Some((parts, operations)) =
            budget.parts.checked_sub(1).zip(budget.operations.checked_sub(operations(value)))
        else {
            return false;
        };
        (budget.parts, budget.operations) = (parts, operations);
        match &value.kind {
            ExprKind::Load(place) => {
                let here = self.lives_here(place.buffer);
                if here || !place.index.is_empty() && self.is_best_kept(place, stmt) {
                    let is_there = !self.overwritten_after(stmt, place)
                        || budget.copied.contains(&place.buffer)
                        || self.stored_nest(place, stmt).is_some();
                    return is_there && place.index.iter().all(|index| self.can_replay(index, stmt, budget));
                }
                let Some(definition) = self.structure.single_definition(place.buffer) else {
                    let gate = self.structure.conditional_definition(place.buffer);
                    return gate.is_some_and(|gate| self.can_be_chosen(gate, place.buffer, budget))
                        || place.index.is_empty() && self.is_outer(place.buffer, stmt, budget);
                };
                if self.region.definitions.contains(definition) {
                    return true;
                }
                let Some((_, value)) = definition.as_assign() else { return false };
                if budget.recomputed.contains(&place.buffer) {
                    return true;
                }
                let (stored, operations, loops) = (budget.stored, budget.operations, budget.loops);
                let parts = budget.parts;
                let (variables, recomputed) = (budget.variables.len(), budget.recomputed.len());
                // what is stored for it has to vary with fewer loops than it does itself
                let own = self.varied(value, definition).count();
                budget.loops = loops.min(own);
                let spared = if budget.takes_outer && own < loops { operations.saturating_sub(1) } else { 0 };
                budget.operations -= spared;
                let replays = self.can_replay(value, definition, budget);
                budget.operations += spared;
                budget.loops = loops;
                if replays {
                    budget.recomputed.push(place.buffer);
                    return true;
                }
                budget.stored = stored;
                if own < loops {
                    // it is stored where it is defined, or computed again there: once for all iterations of the inner loop
                    (budget.operations, budget.parts) = (operations, parts);
                }
                budget.variables.truncate(variables);
                budget.recomputed.truncate(recomputed);
                if self.is_outer(place.buffer, definition, budget) {
                    return true;
                }
                budget.stored = stored.saturating_sub(1);
                stored > 0
            }
            ExprKind::Extent(buffer, _) => self.lives_here(*buffer),
            _ => {
                let is_cheap = match &value.kind {
                    ExprKind::Call(func, ..) => !value.ty.is_float() || func.cost().is_below_a_load(),
                    ExprKind::Apply(..) => false,
                    _ => true,
                };
                let cheap = is_cheap
                    || self.region.root.is_none()
                        && self.is_named(stmt)
                        && self.is_in_place(value, stmt, &mut budget.operations.clone());
                let decided_by_floats = !value.ty.is_float() && computes_floats(value);
                cheap
                    && !decided_by_floats
                    && operands(value).iter().all(|operand| self.can_replay(operand, stmt, budget))
            }
        }
    }

    /// Whether `stmt` gives a name to a part of an expression of the user.
    fn is_named(&self, stmt: &Stmt) -> bool {
        stmt.as_assign().is_some_and(|(target, _)| self.primal[target.buffer].origin == COSTLY_VALUES)
    }

    /// Whether `value` is made of what is in place alone. In memory a value costs as much as most functions, so that one of
    /// what is in place is called again, if that takes at most so many `operations`. What comes from a tape anyway was
    /// computed in a loop in order: there the forward sweep waits for the function, and the reverse sweep, which reads its
    /// tapes in their order, need not wait again.
    pub(super) fn is_in_place(&self, value: &Expr, stmt: &Stmt, operations: &mut usize) -> bool {
        if *operations == 0 {
            return false;
        }
        *operations -= 1;
        match &value.kind {
            ExprKind::Load(place) if self.lives_here(place.buffer) => {
                !self.overwritten_after(stmt, place)
                    && place.index.iter().all(|index| self.is_in_place(index, stmt, operations))
            }
            ExprKind::Load(place) => {
                let definition = self.structure.single_definition(place.buffer);
                definition.is_some_and(|definition| {
                    definition
                        .as_assign()
                        .is_some_and(|(_, value)| self.is_in_place(value, definition, operations))
                })
            }
            ExprKind::Extent(buffer, _) => self.lives_here(*buffer),
            _ => operands(value).iter().all(|operand| self.is_in_place(operand, stmt, operations)),
        }
    }

    /// The reverse sweep's copy of what `stmt` defines.
    pub(super) fn replay(&mut self, stmt: &'p Stmt, copy: BufferId) -> Stmt {
        let Some((_, value)) = stmt.as_assign() else { unreachable!("a definition is an assignment") };
        let value = self.value_at(value, stmt);
        Stmt::set(copy, value, Origin { phase: Phase::Replay, ..stmt.origin })
    }

    /// The condition of `stmt` in the reverse sweep.
    pub(super) fn condition(&mut self, cond: &Expr, stmt: &'p Stmt) -> Expr {
        if matches!(cond.kind, ExprKind::Load(_)) || self.can_replay(cond, stmt, &mut self.budget(cond, stmt))
        {
            return self.value_at(cond, stmt);
        }
        self.stored_at_use(cond, stmt)
    }
}

/// The direct operands.
pub(super) fn operands(expr: &Expr) -> Vec<&Expr> {
    match &expr.kind {
        ExprKind::Binary(_, lhs, rhs) => vec![lhs, rhs],
        _ => expr.operands().iter().collect(),
    }
}

/// The number of iterations, where it is a number.
fn trips(each: &For) -> Option<i128> {
    match (&each.lo.kind, &each.hi.kind) {
        (ExprKind::Int(lo), ExprKind::Int(hi)) => Some(hi - lo + i128::from(each.inclusive)),
        _ => None,
    }
}

/// The price of an operation itself, in additions of floats.
pub(super) fn operations(expr: &Expr) -> usize {
    match &expr.kind {
        ExprKind::Load(place) => usize::from(expr.ty.is_float() && !place.index.is_empty()),
        ExprKind::Iter(_) | ExprKind::Int(_) | ExprKind::Float(_) => 0,
        ExprKind::Binary(BinOp::Div | BinOp::Rem, ..) if expr.ty.is_float() => 6,
        _ => usize::from(expr.ty.is_float()),
    }
}

/// Whether the value depends on a float that is computed, not just loaded.
pub(super) fn computes_floats(expr: &Expr) -> bool {
    expr.any(&mut |part| {
        part.ty.is_float()
            && match &part.kind {
                ExprKind::Float(_)
                | ExprKind::Load(_)
                | ExprKind::Opaque(_)
                | ExprKind::Unary(UnOp::Neg, _) => false,
                ExprKind::Call(func, ..) => func.kind() == Kind::Float || func.arity() > 1,
                _ => true,
            }
    })
}
