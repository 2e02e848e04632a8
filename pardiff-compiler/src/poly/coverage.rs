//! Coverage: is everything that is read also written?
//!
//! Storing a value where it is defined is right only if the definition writes every element that is needed from that
//! store: {elements read} minus {elements written} must be empty.

use super::access::{Access, AccessId};
use super::affine::{Affine, Sym, SymKind};
use super::analysis::Analysis;
use super::set::{Answer, Constraint, Set};
use crate::ir::IterId;
use crate::limits::UNCOVERED_PIECES;
use std::rc::Rc;

impl<'p> Analysis<'p> {
    /// Whether every element that `read` touches in one iteration of the `shared` loops (the outermost ones around
    /// all of them) is touched by one of the `writes` in the same iteration of these. The order of execution is
    /// not asked.
    pub fn covers(&self, read: AccessId, writes: &[AccessId], shared: &[IterId]) -> Answer {
        let access = self.access(read);
        if access.place.is_none() {
            return Answer::Unknown;
        }
        let Some(element) = element_of(&access.index) else { return Answer::Unknown };
        let mut left = Set::all();
        for (number, form) in element.iter().enumerate() {
            left.add(Constraint::eq(&Affine::symbol(Sym::auxiliary(number)), form));
        }
        let mut exact = self.add_point(&mut left, access.point);
        exact &= left.symbols().iter().all(|&sym| sym.is_auxiliary() || self.is_free(sym));
        self.add_facts(&mut left, false);
        let mut pieces = if left.is_empty().is_yes() { Vec::new() } else { vec![left] };
        for &write in writes {
            let write = self.access(write);
            if write.buffer != access.buffer || are_apart(&access.index, &write.index) {
                continue;
            }
            if pieces.is_empty() {
                break;
            }
            let Some(written) = self.written_once(write, shared) else {
                exact = false;
                continue;
            };
            let mut rest = Vec::new();
            for piece in pieces {
                if are_elsewhere(&piece, &written) {
                    rest.push(piece);
                } else {
                    subtract(piece, &written, &mut rest);
                }
            }
            if rest.len() > UNCOVERED_PIECES {
                return Answer::Unknown;
            }
            pieces = rest;
        }
        let empty = pieces.iter().map(Set::is_empty).fold(Answer::No, |all, piece| all.or(piece.not()));
        match empty {
            Answer::No => Answer::Yes,
            Answer::Yes if exact => Answer::No,
            _ => Answer::Unknown,
        }
    }

    /// See [`Analysis::written`]: of one write it is asked for many reads.
    fn written_once(&self, write: &Access<'p>, shared: &[IterId]) -> Option<Rc<Set>> {
        let key = (write.id, shared.to_vec());
        if let Some(known) = self.cache.borrow().written.get(&key) {
            return known.clone();
        }
        let set = self.written(write, shared).map(Rc::new);
        self.cache.borrow_mut().written.insert(key, set.clone());
        set
    }

    /// The elements that are certainly touched in one iteration of the `shared` loops, as a set over the auxiliary
    /// symbols and those that do not depend on other loops.
    fn written(&self, write: &Access<'p>, shared: &[IterId]) -> Option<Set> {
        let fixed = |sym: Sym| self.symbols.symbol(sym).depends.iter().all(|iter| shared.contains(iter));
        let rename = |sym: Sym| if fixed(sym) { sym } else { sym.primed() };
        let mut set = Set::all();
        if write.place.is_some() {
            for (number, form) in element_of(&write.index)?.iter().enumerate() {
                set.add(Some(Constraint::eq(
                    &Affine::symbol(Sym::auxiliary(number)),
                    &form.rename(&rename),
                )?));
            }
        }
        let mut next = Some(write.point);
        while let Some(id) = next {
            let point = &self.points[id.0 as usize];
            if !point.exact {
                return None;
            }
            point.constraints.iter().for_each(|constraint| set.add(constraint.rename(&rename)));
            next = point.parent;
        }
        let inner: Vec<Sym> = set.symbols().into_iter().filter(|sym| sym.is_primed()).collect();
        for &sym in &inner {
            let symbol = self.symbols.symbol(sym);
            // only of an iterator is there one for every value that its loop allows
            if !matches!(symbol.kind, SymKind::Iter(_) | SymKind::Trip(_)) {
                return None;
            }
            if symbol.non_negative {
                set.add(Constraint::NonNegative(Affine::symbol(sym)));
            }
        }
        set.eliminate(&inner)
    }
}

fn element_of(index: &[Option<Affine>]) -> Option<Vec<Affine>> {
    index.iter().cloned().collect()
}

/// Whether the two are different elements because an index is one number in the one and another in the other: elements of
/// a small array, written out, most often.
fn are_apart(read: &[Option<Affine>], write: &[Option<Affine>]) -> bool {
    let number = |form: &Option<Affine>| form.as_ref().and_then(Affine::as_constant);
    read.iter().zip(write).any(|(a, b)| number(a).zip(number(b)).is_some_and(|(a, b)| a != b))
}

/// Whether the two have no point in common because a form is one number in the one and another in the other: elements at
/// different constants, most often.
fn are_elsewhere(piece: &Set, other: &Set) -> bool {
    other.constraints().iter().any(|constraint| {
        let Constraint::Zero(form) = constraint else { return false };
        piece.constraints().iter().any(|known| {
            let Constraint::Zero(known) = known else { return false };
            known.terms() == form.terms() && known.constant() != form.constant()
        })
    })
}

/// Whether one constraint is another one or a tighter bound of the same form.
fn says(known: &Constraint, constraint: &Constraint) -> bool {
    let (a, b) = (known.form(), constraint.form());
    match (known, constraint) {
        (Constraint::Zero(_), Constraint::Zero(_)) => a == b,
        (Constraint::NonNegative(_), Constraint::NonNegative(_)) => {
            a.constant() <= b.constant() && a.terms() == b.terms()
        }
        _ => false,
    }
}

/// Adds the parts of `piece`, which is not empty, outside `other`: for each constraint of `other`, where it fails and those before it hold.
fn subtract(piece: Set, other: &Set, parts: &mut Vec<Set>) {
    let mut inside = piece;
    for constraint in other.constraints() {
        // what holds in all of it fails nowhere
        if inside.constraints().iter().any(|known| says(known, constraint)) {
            continue;
        }
        let below = constraint.form().scale(-1).and_then(|form| form.offset(-1));
        let above = constraint.form().clone().offset(-1);
        let fails = match constraint {
            Constraint::NonNegative(_) => vec![below.map(Constraint::NonNegative)],
            Constraint::Zero(_) => [below, above].map(|form| form.map(Constraint::NonNegative)).into(),
            Constraint::NonZero(form) => vec![Some(Constraint::Zero(form.clone()))],
        };
        for failure in fails {
            // what cannot be formed leaves the part larger
            let empty = failure.as_ref().map_or(Answer::No, |failure| inside.is_emptied_by(failure));
            if !empty.is_yes() {
                let mut part = inside.clone();
                part.add(failure);
                parts.push(part);
            }
        }
        if inside.is_emptied_by(constraint).is_yes() {
            return;
        }
        inside.add(constraint.clone());
    }
}
