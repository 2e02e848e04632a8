//! Rows run in lanes, and so do the scalars between them: those of a batch of iterations, a lane each.
//!
//! ```text
//! for i in lo..hi                        for b in lo..hi step 8
//!   s = 0.0                                for turn in 0..w
//!   for j in 0..d lanes                      s[turn] = 0.0
//!     s += x[i, j] * w[j]                    for j in 0..d lanes
//!   p = exp(s * y[i])            =>            s[turn] += x[b + turn, j] * w[j]
//!   d_s = d_total * p * y[i]               for turn in 0..w lanes
//!   for j in 0..d lanes                      p = exp(s[turn] * y[b + turn])
//!     d_w[j] += d_s * x[i, j]                d_s[turn] = d_total * p * y[b + turn]
//!                                          for turn in 0..w
//!                                            for j in 0..d lanes
//!                                              d_w[j] += d_s[turn] * x[b + turn, j]
//! ```
//!
//! What stands between the rows is a chain of operations on single numbers, each waiting for the one before, in which functions
//! take as long for one number as for eight. The rows of a batch are few enough to be in the first-level cache still when
//! they are read again.
//!
//! *Legality* is that of [`turns`](crate::schedule::lanes::turns), and, for the scalars, of `inner`: what they write is a local's or moves by one
//! element with the iteration, or is only updated.
//!
//! *Which.* Scalars that are cheaper in lanes by a margin, in the batches that they run in.

use super::row_sweeps::Loop;
use super::strip_mine::{Part, Parts};
use crate::ir::{Block, BufferSet};
use crate::schedule::lanes::branchless::branchless;
use crate::schedule::lanes::inner::are_cheaper_in_lanes;
use crate::schedule::lanes::laneable::has_loop;

/// The parts of a loop's body; nothing where no scalars between rows are worth a batch.
pub(super) fn parts(around: &Loop<'_>) -> Option<Parts> {
    let mut parts = Parts::of(around, |stmt| match has_loop(stmt) {
        true => Part::Turns(vec![stmt.clone()]),
        false => Part::Lanes(vec![stmt.clone()]),
    })?;
    let mut assigned = BufferSet::new();
    for part in std::mem::take(&mut parts.all) {
        parts.push(match part {
            Part::Lanes(mut list) if are_cheaper_in_lanes(around, &list) => {
                branchless(&mut list, &around.locals, &mut assigned);
                Part::Lanes(list)
            }
            Part::Lanes(list) | Part::Turns(list) => {
                assign(&list, &mut assigned);
                Part::Turns(list)
            }
            part => part,
        });
    }
    let is_of = |in_lanes: bool| parts.all.iter().any(|part| matches!(part, Part::Lanes(_)) == in_lanes);
    (is_of(true) && is_of(false)).then_some(parts)
}

/// Adds the scalars that a list assigns in any case.
fn assign(list: &Block, assigned: &mut BufferSet) {
    for stmt in list {
        assigned.extend(stmt.as_scalar_assign().map(|(scalar, _)| scalar));
        if let Some((_, body)) = stmt.as_scope() {
            assign(body, assigned);
        }
    }
}
