//! How a loop reads its table.

use super::build::as_usize;
use super::columns::{Columns, Reach, Run};
use super::form::{self, Form};
use super::key::Keyed;
use crate::ir::{BinOp, Block, BufferId, Expr, ExprKind, For, Int, Place, Stmt, StmtKind, Ty};

/// The replacement of one run.
pub(super) struct Reading {
    path: Vec<(usize, usize)>,
    first: usize,
    end: usize,
    /// Where the table is read instead.
    cond: Expr,
    loads: Vec<(Place, Expr)>,
}

impl Reading {
    pub(super) fn new(
        keyed: &Keyed<'_>,
        each: &For,
        columns: &Columns,
        run: &Run,
        table: BufferId,
        count: &Expr,
    ) -> Reading {
        let At { key, is_below } = At::new(keyed, each, run, &columns.reaches);
        let cond = if is_below {
            Expr::binary(BinOp::Ne, count.clone(), Expr::usize(0))
        } else {
            Expr::binary(BinOp::Lt, key.clone(), count.clone())
        };
        let load = |&(buffer, column): &(BufferId, usize)| {
            let place = Place::new(table, vec![key.clone(), Expr::usize(column)]);
            (Place::scalar(buffer), place.load(columns.elem))
        };
        let loads = run.columns.iter().map(load).collect();
        Reading { path: run.path.clone(), first: run.first, end: run.end, cond, loads }
    }

    /// Puts the run into the other arm of a condition under which the columns are loaded.
    pub(super) fn replace(self, body: &mut Block) {
        let mut block = body;
        for (at, arm) in self.path {
            let inner = block.get_mut(at).and_then(|stmt| stmt.blocks_mut().into_iter().nth(arm));
            let Some(inner) = inner else { return };
            block = inner;
        }
        let Some(origin) = block.get(self.first).map(|stmt| stmt.origin) else { return };
        let els: Block = block.drain(self.first..self.end).collect();
        let loads = self.loads.into_iter().map(|(target, value)| StmtKind::Assign { target, value });
        let then = loads.map(|kind| Stmt::new(kind, origin)).collect();
        block.insert(self.first, Stmt::new(StmtKind::If { cond: self.cond, then, els }, origin));
    }
}

/// What is known where a run stands.
struct At {
    /// The key as a `usize`.
    key: Expr,
    /// Whether it is below the number of rows that the extents allow.
    is_below: bool,
}

impl At {
    fn new(keyed: &Keyed<'_>, each: &For, run: &Run, reaches: &[Reach]) -> At {
        let mut key = as_usize(keyed.key.clone());
        let mut checked = Vec::new();
        let mut around: &Block = &each.body;
        let positions = run.path.iter().map(|&(at, arm)| (at, Some(arm))).chain([(run.first, None)]);
        for (at, arm) in positions {
            for stmt in &around[..at] {
                if let Some((cond, _)) = stmt.as_check() {
                    bounds(keyed, cond, &mut checked);
                } else if let Some((scalar, _)) =
                    stmt.as_scalar_assign().filter(|(_, value)| value.ty == Ty::USIZE)
                {
                    let it = Place::scalar(scalar).load(Ty::USIZE);
                    if form::of_key(keyed, &it) == Some(Form { scale: 1, offset: 0 }) {
                        key = it;
                    }
                }
            }
            if let Some(arm) = arm
                && let Some(inner) = around[at].blocks().get(arm).copied()
            {
                around = inner;
            }
        }
        let narrow = matches!(keyed.key.ty, Ty::Int(Int::U8 | Int::U16 | Int::U32));
        let is_checked = |reach: &Reach| {
            checked.iter().any(|known: &Reach| {
                let (a, b) = (known.form, reach.form);
                known.extent == reach.extent && a.scale == b.scale && a.offset >= b.offset
            })
        };
        At { key, is_below: narrow && reaches.iter().all(is_checked) }
    }
}

/// The extents that forms of the key are below where the condition holds.
fn bounds(keyed: &Keyed<'_>, cond: &Expr, out: &mut Vec<Reach>) {
    let ExprKind::Binary(op, lhs, rhs) = &cond.kind else { return };
    match op {
        BinOp::BitAnd => {
            bounds(keyed, lhs, out);
            bounds(keyed, rhs, out);
        }
        BinOp::Lt | BinOp::Le => {
            let Some(mut form) = form::of_key(keyed, lhs) else { return };
            form.offset -= i128::from(*op == BinOp::Le);
            out.push(Reach { extent: (**rhs).clone(), form });
        }
        _ => {}
    }
}
