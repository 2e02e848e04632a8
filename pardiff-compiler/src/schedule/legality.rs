//! On what a parallel loop rests: proofs, and where these do not reach, facts that are checked when the program runs.
//!
//! A check is one pass over the bounds or indices that the loop uses. Rows that do not overlap are checked wherever that
//! gives more arrays to single iterations: a comparison a row. Whether values repeat is checked only where the loop would
//! not be parallel otherwise and an iteration has clearly more work than the check of its value; and when the program
//! runs, only where the whole loop has work for tasks and more work than there are values.
//!
//! Rows that an array names by number may well be named twice (materials of particles), and then a check of them leaves
//! the loop in order. So where such a loop is parallel by copies as well, it is checked only if that saves at least half
//! of what is copied, and only when the program runs with copies that are dear beside the work:
//!
//! ```text
//! for i in 0..n                                  if copies of `d` are little beside the work
//!   for k in start[m[i]]..start[m[i] + 1]   =>     chunks with copies of `d`
//!     d[k] += e                                  else
//!                                                  chunks if the rows are apart, else in order
//! ```

use super::Options;
use super::cost::{self, Costs, saturating_mul};
use super::parallel::{Meetings, meets};
use super::remarks::{Obstacle, Why};
use super::summation::{self, Summation, copied_by};
use crate::ir::{BinOp, Expr, For, Func, Program, Ty};
use crate::limits::{CHECK_OF_A_VALUE, SAVED_BY_NAMED_ROWS};
use crate::poly::{Analysis, Fact};

/// How the iterations of a parallel loop meet, how that is dealt with, and which facts it rests on.
#[derive(Clone)]
pub(super) struct Way {
    pub(super) meetings: Meetings,
    pub(super) sums: Vec<Summation>,
    pub(super) facts: Vec<Fact>,
    /// The way that rests on no facts, where these may well not hold.
    pub(super) copying: Option<Box<Way>>,
}

/// The best way to run a loop in parallel, if there is one.
pub(super) fn find(
    analysis: &Analysis<'_>,
    each: &For,
    options: &Options,
    iteration: &Expr,
) -> Result<Way, Why> {
    Search { analysis, each, options, iteration }.best().map_err(|obstacle| obstacle.why(analysis, each))
}

/// The way with checks, with the one without them beside it where rows may be named twice; or that one alone.
fn beside(proved: Result<Way, Obstacle>, checked: Result<Way, Obstacle>) -> Result<Way, Obstacle> {
    let (Ok(proved), Ok(mut checked)) = (proved, checked.clone()) else { return checked };
    if !checked.facts.iter().any(Fact::is_of_named_rows) {
        return Ok(checked);
    }
    let copied = |way: &Way| cost::nominal(&copied_by(&way.sums));
    if copied(&checked) > (1.0 - SAVED_BY_NAMED_ROWS) * copied(&proved) {
        return Ok(proved);
    }
    checked.copying = Some(Box::new(proved));
    Ok(checked)
}

/// Whether a loop is parallel for all that is known, or where a check holds, whatever it costs.
pub(crate) fn is_parallel(analysis: &Analysis<'_>, each: &For, options: &Options) -> Result<(), Why> {
    meets(analysis, each, options, &[]).map(|_| ()).or_else(|obstacle| {
        let holds = |facts: &[Fact]| !facts.is_empty() && meets(analysis, each, options, facts).is_ok();
        if !obstacle.is_of_statements() && holds(&analysis.facts_of(each.iter)) {
            return Ok(());
        }
        Err(obstacle.why(analysis, each))
    })
}

/// Whether a loop is parallel without a check.
pub(crate) fn is_proved_parallel(analysis: &Analysis<'_>, each: &For, options: &Options) -> bool {
    meets(analysis, each, options, &[]).is_ok()
}

fn least_one(size: Expr) -> Expr {
    Expr::call(Ty::USIZE, Func::IntMax, vec![size, Expr::usize(1)])
}

struct Search<'a, 'p> {
    analysis: &'a Analysis<'p>,
    each: &'a For,
    options: &'a Options,
    iteration: &'a Expr,
}

impl Search<'_, '_> {
    fn best(&self) -> Result<Way, Obstacle> {
        let proved = self.way(Vec::new());
        let settled = match &proved {
            Ok(way) => way.sums.iter().all(|sum| !sum.means.is_copied()),
            Err(obstacle) => obstacle.is_of_statements(),
        };
        if settled {
            return proved;
        }
        let facts = self.analysis.facts_of(self.each.iter);
        let (distinct, rows): (Vec<Fact>, Vec<Fact>) = facts.into_iter().partition(Fact::is_distinct);
        let best = beside(proved.clone(), self.better(proved, rows.clone()));
        let distinct: Vec<Fact> = distinct.into_iter().filter(|fact| self.is_worth_a_check(fact)).collect();
        if best.is_ok() || distinct.is_empty() {
            return best;
        }
        self.better(best, distinct.into_iter().chain(rows).collect())
    }

    fn way(&self, facts: Vec<Fact>) -> Result<Way, Obstacle> {
        let meetings = meets(self.analysis, self.each, self.options, &facts)?;
        let costs = &self.options.costs;
        let sums = summation::schemes(self.analysis, self.each, &meetings.shared, self.iteration, costs)?;
        Ok(Way { meetings, sums, facts, copying: None })
    }

    /// The way with these facts, without those that it does not need, if it is better than the one without any.
    fn better(&self, without: Result<Way, Obstacle>, facts: Vec<Fact>) -> Result<Way, Obstacle> {
        if facts.is_empty() {
            return without;
        }
        let Ok(mut found) = self.way(facts) else { return without };
        if without.as_ref().is_ok_and(|without| without.owned() >= found.owned()) {
            return without;
        }
        for at in (0..found.facts.len()).rev() {
            let mut fewer = found.facts.clone();
            // a sum that has copies otherwise is worth a check of rows, but not one of values
            let is_distinct = fewer.remove(at).is_distinct();
            match self.way(fewer) {
                Ok(way) if is_distinct || way.owned() == found.owned() => found = way,
                _ => {}
            }
        }
        Ok(found)
    }

    fn is_worth_a_check(&self, fact: &Fact) -> bool {
        let Fact::Distinct(distinct) = fact else { return true };
        let check = (CHECK_OF_A_VALUE + cost::evaluation(&distinct.value)) as f64;
        cost::nominal_work(&self.each.body) >= self.options.costs.worth_a_check * check
    }
}

impl Way {
    fn owned(&self) -> usize {
        self.meetings.owned.len()
    }

    /// When the checks pay, as a condition in front of the loop.
    pub(super) fn pays(&self, each: &For, iteration: &Expr, costs: &Costs) -> Expr {
        let work = saturating_mul(cost::trip_count(each), iteration.clone());
        let mut pays = Expr::usize(costs.worth_a_task).at_most(work.clone());
        let mut values = Vec::new();
        for fact in &self.facts {
            if let Fact::Distinct(distinct) = fact
                && let Some(scale) = distinct.scales.first()
            {
                // clearing one mark for each value
                let stride = scale.stride.clone();
                let marks = Expr::binary(BinOp::Div, scale.len.clone(), least_one(stride));
                values.push(marks);
            }
        }
        if values.is_empty() {
            return Expr::bool(true);
        }
        for marks in values {
            pays = Expr::binary(BinOp::BitAnd, pays, marks.at_most(work.clone()));
        }
        pays
    }

    /// The facts in words, as they stand behind "checks that".
    pub(super) fn relies(&self, program: &Program) -> String {
        let words = |fact: &Fact| {
            let names: Vec<String> =
                fact.arrays().into_iter().map(|array| format!("`{}`", program[array].name)).collect();
            let names = names.join(" and ");
            match fact {
                Fact::Rows(_) => format!("rows by {names} do not overlap"),
                Fact::Distinct(_) => format!("no value of {names} comes twice"),
                Fact::Fits(_) => "no index wraps".to_owned(),
            }
        };
        let mut all: Vec<String> = self.facts.iter().map(words).collect();
        all.dedup();
        all.join(" and ")
    }
}
