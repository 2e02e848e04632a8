//! Slots: where in its tape a stored value stands. A slot is found by loop iterators, in the forward sweep by those of the
//! primal loops, in the reverse sweep by those of the reversed ones; both are made here, so they agree.
//!
//! Of the loops around the value some may be left out (along which the value does not change, or of which one iteration comes
//! to it). For those kept:
//! - a trip count known when the tape opens is an ordinary dimension, and the slot is `(iterator - lo) / step`;
//! - the pair of a loop and a triangular one inside it is packed: `i (i + 1) / 2 + j`, unless it has only a few elements;
//! - any other inner loop is *ragged*: each of its executions takes the next rows of a growing dimension, and where it
//!   starts is recorded in a small tape of its own, indexed by the loops outside.
//!
//! A tape must not ask for more memory than the loops that run have iterations: a length that a condition or an empty
//! outer loop keeps from being used may be anything. So a loop under a condition is ragged unless its length is a constant or that of a loop
//! around it that is left out, and where a loop is left out
//! the outermost extent is multiplied by `min(its trip count, 1)`, or, if that is not known, it grows: where its
//! rows are made is in `super::rows`; which lengths are known when a tape opens, in `super::opening`.

use super::reverse_stmt::Sweep;
use super::structure::{Key, key};
use crate::ir::{
    BinOp, Block, Buffer, BufferId, Expr, ExprKind, For, Func, Int, IterId, Layout, Origin, Phase, Place,
    Role, Stmt, StmtKind, Ty, only_iteration,
};
use crate::limits::UNPACKED_TRIANGLE;
use crate::map::Map;

/// What a loop around the current statement is called in the two sweeps.
#[derive(Clone)]
pub(super) struct LoopNames<'p> {
    pub(super) stmt: &'p Stmt,
    pub(super) looped: &'p For,
    /// The iterator of the reversed loop.
    pub(super) rev_iter: IterId,
    /// First value and step in the forward sweep: stable inside the loop.
    pub(super) fwd: (Expr, Expr),
    /// First value and step in the reverse sweep.
    pub(super) rev: (Expr, Expr),
    /// The trip count, or a number that it does not exceed, where it is known when tapes open.
    pub(super) trip: Option<Expr>,
    /// Of a `While`, the tape that holds its trip count when it has ended.
    pub(super) counted: Option<Tape>,
}

/// A tape and the leading indices of the current slot in both sweeps.
#[derive(Clone)]
pub(super) struct Tape {
    pub(super) buffer: BufferId,
    pub(super) elem: Ty,
    pub(super) fwd: Vec<Expr>,
    pub(super) rev: Vec<Expr>,
}

impl Tape {
    /// The slot in the forward sweep, followed by `rest`.
    pub(super) fn place(&self, rest: &[Expr]) -> Place {
        Place::new(self.buffer, self.fwd.iter().chain(rest).cloned().collect())
    }

    /// The value in the reverse sweep, at `rest` behind the slot.
    pub(super) fn load(&self, rest: Vec<Expr>) -> Expr {
        let index = self.rev.iter().cloned().chain(rest).collect();
        Place::new(self.buffer, index).load(self.elem)
    }
}

/// Where the rows of an execution of a ragged loop start.
#[derive(Clone, Copy)]
struct Start {
    /// By the iterators of the loops outside.
    tape: BufferId,
    /// The same of the execution that the forward sweep is in.
    own: BufferId,
}

/// Where ragged loops record their starts, and tapes that grow are given rows: by the loop that it is done at.
#[derive(Default)]
pub(super) struct Starts {
    /// By the loops that a tape keeps, down to the ragged one.
    known: Map<Vec<Key>, Start>,
    /// The locals around the loop.
    around: Map<Key, Vec<BufferId>>,
    pub(super) before: Map<Key, Block>,
    behind: Map<Key, Block>,
    /// At the beginning of an iteration.
    pub(super) inside: Map<Key, Block>,
}

impl Starts {
    /// The forward sweep of the loop `stmt` among what it records in front of the loop and, where the trip count is known only then,
    /// behind it.
    pub(super) fn around(&mut self, stmt: &Stmt, looped: Block, origin: Origin) -> Block {
        let mut all = self.before.remove(&key(stmt)).unwrap_or_default();
        all.extend(looped);
        all.extend(self.behind.remove(&key(stmt)).unwrap_or_default());
        match self.around.remove(&key(stmt)) {
            Some(buffers) => vec![Stmt::scope(buffers, all, origin)],
            None => all,
        }
    }

    /// What it records at the beginning of an iteration of the loop `stmt`.
    pub(super) fn inside(&mut self, stmt: &Stmt) -> Block {
        self.inside.remove(&key(stmt)).unwrap_or_default()
    }
}

/// Leading dimensions of a tape under construction.
pub(super) struct Slots<'p> {
    pub(super) fwd: Vec<Expr>,
    pub(super) rev: Vec<Expr>,
    dims: Vec<Expr>,
    layout: Layout,
    /// The loops that have a slot for each iteration, so far.
    pub(super) kept: Vec<LoopNames<'p>>,
    /// If the tape grows.
    pub(super) growth: Option<Growth>,
}

/// How a tape grows.
pub(super) struct Growth {
    /// Which of the kept loops its rows belong to.
    pub(super) at: usize,
    /// The rows that there are when that loop has ended, as its bounds say in front of it.
    pub(super) rows: Option<Expr>,
}

/// How the iterations of an inner loop lie in those of an outer one.
#[derive(Clone, Copy)]
enum Triangle {
    /// The trip count is at most the outer slot plus one.
    Lower,
    /// The same counted from the outer loop's end.
    Upper,
}

impl<'p> Sweep<'p> {
    /// Makes a tape for values of type `elem` at `around`, with a slot for each combination of the iterators that
    /// `snapshot` asks for, and `extents` behind them.
    pub(super) fn new_tape(
        &mut self,
        name: &str,
        elem: Ty,
        around: &Stmt,
        extents: Vec<Expr>,
        keep: impl Fn(&Self, &LoopNames<'p>) -> bool,
    ) -> Tape {
        let slots = self.slots(around, !extents.is_empty(), keep);
        let buffer = self.add_tape(name, elem, &slots, extents, around);
        Tape { buffer, elem, fwd: slots.fwd, rev: slots.rev }
    }

    fn add_tape(
        &mut self,
        name: &str,
        elem: Ty,
        slots: &Slots<'p>,
        extents: Vec<Expr>,
        around: &Stmt,
    ) -> BufferId {
        let has_extents = !extents.is_empty();
        let dims = slots.dims.iter().cloned().chain(extents).collect();
        let tape = Buffer { layout: slots.layout.clone(), ..Buffer::new(name, elem, dims, Role::Tape) };
        let id = self.out.add_buffer(tape);
        if let Some(growth) = &slots.growth {
            self.out[id].dims[0] = Expr::extent(id, 0);
            self.make_rows(id, slots, growth, around, has_extents);
        }
        self.region.tapes.push(id);
        id
    }

    fn slots(
        &mut self,
        around: &Stmt,
        more_follow: bool,
        keep: impl Fn(&Self, &LoopNames<'p>) -> bool,
    ) -> Slots<'p> {
        let loops = self.structure.ancestors(around).filter(|outer| outer.is_loop());
        let depth = loops.filter(|looped| self.is_here(looped)).count();
        let mut loops = self.kept_loops(depth, around, keep);
        self.bound_by_others(depth, &mut loops);
        let used = self.used(depth, &loops);
        let mut slots = Slots {
            fwd: Vec::new(),
            rev: Vec::new(),
            dims: Vec::new(),
            layout: Layout::RowMajor,
            kept: Vec::new(),
            growth: None,
        };
        for (at, names) in loops.iter().enumerate() {
            let fwd = position(Expr::iter(names.looped.iter, names.looped.lo.ty), &names.fwd);
            let rev = position(Expr::iter(names.rev_iter, names.looped.lo.ty), &names.rev);
            // the trip count of a loop that is left early is no length of a row
            let triangle = match loops[..at].last().filter(|outer| outer.counted.is_none()) {
                Some(outer) if names.trip.is_none() && !self.is_conditional(names.stmt) => {
                    triangle(outer.looped, names.looped).zip(outer.trip.clone())
                }
                _ => None,
            };
            if at == 0 && used.is_none() {
                slots.grow(fwd, rev, rows_of(names));
            } else if let Some(trip) = names.trip.clone() {
                slots.push(fwd, rev, trip);
            } else if let Some((shape, trip)) = triangle {
                let last = at + 1 == loops.len() && !more_follow;
                let is_small = slots.dims.iter().chain([&trip]).try_fold(1, size_times).is_some();
                let all_kept = used.as_ref().is_some_and(Vec::is_empty);
                // a segment has slots of its own steps
                let is_whole = loops[..at].last().is_none_or(|outer| outer.stmt.checkpoint().is_none());
                if last && slots.layout == Layout::RowMajor && !is_small && all_kept && is_whole {
                    if let Triangle::Upper = shape {
                        slots.count_from_end(&trip);
                    }
                    slots.layout = Layout::PackedTriangular;
                }
                slots.push(fwd, rev, trip);
            } else {
                self.push_ragged(&mut slots, names, fwd, rev);
            }
            slots.kept.push(names.clone());
        }
        if let (Some(outermost), Layout::RowMajor) = (slots.dims.first_mut(), &slots.layout) {
            *outermost = used.into_iter().flatten().fold(outermost.clone(), |extent, used| extent * used);
        }
        slots
    }

    /// What the extent of a tape is multiplied by, so that it is empty where a loop that is left out among the `kept` ones
    /// is: 1 or 0 for each such loop that the other extents do not tell of. `None` if a trip count is not known when the tape
    /// opens, so that it has to grow.
    fn used(&self, depth: usize, kept: &[LoopNames<'p>]) -> Option<Vec<Expr>> {
        let is_fixed =
            |names: &LoopNames| names.trip.as_ref().is_some_and(|trip| matches!(trip.kind, ExprKind::Int(_)));
        if kept.iter().all(is_fixed) {
            return Some(Vec::new());
        }
        let is_kept = |names: &LoopNames| kept.iter().any(|kept| std::ptr::eq(kept.stmt, names.stmt));
        let loops = &self.region.loops[..depth];
        let around = loops.iter().rposition(is_kept)?;
        let left_out = loops[..around].iter().filter(|names| !is_kept(names));
        let trips = left_out.map(|names| names.trip.as_ref()).collect::<Option<Vec<_>>>()?;
        let is_extent = |trip: &Expr| kept.iter().any(|kept| kept.trip.as_ref() == Some(trip));
        let may_be_none = |trip: &&&Expr| !is_extent(trip) && !matches!(trip.kind, ExprKind::Int(1..));
        let one = || Expr::usize(1);
        let used = |trip: &Expr| Expr::call(Ty::USIZE, Func::IntMin, vec![trip.clone(), one()]);
        Some(trips.iter().filter(may_be_none).map(|trip| used(trip)).collect())
    }

    /// Gives a `kept` loop under a condition the trip count of a loop around it that is left out and is under none: in
    /// `for i in 0..n { if i != k { for j in 0..n { … } } }`, of values that do not change with `i`, there are no more slots than `i` has
    /// iterations.
    fn bound_by_others(&self, depth: usize, kept: &mut [LoopNames<'p>]) {
        let unbounded: Vec<usize> = (0..kept.len()).filter(|&at| kept[at].trip.is_none()).collect();
        let [at] = unbounded[..] else { return };
        let looped = kept[at].looped;
        let bounds = looped.bounds().map(|bound| self.when_opening(bound));
        let ([Some(lo), Some(hi), Some(step)], None) = (bounds, &kept[at].counted) else { return };
        let trip = trip_count(looped, lo, hi, step);
        let is_left_out = |names: &LoopNames| !kept.iter().any(|kept| std::ptr::eq(kept.stmt, names.stmt));
        let mut others = self.region.loops[..depth].iter().filter(|names| is_left_out(names));
        let around = |names: &LoopNames| self.structure.is_inside(kept[at].stmt, names.stmt);
        if others.any(|it| it.trip.as_ref() == Some(&trip) && around(it) && !self.is_conditional(it.stmt)) {
            kept[at].trip = Some(trip);
        }
    }

    /// The iteration of a loop that alone comes to the statement.
    fn only_iteration_at(&self, names: &LoopNames<'p>, stmt: &Stmt) -> Option<&'p Expr> {
        let (at, _) = only_iteration(self.primal, names.looped)?;
        self.structure.is_inside(stmt, names.looped.body.first()?).then_some(at)
    }

    /// Of the outermost `depth` loops those that `snapshot` asks for, with those that their bounds vary with. A loop of which one
    /// iteration alone comes to the statement is left out; kept are those in whose iterations this is another one.
    fn kept_loops(
        &self,
        depth: usize,
        stmt: &Stmt,
        keep: impl Fn(&Self, &LoopNames<'p>) -> bool,
    ) -> Vec<LoopNames<'p>> {
        let loops = &self.region.loops[..depth];
        let varies = |value: &Expr, outer: usize| self.structure.varies(value, loops[outer].stmt);
        let mut kept: Vec<bool> = loops.iter().map(|names| keep(self, names)).collect();
        for inner in (0..depth).rev() {
            if kept[inner]
                && let Some(at) = self.only_iteration_at(&loops[inner], stmt)
            {
                kept[inner] = false;
                (0..inner).for_each(|outer| kept[outer] |= varies(at, outer));
            }
        }
        for inner in
            (0..depth).rev().filter(|&inner| loops[inner].trip.is_none() || !starts_at_zero(&loops[inner]))
        {
            for outer in 0..inner {
                let varies = |bound: &&Expr| varies(bound, outer);
                kept[outer] |= kept[inner] && loops[inner].stmt.exprs().iter().any(varies);
            }
        }
        loops.iter().zip(kept).filter(|(_, kept)| *kept).map(|(names, _)| names.clone()).collect()
    }

    /// Adds a loop whose trip count is not known beforehand.
    fn push_ragged(&mut self, slots: &mut Slots<'p>, names: &LoopNames<'p>, fwd: Expr, rev: Expr) {
        if slots.dims.is_empty() {
            return slots.grow(fwd, rev, rows_of(names));
        }
        let path: Vec<Key> = slots.kept.iter().chain([names]).map(|names| key(names.stmt)).collect();
        self.open_for_starts(slots);
        let start = self.start(slots, names, path);
        let own = self.out.load_scalar(start.own);
        let recorded = Place::new(start.tape, slots.rev.clone()).load(Ty::USIZE);
        let rows = rows_of(names).map(|trip| saturating_add(own.clone(), trip));
        slots.grow(own + fwd, recorded + rev, rows);
    }

    /// Gives slots that grow as their outermost loop runs its trip count, if the loops that they keep tell how many
    /// there are: loops that are left out further inside are not around where a ragged loop starts.
    fn open_for_starts(&self, slots: &mut Slots<'p>) {
        let outermost = slots.growth.as_ref().is_some_and(|growth| growth.at == 0);
        let trip = slots.kept.first().and_then(|names| names.trip.clone()).filter(|_| outermost);
        let used = self.used(self.region.loops.len(), &slots.kept);
        if let (Some(trip), Some(used)) = (trip, used) {
            slots.dims[0] = used.into_iter().fold(trip, |extent, used| extent * used);
            (slots.layout, slots.growth) = (Layout::RowMajor, None);
        }
    }

    /// Where the rows of the ragged loop behind these slots start.
    fn start(&mut self, slots: &Slots<'p>, names: &LoopNames<'p>, path: Vec<Key>) -> Start {
        if let Some(&known) = self.region.starts.known.get(&path) {
            return known;
        }
        let name = &self.primal[names.looped.iter].name;
        let next = self.out.add_scalar(&format!("{name}_next"), Ty::USIZE, Role::Tape);
        let own = self.out.add_scalar(&format!("{name}_first"), Ty::USIZE, Role::Local);
        self.region.tapes.push(next);
        let origin = Origin { phase: Phase::Adjoint, ..names.stmt.origin };
        self.region.opening.push(Stmt::set(next, Expr::usize(0), origin));
        let tape = self.add_tape(&format!("{name}_start"), Ty::USIZE, slots, Vec::new(), names.stmt);
        let first = self.out.load_scalar(own);
        let trip = match &names.counted {
            Some(count) => count.place(&[]).load(Ty::USIZE),
            None => trip_in_front(names),
        };
        let starts = &mut self.region.starts;
        starts.around.entry(key(names.stmt)).or_default().push(own);
        let before = starts.before.entry(key(names.stmt)).or_default();
        before.push(Stmt::set(own, Place::scalar(next).load(Ty::USIZE), origin));
        before.push(Stmt::assign(Place::new(tape, slots.fwd.clone()), first.clone(), origin));
        let moved = if names.counted.is_some() { &mut starts.behind } else { &mut starts.before };
        let moved = moved.entry(key(names.stmt)).or_default();
        moved.push(Stmt::set(next, saturating_add(first, trip), origin));
        let start = Start { tape, own };
        self.region.starts.known.insert(path, start);
        start
    }

    /// Whether a loop with an adjoint in `stmt`, or the loop that it is, has a trip count that differs between iterations
    /// of a loop of the region around it, and not as in a triangle: what is stored in it then takes tapes that grow.
    pub(super) fn is_ragged(&self, stmt: &Stmt) -> bool {
        let mut is_ragged = false;
        stmt.walk(&mut |inner| {
            let Some(looped) = inner.as_for() else { return };
            let mut around =
                self.structure.ancestors(inner).filter(|outer| outer.is_loop() && self.is_here(outer));
            let outer = around.clone().next().map(|outer| &outer.kind);
            let is_packed = matches!(outer, Some(StmtKind::For(outer)) if triangle(outer, looped).is_some());
            let is_known = is_packed || self.longest(looped).is_some();
            let varies = |outer: &Stmt| inner.exprs().iter().any(|bound| self.structure.varies(bound, outer));
            is_ragged |= !is_known && self.activity.has_adjoint(inner) && around.any(varies);
        });
        is_ragged
    }
}

impl Slots<'_> {
    fn push(&mut self, fwd: Expr, rev: Expr, extent: Expr) {
        self.fwd.push(fwd);
        self.rev.push(rev);
        self.dims.push(extent);
    }

    /// One dimension that grows takes the place of all so far; its extent becomes the tape's own, see `add_tape`.
    fn grow(&mut self, fwd: Expr, rev: Expr, rows: Option<Expr>) {
        (self.fwd, self.rev, self.dims) = (vec![fwd], vec![rev], vec![Expr::usize(0)]);
        self.layout = Layout::Reserved;
        self.growth = Some(Growth { at: self.kept.len(), rows });
    }

    /// Counts the last dimension, of extent `trip`, from its end.
    fn count_from_end(&mut self, trip: &Expr) {
        for slot in [self.fwd.last_mut(), self.rev.last_mut()].into_iter().flatten() {
            *slot = trip.clone() - Expr::usize(1) - slot.clone();
        }
    }
}

/// `(iterator - lo) / step` as a `usize`, in arithmetic that cannot overflow.
fn position(iter: Expr, (lo, step): &(Expr, Expr)) -> Expr {
    let zero = matches!(lo.kind, ExprKind::Int(0));
    let offset = match iter.ty {
        Ty::USIZE if zero => iter,
        Ty::USIZE => iter - lo.clone(),
        Ty::Int(int) if int.is_signed() => Expr::call(iter.ty, Func::WrappingSub, vec![iter, lo.clone()])
            .cast(Ty::Int(int.unsigned()))
            .cast(Ty::USIZE),
        _ => (iter - lo.clone()).cast(Ty::USIZE),
    };
    match step.kind {
        ExprKind::Int(1) => offset,
        _ => offset / step.clone(),
    }
}

/// The trip count of a loop in front of it.
fn trip_in_front(names: &LoopNames<'_>) -> Expr {
    let (lo, step) = names.fwd.clone();
    trip_count(names.looped, lo, names.looped.hi.clone(), step)
}

/// The rows that a loop takes, if all are its own.
fn rows_of(names: &LoopNames<'_>) -> Option<Expr> {
    names.counted.is_none().then(|| trip_in_front(names))
}

/// How often a loop with these bounds iterates.
pub(super) fn trip_count(looped: &For, lo: Expr, hi: Expr, step: Expr) -> Expr {
    let simple = matches!(lo.kind, ExprKind::Int(0)) && matches!(step.kind, ExprKind::Int(1));
    if simple && !looped.inclusive && hi.ty == Ty::USIZE {
        return hi;
    }
    // small types are widened, so that the bound behind an inclusive one exists
    let wide = match hi.ty {
        Ty::Int(int) if int.bits() < 64 => Ty::Int(Int::I64),
        ty => ty,
    };
    let widen = |bound: Expr| if bound.ty == wide { bound } else { bound.cast(wide) };
    let (lo, mut hi) = (widen(lo), widen(hi));
    if looped.inclusive {
        hi = Expr::call(wide, Func::SaturatingAdd, vec![hi, Expr::int(wide, 1)]);
    }
    Expr::call(Ty::USIZE, Func::TripCount, vec![lo, hi, step])
}

fn saturating_add(a: Expr, b: Expr) -> Expr {
    Expr::call(Ty::USIZE, Func::SaturatingAdd, vec![a, b])
}

fn starts_at_zero(names: &LoopNames) -> bool {
    matches!(names.looped.lo.kind, ExprKind::Int(0))
}

/// `c` where `expr` is `iter + c`.
fn offset_from(expr: &Expr, iter: IterId) -> Option<i128> {
    let is_iter = |expr: &Expr| expr.kind == ExprKind::Iter(iter);
    match &expr.kind {
        ExprKind::Iter(own) if *own == iter => Some(0),
        ExprKind::Binary(BinOp::Add, lhs, rhs) => match (&lhs.kind, &rhs.kind) {
            (_, ExprKind::Int(c)) if is_iter(lhs) => Some(*c),
            (ExprKind::Int(c), _) if is_iter(rhs) => Some(*c),
            _ => None,
        },
        ExprKind::Binary(BinOp::Sub, lhs, rhs) if is_iter(lhs) => match rhs.kind {
            ExprKind::Int(c) => Some(-c),
            _ => None,
        },
        _ => None,
    }
}

/// The product of a size and a constant extent, if it is the size of an array of a few elements. Packing that saves
/// nothing, and an array in rows can have an element for each lane.
fn size_times(size: i128, extent: &Expr) -> Option<i128> {
    match extent.kind {
        ExprKind::Int(extent) => size.checked_mul(extent).filter(|size| *size <= UNPACKED_TRIANGLE),
        _ => None,
    }
}

/// Whether the loop `i` is triangular in `o`, by the form of its bounds.
///
/// With `o = slot + lo_o`: a loop `l..o + c` has `slot + lo_o + c - l` iterations, at most `slot + 1` if
/// `lo_o + c - l <= 1`; a loop `o + c..hi` that ends where the outer one ends has at most `T - slot` of them for
/// `c >= 0`, where `T` is the outer trip count.
fn triangle(o: &For, i: &For) -> Option<Triangle> {
    let unit = |looped: &For| looped.lo.ty == Ty::USIZE && matches!(looped.step.kind, ExprKind::Int(1));
    let ExprKind::Int(first) = o.lo.kind else { return None };
    if !unit(o) || !unit(i) {
        return None;
    }
    if let (ExprKind::Int(lo), Some(c)) = (&i.lo.kind, offset_from(&i.hi, o.iter)) {
        return (first + c + i128::from(i.inclusive) - lo <= 1).then_some(Triangle::Lower);
    }
    let same_end = i.hi == o.hi && i.inclusive == o.inclusive;
    (same_end && offset_from(&i.lo, o.iter)? >= 0).then_some(Triangle::Upper)
}
