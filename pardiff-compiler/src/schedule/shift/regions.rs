//! A nest of iterations that give becomes nests of elements that gather, each pair of an iteration and a term in one of them.
//!
//! Along one loop `lo..hi`, the iterations of offset `c` give to the elements `lo + c..hi + c`. Elements in the
//! intersection of these ranges, `lo + max..hi + min`, gather from all offsets at once. The iterations of offset `c` that
//! give to other elements are the first `max - c` and the last `c - min`, which are apart, and apart from those that the
//! intersection gathers from, where the range is longer than `max - min`. There, terms of one offset give as before: along the
//! next loop they gather in turn. So each loop has its pairs split into those of the intersection and those of the two ends
//! of each offset, and the innermost parts consist of terms that give to one element.
//!
//! Around a ring all elements gather from all offsets.

use super::super::chunks::Builder;
use super::super::cost::saturating_add;
use super::super::in_order;
use super::{Ends, Gather, Plan, Range, Slot, Source, directly_inside_mut, guards, ring};
use crate::ir::{
    BinOp, Block, Buffer, BufferId, Expr, ExprKind, For, IterId, Layout, Marks, Place, Program, ReduceOp,
    Role, Scheme, Stmt, StmtKind, Ty, UnOp, clone_stmts,
};
use crate::limits::{COPIES_OF_TERMS, MARGIN_OF_A_LOOP};
use crate::map::Map;

/// Replaces a nest by itself without the updates that move, and by the nests that gather them; where it is as short as its
/// offsets are apart, it stays as it is. Gives the loops of that version.
pub(super) fn split(program: &mut Program, stmt: &mut Stmt, plan: Plan, ends: Ends) -> Vec<IterId> {
    let mut short = clone_stmts(program, std::slice::from_ref(stmt));
    in_order(&mut short);
    let mut loops = Vec::new();
    unmark(&mut short, &mut loops);
    let spans: Vec<i128> = (0..plan.loops.len())
        .map(|d| {
            let spans = plan.gathers.iter().map(|gather| match gather.rings[d] {
                true => ring::longest_step(&gather.sources, &plan.loops[d]),
                false => span(&gather.sources, d),
            });
            spans.max().unwrap_or(0)
        })
        .collect();
    let narrow = ring::fits(&plan);
    let arrays = arrays(program, &plan);
    let mut nest = stmt.clone();
    without(program, &mut nest, &plan, &arrays);
    let mut parts = vec![Vec::new(), Vec::new()];
    for gather in &plan.gathers {
        let mut sources = gather.sources.clone();
        for source in &mut sources {
            source.value = source.value.map(&mut |mut node| {
                if let ExprKind::Load(place) = &mut node.kind {
                    place.buffer = arrays.get(&place.buffer).copied().unwrap_or(place.buffer);
                }
                node
            });
        }
        let build = Builder { program, origin: stmt.origin };
        let regions =
            Regions { build, loops: &plan.loops, rings: &gather.rings, ends, bounds: Map::default() };
        parts[usize::from(!gather.first)].extend(regions.of(gather, &sources));
    }
    let mut build = Builder { program, origin: stmt.origin };
    let mut body: Block = parts.remove(0);
    body.push(nest);
    body.extend(parts.remove(0));
    let own: Vec<BufferId> = plan.slots.iter().map(|slot| arrays[&slot.name]).collect();
    if !own.is_empty() {
        body = vec![build.scope(own, body)];
    }
    let longer = plan.loops.iter().zip(&spans).map(|(range, span)| longer(range, *span));
    let conditions = longer.chain(narrow).collect();
    *stmt = guarded(&mut build, conditions, body, short);
    loops
}

/// Loops that run in order whatever the user has them as.
fn unmark(block: &mut Block, loops: &mut Vec<IterId>) {
    for stmt in block {
        if let Some(each) = stmt.as_for_mut() {
            each.marks = Marks::default();
            loops.push(each.iter);
        }
        stmt.blocks_mut().into_iter().for_each(|inner| unmark(inner, loops));
    }
}

/// `body` where all conditions hold, those of inner loops after those of the loops around, `short` elsewhere.
fn guarded(build: &mut Builder<'_>, all: Vec<Expr>, body: Block, short: Block) -> Stmt {
    let mut conditions: Vec<Expr> = Vec::new();
    for cond in all {
        if !conditions.contains(&cond) {
            conditions.push(cond);
        }
    }
    if conditions[1..].iter().all(Expr::is_total) {
        let both = |all: Expr, cond: Expr| all & cond;
        let cond = conditions.into_iter().reduce(both).unwrap_or(Expr::bool(true));
        return build.stmt(StmtKind::If { cond, then: body, els: short });
    }
    // the bound of an inner loop has a value only where the loop around has an iteration
    let nested = |build: &Builder<'_>, body: Block| {
        conditions.iter().rev().fold(body, |then, cond| {
            vec![build.stmt(StmtKind::If { cond: cond.clone(), then, els: Vec::new() })]
        })
    };
    let fits = build.program.add_scalar("fits", Ty::Bool, Role::Local);
    let assign = |build: &Builder<'_>, value| build.set(fits, Expr::bool(value));
    let mut all = vec![assign(build, false)];
    all.extend(nested(build, vec![assign(build, true)]));
    let then = nested(build, body);
    all.push(build.stmt(StmtKind::If { cond: build.load(fits), then, els: short }));
    build.scope(vec![fits], all)
}

/// Whether a loop has more iterations than the span; of `lo..e - c` in terms of `e`, so that it says as well that `e - c`
/// has a value.
fn longer(range: &Range, span: i128) -> Expr {
    let number = |value| Expr::int(Ty::USIZE, value);
    let (hi, less) = match &range.hi.kind {
        ExprKind::Binary(BinOp::Sub, of, by) if matches!(by.kind, ExprKind::Int(0..=MARGIN_OF_A_LOOP)) => {
            match by.kind {
                ExprKind::Int(by) => ((**of).clone(), by),
                _ => (range.hi.clone(), 0),
            }
        }
        _ => (range.hi.clone(), 0),
    };
    saturating_add(range.lo.clone(), number(span + less)).below(hi)
}

/// An array of the nest's size for each value that it stores, and one for each iteration of the loops inside that have it.
fn arrays(program: &mut Program, plan: &Plan) -> Map<BufferId, BufferId> {
    let length = |range: &Range| match range.lo == Expr::usize(0) {
        true => range.hi.clone(),
        false => range.hi.clone() - range.lo.clone(),
    };
    let mut arrays = Map::default();
    for slot in &plan.slots {
        let inside = slot.loops.iter().map(|(_, length)| Expr::usize(*length));
        let dims: Vec<Expr> = inside.chain(plan.loops.iter().map(length)).collect();
        let layout = if dims.len() > 1 { Layout::Padded(8) } else { Layout::RowMajor };
        let array = Buffer { layout, ..Buffer::new("given", slot.value.ty, dims, Role::Local) };
        arrays.insert(slot.name, program.add_buffer(array));
    }
    arrays
}

/// Removes the updates that move from a nest, and stores what is needed elsewhere.
fn without(program: &Program, nest: &mut Stmt, plan: &Plan, arrays: &Map<BufferId, BufferId>) {
    let origin = nest.origin;
    let Some(nest) = nest.as_for_mut() else { return };
    let mut body = &mut nest.body;
    for _ in 1..plan.loops.len() {
        let Some(inner) = directly_inside_mut(body) else { return };
        body = &mut inner.body;
    }
    let place = |slot: &Slot| Place::new(arrays[&slot.name], slot.element(&plan.loops));
    let mut next = 0;
    edit(body, &mut next, &mut |number, block: &mut Block| {
        for slot in plan.slots.iter().filter(|slot| slot.before == number) {
            let (target, value) = (place(slot), slot.value.clone());
            let kind = match slot.op() {
                Some(op) => StmtKind::Reduce { op, target, value, scheme: Scheme::Undecided },
                None => StmtKind::Assign { target, value },
            };
            block.push(Stmt::new(kind, origin));
        }
        !plan.moved.contains(&number)
    });
    for slot in plan.slots.iter().filter(|slot| slot.summed) {
        let target = place(slot);
        let value = Expr::float(program[target.buffer].elem, 0.0);
        body.insert(0, Stmt::assign(target, value, origin));
    }
}

/// Goes through the statements by number, parents first: `before` adds what stands in front of one, and says whether the
/// statement stays.
fn edit(block: &mut Block, next: &mut usize, before: &mut dyn FnMut(usize, &mut Block) -> bool) {
    for mut stmt in std::mem::take(block) {
        let number = *next;
        *next += 1;
        let stays = before(number, block);
        stmt.blocks_mut().into_iter().for_each(|inner| edit(inner, next, before));
        if stays {
            block.push(stmt);
        }
    }
}

/// How far offsets along a loop are apart.
fn span(sources: &[Source], dimension: usize) -> i128 {
    let offsets = || sources.iter().map(|source| source.offset[dimension]);
    offsets().max().unwrap_or(0) - offsets().min().unwrap_or(0)
}

struct Regions<'p> {
    build: Builder<'p>,
    loops: &'p [Range],
    /// Which of them go around a ring.
    rings: &'p [bool],
    ends: Ends,
    /// First value and bound of the iterators of the gathering nest.
    bounds: Map<IterId, (Expr, Expr)>,
}

/// A term with the values that the iterators of its iteration have so far.
#[derive(Clone)]
struct Giving<'s> {
    source: &'s Source,
    iterators: Vec<Expr>,
    /// The steps around rings from these iterators to those of the iteration.
    steps: Vec<i128>,
}

impl Regions<'_> {
    fn of(mut self, gather: &Gather, sources: &[Source]) -> Block {
        let giving: Vec<Giving<'_>> = sources
            .iter()
            .map(|source| Giving { source, iterators: Vec::new(), steps: Vec::new() })
            .collect();
        let ends_gather = copies(&giving, 0, self.rings) <= COPIES_OF_TERMS * gather.planes;
        self.along(gather.target, 0, &giving, ends_gather)
    }

    /// The pairs of some terms with the iterations of the loops from this one on.
    fn along(
        &mut self,
        target: BufferId,
        dimension: usize,
        giving: &[Giving<'_>],
        ends_gather: bool,
    ) -> Block {
        let Some(range) = self.loops.get(dimension).cloned() else { return self.sums(target, giving) };
        if self.rings[dimension] {
            let around: Vec<Giving<'_>> = giving.iter().map(|one| one.around(dimension)).collect();
            let same = |iter: &Expr, _: &Giving<'_>| iter.clone();
            let body =
                |it: &mut Self, giving: &[Giving<'_>]| it.along(target, dimension + 1, giving, ends_gather);
            return vec![self.count(&range, (range.lo.clone(), range.hi.clone()), &around, &same, body)];
        }
        let groups = groups(giving, dimension);
        let (Some((min, _)), Some((max, _))) = (groups.first(), groups.last()) else { return Vec::new() };
        if self.ends == Ends::Guarded {
            let base = guards::base(&range, groups.iter().map(|group| group.0));
            let bounds = (plus(&range.lo, min - base), plus(&range.hi, max - base));
            let shifted =
                |iter: &Expr, giving: &Giving<'_>| plus(iter, base - giving.source.offset[dimension]);
            let body =
                |it: &mut Self, giving: &[Giving<'_>]| it.along(target, dimension + 1, giving, ends_gather);
            return vec![self.count(&range, bounds, giving, &shifted, body)];
        }
        let mut block = Vec::new();
        for (offset, group) in groups.iter().filter(|_| groups.len() > 1) {
            let first = (range.lo.clone(), plus(&range.lo, max - offset));
            let last = (plus(&range.hi, min - offset), range.hi.clone());
            for ((lo, hi), length) in [(first, max - offset), (last, offset - min)] {
                if length > 0 {
                    block.push(self.end(target, dimension, (lo, hi), group, ends_gather));
                }
            }
        }
        let middle = groups.iter().map(|group| group.0).min_by_key(|offset| (2 * offset - min - max).abs());
        let middle = middle.unwrap_or(*min);
        let (lo, hi) = (plus(&range.lo, max - middle), plus(&range.hi, min - middle));
        let shifted = |iter: &Expr, giving: &Giving<'_>| plus(iter, middle - giving.source.offset[dimension]);
        let body =
            |it: &mut Self, giving: &[Giving<'_>]| it.along(target, dimension + 1, giving, ends_gather);
        block.push(self.count(&range, (lo, hi), giving, &shifted, body));
        block
    }

    /// The iterations at an end of the loop, whose terms of one offset give to elements there.
    fn end(
        &mut self,
        target: BufferId,
        dimension: usize,
        bounds: (Expr, Expr),
        group: &[Giving<'_>],
        gathers: bool,
    ) -> Stmt {
        let range = self.loops[dimension].clone();
        let same = |iter: &Expr, _: &Giving<'_>| iter.clone();
        if gathers {
            let body = |it: &mut Self, giving: &[Giving<'_>]| it.along(target, dimension + 1, giving, true);
            let mut stmt = self.count(&range, bounds, group, &same, body);
            if dimension + 1 == self.loops.len() && dimension > 0 {
                in_order(std::slice::from_mut(&mut stmt));
            }
            return stmt;
        }
        let body = |it: &mut Self, giving: &[Giving<'_>]| it.apart(target, dimension + 1, giving);
        let mut stmt = self.count(&range, bounds, group, &same, body);
        in_order(std::slice::from_mut(&mut stmt));
        stmt
    }

    /// The terms give as in the source.
    fn apart(&mut self, target: BufferId, dimension: usize, giving: &[Giving<'_>]) -> Block {
        let Some(range) = self.loops.get(dimension).cloned() else {
            return giving.iter().map(|one| self.sum(target, &[one])).collect();
        };
        let same = |iter: &Expr, _: &Giving<'_>| iter.clone();
        let body = |it: &mut Self, giving: &[Giving<'_>]| it.apart(target, dimension + 1, giving);
        vec![self.count(&range, (range.lo.clone(), range.hi.clone()), giving, &same, body)]
    }

    /// A loop, whose iterator stands for the one that `value` says in each term.
    fn count<'s>(
        &mut self,
        range: &Range,
        (lo, hi): (Expr, Expr),
        giving: &[Giving<'s>],
        value: &dyn Fn(&Expr, &Giving<'s>) -> Expr,
        body: impl FnOnce(&mut Self, &[Giving<'s>]) -> Block,
    ) -> Stmt {
        let name = self.build.program[range.iter].name.clone();
        let iter: IterId = self.build.index(&name);
        self.bounds.insert(iter, (lo.clone(), hi.clone()));
        let at = Expr::iter(iter, Ty::USIZE);
        let mut giving = giving.to_vec();
        for one in &mut giving {
            let value = value(&at, one);
            one.iterators.push(value);
            one.steps.resize(one.iterators.len(), 0);
        }
        let body = body(self, &giving);
        self.build.stmt(StmtKind::For(For { lo, ..For::counted(iter, hi, body) }))
    }

    /// One addition for each plane, to the element of it that its terms give to.
    fn sums(&mut self, target: BufferId, giving: &[Giving<'_>]) -> Block {
        let mut planes: Vec<Vec<&Giving<'_>>> = Vec::new();
        for one in giving {
            match planes.iter_mut().find(|plane| plane[0].source.plane == one.source.plane) {
                Some(plane) => plane.push(one),
                None => planes.push(vec![one]),
            }
        }
        planes.iter().map(|plane| self.sum(target, plane)).collect()
    }

    /// What a guarded nest asks before it adds a term.
    fn guard(&self, one: &Giving<'_>) -> Option<Expr> {
        if self.ends == Ends::Apart {
            return None;
        }
        let given = |(range, value)| guards::is_given(range, value, &self.bounds);
        self.loops.iter().zip(&one.iterators).filter_map(given).reduce(|a, b| a & b)
    }

    /// One addition to the element that all these terms give to.
    fn sum(&mut self, target: BufferId, giving: &[&Giving<'_>]) -> Stmt {
        let plain = |one: &&&Giving<'_>| one.iterators.iter().all(|it| matches!(it.kind, ExprKind::Iter(_)));
        let is_plain = giving.iter().any(|one| plain(&one));
        let like = giving.iter().find(plain).unwrap_or(&giving[0]);
        let mut index: Vec<Expr> = like.source.index.iter().map(|index| self.at(index, like)).collect();
        let mut outside = Vec::new();
        let guards: Vec<Option<Expr>> = giving.iter().map(|one| self.guard(one)).collect();
        let is_guarded = guards.iter().any(Option::is_some);
        let exists = |one: &&Giving<'_>| one.source.always;
        let is_known = if is_guarded { giving.iter().all(exists) } else { giving.iter().any(exists) };
        if !is_known {
            let exists = |(dim, index): (usize, &Expr)| match self.is_inside(index, target, dim) {
                true => None,
                false => Some(index.wrapping(Ty::is_usize).below(Expr::extent(target, dim))),
            };
            outside = index.iter().enumerate().filter_map(exists).collect();
            if !outside.is_empty() {
                // where nothing is given, the index may wrap to an element that is there: zero is added to it
                index = index.iter().map(|index| index.wrapping(Ty::is_usize)).collect();
            }
        }
        let mut values = giving.iter().map(|one| self.at(&one.source.value, one));
        let exists = outside.into_iter().reduce(|all, cond| all & cond);
        if is_guarded {
            if !is_plain {
                // the iteration of another term may be none, but the element is the same
                index = index.iter().map(|index| index.wrapping(Ty::is_usize)).collect();
            }
            let terms = guards.into_iter().zip(values).collect();
            return guards::sum(&mut self.build, Place::new(target, index), terms, exists);
        }
        let first = values.next().unwrap_or(Expr::float(self.build.program[target].elem, 0.0));
        let value = values.fold(first, |sum, value| match value.kind {
            ExprKind::Unary(UnOp::Neg, operand) => sum - *operand,
            _ => sum + value,
        });
        let (op, target) = (ReduceOp::Add, Place::new(target, index));
        let scheme = if giving.len() > 1 { Scheme::Shift } else { Scheme::Undecided };
        let sum = self.build.stmt(StmtKind::Reduce { op, target, value, scheme });
        match exists {
            Some(cond) => self.build.when(cond, vec![sum]),
            None => sum,
        }
    }

    /// Whether an index is in the array in all iterations of the gathering nest, by the form of the bounds.
    fn is_inside(&self, index: &Expr, target: BufferId, dim: usize) -> bool {
        let (base, by) = apart(index);
        let Some(ExprKind::Iter(iter)) = base.map(|base| &base.kind) else { return false };
        let Some((lo, hi)) = self.bounds.get(iter) else { return false };
        let extent = &self.build.program[target].dims[dim];
        let fixed = extent.all(&mut |node| match &node.kind {
            ExprKind::Load(place) => self.build.program[place.buffer].role == Role::Input,
            ExprKind::Extent(buffer, _) => !self.build.program[*buffer].layout.grows(),
            _ => true,
        });
        let ((_, first), (end, last), (size, room)) = (apart(lo), apart(hi), apart(extent));
        fixed && first + by >= 0 && end == size && last + by <= room
    }

    fn at(&self, expr: &Expr, giving: &Giving<'_>) -> Expr {
        let mut shifted = expr.clone();
        for ((range, value), &step) in self.loops.iter().zip(&giving.iterators).zip(&giving.steps) {
            shifted = ring::at(&shifted, range, value, step);
        }
        shifted.map(&mut |node| match &node.kind {
            ExprKind::Binary(op, lhs, rhs) if node.ty == Ty::USIZE => match (op, &rhs.kind) {
                (BinOp::Add, ExprKind::Int(by)) => plus(lhs, *by),
                (BinOp::Sub, ExprKind::Int(by)) => plus(lhs, -by),
                _ => node,
            },
            _ => node,
        })
    }
}

impl<'s> Giving<'s> {
    /// The term, in an iteration that a step around a ring back from its element leads to.
    fn around(&self, dimension: usize) -> Giving<'s> {
        let mut around = self.clone();
        around.steps.push(-self.source.offset[dimension]);
        around
    }
}

/// A value as another one, or none, and a number.
pub(super) fn apart(expr: &Expr) -> (Option<&Expr>, i128) {
    match &expr.kind {
        ExprKind::Int(value) => (None, *value),
        ExprKind::Binary(op @ (BinOp::Add | BinOp::Sub), base, by) => match by.kind {
            ExprKind::Int(by) => {
                let (base, known) = apart(base);
                (base, if *op == BinOp::Add { known + by } else { known - by })
            }
            _ => (Some(expr), 0),
        },
        _ => (Some(expr), 0),
    }
}

/// The terms by their offset along a loop, in order.
fn groups<'s>(giving: &[Giving<'s>], dimension: usize) -> Vec<(i128, Vec<Giving<'s>>)> {
    let mut groups: Vec<(i128, Vec<Giving<'s>>)> = Vec::new();
    for one in giving {
        let offset = one.source.offset[dimension];
        match groups.iter_mut().find(|group| group.0 == offset) {
            Some((_, group)) => group.push(one.clone()),
            None => groups.push((offset, vec![one.clone()])),
        }
    }
    groups.sort_by_key(|group| group.0);
    groups
}

/// How many terms there are in all parts if ends gather.
fn copies(giving: &[Giving<'_>], dimension: usize, rings: &[bool]) -> usize {
    match rings.get(dimension) {
        None => return giving.len(),
        Some(true) => return copies(giving, dimension + 1, rings),
        Some(false) => {}
    }
    let groups = groups(giving, dimension);
    let last = groups.len() - 1;
    let ends = groups.iter().enumerate().map(|(at, (_, group))| {
        let parts = usize::from(at < last) + usize::from(at > 0);
        if parts == 0 { 0 } else { parts * copies(group, dimension + 1, rings) }
    });
    ends.sum::<usize>() + copies(giving, dimension + 1, rings)
}

/// `expr + by` for a value that is known to be there.
pub(super) fn plus(expr: &Expr, by: i128) -> Expr {
    let number = |by: i128| Expr::int(Ty::USIZE, by);
    match &expr.kind {
        ExprKind::Int(value) if value + by >= 0 => number(value + by),
        ExprKind::Binary(BinOp::Add, lhs, rhs) if matches!(rhs.kind, ExprKind::Int(_)) => {
            let ExprKind::Int(known) = rhs.kind else { return expr.clone() };
            plus(lhs, known + by)
        }
        ExprKind::Binary(BinOp::Sub, lhs, rhs) if matches!(rhs.kind, ExprKind::Int(_)) => {
            let ExprKind::Int(known) = rhs.kind else { return expr.clone() };
            plus(lhs, by - known)
        }
        _ if by == 0 => expr.clone(),
        _ if by > 0 => expr.clone() + number(by),
        _ => expr.clone() - number(-by),
    }
}
