//! Integer emptiness of small systems: the arithmetic under [`super::set`].
//!
//! Equalities are eliminated exactly (Pugh's unimodular substitution where no coefficient is one). Inequalities are
//! eliminated by Fourier-Motzkin; each new row is divided by the gcd of its coefficients and its constant rounded
//! down. A contradiction proves emptiness. No contradiction proves a point only if every step was exact (a
//! coefficient of one on one side) or if the *dark shadow*, which under-approximates, has a point.

use super::affine::{Affine, Sym};
use super::set::{Answer, Constraint};
use crate::limits::{SOLVER_NUMBER, SOLVER_ROWS, SOLVER_SUBSTITUTIONS};

/// Coefficients of the variables, then the constant.
pub(super) type Row = Vec<i128>;

/// A system over numbered variables.
#[derive(Clone, PartialEq)]
pub(super) struct System {
    variables: usize,
    zero: Vec<Row>,
    non_negative: Vec<Row>,
}

/// How inequalities bound a variable.
#[derive(Clone, Copy, Default)]
struct Column {
    /// How many do from below, and from above.
    low: i64,
    high: i64,
    /// Whether one of them has a coefficient other than one.
    wide_low: bool,
    wide_high: bool,
}

impl Column {
    /// Whether eliminating the variable is inexact, and how many rows it adds; `None` if no inequality names it.
    fn cost(&self) -> Option<(bool, i64)> {
        let Column { low, high, wide_low, wide_high } = *self;
        (low + high > 0).then_some((wide_low && wide_high, low * high - low - high))
    }
}

/// Why a step stopped.
enum Stop {
    /// A contradiction.
    Empty,
    /// Too large.
    Unknown,
}

type Step<T = ()> = Result<T, Stop>;

/// What is eliminated when a coefficient is not one.
#[derive(Clone, Copy, PartialEq)]
enum Shadow {
    /// A superset of the projection.
    Real,
    /// A subset of the projection.
    Dark,
}

impl System {
    /// The constraints over `symbols`, without those that say that a form is not zero; `None` if a symbol is missing or a number is too large.
    pub(super) fn new<'a>(
        symbols: &[Sym],
        constraints: impl IntoIterator<Item = &'a Constraint>,
    ) -> Option<System> {
        let variables = symbols.len();
        let mut system = System { variables, zero: Vec::new(), non_negative: Vec::new() };
        for constraint in constraints {
            let form = constraint.form();
            let mut row = vec![0; variables + 1];
            let of: &mut [i128] = &mut row;
            for &(sym, coefficient) in form.terms() {
                of[sym.position_in(symbols)?] = fits(coefficient)?;
            }
            of[variables] = fits(form.constant())?;
            match constraint {
                Constraint::Zero(_) => system.zero.push(row),
                Constraint::NonNegative(_) => system.non_negative.push(row),
                Constraint::NonZero(_) => {}
            }
        }
        Some(system)
    }

    /// Whether there is no integer point.
    pub(super) fn emptiness(mut self) -> Answer {
        match self.solve_equalities(None) {
            Err(Stop::Empty) => return Answer::Yes,
            Err(Stop::Unknown) => return Answer::Unknown,
            Ok(()) => {}
        }
        match self.clone().eliminate_all(Shadow::Real, None) {
            Err(Stop::Empty) => Answer::Yes,
            Err(Stop::Unknown) => Answer::Unknown,
            Ok((_, true)) => Answer::No,
            Ok((_, false)) => match self.eliminate_all(Shadow::Dark, None) {
                Ok(_) => Answer::No,
                Err(_) => Answer::Unknown,
            },
        }
    }

    /// Proved lower and upper bound of one variable.
    pub(super) fn bounds(mut self, variable: usize) -> (Option<i128>, Option<i128>) {
        if self.solve_equalities(Some(variable)).is_err() {
            return (None, None);
        }
        let Ok((rest, _)) = self.eliminate_all(Shadow::Real, Some(variable)) else { return (None, None) };
        let (mut low, mut high) = (None, None);
        let last = rest.variables;
        for row in &rest.non_negative {
            // after normalisation the coefficient of a lone variable is one
            match row[variable] {
                1 if alone(row, variable) => low = low.max(Some(-row[last])),
                -1 if alone(row, variable) => {
                    high = Some(high.map_or(row[last], |bound: i128| bound.min(row[last])));
                }
                _ => {}
            }
        }
        (low, high)
    }

    /// Without the variables `drop`, exactly; the outer `None` where that is not possible, the inner one where
    /// nothing is left.
    pub(super) fn project(mut self, drop: &[usize]) -> Option<Option<System>> {
        let mut left = drop.to_vec();
        loop {
            match self.normalise() {
                Err(Stop::Empty) => return Some(None),
                Err(Stop::Unknown) => return None,
                Ok(()) => {}
            }
            left.retain(|&v| self.zero.iter().chain(&self.non_negative).any(|row| row[v] != 0));
            // an equality that gives the variable, or else the cheapest exact elimination
            let given = left.iter().find_map(|&v| {
                let at = self.zero.iter().position(|row| row[v].abs() == 1)?;
                Some((v, at))
            });
            if let Some((v, at)) = given {
                let row = self.zero.swap_remove(at);
                let sign = -row[v];
                let value: Row = (0..row.len()).map(|u| if u == v { 0 } else { row[u] * sign }).collect();
                for row in self.zero.iter_mut().chain(&mut self.non_negative) {
                    substitute(row, v, &value)?;
                }
                continue;
            }
            let free = |&&v: &&usize| self.zero.iter().all(|row| row[v] == 0);
            let columns = self.columns();
            let Some(&v) = left.iter().filter(free).min_by_key(|&&v| columns[v].cost()) else {
                return left.is_empty().then_some(Some(self));
            };
            match self.eliminate(v, Shadow::Real) {
                Err(Stop::Empty) => return Some(None),
                Ok(true) => {}
                _ => return None,
            }
        }
    }

    /// The rows as constraints.
    pub(super) fn constraints(&self, symbols: &[Sym]) -> Option<Vec<Constraint>> {
        let form = |row: &Row| {
            let mut form = Affine::number(row[self.variables]);
            for (&sym, &coefficient) in symbols.iter().zip(row) {
                form = form.add(&Affine::symbol(sym).scale(coefficient)?)?;
            }
            Some(form)
        };
        let zero = self.zero.iter().map(|row| form(row).map(Constraint::Zero));
        zero.chain(self.non_negative.iter().map(|row| form(row).map(Constraint::NonNegative))).collect()
    }

    /// Removes equalities by substitution; one that names `keep` without a unit to solve for is turned into two
    /// inequalities, which is a superset.
    fn solve_equalities(&mut self, keep: Option<usize>) -> Step {
        for _ in 0..SOLVER_SUBSTITUTIONS {
            self.normalise_equalities()?;
            let last = self.variables;
            let pick = |row: &Row| {
                let candidates = (0..last).filter(|&v| row[v] != 0 && Some(v) != keep);
                let best = candidates.min_by_key(|&v| row[v].unsigned_abs()).map(|v| (v, row[v]));
                best.filter(|&(_, a)| a.abs() == 1 || keep.is_none_or(|keep| row[keep] == 0))
            };
            let best =
                self.zero.iter().enumerate().filter_map(|(at, row)| pick(row).map(|(v, a)| (at, v, a)));
            let Some((at, v, a)) = best.min_by_key(|&(_, _, a)| a.unsigned_abs()) else {
                for row in std::mem::take(&mut self.zero) {
                    self.non_negative.push(negated(&row));
                    self.non_negative.push(row);
                }
                return Ok(());
            };
            let row = self.zero[at].clone();
            // value[v] is the coefficient of the variable that takes the place of v
            let value: Row = if a.abs() == 1 {
                self.zero.swap_remove(at);
                (0..=last)
                    .map(|u| if u == v { Some(0) } else { row[u].checked_mul(-a) })
                    .collect::<Option<_>>()
            } else {
                let modulus = a.abs().checked_add(1).ok_or(Stop::Unknown)?;
                let sign = a.signum();
                let residue = |u: usize| {
                    if u == v {
                        modulus.checked_mul(-sign)
                    } else {
                        Some(sign * symmetric_residue(row[u], modulus)?)
                    }
                };
                (0..=last).map(residue).collect::<Option<_>>()
            }
            .ok_or(Stop::Unknown)?;
            for row in self.zero.iter_mut().chain(&mut self.non_negative) {
                substitute(row, v, &value).ok_or(Stop::Unknown)?;
            }
        }
        Err(Stop::Unknown)
    }

    /// Eliminates every variable but `keep`; says whether every step was exact.
    fn eliminate_all(mut self, shadow: Shadow, keep: Option<usize>) -> Step<(System, bool)> {
        let mut exact = true;
        self.normalise()?;
        loop {
            let columns = self.drop_unbounded(keep);
            let Some(v) = System::cheapest(&columns, keep) else { return Ok((self, exact)) };
            exact &= self.eliminate(v, shadow)?;
        }
    }

    /// Drops rows that bound a variable from one side only: they do not constrain the others. Gives the columns of the
    /// rows that stay.
    fn drop_unbounded(&mut self, keep: Option<usize>) -> Vec<Column> {
        loop {
            let columns = self.columns();
            let mut loose: Vec<usize> = Vec::new();
            for (v, column) in columns.iter().enumerate() {
                if Some(v) != keep && (column.low > 0) != (column.high > 0) {
                    loose.push(v);
                }
            }
            if loose.is_empty() {
                return columns;
            }
            self.non_negative.retain(|row| !names_any(row, &loose));
        }
    }

    /// How the inequalities bound each variable.
    fn columns(&self) -> Vec<Column> {
        let mut columns = vec![Column::default(); self.variables];
        let of: &mut [Column] = &mut columns;
        for row in &self.non_negative {
            let row: &[i128] = row;
            let mut v = 0;
            while v < of.len() {
                let a = row[v];
                if a > 0 {
                    of[v].low += 1;
                    of[v].wide_low |= a > 1;
                } else if a < 0 {
                    of[v].high += 1;
                    of[v].wide_high |= a < -1;
                }
                v += 1;
            }
        }
        columns
    }

    /// The variable whose elimination is exact, if there is one, and makes the fewest rows.
    fn cheapest(columns: &[Column], keep: Option<usize>) -> Option<usize> {
        let used = columns.iter().enumerate().filter(|&(v, _)| Some(v) != keep);
        used.filter_map(|(v, column)| column.cost().map(|cost| (cost, v))).min().map(|(_, v)| v)
    }

    /// Combines every lower bound of `v` with every upper one.
    fn eliminate(&mut self, v: usize, shadow: Shadow) -> Step<bool> {
        let rows = std::mem::take(&mut self.non_negative);
        let (bounding, mut rest): (Vec<Row>, Vec<Row>) = rows.into_iter().partition(|row| row[v] != 0);
        let (low, high): (Vec<Row>, Vec<Row>) = bounding.into_iter().partition(|row| row[v] > 0);
        let mut exact = true;
        for lower in &low {
            for upper in &high {
                let (a, b) = (lower[v], -upper[v]);
                let inexact = a > 1 && b > 1;
                exact &= !inexact;
                let mut row = combine(lower, b, upper, a).ok_or(Stop::Unknown)?;
                if inexact && shadow == Shadow::Dark {
                    let margin = (a - 1).checked_mul(b - 1).ok_or(Stop::Unknown)?;
                    row[self.variables] = row[self.variables].checked_sub(margin).ok_or(Stop::Unknown)?;
                }
                if tighten(&mut row)? {
                    insert(&mut rest, row)?;
                }
            }
        }
        self.non_negative = rest;
        if self.non_negative.len() > SOLVER_ROWS && low.len() * high.len() > low.len() + high.len() {
            return Err(Stop::Unknown);
        }
        Ok(exact)
    }

    /// Divides by common factors, drops what always holds, keeps the tightest of parallel rows, and finds the
    /// contradictions that show at once.
    fn normalise(&mut self) -> Step {
        self.normalise_equalities()?;
        let rows = std::mem::take(&mut self.non_negative);
        let mut kept = Vec::with_capacity(rows.len());
        for mut row in rows {
            if tighten(&mut row)? {
                insert(&mut kept, row)?;
            }
        }
        self.non_negative = kept;
        Ok(())
    }

    /// The same of equalities alone. Between substitutions nothing else needs it: rounding constants down and keeping the
    /// least of them gives the same before and after integers are put in for variables.
    fn normalise_equalities(&mut self) -> Step {
        let last = self.variables;
        let mut zero = Vec::with_capacity(self.zero.len());
        for mut row in std::mem::take(&mut self.zero) {
            let divisor = gcd_of(&row[..last]);
            if divisor == 0 {
                if row[last] != 0 {
                    return Err(Stop::Empty);
                }
                continue;
            }
            if divisor != 1 && row[last] % divisor != 0 {
                return Err(Stop::Empty);
            }
            if divisor != 1 {
                row.iter_mut().for_each(|a| *a /= divisor);
            }
            zero.push(row);
        }
        self.zero = zero;
        Ok(())
    }
}

/// Divides an inequality by the gcd of its coefficients, rounding the constant down; false if it always holds.
fn tighten(row: &mut Row) -> Step<bool> {
    let last = row.len() - 1;
    let divisor = gcd_of(&row[..last]);
    match divisor {
        0 if row[last] < 0 => return Err(Stop::Empty),
        0 => return Ok(false),
        1 => return Ok(true),
        _ => {}
    }
    row[..last].iter_mut().for_each(|a| *a /= divisor);
    row[last] = row[last].div_euclid(divisor);
    Ok(true)
}

/// Adds a row, or tightens the one with the same coefficients; stops where the one with opposite coefficients
/// contradicts it. Plain loops over slices: this is the innermost code of the analysis, and users run it unoptimised.
fn insert(rows: &mut Vec<Row>, row: Row) -> Step {
    let new: &[i128] = &row;
    let last = new.len() - 1;
    let mut lead = 0;
    while lead < last && new[lead] == 0 {
        lead += 1;
    }
    let others: &mut [Row] = rows;
    let mut same = None;
    let mut at = 0;
    while at < others.len() {
        let other: &[i128] = &others[at];
        if other[lead] == new[lead] && other[..last] == new[..last] {
            same = Some(at);
        } else if other[lead] == -new[lead]
            && are_opposite(&other[..last], &new[..last])
            && new[last].checked_add(other[last]).ok_or(Stop::Unknown)? < 0
        {
            return Err(Stop::Empty);
        }
        at += 1;
    }
    match same {
        Some(at) => others[at][last] = others[at][last].min(new[last]),
        None => rows.push(row),
    }
    Ok(())
}

fn are_opposite(a: &[i128], b: &[i128]) -> bool {
    let mut k = 0;
    while k < a.len() && a[k] == -b[k] {
        k += 1;
    }
    k == a.len()
}

/// Replaces variable `v` by `value` (in which the coefficient of `v` is that of its successor).
fn substitute(row: &mut [i128], v: usize, value: &[i128]) -> Option<()> {
    let factor = std::mem::take(&mut row[v]);
    let mut k = 0;
    while factor != 0 && k < row.len() {
        if value[k] != 0 {
            row[k] = fits(row[k].checked_add(factor.checked_mul(value[k])?)?)?;
        }
        k += 1;
    }
    Some(())
}

/// `x * a + y * b`
fn combine(x: &[i128], a: i128, y: &[i128], b: i128) -> Option<Row> {
    let mut sum = x.to_vec();
    let row: &mut [i128] = &mut sum;
    let mut k = 0;
    while k < row.len() {
        if x[k] != 0 || y[k] != 0 {
            row[k] = fits(x[k].checked_mul(a)?.checked_add(y[k].checked_mul(b)?)?)?;
        }
        k += 1;
    }
    Some(sum)
}

fn negated(row: &[i128]) -> Row {
    row.iter().map(|a| -a).collect()
}

fn fits(number: i128) -> Option<i128> {
    (number.unsigned_abs() <= SOLVER_NUMBER).then_some(number)
}

fn names_any(row: &[i128], variables: &[usize]) -> bool {
    let mut k = 0;
    while k < variables.len() && row[variables[k]] == 0 {
        k += 1;
    }
    k < variables.len()
}

/// Whether the row names no other variable.
fn alone(row: &Row, variable: usize) -> bool {
    row[..row.len() - 1].iter().enumerate().all(|(v, &a)| v == variable || a == 0)
}

/// The residue of `a` that is closest to zero.
fn symmetric_residue(a: i128, modulus: i128) -> Option<i128> {
    let residue = a.rem_euclid(modulus);
    Some(if residue.checked_mul(2)? >= modulus { residue - modulus } else { residue })
}

fn gcd_of(row: &[i128]) -> i128 {
    let mut divisor: u128 = 0;
    let mut k = 0;
    while k < row.len() {
        if row[k] != 0 {
            divisor = gcd(divisor, row[k].unsigned_abs());
            if divisor == 1 {
                return 1;
            }
        }
        k += 1;
    }
    i128::try_from(divisor).unwrap_or(1)
}

fn gcd(mut a: u128, mut b: u128) -> u128 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}
