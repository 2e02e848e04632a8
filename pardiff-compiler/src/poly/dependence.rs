//! Dependences: can two accesses touch the same element, and in which order.
//!
//! Distinct buffers never overlap (Rust's borrow rules); so every question is about the accesses of one buffer. What
//! is not proved to be impossible is possible: only `No` may be relied on for reordering, and `Yes` is a proof that
//! some input does it.

use super::access::{Access, AccessId, PointId};
use super::affine::{Affine, Sym, SymKind};
use super::analysis::Analysis;
use super::runtime_facts::Fact;
use super::set::{Answer, Constraint, Set};
use crate::ir::{BufferId, IterId, Order, Ty};
use crate::map::Map;
use std::rc::Rc;

/// What was asked before.
#[derive(Debug, Default)]
pub(super) struct Cache {
    /// The indices of accesses where these facts hold.
    pub(super) assuming: (Vec<Fact>, Map<AccessId, Vec<Option<Affine>>>),
    /// What writes certainly touch in one iteration of some loops.
    pub(super) written: Map<(AccessId, Vec<IterId>), Option<Rc<Set>>>,
    overwritten: Map<AccessId, Verdict>,
    carried: Map<(IterId, AccessId, AccessId), Answer>,
    /// Of points, whether instances there can be known exactly.
    exact: Map<PointId, bool>,
}

/// An answer and why.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Verdict {
    /// The answer.
    pub answer: Answer,
    /// Why.
    pub reason: Reason,
}

/// Why a question about dependences is answered as it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reason {
    /// The buffer is never written.
    NeverWritten,
    /// Every write is executed before.
    WrittenBefore,
    /// Every write that may come later touches other elements.
    OtherElements,
    /// This access touches the same element, or may.
    Touched(AccessId),
    /// The two have no affine index.
    NotAffine(AccessId),
}

/// Whether a loop carries a dependence from one access to another.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Carried {
    /// Whether the second access, in a later iteration of the loop, touches an element of the first.
    pub answer: Answer,
    /// By how much the iterator of the second is greater, where that is one number.
    pub distance: Option<i128>,
}

/// An index of which one dimension is divided into rows and columns.
#[derive(Clone, Copy)]
struct Rows<'a> {
    dim: usize,
    index: &'a [Affine],
}

impl<'p> Analysis<'p> {
    /// Whether an element that this access reads or writes is written by something executed after it, in the same
    /// lifetime of the buffer. A write in the statement of a read counts: it is executed after the read.
    ///
    /// `No` means *in place*: at the end of the buffer's lifetime the element still has the value that was read, or
    /// that was written.
    pub fn overwritten_after(&self, id: AccessId) -> Verdict {
        if let Some(known) = self.cache.borrow().overwritten.get(&id) {
            return known.clone();
        }
        let verdict = self.find_overwrite(id);
        self.cache.borrow_mut().overwritten.insert(id, verdict.clone());
        verdict
    }

    /// Whether an element that this access, in a loop or in its bounds, reads or writes is written by something executed after
    /// it in the same run of the loop.
    pub fn overwritten_in(&self, along: IterId, id: AccessId) -> Answer {
        let access = self.access(id);
        let depth = self.loop_of(along).map_or(0, |of| self.loops(of.outer).len());
        let inside = self.writes(access.buffer).filter(|&write| self.loops_around(write).contains(&along));
        inside.fold(Answer::No, |answer, write| {
            answer.or(self.touches_after(access, self.access(write), depth))
        })
    }

    fn find_overwrite(&self, id: AccessId) -> Verdict {
        let access = self.access(id);
        let depth = self.loops(self.lifetime(access.buffer).nest).len();
        let mut writes = self.writes(access.buffer).peekable();
        if writes.peek().is_none() {
            return Verdict { answer: Answer::No, reason: Reason::NeverWritten };
        }
        let mut verdict = Verdict { answer: Answer::No, reason: Reason::WrittenBefore };
        for other in writes {
            let write = self.access(other);
            if write.order <= access.order && self.structure.common(write.nest, access.nest) <= depth {
                continue;
            }
            let answer = self.touches_after(access, write, depth);
            let reason = match answer {
                Answer::No => Reason::OtherElements,
                Answer::Unknown if !self.has_index(write) => Reason::NotAffine(other),
                _ => Reason::Touched(other),
            };
            match (verdict.answer, answer) {
                (_, Answer::Yes) => return Verdict { answer, reason },
                (Answer::No, _) => verdict = Verdict { answer, reason },
                _ => {}
            }
        }
        verdict
    }

    /// Whether `second`, executed after `first` with the outermost `depth` loops in the same iteration, touches the
    /// element of `first`.
    fn touches_after(&self, first: &Access<'p>, second: &Access<'p>, depth: usize) -> Answer {
        let common = self.structure.common(first.nest, second.nest);
        let shared = &self.loops(first.nest)[..common];
        let mut answer = Answer::No;
        if second.order > first.order && !self.structure.exclusive(first.stmt, second.stmt) {
            answer = self.touches(first, second, shared, None);
        }
        for level in (depth..common).rev() {
            if answer == Answer::Yes {
                break;
            }
            answer = answer.or(self.carried(shared[level], first.id, second.id));
        }
        answer
    }

    /// Whether `second` touches the element of `first` in a later iteration of `along` (the outer loops in the same
    /// iteration), without the distance.
    fn carried(&self, along: IterId, first: AccessId, second: AccessId) -> Answer {
        let key = (along, first, second);
        if let Some(&known) = self.cache.borrow().carried.get(&key) {
            return known;
        }
        let (a, b) = (self.access(first), self.access(second));
        let loops = self.loops(a.nest);
        let level = loops.iter().position(|&iter| iter == along).unwrap_or(0);
        let answer = self.touches(a, b, &loops[..level], Some(along));
        self.cache.borrow_mut().carried.insert(key, answer);
        answer
    }

    /// Whether the loop carries a dependence from `first` to `second`: whether `second`, in a later iteration of
    /// `along` (in its order of execution), touches an element that `first` touched, the loops around `along` being in
    /// the same iteration. `No` as well where the loop is not around both, or the buffers differ.
    pub fn carries(&self, along: IterId, first: AccessId, second: AccessId) -> Carried {
        let none = Carried { answer: Answer::No, distance: None };
        let answer = self.carries_any(along, first, second);
        if answer == Answer::No {
            return none;
        }
        let (a, b) = (self.access(first), self.access(second));
        let loops = self.loops(a.nest);
        let level = loops.iter().position(|&iter| iter == along).unwrap_or(0);
        let mut distance = None;
        if let Some(iter) = self.symbols.get(&SymKind::Iter(along)) {
            let (set, _) = self.pair(a, b, &loops[..level], Some(along), &[]);
            let gap = Affine::symbol(iter.primed()).sub(&Affine::symbol(iter));
            if let Some((Some(low), Some(high))) = gap.map(|gap| set.bounds(&gap)) {
                distance = (low == high).then_some(low);
            }
        }
        Carried { answer, distance }
    }

    /// As [`Analysis::carries`], without the distance.
    pub fn carries_any(&self, along: IterId, first: AccessId, second: AccessId) -> Answer {
        self.carries_assuming(along, first, second, &[])
    }

    /// As [`Analysis::carries_any`], where the facts hold.
    pub fn carries_assuming(
        &self,
        along: IterId,
        first: AccessId,
        second: AccessId,
        facts: &[Fact],
    ) -> Answer {
        let (a, b) = (self.access(first), self.access(second));
        let common = self.structure.common(a.nest, b.nest);
        let level = self.loops(a.nest)[..common].iter().position(|&iter| iter == along);
        let depth = self.loops(self.lifetime(a.buffer).nest).len();
        if a.buffer != b.buffer || level.is_none_or(|level| level < depth) {
            return Answer::No;
        }
        let answer = self.carried(along, first, second);
        if answer == Answer::No || facts.is_empty() {
            return answer;
        }
        let outer = &self.loops(a.nest)[..level.unwrap_or(0)];
        let (set, _) = self.pair(a, b, outer, Some(along), facts);
        // what differs between iterations of one loop may be the same in those of another
        let of_loop: Vec<Fact> = facts.iter().filter(|fact| fact.along() == Some(along)).cloned().collect();
        self.is_excluded(&set, &of_loop, (a, b), &self.renaming(outer)).not()
    }

    /// Whether the two touch the same element in the same iteration of all loops around both.
    pub fn same_element(&self, a: AccessId, b: AccessId) -> Answer {
        let (a, b) = (self.access(a), self.access(b));
        if a.buffer != b.buffer {
            return Answer::No;
        }
        let common = self.structure.common(a.nest, b.nest);
        self.touches(a, b, &self.loops(a.nest)[..common], None)
    }

    /// Whether the two always touch the same element in the same iteration of all loops around both.
    pub fn always_same_element(&self, a: AccessId, b: AccessId) -> bool {
        let (a, b) = (self.access(a), self.access(b));
        let same = |(x, y): (&Option<Affine>, &Option<Affine>)| x.is_some() && x == y;
        let (raw_a, raw_b) = (&self.raw[a.id.0 as usize], &self.raw[b.id.0 as usize]);
        let common = self.structure.common(a.nest, b.nest);
        let known = self.loops(a.nest);
        let inside = |form: &Option<Affine>| {
            let form = form.as_ref();
            form.is_some_and(|form| {
                self.symbols.depends(form).iter().all(|iter| known[..common].contains(iter))
            })
        };
        a.buffer == b.buffer
            && a.place.is_some()
            && b.place.is_some()
            && raw_a.iter().zip(raw_b).all(same)
            && raw_a.iter().all(inside)
    }

    /// Whether a loop is *affecting* for the buffer: whether two of the `reads` of one element, in iterations
    /// `a <= a'` of the loop, may have a write to it between them. Then the value read depends on the iteration.
    pub fn affecting(&self, along: IterId, buffer: BufferId, reads: &[AccessId]) -> Answer {
        let mut answer = Answer::No;
        for &read in reads {
            if self.access(read).buffer != buffer {
                continue;
            }
            for write in self.writes(buffer) {
                answer = answer.or(self.carries_any(along, write, read));
                if answer != Answer::Yes {
                    answer = answer.or(self.carries_any(along, read, write));
                }
                if answer == Answer::Yes {
                    return answer;
                }
            }
        }
        answer
    }

    /// Whether the two can touch the same element with the `shared` iterators equal and, if given, `second` in a later
    /// iteration of `later`.
    fn touches(
        &self,
        first: &Access<'p>,
        second: &Access<'p>,
        shared: &[IterId],
        later: Option<IterId>,
    ) -> Answer {
        let (set, exact) = self.pair(first, second, shared, later, &[]);
        match set.is_empty() {
            Answer::Yes => Answer::No,
            Answer::No if exact => Answer::Yes,
            _ => Answer::Unknown,
        }
    }

    /// The instances of the two that touch the same element, where the facts let no index wrap; the second's iterators
    /// are primed unless `shared`. Also whether the set is exact: otherwise it is larger.
    fn pair(
        &self,
        first: &Access<'p>,
        second: &Access<'p>,
        shared: &[IterId],
        later: Option<IterId>,
        facts: &[Fact],
    ) -> (Set, bool) {
        let rename = self.renaming(shared);
        let mut set = Set::all();
        let mut exact = true;
        if first.place.is_some() && second.place.is_some() {
            if self.differ_by_numbers(first, second, &rename) {
                set.add(Constraint::NonNegative(Affine::number(-1)));
                return (set, true);
            }
            if later.is_some_and(|along| self.differ_by_steps(first, second, along, &rename)) {
                set.add(Constraint::NonNegative(Affine::number(-1)));
                return (set, true);
            }
            let (of_first, of_second) =
                (self.index_assuming(first, facts), self.index_assuming(second, facts));
            let rows = self.rows(first, &of_first, facts).zip(self.rows(second, &of_second, facts));
            if let Some((a, b)) = rows {
                for (a, b) in a.index.iter().zip(b.index) {
                    set.add(Constraint::eq(a, &b.rename(&rename)));
                }
            }
            let divided = rows.map(|(rows, _)| rows.dim);
            for (dim, (a, b)) in of_first.iter().zip(&of_second).enumerate() {
                if divided != Some(dim) {
                    let both = a.as_ref().zip(b.as_ref());
                    let same = both.and_then(|(a, b)| Constraint::eq(a, &b.rename(&rename)));
                    exact &= same.is_some();
                    set.add(same);
                }
            }
            self.add_inverses(&mut set, shared);
            self.add_congruences(&mut set, shared);
        }
        let mut of_loop = false;
        if let Some(along) = later {
            let order = self.loop_of(along).map(|of| of.order);
            let iter = self.symbols.get(&SymKind::Iter(along));
            if let (Some(order), Some(iter)) = (order, iter) {
                let (now, then) = (Affine::symbol(iter), Affine::symbol(iter.primed()));
                of_loop = set.constraints().iter().any(|same| same.form().coefficient(iter) != 0);
                set.add(match order {
                    Order::Up => Constraint::lt(&now, &then),
                    Order::Down => Constraint::lt(&then, &now),
                });
            }
        }
        // most pairs differ in the iterator of the loop itself, whatever is known besides
        if of_loop && set.is_empty().is_yes() {
            return (set, exact);
        }
        exact &= self.add_point(&mut set, first.point);
        exact &= self.add_other_point(&mut set, second.point, first.point, &rename);
        self.last_assuming(first, facts).into_iter().for_each(|last| set.add(Some(last)));
        let last = self.last_assuming(second, facts).into_iter().map(|last| last.rename(&rename));
        last.for_each(|last| set.add(Some(last)));
        exact = exact && set.symbols().iter().all(|&sym| self.is_free(sym));
        self.add_facts(&mut set, false);
        (set, exact)
    }

    /// What is a function of iterators that the set says are equal in both instances is equal as well: an element of a table
    /// at `q`, where the elements that meet are those of one `q`.
    fn add_congruences(&self, set: &mut Set, shared: &[IterId]) {
        let equal = |constraint: &Constraint| match constraint {
            Constraint::Zero(form) if form.constant() == 0 => match *form.terms() {
                [(a, 1), (b, -1)] | [(a, -1), (b, 1)] if a.unprimed() == b.unprimed() => {
                    let SymKind::Iter(iter) = self.symbols.symbol(a).kind else { return None };
                    Some(iter)
                }
                _ => None,
            },
            _ => None,
        };
        let iters: Vec<IterId> = set.constraints().iter().filter_map(equal).collect();
        if iters.is_empty() {
            return;
        }
        for sym in set.symbols().into_iter().filter(|sym| sym.is_primed()) {
            let depends = &self.symbols.symbol(sym).depends;
            let one = |iter: &IterId| shared.contains(iter) || iters.contains(iter);
            let is_iter = matches!(self.symbols.symbol(sym).kind, SymKind::Iter(_));
            if !is_iter && depends.iter().all(one) {
                set.add(Constraint::eq(&Affine::symbol(sym), &Affine::symbol(sym.unprimed())));
            }
        }
    }

    /// Whether the two have an index whose values differ by a number: forms of one ring, so that they differ whatever wraps.
    fn differ_by_numbers(&self, a: &Access<'p>, b: &Access<'p>, rename: &dyn Fn(Sym) -> Sym) -> bool {
        let (raw_a, raw_b) = (&self.raw[a.id.0 as usize], &self.raw[b.id.0 as usize]);
        raw_a.iter().zip(raw_b).any(|pair| {
            let (Some(a), Some(b)) = pair else { return false };
            let by = a.sub(&b.rename(rename)).and_then(|rest| rest.as_constant());
            by.is_some_and(|by| by != 0 && by.unsigned_abs() <= u128::from(u32::MAX))
        })
    }

    /// Whether the two have an index whose values differ by an odd number times the distance of their iterations of the loop: forms
    /// of one ring, in which odd numbers have inverses. Two iterations are less than the size of the ring apart, so that the
    /// indices differ whatever wraps.
    fn differ_by_steps(
        &self,
        a: &Access<'p>,
        b: &Access<'p>,
        along: IterId,
        rename: &dyn Fn(Sym) -> Sym,
    ) -> bool {
        let Some(iter) = self.symbols.get(&SymKind::Iter(along)) else { return false };
        let (raw_a, raw_b) = (&self.raw[a.id.0 as usize], &self.raw[b.id.0 as usize]);
        self.program[along].ty == Ty::USIZE
            && raw_a.iter().zip(raw_b).any(|pair| {
                let (Some(a), Some(b)) = pair else { return false };
                let apart = b.rename(rename).sub(a);
                apart.is_some_and(|apart| {
                    let step = apart.coefficient(iter.primed());
                    let is_distance = apart.coefficient(iter) == -step && apart.terms().len() == 2;
                    is_distance && apart.constant() == 0 && step % 2 != 0
                })
            })
    }

    /// The symbols of the second of two instances that have the `shared` iterators in common.
    fn renaming(&self, shared: &[IterId]) -> impl Fn(Sym) -> Sym {
        move |sym: Sym| {
            let fixed = self.symbols.symbol(sym).depends.iter().all(|iter| shared.contains(iter));
            if fixed { sym } else { sym.primed() }
        }
    }

    /// Whether it may be known exactly which instances of what stands at a point there are; a set of others is larger.
    pub(super) fn is_exact_at(&self, point: PointId) -> bool {
        let mut cache = self.cache.borrow_mut();
        let (mut new, mut answer) = (Vec::new(), true);
        for id in self.around(point) {
            if let Some(&known) = cache.exact.get(&id) {
                answer = known;
                break;
            }
            new.push(id);
        }
        for id in new.into_iter().rev() {
            let this = &self.points[id.0 as usize];
            let mut forms = this.constraints.iter().chain(&this.facts).map(Constraint::form);
            answer &= this.exact && forms.all(|form| form.terms().iter().all(|&(sym, _)| self.is_free(sym)));
            cache.exact.insert(id, answer);
        }
        answer
    }

    /// Whether a symbol can take every value of its type, whatever the others are.
    pub(super) fn is_free(&self, sym: Sym) -> bool {
        use SymKind::*;
        match &self.symbols.symbol(sym).kind {
            Iter(_) | Trip(_) | Extent(..) | Opaque(_) => true,
            Element(buffer, index) => index.is_empty() && self.writes(*buffer).next().is_none(),
            Lo(_) | Hi(_) | Function(..) | Product(_) | UsizeMax | IsizeMax => false,
        }
    }

    /// The index by rows and columns, where delinearisation gave one, and it holds because the flat one that was divided is known
    /// and no bound that it rests on has wrapped.
    fn rows(&self, access: &Access<'p>, flat: &[Option<Affine>], facts: &[Fact]) -> Option<Rows<'_>> {
        let strides = self.flat.get(&access.buffer)?;
        let index = strides.index.get(&access.id)?;
        let is_known = |form: &Affine| flat.get(strides.dim).is_some_and(|flat| flat.as_ref() == Some(form));
        let holds = strides.requires.get(&access.id).is_none_or(is_known);
        (holds && self.bounds_hold(access, facts)).then_some(Rows { dim: strides.dim, index })
    }

    fn has_index(&self, access: &Access<'p>) -> bool {
        access.index.iter().all(Option::is_some)
    }
}
