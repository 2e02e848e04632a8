//! What depends on an iteration only through an index is tabulated over the index.
//!
//! ```text
//! before                                   after
//!   for i in 0..n                            scope rows: usize
//!     scope a: usize, s: f64                   rows = T if 4 * T <= n, else 0
//!       a = ci[i] as usize                     scope used: bool[rows], table: f64[rows, 1]
//!       check 11 * a < len(c)                    for t in 0..rows
//!       s = sin(c[11 * a])                         used[t] = false
//!       out[i] = s * x[i]                        if rows != 0
//!                                                  for i.2 in 0..n that ci has
//!                                                    scope key: usize
//!                                                      key = ci[i.2] as usize
//!                                                      if key < rows
//!                                                        used[key] = true
//!                                                for t in 0..rows
//!                                                  if used[t]
//!                                                    scope s.2: f64
//!                                                      s.2 = sin(c[11 * t])
//!                                                      table[t, 0] = s.2
//!                                                for i in 0..n
//!                                                  scope a: usize, s: f64
//!                                                    a = ci[i] as usize
//!                                                    check 11 * a < len(c)
//!                                                    if a < rows
//!                                                      s = table[a, 0]
//!                                                    else
//!                                                      s = sin(c[11 * a])
//!                                                    out[i] = s * x[i]
//! ```
//!
//! The adjoint of a row is summed by the reversal of the loop over `i`, and reversed once by that of the loop over `t`.
//!
//! *Legality.* `key` proves that the statements replaced compute functions of the key, and
//! `columns` that the same operations on the same elements compute them for row `t`: same bits.
//! - *No new fault.* `T` is the number of keys for which every element that a row reads is in range; only operations
//!   with a value for every operand are tabulated; the scan of the index array ends where the array does.
//! - *No new panic.* In the loop, the table is read for keys below `rows`; every other key is computed as before. The
//!   condition is `rows != 0`, the same in all iterations, where a check that stands before the use says that the key is
//!   below `T` (and the key is an unsigned number of at most 32 bits, so that the index of the check did not wrap on
//!   machines of 64 bits; on smaller ones an index that wraps panics), and `key < rows` elsewhere.
//! - *No new contribution.* Rows that no iteration uses are not computed: their adjoint, zero, would become NaN where a
//!   derivative is infinite.
//!
//! *Cost.* A loop makes `T` rows each time it runs. Where its bounds differ between iterations around it, a run covers a
//! segment of the index array (the entries of a row of a sparse matrix), whose keys differ from each other as a rule: no
//! table, whose condition would fail in every run and leave the code twice.

use super::build::{self, Fresh, Table};
use super::columns;
use super::key::{Keyed, keys};
use crate::ir::{Block, BufferSet, Expr, ExprKind, For, Origin, Program, Ty, written};
use crate::limits::TABLES_OF_A_LOOP;

/// Tabulates what is worth it in every loop.
pub fn tabulate(mut program: Program) -> Program {
    program.with_body(|program, body| block(program, body, None));
    program
}

/// `varying` is what the outermost loop around the block writes.
fn block(program: &mut Program, stmts: &mut Block, varying: Option<&BufferSet>) {
    for stmt in stmts {
        let origin = stmt.origin;
        let mut tables = Vec::new();
        if let Some(each) = stmt.as_for_mut()
            && varying.is_none_or(|varying| is_one_range(program, each, varying))
        {
            while tables.len() < TABLES_OF_A_LOOP
                && let Some(table) = table_of(program, each, origin)
            {
                tables.push(table);
            }
        }
        let own = (varying.is_none() && stmt.is_loop()).then(|| written(std::slice::from_ref(stmt)));
        let varying = varying.or(own.as_ref());
        stmt.blocks_mut().into_iter().for_each(|inner| block(program, inner, varying));
        for table in tables.into_iter().rev() {
            let inner = stmt.take();
            *stmt = table.around(inner, origin);
        }
    }
}

/// Whether a loop inside of others has the same bounds in all their iterations.
fn is_one_range(program: &Program, each: &For, varying: &BufferSet) -> bool {
    let is_fixed = |bound: &Expr| {
        let mut fixed = !bound.reads_any(program, varying);
        bound.walk(&mut |expr| fixed &= !matches!(expr.kind, ExprKind::Iter(_)));
        fixed
    };
    is_fixed(&each.lo) && is_fixed(&each.hi)
}

/// Finds a table for the loop, and makes the loop read it.
fn table_of(program: &mut Program, each: &mut For, origin: Origin) -> Option<Table> {
    let plain = each.is_by_one();
    if !plain || program[each.iter].ty != Ty::USIZE {
        return None;
    }
    let (table, reads, fresh) = keys(program, each).into_iter().find_map(|key| {
        let keyed = Keyed::new(program, each, key);
        let columns = columns::find(&keyed, each)?;
        let mut fresh = Fresh::new(program);
        let (table, reads) = build::build(&keyed, each, &columns, origin, &mut fresh)?;
        Some((table, reads, fresh.made))
    })?;
    program.buffers.extend(fresh.0);
    program.iters.extend(fresh.1);
    // from the last run to the first: positions before a run keep their meaning
    for read in reads.into_iter().rev() {
        read.replace(&mut each.body);
    }
    Some(table)
}
