//! Facts that are not proved but can be checked when the program runs.
//!
//! Rows of a matrix in compressed form, `for k in start[i]..start[i + 1]`, are apart if the starts never fall; and
//! `y[p[i]] = …` meets itself only where `p` repeats a value. No loop of the program says so; but one pass over the index
//! array does, in front of the loop over `i`. And `y[i * n + j]` is row `i`, column `j` only where `i * n` does not wrap,
//! which one comparison says where no induction does. [`Analysis::facts_of`] lists what is worth checking for a loop, and
//! [`Analysis::carried_assuming`] what the loop carries where that holds. Whoever uses the second answer keeps the loop as
//! it is for the runs in which the check fails (`StmtKind::Guarded`).

use super::access::Access;
use super::affine::{Affine, Sym, SymKind};
use super::analysis::Analysis;
use super::checked_products::Scale;
use super::reify::{Outside, elements_of};
use super::set::{Answer, Constraint, Set};
use crate::ir::{BufferId, Expr, ExprKind, For, IterId, Order, Place, Ty, written};
use crate::limits::RUNTIME_FACTS;

/// Something that one pass in front of a loop checks.
#[derive(Clone, PartialEq, Debug)]
pub enum Fact {
    /// Rows that do not overlap.
    Rows(Rows),
    /// Values that do not repeat.
    Distinct(Distinct),
    /// Iterators, or elements of a constant table, that are small enough.
    Fits(Fits),
}

/// The last value of an iterator times what it is multiplied by in indices is at most the length of the array, and so is
/// what it is multiplied by.
///
/// So the bound of the loop has not wrapped: see `Analysis::last_unless_wrapped`.
#[derive(Clone, PartialEq, Debug)]
pub struct Fits {
    /// The loops of that range; none where it is the greatest element of a table that must fit, or a size.
    pub loops: Vec<IterId>,
    /// First value of the iterator, as an expression in front of the loop.
    pub lo: Expr,
    /// Its bound, as well.
    pub hi: Expr,
    /// Whether the bound itself is counted.
    pub inclusive: bool,
    /// What the iterator is multiplied by, one of them at least.
    pub scales: Vec<Scale>,
}

/// What inner loops count through in one iteration lies behind what they count through in the iterations before:
/// `end(i) <= start(j)` for all values `i < j` of the iterator for which both ranges have an element.
#[derive(Clone, PartialEq, Debug)]
pub struct Rows {
    /// The loop.
    pub along: IterId,
    /// The loops inside that count from `start` to `end`.
    pub loops: Vec<IterId>,
    /// First value of these loops, as an expression in front of the loop.
    pub start: Expr,
    /// Their bound, as well.
    pub end: Expr,
    /// Whether the bound itself is counted.
    pub inclusive: bool,
    /// What the elements of the rows are multiplied by in indices that may wrap otherwise.
    pub scales: Vec<Scale>,
}

/// No two iterations of a loop in which the conditions hold have the same value.
#[derive(Clone, PartialEq, Debug)]
pub struct Distinct {
    /// The loop.
    pub along: IterId,
    /// The value, as an expression in front of the loop.
    pub value: Expr,
    /// Conditions around all accesses to what iterations may share, each to be evaluated only where those before hold.
    pub when: Vec<Expr>,
    /// What the value is multiplied by in indices, one of them at least: how large it may be.
    pub scales: Vec<Scale>,
    /// What stands for the value in the forms of the analysis.
    symbols: Vec<Sym>,
}

impl Fits {
    /// Whether the check is the same.
    fn is_like(&self, other: &Fits) -> bool {
        let of_range = |fits: &Fits| (fits.lo.clone(), fits.hi.clone(), fits.inclusive);
        let known = |scale: &Scale| self.scales.iter().any(|known| known.is_like(scale));
        of_range(self) == of_range(other)
            && self.scales.len() == other.scales.len()
            && other.scales.iter().all(known)
    }

    fn join(&mut self, other: Fits) {
        self.loops.extend(other.loops);
        add_scales(&mut self.scales, other.scales);
    }
}

/// Adds products to those that are known.
fn add_scales(known: &mut Vec<Scale>, more: Vec<Scale>) {
    for scale in more {
        match known.iter_mut().find(|known| known.is_like(&scale)) {
            Some(known) => known.join(scale),
            None => known.push(scale),
        }
    }
}

impl Fact {
    /// Whether the check looks at whether values repeat, which takes more than one comparison each.
    pub fn is_distinct(&self) -> bool {
        matches!(self, Fact::Distinct(_))
    }

    /// Whether it says of rows that an array names by number, `start[m[i]]..start[m[i] + 1]`, that they are apart: none may
    /// be named twice, which is less likely than that the starts of all rows rise.
    pub fn is_of_named_rows(&self) -> bool {
        let Fact::Rows(rows) = self else { return false };
        let named = |place: &Place| {
            let mut named = false;
            place.index.iter().for_each(|index| named |= !elements_of(index).is_empty());
            named
        };
        [&rows.start, &rows.end].into_iter().flat_map(elements_of).any(named)
    }

    /// The loop whose iterations are told apart, if any are.
    pub(super) fn along(&self) -> Option<IterId> {
        match self {
            Fact::Rows(rows) => Some(rows.along),
            Fact::Distinct(distinct) => Some(distinct.along),
            Fact::Fits(_) => None,
        }
    }

    /// What is checked of products in indices.
    pub fn scales(&self) -> &[Scale] {
        match self {
            Fact::Rows(rows) => &rows.scales,
            Fact::Distinct(distinct) => &distinct.scales,
            Fact::Fits(fits) => &fits.scales,
        }
    }

    /// The arrays that the check reads.
    pub fn arrays(&self) -> Vec<BufferId> {
        let of = match self {
            Fact::Rows(rows) => vec![&rows.start, &rows.end],
            Fact::Distinct(distinct) => vec![&distinct.value],
            Fact::Fits(_) => Vec::new(),
        };
        // conditions read arrays as well, but these are not what repeats
        let mut arrays: Vec<BufferId> =
            of.into_iter().flat_map(elements_of).map(|place| place.buffer).collect();
        arrays.sort_unstable();
        arrays.dedup();
        arrays
    }
}

impl<'p> Analysis<'p> {
    /// What may be checked in front of a loop, so that it carries less: that the rows which loops inside count through
    /// are apart, and that the elements of index arrays are distinct by which something is written that iterations may
    /// share.
    pub fn facts_of(&self, along: IterId) -> Vec<Fact> {
        let Some((each, outside)) = self.outside_of(along) else { return Vec::new() };
        let shared = self.shared_by(along);
        let mut rows = self.rows_of(each, &outside);
        for rows in &mut rows {
            let iters: Vec<Sym> = rows.loops.iter().filter_map(|&iter| self.iterator_of(iter)).collect();
            for access in shared.iter().filter(|access| self.may_wrap(access)) {
                add_scales(&mut rows.scales, self.scales(access, &iters, &outside));
            }
        }
        let mut found: Vec<Fact> = rows.into_iter().map(Fact::Rows).collect();
        found.extend(self.fits_of(&shared, each, &outside).into_iter().map(Fact::Fits));
        found.extend(self.distinct_of(&shared, &outside).into_iter().map(Fact::Distinct));
        found.truncate(RUNTIME_FACTS);
        found
    }

    /// The rows that loops inside of a loop count through, by bounds that depend on it through arrays.
    pub fn rows_along(&self, along: IterId) -> Vec<Rows> {
        self.outside_of(along).map_or_else(Vec::new, |(each, outside)| self.rows_of(each, &outside))
    }

    /// A loop, and its body as it is seen from in front of it.
    fn outside_of(&self, along: IterId) -> Option<(&'p For, Outside<'_, 'p>)> {
        let mut each = None;
        crate::ir::walk(&self.program.body, &mut |stmt| {
            each = each.or(stmt.as_for().filter(|of| of.iter == along))
        });
        each.and_then(|each| Some((each, Outside::new(self, each)?)))
    }

    fn iterator_of(&self, iter: IterId) -> Option<Sym> {
        self.symbols.get(&SymKind::Iter(iter)).filter(|&sym| self.symbols.symbol(sym).ty == Some(Ty::USIZE))
    }

    /// The accesses in a loop to elements that iterations may share.
    fn shared_by(&self, along: IterId) -> Vec<&Access<'p>> {
        let carried = self.carried_by(along);
        let shared = carried.iter().filter(|carried| !carried.is_independent());
        let accesses = shared.flat_map(|carried| self.of(carried.buffer)).map(|&id| self.access(id));
        let inside =
            |access: &&Access<'p>| access.place.is_some() && self.loops(access.nest).contains(&along);
        accesses.filter(inside).collect()
    }

    /// The loops inside whose bounds depend on the loop through arrays, those of the same bounds together.
    fn rows_of(&self, each: &'p For, outside: &Outside<'_, 'p>) -> Vec<Rows> {
        let mut found: Vec<Rows> = Vec::new();
        let mut visit = |inner: &'p For| {
            let bounds = outside.express(&inner.lo, &[]).zip(outside.express(&inner.hi, &[]));
            let Some((start, end)) = bounds else { return };
            let inclusive = inner.inclusive;
            let varies = |expr: &Expr| expr.mentions(each.iter);
            if !varies(&start) || elements_of(&start).is_empty() && elements_of(&end).is_empty() {
                return;
            }
            let same =
                |rows: &&mut Rows| rows.start == start && rows.end == end && rows.inclusive == inclusive;
            match found.iter_mut().find(same) {
                Some(rows) => rows.loops.push(inner.iter),
                None => {
                    let (along, loops) = (each.iter, vec![inner.iter]);
                    found.push(Rows { along, loops, start, end, inclusive, scales: Vec::new() });
                }
            }
        };
        crate::ir::walk(&each.body, &mut |stmt| {
            if let Some(inner) = stmt.as_for() {
                visit(inner);
            }
        });
        found
    }

    /// The loop, those around it whose bounds still are what they were, and those inside, if their iterators are multiplied by
    /// something in indices that may wrap.
    fn fits_of(&self, shared: &[&Access<'p>], each: &'p For, outside: &Outside<'_, 'p>) -> Vec<Fits> {
        let mut loops = vec![each];
        let around = self.loop_of(each.iter).map_or(&[][..], |of| self.loops(of.outer));
        crate::ir::walk(&self.program.body, &mut |stmt| {
            if let Some(outer) = stmt.as_for()
                && around.contains(&outer.iter)
            {
                let changed = written(&outer.body);
                let changes = |bound: &Expr| bound.reads_any(self.program, &changed);
                loops.extend((!changes(&outer.lo) && !changes(&outer.hi)).then_some(outer));
            }
        });
        crate::ir::walk(&each.body, &mut |stmt| {
            if let Some(inner) = stmt.as_for() {
                loops.push(inner);
            }
        });
        let of = |inner: &&'p For| {
            let iter = self.iterator_of(inner.iter)?;
            let (lo, hi) = outside.express(&inner.lo, &[]).zip(outside.express(&inner.hi, &[]))?;
            let may_wrap = self.loop_of(inner.iter).is_some_and(|of| of.unless_wrapped.is_some());
            let mut scales = Vec::new();
            for access in shared.iter().filter(|access| self.may_wrap(access)) {
                let mut of_access = self.scales(access, &[iter], outside);
                of_access.retain(|scale| may_wrap || scale.stride != Expr::usize(1));
                add_scales(&mut scales, of_access);
            }
            let fixed = !lo.mentions(each.iter) && !hi.mentions(each.iter) && elements_of(&hi).is_empty();
            let fits = Fits { loops: vec![inner.iter], lo, hi, inclusive: inner.inclusive, scales };
            (fixed && elements_of(&fits.lo).is_empty() && !fits.scales.is_empty()).then_some(fits)
        };
        let mut found: Vec<Fits> = Vec::new();
        let more = self.tables_fit(shared, outside).into_iter().chain(self.planes_fit(shared, outside));
        for fits in loops.iter().filter_map(of).chain(more) {
            match found.iter_mut().find(|known| known.is_like(&fits)) {
                Some(known) => known.join(fits),
                None => found.push(fits),
            }
        }
        found
    }

    /// The greatest elements of constant tables whose elements are multiplied by something in indices that may wrap: an
    /// element is nothing but a number of a known range, so what is said of an iterator and its last value is said of it.
    fn tables_fit(&self, shared: &[&Access<'p>], outside: &Outside<'_, 'p>) -> Vec<Fits> {
        let mut elements: Vec<(Sym, i128)> = Vec::new();
        for access in shared.iter().filter(|access| self.may_wrap(access)) {
            for &(product, _) in self.raw[access.id.0 as usize].iter().flatten().flat_map(Affine::terms) {
                for factor in self.symbols.factors(product) {
                    let symbol = self.symbols.symbol(factor);
                    let greatest = symbol.range.filter(|_| symbol.ty == Some(Ty::USIZE)).map(|(_, it)| it);
                    elements.extend(greatest.map(|it| (factor, it)));
                }
            }
        }
        elements.dedup();
        let fits = |(element, greatest): (Sym, i128)| {
            let mut scales = Vec::new();
            for access in shared {
                let mut of_access = self.scales(access, &[element], outside);
                of_access.retain(|scale| scale.stride != Expr::usize(1));
                add_scales(&mut scales, of_access);
            }
            let last = Expr::int(Ty::USIZE, greatest);
            let fits = Fits { loops: Vec::new(), lo: last.clone(), hi: last, inclusive: true, scales };
            (!fits.scales.is_empty()).then_some(fits)
        };
        elements.into_iter().filter_map(fits).collect()
    }

    /// Where planes begin: of `2 * n * m + i * m + j`, the size `n`, which `2 * m` multiplies whatever the iterators are. A size is
    /// a number that does not change in the loop, so what is said of an iterator and its last value is said of it.
    fn planes_fit(&self, shared: &[&Access<'p>], outside: &Outside<'_, 'p>) -> Vec<Fits> {
        let mut sizes: Vec<(Sym, Expr)> = Vec::new();
        for access in shared.iter().filter(|access| self.may_wrap(access)) {
            for &(product, _) in self.raw[access.id.0 as usize].iter().flatten().flat_map(Affine::terms) {
                let factors = self.symbols.factors(product);
                let all = factors.iter().map(|&factor| Some((factor, self.fixed_value(factor, outside)?)));
                if let Some(first) = all.collect::<Option<Vec<_>>>().and_then(|all| all.into_iter().next())
                    && !sizes.contains(&first)
                {
                    sizes.push(first);
                }
            }
        }
        let fits = |(size, value): (Sym, Expr)| {
            let mut scales = Vec::new();
            for access in shared {
                add_scales(&mut scales, self.scales(access, &[size], outside));
            }
            let fits = Fits { loops: Vec::new(), lo: value.clone(), hi: value, inclusive: true, scales };
            (!fits.scales.is_empty()).then_some(fits)
        };
        sizes.into_iter().filter_map(fits).collect()
    }

    /// The values of index arrays in the indices of what the iterations may share.
    fn distinct_of(&self, shared: &[&Access<'p>], outside: &Outside<'_, 'p>) -> Vec<Distinct> {
        let (along, when) = (outside.along(), outside.common_guards(shared));
        let mut found: Vec<Distinct> = Vec::new();
        for index in shared.iter().filter_map(|access| access.place).flat_map(|place| &place.index) {
            self.values_in(index, (outside, &when), &mut |value, symbols| {
                let known = found.iter().position(|distinct| distinct.value == value);
                let at = known.unwrap_or_else(|| {
                    let (scales, symbols) = (Vec::new(), Vec::new());
                    found.push(Distinct { along, value, when: when.clone(), scales, symbols });
                    found.len() - 1
                });
                let of = &mut found[at].symbols;
                let new: Vec<Sym> = symbols.into_iter().filter(|symbol| !of.contains(symbol)).collect();
                of.extend(new);
            });
        }
        for distinct in &mut found {
            for access in shared {
                add_scales(&mut distinct.scales, self.scales(access, &distinct.symbols, outside));
            }
        }
        found.retain(|distinct| !distinct.scales.is_empty());
        found
    }

    /// Calls `found` on each value of an index array in an index, through the locals that it was assigned to.
    fn values_in(
        &self,
        index: &'p Expr,
        (outside, when): (&Outside<'_, 'p>, &[Expr]),
        found: &mut dyn FnMut(Expr, Vec<Sym>),
    ) {
        let mut locals = Vec::new();
        index.walk(&mut |node| {
            if !matches!(node.kind, ExprKind::Load(_) | ExprKind::Cast(_)) {
                return;
            }
            if let Some(value) = outside.indirect(node, when) {
                found(value, self.symbols_of(node, outside));
            }
            if let ExprKind::Load(place) = &node.kind {
                locals.extend(outside.definition(place));
            }
        });
        locals.into_iter().for_each(|value| self.values_in(value, (outside, when), found));
    }

    /// The symbols that stand for an element, a local or a cast of one.
    fn symbols_of(&self, node: &'p Expr, outside: &Outside<'_, 'p>) -> Vec<Sym> {
        let mut found = Vec::new();
        match &node.kind {
            ExprKind::Load(place) => {
                let raw = self.at(place).map(|id| &self.raw[id.0 as usize]);
                let index = raw.and_then(|raw| raw.iter().cloned().collect::<Option<Vec<Affine>>>());
                found
                    .extend(index.and_then(|index| self.symbols.get(&SymKind::Element(place.buffer, index))));
                if let Some(value) = outside.definition(place) {
                    found.extend(self.symbols_of(value, outside));
                }
            }
            ExprKind::Cast(operand) => {
                let cast = super::affine::Operation::Cast(operand.ty);
                let kind = |sym| SymKind::Function(cast, node.ty, vec![Affine::symbol(sym)]);
                let operands = self.symbols_of(operand, outside).into_iter();
                found.extend(operands.filter_map(|sym| self.symbols.get(&kind(sym))));
            }
            _ => {}
        }
        found
    }

    /// Whether no two instances of the set are there where the facts hold: `first` and `second` in different iterations
    /// of the loop, `second` later, its symbols renamed.
    pub(super) fn is_excluded(
        &self,
        set: &Set,
        facts: &[Fact],
        (first, second): (&Access<'p>, &Access<'p>),
        rename: &dyn Fn(Sym) -> Sym,
    ) -> Answer {
        let mut set = set.clone();
        for fact in facts {
            if let Fact::Rows(rows) = fact {
                self.assume_rows(&mut set, rows, (first, second), rename);
            }
        }
        if set.is_empty().is_yes() {
            return Answer::Yes;
        }
        let distinct = |fact: &Fact| match fact {
            Fact::Distinct(distinct) => Self::repeats_none(&set, distinct, rename),
            Fact::Rows(_) | Fact::Fits(_) => false,
        };
        if facts.iter().any(distinct) { Answer::Yes } else { Answer::Unknown }
    }

    /// Rows of iterations that differ are apart; only what stands in the loops that count through them knows that they
    /// have an element.
    fn assume_rows(
        &self,
        set: &mut Set,
        rows: &Rows,
        (first, second): (&Access<'p>, &Access<'p>),
        rename: &dyn Fn(Sym) -> Sym,
    ) {
        let Some(order) = self.loop_of(rows.along).map(|of| of.order) else { return };
        let around = |access: &Access<'p>| {
            let inside = |iter: &&IterId| rows.loops.contains(iter);
            let iters = self.loops(access.nest).iter().filter(inside);
            iters.filter_map(|&iter| self.loop_of(iter)).collect::<Vec<_>>()
        };
        for first in around(first) {
            for second in around(second) {
                set.add(match order {
                    Order::Up => Constraint::lt(&first.hi, &second.lo.rename(rename)),
                    Order::Down => Constraint::lt(&second.hi.rename(rename), &first.lo),
                });
            }
        }
    }

    /// Whether the set has no point where the value differs between the two instances: none where it is less, and none
    /// where it is greater.
    fn repeats_none(set: &Set, distinct: &Distinct, rename: &dyn Fn(Sym) -> Sym) -> bool {
        let mut symbols = distinct.symbols.iter().copied().filter(|&sym| rename(sym) != sym);
        let Some(value) = symbols.next() else { return false };
        let mut set = set.clone();
        for other in symbols {
            set.add(Constraint::eq(&Affine::symbol(value), &Affine::symbol(other)));
            set.add(Constraint::eq(&Affine::symbol(rename(value)), &Affine::symbol(rename(other))));
        }
        let (now, later) = (Affine::symbol(value), Affine::symbol(rename(value)));
        [Constraint::lt(&now, &later), Constraint::lt(&later, &now)].into_iter().all(|differs| {
            let mut half = set.clone();
            half.add(differs);
            half.is_empty().is_yes()
        })
    }
}
