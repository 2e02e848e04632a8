//! Sums of lanes give up their uniform factors, and share what is left.
//!
//! ```text
//! for l in 0..w lanes                     scope t_sum: f64
//!   if r[l] < reach                         t_sum = 0.0
//!     t = d_f * r[l]                        for l in 0..w lanes
//!     d_k[a] += t * k[b]           =>         if r[l] < reach
//!     d_k[b] += t * k[a]                        t = d_f * r[l]
//!                                               t_sum += t
//!                                           if t_sum != 0.0
//!                                             d_k[a] += t_sum * k[b]
//!                                             d_k[b] += t_sum * k[a]
//! ```
//!
//! Every sum of a lane loop into an element that is the same for all lanes costs an accumulator, and adding its lanes
//! up behind the loop costs about as much as two vectors of the loop. Sums of one varying value with different uniform
//! factors need one accumulator among them; a factor behind a division is divided by once instead of for every vector.
//!
//! *Legality.* The sums commute, and nothing in the loop reads their targets. They stand in one list, so the same lanes
//! come to all of them, and nothing between them writes what the value is computed from. A factor is uniform if it is
//! computed from what the loop does not change, if need be through variables that the loop gives such a value once. Only
//! the rounding differs: `a * u + b * u` is `(a + b) * u`; loops in which sums may not be regrouped have no lanes over
//! them. Behind the loop nothing is evaluated unless the sum differs from zero: then some lane came to it, its checks
//! have passed, and so its elements exist. A sum that is zero contributes exactly nothing, even if a factor is infinite.

use crate::ir::Update;
use crate::ir::{
    BinOp, Block, BufferId, BufferSet, Expr, ExprKind, For, IterId, Place, Program, ReduceOp, Role, Scheme,
    Space, Stmt, StmtKind, UnOp,
};
use crate::ir::{LoopFacts, walk};
use std::collections::HashMap;

/// Rewrites the loops over lanes in a block.
pub(super) fn factor_out(program: &mut Program, block: &mut Block, over_lanes: &[IterId]) {
    let mut of_block = |lanes: &For| over_lanes.contains(&lanes.iter).then_some(Products::Whole);
    rewrite(program, block, &mut of_block);
}

/// Rewrites the loops in a block that run in lanes, where these are innermost ones. Their rows are short: a product that has
/// a name gives up its factors as well, as they cost a part of the loop. In loops inside a name has many values one after the
/// other, and is left alone.
pub(super) fn factor_out_of_rows(program: &mut Program, block: &mut [Stmt]) {
    let mut of_row = |lanes: &For| {
        let nested = crate::ir::any(&lanes.body, &mut |stmt| stmt.as_for().is_some());
        let products = if nested { Products::Whole } else { Products::Opened };
        lanes.is_in_lanes().then_some(products)
    };
    rewrite(program, block, &mut of_row);
}

/// Whether the factors of a product that has a name are looked for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Products {
    Whole,
    Opened,
}

fn rewrite(program: &mut Program, block: &mut [Stmt], which: &mut dyn FnMut(&For) -> Option<Products>) {
    for stmt in block {
        let products = stmt.as_for().and_then(&mut *which);
        match stmt.as_for_mut().zip(products) {
            Some((lanes, products)) => {
                let shared = shared(program, lanes, products);
                if !shared.is_empty() {
                    *stmt = around(program, stmt.take(), shared);
                }
            }
            None => stmt.blocks_mut().into_iter().for_each(|block| rewrite(program, block, which)),
        }
    }
}

/// A sum of what others have in common, and what it is added to behind the loop.
struct Shared {
    sum: BufferId,
    adds: Vec<Stmt>,
}

/// The loop in the scope of its shared sums.
fn around(program: &Program, lanes: Stmt, shared: Vec<Shared>) -> Stmt {
    let origin = lanes.origin;
    let mut body = Block::new();
    let mut behind = Block::new();
    let buffers = shared.iter().map(|it| it.sum).collect();
    for Shared { sum, adds } in shared {
        let zero = Expr::float(program[sum].elem, 0.0);
        let cond = Expr::binary(BinOp::Ne, program.load_scalar(sum), zero.clone());
        body.push(Stmt::set(sum, zero, origin));
        let origin = adds.first().map_or(origin, |add| add.origin);
        behind.push(Stmt::when(cond, adds, origin));
    }
    body.push(lanes);
    body.append(&mut behind);
    Stmt::scope(buffers, body, origin)
}

/// Takes what is shared out of the body of a loop.
fn shared(program: &mut Program, lanes: &mut For, products: Products) -> Vec<Shared> {
    let mut inside = Inside::of(program, lanes);
    if products == Products::Opened {
        inside.open_products(program, &lanes.body);
    }
    let mut found = Vec::new();
    inside.list(program, &mut lanes.body, &mut found);
    if products == Products::Opened && !found.is_empty() {
        while forget(program, &inside.facts.own, &mut lanes.body) {}
    }
    found
}

/// Removes float variables of the loop that nothing reads any more; whether there was one.
fn forget(program: &Program, own: &BufferSet, body: &mut Block) -> bool {
    let mut kept = BufferSet::new();
    walk(body, &mut |stmt| {
        stmt.each_expr(&mut |expr| expr.each_named(&mut |buffer| _ = kept.insert(buffer)));
        if stmt.as_assign().is_none() && stmt.as_scope().is_none() {
            stmt.writes(&mut |buffer| _ = kept.insert(buffer));
        }
    });
    // what stands in blocks inside was seen as a write of the statement around it, and stays
    let is_gone = |buffer: &BufferId| {
        own.contains(*buffer) && !kept.contains(*buffer) && program[*buffer].elem.is_float()
    };
    let mut gone = false;
    remove(body, &is_gone, &mut gone);
    gone
}

/// Removes assignments to variables of a list and of the scopes in it, and their declarations.
fn remove(body: &mut Block, is_gone: &dyn Fn(&BufferId) -> bool, gone: &mut bool) {
    for mut stmt in std::mem::take(body) {
        match &mut stmt.kind {
            StmtKind::Assign { target, .. } if is_gone(&target.buffer) => *gone = true,
            StmtKind::Scope { buffers, body: inner } => {
                let declared = buffers.len();
                buffers.retain(|buffer| !is_gone(buffer));
                *gone |= buffers.len() < declared;
                remove(inner, is_gone, gone);
                match buffers.is_empty() {
                    true => body.append(inner),
                    false => body.push(stmt),
                }
            }
            _ => body.push(stmt),
        }
    }
}

/// What is not the same before and behind a loop.
struct Inside {
    facts: LoopFacts,
    /// Variables of the loop that have one uniform value.
    uniform: HashMap<BufferId, Expr>,
    /// Variables of the loop that are products with uniform factors, and these.
    products: HashMap<BufferId, Expr>,
}

/// A term of a sum: `factor * value`.
struct Term {
    factor: Option<Expr>,
    value: Option<Expr>,
}

impl Inside {
    fn of(program: &Program, lanes: &For) -> Inside {
        let facts = LoopFacts::of(lanes);
        let mut inside = Inside { facts, uniform: HashMap::new(), products: HashMap::new() };
        walk(&lanes.body, &mut |stmt| {
            if let Some((buffer, value)) = stmt.as_scalar_assign()
                && program[buffer].rank() == 0
                && inside.facts.is_written_once(buffer)
                && let Some(value) = inside.uniform(program, value)
            {
                inside.uniform.insert(buffer, value);
            }
        });
        inside
    }

    /// Notes variables that are products with uniform factors. Each is written once, and so is all that its product reads: so
    /// the product has one value wherever the variable has it. What it reads is declared where the variable is, or around that.
    fn open_products(&mut self, program: &Program, body: &Block) {
        let mut writes: HashMap<BufferId, usize> = HashMap::new();
        walk(body, &mut |stmt| {
            if let Some((target, _)) = stmt.as_store() {
                *writes.entry(target.buffer).or_default() += 1;
            }
        });
        let once = |buffer: BufferId| {
            program[buffer].rank() == 0 && self.facts.own.contains(buffer) && writes.get(&buffer) == Some(&1)
        };
        let mut scopes = HashMap::new();
        note_scopes(body, &mut Vec::new(), &mut scopes);
        let is_open = |variable: BufferId, value: &Expr| {
            let around = |buffer: BufferId| match (scopes.get(&buffer), scopes.get(&variable)) {
                (Some(scope), Some(of_variable)) => of_variable.starts_with(scope),
                (scope, _) => scope.is_none(),
            };
            value.all(&mut |part| match &part.kind {
                ExprKind::Load(place) => {
                    let fixed = !self.facts.written.contains(place.buffer) || once(place.buffer);
                    fixed && around(place.buffer)
                }
                ExprKind::Call(..) | ExprKind::Apply(..) | ExprKind::Select(_) => false,
                _ => true,
            })
        };
        let mut products = HashMap::new();
        walk(body, &mut |stmt| {
            if let Some((target, value)) = stmt.as_assign()
                && once(target.buffer)
                && value.ty.is_float()
                && is_open(target.buffer, value)
            {
                let Term { factor, value: rest } = self.term(program, value);
                if factor.is_some() && rest.is_some_and(|rest| !has_division(&rest)) {
                    products.insert(target.buffer, value.clone());
                }
            }
        });
        self.products = products;
    }

    /// The expression as it is computed outside of the loop, if it is the same there.
    fn uniform(&self, program: &Program, expr: &Expr) -> Option<Expr> {
        let outside = expr.map(&mut |expr| match &expr.kind {
            ExprKind::Load(place) => self.uniform.get(&place.buffer).cloned().unwrap_or(expr),
            _ => expr,
        });
        self.facts.is_invariant(program, &outside).then_some(outside)
    }

    /// Shares sums of a list and of the lists in it.
    fn list(&self, program: &mut Program, list: &mut Block, found: &mut Vec<Shared>) {
        let mut at = 0;
        while at < list.len() {
            if let Some((_, _, first)) = self.sum(program, &list[at]) {
                let users = self.alike(program, &list[at..], first.value.as_ref());
                let divides = first.factor.as_ref().is_some_and(has_division);
                if users.len() > 1 || (divides && first.value.is_some()) {
                    let users: Vec<usize> = users.into_iter().map(|user| at + user).collect();
                    self.share(program, list, &users, found);
                }
            }
            at += 1;
        }
        for stmt in list {
            if stmt.as_scope().is_some() || stmt.as_if().is_some() {
                stmt.blocks_mut().into_iter().for_each(|inner| self.list(program, inner, found));
            }
        }
    }

    /// The statement as a sum into an element that is the same for all lanes.
    fn sum(&self, program: &Program, stmt: &Stmt) -> Option<(Place, Scheme, Term)> {
        let Some(Update { op: ReduceOp::Add, target, value, scheme }) = stmt.as_update() else { return None };
        if self.facts.own.contains(target.buffer) || !value.ty.is_float() || scheme == Scheme::FactorOut {
            return None;
        }
        let index: Option<Vec<Expr>> =
            target.index.iter().map(|index| self.uniform(program, index)).collect();
        Some((Place::new(target.buffer, index?), scheme, self.term(program, value)))
    }

    /// A value as the product of a uniform factor and of what is left.
    fn term(&self, program: &Program, value: &Expr) -> Term {
        if let Some(factor) = self.uniform(program, value) {
            return Term { factor: Some(factor), value: None };
        }
        let one = || Expr::float(value.ty, 1.0);
        match &value.kind {
            ExprKind::Load(place) if self.products.contains_key(&place.buffer) => {
                self.term(program, &self.products[&place.buffer])
            }
            ExprKind::Unary(UnOp::Neg, operand) => {
                let Term { factor, value } = self.term(program, operand);
                Term { factor: Some(Expr::unary(UnOp::Neg, factor.unwrap_or_else(one))), value }
            }
            ExprKind::Binary(BinOp::Mul, a, b) => {
                let (a, b) = (self.term(program, a), self.term(program, b));
                Term { factor: product(a.factor, b.factor), value: product(a.value, b.value) }
            }
            ExprKind::Binary(BinOp::Div, a, b) => match self.uniform(program, b) {
                Some(by) => {
                    let Term { factor, value } = self.term(program, a);
                    let factor = Expr::binary(BinOp::Div, factor.unwrap_or_else(one), by);
                    Term { factor: Some(factor), value }
                }
                None => Term { factor: None, value: Some(value.clone()) },
            },
            _ => Term { factor: None, value: Some(value.clone()) },
        }
    }

    /// Those of the statements that sum this value, from the first one on.
    fn alike(&self, program: &Program, stmts: &[Stmt], value: Option<&Expr>) -> Vec<usize> {
        let mut users = Vec::new();
        let mut elem = None;
        for (at, stmt) in stmts.iter().enumerate() {
            if let Some((target, _, term)) = self.sum(program, stmt)
                && term.value.as_ref() == value
                && *elem.get_or_insert(program[target.buffer].elem) == program[target.buffer].elem
            {
                users.push(at);
            }
            if value.is_some_and(|value| value.loads_any(&crate::ir::written(std::slice::from_ref(stmt)))) {
                break;
            }
        }
        users
    }

    /// Makes one sum of several.
    fn share(&self, program: &mut Program, list: &mut Block, users: &[usize], found: &mut Vec<Shared>) {
        let [first, others @ ..] = users else { return };
        let Some((target, _, term)) = self.sum(program, &list[*first]) else { return };
        let elem = program[target.buffer].elem;
        let value = term.value.unwrap_or_else(|| Expr::float(elem, 1.0));
        let named = match &value.kind {
            ExprKind::Load(place) => place.buffer,
            _ => target.buffer,
        };
        let name = format!("{}_sum", program[named].name);
        let sum = program.add_scalar(&name, elem, Role::Local);
        program[sum].space = Space::Thread;
        let mut adds = Vec::new();
        for &user in users {
            let Some((target, scheme, Term { factor, .. })) = self.sum(program, &list[user]) else {
                continue;
            };
            let value = program.load_scalar(sum);
            let value = match factor {
                Some(factor) => Expr::binary(BinOp::Mul, value, factor),
                None => value,
            };
            let add = StmtKind::Reduce { op: ReduceOp::Add, target, value, scheme };
            adds.push(Stmt::new(add, list[user].origin));
        }
        let target = Place::scalar(sum);
        list[*first].kind = StmtKind::Reduce { op: ReduceOp::Add, target, value, scheme: Scheme::FactorOut };
        for &other in others.iter().rev() {
            list.remove(other);
        }
        found.push(Shared { sum, adds });
    }
}

/// Notes in which scopes each variable is declared, outermost first, by their variables.
fn note_scopes(block: &[Stmt], around: &mut Vec<BufferId>, found: &mut HashMap<BufferId, Vec<BufferId>>) {
    for stmt in block {
        let depth = around.len();
        if let Some((buffers, _)) = stmt.as_scope() {
            around.extend(buffers.first());
            buffers.iter().for_each(|&buffer| _ = found.insert(buffer, around.clone()));
        }
        stmt.blocks().into_iter().for_each(|inner| note_scopes(inner, around, found));
        around.truncate(depth);
    }
}

fn product(a: Option<Expr>, b: Option<Expr>) -> Option<Expr> {
    match (a, b) {
        (Some(a), Some(b)) => Some(Expr::binary(BinOp::Mul, a, b)),
        (a, b) => a.or(b),
    }
}

fn has_division(factor: &Expr) -> bool {
    factor.any(&mut |expr| matches!(expr.kind, ExprKind::Binary(BinOp::Div, ..)))
}
