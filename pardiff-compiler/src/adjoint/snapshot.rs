//! Whole arrays in tapes: local arrays that live there, and snapshots.
//!
//! *Kept*: a local array inside a loop dies before the reverse sweep comes. If what the reverse sweep reads is not
//! overwritten inside the array's scope, the array is given a copy for each instance of the scope, in place of itself:
//!
//! ```text
//! for i { scope q[d] { … q[j] = e … } }     becomes     for i { … q_tape[i, j] = e … }
//! ```
//!
//! *Snapshot*: an array that is overwritten between two executions of a loop nest, but not in it, is copied before the
//! nest. Rust's arrays are initialised as a whole, so the copy reads nothing unspecified.

use super::inplace_tapes::redirect;
use super::reverse_stmt::Sweep;
use super::structure::key;
use super::tape_layout::Tape;
use crate::ir::{
    BinOp, Block, Buffer, BufferId, Callee, Expr, ExprKind, For, Func, Layout, Origin, Phase, Place, Role,
    Stmt, StmtKind, Ty, change_exprs, over_elements,
};
use crate::limits::ROW_READ_WHOLE;

impl<'p> Sweep<'p> {
    /// Whether a local array may live in a tape: its extents are known when tapes open, and its contents are never
    /// exchanged as a whole.
    pub(super) fn can_be_kept(&self, buffer: BufferId) -> bool {
        let swapped = |write: &Stmt| matches!(write.kind, StmtKind::Swap { .. } | StmtKind::Call { .. });
        self.known_extents(buffer).is_some_and(|extents| !extents.is_empty())
            && !self.structure.writes(buffer).iter().any(|write| swapped(write))
    }

    /// Whether the local array that `place` in `stmt` reads is worth living in a tape for that: it does anyway, or loops go
    /// through its elements, or these are few. Where one element of many is read, as the sum of all others at the end
    /// of a pass, that element is stored, and the array stays in the memory that each instance of its scope uses again.
    pub(super) fn is_best_kept(&self, place: &Place, stmt: &Stmt) -> bool {
        let buffer = place.buffer;
        let inside = |looped: &&Stmt| {
            self.structure.scope(buffer).is_some_and(|scope| self.structure.is_inside(looped, scope))
        };
        let mut loops = self.structure.ancestors(stmt).filter(|outer| outer.is_loop()).filter(inside);
        let is_swept =
            loops.any(|looped| place.index.iter().any(|index| self.structure.varies(index, looped)));
        self.can_be_kept(buffer)
            && (self.region.kept.contains_key(&buffer)
                || is_swept
                || self.known_extents(buffer).is_some_and(|extents| ranks(&extents) == 0))
    }

    /// Whether a copy of an array can be stored.
    pub(super) fn can_be_stored(&self, buffer: BufferId) -> bool {
        self.known_extents(buffer).is_some()
    }

    /// The extents of a row-major array as they will be when tapes open; not those of an array that a condition may
    /// keep from being made, unless they are constant.
    fn known_extents(&self, buffer: BufferId) -> Option<Vec<Expr>> {
        if self.primal[buffer].layout != Layout::RowMajor {
            return None;
        }
        let extents =
            (0..self.primal[buffer].rank()).map(|dim| self.when_opening(&Expr::extent(buffer, dim)));
        let extents = extents.collect::<Option<Vec<_>>>()?;
        let is_conditional = self.structure.scope(buffer).is_some_and(|scope| self.is_conditional(scope));
        let fixed = extents.iter().all(|extent| matches!(extent.kind, ExprKind::Int(_)));
        (fixed || !is_conditional).then_some(extents)
    }

    /// The tape that a local array lives in.
    pub(super) fn kept_in_tape(&mut self, buffer: BufferId) -> Tape {
        if let Some(tape) = self.region.kept.get(&buffer) {
            return tape.clone();
        }
        let extents = self.known_extents(buffer).expect("asked by `can_be_kept`");
        let scope = self.structure.scope(buffer).expect("a local has a scope");
        let (name, elem) = (format!("{}_tape", self.primal[buffer].name), self.primal[buffer].elem);
        let tape = self.new_tape(&name, elem, scope, extents, |_, _| true);
        self.region.kept.insert(buffer, tape.clone());
        tape
    }

    /// Removes from `own` the arrays that live in tapes and redirects the accesses of `fwd` to them.
    pub(super) fn move_to_tapes(&mut self, own: &mut Vec<BufferId>, fwd: &mut Block) {
        let kept: Vec<(BufferId, Tape)> =
            own.iter().filter_map(|buffer| Some((*buffer, self.region.kept.remove(buffer)?))).collect();
        if kept.is_empty() {
            return;
        }
        own.retain(|buffer| kept.iter().all(|(moved, _)| moved != buffer));
        let to_tape = |place: &Place| {
            let (_, tape) = kept.iter().find(|(moved, _)| *moved == place.buffer)?;
            Some(tape.place(&place.index))
        };
        let primal = self.primal;
        change_exprs(fwd, &mut |expr| {
            expr.change(&mut |node| match node.kind {
                ExprKind::Extent(buffer, dim) if kept.iter().any(|(moved, _)| *moved == buffer) => {
                    *node = primal[buffer].dims[dim].clone();
                }
                _ => {}
            });
        });
        fwd.iter_mut().for_each(|stmt| redirect(stmt, &to_tape));
    }

    /// The loop nest before which `buffer` is best stored as a whole for the read `place` in `stmt`: the outermost loop
    /// around `stmt`, inside the scope of the array, that does not write it, if the reads inside amount to more than the
    /// array itself: not of one row of a flat matrix.
    pub(super) fn snapshot_nest(&self, place: &Place, stmt: &Stmt) -> Option<&'p Stmt> {
        let buffer = place.buffer;
        let extents = self.known_extents(buffer).filter(|extents| !extents.is_empty())?;
        // of a row of three or four all elements are read, one after the other
        let has_rows = ranks(&extents) > 0;
        let is_row = |extent: &Expr| has_rows && matches!(extent.kind, ExprKind::Int(..=ROW_READ_WHOLE));
        let rank = extents.iter().filter(|extent| !is_row(extent)).count();
        let nest = self.unwritten(self.structure.ancestors(stmt), buffer)?;
        let swept: usize = self.varying(place, stmt, nest).map(|each| self.sizes_of_trip(each)).sum();
        let varying = self.varying(place, stmt, nest).count();
        let again = self.loops_inside(nest, stmt).count() > varying || self.distinct_reads(buffer, nest) > 1;
        let varies =
            |index: &Expr| self.loops_inside(nest, stmt).any(|each| self.structure.varies(index, each));
        let is_swept = swept >= self.sizes_of_array(buffer, &extents)
            && place.index.iter().zip(&extents).all(|(index, extent)| is_row(extent) || varies(index));
        (is_swept && varying >= rank && (varying > rank || again)).then_some(nest)
    }

    /// The same for all reads of `buffer` in the loop `root`.
    pub(super) fn saving_nest(&self, buffer: BufferId, root: &'p Stmt) -> Option<&'p Stmt> {
        let extents = self.known_extents(buffer)?;
        let rank = ranks(&extents);
        let nest = self.unwritten(std::iter::once(root).chain(self.structure.ancestors(root)), buffer)?;
        let (varying, swept) = self.reads_vary(buffer, root, nest);
        let reads = self.distinct_reads(buffer, nest);
        let is_swept = swept >= self.sizes_of_array(buffer, &extents);
        (is_swept && varying >= rank && (varying > rank || reads > 1)).then_some(nest)
    }

    /// The loop `root` itself, if it writes nothing of `buffer` and its reads go through as many elements as that
    /// has.
    pub(super) fn covering_nest(&self, buffer: BufferId, root: &'p Stmt) -> Option<&'p Stmt> {
        let extents = self.known_extents(buffer)?;
        self.unwritten(std::iter::once(root), buffer)?;
        let (_, swept) = self.reads_vary(buffer, root, root);
        (swept >= self.sizes_of_array(buffer, &extents)).then_some(root)
    }

    /// With how many loops of `nest` the reads of `buffer` in the loop `root` vary at most, and how many sizes the
    /// trips of those loops multiply.
    fn reads_vary(&self, buffer: BufferId, root: &'p Stmt, nest: &Stmt) -> (usize, usize) {
        let (mut varying, mut swept) = (0, 0);
        root.walk(&mut |stmt| {
            stmt.each_evaluated(self.primal, &mut |expr| {
                expr.each_load(&mut |place| {
                    if place.buffer == buffer {
                        varying = varying.max(self.varying(place, stmt, nest).count());
                        let trips = self.varying(place, stmt, nest).map(|each| self.sizes_of_trip(each));
                        swept = swept.max(trips.sum());
                    }
                })
            });
        });
        (varying, swept)
    }

    /// How many sizes the elements of an array multiply: of `q[i * n + j]` there are rows of `n`, whatever the length
    /// of `q` is called.
    fn sizes_of_array(&self, buffer: BufferId, extents: &[Expr]) -> usize {
        let dims = extents.iter().enumerate();
        dims.map(|(dim, extent)| self.sizes(extent).max(self.analysis.sizes_of_grid(buffer, dim))).sum()
    }

    /// The last of `outwards`, statements from the inside to the outside, up to which no loop in the region and in the
    /// scope of `buffer` writes it.
    fn unwritten(&self, outwards: impl Iterator<Item = &'p Stmt>, buffer: BufferId) -> Option<&'p Stmt> {
        let scope = self.structure.scope(buffer);
        let writes = |nest: &Stmt| {
            self.structure.writes(buffer).iter().any(|write| self.structure.is_inside(write, nest))
        };
        let loops = outwards.filter(|outer| outer.is_loop());
        loops
            .take_while(|nest| {
                scope.is_none_or(|scope| self.structure.is_inside(nest, scope))
                    && self.is_here(nest)
                    && !writes(nest)
            })
            .last()
    }

    /// The loops of `nest` around `stmt` that the index of `place` varies with.
    pub(super) fn varying<'s>(
        &'s self,
        place: &'s Place,
        stmt: &'s Stmt,
        nest: &'s Stmt,
    ) -> impl Iterator<Item = &'p Stmt> + 's {
        let varies = |each: &&Stmt| place.index.iter().any(|index| self.structure.varies(index, each));
        self.loops_inside(nest, stmt).filter(varies)
    }

    /// How many sizes a number multiplies: `n * m` is two, which one loop over `m` does not go through.
    fn sizes(&self, number: &Expr) -> usize {
        match &number.kind {
            ExprKind::Int(_) => 0,
            ExprKind::Binary(BinOp::Mul, a, b) => self.sizes(a) + self.sizes(b),
            ExprKind::Binary(BinOp::Add | BinOp::Sub, a, b) => self.sizes(a).max(self.sizes(b)),
            ExprKind::Load(place) if place.index.is_empty() && self.is_primal(place.buffer) => {
                self.structure.definition(place.buffer).map_or(1, |value| self.sizes(value))
            }
            ExprKind::Extent(buffer, dim) if self.out[*buffer].dims[*dim].kind != number.kind => {
                self.sizes(&self.out[*buffer].dims[*dim])
            }
            _ => 1,
        }
    }

    pub(super) fn sizes_of_trip(&self, each: &Stmt) -> usize {
        each.as_for().map_or(1, |looped| self.sizes_of_loop(looped))
    }

    pub(super) fn sizes_of_loop(&self, looped: &For) -> usize {
        self.sizes(&looped.hi).max(self.sizes(&looped.lo))
    }

    /// The loops around `stmt` up to `nest`.
    pub(super) fn loops_inside<'s>(
        &'s self,
        nest: &'s Stmt,
        stmt: &'s Stmt,
    ) -> impl Iterator<Item = &'p Stmt> + 's {
        let around = self.structure.ancestors(stmt).filter(|outer| outer.is_loop());
        around.filter(move |each| std::ptr::eq(*each, nest) || self.structure.is_inside(each, nest))
    }

    /// The number of different elements, by the form of their index, that assignments in `nest` read of `buffer`.
    fn distinct_reads(&self, buffer: BufferId, nest: &Stmt) -> usize {
        let mut reads: Vec<&Place> = Vec::new();
        nest.walk(&mut |stmt| {
            if let Some((_, value)) = stmt.as_store() {
                value.each_load(&mut |place| {
                    if place.buffer == buffer && !reads.contains(&place) {
                        reads.push(place);
                    }
                });
            }
        });
        reads.len()
    }

    /// The tape that holds `buffer` as it was before `nest`.
    pub(super) fn snapshot(&mut self, buffer: BufferId, nest: &'p Stmt) -> Tape {
        if let Some(tape) = self.region.snapshots.get(&(key(nest), buffer)) {
            return tape.clone();
        }
        let extents = self.known_extents(buffer).expect("asked by `snapshot_nest`");
        let (name, elem) = (format!("{}_tape", self.primal[buffer].name), self.primal[buffer].elem);
        let tape = self.new_tape(&name, elem, nest, extents, |sweep, names| {
            sweep.structure.writes(buffer).iter().any(|write| sweep.structure.is_inside(write, names.stmt))
        });
        let origin = Origin { phase: Phase::Adjoint, ..nest.origin };
        let extents = (0..self.primal[buffer].rank()).map(|dim| self.primal.extent(buffer, dim)).collect();
        let copy = over_elements(&mut self.out, extents, origin, &mut |index| {
            Stmt::assign(tape.place(index), Place::new(buffer, index.to_vec()).load(elem), origin)
        });
        self.region.before.entry(key(nest)).or_default().push(copy);
        self.region.snapshots.insert((key(nest), buffer), tape.clone());
        self.region.stored.push((nest, buffer));
        tape
    }

    /// Copies before `stmt` an array of one dimension whose length is not known when tapes open: the elements follow
    /// those of the execution before in a tape that grows. Returns that tape, and at which element the reverse sweep
    /// finds the first.
    pub(super) fn snapshot_of_any_length(&mut self, buffer: BufferId, stmt: &'p Stmt) -> (BufferId, Expr) {
        let Buffer { name, elem, .. } = self.primal[buffer].clone();
        let start = self.new_tape(&format!("{name}_start"), Ty::USIZE, stmt, Vec::new(), |_, _| true);
        let next = self.out.add_scalar(&format!("{name}_next"), Ty::USIZE, Role::Tape);
        let own = self.out.add_scalar(&format!("{name}_first"), Ty::USIZE, Role::Local);
        let like = Buffer::new(&format!("{name}_tape"), elem, vec![Expr::usize(0)], Role::Tape);
        let tape = self.out.add_buffer(Buffer { layout: Layout::Reserved, ..like });
        self.out[tape].dims[0] = Expr::extent(tape, 0);
        self.region.tapes.extend([next, tape]);
        let origin = Origin { phase: Phase::Adjoint, ..stmt.origin };
        self.region.opening.push(Stmt::set(next, Expr::usize(0), origin));
        let (first, length) = (self.out.load_scalar(own), Expr::extent(buffer, 0));
        let rows = Expr::call(Ty::USIZE, Func::SaturatingAdd, vec![first.clone(), length.clone()]);
        let callee = Callee::Reserve(Box::new(rows.clone()));
        let reach = Stmt::new(StmtKind::Call { callee, reads: Vec::new(), writes: vec![tape] }, origin);
        let copy = over_elements(&mut self.out, vec![length], origin, &mut |index| {
            let to = Place::new(tape, index.iter().map(|at| first.clone() + at.clone()).collect());
            Stmt::assign(to, Place::new(buffer, index.to_vec()).load(elem), origin)
        });
        let copied = vec![
            Stmt::set(own, self.out.load_scalar(next), origin),
            Stmt::assign(start.place(&[]), first.clone(), origin),
            Stmt::set(next, rows, origin),
            reach,
            copy,
        ];
        self.region.before.entry(key(stmt)).or_default().push(Stmt::scope(vec![own], copied, origin));
        (tape, start.load(Vec::new()))
    }

    /// The adjoint of a local array that grows, and may be swapped with one of another length: it grows to `length`,
    /// the final one, when the reverse sweep begins.
    pub(super) fn growing_adjoint(&mut self, adjoint: BufferId, length: Expr, origin: Origin) -> Block {
        self.out[adjoint].layout = Layout::Growing;
        self.out[adjoint].dims[0] = Expr::extent(adjoint, 0);
        let extents: Vec<Expr> = std::iter::once(length)
            .chain((1..self.out[adjoint].rank()).map(|dim| self.extent_in_scope(adjoint, dim)))
            .collect();
        let zero = Expr::float(self.out[adjoint].elem, 0.0);
        vec![over_elements(&mut self.out, extents, origin, &mut |index| {
            Stmt::assign(Place::new(adjoint, index.to_vec()), zero.clone(), origin)
        })]
    }
}

/// The number of extents that are not constant: those take loops.
fn ranks(extents: &[Expr]) -> usize {
    extents.iter().filter(|extent| !matches!(extent.kind, ExprKind::Int(_))).count()
}
