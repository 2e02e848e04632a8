//! Where everything stands in the primal program: the order of statements, their loops, the scope of every buffer and
//! everything that writes it. All questions about *when* a value can change are answered here.

use crate::ir::{BinOp, BufferId, Expr, ExprKind, IterId, Program, Role, Stmt};
use crate::map::Map;

/// A statement of the primal program by its address, which is stable while the program is borrowed.
pub(super) type Key = *const Stmt;

/// The key of a statement.
pub(super) fn key(stmt: &Stmt) -> Key {
    stmt
}

/// What is known of a statement's place.
struct Position<'p> {
    /// Rank in program order, parents before children.
    order: usize,
    /// The rank behind everything inside.
    end: usize,
    /// The statement around it.
    parent: Option<&'p Stmt>,
}

/// What is known of a buffer.
#[derive(Default)]
struct Life<'p> {
    /// The `Scope` that declares it; `None` for parameters, results and tables.
    scope: Option<&'p Stmt>,
    /// Every statement that may write it.
    writes: Vec<&'p Stmt>,
}

/// The places of all statements and buffers of a program.
pub(super) struct Structure<'p> {
    program: &'p Program,
    positions: Map<Key, Position<'p>>,
    lives: Vec<Life<'p>>,
    loops: Map<IterId, &'p Stmt>,
}

impl<'p> Structure<'p> {
    pub(super) fn of(program: &'p Program) -> Structure<'p> {
        let lives = program.buffers.iter().map(|_| Life::default()).collect();
        let mut structure = Structure { program, positions: Map::default(), lives, loops: Map::default() };
        program.body.iter().for_each(|stmt| structure.place(stmt, None));
        structure
    }

    fn place(&mut self, stmt: &'p Stmt, parent: Option<&'p Stmt>) {
        let order = self.positions.len();
        self.positions.insert(key(stmt), Position { order, end: order, parent });
        stmt.writes_itself(&mut |buffer| self.lives[buffer.0 as usize].writes.push(stmt));
        stmt.declares().iter().for_each(|it| self.lives[it.0 as usize].scope = Some(stmt));
        self.loops.extend(stmt.iter().map(|iter| (iter, stmt)));
        stmt.each_block(&mut |block| block.iter().for_each(|inner| self.place(inner, Some(stmt))));
        let end = self.positions.len();
        if let Some(position) = self.positions.get_mut(&key(stmt)) {
            position.end = end;
        }
    }

    /// The statement around `stmt`.
    pub(super) fn parent(&self, stmt: &Stmt) -> Option<&'p Stmt> {
        self.positions[&key(stmt)].parent
    }

    /// Rank in program order, parents before children.
    pub(super) fn order(&self, stmt: &Stmt) -> usize {
        self.positions[&key(stmt)].order
    }

    /// The statements around `stmt`, innermost first.
    pub(super) fn ancestors(&self, stmt: &Stmt) -> impl Iterator<Item = &'p Stmt> + Clone {
        std::iter::successors(self.parent(stmt), |outer| self.parent(outer))
    }

    /// Whether `inner` stands inside `outer`.
    pub(super) fn is_inside(&self, inner: &Stmt, outer: &Stmt) -> bool {
        let at = self.order(inner);
        self.positions.get(&key(outer)).is_some_and(|outer| outer.order < at && at < outer.end)
    }

    /// The scope that declares `buffer`; `None` for parameters, results and tables.
    pub(super) fn scope(&self, buffer: BufferId) -> Option<&'p Stmt> {
        self.lives[buffer.0 as usize].scope
    }

    /// Everything that may write `buffer`.
    pub(super) fn writes(&self, buffer: BufferId) -> &[&'p Stmt] {
        &self.lives[buffer.0 as usize].writes
    }

    /// Whether an instance of `write` may execute after an instance of `read` (both accesses of `buffer`) within one
    /// instance of the buffer's scope, and one iteration of `root`, by program order and common loops alone. A statement's
    /// own write counts.
    pub(super) fn may_follow(
        &self,
        read: &Stmt,
        write: &Stmt,
        buffer: BufferId,
        root: Option<&Stmt>,
    ) -> bool {
        if self.order(write) >= self.order(read) {
            return true;
        }
        let scope = self.scope(buffer);
        let inside_scope = |stmt: &&Stmt| scope.is_none_or(|scope| self.is_inside(stmt, scope));
        self.ancestors(read)
            .take_while(|stmt| !root.is_some_and(|root| std::ptr::eq(*stmt, root)))
            .filter(|stmt| stmt.is_loop())
            .filter(inside_scope)
            .any(|looped| self.is_inside(write, looped) || std::ptr::eq(write, looped))
    }

    /// Whether `buffer` is a number.
    pub(super) fn is_scalar(&self, buffer: BufferId) -> bool {
        self.program[buffer].rank() == 0
    }

    /// The one statement that defines the scalar `buffer`: its only write, standing directly in its scope, so that
    /// it executes exactly once in each instance of the scope and before everything behind it.
    pub(super) fn single_definition(&self, buffer: BufferId) -> Option<&'p Stmt> {
        let scope = self.scope(buffer)?;
        let [write] = self.writes(buffer) else { return None };
        let plain = write.as_assign().is_some() && self.is_scalar(buffer);
        let direct = self.parent(write).is_some_and(|parent| std::ptr::eq(parent, scope));
        (plain && direct).then_some(write)
    }

    /// The value of that statement.
    pub(super) fn definition(&self, buffer: BufferId) -> Option<&'p Expr> {
        Some(self.single_definition(buffer)?.as_assign()?.1)
    }

    /// Whether the value of `expr`, evaluated inside `looped`, may differ between iterations of `looped`.
    pub(super) fn varies(&self, expr: &Expr, looped: &Stmt) -> bool {
        expr.any(&mut |part| match &part.kind {
            ExprKind::Iter(iter) => {
                let own = self.loops[iter];
                std::ptr::eq(own, looped)
                    || self.is_inside(own, looped)
                        // how often a `While` iterates may differ each time
                        && (own.as_while().is_some()
                            || own.exprs().iter().any(|bound| self.varies(bound, looped)))
            }
            ExprKind::Load(place) => self.content_varies(place.buffer, looped),
            ExprKind::Extent(buffer, dim) => match &self.program[*buffer].dims[*dim] {
                dims if dims.kind == part.kind => self.content_varies(*buffer, looped),
                dims => self.varies(dims, looped),
            },
            _ => false,
        })
    }

    /// Whether elements of `buffer` may hold different values in different iterations of `looped`.
    fn content_varies(&self, buffer: BufferId, looped: &Stmt) -> bool {
        if let Some(value) = self.definition(buffer) {
            let scope = self.scope(buffer).expect("a defined scalar has a scope");
            return self.is_inside(scope, looped) && self.varies(value, looped);
        }
        self.writes(buffer).iter().any(|write| self.is_inside(write, looped))
    }

    /// Whether the condition `outer` around `stmt` passes over it only in the last iteration of the `While` around both: the
    /// other branch always clears a flag without which there is no next one, and nothing in the loop sets it.
    pub(super) fn passes_over_last(&self, outer: &Stmt, stmt: &Stmt) -> bool {
        let Some((_, then, els)) = outer.as_if() else { return false };
        let around = self.ancestors(outer).find(|around| around.is_loop());
        let Some((looped, cond)) = around.and_then(|it| Some((it, &it.as_while()?.cond))) else {
            return false;
        };
        let inside =
            |block: &[Stmt]| block.iter().any(|it| std::ptr::eq(it, stmt) || self.is_inside(stmt, it));
        let other = if inside(then) { els } else { then };
        let clears = |it: &Stmt| {
            it.as_assign().is_some_and(|(target, value)| {
                value.kind == ExprKind::Bool(false) && requires(cond, target.buffer)
            })
        };
        other.iter().filter(|it| clears(it)).any(|clearing| {
            let Some((flag, _)) = clearing.as_assign() else { return false };
            let sets = |write: &&Stmt| self.is_inside(write, looped) && !clears(write);
            flag.index.is_empty() && !self.writes(flag.buffer).iter().any(sets)
        })
    }

    /// Whether `buffer` is never written: what is read from it is always in place.
    pub(super) fn is_constant(&self, buffer: BufferId) -> bool {
        let role = self.program[buffer].role;
        let is_given = matches!(role, Role::Input | Role::InOut | Role::Table(_));
        self.writes(buffer).is_empty()
            && (is_given || role.derivative().is_some())
            && self.scope(buffer).is_none()
    }
}

/// Whether the condition does not hold where `flag` is false.
fn requires(cond: &Expr, flag: BufferId) -> bool {
    match &cond.kind {
        ExprKind::Load(place) => place.buffer == flag,
        ExprKind::Binary(BinOp::BitAnd, lhs, rhs) => requires(lhs, flag) || requires(rhs, flag),
        _ => false,
    }
}
