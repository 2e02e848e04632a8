//! Divisions in lane loops are products with a reciprocal, by what is the same in all lanes, and by what is divided by more
//! than once.
//!
//! ```text
//! for l in 0..w lanes                scale, by = reciprocal of u
//!   y[l] += x[l] / u            =>   for l in 0..w lanes
//!                                      y[l] += x[l] * scale * by
//! ```
//!
//! ```text
//! p = a / z                          scale, by = reciprocal of z
//! q = b / z                    =>    p = a * scale * by
//!                                    q = b * scale * by
//! ```
//!
//! Under a condition, where it is asked what lanes do anyway, the second kind does without the power of two:
//!
//! ```text
//! p = a / z                          by = 1 / z, unusual = z is no normal number, or large
//! q = b / z                    =>    p = a * by; if unusual { p = a / z }
//!                                    q = b * by; if unusual { q = b / z }
//! ```
//!
//! A vector is divided in the time of some ten products, and one division at a time. A power of two in front of the division
//! and of each product makes the way from the divisor to the adjoints longer: the forces between atoms, 2 to 4 quotients a
//! pair, take 0.90 of their time without it.
//!
//! *Legality.* The product differs from the quotient by the rounding of the reciprocal alone: by at most one unit in the
//! last place more. For that the reciprocal has to be a normal number. That of a root always is. Another divisor that is
//! subnormal, or whose reciprocal would be, is scaled by a power of two, and the dividend with it; where the scaled dividend
//! overflows, or loses digits, the quotient does so anyway. Under a condition what has such a divisor is divided after all, by
//! a jump that is foretold; the quotient stands directly in front of the statement that needs it, as of the same values. Zeros, infinities and NaN as divisors give what the division gives. A program
//! that asks for the bits of the source (`strict`) has no such products. What [decides](super::decisive) something is left as it is, conditions among it. A divisor
//! reads no array. One of the first kind reads nothing that the loop changes; it is evaluated where the division is, but
//! for conditions that differ between lanes, under which a float operation is as harmless as outside: what it reads has a
//! value there too, unless it is a tape, which is filled only where the primal's condition held. One of the second
//! kind is divided by twice in one list at least; its reciprocal stands before the first of these divisions and serves
//! until something that the divisor reads is written.

use super::control_dependences::Decisive;
use super::roots::Roots;
use crate::ir::LoopFacts;
use crate::ir::{
    BinOp, Block, BufferId, Expr, ExprKind, For, Func, Origin, Program, Role, Space, Stmt, StmtKind, Ty,
};

/// Replaces divisions in the lane loops of a block.
pub fn multiply_by_reciprocals(program: &mut Program, block: &mut Block) {
    let facts = Facts { roots: Roots::of(program, block), decisive: Decisive::of(program, block) };
    in_block(program, &facts, block);
}

/// What is known of the variables of the program.
struct Facts {
    roots: Roots,
    decisive: Decisive,
}

fn in_block(program: &mut Program, facts: &Facts, block: &mut Block) {
    for mut stmt in std::mem::take(block) {
        let origin = stmt.origin;
        let Some(lanes) = stmt.as_for_mut() else {
            stmt.blocks_mut().into_iter().for_each(|inner| in_block(program, facts, inner));
            block.push(stmt);
            continue;
        };
        if !lanes.is_in_lanes() {
            in_block(program, facts, &mut lanes.body);
            block.push(stmt);
            continue;
        }
        let found = of_loop(program, facts, lanes);
        if found.is_empty() {
            block.push(stmt);
            continue;
        }
        let runs = lanes.lo.clone().below(lanes.hi.clone());
        let declared = found.iter().flat_map(|it| it.reciprocal.variables()).collect();
        let program = &*program;
        let assignments = found.into_iter().flat_map(|it| {
            let computed = it.reciprocal.computed(program, &it.divisor, origin);
            // each condition inside of the one around it: a tape of conditions is filled only where these hold
            it.path.into_iter().rev().fold(computed, |then, cond| vec![Stmt::when(cond, then, origin)])
        });
        // what the divisor reads may have its value only if the loop runs
        let front =
            block.pop_if(|last| last.as_if().is_some_and(|(cond, _, els)| *cond == runs && els.is_empty()));
        let body = match front {
            Some(Stmt { kind: StmtKind::If { cond, mut then, els }, origin }) => {
                then.extend(assignments);
                vec![Stmt::new(StmtKind::If { cond, then, els }, origin), stmt]
            }
            _ => assignments.chain([stmt]).collect(),
        };
        block.push(Stmt::scope(declared, body, origin));
    }
}

/// A divisor and its reciprocal.
struct Divisor {
    /// The uniform conditions under which it is divided by.
    path: Vec<Expr>,
    divisor: Expr,
    reciprocal: Reciprocal,
}

/// A reciprocal that is a normal number wherever the divisor is not zero, infinite or NaN.
#[derive(Clone, Copy)]
struct Reciprocal {
    /// The power of two that the divisor is multiplied by, if it may be too small or too large.
    scale: Option<BufferId>,
    /// One by the scaled divisor.
    by: BufferId,
}

impl Reciprocal {
    fn of(program: &mut Program, facts: &Facts, divisor: &Expr) -> Reciprocal {
        let mut add = |name| program.add_scalar(name, divisor.ty, Role::Local);
        Reciprocal { scale: (!facts.roots.contain(divisor)).then(|| add("scale")), by: add("by") }
    }

    fn variables(self) -> impl Iterator<Item = BufferId> {
        self.scale.into_iter().chain([self.by])
    }

    /// The statements that give the variables their values.
    fn computed(self, program: &Program, divisor: &Expr, origin: Origin) -> Block {
        let one = Expr::float(divisor.ty, 1.0);
        let assign = |buffer, value| Stmt::set(buffer, value, origin);
        match self.scale {
            Some(scale) => {
                let scaled = divisor.clone() * program.load_scalar(scale);
                vec![assign(scale, power_of_two(divisor)), assign(self.by, one / scaled)]
            }
            None => vec![assign(self.by, one / divisor.clone())],
        }
    }

    fn product(self, program: &Program, quotient: &Expr) -> Expr {
        let dividend = match &quotient.kind {
            ExprKind::Binary(_, value, _) if value.kind != ExprKind::Float(1.0) => Some((**value).clone()),
            _ => None,
        };
        let factors = self.variables().map(|buffer| program.load_scalar(buffer));
        let product = dividend.into_iter().chain(factors).reduce(|product, factor| product * factor);
        product.unwrap_or_else(|| quotient.clone())
    }
}

/// The size of a divisor, and between which it is a normal number with a normal reciprocal.
struct Size {
    size: Expr,
    least: Expr,
    most: Expr,
    /// The power of two that makes one of a smaller one.
    up: f64,
}

impl Size {
    fn of(divisor: &Expr) -> Size {
        let (least, most, up) = match divisor.ty {
            Ty::F32 => (2f64.powi(-126), 2f64.powi(126), 2f64.powi(32)),
            _ => (2f64.powi(-1022), 2f64.powi(1022), 2f64.powi(64)),
        };
        let number = |value| Expr::float(divisor.ty, value);
        let size = Expr::call(divisor.ty, Func::Abs, vec![divisor.clone()]);
        Size { size, least: number(least), most: number(most), up }
    }
}

/// What a divisor is to be multiplied by, so that its reciprocal is a normal number.
fn power_of_two(divisor: &Expr) -> Expr {
    let Size { size, least, most, up } = Size::of(divisor);
    let number = |value| Expr::float(divisor.ty, value);
    let down = Expr::select(size.clone().above(most), number(1.0 / up), number(1.0));
    Expr::select(size.below(least), number(up), down)
}

fn of_loop(program: &mut Program, facts: &Facts, lanes: &mut For) -> Vec<Divisor> {
    let inside = LoopFacts::of(lanes);
    let mut body = std::mem::take(&mut lanes.body);
    let mut divisions =
        Divisions { program, facts, inside: &inside, path: Vec::new(), sometimes: false, found: Vec::new() };
    divisions.block(&mut body);
    let found = divisions.found;
    share(program, facts, false, &mut body);
    lanes.body = body;
    found
}

/// Divides once where a list divides more than once by one value. `asks` is whether the list is an arm of a condition.
fn share(program: &mut Program, facts: &Facts, asks: bool, list: &mut Block) {
    if let [Stmt { kind: StmtKind::Scope { buffers, body }, .. }] = &mut list[..] {
        return share_in(program, facts, asks, buffers, body);
    }
    let mut held = Vec::new();
    share_in(program, facts, asks, &mut held, list);
    *list = crate::ir::scoped(held, std::mem::take(list));
}

/// The same in the list of a scope.
fn share_in(program: &mut Program, facts: &Facts, asks: bool, held: &mut Vec<BufferId>, stmts: &mut Block) {
    let mut at = 0;
    while at < stmts.len() {
        let mut divisors = Vec::new();
        values(facts, &stmts[at], &mut |value| {
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
            let ends =
                |stmt: &Stmt| divisor.reads_any(program, &crate::ir::written(std::slice::from_ref(stmt)));
            let end = stmts[at..].iter().position(ends).map_or(stmts.len(), |behind| {
                at + behind + usize::from(stmts[at + behind].blocks().is_empty())
            });
            let mut times = 0;
            for stmt in &stmts[at..end] {
                values(facts, stmt, &mut |value| {
                    value.walk(&mut |expr| times += usize::from(divides_by(expr, &divisor)));
                });
            }
            if times < 2 {
                continue;
            }
            let origin = stmts[at].origin;
            if asks && !facts.roots.contain(&divisor) {
                let direct = Direct::of(program, divisor);
                stmts[at..end].iter_mut().for_each(|stmt| direct.multiply(program, facts, stmt));
                held.extend([direct.by, direct.unusual]);
                stmts.splice(at..at, direct.computed(origin));
                at += 2;
                continue;
            }
            let reciprocal = Reciprocal::of(program, facts, &divisor);
            let product = |quotient: &Expr| reciprocal.product(program, quotient);
            stmts[at..end].iter_mut().for_each(|stmt| multiply(facts, stmt, &divisor, &product));
            let computed = reciprocal.computed(program, &divisor, origin);
            let after = at + computed.len();
            stmts.splice(at..at, computed);
            held.extend(reciprocal.variables());
            at = after;
        }
        let asks = stmts[at].as_if().is_some() || asks && stmts[at].as_scope().is_some();
        stmts[at].blocks_mut().into_iter().for_each(|inner| share(program, facts, asks, inner));
        at += 1;
    }
}

/// A reciprocal of a divisor as it is: where that is subnormal, infinite or NaN, or the reciprocal would be subnormal, it is
/// divided after all.
struct Direct {
    divisor: Expr,
    by: BufferId,
    /// Whether it is divided.
    unusual: BufferId,
}

impl Direct {
    fn of(program: &mut Program, divisor: Expr) -> Direct {
        let by = program.add_scalar("by", divisor.ty, Role::Local);
        let unusual = program.add_scalar("unusual", Ty::Bool, Role::Local);
        Direct { divisor, by, unusual }
    }

    /// The statements that give the variables their values.
    fn computed(&self, origin: Origin) -> [Stmt; 2] {
        let Size { size, least, most, .. } = Size::of(&self.divisor);
        let usual = size.clone().at_least(least) & size.at_most(most);
        let one = Expr::float(self.divisor.ty, 1.0);
        let assign = |buffer, value| Stmt::set(buffer, value, origin);
        [assign(self.by, one / self.divisor.clone()), assign(self.unusual, !usual)]
    }

    /// Replaces the divisions in a statement.
    fn multiply(&self, program: &mut Program, facts: &Facts, stmt: &mut Stmt) {
        for inner in stmt.blocks_mut().into_iter().flatten() {
            self.multiply(program, facts, inner);
        }
        let origin = stmt.origin;
        let (mut declared, mut list) = (Vec::new(), Block::new());
        while let Some(quotient) = self.quotient(facts, stmt) {
            let value = program.add_scalar("quotient", quotient.ty, Role::Local);
            let assign = |value_of| Stmt::set(value, value_of, origin);
            let by = program.load_scalar(self.by);
            let product = match &quotient.kind {
                ExprKind::Binary(_, dividend, _) if dividend.kind != ExprKind::Float(1.0) => {
                    (**dividend).clone() * by
                }
                _ => by,
            };
            let held = program.load_scalar(value);
            if let Some((_, value)) = stmt.as_store_mut() {
                *value = value.map(&mut |expr| if expr == quotient { held.clone() } else { expr });
            }
            let divided = Stmt::when(program.load_scalar(self.unusual), vec![assign(quotient)], origin);
            list.extend([assign(product), divided]);
            declared.push(value);
        }
        if !declared.is_empty() {
            list.push(stmt.clone());
            stmt.kind = StmtKind::Scope { buffers: declared, body: list };
        }
    }

    /// A quotient that the statement computes, with none in its dividend.
    fn quotient(&self, facts: &Facts, stmt: &Stmt) -> Option<Expr> {
        let mut found = None;
        values(facts, stmt, &mut |value| {
            value.walk(&mut |expr| {
                if let ExprKind::Binary(_, dividend, _) = &expr.kind
                    && divides_by(expr, &self.divisor)
                    && !dividend.any(&mut |expr| divides_by(expr, &self.divisor))
                {
                    found = Some(expr.clone());
                }
            });
        });
        found
    }
}

/// The float that a statement computes itself, if nothing is decided by it.
fn values<'a>(facts: &Facts, stmt: &'a Stmt, visit: &mut dyn FnMut(&'a Expr)) {
    if let Some((_, value)) = stmt.as_store()
        && !facts.decisive.needs(stmt)
    {
        visit(value);
    }
}

fn divides_by(expr: &Expr, by: &Expr) -> bool {
    matches!(&expr.kind, ExprKind::Binary(BinOp::Div, _, divisor) if **divisor == *by)
}

/// Replaces the divisions by one value in a statement.
fn multiply(facts: &Facts, stmt: &mut Stmt, divisor: &Expr, product: &dyn Fn(&Expr) -> Expr) {
    let needed = facts.decisive.needs(stmt);
    if let Some((_, value)) = stmt.as_store_mut()
        && !needed
    {
        *value = value.map(&mut |expr| if divides_by(&expr, divisor) { product(&expr) } else { expr });
    }
    stmt.blocks_mut().into_iter().flatten().for_each(|stmt| multiply(facts, stmt, divisor, product));
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
    facts: &'a Facts,
    inside: &'a LoopFacts,
    path: Vec<Expr>,
    /// Whether a condition that differs between lanes is around.
    sometimes: bool,
    found: Vec<Divisor>,
}

impl Divisions<'_> {
    fn block(&mut self, block: &mut Block) {
        for stmt in block {
            let needed = self.facts.decisive.needs(stmt);
            match &mut stmt.kind {
                StmtKind::Assign { value, .. } | StmtKind::Reduce { value, .. } if value.ty.is_float() => {
                    if has_division(value) && !needed {
                        *value = value.map(&mut |expr| self.product(expr));
                    }
                }
                StmtKind::If { cond, then, els } => {
                    let (outer, sometimes) = (self.path.len(), self.sometimes);
                    let uniform = self.inside.is_invariant(self.program, cond);
                    self.sometimes |= !uniform;
                    self.path.extend(uniform.then(|| cond.clone()));
                    self.block(then);
                    self.path.truncate(outer);
                    self.path.extend(uniform.then(|| !cond.clone()));
                    self.block(els);
                    self.path.truncate(outer);
                    self.sometimes = sometimes;
                }
                _ => stmt.blocks_mut().into_iter().for_each(|inner| self.block(inner)),
            }
        }
    }

    fn product(&mut self, expr: Expr) -> Expr {
        let ExprKind::Binary(BinOp::Div, value, divisor) = &expr.kind else { return expr };
        if let ExprKind::Float(number) = divisor.kind {
            let reciprocal = match divisor.ty {
                Ty::F32 => f64::from((1.0 / number) as f32),
                _ => 1.0 / number,
            };
            // of constants outside of this range nobody divides often
            let exact_enough = (1e-30..1e30).contains(&reciprocal.abs());
            let by = Expr::float(divisor.ty, reciprocal);
            return match value.kind {
                _ if !exact_enough => expr,
                ExprKind::Float(1.0) => by,
                _ => (**value).clone() * by,
            };
        }
        match self.reciprocal(divisor) {
            Some(reciprocal) => reciprocal.product(self.program, &expr),
            None => expr,
        }
    }

    fn reciprocal(&mut self, divisor: &Expr) -> Option<Reciprocal> {
        if !is_scalar(divisor) || !self.inside.is_invariant(self.program, divisor) {
            return None;
        }
        let known = self.found.iter().find(|known| {
            known.divisor == *divisor && known.path.iter().all(|cond| self.path.contains(cond))
        });
        if let Some(known) = known {
            return Some(known.reciprocal);
        }
        if self.sometimes && self.reads_a_tape(divisor) {
            return None;
        }
        let reciprocal = Reciprocal::of(self.program, self.facts, divisor);
        for variable in reciprocal.variables() {
            self.program[variable].space = Space::Thread;
        }
        self.found.push(Divisor { path: self.path.clone(), divisor: divisor.clone(), reciprocal });
        Some(reciprocal)
    }

    fn reads_a_tape(&self, divisor: &Expr) -> bool {
        let mut found = false;
        divisor.reads(self.program, &mut |buffer| found |= self.program[buffer].role == Role::Tape);
        found
    }
}

fn has_division(value: &Expr) -> bool {
    value.any(&mut |expr| matches!(expr.kind, ExprKind::Binary(BinOp::Div, ..)))
}
