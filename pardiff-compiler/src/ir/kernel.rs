//! Which loops of a kernel are its threads.

use super::{Block, Exec, For, Level};

/// The loops whose iterations together are the threads of a kernel, outermost first; or those of a block, for a loop
/// of that level.
pub fn thread_loops(each: &For) -> Vec<&For> {
    let (mut loops, mut inner) = (vec![each], each);
    while let Some(next) = inner.inner()
        && next.exec == each.exec
    {
        loops.push(next);
        inner = next;
    }
    loops
}

/// Whether loops whose iterations are threads of a block stand in a block of statements.
pub fn has_block_loops(block: &Block) -> bool {
    !block_loops(block).is_empty()
}

/// The loops whose iterations are threads of a block: of those that are it together, the outermost.
pub fn block_loops(block: &Block) -> Vec<&For> {
    let mut found = Vec::new();
    for stmt in block {
        match stmt.as_for().filter(|each| each.exec == Exec::Parallel(Level::Block)) {
            Some(each) => found.push(each),
            None => found.extend(stmt.blocks().into_iter().flat_map(block_loops)),
        }
    }
    found
}
