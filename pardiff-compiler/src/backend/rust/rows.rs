//! Rows of a task's arrays: accesses of one array at `base + k`, with numbers `k`, in statements that follow each other are
//! made together, behind one check of the whole row.
//!
//! ```text
//! t = x[p * 5]                   let row: [f64; 5] = row(x, p * 5);
//! u = x[p * 5 + 4] - t           t = row[0];
//! d_x[p * 5] += t           =>   u = row[4] - t;
//! d_x[p * 5 + 1] += u            let (first, second) = (t, u);
//! d_x[p * 5 + 2] += v            add_to_row(d_x, p * 5, [first, second, v]);
//! ```
//!
//! *Why.* A check before each element keeps the compiler from joining them: it may not move a store over a panic.
//!
//! *Legality.* All statements of a group are executed if the first one is, as there is no condition, loop or check among
//! them; so if an element of the row that is asked for does not exist, the task panics anyhow, and says so of an access
//! that is made. Nothing among them writes what `base` is made of. The array of a row that is read is not written in the
//! task, and what lies between two elements that exist does exist. The updates of a row are delayed to the last one: among
//! them nothing reads the array, or does anything to it but add to other elements of the row, each once; so every element
//! gets the same terms in the same order, to the bit. They have no gaps, because what lies between might be another chunk's.

use super::emitter::Emitter;
use super::storage::Storage;
use super::{Code, code, literal};
use crate::ir::Update;
use crate::ir::{BufferId, BufferSet, Expr, ExprKind, Place, Stmt, offset_of};
use crate::limits::{ACCESSES_OF_A_ROW, GAP_IN_A_ROW, LONGEST_ROW};
use proc_macro2::Ident;

/// Accesses that are made together, in the order of the row.
pub(super) struct Row {
    /// The numbers of the statements of the first and the last access.
    pub(super) first: usize,
    pub(super) last: usize,
    /// The statement, the element, and its number in the row.
    members: Vec<(usize, Place, usize)>,
    sums: bool,
    /// The row that is read, or what is added to each of its elements.
    names: Vec<Ident>,
}

/// Elements that are in a row that was read.
pub(super) type Read = (Place, Ident, usize);

/// Accesses of one array that differ by numbers.
struct Open {
    buffer: BufferId,
    base: Expr,
    sums: bool,
    /// The statement, the element, and its distance from the base.
    members: Vec<(usize, Place, i128)>,
}

impl Emitter<'_> {
    /// The rows among statements that follow each other; none stands for what is no statement.
    pub(super) fn rows_among(&self, stmts: &[Option<&Stmt>]) -> Vec<Row> {
        let mut rows = Vec::new();
        if !self.in_task {
            return rows;
        }
        let mut open: Vec<Open> = Vec::new();
        for (at, stmt) in stmts.iter().enumerate() {
            let Some(stmt) = stmt else { continue };
            let Some((target, value)) = stmt.as_store() else {
                open.drain(..).for_each(|group| self.close(group, &mut rows));
                continue;
            };
            let mut reads = BufferSet::new();
            for expr in stmt.exprs() {
                expr.reads(self.program, &mut |buffer| _ = reads.insert(buffer));
            }
            let sum = stmt
                .as_sum()
                .filter(|_| self.is_row_of_sums(target))
                .map(|_| offset_of(&self.position(target)));
            // sums that this statement may not follow end before it
            let ends = |group: &Open| {
                let touches = group.sums && group.buffer == target.buffer;
                let joins = sum.as_ref().is_some_and(|(base, offset)| {
                    group.base == *base && group.members.iter().all(|(_, _, known)| known != offset)
                });
                group.sums && reads.contains(group.buffer) || touches && !joins
            };
            let (ended, still): (Vec<Open>, Vec<Open>) = open.into_iter().partition(ends);
            ended.into_iter().for_each(|group| self.close(group, &mut rows));
            open = still;
            value.walk(&mut |expr| {
                if let ExprKind::Load(place) = &expr.kind
                    && self.is_row_to_read(place)
                {
                    let (base, offset) = offset_of(&self.position(place));
                    join(&mut open, at, place, (base, offset), false);
                }
            });
            if let Some(position) = sum {
                join(&mut open, at, target, position, true);
            }
            // rows whose position it changes end behind it
            let moves = |group: &Open| {
                let mut moves = false;
                group.base.reads(self.program, &mut |buffer| moves |= buffer == target.buffer);
                moves
            };
            let (ended, still): (Vec<Open>, Vec<Open>) = open.into_iter().partition(moves);
            ended.into_iter().for_each(|group| self.close(group, &mut rows));
            open = still;
        }
        open.into_iter().for_each(|group| self.close(group, &mut rows));
        rows
    }

    fn is_row_to_read(&self, place: &Place) -> bool {
        let read_only = matches!(self.storage(place.buffer), Storage::Flat { disjoint: false, .. });
        read_only && self.program[place.buffer].elem.is_float()
    }

    fn is_row_of_sums(&self, place: &Place) -> bool {
        let shared = matches!(self.storage(place.buffer), Storage::Flat { disjoint: true, .. });
        shared && self.program[place.buffer].elem.is_float()
    }

    /// Keeps what is long enough of a group, in rows that are not too long.
    fn close(&self, mut group: Open, rows: &mut Vec<Row>) {
        group.members.sort_by_key(|(at, _, offset)| (*offset, *at));
        let apart = if group.sums { 1 } else { GAP_IN_A_ROW };
        let mut members = group.members.into_iter().peekable();
        while let Some(first) = members.next() {
            let low = first.2;
            let mut high = low;
            let mut row = vec![first];
            while let Some(next) = members.next_if(|it| it.2 - high <= apart && it.2 - low < LONGEST_ROW) {
                high = next.2;
                row.push(next);
            }
            let mut columns: Vec<i128> = row.iter().map(|(_, _, offset)| *offset).collect();
            columns.dedup();
            if columns.len() < ACCESSES_OF_A_ROW {
                continue;
            }
            let (first, last) =
                row.iter().fold((usize::MAX, 0), |(first, last), (at, ..)| (first.min(*at), last.max(*at)));
            let column = |offset: i128| usize::try_from(offset - low).unwrap_or_default();
            let count = if group.sums { column(high) + 1 } else { 1 };
            let name = self.storage(group.buffer).name();
            rows.push(Row {
                first,
                last,
                sums: group.sums,
                names: (0..count).map(|_| self.fresh(&format!("{name}_row"))).collect(),
                members: row.into_iter().map(|(at, place, offset)| (at, place, column(offset))).collect(),
            });
        }
    }

    /// Reads the rows that a statement is the first to read; their elements are found from here on.
    pub(super) fn open_rows(&self, rows: &[Row], at: usize) -> Code {
        let opened = rows.iter().filter(|row| !row.sums && row.first == at);
        opened
            .map(|row| {
                let Some((_, place, last)) = row.members.last() else { return code!() };
                let (runtime, name, array) =
                    (&self.runtime, &row.names[0], self.storage(place.buffer).name());
                let ty = literal::ty(self.program[place.buffer].elem);
                let (start, sites) = (self.start_of(row), self.sites_of(row));
                let width = literal::usize(last + 1);
                let read = code!(let #name: [#ty; #width] = #runtime::access::row(#array, #start, #sites););
                let found = row.members.iter().map(|(_, place, k)| (place.clone(), name.clone(), *k));
                self.read.borrow_mut().extend(found);
                read
            })
            .collect()
    }

    /// Forgets the rows that a statement is the last to read.
    pub(super) fn close_rows(&self, rows: &[Row], at: usize) {
        for row in rows.iter().filter(|row| !row.sums && row.last == at) {
            self.read.borrow_mut().retain(|(_, name, _)| *name != row.names[0]);
        }
    }

    /// An element of a row that was read.
    pub(super) fn in_row(&self, place: &Place) -> Option<Code> {
        let read = self.read.borrow();
        let (_, name, k) = read.iter().find(|(known, ..)| known == place)?;
        let k = literal::usize(*k);
        Some(code!(#name[#k]))
    }

    /// An update that is made with others, at the last of them.
    pub(super) fn sum_in_row(&self, rows: &[Row], at: usize, stmt: &Stmt) -> Option<Code> {
        let Update { target, value, .. } = stmt.as_update()?;
        let row = rows.iter().find(|row| row.sums && row.members.iter().any(|(it, ..)| *it == at))?;
        let (_, _, k) = row.members.iter().find(|(it, ..)| *it == at)?;
        let (name, value) = (&row.names[*k], self.typed(value));
        let ty = literal::ty(self.program[target.buffer].elem);
        let term = code!(let #name: #ty = #value;);
        if row.last != at {
            return Some(term);
        }
        let (runtime, array) = (&self.runtime, self.storage(target.buffer).name());
        let (start, sites, names) = (self.start_of(row), self.sites_of(row), &row.names);
        Some(code! {
            #term
            unsafe { #runtime::access::add_to_row(#array, #start, [#(#names),*], #sites) };
        })
    }

    /// The position of a row's first element.
    fn start_of(&self, row: &Row) -> Code {
        row.members.first().map_or_else(|| code!(), |(_, place, _)| self.typed(&self.position(place)))
    }

    fn sites_of(&self, row: &Row) -> Code {
        self.sites(row.members.iter().map(|(_, place, k)| (*k, place)))
    }
}

/// Adds an access to the group of its base.
fn join(open: &mut Vec<Open>, at: usize, place: &Place, (base, offset): (Expr, i128), sums: bool) {
    let same = |group: &&mut Open| group.buffer == place.buffer && group.sums == sums && group.base == base;
    let member = (at, place.clone(), offset);
    match open.iter_mut().find(same) {
        Some(group) => group.members.push(member),
        None => open.push(Open { buffer: place.buffer, base, sums, members: vec![member] }),
    }
}
