//! What a kernel does in the place of its updates: it stores what they add, and where.

use super::is_atomic;
use super::places::{Counted, NARROW, Places};
use super::sites::{Updates, is_row_loop};
use crate::ir::{BinOp, Block, Expr, Place, StmtKind, Ty};
use crate::schedule::chunks::Builder;

/// Stores the updates of an array.
pub(super) struct Store<'a> {
    pub(super) updates: &'a Updates,
    pub(super) places: &'a Places,
    pub(super) counted: &'a [Counted],
    /// How many sites were seen.
    pub(super) seen: usize,
}

impl Store<'_> {
    /// Rewrites a block, in which the sites stand in the order in which they were found.
    pub(super) fn block(&mut self, build: &Builder<'_>, block: &mut Block) {
        for mut stmt in std::mem::take(block) {
            if is_atomic(&stmt, Some(self.updates.target))
                && let StmtKind::Reduce { target, value, .. } = stmt.kind
            {
                self.update(build, &target, value, block);
                continue;
            }
            // the row that a loop adds to is the same for all of its iterations
            for (number, site) in self.updates.sites.iter().enumerate() {
                if is_row_loop(&stmt, site) {
                    block.extend(self.key_of_row(build, number));
                }
            }
            for inner in stmt.blocks_mut() {
                self.block(build, inner);
            }
            block.push(stmt);
        }
    }

    fn update(&mut self, build: &Builder<'_>, target: &Place, value: Expr, block: &mut Block) {
        let number = self.seen;
        self.seen += 1;
        let Some(site) = self.updates.sites.get(number) else { return };
        let Places { keys, terms, .. } = *self.places;
        let at = self.places.place(build, number, site, self.counted);
        let mut term = vec![at.clone()];
        match &site.row {
            Some((axis, ..)) => term.push(Expr::iter(axis.iter, Ty::USIZE)),
            None => {
                let index = target.index.iter().cloned().enumerate();
                let flat = index.reduce(|(_, outer), (dim, inner)| {
                    (dim, outer * Expr::extent(target.buffer, dim) + inner)
                });
                let element = flat.map_or(Expr::usize(0), |(_, flat)| flat);
                block.push(build.assign(Place::new(keys, vec![at]), element.cast(NARROW)));
            }
        }
        block.push(build.assign(Place::new(terms, term), value));
    }

    /// Stores the number of the row, in front of the loop over its elements; without elements it need not exist.
    fn key_of_row(&self, build: &Builder<'_>, number: usize) -> Block {
        let Some(site) = self.updates.sites.get(number) else { return Block::new() };
        let Some((_, key, _)) = &site.row else { return Block::new() };
        let at = self.places.place(build, number, site, self.counted);
        let (at, rows) = (Place::new(self.places.keys, vec![at]), self.places.rows.clone());
        let cond = Expr::binary(BinOp::Lt, key.clone(), rows.clone());
        let then = vec![build.assign(at.clone(), key.clone().cast(NARROW))];
        let exists = build.when(cond, then);
        let mut block = vec![build.assign(at, rows.cast(NARROW))];
        block.extend(build.if_there(&[key], vec![exists]));
        block
    }
}
