//! The steps without the tapes that they fill.

use super::growing::Growing;
use super::step::loads;
use crate::adjoint::inplace_tapes::redirect;
use crate::ir::{Block, Buffer, BufferId, BufferSet, Place, Program, Role};

/// The statements without what they store to tapes; what they read of these themselves, each in its own step, is in
/// a buffer for one step that stands beside.
pub(super) fn without_tapes(
    program: &mut Program,
    mut block: Block,
    tapes: &[BufferId],
    growing: &Growing,
) -> (Block, Vec<BufferId>) {
    growing.drop_counts(&mut block);
    let (mut stored, mut held) = (BufferSet::new(), Vec::new());
    for &tape in tapes {
        if !block.iter().any(|stmt| stmt.any(&mut |stmt| loads(stmt, tape))) {
            stored.insert(tape);
            continue;
        }
        let like = program[tape].clone();
        let own =
            program.add_buffer(Buffer::new(&like.name, like.elem, like.dims[1..].to_vec(), Role::Local));
        let one = |place: &Place| (place.buffer == tape).then(|| Place::new(own, place.index[1..].to_vec()));
        block.iter_mut().for_each(|stmt| redirect(stmt, &one));
        held.push(own);
    }
    drop_stores(&mut block, &stored);
    (block, held)
}

/// Drops stores, and loops and conditions around nothing else.
fn drop_stores(block: &mut Block, stored: &BufferSet) {
    block.retain_mut(|stmt| {
        if stmt.as_store().is_some_and(|(target, _)| stored.contains(target.buffer)) {
            return false;
        }
        let blocks = stmt.blocks_mut();
        let had = blocks.iter().any(|inner| !inner.is_empty());
        blocks.into_iter().for_each(|inner| drop_stores(inner, stored));
        let holds = stmt.as_for().is_some() || stmt.as_if().is_some() || stmt.as_scope().is_some();
        !(holds && had && stmt.blocks().iter().all(|inner| inner.is_empty()))
    });
}
