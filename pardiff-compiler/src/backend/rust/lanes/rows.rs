//! Rows behind an index, or at equal distances: accesses of one array at `base + k`, where `base` differs between the lanes
//! and the `k` are numbers, are made together, a row of memory for each lane, transposed in registers.
//!
//! ```text
//! t = x[base + 3]                    let row = rows(x, base + 3);    // elements 3, 4 and 5 of eight rows
//! u = x[base + 4] - x[base + 5]  =>  t = row[0]
//!                                    u = row[1] - row[2]
//! d_x[base] += t                     let first = t;
//! d_x[base + 1] += u                 let second = u;
//! d_x[base + 2] += v                 add_rows(d_x, base, [first, second, v])
//! ```
//!
//! [`row_updates`](super::row_updates) writes the sums, and elements that are assigned in the same way.
//!
//! *Legality.* Nothing between the accesses of a group writes what `base` is made of: their positions differ by the
//! same numbers in every lane. The array of a gather is not written in the loop, so it may be read at the first access,
//! for all lanes that come there: later ones under conditions ask for no other lanes. If the first access itself stands
//! under a condition that is the same in all iterations, the row is read before that condition, where it holds; only
//! accesses under the same condition are of the group. Elements that no lane asks for, between the others or under a
//! condition that does not hold, are read if they exist: reading is all that happens to them. If a row is not inside
//! the array and all its accesses are made where the first one is, an access that is made fails, and the row fails for
//! it. Else what exists of it is read, and each access checks its own elements where it stands. All sums of a group
//! stand in one list of statements, so they are made under one mask. The updates of a scatter are delayed to the last
//! one: in between nothing reads the array, or does anything but add to it; a sum that reads it begins another group.
//! They have no gaps, because what lies between might be another chunk's. Rows are added lane after lane, as single
//! elements are, so the additions to an element keep their order unless rows of different lanes overlap in part.
//! Assignments are delayed in the same way, over nothing that touches the array but assignments to other elements of
//! the row; no two iterations of a loop in lanes assign one element.

use super::Lanes;
use super::index::Stride;
use crate::backend::rust::Code;
use crate::ir::Update;
use crate::ir::{
    BinOp, Block, BufferId, BufferSet, Expr, ExprKind, Flavour, Func, Place, ReduceOp, Stmt, StmtKind, Ty,
    offset_of,
};
use crate::limits::{ACCESSES_OF_A_LANE_ROW, ELEMENTS_OF_A_VECTOR, LONGEST_LANE_ROW};
use proc_macro2::Ident;
use std::borrow::Cow;
use std::collections::HashMap;

/// An access of a group: the address of its statement, the element, and its number in the row.
type Member = (usize, Place, usize);

/// What is done with a row.
#[derive(Clone, PartialEq)]
pub(super) enum Kind {
    Read,
    Add,
    /// It is assigned; where a condition is given and does not hold, added to.
    Set(Option<Expr>),
}

/// Accesses that are made together.
pub(super) struct Group {
    pub(super) members: Vec<Member>,
    /// The position of the row's first element.
    pub(super) start: Expr,
    /// The number of its elements.
    pub(super) width: usize,
    pub(super) kind: Kind,
    /// Whether all accesses are made where the first one is.
    pub(super) is_whole: bool,
    /// Where it is read, if that is before the statement of its first access.
    pub(super) gate: Option<Gate>,
    /// The locals of each copy of the body: the positions, and for gathers the row and, if it is not whole, whether it
    /// is inside; for scatters the value of each element.
    pub(super) locals: HashMap<usize, Locals>,
}

#[derive(Clone)]
pub(super) struct Locals {
    pub(super) at: Code,
    pub(super) start: Ident,
    pub(super) inside: Ident,
    pub(super) columns: Vec<Ident>,
}

/// A row that is read before a condition, if that holds.
#[derive(Clone)]
pub(super) struct Gate {
    /// The address of the outermost condition.
    pub(super) stmt: usize,
    /// The arms, from the outermost on.
    pub(super) arms: Vec<Arm>,
}

/// An arm of a condition: its statement, and whether it is the one where the condition holds.
#[derive(Clone)]
pub(super) struct Arm {
    pub(super) stmt: usize,
    pub(super) cond: Expr,
    pub(super) holds: bool,
}

impl Arm {
    fn is_same(&self, other: &Arm) -> bool {
        self.stmt == other.stmt && self.holds == other.holds
    }

    fn means_same(&self, other: &Arm) -> bool {
        self.cond == other.cond && self.holds == other.holds
    }
}

/// A statement, and the conditions that it stands under.
struct Entry<'b> {
    stmt: &'b Stmt,
    arms: Vec<Arm>,
    /// What the outermost condition's statement writes.
    written: Option<BufferSet>,
}

/// An access: the address of its statement, its number among the statements, the arms that it stands in, the element,
/// its position, and the number in that.
struct Access {
    stmt: usize,
    order: usize,
    arms: Vec<Arm>,
    place: Place,
    position: Expr,
    offset: i128,
}

/// An assignment of floats.
pub(super) struct Set<'s> {
    target: &'s Place,
    /// Where this does not hold, the value is added.
    unless: Option<&'s Expr>,
    pub(super) value: Cow<'s, Expr>,
}

impl Set<'_> {
    /// `target = value`, or `target = (if unless { 0 } else { target }) + value`, where the value may be a product that
    /// was contracted with the sum.
    pub(super) fn of(stmt: &Stmt) -> Option<Set<'_>> {
        let (target, value) = stmt.as_assign().filter(|(_, value)| value.ty.is_float())?;
        Some(Set::parts(target, value))
    }

    pub(super) fn parts<'s>(target: &'s Place, value: &'s Expr) -> Set<'s> {
        let unless = |old: &'s Expr| {
            let ExprKind::Select(parts) = &old.kind else { return None };
            let [cond, zero, old] = &**parts;
            let keeps = matches!(&old.kind, ExprKind::Load(place) if *place == *target);
            (keeps && *zero == Expr::float(value.ty, 0.0)).then_some(cond)
        };
        let sum = match &value.kind {
            ExprKind::Binary(BinOp::Add, old, added) => {
                unless(old).map(|cond| (cond, Cow::Borrowed(&**added)))
            }
            ExprKind::Call(Func::MulAdd, Flavour::Polynomial, args) => {
                let product = || Expr::binary(BinOp::Mul, args[0].clone(), args[1].clone());
                unless(&args[2]).map(|cond| (cond, Cow::Owned(product())))
            }
            _ => None,
        };
        match sum {
            Some((cond, value)) => Set { target, unless: Some(cond), value },
            None => Set { target, unless: None, value: Cow::Borrowed(value) },
        }
    }
}

/// Accesses of one array that differ by numbers.
struct Open {
    buffer: BufferId,
    base: Expr,
    kind: Kind,
    /// The arms that the first one stands in.
    arms: Vec<Arm>,
    members: Vec<Access>,
}

impl Lanes<'_, '_> {
    /// Finds the groups of a block: of what stands in it, in scopes in it and, for gathers, under conditions in it.
    pub(super) fn find_rows(&self, block: &Block) {
        let mut entries = Vec::new();
        flatten(block, &[], None, &mut entries);
        let mut open: Vec<Open> = Vec::new();
        let direct = entries.iter().filter(|entry| entry.arms.is_empty());
        self.order.borrow_mut().extend(direct.map(|entry| address(entry.stmt)));
        for (order, entry) in entries.iter().enumerate() {
            self.join_rows(entry, order, &mut open);
            if entry.arms.is_empty() {
                let kills = self.killed_by(entry.stmt);
                let (closed, still): (Vec<Open>, Vec<Open>) =
                    open.into_iter().partition(|group| kills(group));
                closed.into_iter().for_each(|group| self.close_rows(group));
                open = still;
            }
        }
        open.into_iter().for_each(|group| self.close_rows(group));
    }

    /// Adds the accesses of a statement to the groups.
    fn join_rows(&self, entry: &Entry<'_>, order: usize, open: &mut Vec<Open>) {
        let stmt = address(entry.stmt);
        let mut join = |place: &Place, kind: Kind, value: Option<&Expr>| {
            if self.is_record(place) || kind == Kind::Read && self.is_grouped(stmt, place) {
                return;
            }
            if !self.index_varies(place) || self.own.contains(place.buffer) {
                return;
            }
            let position = self.emitter.position(place);
            if matches!(self.split(&position), Some((Stride::None | Stride::One, _))) {
                return;
            }
            let (base, offset) = offset_of(&position);
            let arms = entry.arms.clone();
            let same = |it: &&mut Open| {
                let is_under = |arm: &Arm| arms.iter().any(|own| own.means_same(arm));
                it.buffer == place.buffer
                    && it.kind == kind
                    && it.base == base
                    && it.arms.iter().all(is_under)
            };
            // an update that reads the array would read what the group has not written yet: it begins another group
            let reads = value.is_some_and(|value| value.loads(place.buffer));
            let found = open.iter_mut().find(same).filter(|_| !reads);
            let member = Access { stmt, order, arms: arms.clone(), place: place.clone(), position, offset };
            match found {
                // the second assignment to an element ends the group of the first one
                Some(group)
                    if matches!(kind, Kind::Set(_)) && group.members.iter().any(|it| it.offset == offset) => {
                }
                Some(group) => group.members.push(member),
                None if self.may_open(&base, entry) => {
                    open.push(Open { buffer: place.buffer, base, kind, arms, members: vec![member] });
                }
                None => {}
            }
        };
        let Some((_, value)) = entry.stmt.as_store() else {
            return;
        };
        value.walk(&mut |expr| {
            if let ExprKind::Load(place) = &expr.kind
                && expr.ty.is_float()
                && !self.written.contains(place.buffer)
            {
                join(place, Kind::Read, None);
            }
        });
        if let Some(Update { op: ReduceOp::Add, target, value, .. }) = entry.stmt.as_update()
            && value.ty.is_float()
            && entry.arms.is_empty()
        {
            join(target, Kind::Add, Some(value));
        }
        if let Some(set) = Set::of(entry.stmt)
            && entry.arms.is_empty()
            && set.unless.is_none_or(|cond| self.is_invariant(cond, false))
        {
            join(set.target, Kind::Set(set.unless.cloned()), Some(&set.value));
        }
    }

    /// Whether a row at `base` may be read where the entry stands or, where that is under conditions, before them.
    fn may_open(&self, base: &Expr, entry: &Entry<'_>) -> bool {
        let Some(written) = &entry.written else { return true };
        let mut moves = false;
        base.walk(&mut |expr| {
            moves |= matches!(&expr.kind, ExprKind::Load(place) if written.contains(place.buffer));
        });
        !moves && entry.arms.iter().all(|arm| self.is_invariant(&arm.cond, false))
    }

    /// Whether a gather is made with others already.
    fn is_grouped(&self, stmt: usize, place: &Place) -> bool {
        self.rows.borrow().iter().any(|group| {
            group.kind == Kind::Read
                && group.members.iter().any(|(member, it, _)| *member == stmt && it == place)
        })
    }

    /// Which groups end behind a statement: those whose base it writes, and those of updates whose array it reads or does
    /// anything to but what the group does.
    fn killed_by(&self, stmt: &Stmt) -> impl Fn(&Open) -> bool {
        let mut writes = BufferSet::new();
        stmt.writes(&mut |buffer| _ = writes.insert(buffer));
        let (mut others, mut added) = (Vec::new(), Vec::new());
        stmt.walk(&mut |stmt| {
            for expr in stmt.exprs() {
                expr.walk(&mut |expr| {
                    if let ExprKind::Load(place) = &expr.kind {
                        others.push(place.buffer);
                    }
                });
            }
            match (stmt.as_sum(), stmt.as_store()) {
                (Some(sum), _) => added.push(sum.target.buffer),
                (None, Some((target, _))) => others.push(target.buffer),
                (None, None) => {}
            }
        });
        let here = address(stmt);
        move |group| {
            let mut moves = false;
            group.base.walk(&mut |expr| {
                moves |= matches!(&expr.kind, ExprKind::Load(place) if writes.contains(place.buffer));
            });
            let touches = match group.kind {
                Kind::Read => false,
                Kind::Add => others.contains(&group.buffer),
                Kind::Set(_) => {
                    let joins = group.members.last().is_some_and(|last| last.stmt == here);
                    !joins && [&others, &added].iter().any(|touched| touched.contains(&group.buffer))
                }
            };
            moves || touches
        }
    }

    /// Keeps what is long enough of a group, in rows that are not too long. What stands where the group was opened decides
    /// which rows there are; what stands under conditions joins one that takes no more vectors for it.
    fn close_rows(&self, group: Open) {
        let stands = |member: &Access| {
            let mut arms = member.arms.iter().zip(&group.arms);
            member.arms.len() == group.arms.len() && arms.all(|(a, b)| a.is_same(b))
        };
        let apart = if group.kind == Kind::Read { 4 } else { 1 };
        let (mut here, mut below): (Vec<Access>, Vec<Access>) = group.members.into_iter().partition(stands);
        here.sort_by_key(|member| member.offset);
        below.sort_by_key(|member| member.offset);
        let mut here = here.into_iter().peekable();
        while let Some(first) = here.next() {
            let (mut low, mut high) = (first.offset, first.offset);
            let (asked, position) = (first.offset, first.position.clone());
            let mut row = vec![first];
            while let Some(next) =
                here.next_if(|it| it.offset - high <= apart && it.offset - low < LONGEST_LANE_ROW)
            {
                high = next.offset;
                row.push(next);
            }
            let vectors = |low: i128, high: i128| (high - low) / ELEMENTS_OF_A_VECTOR;
            let most = vectors(low, high);
            let mut joins = |it: &Access| {
                let (down, up) = (low.min(it.offset), high.max(it.offset));
                let near = low - it.offset <= apart && it.offset - high <= apart;
                let joins = near && vectors(down, up) <= most;
                if joins {
                    (low, high) = (down, up);
                }
                joins
            };
            // from the row's end upwards, then downwards
            let (joined, rest): (Vec<Access>, Vec<Access>) = below.into_iter().partition(&mut joins);
            let (more, rest): (Vec<Access>, Vec<Access>) = rest.into_iter().rev().partition(&mut joins);
            below = rest.into_iter().rev().collect();
            let alone = joined.is_empty() && more.is_empty();
            row.extend(joined.into_iter().chain(more));
            let mut columns: Vec<i128> = row.iter().map(|member| member.offset).collect();
            columns.sort_unstable();
            columns.dedup();
            let gate = group.arms.first().map(|arm| Gate { stmt: arm.stmt, arms: group.arms.clone() });
            // a row that is not read before a condition is read by its first access, for those behind it
            let first = row.iter().min_by_key(|member| member.order);
            let opens = gate.is_some() || first.is_some_and(|first| first.arms.is_empty());
            if columns.len() < ACCESSES_OF_A_LANE_ROW || !opens || gate.is_some() && alone {
                continue;
            }
            // the position of what stands under a condition may overflow where that does not hold
            let start = match asked - low {
                0 => position,
                before => Expr::binary(BinOp::Sub, position, Expr::int(Ty::USIZE, before)),
            };
            let column = |offset: i128| usize::try_from(offset - low).unwrap_or_default();
            let member = |it: &Access| (it.stmt, it.place.clone(), column(it.offset));
            self.rows.borrow_mut().push(Group {
                members: row.iter().map(member).collect(),
                start,
                width: column(high) + 1,
                kind: group.kind.clone(),
                is_whole: alone,
                gate,
                locals: HashMap::new(),
            });
        }
    }

    /// The group of an access of the statement that is being written, and its number in the row. A block that is written
    /// twice has its groups twice; the last ones count.
    pub(super) fn group_of(&self, place: &Place, reads: bool) -> Option<(usize, usize)> {
        let here = self.here.get();
        let groups = self.rows.borrow();
        groups.iter().enumerate().rev().find_map(|(at, group)| {
            let mut members = group.members.iter().filter(|_| (group.kind == Kind::Read) == reads);
            members.find(|(stmt, it, _)| *stmt == here && it == place).map(|(_, _, column)| (at, *column))
        })
    }

    /// The locals of a group in a copy of the body, and whether they are new.
    pub(super) fn locals_of(&self, at: usize, part: usize) -> (Locals, bool) {
        let group = &mut self.rows.borrow_mut()[at];
        if let Some(known) = group.locals.get(&part) {
            return (known.clone(), false);
        }
        let columns = if group.kind == Kind::Read { 1 } else { group.width };
        let locals = Locals {
            at: self.apart(&group.start).0,
            start: self.emitter.fresh("row_start"),
            inside: self.emitter.fresh("row_inside"),
            columns: (0..columns).map(|_| self.emitter.fresh("row")).collect(),
        };
        group.locals.insert(part, locals.clone());
        (locals, true)
    }
}

/// The statements of a block, those of scopes and conditions in their place; not those of loops, which are blocks of
/// their own.
fn flatten<'b>(block: &'b Block, arms: &[Arm], written: Option<&BufferSet>, out: &mut Vec<Entry<'b>>) {
    for stmt in block {
        if let Some((_, body)) = stmt.as_scope() {
            flatten(body, arms, written, out);
            continue;
        }
        out.push(Entry { stmt, arms: arms.to_vec(), written: written.cloned() });
        let (StmtKind::If { cond, then, els } | StmtKind::Guarded { fact: cond, then, els }) = &stmt.kind
        else {
            continue;
        };
        let own = || {
            let mut own = BufferSet::new();
            stmt.writes(&mut |buffer| _ = own.insert(buffer));
            own
        };
        let written = written.cloned().unwrap_or_else(own);
        for (holds, block) in [(true, then), (false, els)] {
            let arm = Arm { stmt: address(stmt), cond: cond.clone(), holds };
            flatten(block, &[arms, &[arm]].concat(), Some(&written), out);
        }
    }
}

/// What tells a statement from all others while the loop is written.
pub(super) fn address(stmt: &Stmt) -> usize {
    std::ptr::from_ref(stmt).addr()
}
