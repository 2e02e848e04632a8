//! Sizes that are known when the function begins.

use crate::ir::{Block, BufferId, Expr, ExprKind, Program, Role};
use crate::map::Map;

/// The scalars that are assigned once, a length of a parameter or another parameter.
pub(super) fn lengths(program: &Program, body: &Block) -> Map<BufferId, Expr> {
    let mut found: Map<BufferId, Option<Expr>> = Map::default();
    crate::ir::walk(body, &mut |stmt| match stmt.as_scalar_assign() {
        Some((scalar, value)) => {
            let first = !found.contains_key(&scalar);
            let is_length = matches!(value.kind, ExprKind::Extent(..) | ExprKind::Load(_));
            found.insert(scalar, (first && is_length && is_given(program, value)).then(|| value.clone()));
        }
        None => stmt.writes_itself(&mut |buffer| _ = found.insert(buffer, None)),
    });
    found.into_iter().filter_map(|(scalar, length)| Some((scalar, length?))).collect()
}

/// Whether a size is known when the function begins: made of parameters and their lengths.
pub(super) fn is_given(program: &Program, size: &Expr) -> bool {
    size.all(&mut |node| match &node.kind {
        ExprKind::Load(place) => program[place.buffer].role == Role::Input && place.index.is_empty(),
        ExprKind::Extent(buffer, _) => matches!(program[*buffer].role, Role::Input | Role::InOut),
        ExprKind::Iter(_) => false,
        _ => true,
    })
}
