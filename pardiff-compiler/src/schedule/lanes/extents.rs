//! Sizes of local arrays that the loop computes anew in each iteration, though they are the same in all of them.
//!
//! ```text
//! for i in lo..hi                         scope r: f64[(n + 1) * (m + 1), 128] thread
//!   scope size: usize                       for b in lo..hi step 128
//!     size = (n + 1) * (m + 1)       =>       …
//!     scope r: f64[size]
//!       …
//! ```
//!
//! **Legality.** A local that one assignment, and nothing else, writes has the value of that assignment wherever it has
//! one. The extents of an array are evaluated behind it, since they have a value where the array's scope begins. So the
//! extent may be the assigned expression, if nothing in the loop changes what that reads. Where it is evaluated earlier than
//! it was, whoever moves it there sees to it that no panic comes that did not come before.

use crate::ir::{BufferId, Expr, ExprKind, For, Program, Ty};
use crate::limits::SIZES_OF_SIZES;
use std::collections::HashMap;

/// The values of the sizes that a loop computes.
#[derive(Debug, Default)]
pub(super) struct Sizes {
    /// Of each scalar of type `usize` that is written: its only assignment.
    values: HashMap<BufferId, Option<Expr>>,
}

impl Sizes {
    pub(super) fn of(program: &Program, element: &For) -> Sizes {
        let mut sizes = Sizes::default();
        crate::ir::walk(&element.body, &mut |stmt| {
            let assigned = stmt.as_scalar_assign();
            if stmt.blocks().is_empty() {
                stmt.writes(&mut |buffer| {
                    if program[buffer].rank() == 0 && program[buffer].elem == Ty::USIZE {
                        let value = assigned.map(|(_, value)| value.clone());
                        sizes.values.entry(buffer).and_modify(|known| *known = None).or_insert(value);
                    }
                });
            }
        });
        sizes
    }

    /// The extent with the values of the sizes in their places.
    pub(super) fn written_out(&self, extent: &Expr) -> Expr {
        self.deep(extent, SIZES_OF_SIZES)
    }

    fn deep(&self, extent: &Expr, levels: usize) -> Expr {
        extent.map(&mut |node| {
            let value = match &node.kind {
                ExprKind::Load(place) => self.values.get(&place.buffer).and_then(Option::as_ref),
                _ => None,
            };
            match value {
                Some(value) if levels > 0 => self.deep(value, levels - 1),
                _ => node,
            }
        })
    }
}
