//! Divisions in lane loops are products with a reciprocal, by what is the same in all lanes, and by what is divided by more
//! than once.
//!
//! ```text
//! for l in 0..w lanes                scope by: f64
//!   y[l] += x[l] / u            =>     by = 1.0 / u
//!                                      for l in 0..w lanes
//!                                        y[l] += x[l] * by
//! ```
//!
//! ```text
//! p = a / z                          by = 1.0 / z
//! q = b / z                    =>    p = a * by
//!                                    q = b * by
//! ```
//!
//! A vector is divided in the time of some ten products, and one division at a time.
//!
//! *Legality.* The product differs from the quotient by the rounding of the reciprocal: by at most one unit in the last
//! place more, where the reciprocal is a normal number. Zeros, infinities and NaN as divisors give what the division
//! gives; a divisor below `2^-1024` counts as zero, and one above `2^1022` has a reciprocal of fewer digits. A program
//! that asks for the bits of the source (`strict`) has no such products. Conditions are left as they are. A divisor
//! reads no array. One of the first kind reads nothing that the loop changes; it is evaluated where the division is, but
//! for conditions that differ between lanes, under which a float operation is as harmless as outside. One of the second
//! kind is divided by twice in one list at least; its reciprocal stands before the first of these divisions and serves
//! until something that the divisor reads is written.

use super::inside::Inside;
use crate::ir::{
    BinOp, Block, BufferId, Exec, Expr, ExprKind, Float, For, Place, Program, Role, Space, Stmt, StmtKind, Ty,
};

/// Replaces divisions in the lane loops of a block.
pub fn multiply_by_reciprocals(program: &mut Program, block: &mut Block) {
    for mut stmt in std::mem::take(block) {
        let origin = stmt.origin;
        let StmtKind::For(lanes) = &mut stmt.kind else {
            stmt.blocks_mut().into_iter().for_each(|inner| multiply_by_reciprocals(program, inner));
            block.push(stmt);
            continue;
        };
        if !matches!(lanes.exec, Exec::Lanes { .. }) {
            multiply_by_reciprocals(program, &mut lanes.body);
            block.push(stmt);
            continue;
        }
        let found = of_loop(program, lanes);
        if found.is_empty() {
            block.push(stmt);
            continue;
        }
        let runs = lanes.lo.clone().below(lanes.hi.clone());
        let declared = found.iter().map(|it| it.reciprocal).collect();
        let assignments = found.into_iter().map(|it| {
            let value = Expr::float(it.divisor.ty, 1.0) / it.divisor;
            let target = Place::scalar(it.reciprocal);
            let assign = Stmt::new(StmtKind::Assign { target, value }, origin);
            match it.path.into_iter().reduce(|a, b| a & b) {
                Some(cond) => Stmt::new(StmtKind::If { cond, then: vec![assign], els: Block::new() }, origin),
                None => assign,
            }
        });
        // what the divisor reads may have its value only if the loop runs
        let front = block.pop_if(
            |last| matches!(&last.kind, StmtKind::If { cond, els, .. } if *cond == runs && els.is_empty()),
        );
        let body = match front {
            Some(Stmt { kind: StmtKind::If { cond, mut then, els }, origin }) => {
                then.extend(assignments);
                vec![Stmt::new(StmtKind::If { cond, then, els }, origin), stmt]
            }
            _ => assignments.chain([stmt]).collect(),
        };
        block.push(Stmt::new(StmtKind::Scope { buffers: declared, body }, origin));
    }
}

/// A divisor and its reciprocal.
struct Divisor {
    /// The uniform conditions under which it is divided by.
    path: Vec<Expr>,
    divisor: Expr,
    reciprocal: BufferId,
}

fn of_loop(program: &mut Program, lanes: &mut For) -> Vec<Divisor> {
    let inside = Inside::of(lanes);
    let mut body = std::mem::take(&mut lanes.body);
    let mut divisions = Divisions { program, inside: &inside, path: Vec::new(), found: Vec::new() };
    divisions.block(&mut body);
    let found = divisions.found;
    share(program, &mut body);
    lanes.body = body;
    found
}

/// Divides once where a list divides more than once by one value.
fn share(program: &mut Program, list: &mut Block) {
    if let [Stmt { kind: StmtKind::Scope { buffers, body }, .. }] = &mut list[..] {
        return share_in(program, buffers, body);
    }
    let mut held = Vec::new();
    share_in(program, &mut held, list);
    *list = super::distribute::scoped(held, std::mem::take(list));
}

/// The same in the list of a scope.
fn share_in(program: &mut Program, held: &mut Vec<BufferId>, stmts: &mut Block) {
    let mut at = 0;
    while at < stmts.len() {
        let mut divisors = Vec::new();
        values(&stmts[at], &mut |value| {
            value.walk(&mut |expr| {
                if let ExprKind::Binary(BinOp::Div, _, divisor) = &expr.kind
                    && is_scalar(divisor)
                    && !divisors.contains(&**divisor)
                {
                    divisors.push((**divisor).clone());
                }
            });
        });
        for divisor in divisors {
            // a statement reads before it writes
            let ends = |stmt: &Stmt| {
                let mut ends = false;
                stmt.writes(&mut |buffer| divisor.reads(program, &mut |read| ends |= read == buffer));
                ends
            };
            let end = stmts[at..].iter().position(ends).map_or(stmts.len(), |behind| {
                at + behind + usize::from(stmts[at + behind].blocks().is_empty())
            });
            let mut times = 0;
            for stmt in &stmts[at..end] {
                values(stmt, &mut |value| {
                    value.walk(&mut |expr| times += usize::from(divides_by(expr, &divisor)));
                });
            }
            if times < 2 {
                continue;
            }
            let reciprocal = program.add_scalar("by", divisor.ty, Role::Local);
            let by = program.load_scalar(reciprocal);
            stmts[at..end].iter_mut().for_each(|stmt| multiply(stmt, &divisor, &by));
            let value = Expr::float(divisor.ty, 1.0) / divisor;
            let assign = StmtKind::Assign { target: Place::scalar(reciprocal), value };
            stmts.insert(at, Stmt::new(assign, stmts[at].origin));
            held.push(reciprocal);
            at += 1;
        }
        stmts[at].blocks_mut().into_iter().for_each(|inner| share(program, inner));
        at += 1;
    }
}

/// The float that a statement computes itself.
fn values<'a>(stmt: &'a Stmt, visit: &mut impl FnMut(&'a Expr)) {
    if let StmtKind::Assign { value, .. } | StmtKind::Reduce { value, .. } = &stmt.kind {
        visit(value);
    }
}

fn divides_by(expr: &Expr, by: &Expr) -> bool {
    matches!(&expr.kind, ExprKind::Binary(BinOp::Div, _, divisor) if **divisor == *by)
}

/// Replaces the divisions by one value in a statement.
fn multiply(stmt: &mut Stmt, divisor: &Expr, by: &Expr) {
    if let StmtKind::Assign { value, .. } | StmtKind::Reduce { value, .. } = &mut stmt.kind {
        *value =
            value.map(&mut |expr| if divides_by(&expr, divisor) { product(&expr, by.clone()) } else { expr });
    }
    stmt.blocks_mut().into_iter().flatten().for_each(|stmt| multiply(stmt, divisor, by));
}

/// A quotient as a product.
fn product(quotient: &Expr, by: Expr) -> Expr {
    match &quotient.kind {
        ExprKind::Binary(_, value, _) if value.kind == ExprKind::Float(1.0) => by,
        ExprKind::Binary(_, value, _) => (**value).clone() * by,
        _ => by,
    }
}

/// Whether a float is computed from scalars alone.
fn is_scalar(value: &Expr) -> bool {
    let mut scalar = value.ty.is_float();
    value.walk(&mut |expr| {
        scalar &= expr.ty.is_float() && !matches!(&expr.kind, ExprKind::Load(it) if !it.index.is_empty());
    });
    scalar
}

struct Divisions<'a> {
    program: &'a mut Program,
    inside: &'a Inside,
    path: Vec<Expr>,
    found: Vec<Divisor>,
}

impl Divisions<'_> {
    fn block(&mut self, block: &mut Block) {
        for stmt in block {
            match &mut stmt.kind {
                StmtKind::Assign { value, .. } | StmtKind::Reduce { value, .. } if value.ty.is_float() => {
                    if has_division(value) {
                        *value = value.map(&mut |expr| self.product(expr));
                    }
                }
                StmtKind::If { cond, then, els } => {
                    let outer = self.path.len();
                    let uniform = self.inside.is_invariant(self.program, cond);
                    self.path.extend(uniform.then(|| cond.clone()));
                    self.block(then);
                    self.path.truncate(outer);
                    self.path.extend(uniform.then(|| !cond.clone()));
                    self.block(els);
                    self.path.truncate(outer);
                }
                _ => stmt.blocks_mut().into_iter().for_each(|inner| self.block(inner)),
            }
        }
    }

    fn product(&mut self, expr: Expr) -> Expr {
        let ExprKind::Binary(BinOp::Div, _, divisor) = &expr.kind else { return expr };
        match self.reciprocal(divisor) {
            Some(reciprocal) => product(&expr, reciprocal),
            None => expr,
        }
    }

    fn reciprocal(&mut self, divisor: &Expr) -> Option<Expr> {
        let ty = divisor.ty;
        if let ExprKind::Float(value) = divisor.kind {
            let reciprocal = 1.0 / value;
            let reciprocal =
                if ty == Ty::Float(Float::F32) { f64::from((1.0 / value) as f32) } else { reciprocal };
            return reciprocal.is_normal().then(|| Expr::float(ty, reciprocal));
        }
        if !is_scalar(divisor) || !self.inside.is_invariant(self.program, divisor) {
            return None;
        }
        let known = self.found.iter().find(|known| {
            known.divisor == *divisor && known.path.iter().all(|cond| self.path.contains(cond))
        });
        if let Some(known) = known {
            return Some(self.program.load_scalar(known.reciprocal));
        }
        let reciprocal = self.program.add_scalar("by", ty, Role::Local);
        self.program[reciprocal].space = Space::Thread;
        self.found.push(Divisor { path: self.path.clone(), divisor: divisor.clone(), reciprocal });
        Some(self.program.load_scalar(reciprocal))
    }
}

fn has_division(value: &Expr) -> bool {
    let mut found = false;
    value.walk(&mut |expr| found |= matches!(expr.kind, ExprKind::Binary(BinOp::Div, ..)));
    found
}
