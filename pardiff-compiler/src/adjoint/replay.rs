//! Loops whose reversal runs the iteration forward again: the reverse loop of a region (see `region`), put behind what
//! follows the forward loop.
//!
//! ```text
//! forward                        reverse
//! for i { F(i) }                 for i { slice of F(i); R(i) }
//! ```
//!
//! *Legality.* Iterations commute (see [`Sweep::obstacle`]), so the reverse loop may take them in any order. The slice holds
//! what leads to values that `R` uses; it writes nothing that lives around the loop, so nothing is written twice. What
//! it reads of there must have the value that the forward loop found: it is in place, has a definition, or was kept.
//!
//! *Which loops.* Those that are in no region: their tapes would have an element for each iteration of all loops. And those
//! whose tapes would grow: loops around a ragged one (see `tape_layout`), which would run in order, one element after the other.
//! For these also what is overwritten before the reversal is provided: stored as it was before the loop. So it is
//! for a loop in no other, if its iterations read of one of these arrays more than that has: as those over the
//! elements of a mesh, which gather the places of their corners, that move later. A loop whose iterations are long and
//! hand few numbers on is stored instead (see `price_of_replay`).

use super::fuse::{distributed, flattened, known_before, take_apart};
use super::reverse_stmt::Sweep;
use super::tape_layout::Tape;
use crate::ir::Update;
use crate::ir::walk;
use crate::ir::{
    Block, BufferId, BufferSet, Expr, ExprKind, For, Iter, IterId, Layout, Origin, Phase, Place, Program,
    Provide, ReduceOp, Stmt, StmtKind, declared, written,
};
use crate::map::Map;

/// How something outside a replayed loop is called at its new place.
enum Provided {
    InPlace,
    /// The value of a scalar.
    Value(Expr),
    Copy(BufferId),
    Tape(Tape),
}

/// Where the fused loop went.
pub(super) enum Placed {
    /// Before what follows it; the whole.
    Before(Block),
    /// Nowhere: the loop, and what follows it.
    Illegal(Box<For>, Block),
}

/// New names for the code of a region.
struct Translation {
    /// Copies of what the region declares.
    buffers: Map<BufferId, BufferId>,
    iters: Map<IterId, Expr>,
    around: Map<BufferId, Provided>,
    extents: Map<(BufferId, usize), Expr>,
}

impl<'p> Sweep<'p> {
    /// Why the iterations of a loop cannot be reversed one by one in any order; `None` if they can.
    ///
    /// Nothing is carried from one to another but additions to what the body does not read. Then an adjoint that
    /// two iterations meet in is either only read (that of a sum) or only added to (that of what both read).
    pub(super) fn obstacle(&self, stmt: &Stmt, looped: &For) -> Option<&'static str> {
        if stmt.any(&mut Stmt::is_opaque) {
            return Some("its body calls what is not looked into");
        }
        for carried in self.analysis.carried_by(looped.iter) {
            if !carried.is_reduction_only() || self.primal[carried.buffer].layout == Layout::Growing {
                return Some("an iteration uses what another one writes");
            }
            if carried.reduction.is_some_and(|(met, op)| op != ReduceOp::Add && !met.is_no()) {
                return Some("iterations meet in an update that is no addition");
            }
        }
        None
    }

    /// Whether a buffer is one of the primal program, not made for the reverse sweep.
    pub(super) fn is_primal(&self, buffer: BufferId) -> bool {
        (buffer.0 as usize) < self.primal.buffers.len()
    }

    /// The region code of `looped` in one loop before what follows it, `rest`, where that is legal.
    pub(super) fn placed(&mut self, fused: For, origin: Origin, mut rest: Block) -> Placed {
        if rest.iter().any(|stmt| stmt.any(&mut Stmt::is_seam)) {
            return Placed::Illegal(Box::new(fused), rest);
        }
        let fused = fused.stmt(origin);
        let mut changing = written(&rest);
        changing.union(&written(std::slice::from_ref(&fused)));
        let is_written = |buffer: BufferId| changing.contains(buffer);
        let primal = self.primal.buffers.len();
        let is_primal = |buffer: BufferId| (buffer.0 as usize) < primal;
        let known = |out: &Program, rest: &Block| {
            let mut leaves = Vec::new();
            flattened(out, rest, &is_written, &mut leaves);
            known_before(out, &is_primal, &fused, &leaves)
        };
        let mut placed = known(&self.out, &rest);
        // a parallel loop of the source hands its results on in an array, which a loop behind it adds up
        if placed.is_none()
            && fused.as_for().is_some_and(|each| each.marks.rayon.is_some())
            && let Some(apart) = distributed(&mut self.out, &is_primal, &rest)
        {
            placed = known(&self.out, &apart);
            if placed.is_some() {
                rest = apart;
            }
        }
        let Some(known) = placed else {
            let StmtKind::For(fused) = fused.kind else { unreachable!("made above") };
            return Placed::Illegal(Box::new(fused), rest);
        };
        let (mut buffers, mut leaves) = (Vec::new(), Vec::new());
        take_apart(&self.out, rest, &is_written, &mut buffers, &mut leaves);
        let (mut body, mut behind) = (Block::new(), Block::new());
        for (stmt, known) in leaves.into_iter().zip(known) {
            if known { body.push(stmt) } else { behind.push(stmt) }
        }
        body.push(fused);
        body.extend(behind);
        if buffers.is_empty() {
            return Placed::Before(body);
        }
        let origin = Origin { phase: Phase::Adjoint, ..origin };
        Placed::Before(vec![Stmt::scope(buffers, body, origin)])
    }

    /// The reverse loop of `stmt` if it replays: in a region, whose tapes are small, its values are stored, except where
    /// they would take tapes that grow.
    pub(super) fn replay_loop(&mut self, stmt: &'p Stmt, looped: &'p For) -> Option<Block> {
        let prepared = self.region.prepared.take();
        let is_marked = looped.marks.provide == Some(Provide::Replay);
        if self.region.root.is_some() && !is_marked && !self.is_replayed(stmt) {
            if let Some((mark, _)) = prepared {
                self.forget(mark);
            }
            return None;
        }
        let (mark, fused) = match prepared {
            Some(prepared) => prepared,
            None => (self.mark(), self.region_of(stmt)?),
        };
        let is_chosen = !is_marked && !self.is_replayed(stmt);
        if is_chosen && self.is_dear(stmt, &self.slice(stmt, fused.body.clone())) {
            self.forget(mark);
            return None;
        }
        let replayed = self.replayed(stmt, looped, fused);
        if replayed.is_none() {
            self.forget(mark);
            self.refuse_mark(
                stmt,
                looped,
                "a value that its iterations read is overwritten before they are reversed",
            );
        }
        replayed
    }

    /// The reverse loop that replays: the code of the region without what it writes around itself, in the names of the
    /// reverse sweep. `None` if a value that it needs is not there any more.
    pub(super) fn replayed(&mut self, stmt: &'p Stmt, looped: &'p For, fused: For) -> Option<Block> {
        let mut body = self.slice(stmt, fused.body.clone());
        let mut translation = self.translation(stmt, &body)?;
        let [lo, hi, step] = looped.bounds().map(|bound| self.value_at(bound, stmt));
        let Iter { name, ty } = self.primal[looped.iter].clone();
        let iter = self.out.add_iter(&name, ty);
        translation.iters.insert(looped.iter, Expr::iter(iter, ty));
        body.iter_mut().for_each(|inner| translation.translate(inner, &mut self.out));
        let origin = Origin { phase: Phase::Adjoint, ..stmt.origin };
        Some(vec![Stmt::new(StmtKind::For(For { iter, lo, hi, step, body, ..fused }), origin)])
    }

    /// What of the region's code is needed for what it does to adjoints around it.
    fn slice(&self, root: &Stmt, mut body: Block) -> Block {
        let outside = |buffer: BufferId| {
            self.is_primal(buffer)
                && self.structure.scope(buffer).is_none_or(|scope| !self.structure.is_inside(scope, root))
        };
        drop_effects(&mut body, &outside);
        let own = declared(&body);
        let (mut live, mut grown) = (BufferSet::new(), true);
        while std::mem::take(&mut grown) {
            let before = live.clone();
            body.iter().for_each(|stmt| _ = mark_live(&self.out, stmt, &own, &mut live));
            grown = live != before;
        }
        remove_dead(&mut body, &own, &live);
        body
    }

    /// The names of everything in `body` at its new place; `None` if a value is not there.
    fn translation(&mut self, root: &'p Stmt, body: &Block) -> Option<Translation> {
        let (mut declared, mut iters, mut read) = (Vec::new(), Vec::new(), Vec::new());
        let mut extents: Vec<(BufferId, usize)> = Vec::new();
        walk(body, &mut |stmt| {
            declared.extend(stmt.declares());
            iters.extend(stmt.iter());

            stmt.each_evaluated(&self.out, &mut |expr| {
                expr.walk(&mut |part| match &part.kind {
                    ExprKind::Load(place) => read.push(place.buffer),
                    ExprKind::Extent(buffer, dim) => extents.push((*buffer, *dim)),
                    _ => {}
                })
            });
        });
        read.sort();
        read.dedup();
        read.retain(|&buffer| self.is_primal(buffer) && !declared.contains(&buffer));
        extents.retain(|(buffer, _)| self.is_primal(*buffer) && !declared.contains(buffer));
        if !read.iter().all(|&buffer| self.is_provided(buffer, root)) {
            return None;
        }
        if extents.iter().any(|&(buffer, dim)| !self.lives_here(buffer) && self.is_own_extent(buffer, dim)) {
            return None;
        }
        let around = read.into_iter().map(|buffer| (buffer, self.provided(buffer, root))).collect();
        let extents = extents.into_iter().filter(|(buffer, _)| !self.lives_here(*buffer));
        let extents: Vec<_> = extents.collect();
        let extents = extents
            .into_iter()
            .map(|(buffer, dim)| ((buffer, dim), self.value_at(&Expr::extent(buffer, dim), root)))
            .collect();
        declared.retain(|&buffer| self.is_primal(buffer));
        let buffers = declared
            .into_iter()
            .map(|buffer| {
                let copy = self.out[buffer].clone();
                (buffer, self.out.add_buffer(copy))
            })
            .collect();
        let mut names: Map<IterId, Expr> = Map::default();
        for iter in iters.into_iter().filter(|iter| (iter.0 as usize) < self.primal.iters.len()) {
            let Iter { name, ty } = self.primal[iter].clone();
            names.insert(iter, Expr::iter(self.out.add_iter(&name, ty), ty));
        }
        for outer in &self.region.loops {
            let iter = outer.looped.iter;
            names.insert(iter, Expr::iter(outer.rev_iter, self.primal[iter].ty));
        }
        Some(Translation { buffers, iters: names, around, extents })
    }

    /// Whether a loop in a region replays although nobody asks for it.
    fn is_replayed(&self, stmt: &Stmt) -> bool {
        self.is_ragged(stmt) || self.is_of_pairs(stmt)
    }

    /// Whether a loop makes values of pairs from values of each: tapes would have an element for a pair of which all that
    /// there is to read is as long as one loop.
    fn is_of_pairs(&self, root: &Stmt) -> bool {
        let (mut deepest, mut widest) = (0, 0);
        root.walk(&mut |stmt| {
            deepest = deepest.max(self.loops_inside(root, stmt).map(|each| self.sizes_of_trip(each)).sum());
            stmt.each_evaluated(self.primal, &mut |expr| {
                expr.each_load(&mut |place| {
                    let around = self.varying(place, stmt, root);
                    widest = widest.max(around.map(|each| self.sizes_of_trip(each)).sum::<usize>());
                })
            });
        });
        deepest > 1 && widest <= 1 && self.activity.has_adjoint(root)
    }

    /// Whether the reverse sweep finds in `buffer` what the loop `root` found there, or can be made to.
    fn is_provided(&mut self, buffer: BufferId, root: &'p Stmt) -> bool {
        self.is_unharmed(buffer, root)
            || self.is_replayed(root) && self.can_be_saved(buffer, root)
            || self.gathers(root) && self.is_read_whole(buffer, root)
    }

    /// Whether a loop in no other reads more of an array that is overwritten later than there is.
    fn gathers(&mut self, root: &'p Stmt) -> bool {
        let is_outermost = self.region.root.is_none() && self.region.loops.is_empty();
        is_outermost
            && self.primal.buffer_ids().any(|buffer| {
                self.primal[buffer].rank() > 0
                    && self.saving_nest(buffer, root).is_some()
                    && !self.is_unharmed(buffer, root)
            })
    }

    /// Whether `buffer` can be stored as it was before `root`, a loop in no other, which reads about all of it.
    fn is_read_whole(&self, buffer: BufferId, root: &'p Stmt) -> bool {
        match self.primal[buffer].rank() {
            0 => self.can_be_saved(buffer, root),
            _ => self.covering_nest(buffer, root).is_some(),
        }
    }

    /// Whether it finds it there without a copy made for it.
    fn is_unharmed(&mut self, buffer: BufferId, root: &'p Stmt) -> bool {
        let mut unharmed = true;
        root.walk(&mut |stmt| {
            if let Some(Update { op, target, .. }) = stmt.as_update() {
                unharmed &= target.buffer != buffer || op == ReduceOp::Add;
            }
            stmt.each_evaluated(self.primal, &mut |expr| {
                expr.each_load(&mut |place| {
                    unharmed &= place.buffer != buffer || !self.overwritten_after(stmt, place);
                })
            });
        });
        match self.lives_here(buffer) {
            true => unharmed,
            false => {
                self.structure.single_definition(buffer).is_some()
                    || self.can_be_remade(buffer)
                    || unharmed && self.can_be_kept(buffer)
            }
        }
    }

    /// Whether `buffer`, which something overwrites before `root` is reversed, can be stored as it was before `root`, and
    /// takes less than what the iterations of `root` make of it.
    fn can_be_saved(&self, buffer: BufferId, root: &'p Stmt) -> bool {
        match self.primal[buffer].rank() {
            0 => !self.structure.writes(buffer).iter().any(|write| self.structure.is_inside(write, root)),
            _ => self.saving_nest(buffer, root).is_some(),
        }
    }

    /// How `buffer`, which [`Sweep::is_provided`], is called in the reverse sweep.
    fn provided(&mut self, buffer: BufferId, root: &'p Stmt) -> Provided {
        if !self.is_unharmed(buffer, root) {
            if self.primal[buffer].rank() == 0 {
                return Provided::Value(self.stored_at_use(&self.primal.load_scalar(buffer), root));
            }
            let nest = self.saving_nest(buffer, root).or_else(|| self.covering_nest(buffer, root));
            return Provided::Tape(self.snapshot(buffer, nest.expect("asked by `is_provided`")));
        }
        if self.lives_here(buffer) {
            return Provided::InPlace;
        }
        if let Some(definition) = self.structure.single_definition(buffer) {
            return Provided::Value(self.definition(definition, buffer, self.primal[buffer].elem));
        }
        match self.can_be_remade(buffer) {
            true => Provided::Copy(self.remade(buffer)),
            false => Provided::Tape(self.kept_in_tape(buffer)),
        }
    }
}

impl Translation {
    fn expr(&self, expr: &Expr) -> Expr {
        expr.map(&mut |part| match part.kind {
            ExprKind::Iter(iter) => self.iters.get(&iter).cloned().unwrap_or(part),
            ExprKind::Load(mut place) => {
                if let Some(&copy) = self.buffers.get(&place.buffer) {
                    place.buffer = copy;
                }
                match self.around.get(&place.buffer) {
                    Some(Provided::Value(value)) => value.clone(),
                    Some(Provided::Copy(copy)) => Place::new(*copy, place.index).load(part.ty),
                    Some(Provided::Tape(tape)) => tape.load(place.index),
                    _ => place.load(part.ty),
                }
            }
            ExprKind::Extent(buffer, dim) => match self.extents.get(&(buffer, dim)) {
                Some(extent) => extent.clone(),
                None => Expr::extent(self.buffer(buffer), dim),
            },
            _ => part,
        })
    }

    fn buffer(&self, buffer: BufferId) -> BufferId {
        self.buffers.get(&buffer).copied().unwrap_or(buffer)
    }

    fn translate(&self, stmt: &mut Stmt, out: &mut Program) {
        if stmt.origin.phase == Phase::Primal {
            stmt.origin.phase = Phase::Replay;
        }
        stmt.exprs_mut().into_iter().for_each(|expr| *expr = self.expr(expr));
        for buffer in stmt.buffers_mut() {
            *buffer = self.buffer(*buffer);
        }
        if let Some(iter) = stmt.iter_mut()
            && let Some(ExprKind::Iter(own)) = self.iters.get(iter).map(|iter| &iter.kind)
        {
            *iter = *own;
        }
        for buffer in stmt.declares() {
            for dim in 0..out[*buffer].rank() {
                out[*buffer].dims[dim] = self.expr(&out[*buffer].dims[dim]);
            }
        }
        stmt.blocks_mut().into_iter().flatten().for_each(|inner| self.translate(inner, out));
    }
}

/// Removes checks, which the forward loop has passed, and writes to what lives outside.
fn drop_effects(block: &mut Block, outside: &dyn Fn(BufferId) -> bool) {
    block.retain_mut(|stmt| {
        stmt.blocks_mut().into_iter().for_each(|inner| drop_effects(inner, outside));
        let mut stays = stmt.as_check().is_none();
        stmt.writes_itself(&mut |buffer| stays &= stmt.is_opaque() || !outside(buffer));
        stays
    });
}

/// Adds to `live` what the statement reads, if it has an effect: it, or something inside it, writes what is live or
/// not the region's `own`. Whether it has.
fn mark_live(program: &Program, stmt: &Stmt, own: &BufferSet, live: &mut BufferSet) -> bool {
    let mut has_effect = writes_live(stmt, own, live);
    for inner in stmt.blocks().into_iter().flatten() {
        has_effect |= mark_live(program, inner, own, live);
    }
    if has_effect {
        stmt.each_evaluated(program, &mut |expr| expr.reads(program, &mut |read| _ = live.insert(read)));
        stmt.as_swap().into_iter().flatten().for_each(|buffer| _ = live.insert(buffer));
    }
    has_effect
}

fn writes_live(stmt: &Stmt, own: &BufferSet, live: &BufferSet) -> bool {
    let wanted = |buffer: BufferId| live.contains(buffer) || !own.contains(buffer);
    let mut is_live = stmt.is_opaque() || stmt.as_while().is_some();
    stmt.writes_itself(&mut |buffer| is_live |= wanted(buffer));
    is_live
}

fn remove_dead(block: &mut Block, own: &BufferSet, live: &BufferSet) {
    block.retain_mut(|stmt| {
        let is_leaf = stmt.blocks().is_empty();
        stmt.blocks_mut().into_iter().for_each(|inner| remove_dead(inner, own, live));
        match is_leaf {
            true => writes_live(stmt, own, live),
            false => stmt.blocks().iter().any(|block| !block.is_empty()),
        }
    });
}
