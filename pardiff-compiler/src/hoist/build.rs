//! The statements of a table: its size, the rows that are used, their values.

use super::columns::Columns;
use super::form;
use super::key::Keyed;
use super::reading::Reading;
use crate::ir::{
    BinOp, Block, Buffer, BufferId, Expr, ExprKind, For, Func, Iter, IterId, Origin, Place, Program, Role,
    Stmt, StmtKind, Ty,
};
use crate::limits::ITERATIONS_PER_TABLE_ROW;
use crate::map::Map;

/// A table that the loop reads already, to be put around it.
pub(super) struct Table {
    rows: BufferId,
    value: Expr,
    buffers: Vec<BufferId>,
    before: Block,
}

impl Table {
    /// The loop with the table before it.
    pub(super) fn around(self, stmt: Stmt, origin: Origin) -> Stmt {
        let mut body = self.before;
        body.push(stmt);
        let tables = Stmt::scope(self.buffers, body, origin);
        let body = vec![Stmt::set(self.rows, self.value, origin), tables];
        Stmt::scope(vec![self.rows], body, origin)
    }
}

/// Buffers and iterators that the program is to get.
pub(super) struct Fresh {
    pub(super) made: (Vec<Buffer>, Vec<Iter>),
    buffers: usize,
    iters: usize,
}

impl Fresh {
    pub(super) fn new(program: &Program) -> Fresh {
        let (buffers, iters) = (program.buffers.len(), program.iters.len());
        Fresh { made: (Vec::new(), Vec::new()), buffers, iters }
    }

    fn buffer(&mut self, name: &str, elem: Ty, dims: Vec<Expr>) -> BufferId {
        self.made.0.push(Buffer::new(name, elem, dims, Role::Local));
        BufferId((self.buffers + self.made.0.len() - 1) as u32)
    }

    fn iter(&mut self, name: &str) -> (IterId, Expr) {
        self.made.1.push(Iter { name: name.to_owned(), ty: Ty::USIZE });
        let iter = IterId((self.iters + self.made.1.len() - 1) as u32);
        (iter, Expr::iter(iter, Ty::USIZE))
    }
}

/// The table, and how the loop reads it.
pub(super) fn build(
    keyed: &Keyed<'_>,
    each: &For,
    columns: &Columns,
    origin: Origin,
    fresh: &mut Fresh,
) -> Option<(Table, Vec<Reading>)> {
    let program = keyed.program;
    let ExprKind::Load(index) = &keyed.key.kind else { return None };
    let (dim, of_iter) = form::of_iterator(program, index, each.iter)?;
    if !keyed.is_fixed(index.buffer) {
        return None;
    }
    let name = &program[index.buffer].name;
    let rows = fresh.buffer(&format!("{name}_rows"), Ty::USIZE, Vec::new());
    let count = Place::scalar(rows).load(Ty::USIZE);
    let used = fresh.buffer(&format!("{name}_used"), Ty::Bool, vec![count.clone()]);
    let dims = vec![count.clone(), Expr::usize(columns.count)];
    let table = fresh.buffer(&format!("{name}_table"), columns.elem, dims);

    // the iterations for which the index array has an element
    let available = of_iter.values_below(program[index.buffer].dims[dim].clone());
    let hi = call(Func::IntMin, each.hi.clone(), available);
    let few = Expr::binary(
        BinOp::Div,
        call(Func::SaturatingSub, hi.clone(), each.lo.clone()),
        Expr::usize(ITERATIONS_PER_TABLE_ROW),
    );
    let limits = columns.reaches.iter().map(|reach| reach.form.values_below(reach.extent.clone()));
    let limit = limits.reduce(|a, b| call(Func::IntMin, a, b))?;
    let is_worth = Expr::binary(BinOp::Le, limit.clone(), few);
    let value = Expr::select(is_worth, limit, Expr::usize(0));

    let stmt = |kind| Stmt::new(kind, origin);
    let assign = |target: Place, value: Expr| Stmt::assign(target, value, origin);
    let when = |cond: Expr, then: Block| Stmt::when(cond, then, origin);
    let (iter, row) = fresh.iter("row");
    let clear = vec![assign(Place::new(used, vec![row]), Expr::bool(false))];
    let clear = stmt(StmtKind::For(For::counted(iter, count.clone(), clear)));

    let (scan, at) = fresh.iter(&program[each.iter].name);
    let key = fresh.buffer("key", Ty::USIZE, Vec::new());
    let key_value = Place::scalar(key).load(Ty::USIZE);
    let element = keyed.key.at(each.iter, &at);
    let mark = when(
        Expr::binary(BinOp::Lt, key_value.clone(), count.clone()),
        vec![assign(Place::new(used, vec![key_value]), Expr::bool(true))],
    );
    let body = vec![assign(Place::scalar(key), as_usize(element)), mark];
    let body = vec![stmt(StmtKind::Scope { buffers: vec![key], body })];
    let scan = stmt(StmtKind::For(For { lo: each.lo.clone(), ..For::counted(scan, hi, body) }));
    let scan = when(Expr::binary(BinOp::Ne, count.clone(), Expr::usize(0)), vec![scan]);

    let (iter, row) = fresh.iter("row");
    let mut one = Row { keyed, columns, table, row: row.clone(), scalars: Map::default(), path: Vec::new() };
    let compute = one.block(&each.body, fresh)?;
    let compute = when(Place::new(used, vec![row]).load(Ty::Bool), compute);
    let compute = stmt(StmtKind::For(For::counted(iter, count.clone(), vec![compute])));

    let readings = columns.runs.iter().map(|run| Reading::new(keyed, each, columns, run, table, &count));
    let table = Table { rows, value, buffers: vec![used, table], before: vec![clear, scan, compute] };
    Some((table, readings.collect()))
}

fn call(func: Func, a: Expr, b: Expr) -> Expr {
    Expr::call(Ty::USIZE, func, vec![a, b])
}

/// `expr as usize`
pub(super) fn as_usize(expr: Expr) -> Expr {
    if expr.ty == Ty::USIZE { expr } else { expr.cast(Ty::USIZE) }
}

/// The computation of one row.
struct Row<'k, 'p> {
    keyed: &'k Keyed<'p>,
    columns: &'k Columns,
    table: BufferId,
    row: Expr,
    /// The row's own scalars.
    scalars: Map<BufferId, BufferId>,
    path: Vec<(usize, usize)>,
}

impl Row<'_, '_> {
    /// The statements of a block that the columns need, and a store behind each run.
    fn block(&mut self, block: &Block, fresh: &mut Fresh) -> Option<Block> {
        let mut out = Block::new();
        for (at, stmt) in block.iter().enumerate() {
            self.stmt(stmt, at, fresh, &mut out)?;
            let columns = self.columns;
            for run in columns.runs.iter().filter(|run| run.end == at + 1 && run.path == self.path) {
                for &(buffer, column) in &run.columns {
                    let value = Place::scalar(*self.scalars.get(&buffer)?).load(columns.elem);
                    let target = Place::new(self.table, vec![self.row.clone(), Expr::usize(column)]);
                    out.push(Stmt::assign(target, value, stmt.origin));
                }
            }
        }
        Some(out)
    }

    fn stmt(&mut self, stmt: &Stmt, at: usize, fresh: &mut Fresh, out: &mut Block) -> Option<()> {
        let mut inner = |row: &mut Self, arm: usize, block: &Block| {
            row.path.push((at, arm));
            let copy = row.block(block, fresh);
            row.path.pop();
            copy
        };
        let kind = match &stmt.kind {
            StmtKind::Assign { target, value } => {
                let Some(&own) = self.scalars.get(&target.buffer) else { return Some(()) };
                StmtKind::Assign { target: Place::scalar(own), value: self.expr(value)? }
            }
            StmtKind::Reduce { op, target, value, scheme } => {
                let Some(&own) = self.scalars.get(&target.buffer) else { return Some(()) };
                let value = self.expr(value)?;
                StmtKind::Reduce { op: *op, target: Place::scalar(own), value, scheme: *scheme }
            }
            StmtKind::If { cond, then, els } => {
                let (then, els) = (inner(self, 0, then)?, inner(self, 1, els)?);
                if then.is_empty() && els.is_empty() {
                    return Some(());
                }
                StmtKind::If { cond: self.expr(cond)?, then, els }
            }
            StmtKind::Scope { buffers, body } => {
                let mut own = Vec::new();
                for &buffer in buffers.iter().filter(|buffer| self.columns.needed.contains(buffer)) {
                    let it = &self.keyed.program[buffer];
                    own.push(fresh.buffer(&it.name, it.elem, Vec::new()));
                    self.scalars.insert(buffer, own[own.len() - 1]);
                }
                self.path.push((at, 0));
                let body = self.block(body, fresh);
                self.path.pop();
                let body = body?;
                if own.is_empty() {
                    out.extend(body);
                    return Some(());
                }
                StmtKind::Scope { buffers: own, body }
            }
            _ => return Some(()),
        };
        out.push(Stmt::new(kind, stmt.origin));
        Some(())
    }

    /// The expression with the row for the key.
    fn expr(&self, expr: &Expr) -> Option<Expr> {
        if let ExprKind::Int(_) = expr.kind {
            return Some(expr.clone());
        }
        if expr.ty.is_int() {
            let at = form::of_key(self.keyed, expr)?.at(self.row.clone());
            return Some(if expr.ty == Ty::USIZE { at } else { at.cast(expr.ty) });
        }
        if let ExprKind::Load(place) = &expr.kind
            && place.index.is_empty()
        {
            let own = self.scalars.get(&place.buffer);
            let is_known = own.is_some() || !self.keyed.scalars.contains_key(&place.buffer);
            return is_known.then(|| Place::scalar(*own.unwrap_or(&place.buffer)).load(expr.ty));
        }
        let mut whole = true;
        let copy = expr.with_operands(&mut |operand| match self.expr(operand) {
            Some(copy) => copy,
            None => {
                whole = false;
                operand.clone()
            }
        });
        whole.then_some(copy)
    }
}
