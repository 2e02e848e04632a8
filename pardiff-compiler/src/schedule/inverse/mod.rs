//! Sums through an index array as gathers: an inverse index says which updates belong to each row of the target.
//!
//! *Comes in*: a parallel loop and its summations. *Goes out*: which of them may gather, and on request the loop in
//! versions with an index and without one, of which sizes choose. *Guarantees*: an element gets the same terms, in the
//! order of the loop. *Never*: believes an index, or keeps an index of an earlier call.
//!
//! ```text
//! for i in 0..n                               count the updates of each row of `d_z`, and sort them by rows
//!   for k in start[i]..start[i + 1]           for i in 0..n
//!     w = e[k] / s                              for k in start[i]..start[i + 1]
//!     for f in 0..32                              given[first[i] + (k - start[i])] = e[k] / s
//!       d_z[at[k] * 32 + f] += d_y[i, f] * w => for t in 0..rows
//!                                               for u in of[t]..of[t + 1]
//!                                                 for f in 0..32
//!                                                   d_z[t * 32 + f] += d_y[where[u], f] * given[which[u]]
//! ```
//!
//! **Legality.** The loop does nothing to the target but update it, by additions that may be regrouped, and by one
//! statement, which stands in loops and under no condition: so the updates are the iterations of these loops, and which
//! rows they go to follows from memory that the loop does not change. An update is a row, the elements of which an
//! inner loop adds to; two rows have no element in common. What a term is computed from is either memory that the loop
//! leaves alone, which is read again, or it is given: stored by update where it does not depend on the element, by
//! iteration where it depends on nothing else but the element. Counting and sorting are stable and run in order, so each
//! row adds its terms in the order of the loop, whatever the number of threads. Where there is an update whose row does not
//! exist, the loop runs without an index, and panics at its check, or it wraps and is where the program says.

mod build;
mod index;
mod sites;
mod split;

use super::cost::{nominal, saturating_add, saturating_mul, trip_count};
use super::parallel::Plan;
use super::prices::{INVERTED, INVERTED_ROW, INVERTED_ROWS, RAGGED_TRIP};
use super::summation::Summation;
use crate::ir::{BinOp, BufferId, Expr, For, Program, ReduceOp};
pub(super) use build::versions;
use sites::Site;
#[cfg(feature = "cuda")]
pub(crate) use sites::{Range, Row, row_of};
use split::Split;

/// Sums that share an index of their updates by rows; the first has rows of several elements.
#[derive(Clone, Debug)]
pub(super) struct Inverse {
    sites: Vec<Site>,
    /// The elements of the targets.
    elements: Expr,
}

/// The sums of a parallel loop that may gather, if an index for them may pay.
pub(super) fn find(program: &Program, each: &For, sums: &[Summation]) -> Option<Inverse> {
    let additions = |sum: &&Summation| {
        sum.op == ReduceOp::Add && sum.means.is_copied() && program[sum.buffer].elem.is_float()
    };
    let mut sites: Vec<Site> = Vec::new();
    for sum in sums.iter().filter(additions) {
        let Some(site) = Site::of(program, each, sum.buffer) else { continue };
        if Split::new(program, each, &site).is_possible() {
            sites.push(site);
        }
    }
    let long = |site: &Site| site.row.as_ref().is_some_and(|row| nominal(&row.range.hi) >= INVERTED_ROW);
    let first = sites.iter().position(long)?;
    let first = sites.remove(first);
    sites.retain(|site| site.shares(&first));
    sites.insert(0, first);
    let size = |site: &Site| program[site.target].dims.iter().cloned().fold(Expr::usize(1), saturating_mul);
    let elements = sites.iter().map(size).fold(Expr::usize(0), saturating_add);
    if elements.as_usize().is_some() {
        return None;
    }
    Some(Inverse { sites, elements })
}

impl Inverse {
    pub(super) fn gathers(&self, target: BufferId) -> bool {
        self.sites.iter().any(|site| site.target == target)
    }

    /// When an index is cheaper than copies, and not much beside the work, from sizes alone.
    fn pays(&self, program: &Program, each: &For, plan: &Plan) -> Expr {
        let costs = &plan.costs;
        let per_copy = saturating_mul(Expr::usize(costs.copied_element), self.elements.clone());
        let copies = saturating_mul(Expr::usize(costs.least_copies), per_copy);
        let work = saturating_mul(trip_count(each), plan.iteration.clone());
        let pays =
            Expr::binary(BinOp::Lt, self.price(program, each), copies) & self.rows(program).at_most(work);
        // an update without elements need not have a row, nor its index be there
        let runs = self.sites[0].row.as_ref().and_then(|row| row.range.runs());
        runs.into_iter().fold(pays, |pays, runs| runs & pays)
    }

    /// What counting and sorting the updates costs.
    pub(super) fn price(&self, program: &Program, each: &For) -> Expr {
        let updates = match &self.sites[0].updates {
            None => 1,
            Some(updates) => updates.trips().as_usize().unwrap_or(RAGGED_TRIP as usize),
        };
        let updates = saturating_mul(trip_count(each), Expr::usize(INVERTED * updates));
        saturating_add(updates, self.rows(program))
    }

    /// What a pass over the rows costs.
    fn rows(&self, program: &Program) -> Expr {
        saturating_mul(self.sites[0].rows(program), Expr::usize(INVERTED_ROWS))
    }
}
