//! Rows behind an index: accesses of one array at `base + k`, where `base` differs between the lanes and the `k` are
//! numbers, are made together, a row of memory for each lane, transposed in registers.
//!
//! ```text
//! t = x[base + 3]                    let (row, inside) = rows(x, base + 3);    // elements 3, 4 and 5 of eight rows
//! u = x[base + 4] - x[base + 5]  =>  t = row[0]
//!                                    u = row[1] - row[2]
//! d_x[base] += t                     let first = t;
//! d_x[base + 1] += u                 let second = u;
//! d_x[base + 2] += v                 add_rows(d_x, base, [first, second, v])
//! ```
//!
//! *Legality.* All accesses of a group stand in one list of statements, so they are made under one mask, and nothing
//! between them writes what `base` is made of: their positions differ by the same numbers in every lane. The array of a
//! gather is not written in the loop, so it may be read at the first access, and elements between the first and the
//! last of a row may be read with them: they exist if both ends do. If a row is not inside the array, what exists of
//! it is read, and each access checks its own elements where it stands, after the checks before it. The updates of a
//! scatter are delayed to the last one: in between nothing reads the array, or does anything but add to it. They have no
//! gaps, because what lies between might be another chunk's. Rows are added lane after lane, as single elements are, so
//! the additions to an element keep their order unless rows of different lanes overlap in part.

use super::{Context, Lanes};
use crate::backend::rust::{Code, code, literal};
use crate::ir::{BinOp, Block, BufferId, BufferSet, Expr, ExprKind, Place, ReduceOp, Stmt, StmtKind, Ty};
use proc_macro2::Ident;
use std::collections::HashMap;

/// Fewer accesses than these are made one by one: the transposition is of eight elements anyway.
const LEAST: usize = 3;

/// The longest row, in elements.
const LONGEST: i128 = 16;

/// An access of a group: the address of its statement, the element, and its number in the row.
type Member = (usize, Place, usize);

/// Accesses that are made together.
pub(super) struct Group {
    members: Vec<Member>,
    /// The position of the row's first element.
    start: Expr,
    /// The number of its elements.
    width: usize,
    /// Whether the row is added to.
    sums: bool,
    /// The locals of each copy of the body: the positions, and for gathers the row and whether it is inside; for
    /// scatters the value of each element.
    locals: HashMap<usize, Locals>,
}

#[derive(Clone)]
struct Locals {
    start: Ident,
    inside: Ident,
    columns: Vec<Ident>,
    mask: Option<Ident>,
}

/// Accesses of one array that differ by numbers.
struct Open {
    buffer: BufferId,
    base: Expr,
    sums: bool,
    members: Vec<(usize, Place, Expr, i128)>,
}

impl Lanes<'_, '_> {
    /// Finds the groups of a block, which stand in it or in scopes in it.
    pub(super) fn find_rows(&self, block: &Block) {
        let mut stmts = Vec::new();
        flatten(block, &mut stmts);
        let mut open: Vec<Open> = Vec::new();
        self.order.borrow_mut().extend(stmts.iter().map(|stmt| address(stmt)));
        for stmt in stmts {
            self.join_rows(stmt, &mut open);
            let kills = self.killed_by(stmt);
            let (closed, still): (Vec<Open>, Vec<Open>) = open.into_iter().partition(|group| kills(group));
            closed.into_iter().for_each(|group| self.close_rows(group));
            open = still;
        }
        open.into_iter().for_each(|group| self.close_rows(group));
    }

    /// Adds the accesses of a statement to the groups.
    fn join_rows(&self, stmt: &Stmt, open: &mut Vec<Open>) {
        let mut join = |place: &Place, sums: bool| {
            if self.is_record(place) {
                return;
            }
            let position = self.emitter.position(place);
            if !self.index_varies(place) || self.own.contains(place.buffer) || self.split(&position).is_some()
            {
                return;
            }
            let (base, offset) = offset_of(&position);
            let same = |it: &&mut Open| it.buffer == place.buffer && it.sums == sums && it.base == base;
            let member = (address(stmt), place.clone(), position, offset);
            match open.iter_mut().find(same) {
                Some(group) => group.members.push(member),
                None => open.push(Open { buffer: place.buffer, base, sums, members: vec![member] }),
            }
        };
        let (StmtKind::Assign { value, .. } | StmtKind::Reduce { value, .. }) = &stmt.kind else { return };
        value.walk(&mut |expr| {
            if let ExprKind::Load(place) = &expr.kind
                && expr.ty.is_float()
                && !self.written.contains(place.buffer)
            {
                join(place, false);
            }
        });
        if let StmtKind::Reduce { op: ReduceOp::Add, target, value, .. } = &stmt.kind
            && value.ty.is_float()
        {
            join(target, true);
        }
    }

    /// Which groups end behind a statement: those whose base it writes, and those of sums whose array it reads or does
    /// anything to but add to it.
    fn killed_by(&self, stmt: &Stmt) -> impl Fn(&Open) -> bool {
        let mut writes = BufferSet::new();
        stmt.writes(&mut |buffer| _ = writes.insert(buffer));
        let mut others = Vec::new();
        stmt.walk(&mut |stmt| {
            for expr in stmt.exprs() {
                expr.walk(&mut |expr| {
                    if let ExprKind::Load(place) = &expr.kind {
                        others.push(place.buffer);
                    }
                });
            }
            match &stmt.kind {
                StmtKind::Reduce { op: ReduceOp::Add, .. } => {}
                StmtKind::Assign { target, .. } | StmtKind::Reduce { target, .. } => {
                    others.push(target.buffer)
                }
                _ => {}
            }
        });
        move |group| {
            let mut moves = false;
            group.base.walk(&mut |expr| {
                moves |= matches!(&expr.kind, ExprKind::Load(place) if writes.contains(place.buffer));
            });
            moves || group.sums && others.contains(&group.buffer)
        }
    }

    /// Keeps what is long enough of a group, in rows that are not too long.
    fn close_rows(&self, mut group: Open) {
        group.members.sort_by_key(|(_, _, _, offset)| *offset);
        let apart = if group.sums { 1 } else { 4 };
        let mut rest = &group.members[..];
        while let Some((_, _, start, first)) = rest.first() {
            let mut len = 1;
            while len < rest.len() && rest[len].3 - rest[len - 1].3 <= apart && rest[len].3 - first < LONGEST
            {
                len += 1;
            }
            let (row, others) = rest.split_at(len);
            let column = |offset: i128| usize::try_from(offset - first).unwrap_or_default();
            let width = column(row[len - 1].3) + 1;
            let mut columns: Vec<i128> = row.iter().map(|member| member.3).collect();
            columns.dedup();
            if columns.len() >= LEAST {
                let member = |it: &(usize, Place, Expr, i128)| (it.0, it.1.clone(), column(it.3));
                self.rows.borrow_mut().push(Group {
                    members: row.iter().map(member).collect(),
                    start: start.clone(),
                    width,
                    sums: group.sums,
                    locals: HashMap::new(),
                });
            }
            rest = others;
        }
    }

    /// The group of an access of the statement that is being written, and its number in the row. A block that is written
    /// twice has its groups twice; the last ones count.
    fn group_of(&self, place: &Place, sums: bool) -> Option<(usize, usize)> {
        let here = self.here.get();
        let groups = self.rows.borrow();
        groups.iter().enumerate().rev().find_map(|(at, group)| {
            let mut members = group.members.iter().filter(|_| group.sums == sums);
            members.find(|(stmt, it, _)| *stmt == here && it == place).map(|(_, _, column)| (at, *column))
        })
    }

    /// The locals of a group in a copy of the body; the first time, `declare` says how they are made.
    fn locals_of(
        &self,
        at: usize,
        context: &Context,
        declare: impl FnOnce(&Expr, usize, &Locals),
    ) -> Option<Locals> {
        let known = self.rows.borrow()[at].locals.get(&context.part).cloned();
        if let Some(locals) = known {
            return (locals.mask == context.mask).then_some(locals);
        }
        let (start, width, sums) = {
            let group = &self.rows.borrow()[at];
            (group.start.clone(), group.width, group.sums)
        };
        let columns = if sums { width } else { 1 };
        let locals = Locals {
            start: self.emitter.fresh("row_start"),
            inside: self.emitter.fresh("row_inside"),
            columns: (0..columns).map(|_| self.emitter.fresh("row")).collect(),
            mask: context.mask.clone(),
        };
        declare(&start, width, &locals);
        self.rows.borrow_mut()[at].locals.insert(context.part, locals.clone());
        Some(locals)
    }

    fn row_mask(&self, context: &Context) -> Code {
        context.mask.as_ref().map_or_else(|| code!(S::Mask::splat(true)), |mask| code!(#mask))
    }

    /// An element that is gathered with others.
    pub(super) fn row_element(&self, place: &Place, ty: Ty, context: &Context) -> Option<Code> {
        let (group, column) = self.group_of(place, false)?;
        let (runtime, array) = (&self.emitter.runtime, self.emitter.storage(place.buffer).name());
        let mask = self.row_mask(context);
        let locals = self.locals_of(group, context, |start, width, locals| {
            let Locals { start: name, inside, columns, .. } = locals;
            let (position, width, ty) = (self.array(start, context), literal::usize(width), self.ty(ty));
            self.prelude.borrow_mut().push(code! {
                let #name: [usize; 8] = #position;
                let (#(#columns)*, #inside): ([#ty; #width], bool) =
                    unsafe { #runtime::access::rows(#array, #name, #mask) };
            });
        })?;
        let Locals { start, inside, columns, .. } = locals;
        let (row, column, site) = (&columns[0], literal::usize(column), self.emitter.site(place));
        Some(code! {{
            if !#inside { #runtime::access::check_column(#array, #start, #column, #mask, #site); }
            #row[#column]
        }})
    }

    /// An update that is made with others, at the last of them.
    pub(super) fn row_sum(&self, target: &Place, value: &Expr, context: &Context) -> Option<Code> {
        let (at, column) = self.group_of(target, true)?;
        let Locals { start: name, columns, .. } = self.locals_of(at, context, |_, _, _| {})?;
        let (here, lanes, ty) = (self.here.get(), self.value(value, context), self.ty(value.ty));
        let groups = self.rows.borrow();
        let group = &groups[at];
        // members are in the order of their columns, statements in that of the source
        let order = |stmt: usize| self.order.borrow().iter().position(|it| *it == stmt);
        let same = |(_, _, it): &&Member| *it == column;
        let is_first = group.members.iter().filter(same).all(|(stmt, _, _)| order(*stmt) >= order(here));
        let is_last = group.members.iter().all(|(stmt, _, _)| order(*stmt) <= order(here));
        let local = &columns[column];
        let update = match is_first {
            true => code!(let #local: #ty = #lanes;),
            false => code!(let #local: #ty = #local + (#lanes);),
        };
        if !is_last {
            return Some(update);
        }
        let (runtime, array) = (&self.emitter.runtime, self.emitter.storage(target.buffer).name());
        let (position, mask) = (self.array(&group.start, context), self.row_mask(context));
        let sites = (0..group.width).filter_map(|column| {
            group
                .members
                .iter()
                .find(|member| member.2 == column)
                .map(|(_, place, _)| self.emitter.site(place))
        });
        Some(code! {
            #update
            let #name: [usize; 8] = #position;
            unsafe { #runtime::access::add_rows(#array, #name, [#(#columns),*], #mask, &[#(#sites),*]) };
        })
    }
}

/// The statements of a block, those of scopes in their place.
fn flatten<'b>(block: &'b Block, out: &mut Vec<&'b Stmt>) {
    for stmt in block {
        match &stmt.kind {
            StmtKind::Scope { body, .. } => flatten(body, out),
            _ => out.push(stmt),
        }
    }
}

/// What tells a statement from all others while the loop is written.
pub(super) fn address(stmt: &Stmt) -> usize {
    std::ptr::from_ref(stmt).addr()
}

/// A position as a number behind something else, modulo the width of `usize`.
pub(super) fn offset_of(expr: &Expr) -> (Expr, i128) {
    let number = |expr: &Expr| match expr.kind {
        ExprKind::Int(number) => Some(number),
        _ => None,
    };
    match &expr.kind {
        ExprKind::Binary(BinOp::Add, a, b) => match (number(a), number(b)) {
            (_, Some(by)) => behind(a, by),
            (Some(by), _) => behind(b, by),
            _ => {
                let ((a, x), (b, y)) = (offset_of(a), offset_of(b));
                (Expr::binary(BinOp::Add, a, b), x + y)
            }
        },
        ExprKind::Binary(BinOp::Sub, a, b) => match number(b) {
            Some(by) => behind(a, -by),
            None => {
                let ((a, x), (b, y)) = (offset_of(a), offset_of(b));
                (Expr::binary(BinOp::Sub, a, b), x - y)
            }
        },
        ExprKind::Binary(BinOp::Mul, a, b) => match (number(a), number(b)) {
            (None, Some(by)) => times(a, by, |a| Expr::binary(BinOp::Mul, a, (**b).clone())),
            (Some(by), None) => times(b, by, |b| Expr::binary(BinOp::Mul, (**a).clone(), b)),
            _ => (expr.clone(), 0),
        },
        _ => (expr.clone(), 0),
    }
}

fn behind(expr: &Expr, by: i128) -> (Expr, i128) {
    let (base, offset) = offset_of(expr);
    (base, offset + by)
}

fn times(expr: &Expr, by: i128, product: impl Fn(Expr) -> Expr) -> (Expr, i128) {
    let (base, offset) = offset_of(expr);
    match offset.checked_mul(by) {
        Some(offset) => (product(base), offset),
        None => (product(expr.clone()), 0),
    }
}
