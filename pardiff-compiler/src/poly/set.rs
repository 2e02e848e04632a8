//! Integer sets: conjunctions of affine constraints, and whether they have a point.
//!
//! Every answer is about *integer* points for *some* values of the symbols. A set is emptied by exact equality
//! elimination and Fourier-Motzkin with integer tightening (see [`super::solver`]); what does not fit into `i128`
//! or grows past the limit is `Unknown`.

use super::affine::{Affine, Sym};
use super::memo;
use super::solver::System;
use crate::steps;

/// The answer to a question about a program; whoever asks must treat `Unknown` as the worse of the others.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Answer {
    /// Proved.
    Yes,
    /// The opposite is proved.
    No,
    /// Neither.
    Unknown,
}

impl Answer {
    /// Whether it is proved that the answer is no.
    pub fn is_no(self) -> bool {
        self == Answer::No
    }

    /// Whether it is proved that the answer is yes.
    pub fn is_yes(self) -> bool {
        self == Answer::Yes
    }

    /// The answer to "one of the two".
    pub fn or(self, other: Answer) -> Answer {
        match (self, other) {
            (Answer::Yes, _) | (_, Answer::Yes) => Answer::Yes,
            (Answer::No, Answer::No) => Answer::No,
            _ => Answer::Unknown,
        }
    }

    /// The answer to the opposite question.
    #[allow(clippy::should_implement_trait, reason = "three-valued: not an involution on bool")]
    pub fn not(self) -> Answer {
        match self {
            Answer::Yes => Answer::No,
            Answer::No => Answer::Yes,
            Answer::Unknown => Answer::Unknown,
        }
    }
}

/// A condition on the symbols.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Constraint {
    /// The form is zero.
    Zero(Affine),
    /// The form is not negative.
    NonNegative(Affine),
    /// The form is not zero. A set with such constraints is a union of sets without, see [`Set::is_empty`]; its bounds are
    /// those without them, which are wider, and it has no projection.
    NonZero(Affine),
}

impl Constraint {
    /// `lhs <= rhs`; `None` if the difference does not fit.
    pub fn le(lhs: &Affine, rhs: &Affine) -> Option<Constraint> {
        Some(Constraint::NonNegative(rhs.sub(lhs)?))
    }

    /// `lhs < rhs`
    pub fn lt(lhs: &Affine, rhs: &Affine) -> Option<Constraint> {
        Some(Constraint::NonNegative(rhs.sub(lhs)?.offset(-1)?))
    }

    /// `lhs == rhs`
    pub fn eq(lhs: &Affine, rhs: &Affine) -> Option<Constraint> {
        Some(Constraint::Zero(rhs.sub(lhs)?))
    }

    /// `lhs != rhs`
    pub fn ne(lhs: &Affine, rhs: &Affine) -> Option<Constraint> {
        Some(Constraint::NonZero(rhs.sub(lhs)?))
    }

    /// The form that is zero, not negative or not zero.
    pub fn form(&self) -> &Affine {
        match self {
            Constraint::Zero(form) | Constraint::NonNegative(form) | Constraint::NonZero(form) => form,
        }
    }

    /// The same condition on other symbols.
    pub fn rename(&self, rename: &dyn Fn(Sym) -> Sym) -> Constraint {
        match self {
            Constraint::Zero(form) => Constraint::Zero(form.rename(rename)),
            Constraint::NonNegative(form) => Constraint::NonNegative(form.rename(rename)),
            Constraint::NonZero(form) => Constraint::NonZero(form.rename(rename)),
        }
    }
}

/// The points that satisfy all constraints.
#[derive(Clone, Default, Debug)]
pub struct Set {
    constraints: Vec<Constraint>,
}

impl Set {
    /// All points.
    pub fn all() -> Set {
        Set::default()
    }

    /// Adds a constraint; `None` (one that could not be formed) leaves the set as it is, that is, larger.
    pub fn add(&mut self, constraint: impl Into<Option<Constraint>>) {
        if let Some(constraint) = constraint.into() {
            self.constraints.push(constraint);
        }
    }

    /// The constraints.
    pub fn constraints(&self) -> &[Constraint] {
        &self.constraints
    }

    /// Every symbol that occurs, each once, in order: they are few, and most terms repeat one.
    pub fn symbols(&self) -> Vec<Sym> {
        let mut symbols: Vec<Sym> = Vec::new();
        for constraint in &self.constraints {
            for &(sym, _) in constraint.form().terms() {
                if sym.position_in(&symbols).is_none() {
                    let mut at = symbols.len();
                    while at > 0 && symbols[at - 1] > sym {
                        at -= 1;
                    }
                    symbols.insert(at, sym);
                }
            }
        }
        symbols
    }

    /// Whether there is no integer point. What is not zero is above or below, and both are asked.
    pub fn is_empty(&self) -> Answer {
        memo::emptiness(&self.borrowed())
    }

    /// Whether no integer point of a set that is not empty satisfies one more constraint: what has nothing to do with
    /// the constraint is not asked.
    pub fn is_emptied_by(&self, more: &Constraint) -> Answer {
        let symbols = more.form().terms().iter().map(|&(sym, _)| sym).collect();
        let mut constraints = connected(&self.borrowed(), symbols);
        constraints.push(more);
        memo::emptiness(&constraints)
    }

    fn borrowed(&self) -> Vec<&Constraint> {
        let mut all = Vec::with_capacity(self.constraints.len() + 1);
        for constraint in &self.constraints {
            all.push(constraint);
        }
        all
    }

    /// The least and the greatest value of `form` that are proved; an empty set may give any bounds.
    pub fn bounds(&self, form: &Affine) -> (Option<i128>, Option<i128>) {
        let value = Sym::auxiliary(63);
        let Some(definition) = Constraint::eq(&Affine::symbol(value), form) else { return (None, None) };
        let mut set = self.clone();
        set.add(definition);
        let symbols = set.symbols();
        let system = System::new(&symbols, &set.constraints);
        let column = symbols.binary_search(&value).ok();
        system.zip(column).map_or((None, None), |(system, column)| system.bounds(column))
    }

    /// The points without the symbols in `drop`, each of which has an integer value that completes it; `None` where
    /// that is not another set of this kind.
    pub fn eliminate(&self, drop: &[Sym]) -> Option<Set> {
        if self.constraints.iter().any(|it| matches!(it, Constraint::NonZero(_))) {
            return None;
        }
        let symbols = self.symbols();
        let columns: Vec<usize> = drop.iter().filter_map(|sym| symbols.binary_search(sym).ok()).collect();
        let system = System::new(&symbols, &self.constraints)?;
        Some(match system.project(&columns)? {
            None => Set { constraints: vec![Constraint::NonNegative(Affine::number(-1))] },
            Some(rest) => Set { constraints: rest.constraints(&symbols)? },
        })
    }
}

/// Those constraints that are connected to some symbols through common ones: the others could only say that there is no
/// point at all.
pub(super) fn connected<'c>(all: &[&'c Constraint], mut reached: Vec<Sym>) -> Vec<&'c Constraint> {
    let mut found = Vec::with_capacity(all.len() + 1);
    let mut is_found = vec![false; all.len()];
    let is_found: &mut [bool] = &mut is_found;
    loop {
        let before = found.len();
        steps::count(all.len());
        let mut at = 0;
        while at < all.len() {
            let terms = all[at].form().terms();
            if !is_found[at] && mention(terms, &reached) {
                for &(sym, _) in terms {
                    if sym.position_in(&reached).is_none() {
                        reached.push(sym);
                    }
                }
                is_found[at] = true;
                found.push(all[at]);
            }
            at += 1;
        }
        if found.len() == before {
            return found;
        }
    }
}

/// Whether one of the symbols is among the terms.
fn mention(terms: &[(Sym, i128)], symbols: &[Sym]) -> bool {
    let mut at = 0;
    while at < terms.len() && terms[at].0.position_in(symbols).is_none() {
        at += 1;
    }
    at < terms.len()
}
