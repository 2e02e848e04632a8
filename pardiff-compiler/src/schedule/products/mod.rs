//! Matrix products: nests of three loops that are one go to a library, and what stands around them is distributed.
//!
//! ```text
//! for i in 0..m                            guard … (64 <= m) & (64 <= n) & (64 <= k) & … (all elements are there)
//!   for j in 0..n                            for block in 0..m step 1024
//!     scope s                                  scope rows = min(1024, m - block), s: [rows, n]
//!       s = 0                                    for i in block..block + rows
//!       for l in 0..k                 =>           for j in 0..n
//!         s += a[i * k + l] * b[l * n + j]           s[i - block, j] = 0
//!       c[i * n + j] = tanh(s)                   product [rows, n, k] s += a * b
//!                                                for i in block..block + rows
//!                                                  for j in 0..n
//!                                                    c[i * n + j] = tanh(s[i - block, j])
//!                                          otherwise
//!                                            the same as before
//! ```
//!
//! *Comes in*: a program whose loops are not decided. *Goes out*: the same with two versions of each nest that contains
//! products. *Guarantees*: the version with products runs only where every index of the products is in its array, so
//! that the other one panics where the primal does; it adds the same terms, in another order. *Never*: stands in a task
//! loop, or decides by anything but sizes.
//!
//! | file | question |
//! | --- | --- |
//! | `core` | which statements of three loops are products? |
//! | `index` | by what do indices grow, and are the last ones in range? |
//! | `index_set_split` | which loops may be distributed, and into which parts? |
//! | `build` | what do the parts look like? |

mod build;
mod core;
mod index;
mod split;
#[cfg(test)]
mod tests;

use super::{Library, Options};
use crate::ir::{Block, For, IterId, Program, Stmt, StmtKind};
use crate::limits::LOOPS_OF_A_PRODUCT;
use split::{Piece, Proofs, Shared, may_contain};
use std::collections::HashMap;

/// Gives the nests that contain products a version with them, where that is wanted; how many products there are.
pub(super) fn take_out(program: &mut Program, options: &Options) -> usize {
    if options.strict || !program.body.iter().any(is_in) {
        return 0;
    }
    let mut found = HashMap::new();
    find(&Proofs::of(program), options, &program.body, &mut found);
    let is_core = |piece: &&Piece| matches!(piece, Piece::Core(_));
    let count = found.values().map(|(pieces, _)| pieces.iter().filter(is_core).count()).sum();
    if options.products == Library::Gemm {
        program.with_body(|program, body| replace(program, body, &mut found));
    }
    count
}

/// Whether there may be a nest with products in the statement.
fn is_in(stmt: &Stmt) -> bool {
    may_contain(stmt, LOOPS_OF_A_PRODUCT) || stmt.blocks().into_iter().flatten().any(is_in)
}

type Found = HashMap<IterId, (Vec<Piece>, Vec<Shared>)>;

/// The outermost nests that contain products.
fn find<'a>(proofs: &'a Proofs<'a>, options: &'a Options, block: &'a Block, found: &mut Found) {
    for stmt in block {
        if let Some(root) = stmt.as_for()
            && may_contain(stmt, LOOPS_OF_A_PRODUCT)
            && let Some(parts) = split::split(proofs, options, root)
        {
            found.insert(root.iter, parts);
            continue;
        }
        stmt.blocks().into_iter().for_each(|inner| find(proofs, options, inner, found));
    }
}

fn replace(program: &mut Program, block: &mut Block, found: &mut Found) {
    for stmt in block {
        if let StmtKind::For(For { iter, .. }) = &stmt.kind
            && let Some((pieces, shared)) = found.remove(iter)
        {
            build::versions(program, stmt, pieces, &shared);
            continue;
        }
        stmt.blocks_mut().into_iter().for_each(|inner| replace(program, inner, found));
    }
}
