//! The greatest of the items of an iterator is a running maximum.
//!
//! ```text
//! before                                   after
//!   chosen = 0.0                             chosen = NaN
//!   found = false                            found = 0 < n
//!   for k in 0..n                            for k in 0..n
//!     item = x[k]                              item = x[k]
//!     if found                                 chosen = max(chosen, item)
//!       chosen = max(chosen, item)           check found
//!     else
//!       chosen = item
//!       found = true
//!   check found
//! ```
//!
//! So the loop has one running maximum, which lanes and tasks share and whose adjoint has one element, instead of a choice
//! in every iteration that would be stored.
//!
//! *Legality.* The maximum of NaN and a number is the number, and that of two NaN is NaN: the first item gives what
//! assigning it gave. Nothing else in the loop mentions the two. The bounds of the loop are evaluated in front of it as before.
//! Where there was no item, the variable is what it was: it is checked or assigned next, or gets its first value back.
//!
//! A number of a range that is chosen by something else (`(k..n).max_by(…)`, the row of a pivot) begins as the first of the range instead of
//! as zero, so that it is known not to be less. *Legality.* Nothing reads the number while there is none, and behind the loop a check says
//! that there was one.

pub(super) mod running;

use crate::ir::unscoped;
use crate::ir::{
    BinOp, Block, BufferId, Expr, ExprKind, For, Func, Place, Program, Stmt, StmtKind, Ty, UnOp,
};

/// Makes running maxima and minima of such choices.
pub fn run(mut program: Program) -> Program {
    extremes(&mut program.body);
    program
}

fn extremes(block: &mut Block) {
    let mut at = 0;
    while at < block.len() {
        begin_in_range(&mut block[at..]);
        if let Some(behind) = extreme(&mut block[at..]) {
            block.splice(at + 3..at + 3, behind);
        }
        block[at].blocks_mut().into_iter().for_each(extremes);
        at += 1;
    }
}

/// Rewrites three statements at the beginning of a list, if they choose an item; gives what is to stand behind them.
fn extreme(list: &mut [Stmt]) -> Option<Option<Stmt>> {
    let [start, absent, looped, behind @ ..] = list else { return None };
    let (chosen, first) = start.as_scalar_assign()?;
    let (found, no) = absent.as_scalar_assign()?;
    let each = looped.as_for_mut()?;
    if !matches!(first.kind, ExprKind::Float(_)) || no.kind != ExprKind::Bool(false) {
        return None;
    }
    let first = first.clone();
    let choice = Choice { chosen, found };
    if [&each.lo, &each.hi].into_iter().any(|bound| choice.reads(bound)) {
        return None;
    }
    let there =
        Expr::binary(if each.inclusive { BinOp::Le } else { BinOp::Lt }, each.lo.clone(), each.hi.clone());
    let always = choice.rewrite(&mut each.body)?;
    let target = Place::scalar(found);
    if always {
        absent.kind = StmtKind::Assign { target: target.clone(), value: there };
    }
    let set = |value: Expr| StmtKind::Assign { target: Place::scalar(chosen), value };
    start.kind = set(Expr::float(first.ty, f64::NAN));
    if behind.first().is_some_and(|next| choice.is_settled_by(next)) {
        return Some(None);
    }
    let cond = Expr::unary(UnOp::Not, target.load(Ty::Bool));
    let then = vec![Stmt::new(set(first), looped.origin)];
    Some(Some(Stmt::new(StmtKind::If { cond, then, els: Block::new() }, looped.origin)))
}

/// Gives the variable that statements at the beginning of a list choose from a range the first number of that.
fn begin_in_range(list: &mut [Stmt]) {
    let [start, absent, rest @ ..] = list else { return };
    let (Some((chosen, first)), Some((found, no))) = (start.as_scalar_assign(), absent.as_scalar_assign())
    else {
        return;
    };
    let Some(at) = rest.iter().position(|stmt| stmt.as_scalar_assign().is_none()) else { return };
    let (between, [looped, behind, ..]) = rest.split_at(at) else { return };
    let (StmtKind::For(each), StmtKind::Check { cond, .. }) = (&looped.kind, &behind.kind) else { return };
    let is_number = matches!(first.kind, ExprKind::Int(_)) && no.kind == ExprKind::Bool(false);
    let is_checked = *cond == Place::scalar(found).load(Ty::Bool);
    let choice = Choice { chosen, found };
    let names: Vec<BufferId> =
        between.iter().filter_map(Stmt::as_scalar_assign).map(|(name, _)| name).collect();
    let mut is_early = true;
    each.lo.walk(&mut |part| {
        is_early &= !matches!(&part.kind, ExprKind::Load(place) if names.contains(&place.buffer));
    });
    let is_apart = is_early && !between.iter().any(|stmt| choice.is_mentioned_by(stmt));
    if is_number && is_checked && is_apart && first.ty == each.lo.ty && choice.is_of_range(each) {
        start.kind = StmtKind::Assign { target: Place::scalar(chosen), value: each.lo.clone() };
    }
}

/// The variables of a choice.
struct Choice {
    chosen: BufferId,
    found: BufferId,
}

impl Choice {
    /// Makes a running maximum of the choice in a loop, and says whether every iteration has one, if there is one and nothing
    /// else mentions its variables.
    fn rewrite(&self, body: &mut Block) -> Option<bool> {
        let mut places = 0;
        body.iter().for_each(|stmt| stmt.walk(&mut |stmt| places += usize::from(self.is_mentioned_by(stmt))));
        let (at, always) = self.find(body, true)?;
        let (func, item, inside) = self.extreme(at)?;
        // the condition, and what stands under it
        if places != 1 + inside {
            return None;
        }
        let set =
            |buffer, value| Stmt::new(StmtKind::Assign { target: Place::scalar(buffer), value }, at.origin);
        let own = Place::scalar(self.chosen).load(item.ty);
        let running = set(self.chosen, Expr::call(item.ty, func, vec![own, item]));
        let yes = set(self.found, Expr::bool(true));
        self.replace(body, &[running].into_iter().chain((!always).then_some(yes)).collect::<Vec<_>>());
        Some(always)
    }

    /// Whether one statement of a loop chooses among its numbers, and nothing else in the loop mentions the variables.
    fn is_of_range(&self, each: &For) -> bool {
        let Some((at, _)) = self.find(&each.body, true) else { return false };
        let Some((_, then, els)) = at.as_if() else { return false };
        let takes = |stmt: &Stmt| match stmt.as_scalar_assign() {
            Some((target, value)) if target == self.chosen => value.kind == ExprKind::Iter(each.iter),
            _ => false,
        };
        let says = |stmt: &Stmt| matches!(stmt.as_scalar_assign(), Some((target, value)) if target == self.found && value.kind == ExprKind::Bool(true));
        let mut takes_only = true;
        then.iter().for_each(|stmt| {
            stmt.walk(&mut |inner| {
                let mut writes = false;
                if inner.blocks().is_empty() {
                    inner.writes(&mut |it| writes |= it == self.chosen || it == self.found);
                }
                takes_only &= !writes || takes(inner);
            });
        });
        let mentions = |stmts: &mut dyn Iterator<Item = &Stmt>| {
            let mut count = 0;
            stmts.for_each(|stmt| stmt.walk(&mut |inner| count += usize::from(self.is_mentioned_by(inner))));
            count
        };
        matches!(&els[..], [first, second] if takes(first) && says(second))
            && takes_only
            && ![&each.lo, &each.hi].into_iter().any(|bound| self.reads(bound))
            && mentions(&mut each.body.iter()) == mentions(&mut std::iter::once(at))
    }

    /// The statement that chooses, and whether it stands under no condition.
    fn find<'s>(&self, block: &'s Block, always: bool) -> Option<(&'s Stmt, bool)> {
        block.iter().find_map(|stmt| {
            if self.chooses(stmt) {
                return Some((stmt, always));
            }
            match (stmt.as_scope(), stmt.as_if()) {
                (Some((_, body)), _) => self.find(body, always),
                (_, Some((_, then, els))) => self.find(then, false).or_else(|| self.find(els, false)),
                _ => None,
            }
        })
    }

    fn replace(&self, block: &mut Block, with: &[Stmt]) {
        if let Some(at) = block.iter().position(|stmt| self.chooses(stmt)) {
            block.splice(at..=at, with.iter().cloned());
            return;
        }
        block.iter_mut().flat_map(Stmt::blocks_mut).for_each(|inner| self.replace(inner, with));
    }

    fn chooses(&self, stmt: &Stmt) -> bool {
        let found = Place::scalar(self.found).load(Ty::Bool);
        stmt.as_if().is_some_and(|(cond, _, _)| *cond == found)
    }

    /// The operation and the item of a choice, and how many statements in it mention the variables.
    fn extreme(&self, stmt: &Stmt) -> Option<(Func, Expr, usize)> {
        let (_, then, els) = stmt.as_if()?;
        let [first, yes] = &els[..] else { return None };
        let ((chosen, item), (found, yes)) = (first.as_scalar_assign()?, yes.as_scalar_assign()?);
        let is_first = chosen == self.chosen && found == self.found && yes.kind == ExprKind::Bool(true);
        let names = unscoped(then);
        let (last, names) = names.split_last()?;
        let names: Vec<(BufferId, &Expr)> =
            names.iter().map(Stmt::as_scalar_assign).collect::<Option<_>>()?;
        let (target, value) = last.as_scalar_assign()?;
        let ExprKind::Call(func @ (Func::Max | Func::Min), _, args) = &value.kind else { return None };
        let named = |expr: &'_ Expr| match &expr.kind {
            ExprKind::Load(place) => names
                .iter()
                .find(|(name, _)| *name == place.buffer)
                .map_or(expr.clone(), |(_, of)| (*of).clone()),
            _ => expr.clone(),
        };
        let own = Place::scalar(self.chosen).load(item.ty);
        let operands = [own, item.clone()];
        let same = args.iter().map(named).eq(operands.iter().cloned())
            || args.iter().rev().map(named).eq(operands.iter().cloned());
        let mentions = names.iter().filter(|(_, of)| self.reads(of)).count();
        // the names, the maximum, and the first item
        let inside = mentions + 3;
        (is_first && same && target == self.chosen).then(|| (*func, item.clone(), inside))
    }

    /// Whether the next statement checks that there was an item, or assigns the variable where there was none.
    fn is_settled_by(&self, next: &Stmt) -> bool {
        let found = Place::scalar(self.found).load(Ty::Bool);
        if let Some((cond, _)) = next.as_check() {
            return *cond == found;
        }
        next.as_if().is_some_and(|(cond, then, _)| {
            let first = then.first().and_then(Stmt::as_scalar_assign);
            *cond == Expr::unary(UnOp::Not, found)
                && first.is_some_and(|(it, value)| it == self.chosen && !self.reads(value))
        })
    }

    fn reads(&self, expr: &Expr) -> bool {
        expr.any(&mut |node| matches!(&node.kind, ExprKind::Load(place) if [self.chosen, self.found].contains(&place.buffer)))
    }

    /// Whether a statement itself, not one inside it, mentions one of the variables.
    fn is_mentioned_by(&self, stmt: &Stmt) -> bool {
        let mut mentioned = stmt.exprs().into_iter().any(|expr| self.reads(expr));
        if stmt.blocks().is_empty() {
            stmt.writes(&mut |buffer| mentioned |= [self.chosen, self.found].contains(&buffer));
        }
        mentioned
    }
}

#[cfg(test)]
mod tests {
    use super::run;
    use crate::equivalence::{assert_pass, assert_unchanged};
    use crate::ir::interp::Array;

    fn arrays() -> Vec<Vec<Array<f64>>> {
        let of = |numbers: &[f64]| vec![Array::floats(numbers)];
        let nan = f64::NAN;
        vec![
            of(&[]),
            of(&[2.0]),
            of(&[1.0, 3.0, -2.0, 3.0]),
            of(&[nan, 1.0, nan]),
            of(&[nan]),
            of(&[-1.0, nan]),
        ]
    }

    fn text(choice: &str, behind: &str) -> String {
        format!(
            "
            fn f(x: in f64[_]) -> s: f64
              scope chosen: f64, found: bool
                chosen = 0.0
                found = false
                for k in 0..len(x)
                  scope item: f64
                    item = x[k] * 2.0
                    {choice}
                {behind}
                s = chosen
            "
        )
    }

    /// Lines under one of that margin.
    fn lines(margin: usize, lines: &[&str]) -> String {
        lines.join(&format!("\n{}", " ".repeat(margin)))
    }

    #[test]
    fn the_greatest_item_is_a_running_maximum() {
        let choice = lines(
            20,
            &[
                "if found",
                "  scope p: f64, q: f64",
                "    p = chosen",
                "    q = item",
                "    chosen = max(p, q)",
                "else",
                "  chosen = item",
                "  found = true",
            ],
        );
        let made = "chosen = max(chosen, item)";
        for behind in [r#"check found "empty""#, "if !found { chosen = 1.0 }"] {
            let behind = behind.replace("{ ", "\n                  ").replace(" }", "");
            let expected =
                text(made, &behind).replace("= 0.0", "= f64::NAN").replace("= false", "= 0 < len(x)");
            assert_pass(run, &text(&choice, &behind), &expected, arrays());
        }
        // what the variable was is asked for
        let restored = "if !found\n                  chosen = 0.0";
        let expected =
            text(made, restored).replacen("= 0.0", "= f64::NAN", 1).replace("= false", "= 0 < len(x)");
        assert_pass(run, &text(&choice, "").replace("                \n", ""), &expected, arrays());
    }

    #[test]
    fn under_a_condition_it_is_remembered_whether_there_was_an_item() {
        let choice = |inner: &[&str]| {
            let mut all = vec!["if item > 1.0".to_owned()];
            all.extend(inner.iter().map(|line| format!("  {line}")));
            lines(20, &all.iter().map(String::as_str).collect::<Vec<_>>())
        };
        let before = choice(&[
            "if found",
            "  chosen = min(item, chosen)",
            "else",
            "  chosen = item",
            "  found = true",
        ]);
        let made = choice(&["chosen = min(chosen, item)", "found = true"]);
        let behind = r#"check found "empty""#;
        let expected = text(&made, behind).replace("= 0.0", "= f64::NAN");
        assert_pass(run, &text(&before, behind), &expected, arrays());
    }

    #[test]
    fn a_loop_that_the_variable_bounds_stays() {
        let choice = lines(
            20,
            &["if found", "  chosen = max(chosen, item)", "else", "  chosen = item", "  found = true"],
        );
        let text =
            text(&choice, r#"check found "empty""#).replace("0..len(x)", "0..len(x) - chosen as usize");
        assert_unchanged(run, &text);
    }

    #[test]
    fn other_choices_stay() {
        for (of, what, item) in [
            ("max(chosen, x[0])", "item", "item"),
            ("max(chosen, item)", "item", "x[0]"),
            ("chosen + item", "item", "item"),
            ("max(chosen, item)", "chosen", "item"),
        ] {
            let choice = lines(
                20,
                &[
                    "if found",
                    &format!("  chosen = {of}"),
                    "else",
                    &format!("  chosen = {item}"),
                    "  found = true",
                    &format!("item = {what}"),
                ],
            );
            let text = text(&choice, r#"check found "empty""#);
            assert_unchanged(run, &text);
        }
    }

    /// The number of the row with the greatest element.
    fn pivot(choice: &[&str], behind: &str) -> String {
        let choice = lines(20, choice);
        format!(
            "
            fn f(x: in f64[_], n: in usize) -> s: f64
              scope chosen: usize, found: bool, trips: usize
                chosen = 0
                found = false
                trips = len(x)
                for k in n..len(x)
                  if x[k] > 0.0
                    {choice}
                {behind}
                s = x[chosen]
            "
        )
    }

    #[test]
    fn a_number_of_a_range_begins_in_it() {
        let runs = || {
            let of = |numbers: &[f64], n: i128| vec![Array::floats(numbers), Array::int(n)];
            vec![of(&[1.0, 3.0, -2.0, 3.0], 1), of(&[-1.0], 0), of(&[2.0], 1), of(&[9.0, 0.5, 2.0], 1)]
        };
        let choice =
            ["if found", "  if x[k] > x[chosen]", "    chosen = k", "else", "  chosen = k", "  found = true"];
        let checked = "check found \"empty\"";
        let expected = pivot(&choice, checked).replace("chosen = 0", "chosen = n");
        assert_pass(run, &pivot(&choice, checked), &expected, runs());
        // it may be what it was, or it is no number of the range
        assert_unchanged(run, &pivot(&choice, "found = true"));
        for (from, to) in [("    chosen = k", "    chosen = 0"), ("  chosen = k", "  chosen = 1")] {
            let other = choice.map(|line| if line == from { to } else { line });
            assert_unchanged(run, &pivot(&other, checked));
        }
        assert_unchanged(run, &pivot(&[&choice[..], &["chosen = 0"]].concat(), checked));
    }
}
