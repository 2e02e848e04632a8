//! Loops become copies of their bodies.

use super::copy::Copy;
use super::iterations;
use crate::ir::{Block, BufferId, IterId, Program, Stmt, StmtKind};
use std::collections::{BTreeSet, HashMap};

/// Unrolls these loops, innermost first; the new buffers, each with the one that it is a copy of. `None` if that would
/// leave an operation on constants that has no value.
pub(super) fn unroll(program: &mut Program, loops: &BTreeSet<IterId>) -> Option<Vec<(BufferId, BufferId)>> {
    let mut copies = Vec::new();
    let mut body = std::mem::take(&mut program.body);
    let is_valid = unroll_block(program, &mut body, loops, &mut copies);
    program.body = body;
    // a copy may be of a copy
    let first: HashMap<BufferId, BufferId> = copies.iter().copied().collect();
    for (_, of) in &mut copies {
        while let Some(&earlier) = first.get(of) {
            *of = earlier;
        }
    }
    is_valid.then_some(copies)
}

fn unroll_block(
    program: &mut Program,
    block: &mut Block,
    loops: &BTreeSet<IterId>,
    copies: &mut Vec<(BufferId, BufferId)>,
) -> bool {
    let mut is_valid = true;
    let mut out = Block::with_capacity(block.len());
    for mut stmt in block.drain(..) {
        for inner in stmt.blocks_mut() {
            is_valid &= unroll_block(program, inner, loops, copies);
        }
        match stmt {
            Stmt { kind: StmtKind::For(each), .. } if loops.contains(&each.iter) => {
                for value in iterations(&each).unwrap_or_default() {
                    let mut copy = Copy {
                        program,
                        values: HashMap::from([(each.iter, value)]),
                        iters: HashMap::new(),
                        buffers: HashMap::new(),
                        is_valid: true,
                    };
                    out.extend(copy.block(&each.body));
                    is_valid &= copy.is_valid;
                    copies.extend(copy.buffers.iter().map(|(&of, &own)| (own, of)));
                }
            }
            stmt => out.push(stmt),
        }
    }
    *block = out;
    is_valid
}
