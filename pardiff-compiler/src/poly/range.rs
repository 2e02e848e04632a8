//! Proofs that a form stays in its type, so that it equals the machine expression that it was made from.
//!
//! By what is known at the point (loop bounds, conditions, checks already passed), for every width that a machine word
//! may have. Indices that no such proof reaches are in [`super::wrap`].

use super::access::PointId;
use super::affine::{Affine, Sym, SymKind};
use super::analysis::Analysis;
use super::set::{Answer, Constraint, Set, connected};
use crate::ir::{Int, Ty};
use crate::map::Map;

impl<'p> Analysis<'p> {
    /// Whether the value of a ring form of type `ty` is proved to lie in `ty` wherever `point` is reached.
    pub(super) fn fits(&self, form: &Affine, ty: Ty, point: PointId) -> bool {
        let Ty::Int(int) = ty else { return false };
        if let Some(number) = form.as_constant() {
            let high = if int == Int::Usize { u32::MAX.into() } else { int.max().unwrap_or(i128::MAX) };
            let (low, high) =
                if int == Int::Isize { (i32::MIN.into(), i32::MAX.into()) } else { (int.min(), high) };
            return (low..=high).contains(&number);
        }
        if form.as_symbol().is_some_and(|sym| self.symbols.symbol(sym).ty == Some(ty)) {
            return true;
        }
        // what is known of a product is known from checks; of a sum, rather from bounds
        let product = form.terms().iter().any(|&(sym, _)| self.symbols.is_product(sym));
        let checked = || ty == Ty::USIZE && self.known_in_range(form, point);
        let within = || self.is_within(form, int, point);
        let [first, second]: [&dyn Fn() -> bool; 2] =
            if product { [&checked, &within] } else { [&within, &checked] };
        first() || second()
    }

    /// Whether a form is proved to lie between the least and the greatest value of a type by what bounds its symbols.
    fn is_within(&self, form: &Affine, int: Int, point: PointId) -> bool {
        let Some((low, high)) = self.limits(int) else { return false };
        let below = |a: &Affine, b: &Affine| {
            let Some(Constraint::NonNegative(gap)) = Constraint::le(a, b) else { return false };
            self.is_implied(&gap, point)
        };
        below(&low, form) && below(form, &high)
    }

    /// Whether a form is proved not to be negative wherever `point` is reached.
    pub(super) fn is_non_negative(&self, form: &Affine, point: PointId) -> bool {
        self.is_implied(form, point)
    }

    /// Whether `form >= 0` wherever `point` is reached.
    pub(super) fn is_implied(&self, form: &Affine, point: PointId) -> bool {
        if let Some(number) = form.as_constant() {
            return number >= 0;
        }
        if self.is_plain(form, point) {
            return true;
        }
        let question = (point, form.clone());
        if let Some(&known) = self.implied.borrow().get(&question) {
            return known;
        }
        let answer = self.is_proved(form, point, &[]);
        self.implied.borrow_mut().insert(question, answer);
        answer
    }

    /// Whether `form >= 0` wherever `point` is reached and some more is known there.
    pub(super) fn is_implied_with(&self, form: &Affine, point: PointId, more: &[Constraint]) -> bool {
        self.is_plain(form, point) || self.is_proved(form, point, more)
    }

    /// Whether no proof is needed.
    fn is_plain(&self, form: &Affine, point: PointId) -> bool {
        self.symbols.is_plainly_non_negative(form) || self.is_stated(form, point)
    }

    /// Whether there is no point of the set with `form < 0`.
    fn is_proved(&self, form: &Affine, point: PointId, more: &[Constraint]) -> bool {
        let Some(negative) = form.scale(-1).and_then(|form| form.offset(-1)) else { return false };
        // the limits of machine words matter only to a question about them
        let word = |sym: Sym| sym == self.usize_max || sym == self.isize_max;
        let upper = form.terms().iter().any(|&(sym, _)| word(sym))
            || form.constant().unsigned_abs() > u128::from(u32::MAX);
        let mut set = Set::all();
        set.add(Constraint::NonNegative(negative));
        more.iter().for_each(|known| set.add(known.clone()));
        self.add_related(&mut set, point);
        self.add_facts(&mut set, upper);
        set.is_empty() == Answer::Yes
    }

    /// Adds those constraints of a point that are connected to the set through common symbols: the others could
    /// only say that the point is never reached.
    pub(super) fn add_related(&self, set: &mut Set, point: PointId) {
        // of those that differ in the number alone, the strongest
        let mut strongest: Map<&[(Sym, i128)], usize> = Map::default();
        let mut all: Vec<&Constraint> = Vec::new();
        for id in self.around(point) {
            let point = &self.points[id.0 as usize];
            for constraint in point.constraints.iter().chain(&point.facts) {
                let Constraint::NonNegative(form) = constraint else {
                    all.push(constraint);
                    continue;
                };
                let at = *strongest.entry(form.terms()).or_insert(all.len());
                if at == all.len() {
                    all.push(constraint);
                } else if form.constant() < all[at].form().constant() {
                    all[at] = constraint;
                }
            }
        }
        for constraint in connected(&all, set.symbols()) {
            set.add(constraint.clone());
        }
    }

    /// Whether a constraint of the point says `form >= 0` literally.
    pub(super) fn is_stated(&self, form: &Affine, point: PointId) -> bool {
        let says =
            |&(at, constant): &(PointId, i128)| constant <= form.constant() && self.is_known_at(at, point);
        self.stated.get(form.terms()).is_some_and(|known| known.iter().any(says))
    }

    /// The least and the greatest value of a type.
    fn limits(&self, int: Int) -> Option<(Affine, Affine)> {
        Some(match int {
            Int::Usize => (Affine::number(0), Affine::symbol(self.usize_max)),
            Int::Isize => {
                let max = Affine::symbol(self.isize_max);
                (max.scale(-1)?.offset(-1)?, max)
            }
            _ => (Affine::number(int.min()), Affine::number(int.max()?)),
        })
    }

    /// What the type of a symbol says of it; upper bounds only where `upper` or small.
    fn facts_of_type(&self, sym: Sym, upper: bool) -> Vec<Constraint> {
        let symbol = self.symbols.symbol(sym);
        let form = Affine::symbol(sym);
        let mut facts = Vec::new();
        if symbol.non_negative {
            facts.push(Constraint::NonNegative(form.clone()));
        }
        if let Some((least, greatest)) = symbol.range {
            facts.extend(Constraint::le(&Affine::number(least), &form));
            facts.extend(Constraint::le(&form, &Affine::number(greatest)));
            return facts;
        }
        let Some(Ty::Int(int)) = symbol.ty else { return facts };
        if !upper && int.bits() > 32 {
            return facts;
        }
        let Some((low, high)) = self.limits(int) else { return facts };
        if int.is_signed() {
            facts.extend(Constraint::le(&low, &form));
        }
        facts.extend(Constraint::le(&form, &high));
        if let SymKind::Extent(buffer, 0) = symbol.kind {
            // no slice is longer than `isize::MAX` bytes; rows of length zero have no such limit
            if self.program[buffer].rank() == 1 {
                facts.extend(Constraint::le(&form, &Affine::symbol(self.isize_max)));
            }
        }
        facts
    }

    /// Adds what the types of the symbols of a set say of them; upper bounds only where `upper` or small.
    pub(super) fn add_facts(&self, set: &mut Set, upper: bool) {
        let mut known = self.of_types.borrow_mut();
        for sym in set.symbols() {
            if sym.is_auxiliary() {
                continue;
            }
            let facts = known.entry((sym, upper)).or_insert_with(|| self.facts_of_type(sym, upper));
            for fact in facts.iter() {
                set.add(fact.clone());
            }
        }
        if upper {
            // 2 isize_max + 1 = usize_max, which has 32 to 64 bits
            let max = Affine::symbol(self.usize_max);
            let double = Affine::symbol(self.isize_max).scale(2).and_then(|double| double.offset(1));
            set.add(double.and_then(|double| Constraint::eq(&double, &max)));
            set.add(Constraint::le(&Affine::number(u32::MAX.into()), &max));
            set.add(Constraint::le(&max, &Affine::number(u64::MAX.into())));
        }
    }

    /// Whether a form of type `usize` is one that a passed check proves, or is close to one: a form that passed a
    /// check is at most `isize::MAX`, so what exceeds it by no more than that has not wrapped.
    fn known_in_range(&self, form: &Affine, used_at: PointId) -> bool {
        if self.in_range.get(form).is_some_and(|at| at.iter().any(|&at| self.is_known_at(at, used_at))) {
            return true;
        }
        let mut next = Some(used_at);
        while let Some(id) = next {
            let point = &self.points[id.0 as usize];
            if point.for_all.iter().any(|all| self.is_instance(form, all, used_at)) {
                return true;
            }
            for known in &point.in_range {
                if !self.related(known, form) {
                    continue;
                }
                if self.is_close(form, known, &[], used_at) {
                    return true;
                }
            }
            next = point.parent;
        }
        false
    }

    /// Whether a form lies in `usize` because one that passed a check is not less, or less by at most `isize::MAX`.
    pub(super) fn is_close(
        &self,
        form: &Affine,
        known: &Affine,
        more: &[Constraint],
        point: PointId,
    ) -> bool {
        let below = known.sub(form).is_some_and(|rest| self.is_sum_non_negative(&rest, point));
        if below && self.is_sum_non_negative(form, point) {
            return true;
        }
        let Some(rest) = form.sub(known) else { return false };
        let room = Affine::symbol(self.isize_max).sub(&rest);
        room.is_some_and(|room| self.is_implied_with(&room, point, more))
            && (self.is_sum_non_negative(&rest, point) || self.is_sum_non_negative(form, point))
    }

    /// Whether a form is proved not to be negative by grouping its products: `i * d - j * d + k` is
    /// `(i - j) * d + k`, and it is enough that `i - j` and `k` are not negative, or `i - j - 1` and `k + d`.
    pub(super) fn is_sum_non_negative(&self, form: &Affine, point: PointId) -> bool {
        if self.symbols.is_plainly_non_negative(form) {
            return true;
        }
        let mut groups: Vec<(Vec<Sym>, Affine)> = Vec::new();
        let mut rest = Affine::number(form.constant());
        for &(sym, coefficient) in form.terms() {
            let mut factors = self.symbols.factors(sym);
            let iterator = |&sym: &Sym| matches!(self.symbols.symbol(sym).kind, SymKind::Iter(_));
            let varying = factors.remove(factors.iter().position(iterator).unwrap_or(0));
            let Some(term) = Affine::symbol(varying).scale(coefficient) else { return false };
            if !factors.iter().all(|&sym| self.symbols.symbol(sym).non_negative) {
                return false;
            }
            let sum = if factors.is_empty() {
                &mut rest
            } else {
                match groups.iter().position(|(known, _)| *known == factors) {
                    Some(at) => &mut groups[at].1,
                    None => {
                        groups.push((factors, Affine::default()));
                        let last = groups.len() - 1;
                        &mut groups[last].1
                    }
                }
            };
            let Some(total) = sum.add(&term) else { return false };
            *sum = total;
        }
        if groups.is_empty() {
            return self.is_implied(&rest, point);
        }
        // a symbol alone belongs to the group that it is the factor of: `i * d - d` is `(i - 1) * d`
        for (factors, sum) in &mut groups {
            if let [factor] = factors[..]
                && rest.coefficient(factor) < 0
                && let Some((more, less)) =
                    sum.clone().offset(rest.coefficient(factor)).zip(rest.without(factor))
            {
                (*sum, rest) = (more, less);
            }
        }
        if !groups.iter().all(|(_, sum)| self.is_implied(sum, point)) {
            return false;
        }
        let positive = |sum: &Affine| sum.clone().offset(-1).is_some_and(|sum| self.is_implied(&sum, point));
        self.is_implied(&rest, point)
            || groups.iter().any(|(factors, sum)| {
                let [factor] = factors[..] else { return false };
                let more = rest.add(&Affine::symbol(factor));
                positive(sum) && more.is_some_and(|more| self.is_implied(&more, point))
            })
    }

    /// Whether two forms have a symbol in common, or a factor of their products: nothing else is known of how far apart they
    /// are.
    fn related(&self, a: &Affine, b: &Affine) -> bool {
        let factors = |form: &Affine| -> Vec<Sym> {
            let products = form.terms().iter().filter(|(sym, _)| self.symbols.is_product(*sym));
            products.flat_map(|&(sym, _)| self.symbols.factors(sym)).collect()
        };
        a.terms().iter().any(|&(sym, _)| b.coefficient(sym) != 0) || {
            let of_b = factors(b);
            factors(a).iter().any(|sym| of_b.contains(sym))
        }
    }
}
