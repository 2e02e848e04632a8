//! Rows that follow one another: what begins where the row in front of it ends covers everything from the first to the last.
//!
//! ```text
//! whole = 0 <= n & n <= len(start)
//! if whole
//!   for at in 0..n
//!     low = start[at]; high = start[at + 1]       # `whole = false` where they are outside of an array
//!     if at == 0
//!       from = low; to = low
//!     if low != to | high < low
//!       whole = false
//!     to = high
//! if len(d_a) < to
//!   whole = false
//! ```
//!
//! *Legality.* Where `whole` is true, the rows are `low..high` with `low` the `high` of the row in front: every number from
//! `from` to `to` is in exactly one of them, and no other number is. Nothing is believed of the array but what was looked at:
//! where a bound is beyond it, or the pointer falls, the adjoint is set to zero and added to, and the checks of the primal
//! say what they say. The look is no longer than the array that is looked at.
//!
//! *Price.* An assignment has no private copies, so that a loop in which elements are assigned runs in order where they are
//! not of one iteration each. Only rows that are meant to follow one another ([`is_partition`]) are looked at: those that
//! an index array picks (`start[material[i]]..start[material[i] + 1]`) come again, and windows overlap.

use super::polynomial::Polynomial;
use crate::ir::{
    Block, BufferId, Exec, Expr, ExprKind, For, Origin, Place, Program, Role, Stmt, StmtKind, Ty, UnOp,
};
use crate::poly::{Rows, elements_of};

/// Whether the formula of where a row ends is that of where the next one begins.
pub(super) fn is_partition(program: &Program, rows: &Rows) -> bool {
    let next = rows.start.at(rows.along, &(Expr::iter(rows.along, Ty::USIZE) + Expr::usize(1)));
    is_same(program, &plain(&next), &plain(&rows.end))
}

/// Whether two formulas are the same, as sums of products.
fn is_same(program: &Program, a: &Expr, b: &Expr) -> bool {
    match (&a.kind, &b.kind) {
        (ExprKind::Load(a), ExprKind::Load(b)) if !a.index.is_empty() => {
            a.buffer == b.buffer && a.index.iter().zip(&b.index).all(|(a, b)| is_same(program, a, b))
        }
        (ExprKind::Cast(from), ExprKind::Cast(to)) => a.ty == b.ty && is_same(program, from, to),
        _ if a == b => true,
        _ => match (Polynomial::of(program, a), Polynomial::of(program, b)) {
            (Some(a), Some(b)) => a == b,
            _ => match (&a.kind, &b.kind) {
                (ExprKind::Binary(op, a, c), ExprKind::Binary(other, b, d)) => {
                    op == other && is_same(program, a, b) && is_same(program, c, d)
                }
                _ => false,
            },
        },
    }
}

/// Variables that say whether rows follow one another, and from where to where; all of the array lies in front of them where
/// they do not.
#[derive(Clone)]
pub(super) struct Followed {
    pub(super) rows: Rows,
    pub(super) whole: BufferId,
    pub(super) from: BufferId,
    pub(super) to: BufferId,
}

impl Followed {
    pub(super) fn new(program: &mut Program, rows: Rows) -> Followed {
        let mut size = |name: &str| program.add_scalar(name, Ty::USIZE, Role::Local);
        let (from, to) = (size("from"), size("to"));
        Followed { rows, whole: program.add_scalar("whole", Ty::Bool, Role::Local), from, to }
    }

    pub(super) fn variables(&self) -> [BufferId; 3] {
        [self.whole, self.from, self.to]
    }

    /// The look at the rows; numbers that follow from where they end, and how large these may be.
    pub(super) fn look(
        &self,
        program: &mut Program,
        along: &For,
        ends: Vec<(Expr, Expr)>,
        origin: Origin,
    ) -> Block {
        let stmt = |kind| Stmt::new(kind, origin);
        let set = |scalar, value| Stmt::set(scalar, value, origin);
        let when = |cond, then| Stmt::when(cond, then, origin);
        let fails = || set(self.whole, Expr::bool(false));
        let [low, high] = ["low", "high"].map(|name| program.add_scalar(name, Ty::USIZE, Role::Local));
        let at = program.add_iter("at", Ty::USIZE);
        let here = Expr::iter(at, Ty::USIZE);
        let there = |expr: &Expr| expr.at(along.iter, &here);
        let (lo, hi) = (along.lo.wrapping(Ty::is_int), along.hi.wrapping(Ty::is_int));
        let (start, end) = (there(&self.rows.start), there(&self.rows.end));
        let load = |scalar| Place::scalar(scalar).load(Ty::USIZE);
        let breaks = load(low).differs(load(self.to)) | load(high).below(load(low));
        let mut body = vec![
            set(low, start.clone()),
            set(high, end.clone()),
            when(here.equal(lo.clone()), vec![set(self.from, load(low)), set(self.to, load(low))]),
            when(breaks, vec![fails()]),
            set(self.to, load(high)),
        ];
        let mut inside: Vec<Expr> = Vec::new();
        for place in [&start, &end].into_iter().flat_map(elements_of) {
            for (dim, index) in place.index.iter().enumerate() {
                let cond = index.clone().below(Expr::extent(place.buffer, dim));
                if !inside.contains(&cond) {
                    inside.push(cond);
                }
            }
        }
        for cond in inside.into_iter().rev() {
            body = vec![stmt(StmtKind::If { cond, then: body, els: vec![fails()] })];
        }
        let array = [&start, &end].into_iter().flat_map(elements_of).map(|place| place.buffer).next();
        let longest = array.map_or(Expr::usize(0), |array| Expr::extent(array, 0));
        let counted = lo.clone().at_most(hi.clone()) & hi.clone().at_most(longest);
        let most = Expr::unary(UnOp::Not, Expr::usize(0));
        let pass = For { lo, exec: Exec::Sequential, ..For::counted(at, hi, body) };
        let look = stmt(StmtKind::Scope { buffers: vec![low, high], body: vec![stmt(StmtKind::For(pass))] });
        let mut block = vec![
            set(self.from, Expr::usize(0)),
            set(self.to, Expr::usize(0)),
            set(self.whole, counted),
            when(program.load_scalar(self.whole), vec![look]),
        ];
        block.extend(ends.into_iter().map(|(end, len)| when(len.below(end), vec![fails()])));
        let nothing = vec![set(self.from, most.clone()), set(self.to, most)];
        block.push(when(!program.load_scalar(self.whole), nothing));
        block
    }
}

/// The expression by operations that may panic, to compare it.
fn plain(expr: &Expr) -> Expr {
    expr.map(&mut |node| match node.modular() {
        Some((op, lhs, rhs)) => Expr::binary(op, lhs.clone(), rhs.clone()),
        None => node,
    })
}
