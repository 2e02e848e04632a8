//! Variables that hold square roots and nothing else.
//!
//! A root of a normal or subnormal number is far from the ends of the range of floats: the reciprocal of one that is not
//! zero, infinite or NaN is a normal number.

use crate::ir::{Block, BufferId, BufferSet, Expr, ExprKind, Func, Program};

/// The variables of a program's body that hold a root whenever they are read.
pub(super) struct Roots {
    /// All others that something is stored in.
    others: BufferSet,
}

impl Roots {
    /// Of all that `body`, which is the whole program, stores.
    pub(super) fn of(program: &Program, body: &Block) -> Roots {
        let mut roots = Roots { others: program.params.iter().copied().collect() };
        let mut copies = Vec::new();
        collect(body, &mut roots.others, &mut copies);
        // what a copy holds is what it is a copy of
        while let Some(at) = copies.iter().position(|(_, of)| roots.others.contains(*of)) {
            let (copy, _) = copies.swap_remove(at);
            roots.others.insert(copy);
        }
        roots
    }

    /// Whether a value is a root.
    pub(super) fn contain(&self, value: &Expr) -> bool {
        match &value.kind {
            ExprKind::Load(place) => place.index.is_empty() && !self.others.contains(place.buffer),
            _ => is_root(value),
        }
    }
}

fn is_root(value: &Expr) -> bool {
    matches!(value.kind, ExprKind::Call(Func::Sqrt, ..))
}

fn collect(block: &Block, others: &mut BufferSet, copies: &mut Vec<(BufferId, BufferId)>) {
    for stmt in block {
        match stmt.as_scalar_assign() {
            Some((scalar, Expr { kind: ExprKind::Load(of), .. })) if of.index.is_empty() => {
                copies.push((scalar, of.buffer));
            }
            Some((_, value)) if is_root(value) => {}
            _ => {
                stmt.writes_itself(&mut |buffer| _ = others.insert(buffer));
                stmt.blocks().into_iter().for_each(|inner| collect(inner, others, copies));
            }
        }
    }
}
