//! What lanes would load from memory with a stride, again and again, is loaded once per block.
//!
//! ```text
//! for c in 0..k                       scope x_tile: f64[d]
//!   for j in 0..d                       if 0 < k
//!     q[j] = x[i * d + j] - m[c]          for j in 0..d
//!                                           x_tile[j] = x[i * d + j]
//!                                       for c in 0..k
//!                                         for j in 0..d
//!                                           q[j] = x_tile[j] - m[c]
//! ```
//!
//! With an element for each lane the tile is read lane after lane, contiguously.
//!
//! *Legality.* The element loop does not write the array, so the value is the same wherever it is loaded. The load
//! stands behind no condition inside the loop that is left (`c`), all loops around it there have bounds that are fixed
//! in the element loop, and the guard says that those which the index does not mention (`c`) run: so every element of
//! the tile is one that the loop reads, and no access is out of range that was not before. A check that fails inside
//! the loop may come after that access: either way the call panics.

use super::divergence::Divergence;
use super::stride::{Walk, walk};
use crate::ir::{
    BinOp, Block, Buffer, BufferId, Expr, ExprKind, For, IterId, Names, Origin, Place, Program, Role, Stmt,
    Ty,
};

/// Tiles in the body of an element loop.
pub(super) fn tile(program: &mut Program, lanes: &Divergence, element: IterId, body: &mut Block) {
    let mut tiling = Tiling { program, lanes, element };
    tiling.block(body);
}

struct Tiling<'a> {
    program: &'a mut Program,
    lanes: &'a Divergence,
    element: IterId,
}

/// A tile and what it is loaded from.
struct Tile {
    buffer: BufferId,
    /// The load; its iterators are those of `loops`.
    place: Place,
    /// The loops whose iterators are the index of the tile.
    loops: Vec<For>,
    /// Whether the loops that the index does not mention run; none if they do by their constant bounds.
    guard: Option<Expr>,
}

impl Tiling<'_> {
    /// Tiles for the loops of a list, in a scope around it, or else for those inside them.
    fn block(&mut self, block: &mut Block) {
        let mut tiles: Vec<Tile> = Vec::new();
        let mut out = Vec::with_capacity(block.len());
        for mut stmt in std::mem::take(block) {
            let known = tiles.len();
            if let Some(for_) = stmt.as_for()
                && self.is_fixed(for_)
            {
                let mut around = vec![for_.around(Block::new())];
                let mut body = for_.body.clone();
                self.inside(&mut body, &mut around, &mut tiles);
                if let Some(for_) = stmt.as_for_mut() {
                    for_.body = body;
                }
            }
            for tile in &tiles[known..] {
                out.push(tile.load(self.program, stmt.origin));
            }
            stmt.blocks_mut().into_iter().for_each(|inner| self.block(inner));
            out.push(stmt);
        }
        let buffers: Vec<BufferId> = tiles.iter().map(|tile| tile.buffer).collect();
        *block = crate::ir::scoped(buffers, out);
    }

    /// Whether the bounds of a loop have one value in the element loop, and it counts from 0 by 1.
    fn is_fixed(&self, for_: &For) -> bool {
        for_.lo.as_usize().is_some() && for_.is_by_one() && self.lanes.is_invariant(self.program, &for_.hi)
    }

    /// Replaces loads in statements that every iteration of the loops `around` executes.
    fn inside(&mut self, block: &mut Block, around: &mut Vec<For>, tiles: &mut Vec<Tile>) {
        for stmt in block {
            for expr in stmt.exprs_mut() {
                *expr = self.expr(expr, around, tiles);
            }
            if let Some((_, body)) = stmt.as_scope_mut() {
                self.inside(body, around, tiles);
            } else if let Some(each) = stmt.as_for_mut().filter(|each| self.is_fixed(each)) {
                around.push(each.around(Block::new()));
                self.inside(&mut each.body, around, tiles);
                around.pop();
            }
        }
    }

    fn expr(&mut self, expr: &Expr, around: &[For], tiles: &mut Vec<Tile>) -> Expr {
        expr.map(&mut |expr| match &expr.kind {
            ExprKind::Load(place) => self.tiled(place, around, tiles).map_or(expr.clone(), |load| load),
            _ => expr,
        })
    }

    /// The load from a tile that stands for a load.
    fn tiled(&mut self, place: &Place, around: &[For], tiles: &mut Vec<Tile>) -> Option<Expr> {
        let written = &self.lanes.written;
        if written.contains(place.buffer) || self.lanes.locals.contains(place.buffer) {
            return None;
        }
        if walk(place, self.element, &|place| written.contains(place.buffer)) != Walk::Strided {
            return None;
        }
        let mut named = Vec::new();
        let mut fixed = true;
        for index in &place.index {
            index.walk(&mut |expr| match &expr.kind {
                ExprKind::Iter(iter) if around.iter().any(|for_| for_.iter == *iter) => named.push(*iter),
                ExprKind::Iter(iter) => fixed &= *iter == self.element || self.lanes.is_around(*iter),
                ExprKind::Load(place) => {
                    fixed &= !written.contains(place.buffer) && !self.lanes.locals.contains(place.buffer);
                }
                _ => {}
            });
        }
        // the loop that the tile stands before must not be one that its index mentions
        if !fixed || around.first().is_none_or(|for_| named.contains(&for_.iter)) {
            return None;
        }
        let (loops, rest): (Vec<&For>, Vec<&For>) =
            around.iter().partition(|for_| named.contains(&for_.iter));
        let from_zero = loops.iter().all(|for_| for_.lo.as_usize() == Some(0));
        if !from_zero {
            return None;
        }
        let runs = |for_: &For| Expr::binary(BinOp::Lt, for_.lo.clone(), for_.hi.clone());
        let unknown = rest.iter().filter(|for_| for_.constant_trip().is_none_or(|trip| trip == 0));
        let guard = unknown.map(|for_| runs(for_)).reduce(|a, b| Expr::binary(BinOp::BitAnd, a, b));
        let index: Vec<Expr> = loops.iter().map(|for_| Expr::iter(for_.iter, Ty::USIZE)).collect();
        let elem = self.program[place.buffer].elem;
        let known = tiles.iter().find(|tile| tile.is_of(place, &loops, &guard));
        if let Some(tile) = known {
            return Some(Place::new(tile.buffer, index).load(elem));
        }
        let name = format!("{}_tile", self.program[place.buffer].name);
        let dims = loops.iter().map(|for_| for_.hi.clone()).collect();
        let buffer = self.program.add_buffer(Buffer::new(&name, elem, dims, Role::Local));
        let loops = loops.into_iter().cloned().collect();
        tiles.push(Tile { buffer, place: place.clone(), loops, guard });
        Some(Place::new(buffer, index).load(elem))
    }
}

impl Tile {
    /// Whether the tile holds what is loaded at a place inside these loops.
    fn is_of(&self, place: &Place, loops: &[&For], guard: &Option<Expr>) -> bool {
        if self.place.buffer != place.buffer || self.guard != *guard || self.loops.len() != loops.len() {
            return false;
        }
        let same = self.loops.iter().zip(loops).all(|(own, other)| own.hi == other.hi);
        let names: Vec<(IterId, IterId)> =
            loops.iter().zip(&self.loops).map(|(other, own)| (other.iter, own.iter)).collect();
        let index = place.index.iter().map(|index| renamed(index, &names));
        same && index.eq(self.place.index.iter().cloned())
    }

    /// The statement that fills the tile.
    fn load(&self, program: &mut Program, origin: Origin) -> Stmt {
        let iters: Vec<(IterId, IterId)> = self
            .loops
            .iter()
            .map(|for_| {
                let name = program[for_.iter].name.clone();
                (for_.iter, program.add_iter(&name, Ty::USIZE))
            })
            .collect();
        let own = |iter: IterId| Expr::iter(iter, Ty::USIZE);
        let source = self.place.index.iter().map(|index| renamed(index, &iters)).collect();
        let target = Place::new(self.buffer, iters.iter().map(|&(_, iter)| own(iter)).collect());
        let value = Place::new(self.place.buffer, source).load(program[self.buffer].elem);
        let mut stmt = Stmt::assign(target, value, origin);
        for (for_, &(_, iter)) in self.loops.iter().zip(&iters).rev() {
            let body = vec![stmt];
            stmt = For::counted(iter, for_.hi.clone(), body).stmt(origin);
        }
        match self.guard.clone() {
            Some(cond) => Stmt::when(cond, vec![stmt], origin),
            None => stmt,
        }
    }
}

fn renamed(expr: &Expr, names: &[(IterId, IterId)]) -> Expr {
    let mut expr = expr.clone();
    let new =
        |iter: &mut IterId| *iter = names.iter().find(|(from, _)| from == iter).map_or(*iter, |(_, to)| *to);
    Names { buffer: &|_| {}, iter: &new }.expr(&mut expr);
    expr
}
