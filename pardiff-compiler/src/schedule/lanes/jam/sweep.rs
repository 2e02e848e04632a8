//! Rows of a sweep of a batch of iterations (see `batch`), several at once in each iteration.
//!
//! ```text
//! for t in 0..m                           for t in 0..middle step 4
//!   for l in 0..w                           for l in 0..w
//!     j = b + l + t                           j = b + l + t; …; j.4 = b + l + (t + 3)
//!     if j < n                                holds = j < n; …; holds.4 = j.4 < n
//!       s = 0.0                    =>         if holds & … & holds.4
//!       for x in 0..d lanes                     s = 0.0; …
//!         s += q[b + l, x] * k[j, x]            for x in 0..d lanes
//!       e[l, t] = s                               s += q[b + l, x] * k[j, x]; …; s.4 += q[b + l, x] * k[j.4, x]
//!                                               e[l, t] = s; …; e[l, t + 3] = s.4
//!                                             else
//!                                               for t.2 in t..t + 4
//!                                                 …
//!                                         for t in middle..m
//!                                           …
//! ```
//!
//! *Legality.* Iterations of a batch commute (see `batch`), so those of one row may change places with those of the next;
//! what is left is the legality of rows in one iteration, with statements before and behind, as in `around`. A condition
//! around all that follows is a statement before: it is evaluated for all rows at once, so it reads nothing that the rows
//! write but scalars of its own, and where it holds for all of them, they are rows without a condition. Where it does not,
//! they run one after the other. What stands under the condition is executed nowhere else, so that no check fails that was
//! not made. Checks in front of the iterations are made a few rows early; they read nothing that the sweep writes.

use super::nest::{Piece, Row, is_check};
use super::{Jam, price};
use crate::ir::Effects;
use crate::ir::scoped;
use crate::ir::substitute;
use crate::ir::{
    Block, BufferId, Expr, For, Origin, Place, Program, Role, Stmt, StmtKind, Ty, clone_stmts, written,
};

/// The body of an iteration whose rows may be executed together, as if its condition always held.
struct Open {
    body: Block,
    /// So many statements compute whether it holds, the last one a scalar that says it.
    head: usize,
}

impl Open {
    /// The body without the condition around all but assignments to its own scalars, if there is one.
    fn of(program: &mut Program, body: &Block) -> Open {
        let mut held = Vec::new();
        let mut rest = body;
        while let [Stmt { kind: StmtKind::Scope { buffers, body }, .. }] = &rest[..] {
            held.extend(buffers);
            rest = body;
        }
        let own = |stmt: &Stmt| stmt.as_assign().is_some_and(|(target, _)| is_scalar(target, &held));
        match rest.split_last() {
            Some((Stmt { kind: StmtKind::If { cond, then, els }, origin }, first))
                if els.is_empty() && first.iter().all(own) =>
            {
                let holds = program.add_scalar("holds", Ty::Bool, Role::Local);
                held.push(holds);
                let mut open = first.to_vec();
                let target = Place::scalar(holds);
                open.push(Stmt::assign(target, cond.clone(), *origin));
                let head = open.len();
                open.extend(then.iter().cloned());
                Open { body: scoped(held, open), head }
            }
            _ => Open { body: body.clone(), head: 0 },
        }
    }
}

fn is_scalar(target: &Place, held: &[BufferId]) -> bool {
    target.index.is_empty() && held.contains(&target.buffer)
}

impl Jam<'_> {
    /// The statements that take the place of a sweep of a batch, if several of its rows at once pay.
    pub(super) fn sweep(&mut self, each: &For, origin: Origin) -> Option<Block> {
        let (last, checks) = each.body.split_last()?;
        let turn = last.as_for()?;
        if !self.turns.contains(&turn.iter) || !self.may_be_early(checks, each) {
            return None;
        }
        let open = Open::of(self.program, &turn.body);
        let row = Row::around(self.program, &each.around(open.body))?;
        if !row.computes() || !is_apart(self.program, &row.piece, open.head) {
            return None;
        }
        let by = price::of_row(&row)?;
        self.made.push((each.iter, format!("sequential, {by} iterations together")));

        let (mut held, mut heads, mut conds) = (Vec::new(), Block::new(), Vec::new());
        let mut pieces = self.copies(&row.piece, each, by);
        for piece in &mut pieces {
            held.append(&mut piece.held);
            let rest = piece.before.split_off(open.head);
            heads.extend(std::mem::replace(&mut piece.before, rest));
            if let Some(Stmt { kind: StmtKind::Assign { target, .. }, .. }) = heads.last()
                && open.head > 0
            {
                conds.push(target.clone().load(Ty::Bool));
            }
        }
        let together = Jam::joined(pieces);
        match conds.into_iter().reduce(|a, b| a & b) {
            Some(cond) => {
                let els = self.one_by_one(each, &turn.body, by, origin);
                heads.push(Stmt::new(StmtKind::If { cond, then: together, els }, origin));
            }
            None => heads.extend(together),
        }
        let mut body = scoped(held, heads);
        let number = self.program.add_iter("turn", Ty::USIZE);
        substitute(&mut body, turn.iter, &Expr::iter(number, Ty::USIZE));
        let turns = For { iter: number, ..turn.around(body) };

        let mut tile = Block::new();
        for later in 0..by {
            let mut copy = checks.to_vec();
            if later > 0 {
                substitute(&mut copy, each.iter, &(Expr::iter(each.iter, Ty::USIZE) + Expr::usize(later)));
            }
            tile.extend(copy);
        }
        tile.push(turns.stmt(last.origin));
        Some(self.in_steps(each, by, tile, origin))
    }

    /// Whether the statements are checks that may be made for several iterations at once.
    fn may_be_early(&self, checks: &[Stmt], each: &For) -> bool {
        let writes = written(&each.body);
        checks.iter().all(is_check) && !Effects::of(self.program, checks).reads.meets(&writes)
    }

    /// The rows of a tile, one after the other.
    fn one_by_one(&mut self, each: &For, body: &Block, by: usize, origin: Origin) -> Block {
        let first = Expr::iter(each.iter, Ty::USIZE);
        let rows = each.around(body.clone());
        let mut copy = clone_stmts(self.program, &[rows.stmt(origin)]);
        if let [Stmt { kind: StmtKind::For(rows), .. }] = &mut copy[..] {
            (rows.lo, rows.hi) = (first.clone(), first + Expr::usize(by));
        }
        copy
    }
}

/// Whether what says that a condition holds shares nothing with the other statements before the loop of another row.
fn is_apart(program: &Program, piece: &Piece, head: usize) -> bool {
    let (first, rest) = piece.before.split_at(head.min(piece.before.len()));
    let [first, rest] = [first, rest].map(|block| Effects::of(program, block).without(&piece.held));
    !first.conflicts(&rest)
}
