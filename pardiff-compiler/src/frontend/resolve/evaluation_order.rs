//! Jumps inside of expressions: what they are in is computed behind them, what comes before them in front.
//!
//! ```text
//! Some(norm(a)? / x[i] + norm(b)?)      let first = norm(a)?; let second = x[i]; let third = norm(b)?;
//!                                       Some(first / second + third)
//! s += match k { 0 => continue, … };    let first = match k { 0 => continue, … }; s += first;
//! ```
//!
//! Operands keep their order. Where one in front of a jump cannot get a name, a part of an array for example, all stays as it
//! is, and the jump is refused.

use super::super::infer::Type;
use super::super::tree::{Block, Expr, Kind, LocalId, Stmt};
use super::Resolver;
use super::changed::changed_outside;

impl Resolver<'_> {
    /// An expression as the body of an arm or a closure.
    pub(super) fn with_jumps_in_front(&mut self, e: Expr) -> Expr {
        let mut stmts = Vec::new();
        let e = self.jumps_in_front(e, &mut stmts);
        let span = e.span;
        e.behind(stmts, span)
    }

    /// A statement or its value, behind the jumps that its operands make.
    pub(super) fn jumps_in_front(&mut self, e: Expr, stmts: &mut Vec<Stmt>) -> Expr {
        let Expr { kind, ty, span } = e;
        let jumps = |e: &Expr| !e.jumps().is_empty();
        let kind = match kind {
            Kind::Assign(left, right) if jumps(&right) && !jumps(&left) => {
                Kind::Assign(left, self.operand_in_front(*right, stmts).boxed())
            }
            Kind::AssignOp(op, left, right) if jumps(&right) && !jumps(&left) => {
                Kind::AssignOp(op, left, self.operand_in_front(*right, stmts).boxed())
            }
            Kind::If(cond, then, els) if jumps(&cond) => {
                Kind::If(self.operand_in_front(*cond, stmts).boxed(), then, els)
            }
            Kind::Match(mut m) if jumps(&m.scrutinee) => {
                m.scrutinee = self.operand_in_front(m.scrutinee, stmts);
                Kind::Match(m)
            }
            Kind::Jump(target, Some(value)) if jumps(&value) => {
                Kind::Jump(target, Some(self.jumps_in_front(*value, stmts).boxed()))
            }
            Kind::Block(Block { stmts: inner, tail }) => {
                let mut block = Block::default();
                for stmt in inner {
                    let stmt = match stmt {
                        Stmt::Let(pattern, Some(init), span) => {
                            let init = self.jumps_in_front(init, &mut block.stmts);
                            Stmt::Let(pattern, Some(init), span)
                        }
                        Stmt::LetElse(pattern, value, els) => {
                            Stmt::LetElse(pattern, self.operand_in_front(value, &mut block.stmts), els)
                        }
                        Stmt::Expr(e) => Stmt::Expr(self.jumps_in_front(e, &mut block.stmts)),
                        stmt => stmt,
                    };
                    block.stmts.push(stmt);
                }
                block.tail = tail.map(|tail| self.jumps_in_front(*tail, &mut block.stmts).boxed());
                Kind::Block(block)
            }
            mut other => {
                match &mut other {
                    Kind::Unary(_, of)
                    | Kind::Cast(of)
                    | Kind::Field(of, _)
                    | Kind::Borrow(of)
                    | Kind::Deref(of) => {
                        let e = std::mem::replace(&mut **of, Expr::bool(true, span));
                        **of = self.operand_in_front(e, stmts);
                    }
                    Kind::Binary(_, a, b) | Kind::Index(a, b, _) => {
                        self.operands_in_front(&mut [&mut **a, &mut **b], stmts);
                    }
                    Kind::Tuple(parts) | Kind::Array(parts) | Kind::Method(_, parts, _) => {
                        self.operands_in_front(&mut parts.iter_mut().collect::<Vec<_>>(), stmts);
                    }
                    Kind::Inline(inline) => {
                        self.operands_in_front(&mut inline.args.iter_mut().collect::<Vec<_>>(), stmts);
                    }
                    _ => {}
                }
                other
            }
        };
        Expr { kind, ty, span }
    }

    /// The operands of an operation, in order: those in front of the last that jumps get names.
    fn operands_in_front(&mut self, operands: &mut [&mut Expr], stmts: &mut Vec<Stmt>) {
        let Some(last) = operands.iter().rposition(|e| !e.jumps().is_empty()) else { return };
        let mut changed = Vec::new();
        for e in &operands[..=last] {
            changed_outside(e, usize::MAX, &mut |local, _| changed.push(local));
        }
        if !operands[..last].iter().all(|e| stays(e, &changed) || self.can_be_named(e)) {
            return;
        }
        for (at, operand) in operands[..=last].iter_mut().enumerate() {
            let span = operand.span;
            if at < last && stays(operand, &changed) {
                continue;
            }
            let e = std::mem::replace(&mut **operand, Expr::new(Kind::Error, Type::Never, span));
            **operand = match at < last && e.jumps().is_empty() {
                true => self.name_in_front(e, stmts),
                false => self.operand_in_front(e, stmts),
            };
        }
    }

    /// An operand without jumps: its own operands behind theirs, or a name for the whole.
    fn operand_in_front(&mut self, e: Expr, stmts: &mut Vec<Stmt>) -> Expr {
        if e.jumps().is_empty() {
            return e;
        }
        match e.kind {
            Kind::If(..) | Kind::Match(_) | Kind::Block(_) | Kind::Labelled(_) if self.can_be_named(&e) => {
                let e = self.jumps_in_front(e, stmts);
                self.name_in_front(e, stmts)
            }
            _ => {
                let e = self.jumps_in_front(e, stmts);
                match e.kind {
                    Kind::Block(Block { stmts: inner, tail: Some(tail) }) => {
                        stmts.extend(inner);
                        *tail
                    }
                    kind => Expr { kind, ..e },
                }
            }
        }
    }

    fn name_in_front(&mut self, e: Expr, stmts: &mut Vec<Stmt>) -> Expr {
        let ty = self.infer.shallow(&e.ty);
        self.named("value", Expr { ty, ..e }, stmts)
    }

    /// Whether a name for a value is as good as the value: a number, or as many as its type says.
    fn can_be_named(&self, e: &Expr) -> bool {
        match self.infer.shallow(&e.ty) {
            Type::Scalar(_) | Type::Var(_) => true,
            Type::Ref(..) | Type::Never => false,
            ty => self.is_element(&ty),
        }
    }
}

/// Whether the operands around it cannot change a value, nor is it seen when it is left out.
fn stays(e: &Expr, changed: &[LocalId]) -> bool {
    match &e.kind {
        Kind::Int(_) | Kind::Float(_) | Kind::Bool(_) | Kind::Path(_) | Kind::Length(_) | Kind::Zeros => true,
        Kind::Local(local) => !changed.contains(local),
        Kind::Borrow(of) | Kind::Deref(of) | Kind::Field(of, _) => stays(of, changed),
        _ => false,
    }
}
