//! What is computed or loaded more than once is computed or loaded once.
//!
//! ```text
//! before                                   after
//!   e = w[i] * (x[k[i]] - y[i])              scope w_value: f64, x_value: f64
//!   s += x[k[i]] * w[i]                        w_value = w[i]
//!                                              x_value = x[k[i]]
//!                                              e = w_value * (x_value - y[i])
//!                                              s += x_value * w_value
//! ```
//!
//! Before differentiation this is worth more than the operations: the adjoint of `x[k[i]]` is gathered in a scalar and
//! scattered once. It concerns loads of floats from arrays, divisions, and functions that cost as much; rustc shares
//! the rest. So it is with what is added to two elements, or added to one and subtracted from the other, whatever it is
//! made of: the adjoints of both are joined before anything is multiplied by them. In a program with a reverse sweep
//! only loads that gather, at an index from memory: other elements are loaded again more cheaply than they are kept for
//! a block of lanes.
//!
//! *Legality.* The first occurrence is evaluated whenever its statement is; the others follow in the same block, or in
//! blocks inside later statements of it, and nothing writes what the expression reads in between. So they have the
//! value of the first. A `Scope` is no border: it executes its statements once. Inside a `While` nothing is replaced
//! from outside, and an expression in a `Check` stays as it was written.

use crate::ir::Update;
use crate::ir::{
    BinOp, Block, BufferId, BufferSet, Expr, ExprKind, Place, Program, ReduceOp, Role, Stmt, StmtKind, UnOp,
};
use crate::map::Map;

/// Shares what is evaluated more than once in a primal.
pub fn share(program: Program) -> Program {
    shared(program, Loads::All)
}

/// The same in a program with its reversal.
pub fn share_gathers(program: Program) -> Program {
    shared(program, Loads::Gathers)
}

fn shared(mut program: Program, loads: Loads) -> Program {
    program.with_body(|program, body| share_block(program, loads, body));
    program
}

/// Which loads are shared.
#[derive(Clone, Copy, PartialEq)]
enum Loads {
    All,
    Gathers,
}

fn share_block(program: &mut Program, loads: Loads, block: &mut Block) {
    let mut made = Vec::new();
    loop {
        let mut seen = Map::default();
        count(program, loads, block, &mut seen);
        if !seen.values().any(|&times| times > 1) || !share_one(program, loads, block, &seen, &mut made) {
            break;
        }
    }
    inner_blocks(block, &mut |inner| share_block(program, loads, inner));
    if !made.is_empty() {
        declare(block, made);
    }
}

/// Calls `visit` on the blocks inside, but for those of `Scope`s, which belong to this one.
fn inner_blocks(block: &mut Block, visit: &mut dyn FnMut(&mut Block)) {
    for stmt in block {
        if let Some((_, body)) = stmt.as_scope_mut() {
            inner_blocks(body, visit);
        } else {
            stmt.blocks_mut().into_iter().for_each(&mut *visit);
        }
    }
}

fn declare(block: &mut Block, made: Vec<BufferId>) {
    if let [Stmt { kind: StmtKind::Scope { buffers, .. }, .. }] = block.as_mut_slice() {
        buffers.extend(made);
        return;
    }
    let Some(origin) = block.first().map(|stmt| stmt.origin) else { return };
    let body = std::mem::take(block);
    block.push(Stmt::scope(made, body, origin));
}

/// Whether the value is worth a scalar where it occurs more than once; `summand` is what its statement adds.
fn is_worth_it(program: &Program, loads: Loads, summand: Option<&Expr>, expr: &Expr) -> bool {
    is_costly(program, loads, expr) || summand.is_some_and(|it| std::ptr::eq(it, expr))
}

/// Whether the value takes as long as a scalar.
fn is_costly(program: &Program, loads: Loads, expr: &Expr) -> bool {
    expr.ty.is_float()
        && match &expr.kind {
            ExprKind::Load(place) => {
                !place.index.is_empty() && (loads == Loads::All || is_gather(program, place))
            }
            ExprKind::Binary(op, ..) => *op == BinOp::Div,
            ExprKind::Call(func, _, args) => {
                func.cost().is_worth_a_name()
                    && args.iter().any(|arg| !matches!(arg.kind, ExprKind::Float(_)))
            }
            _ => false,
        }
}

/// What a statement adds to an element, or subtracts from it, if that is computed.
fn summand(loads: Loads, stmt: &Stmt) -> Option<&Expr> {
    let Some(Update { op: ReduceOp::Add, target, value, .. }) = stmt.as_update() else { return None };
    let value = match &value.kind {
        ExprKind::Unary(UnOp::Neg, negated) => negated,
        _ => value,
    };
    let computed = matches!(value.kind, ExprKind::Binary(..) | ExprKind::Call(..));
    (loads == Loads::All && !target.index.is_empty() && value.ty.is_float() && computed).then_some(value)
}

/// Whether an index comes from memory: from an array, or a local.
fn is_gather(program: &Program, place: &Place) -> bool {
    let mut found = false;
    for index in &place.index {
        index.each_load(&mut |place| {
            found |= !place.index.is_empty() || program[place.buffer].role == Role::Local;
        });
    }
    found
}

/// How often each costly expression occurs in the block and inside it.
fn count(program: &Program, loads: Loads, block: &Block, seen: &mut Map<u64, usize>) {
    crate::ir::walk(block, &mut |stmt| {
        let summand = summand(loads, stmt);
        if let Some(value) = stmt.computes() {
            value.walk(&mut |expr| {
                if is_worth_it(program, loads, summand, expr) {
                    *seen.entry(expr.fingerprint()).or_default() += 1;
                }
            });
        }
    });
}

/// Shares the first expression that it is worth it for; `false` if there is none.
fn share_one(
    program: &mut Program,
    loads: Loads,
    block: &mut Block,
    seen: &Map<u64, usize>,
    made: &mut Vec<BufferId>,
) -> bool {
    let mut candidates = Vec::new();
    collect(program, loads, block, seen, &mut candidates);
    for expr in candidates {
        let reads = expr.read_set(program);
        let mut pass = Pass { expr: &expr, reads: &reads, found: 0, state: State::Before, with: None };
        pass.block(block);
        if pass.found < 2 {
            continue;
        }
        let name = match &expr.kind {
            ExprKind::Load(place) => format!("{}_value", program[place.buffer].name),
            ExprKind::Call(func, ..) => format!("{}_value", func.name()),
            ExprKind::Binary(BinOp::Div, ..) => "quotient".to_owned(),
            _ => "summand".to_owned(),
        };
        let own = program.add_scalar(&name, expr.ty, Role::Local);
        let with = Some(program.load_scalar(own));
        Pass { expr: &expr, reads: &reads, found: 0, state: State::Before, with }.block(block);
        made.push(own);
        return true;
    }
    false
}

/// The costly expressions that occur more than once, of the statements of the block itself; larger ones first.
fn collect(program: &Program, loads: Loads, block: &Block, seen: &Map<u64, usize>, out: &mut Vec<Expr>) {
    for stmt in block {
        if let Some((_, body)) = stmt.as_scope() {
            collect(program, loads, body, seen, out);
            continue;
        }
        let summand = summand(loads, stmt);
        if let Some(value) = stmt.computes() {
            value.walk(&mut |expr| {
                let often = || seen.get(&expr.fingerprint()).is_some_and(|&times| times > 1);
                if is_worth_it(program, loads, summand, expr) && often() && !out.contains(expr) {
                    out.push(expr.clone());
                }
            });
        }
    }
}

#[derive(Clone, Copy, PartialEq)]
enum State {
    Before,
    /// The first occurrence was seen, and nothing was written since.
    Known,
    /// What it reads was written.
    After,
}

/// Goes through a block; counts the occurrences, or replaces them.
struct Pass<'a> {
    expr: &'a Expr,
    reads: &'a BufferSet,
    found: usize,
    state: State,
    with: Option<Expr>,
}

impl Pass<'_> {
    fn block(&mut self, block: &mut Block) {
        let mut at = 0;
        while at < block.len() && self.state != State::After {
            let stmt = &mut block[at];
            if let Some((_, body)) = stmt.as_scope_mut() {
                self.block(body);
                at += 1;
                continue;
            }
            let begins = self.state == State::Before && occurrences(stmt, self.expr) > 0;
            if begins {
                self.state = State::Known;
            }
            if self.state == State::Known {
                self.visit(stmt);
                if begins && let Some(Expr { kind: ExprKind::Load(target), .. }) = &self.with {
                    let origin = block[at].origin;
                    block.insert(at, Stmt::assign(target.clone(), self.expr.clone(), origin));
                    at += 1;
                }
            }
            at += 1;
        }
    }

    fn visit(&mut self, stmt: &mut Stmt) {
        let writes = stmt.writes_any(self.reads);
        self.replace(stmt);
        if !writes && (stmt.as_for().is_some() || stmt.as_if().is_some() || stmt.as_guarded().is_some()) {
            self.inside(stmt);
        }
        if writes {
            self.state = State::After;
        }
    }

    /// Occurrences inside a statement that writes nothing that is read.
    fn inside(&mut self, stmt: &mut Stmt) {
        for stmt in stmt.blocks_mut().into_iter().flatten() {
            if stmt.as_while().is_none() && !stmt.is_fork() {
                self.replace(stmt);
                self.inside(stmt);
            }
        }
    }

    fn replace(&mut self, stmt: &mut Stmt) {
        let times = occurrences(stmt, self.expr);
        self.found += times;
        let Some(with) = self.with.as_ref().filter(|_| times > 0) else { return };
        let (StmtKind::Assign { value, .. }
        | StmtKind::Reduce { value, .. }
        | StmtKind::If { cond: value, .. }) = &mut stmt.kind
        else {
            return;
        };
        *value = value.map(&mut |expr| if expr == *self.expr { with.clone() } else { expr });
    }
}

fn occurrences(stmt: &Stmt, expr: &Expr) -> usize {
    let mut times = 0;
    if let Some(value) = stmt.computes() {
        value.walk(&mut |it| times += usize::from(it == expr));
    }
    times
}
