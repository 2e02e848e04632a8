//! Sums of kernels into elements that an index array names: each update is stored, and added where its element's owner finds it.
//!
//! *Comes in*: a program whose kernels are known, with the sums that need atomic additions. *Goes out*: the same, where these sums of
//! floats are gathered by an index that is built in each call. *Guarantees*: an element gets the same terms, in an order that
//! sizes and indices alone decide, so that sums are the same bits in each call. *Never*: believes an index, or keeps one of an earlier
//! call; makes a kernel of what is none.
//!
//! ```text
//! grid: for i in 0..n                                 grid: for i in 0..n               # where the updates of i begin
//!   for k in start[i]..start[i + 1]                     first[i] = start[i + 1] - start[i]
//!     d_x[at[k]] += w[k] * d_y[i]                     call scan [n + 1] first
//!                                                     grid: for i in 0..n
//!                                                =>     for k in start[i]..start[i + 1]
//!                                                         keys[first[i] + (k - start[i])] = at[k]
//!                                                         terms[first[i] + (k - start[i])] = w[k] * d_y[i]
//!                                                     call sort [updates, len(d_x)] keys, order
//!                                                     grid: for u in 0..updates
//!                                                       if keys[u] is the first of its kind
//!                                                         sum = terms[order[u]] + terms[order[u + 1]] + …
//!                                                         d_x[keys[u]] += sum
//! ```
//!
//! **Legality.** The kernel does nothing to the target but add to it, and does not read it: that is what makes the sum one that threads
//! may share. So its terms may be added when the kernel is over, in any order. Every update of the kernel has a place of its own in
//! `keys` and `terms`: its number among the iterations of the loops around it. The lengths of these loops follow from memory that the
//! kernel does not change, by variables that one assignment in front of the loop, in a block around it, gives their value; so the kernel
//! counts as many as were counted before it ran. Which element an update goes to may depend on anything: it is computed where
//! it was. Where there is a condition around the update, places that no update takes have a key that no element has. Keys that
//! begin a run are different, and so are the elements that two threads of the last kernel add to.
//!
//! Gathered are sums into elements that an index array names; others where atomic additions are denied.
//!
//! An array of few elements gets no index: each thread has a copy of it. Where the number of elements is known when the program runs,
//! both are made.
//!
//! Where one of the lengths depends on what the kernel computes, and in loops that end when they say so, additions stay atomic.
//! Updates of loops whose lengths the host knows are gathered in portions, so that memory stays bounded; rows of lengths that are in
//! memory are gathered at once.
//!
//! | file | question |
//! | --- | --- |
//! | `sites` | where are the updates, in which loops? |
//! | `places` | how many are there, and which number has each? |
//! | `kernel` | what does the kernel do in their place? |
//! | `build` | what stands around it? |
//! | `runs` | how are the updates of an element added up? |

mod build;
mod kernel;
mod places;
mod runs;
mod sites;
#[cfg(test)]
mod tests;

use super::host::Host;
use super::shared_privatisation;
use crate::gpu::indirect::indirect;
use crate::ir::{
    Block, BufferId, Exec, Expr, For, Level, Program, Scheme, Stmt, StmtKind, Update, clone_stmts, declared,
    has_block_loops, thread_loops,
};
use crate::schedule::Decisions;
use crate::schedule::cost::{Costs, saturating_mul};
use sites::Updates;

/// Gathers what kernels would add atomically; see the module. Sums into elements that no index array names come from few
/// iterations each, so that sorting them costs more than what additions wait for: they stay atomic unless `all` are gathered.
pub(super) fn gather(program: &mut Program, costs: &Costs, all: bool, decisions: &mut Decisions) {
    let mut any = false;
    program.body.iter().for_each(|stmt| stmt.walk(&mut |stmt| any |= is_atomic(stmt, None)));
    if !any {
        return;
    }
    let before = program.clone();
    let host = Host::of(&before);
    program.with_body(|program, body| {
        in_block(program, &host, body, (shared_privatisation::few(costs), all), decisions)
    });
}

fn in_block(
    program: &mut Program,
    host: &Host<'_>,
    block: &mut Block,
    (few, all): (usize, bool),
    decisions: &mut Decisions,
) {
    for stmt in block {
        if let Some(each) = stmt.as_for()
            && each.exec == Exec::Parallel(Level::Grid)
        {
            let all: Vec<Updates> = targets(program, each)
                .into_iter()
                .filter(|&target| all || indirect(each, target) || thread_loops(each).len() > 1)
                .filter_map(|target| Updates::of(program, host, each, target))
                .filter(|updates| all || updates.row.is_some() || indirect(each, updates.target))
                .collect();
            if !all.is_empty() {
                let cond = if_few(program, host, each, &all, few);
                let copies = cond.map(|cond| (cond, with_copies(program, stmt, &all)));
                build::gathered(program, stmt, all, decisions);
                if let Some((cond, then)) = copies {
                    let origin = stmt.origin;
                    let whole =
                        std::mem::replace(stmt, Stmt::new(StmtKind::Fork { tasks: Vec::new() }, origin));
                    stmt.kind = StmtKind::If { cond, then, els: vec![whole] };
                }
            }
            continue;
        }
        stmt.blocks_mut().into_iter().for_each(|inner| in_block(program, host, inner, (few, all), decisions));
    }
}

/// When all of these arrays have `shared_privatisation` elements or less, if that is known when the program runs. Blocks that run iterations together
/// have copies in common, so that their threads cannot add to them.
fn if_few(program: &Program, host: &Host<'_>, each: &For, all: &[Updates], few: usize) -> Option<Expr> {
    let size = |updates: &Updates| {
        let rank = program[updates.target].rank();
        (0..rank).map(|dim| Expr::extent(updates.target, dim)).fold(Expr::usize(1), saturating_mul)
    };
    let constant = |updates: &Updates| {
        let dims = program[updates.target].dims.iter().cloned();
        dims.fold(Expr::usize(1), saturating_mul).as_usize().is_some()
    };
    let sizes: Vec<Expr> = all.iter().map(size).collect();
    let known = sizes.iter().all(|size| host.knows(size)) && !all.iter().any(constant);
    let all_few = sizes.into_iter().map(|size| size.at_most(Expr::usize(few)));
    if few > 0 && known && !has_block_loops(&each.body) { all_few.reduce(|a, b| a & b) } else { None }
}

/// The kernel with a copy of each of these arrays for each thread.
fn with_copies(program: &mut Program, stmt: &Stmt, all: &[Updates]) -> Block {
    let targets: Vec<BufferId> = all.iter().map(|updates| updates.target).collect();
    let mut copies = clone_stmts(program, std::slice::from_ref(stmt));
    for stmt in &mut copies {
        let Some(each) = stmt.as_for() else { continue };
        let fit = shared_privatisation::that_fit(program, each, &targets);
        shared_privatisation::mark(stmt, Scheme::Atomic, &|id| match (
            fit.contains(&id),
            targets.contains(&id),
        ) {
            (true, _) => Some(Scheme::SharedCopies),
            (_, is_one) => is_one.then_some(Scheme::PrivateCopies),
        });
    }
    copies
}

/// What the kernel adds to atomically, in memory that outlives it.
fn targets(program: &Program, each: &For) -> Vec<BufferId> {
    let own = declared(&each.body);
    let mut targets = Vec::new();
    each.body.iter().for_each(|stmt| {
        stmt.walk(&mut |stmt| {
            if let Some(Update { target, .. }) = stmt.as_update()
                && is_atomic(stmt, None)
                && program[target.buffer].elem.is_float()
                && !own.contains(target.buffer)
                && !targets.contains(&target.buffer)
            {
                targets.push(target.buffer);
            }
        });
    });
    targets
}

/// Whether a statement adds atomically, to that array if one is named.
fn is_atomic(stmt: &Stmt, to: Option<BufferId>) -> bool {
    stmt.as_sum()
        .is_some_and(|sum| sum.scheme == Scheme::Atomic && to.is_none_or(|to| to == sum.target.buffer))
}
