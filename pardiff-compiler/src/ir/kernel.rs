//! Which loops of a kernel are its threads.

use super::{Block, Exec, For, Level, Stmt, StmtKind};

/// The loops whose iterations together are the threads of a kernel, outermost first.
pub fn grid_loops(each: &For) -> Vec<&For> {
    let (mut loops, mut inner) = (vec![each], each);
    while let [Stmt { kind: StmtKind::For(next), .. }] = &inner.body[..]
        && next.exec == Exec::Parallel(Level::Grid)
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

/// The loops whose iterations are threads of a block.
pub fn block_loops(block: &Block) -> Vec<&For> {
    let mut found = Vec::new();
    crate::ir::walk(block, &mut |stmt| {
        if let Some(each) = stmt.as_for()
            && each.exec == Exec::Parallel(Level::Block)
        {
            found.push(each);
        }
    });
    found
}
