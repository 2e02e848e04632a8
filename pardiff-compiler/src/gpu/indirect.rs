//! How the elements of a sum are found.

use crate::ir::{BufferId, Expr, ExprKind, For, IterId, LoopFacts, StmtKind};
use crate::map::Map;

/// Whether a loop finds elements of a buffer that it updates through index arrays, rows that such arrays delimit, or what it
/// computes.
pub(super) fn indirect(each: &For, buffer: BufferId) -> bool {
    let mut indirect = false;
    let inside = LoopFacts::of(each);
    let mut visit = |expr: &Expr| {
        if let ExprKind::Load(from) = &expr.kind {
            indirect |= !from.index.is_empty() || inside.changes(from.buffer);
        }
    };
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
                target.index.iter().for_each(|index| index.walk(&mut visit));
                inner.extend(target.index.iter());
            }
            _ => {}
        });
    });
    let by_bounds =
        inner.into_iter().any(|index| bounds.iter().any(|(iter, reads)| *reads && index.mentions(*iter)));
    indirect || by_bounds
}
