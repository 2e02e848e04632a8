//! Points: what is known at a place of the program, and at those around it.

use super::access::PointId;
use super::affine::{Affine, Sym};
use super::analysis::Analysis;
use super::postconditions::ForAll;
use super::set::{Constraint, Set};
use crate::steps;

/// What is known at a place: the constraints of the place around it and more.
#[derive(Debug)]
pub(super) struct Point {
    pub(super) parent: Option<PointId>,
    /// What selects the iterations that reach the place: bounds of loops, conditions.
    pub(super) constraints: Vec<Constraint>,
    /// What else holds there: checks that were passed, definitions of symbols.
    pub(super) facts: Vec<Constraint>,
    /// Ring forms of type `usize` whose values are proved not to wrap.
    pub(super) in_range: Vec<Affine>,
    /// What loops that have ended prove of all their iterations.
    pub(super) for_all: Vec<ForAll>,
    /// Whether the constraints say exactly when the place is reached, given that its parent is.
    pub(super) exact: bool,
}

impl Analysis<'_> {
    /// Adds what is known where a point is; whether that is all that is to know.
    pub(super) fn add_point(&self, set: &mut Set, point: PointId) -> bool {
        let mut exact = true;
        for id in self.around(point) {
            let point = &self.points[id.0 as usize];
            for constraint in point.constraints.iter().chain(&point.facts) {
                set.add(constraint.clone());
            }
            exact &= point.exact;
        }
        exact
    }

    /// The same for symbols renamed by `rename`, beside what is known of another point: around both, what is not renamed is
    /// said already.
    pub(super) fn add_other_point(
        &self,
        set: &mut Set,
        point: PointId,
        beside: PointId,
        rename: &dyn Fn(Sym) -> Sym,
    ) -> bool {
        let said: Vec<PointId> = self.around(beside).collect();
        let mut exact = true;
        for id in self.around(point) {
            let point = &self.points[id.0 as usize];
            let is_said = said.contains(&id);
            for constraint in point.constraints.iter().chain(&point.facts) {
                let is_renamed = |&(sym, _): &(Sym, i128)| rename(sym) != sym;
                if !is_said || constraint.form().terms().iter().any(is_renamed) {
                    set.add(constraint.rename(rename));
                }
            }
            exact &= point.exact;
        }
        exact
    }

    /// A point and those around it.
    pub(super) fn around(&self, point: PointId) -> impl Iterator<Item = PointId> {
        std::iter::successors(Some(point), |&id| {
            steps::count(1);
            self.points[id.0 as usize].parent
        })
    }

    pub(super) fn point_in(&mut self, parent: PointId, constraints: Vec<Constraint>, exact: bool) -> PointId {
        if constraints.is_empty() && exact {
            return parent;
        }
        self.push_point(Point {
            parent: Some(parent),
            constraints,
            facts: Vec::new(),
            in_range: Vec::new(),
            for_all: Vec::new(),
            exact,
        })
    }

    /// Adds to what is known at a point; most of it is said again each time that an expression is looked at.
    pub(super) fn learn(&mut self, point: PointId, facts: impl IntoIterator<Item = Constraint>) {
        for fact in facts {
            if !self.points[point.0 as usize].facts.contains(&fact) {
                self.state(&fact, point);
                self.points[point.0 as usize].facts.push(fact);
                self.implied.get_mut().clear();
            }
        }
    }

    pub(super) fn push_point(&mut self, point: Point) -> PointId {
        let id = PointId(self.points.len() as u32);
        point.constraints.iter().chain(&point.facts).for_each(|known| self.state(known, id));
        for form in &point.in_range {
            self.in_range.entry(form.clone()).or_default().push(id);
        }
        self.ways_up.push(self.way_up(point.parent.unwrap_or(id)));
        self.points.push(point);
        id
    }

    fn state(&mut self, known: &Constraint, point: PointId) {
        if let Constraint::NonNegative(form) = known {
            self.stated.entry(form.terms().to_vec()).or_default().push((point, form.constant()));
        }
    }

    /// Of a new point in this one: how many are around it, and one of them, so far away that every point is few such ways
    /// away (Myers, *An applicative random-access stack*).
    fn way_up(&self, parent: PointId) -> (u32, PointId) {
        let way = |point: PointId| self.ways_up[point.0 as usize];
        let (depth, first) = way(parent);
        let (after_first, second) = way(first);
        let (after_second, _) = way(second);
        let is_even = depth - after_first == after_first - after_second;
        (depth + 1, if is_even { second } else { parent })
    }

    /// Whether what is known at a point is known at another one.
    pub(super) fn is_known_at(&self, outer: PointId, inner: PointId) -> bool {
        let depth = |point: PointId| self.ways_up[point.0 as usize].0;
        let mut at = inner;
        while depth(at) > depth(outer) {
            steps::count(1);
            let (_, far) = self.ways_up[at.0 as usize];
            let parent = self.points[at.0 as usize].parent.unwrap_or(PointId(0));
            at = if depth(far) >= depth(outer) { far } else { parent };
        }
        at == outer
    }
}
