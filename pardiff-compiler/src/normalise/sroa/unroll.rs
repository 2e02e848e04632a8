//! Loops become copies of their bodies.

use super::copy::Copy;
use super::iterations;
use crate::ir::{Block, BufferId, IterId, Program};
use crate::map::Map;
use std::collections::BTreeSet;

/// Unrolls these loops, outermost first; the new buffers, each with the one that it is a copy of. `None` if that would
/// leave an operation on constants that has no value.
pub(in crate::normalise) fn unroll(
    program: &mut Program,
    loops: &BTreeSet<IterId>,
) -> Option<Vec<(BufferId, BufferId)>> {
    let mut body = std::mem::take(&mut program.body);
    let mut unroll = Unroll { loops: loops.clone(), copies: Vec::new(), is_valid: true };
    unroll.block(program, &mut body);
    program.body = body;
    // a copy may be of a copy
    let first: Map<BufferId, BufferId> = unroll.copies.iter().copied().collect();
    for (_, of) in &mut unroll.copies {
        while let Some(&earlier) = first.get(of) {
            *of = earlier;
        }
    }
    unroll.is_valid.then_some(unroll.copies)
}

struct Unroll {
    /// The loops, and the copies of them that unrolling those around them has made.
    loops: BTreeSet<IterId>,
    copies: Vec<(BufferId, BufferId)>,
    is_valid: bool,
}

impl Unroll {
    fn block(&mut self, program: &mut Program, block: &mut Block) {
        let mut out = Block::with_capacity(block.len());
        for mut stmt in block.drain(..) {
            match stmt.as_for().filter(|each| self.loops.contains(&each.iter)) {
                Some(each) => {
                    let values = iterations(each, &Map::default());
                    self.is_valid &= values.is_some();
                    for value in values.unwrap_or_default() {
                        let mut copy = Copy {
                            program,
                            values: Map::from_iter([(each.iter, value)]),
                            iters: Map::default(),
                            buffers: Map::default(),
                            is_valid: true,
                        };
                        let mut body = copy.block(&each.body);
                        self.is_valid &= copy.is_valid;
                        self.copies.extend(copy.buffers.iter().map(|(&of, &own)| (own, of)));
                        let inner = copy.iters.iter().filter(|(of, _)| self.loops.contains(of));
                        let inner: Vec<IterId> = inner.map(|(_, &own)| own).collect();
                        self.loops.extend(inner);
                        self.block(program, &mut body);
                        out.extend(body);
                    }
                }
                None => {
                    stmt.blocks_mut().into_iter().for_each(|inner| self.block(program, inner));
                    out.push(stmt);
                }
            }
        }
        *block = out;
    }
}
