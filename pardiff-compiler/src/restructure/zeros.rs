//! What zero adjoints would contribute is skipped.
//!
//! ```text
//! d_r = 0.0                                  d_r = 0.0
//! if r < reach                               if r < reach
//!   d_r += d_e * k                             d_r += d_e * k
//! t = d_r / (2.0 * r)                  =>    if d_r != 0.0
//! d_x[i] += t * x                              t = d_r / (2.0 * r)
//! d_y[i] += t * y                              d_x[i] += t * x
//!                                              d_y[i] += t * y
//! ```
//!
//! An adjoint that only conditions add to is zero wherever none of them held. In lanes the statements behind them run
//! for every vector otherwise, a division or a root among them; under the condition a vector without such a lane skips
//! them, and the sums in them.
//!
//! *Legality.* Each of the statements adds an expression that is linear in adjoints without a constant term, or gives
//! such a value to a variable that lives among them alone. These adjoints are zero if the condition fails: it asks for
//! those that may differ from zero, and the others were set to zero before and not touched since. So what is skipped
//! are additions of zero. An adjoint that is zero contributes exactly nothing, also through a partial derivative that is
//! infinite or NaN, as a branch that was not taken does; NaN itself differs from zero and is passed on. Checks and
//! statements of the primal are never skipped.
//!
//! *Price.* How often the conditions hold is not known, so the statements have to cost several times what the question
//! does. Adjoints that are added to in both arms of a condition, or in loops, are taken to be never zero. Loops are not
//! skipped: under a mask they could not change places with the lanes.

use super::cost;
use crate::ir::{
    BinOp, Block, BufferId, BufferSet, Expr, ExprKind, Func, Phase, Place, Program, ReduceOp, Role, Stmt,
    StmtKind, UnOp, written,
};
use std::collections::HashMap;

/// The least price of what is skipped, for each adjoint that is asked for.
const WORTH: usize = 8;

/// The least price of what is skipped.
const LEAST: usize = 16;

/// What is known about an adjoint; nothing about one without an entry.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Known {
    /// It is zero.
    Zero,
    /// It may have been added to.
    Sometimes,
}

type State = HashMap<BufferId, Known>;

/// Puts statements that zero adjoints make superfluous under a condition.
pub(super) fn skip(program: &mut Program) {
    let mut body = std::mem::take(&mut program.body);
    list(program, &mut body, &mut State::new());
    program.body = body;
}

fn list(program: &Program, block: &mut Block, state: &mut State) {
    let mut out = Block::with_capacity(block.len());
    let mut rest = std::mem::take(block).into_iter().peekable();
    while let Some(first) = rest.next() {
        let mut region = Region::new(state);
        if !region.takes(&first) {
            out.push(follow(program, first, state));
            continue;
        }
        let mut stmts = vec![first];
        while let Some(next) = rest.next_if(|next| region.clone().takes(next)) {
            region.takes(&next);
            stmts.push(next);
        }
        let price: usize = stmts.iter().map(price).sum();
        let asked = std::mem::take(&mut region.asked);
        let added = written(&stmts);
        for (buffer, known) in state.iter_mut() {
            if added.contains(*buffer) {
                *known = Known::Sometimes;
            }
        }
        if asked.is_empty() || price < LEAST || price < WORTH * asked.len() {
            out.append(&mut stmts);
            continue;
        }
        let differs = |&buffer: &BufferId| {
            let zero = Expr::float(program[buffer].elem, 0.0);
            Expr::binary(BinOp::Ne, program.load_scalar(buffer), zero)
        };
        let cond = asked.iter().map(differs).reduce(|a, b| Expr::binary(BinOp::BitOr, a, b));
        let origin = stmts[0].origin;
        let cond = cond.unwrap_or(Expr::bool(true));
        out.push(Stmt::new(StmtKind::If { cond, then: stmts, els: Block::new() }, origin));
    }
    *block = out;
}

/// A statement that stays, and what is known behind it.
fn follow(program: &Program, mut stmt: Stmt, state: &mut State) -> Stmt {
    match &mut stmt.kind {
        StmtKind::Assign { target, value } => {
            let adjoint = matches!(program[target.buffer].role, Role::Adjoint(_));
            if adjoint && target.index.is_empty() && value.kind == ExprKind::Float(0.0) {
                state.insert(target.buffer, Known::Zero);
            } else {
                state.remove(&target.buffer);
            }
        }
        StmtKind::Scope { body, .. } => list(program, body, state),
        StmtKind::If { then, els, .. } => {
            list(program, then, &mut state.clone());
            list(program, els, &mut state.clone());
            let (in_then, in_els) = (written(then), written(els));
            let assigned = assigned(then.iter().chain(els.iter()));
            state.retain(|&buffer, known| {
                let (here, there) = (in_then.contains(buffer), in_els.contains(buffer));
                if here || there {
                    *known = Known::Sometimes;
                }
                !(assigned.contains(buffer) || here && there)
            });
        }
        _ => {
            for inner in stmt.blocks_mut() {
                list(program, inner, &mut State::new());
            }
            stmt.writes(&mut |buffer| _ = state.remove(&buffer));
        }
    }
    stmt
}

/// The buffers that statements write otherwise than by adding to them.
fn assigned<'a>(stmts: impl Iterator<Item = &'a Stmt>) -> BufferSet {
    let mut set = BufferSet::new();
    stmts.for_each(|stmt| {
        stmt.walk(&mut |stmt| match &stmt.kind {
            StmtKind::Reduce { op: ReduceOp::Add, .. } => {}
            StmtKind::Reduce { target, .. } | StmtKind::Assign { target, .. } => {
                set.insert(target.buffer);
            }
            StmtKind::Swap { a, b } => {
                set.insert(*a);
                set.insert(*b);
            }
            StmtKind::Call { writes, .. } => writes.iter().for_each(|&buffer| _ = set.insert(buffer)),
            _ => {}
        });
    });
    set
}

/// What a statement costs at least; of a condition without an `else` it is half.
fn price(stmt: &Stmt) -> usize {
    let own = usize::from(matches!(stmt.kind, StmtKind::Reduce { .. }));
    let own = stmt.exprs().into_iter().map(cost::evaluation).fold(own, usize::saturating_add);
    let of = |block: &Block| block.iter().map(price).fold(0, usize::saturating_add);
    own.saturating_add(match &stmt.kind {
        StmtKind::If { then, els, .. } if els.is_empty() => of(then) / 2,
        StmtKind::If { then, els, .. } => of(then).min(of(els)),
        _ => stmt.blocks().into_iter().map(of).fold(0, usize::saturating_add),
    })
}

/// Statements that follow each other and do nothing where some adjoints are zero.
#[derive(Clone)]
struct Region<'s> {
    state: &'s State,
    /// Variables that live among the statements.
    locals: BufferSet,
    /// Those that are zero, and those that need not be.
    zero: BufferSet,
    spoiled: BufferSet,
    /// The adjoints that may differ from zero where the statements begin.
    asked: Vec<BufferId>,
}

impl Region<'_> {
    fn new(state: &State) -> Region<'_> {
        let none = BufferSet::new;
        Region { state, locals: none(), zero: none(), spoiled: none(), asked: Vec::new() }
    }

    /// Whether the statement is one of them.
    fn takes(&mut self, stmt: &Stmt) -> bool {
        if stmt.origin.phase == Phase::Primal {
            return false;
        }
        match &stmt.kind {
            StmtKind::Reduce { op: ReduceOp::Add, target, value, .. } => {
                let linear = value.ty.is_float() && self.is_linear(value);
                linear && !target.index.iter().any(|index| index.ty.is_float())
            }
            StmtKind::Assign { target, value } if self.locals.contains(target.buffer) => {
                if value.ty.is_float() && !self.spoiled.contains(target.buffer) && self.is_linear(value) {
                    self.zero.insert(target.buffer);
                } else {
                    self.spoiled.insert(target.buffer);
                    self.zero.remove(target.buffer);
                }
                target.index.is_empty()
            }
            StmtKind::Scope { buffers, body } => {
                buffers.iter().for_each(|&buffer| _ = self.locals.insert(buffer));
                body.iter().all(|stmt| self.takes(stmt))
            }
            StmtKind::If { then, els, .. } => then.iter().chain(els).all(|stmt| self.takes(stmt)),
            _ => false,
        }
    }

    /// Whether the value is zero where the adjoints are, whatever else is in it.
    fn is_linear(&mut self, value: &Expr) -> bool {
        match &value.kind {
            ExprKind::Float(value) => *value == 0.0,
            ExprKind::Load(Place { buffer, index }) if index.is_empty() => {
                match self.state.get(buffer) {
                    Some(Known::Sometimes) if !self.asked.contains(buffer) => self.asked.push(*buffer),
                    Some(_) => {}
                    None => return self.zero.contains(*buffer),
                }
                true
            }
            ExprKind::Unary(UnOp::Neg, operand) => self.is_linear(operand),
            ExprKind::Cast(operand) => operand.ty.is_float() && self.is_linear(operand),
            ExprKind::Binary(BinOp::Add | BinOp::Sub, a, b) => self.is_linear(a) && self.is_linear(b),
            ExprKind::Binary(BinOp::Mul, a, b) => self.is_linear(a) || self.is_linear(b),
            ExprKind::Binary(BinOp::Div, a, _) => self.is_linear(a),
            ExprKind::Call(Func::MulAdd, _, args) => match &args[..] {
                [a, b, c] => (self.is_linear(a) || self.is_linear(b)) && self.is_linear(c),
                _ => false,
            },
            ExprKind::Select(parts) => self.is_linear(&parts[1]) && self.is_linear(&parts[2]),
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::skip;
    use crate::equivalence::{assert_pass, assert_unchanged, program};
    use crate::ir::Program;
    use crate::ir::interp::{Array, no_paths, run};

    fn skipped(mut program: Program) -> Program {
        skip(&mut program);
        program
    }

    fn args(x: &[f64]) -> Vec<Array<f64>> {
        vec![Array::floats(x), Array::floats(&vec![0.5; x.len()])]
    }

    /// A loop body around statements.
    fn with(stmts: &[&str]) -> String {
        let head = [
            "fn f(x: in f64[_], d_x: adjoint(x) f64[len(x)])",
            "  for i in 0..len(x)",
            "    scope r: f64, d_r: adjoint(r) f64, d_s: adjoint(r) f64",
            "      r = x[i]",
            "      d_r = 0.0 # adjoint",
            "      d_s = 0.0 # adjoint",
        ];
        let stmts = stmts.iter().map(|stmt| format!("      {stmt}"));
        head.iter().map(|line| (*line).to_owned()).chain(stmts).collect::<Vec<_>>().join("\n")
    }

    const SOMETIMES: [&str; 2] = ["if r < 1.0", "  d_r += 3.0 * r # adjoint"];

    #[test]
    fn what_an_adjoint_that_is_seldom_not_zero_contributes_is_skipped() {
        let [cond, add] = SOMETIMES;
        let before = [
            cond,
            add,
            "d_s += -d_r # adjoint",
            "scope t: f64 # adjoint",
            "  t = d_r / (2.0 * r)",
            "  d_x[i] += t * r + d_s / r",
        ];
        let after = [
            cond,
            add,
            "if d_r != 0.0 # adjoint",
            "  d_s += -d_r",
            "  scope t: f64",
            "    t = d_r / (2.0 * r)",
            "    d_x[i] += t * r + d_s / r",
        ];
        let runs = vec![args(&[]), args(&[0.5, 2.0, -1.0, 3.0])];
        assert_pass(skipped, &with(&before), &with(&after), runs);
        // nothing comes through an infinite derivative either
        let zero = args(&[0.0]);
        let made = run::<f64>(&skipped(program(&with(&before))), zero, &no_paths);
        assert_eq!(made.map(|outcome| outcome.params[1].reals()), Ok(vec![0.5]));
    }

    #[test]
    fn what_need_not_be_zero_or_is_cheap_stays() {
        let [cond, add] = SOMETIMES;
        let use_it = "d_x[i] += d_r / (2.0 * r) * (r / (3.0 * r)) # adjoint";
        // added to under no condition
        assert_unchanged(skipped, &with(&["d_r += 3.0 * r # adjoint", use_it]));
        // in both arms
        assert_unchanged(skipped, &with(&[cond, add, "else", "  d_r += r # adjoint", use_it]));
        // with a term that is not zero
        let constant = "d_x[i] += d_r / (2.0 * r) * (r / (3.0 * r)) + r # adjoint";
        assert_unchanged(skipped, &with(&[cond, add, constant]));
        // a statement of the primal
        assert_unchanged(skipped, &with(&[cond, add, "d_x[i] += d_r / (2.0 * r) * (r / (3.0 * r))"]));
        // what is read behind
        let kept =
            ["r = d_r / (2.0 * r) * (r / (3.0 * r)) # adjoint", "d_x[i] += r * (r / (2.0 * r)) # adjoint"];
        assert_unchanged(skipped, &with(&[cond, add, kept[0], kept[1]]));
        // cheap
        assert_unchanged(skipped, &with(&[cond, add, "d_x[i] += d_r * r # adjoint"]));
    }
}
