//! What the types of rayon's iterators prove of the loop that one becomes.
//!
//! The items of `par_iter_mut()` and `par_chunks_mut(n)` do not overlap, and while they exist nothing else may touch
//! what they are taken from; that is Rust's borrow rule. Parts of one buffer may have several names, though
//! (`split_at_mut`), so that the proof is one about a buffer only where the body has no other name of that buffer.

use super::super::chain::{Chain, ChainKind, Parts};
use super::super::infer::Type;
use super::super::tree::{Block, Expr as Tree, Kind, Len};
use super::Emit;
use super::cursor::Cursor;
use super::value::Value;
use crate::ir::{self, BufferId, ExprKind, Grain, Marks, Rayon, RayonId, StmtKind};
use crate::limits::ITEMS_OF_A_PART;

impl<'e> Emit<'e> {
    /// Records what is known of the loop over a parallel iterator; called before its items are bound.
    pub(super) fn rayon_of(
        &mut self,
        chain: &Chain,
        cursor: &Cursor<'_>,
        body: Option<&Block>,
        starts_tasks: bool,
    ) -> Option<RayonId> {
        if !chain.parallel && !starts_tasks {
            return None;
        }
        let grain = match (starts_tasks, is_coarse(chain)) {
            (true, _) => Grain::Task,
            (false, true) => Grain::Part,
            (false, false) => Grain::Item,
        };
        let (mut mutable, mut shared) = (Vec::new(), Vec::new());
        cursor.arrays(chain, &mut |buffer, is_mutable| match is_mutable {
            true => mutable.push(buffer),
            false => shared.push(buffer),
        });
        let mut named = shared;
        let mut find = |e: &Tree| self.named_in(e, &mut named);
        body.into_iter().for_each(|body| body.children(&mut find));
        closures(chain, &mut find);
        mutable.retain(|buffer| !named.contains(buffer));
        Some(self.program.add_rayon(Rayon { owned: mutable, grain }))
    }

    /// The marks of a loop over a range; one that starts tasks is recorded.
    pub(super) fn marks_of(&mut self, marks: Marks) -> Marks {
        let record = |_| self.program.add_rayon(Rayon { owned: Vec::new(), grain: Grain::Task });
        Marks { rayon: marks.rayon.map(record), ..marks }
    }

    /// Emits tasks.
    pub(super) fn fork(&mut self, tasks: &[Tree]) {
        let emit = |this: &mut Self, task: &Tree| {
            this.block(|this| this.numbered(task.span, |this| this.effect(task)))
        };
        let mut blocks: Vec<ir::Block> = tasks.iter().map(|task| emit(self, task)).collect();
        blocks.retain(|task| !task.is_empty());
        match blocks.len() {
            0 => {}
            1 => blocks.into_iter().for_each(|task| self.append(task)),
            _ => self.push(StmtKind::Fork { tasks: blocks }),
        }
    }

    /// The buffers that an expression names by variables that have a value already.
    fn named_in(&self, e: &Tree, named: &mut Vec<BufferId>) {
        if let Kind::Local(local) = e.kind {
            buffers_of(&self.bound[local], named);
        }
        e.children(&mut |child| self.named_in(child, named));
    }
}

fn buffers_of(value: &Value, named: &mut Vec<BufferId>) {
    match value {
        Value::View(view) => named.extend(view.buffers()),
        Value::Place(place, _) => named.push(place.buffer),
        Value::Tuple(parts) => parts.iter().for_each(|part| buffers_of(part, named)),
        Value::Scalar(value) => value.walk(&mut |value| {
            if let ExprKind::Load(place) = &value.kind {
                named.push(place.buffer);
            }
        }),
        Value::Unset => {}
    }
}

/// Calls `visit` on the bodies of the closures of a chain.
fn closures<'a>(chain: &'a Chain, visit: &mut dyn FnMut(&'a Tree)) {
    match &chain.kind {
        ChainKind::Map(inner, closure)
        | ChainKind::Filter(inner, closure)
        | ChainKind::TakeWhile(inner, closure)
        | ChainKind::SkipWhile(inner, closure) => {
            visit(&closure.body);
            closures(inner, visit);
        }
        // parallel iterators have none of these
        ChainKind::FlatMap(..) | ChainKind::Scan(..) => chain.children(visit),
        kind => kind.sources().into_iter().for_each(|source| closures(source, visit)),
    }
}

/// Whether an item is a part of an array of more than a few elements, as far as the source says.
fn is_coarse(chain: &Chain) -> bool {
    match &chain.kind {
        ChainKind::Parts(_, size, Parts::Chunks | Parts::Exact) => {
            !matches!(size.kind, Kind::Int(size) if size <= ITEMS_OF_A_PART)
        }
        // the rows of an array of `ndarray`
        ChainKind::Elements(_) => match &chain.item {
            Type::Ref(_, row) => matches!(**row, Type::Array(_, Len::Axis)),
            _ => false,
        },
        kind => kind.sources().into_iter().any(is_coarse),
    }
}

/// Whether the items of a source are `&mut`.
pub(super) fn is_mutable(chain: &Chain) -> bool {
    matches!(chain.item, Type::Ref(true, _))
}
