//! How the elements of a sum are found.

use crate::ir::{BufferId, Expr, ExprKind, For, IterId, LoopFacts, StmtKind};
use crate::map::Map;

/// Whether a loop finds elements of a buffer that it updates through index arrays, rows that such arrays delimit, or what it
/// computes.
pub(super) fn indirect(each: &For, buffer: BufferId) -> bool {
    let mut indirect = false;
    let inside = LoopFacts::of(each);
    let mut bounds = Map::<IterId, bool>::default();
    let mut inner = Vec::new();
    each.body.iter().for_each(|stmt| {
        stmt.walk(&mut |stmt| match &stmt.kind {
            StmtKind::For(around) => {
                let reads = [&around.lo, &around.hi].into_iter().any(|bound| {
                    bound.any(&mut |it| match &it.kind {
                        ExprKind::Load(from) => !from.index.is_empty(),
                        ExprKind::Iter(iter) => bounds.get(iter).copied().unwrap_or(false),
                        _ => false,
                    })
                });
                bounds.insert(around.iter, reads);
            }
            StmtKind::Reduce { target, .. } if target.buffer == buffer => {
                indirect |= is_computed(&inside, &target.index);
                inner.extend(target.index.iter());
            }
            _ => {}
        });
    });
    let by_bounds =
        inner.into_iter().any(|index| bounds.iter().any(|(iter, reads)| *reads && index.mentions(*iter)));
    indirect || by_bounds
}

/// Whether an index comes from index arrays, or from what the loop computes.
pub(super) fn is_computed(inside: &LoopFacts, index: &[Expr]) -> bool {
    let is_found = |expr: &Expr| match &expr.kind {
        ExprKind::Load(from) => !from.index.is_empty() || inside.changes(from.buffer),
        _ => false,
    };
    index.iter().any(|index| index.any(&mut |expr| is_found(expr)))
}
