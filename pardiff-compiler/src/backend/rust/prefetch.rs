//! What short rows, one behind the other, take from memory is asked for before it is needed.
//!
//! ```text
//! for k in row_start[i]..row_start[i + 1]       let row = row_start[i]..row_start[i + 1];
//!   y += values[k] * x[columns[k]]          =>  ahead(values, row); ahead(columns, row);
//!                                               for k in row { y += values[k] * x[columns[k]] }
//! ```
//!
//! The rows of a sparse matrix are one long walk through its entries, of which a core sees many short loops with
//! accesses anywhere between them. What it has under way covers a few entries: too few for the time of a miss, above all
//! where it writes (measured, for a product with a sparse matrix and its gradient: 32 ms, and 17 ms when asked for). Not
//! asked for is what the next row begins with again (`x[j]` for `j` in `0..n`), what another loop over the same row has
//! asked for, and local arrays, which are small or in a cache.
//!
//! *Legality.* A prefetch changes nothing, whatever the address is.

use super::emitter::Emitter;
use super::storage::Storage;
use super::{Code, code};
use crate::ir::{Block, BufferId, Expr, ExprKind, For, IterId, Order, Place, Program, Stmt, offset_of};
use proc_macro2::Ident;
use std::collections::{HashMap, HashSet};

/// An array whose elements a loop walks along.
#[derive(Clone, Debug)]
pub(super) struct Walked {
    array: BufferId,
    is_written: bool,
}

/// What the loops over rows ask for.
pub(super) fn walks(program: &Program) -> HashMap<IterId, Vec<Walked>> {
    let mut walks = Walks { program, down: HashSet::new(), found: HashMap::new() };
    walks.block(&program.body, &mut Vec::new());
    walks.found
}

impl Emitter<'_> {
    /// A loop over a row, with what is asked for before; `None` where nothing is. What is not in a task is little.
    pub(super) fn row_ahead(&self, it: &For) -> Option<Code> {
        let runtime = &self.runtime;
        // members of one struct are in one array
        let mut walked: Vec<(&Ident, bool)> = Vec::new();
        for Walked { array, is_written } in self.walks.get(&it.iter)? {
            let (Storage::Flat { name, .. } | Storage::Records { name, .. }) = self.storage(*array) else {
                continue;
            };
            match walked.iter_mut().find(|(known, _)| *known == name) {
                Some((_, written)) => *written |= is_written,
                None => walked.push((name, *is_written)),
            }
        }
        if walked.is_empty() {
            return None;
        }
        let row = self.fresh("row");
        let asks = walked.iter().map(|(array, is_written)| match is_written {
            true => code!(#runtime::ahead::row_to_write(#array.as_ptr(), &#row);),
            false => code!(#runtime::ahead::row(#array.as_ptr(), &#row);),
        });
        let asks: Code = asks.collect();
        let (name, values, body) = (self.iter(it.iter), self.values(it), self.block(&it.body));
        Some(code!({ let #row = #values; #asks for #name in #row { #body } }))
    }
}

/// A row whose arrays were asked for.
struct Row<'a> {
    lo: &'a Expr,
    hi: &'a Expr,
    arrays: Vec<Walked>,
}

struct Walks<'a> {
    program: &'a Program,
    /// The iterators of the loops around that count down.
    down: HashSet<IterId>,
    found: HashMap<IterId, Vec<Walked>>,
}

impl<'a> Walks<'a> {
    /// `asked` is what loops in front of the block have asked for.
    fn block(&mut self, block: &'a Block, asked: &mut Vec<Row<'a>>) {
        let before = asked.len();
        for stmt in block {
            match stmt.as_for() {
                Some(it) if is_row(it) => self.row(it, asked),
                Some(it) => {
                    if it.order == Order::Down {
                        self.down.insert(it.iter);
                    }
                    self.block(&it.body, &mut Vec::new());
                    self.down.remove(&it.iter);
                }
                None => stmt.each_block(&mut |block| self.block(block, asked)),
            }
        }
        asked.truncate(before);
    }

    fn row(&mut self, it: &'a For, asked: &mut Vec<Row<'a>>) {
        let goes_down = self.down.iter().any(|iter| it.lo.mentions(*iter));
        if goes_down || it.order == Order::Down || it.lo.as_usize().is_some() || !self.is_range(it) {
            return;
        }
        let mut walked: Vec<Walked> = Vec::new();
        let mut walk = |place: &Place, is_written: bool| {
            if !self.is_walked(place, it.iter) {
                return;
            }
            match walked.iter_mut().find(|known| known.array == place.buffer) {
                Some(known) => known.is_written |= is_written,
                None => walked.push(Walked { array: place.buffer, is_written }),
            }
        };
        for stmt in &it.body {
            stmt.walk(&mut |stmt| {
                if let Some((target, _)) = stmt.as_store() {
                    walk(target, true);
                }
                stmt.each_expr(&mut |expr| {
                    expr.walk(&mut |expr| {
                        if let ExprKind::Load(place) = &expr.kind {
                            walk(place, false);
                        }
                    });
                });
            });
        }
        let known = |walked: &Walked| {
            let rows = asked.iter().filter(|row| row.lo == &it.lo && row.hi == &it.hi);
            rows.flat_map(|row| &row.arrays).any(|known| known.array == walked.array)
        };
        walked.retain(|walked| !known(walked));
        asked.push(Row { lo: &it.lo, hi: &it.hi, arrays: walked.clone() });
        self.found.insert(it.iter, walked);
    }

    /// Whether the loop's values are a `Range<usize>`.
    fn is_range(&self, it: &For) -> bool {
        it.is_plain()
    }

    /// Whether the element is the loop's own one of an array of the user's.
    fn is_walked(&self, place: &Place, iter: IterId) -> bool {
        let [index] = &place.index[..] else { return false };
        self.program.params.contains(&place.buffer)
            && matches!(offset_of(index).0.kind, ExprKind::Iter(of) if of == iter)
    }
}

/// Whether the loop has none inside.
fn is_row(it: &For) -> bool {
    let mut is_row = true;
    let mut look = |stmt: &Stmt| is_row &= !stmt.is_loop();
    it.body.iter().for_each(|stmt| stmt.walk(&mut look));
    is_row
}
