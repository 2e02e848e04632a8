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
//! them, and the sums in them. Where one condition alone adds to them, and stands in front of the statements, they go into
//! its arm, and nothing is asked a second time:
//!
//! ```text
//! d_r = 0.0                                  d_r = 0.0
//! if r < reach                               if r < reach
//!   d_r += d_e * k                             d_r += d_e * k
//! d_x[i] += d_r / (2.0 * r)          =>        d_x[i] += d_r / (2.0 * r)
//! ```
//!
//! *Legality.* Each of the statements adds an expression that is linear in adjoints without a constant term, or gives
//! such a value to a variable that lives among them alone, or, if it is read behind them, is set to zero where they are
//! skipped. These adjoints are zero if the condition fails: it asks for
//! those that may differ from zero, and the others were set to zero before and not touched since. So what is skipped
//! are additions of zero. An adjoint that is zero contributes exactly nothing, also through a partial derivative that is
//! infinite or NaN, as a branch that was not taken does; NaN itself differs from zero and is passed on. Checks and
//! statements of the primal are never skipped. In an arm the statements run behind what they followed anyway; where the
//! arm is not taken, the adjoints have the zeros that they had in front of the condition. Where it is taken and they are
//! zero all the same, products of them are zero; what divides or calls a function stays behind the question.
//!
//! *Price.* How often the conditions hold is not known, so the statements have to cost several times what the question
//! does. Adjoints that are added to in both arms of a condition, or in loops, are taken to be never zero. Loops are not
//! skipped: under a mask they could not change places with the lanes.

use super::{cost, linear};
use crate::ir::{
    BinOp, Block, BufferId, BufferSet, Expr, ExprKind, Func, Phase, Program, ReduceOp, Stmt, StmtKind,
    written,
};
use crate::limits::{PRICE_FOR_EACH_ZERO, PRICE_OF_A_ZERO_REGION};
use crate::map::Map;

/// What is known about an adjoint; nothing about one without an entry.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Known {
    Zero,
    /// It may have been added to.
    Sometimes,
    /// It was zero in front of the statement before, a condition, and one of its arms adds to it: whether that is the first.
    InArm(bool),
}

type State = Map<BufferId, Known>;

/// What is known in front of the next statement but one.
fn pass_on(state: &mut State) {
    for known in state.values_mut() {
        if matches!(known, Known::InArm(_)) {
            *known = Known::Sometimes;
        }
    }
}

/// The arm of the statement in front, a condition, in which alone adjoints are added to that are zero otherwise.
fn only_arm(asked: &[BufferId], state: &State) -> Option<bool> {
    let arm = |buffer: &BufferId| match state.get(buffer) {
        Some(Known::InArm(holds)) => Some(*holds),
        _ => None,
    };
    let first = arm(asked.first()?)?;
    asked.iter().all(|buffer| arm(buffer) == Some(first)).then_some(first)
}

/// Puts statements that zero adjoints make superfluous under a condition.
pub(super) fn skip(program: &mut Program) {
    program.with_body(|program, body| list(program, body, &[], &mut State::default()));
}

/// Whether a statement adds, subtracts and multiplies alone, so that nothing but zero comes of zero.
fn adds_products(stmt: &Stmt) -> bool {
    !stmt.any_part(&mut |part| {
        part.ty.is_float()
            && match &part.kind {
                ExprKind::Binary(op, ..) => !matches!(op, BinOp::Add | BinOp::Sub | BinOp::Mul),
                ExprKind::Call(func, ..) => *func != Func::MulAdd,
                ExprKind::Apply(..) => true,
                _ => false,
            }
    })
}

/// The statements of a block, which is the body of a scope with these buffers, if it is one of a scope. Gives
/// the price of what was put under conditions.
fn list(program: &Program, block: &mut Block, own: &[BufferId], state: &mut State) -> usize {
    let mut skips = 0;
    let mut out = Block::with_capacity(block.len());
    let mut rest = std::mem::take(block).into_iter();
    while let Some(first) = rest.next() {
        let mut region = Region::new(state, own);
        if !region.takes(&first) {
            let (stmt, inside) = follow(program, first, state);
            out.push(stmt);
            skips += inside;
            continue;
        }
        let mut stmts = vec![first];
        while rest.as_slice().first().is_some_and(|next| region.clone().takes(next)) {
            region.takes(&rest.as_slice()[0]);
            stmts.extend(rest.next());
        }
        let price: usize = stmts.iter().map(price).sum();
        let Region { asked, given, .. } = region;
        let arm = only_arm(&asked, state).filter(|_| stmts.iter().all(adds_products));
        pass_on(state);
        let added = written(&stmts);
        for (buffer, known) in state.iter_mut() {
            if added.contains(*buffer) {
                *known = Known::Sometimes;
            }
        }
        if asked.is_empty() || price < PRICE_OF_A_ZERO_REGION || price < PRICE_FOR_EACH_ZERO * asked.len() {
            out.append(&mut stmts);
            continue;
        }
        let differs = |&buffer: &BufferId| {
            let zero = Expr::float(program[buffer].elem, 0.0);
            Expr::binary(BinOp::Ne, program.load_scalar(buffer), zero)
        };
        let origin = stmts[0].origin;
        let zero = |buffer: BufferId| {
            let value = Expr::float(program[buffer].elem, 0.0);
            Stmt::set(buffer, value, origin)
        };
        let later = loads(rest.as_slice());
        let zeros: Block = given.into_iter().filter(|buffer| later.contains(*buffer)).map(zero).collect();
        skips += price;
        if let (Some(holds), Some(StmtKind::If { then, els, .. })) =
            (arm, out.last_mut().map(|it| &mut it.kind))
        {
            let (taken, other) = if holds { (then, els) } else { (els, then) };
            taken.extend(stmts);
            other.extend(zeros);
            continue;
        }
        let cond = asked.iter().map(differs).reduce(|a, b| Expr::binary(BinOp::BitOr, a, b));
        let cond = cond.unwrap_or(Expr::bool(true));
        out.push(Stmt::new(StmtKind::If { cond, then: stmts, els: zeros }, origin));
    }
    *block = out;
    skips
}

/// A statement that stays, and what is known behind it; and the price of what was put under conditions in it.
fn follow(program: &Program, mut stmt: Stmt, state: &mut State) -> (Stmt, usize) {
    let mut skips = 0;
    pass_on(state);
    match &mut stmt.kind {
        StmtKind::Assign { target, value } => {
            let adjoint = program.is_derivative(target.buffer);
            if adjoint && target.index.is_empty() && value.kind == ExprKind::Float(0.0) {
                state.insert(target.buffer, Known::Zero);
            } else {
                state.remove(&target.buffer);
            }
        }
        StmtKind::Scope { buffers, body } => {
            if !has_scalars_inside(program, body) || !body.iter().all(is_straight) {
                skips = list(program, body, buffers, state);
                return (stmt, skips);
            }
            let (mut inner, mut flat, mut behind) = (buffers.clone(), Block::new(), state.clone());
            flatten(program, body, &mut inner, &mut flat);
            skips = list(program, body, buffers, state);
            let joined = list(program, &mut flat, &inner, &mut behind);
            if joined > skips {
                skips = joined;
                (*buffers, *body, *state) = (inner, flat, behind);
            }
        }
        StmtKind::If { then, els, .. } => {
            skips += list(program, then, &[], &mut state.clone());
            skips += list(program, els, &[], &mut state.clone());
            let (in_then, in_els) = (written(then), written(els));
            let assigned = assigned(then.iter().chain(els.iter()));
            state.retain(|&buffer, known| {
                let (here, there) = (in_then.contains(buffer), in_els.contains(buffer));
                if here || there {
                    *known = if *known == Known::Zero { Known::InArm(here) } else { Known::Sometimes };
                }
                !(assigned.contains(buffer) || here && there)
            });
        }
        _ => {
            for inner in stmt.blocks_mut() {
                skips += list(program, inner, &[], &mut State::default());
            }
            stmt.writes(&mut |buffer| _ = state.remove(&buffer));
        }
    }
    (stmt, skips)
}

/// Whether a scope in a block declares a scalar that may live in the scope around it: see [`flatten`].
fn has_scalars_inside(program: &Program, block: &Block) -> bool {
    block.iter().filter_map(Stmt::as_scope).any(|(buffers, body)| {
        buffers.iter().all(|&buffer| program[buffer].rank() == 0)
            && (!buffers.is_empty() || has_scalars_inside(program, body))
    })
}

/// The statements of a block with those of the scopes of scalars in it, whose variables then live in the scope around
/// them: so the reversed statements of nested scopes follow each other.
fn flatten(program: &Program, block: &Block, own: &mut Vec<BufferId>, out: &mut Block) {
    for stmt in block {
        match stmt.as_scope().filter(|(buffers, _)| buffers.iter().all(|&buffer| program[buffer].rank() == 0))
        {
            Some((buffers, body)) => {
                own.extend(buffers);
                flatten(program, body, own, out);
            }
            None => out.push(stmt.clone()),
        }
    }
}

/// Whether there is no loop in the statement.
fn is_straight(stmt: &Stmt) -> bool {
    stmt.all(&mut |stmt| !stmt.is_loop())
}

/// The scalars that statements read.
fn loads(stmts: &[Stmt]) -> BufferSet {
    let mut set = BufferSet::new();
    let mut add = |expr: &Expr| {
        expr.each_load(&mut |place| {
            set.insert(place.buffer);
        });
    };
    crate::ir::walk(stmts, &mut |stmt| stmt.exprs().into_iter().for_each(&mut add));
    crate::ir::walk(stmts, &mut |stmt| set.extend(stmt.given().iter().copied()));
    set
}

/// The buffers that statements write otherwise than by adding to them.
fn assigned<'a>(stmts: impl Iterator<Item = &'a Stmt>) -> BufferSet {
    let mut set = BufferSet::new();
    stmts.for_each(|stmt| {
        stmt.walk(&mut |stmt| {
            if stmt.as_sum().is_none() {
                stmt.writes_itself(&mut |buffer| _ = set.insert(buffer));
            }
        });
    });
    set
}

/// What a statement costs at least; of a condition without an `else` it is half.
fn price(stmt: &Stmt) -> usize {
    let own = usize::from(stmt.as_update().is_some());
    let own = stmt.exprs().into_iter().map(cost::evaluation).fold(own, usize::saturating_add);
    let of = |block: &Block| block.iter().map(price).fold(0, usize::saturating_add);
    own.saturating_add(match stmt.as_if() {
        Some((_, then, els)) if els.is_empty() => of(then) / 2,
        Some((_, then, els)) => of(then).min(of(els)),
        None => stmt.blocks().into_iter().map(of).fold(0, usize::saturating_add),
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
    /// The variables of the scope whose statements they are, and those of them that are given a value.
    own: &'s [BufferId],
    given: Vec<BufferId>,
    /// Whether a condition of its own stands around the statement that is looked at.
    in_branch: bool,
}

impl Region<'_> {
    fn new<'s>(state: &'s State, own: &'s [BufferId]) -> Region<'s> {
        let none = BufferSet::new;
        let (asked, given) = (Vec::new(), Vec::new());
        Region { state, locals: none(), zero: none(), spoiled: none(), asked, own, given, in_branch: false }
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
            StmtKind::Assign { target, value } if self.own.contains(&target.buffer) && !self.in_branch => {
                // one that is set to zero begins something
                let begins = self.asked.is_empty() && matches!(value.kind, ExprKind::Float(_));
                let linear =
                    target.index.is_empty() && value.ty.is_float() && !begins && self.is_linear(value);
                if linear && !self.given.contains(&target.buffer) {
                    self.given.push(target.buffer);
                    self.zero.insert(target.buffer);
                }
                linear
            }
            StmtKind::Scope { buffers, body } => {
                self.locals.extend(buffers.iter().copied());
                body.iter().all(|stmt| self.takes(stmt))
            }
            StmtKind::If { then, els, .. } => {
                let around = std::mem::replace(&mut self.in_branch, true);
                let all = then.iter().chain(els).all(|stmt| self.takes(stmt));
                self.in_branch = around;
                all
            }
            _ => false,
        }
    }

    /// Whether the value is zero where the adjoints are, whatever else is in it.
    fn is_linear(&mut self, value: &Expr) -> bool {
        linear::is_linear(value, &mut |place| place.index.is_empty() && self.may_be_zero(place.buffer))
    }

    /// Whether a scalar is an adjoint that is known to be zero, or is asked for.
    fn may_be_zero(&mut self, buffer: BufferId) -> bool {
        match self.state.get(&buffer) {
            _ if self.zero.contains(buffer) => {}
            Some(Known::Sometimes | Known::InArm(_)) if !self.asked.contains(&buffer) => {
                self.asked.push(buffer);
            }
            Some(_) => {}
            None => return false,
        }
        true
    }
}
