//! What an assignment adds to which adjoints: the reverse sweep over one expression.
//!
//! For `b[e] = v` the adjoint `g` of `v` is carried from the root of the expression to its loads; a load `x[i]` ends in
//! `x_bar[i] += g`. At a node `h(l, r)` the children get `g * dh/dl` and `g * dh/dr`, see the rules in `ir::func`. An
//! expression that would be written twice gets a temporary; guarded contributions become `if`s, so that what is not
//! taken adds nothing at all.

use super::reverse_stmt::Sweep;
use crate::ir::{
    BinOp, Block, BufferId, Expr, ExprKind, Func, Origin, Phase, Place, Role, Stmt, StmtKind, UnOp,
    contributions,
};

/// The reversal of one statement under construction.
pub(super) struct Reversal<'p> {
    stmt: &'p Stmt,
    pub(super) origin: Origin,
    pub(super) temporaries: Vec<BufferId>,
    pub(super) code: Block,
    /// Values of subexpressions that stand in temporaries already, by the address of the subexpression.
    values: Vec<(*const Expr, Expr)>,
}

impl<'p> Sweep<'p> {
    /// `b[e] = v`: `t = b_bar[e]; b_bar[e] = 0; contributions of v with t`
    pub(super) fn reverse_assign(&mut self, stmt: &'p Stmt, target: &Place, value: &Expr) -> Block {
        let mut reversal = Reversal::of(stmt);
        let adjoint = self.adjoint_place(target, stmt);
        let bar = adjoint.clone().load(value.ty);
        let is_definition = self.structure.single_definition(target.buffer).is_some();
        if is_definition || self.read_only.contains(&target.buffer) {
            // nothing was assigned before: the adjoint is not read again
            self.contribute(&mut reversal, value, bar);
            return reversal.finish();
        }
        let zero = Stmt::assign(adjoint, Expr::float(value.ty, 0.0), reversal.origin);
        if self.activity.depends(value) {
            let bar = self.temporary(&mut reversal, "t", bar);
            reversal.code.push(zero);
            self.contribute(&mut reversal, value, bar);
        } else {
            reversal.code.push(zero);
        }
        reversal.finish()
    }

    /// `b[e] += v`: contributions of `v` with `b_bar[e]`, which stays; `v` does not read that element.
    pub(super) fn reverse_sum(&mut self, stmt: &'p Stmt, target: &Place, value: &Expr) -> Block {
        let mut reversal = Reversal::of(stmt);
        if self.activity.depends(value) {
            let bar = self.adjoint_place(target, stmt).load(value.ty);
            self.contribute(&mut reversal, value, bar);
        }
        reversal.finish()
    }

    /// The adjoint of the element at `place`.
    fn adjoint_place(&mut self, place: &Place, stmt: &'p Stmt) -> Place {
        Place::new(self.adjoint[&place.buffer], self.index_at(place, stmt))
    }

    /// Adds `g` times the derivative of `expr` to the adjoints of everything that it loads.
    pub(super) fn contribute(&mut self, reversal: &mut Reversal<'p>, expr: &Expr, g: Expr) {
        if !self.activity.depends(expr) {
            return;
        }
        match &expr.kind {
            ExprKind::Load(place) => {
                let target = self.adjoint_place(place, reversal.stmt);
                reversal.code.push(Stmt::add(target, g, reversal.origin));
            }
            ExprKind::Unary(UnOp::Neg, operand) => self.contribute(reversal, operand, -g),
            // the adjoint of a conversion between float types is converted back
            ExprKind::Cast(operand) => self.contribute(reversal, operand, g.cast(operand.ty)),
            ExprKind::Binary(op @ (BinOp::Add | BinOp::Sub), lhs, rhs) => {
                self.contribute_sum(reversal, *op, [lhs, rhs], g);
            }
            ExprKind::Binary(op, lhs, rhs) => self.contribute_binary(reversal, expr, *op, [lhs, rhs], g),
            ExprKind::Select(parts) => self.contribute_select(reversal, parts, g),
            ExprKind::Call(func, _, args) => self.contribute_call(reversal, expr, *func, args, g),
            _ => {}
        }
    }

    fn contribute_select(&mut self, reversal: &mut Reversal<'p>, [cond, yes, no]: &[Expr; 3], g: Expr) {
        let cond = self.condition(cond, reversal.stmt);
        let g = self.bound(reversal, g, self.activity.depends(yes) && self.activity.depends(no));
        self.contribute_if(reversal, cond, &[(yes, g.clone())], &[(no, g)]);
    }

    /// Of a sum or difference. Sums are long, and each term is a call in a call: the frames of these are small, without what the
    /// other operations need.
    fn contribute_sum(&mut self, reversal: &mut Reversal<'p>, op: BinOp, [lhs, rhs]: [&Expr; 2], g: Expr) {
        let both = self.activity.depends(lhs) && self.activity.depends(rhs);
        let g = self.bound(reversal, g, both);
        self.contribute(reversal, lhs, g.clone());
        self.contribute(reversal, rhs, if op == BinOp::Add { g } else { -g });
    }

    fn contribute_binary(
        &mut self,
        reversal: &mut Reversal<'p>,
        expr: &Expr,
        op: BinOp,
        [lhs, rhs]: [&Expr; 2],
        g: Expr,
    ) {
        let both = self.activity.depends(lhs) && self.activity.depends(rhs);
        match op {
            BinOp::Add | BinOp::Sub => self.contribute_sum(reversal, op, [lhs, rhs], g),
            // l_bar += g r, r_bar += g l
            BinOp::Mul => {
                let g = self.bound(reversal, g, both);
                if self.activity.depends(lhs) {
                    let other = self.value(reversal, rhs);
                    self.contribute(reversal, lhs, g.clone() * other);
                }
                if self.activity.depends(rhs) {
                    let other = self.value(reversal, lhs);
                    self.contribute(reversal, rhs, g * other);
                }
            }
            // r_bar -= g / r^2
            BinOp::Div if is_one(lhs) => {
                let value = self.value(reversal, expr);
                self.contribute(reversal, rhs, -(g * value.clone() * value));
            }
            // l_bar += g / r, r_bar -= g / r * (l / r)
            BinOp::Div => {
                let divisor = self.value(reversal, rhs);
                let scaled = self.bound(reversal, g / divisor, both);
                self.contribute(reversal, lhs, scaled.clone());
                if self.activity.depends(rhs) {
                    let quotient = self.value(reversal, expr);
                    self.contribute(reversal, rhs, -(scaled * quotient));
                }
            }
            // l % r = l - trunc(l / r) r; the quotient l / r may round up to a whole number
            BinOp::Rem => {
                let g = self.bound(reversal, g, both);
                self.contribute(reversal, lhs, g.clone());
                if self.activity.depends(rhs) {
                    let (l, r) = (self.value(reversal, lhs), self.value(reversal, rhs));
                    let rest = self.value(reversal, expr);
                    let whole = Expr::call(expr.ty, Func::RoundTiesEven, vec![(l - rest) / r]);
                    self.contribute(reversal, rhs, -(g * whole));
                }
            }
            _ => {}
        }
    }

    fn contribute_call(
        &mut self,
        reversal: &mut Reversal<'p>,
        expr: &Expr,
        func: Func,
        args: &[Expr],
        g: Expr,
    ) {
        let values: Vec<Expr> = args.iter().map(|arg| self.value(reversal, arg)).collect();
        // the value of the function, if its derivative asks for it
        let mut is_asked = false;
        let mut ask = || {
            is_asked = true;
            expr.clone()
        };
        contributions(func, expr.ty, &values, &mut ask, &|_| g.clone());
        let value = if is_asked { self.value(reversal, expr) } else { expr.clone() };
        let twin = self.twin(func, args, reversal.stmt);
        let contributions = |g: &Expr| {
            let mut rows = contributions(func, expr.ty, &values, &mut || value.clone(), &|_| g.clone());
            if let Some((function, known)) = &twin {
                let called = Expr::call(expr.ty, *function, values.clone());
                let mut taken = |node: Expr| if node == called { known.clone() } else { node };
                rows.iter_mut().for_each(|row| row.adjoint = row.adjoint.map(&mut taken));
            }
            rows
        };
        let rows = contributions(&g);
        let shared = rows.iter().filter(|row| self.activity.depends(&args[row.operand])).count() > 1;
        let g = self.bound(reversal, g, shared);
        let rows = contributions(&g);
        let mut rows = rows.into_iter().peekable();
        while let Some(row) = rows.next() {
            let then = (&args[row.operand], row.adjoint);
            let Some(when) = row.when else {
                self.contribute(reversal, then.0, then.1);
                continue;
            };
            // a row for `c` and a row for `!c` share one `if`
            let other = rows.next_if(|other| other.when.as_ref() == Some(&!when.clone()));
            let els = other.map(|other| (&args[other.operand], other.adjoint));
            self.contribute_if(reversal, when, &[then], els.as_slice());
        }
    }

    /// `if when { contributions of `then` } else { contributions of `els` }`
    fn contribute_if(
        &mut self,
        reversal: &mut Reversal<'p>,
        when: Expr,
        then: &[(&Expr, Expr)],
        els: &[(&Expr, Expr)],
    ) {
        let then = self.contribute_branch(reversal, then);
        let els = self.contribute_branch(reversal, els);
        if then.is_empty() && els.is_empty() {
            return;
        }
        let kind = match then.is_empty() {
            true => StmtKind::If { cond: !when, then: els, els: then },
            false => StmtKind::If { cond: when, then, els },
        };
        reversal.code.push(Stmt::new(kind, reversal.origin));
    }

    fn contribute_branch(&mut self, reversal: &mut Reversal<'p>, branch: &[(&Expr, Expr)]) -> Block {
        let known = reversal.values.len();
        let outside = std::mem::take(&mut reversal.code);
        for (expr, g) in branch {
            self.contribute(reversal, expr, g.clone());
        }
        // temporaries set inside the branch are not known behind it
        reversal.values.truncate(known);
        std::mem::replace(&mut reversal.code, outside)
    }

    /// The value of a subexpression in the reverse sweep, in a temporary if computing it again would cost.
    fn value(&mut self, reversal: &mut Reversal<'p>, expr: &Expr) -> Expr {
        if let Some((_, value)) = reversal.values.iter().find(|(of, _)| std::ptr::eq(*of, expr)) {
            return value.clone();
        }
        if let Some((target, value)) = reversal.stmt.as_assign()
            && std::ptr::eq(value, expr)
        {
            let known = match has_costly_value(expr) {
                true => self.assigned_value(target, expr.ty, reversal.stmt),
                false => self.known_quotient(target, expr, reversal.stmt),
            };
            if let Some(value) = known {
                return value;
            }
        }
        let value = match &expr.kind {
            // subexpressions that stand in temporaries are not computed again
            ExprKind::Load(_) => self.value_at(expr, reversal.stmt),
            _ if expr.ty.is_float() => expr.with_operands(&mut |operand| self.value(reversal, operand)),
            _ => self.value_at(expr, reversal.stmt),
        };
        let value =
            self.bound(reversal, value, matches!(expr.kind, ExprKind::Call(..) | ExprKind::Binary(..)));
        reversal.values.push((expr, value.clone()));
        value
    }

    /// `value`, in a temporary if it is `share_snapshots` and more than a variable or a constant.
    fn bound(&mut self, reversal: &mut Reversal<'p>, value: Expr, shared: bool) -> Expr {
        let simple = match &value.kind {
            ExprKind::Load(place) => place.index.is_empty(),
            ExprKind::Unary(UnOp::Neg, operand) => operand.operands().is_empty(),
            ExprKind::Binary(..) => false,
            _ => value.operands().is_empty(),
        };
        if !shared || simple { value } else { self.temporary(reversal, "t", value) }
    }

    pub(super) fn temporary(&mut self, reversal: &mut Reversal<'p>, name: &str, value: Expr) -> Expr {
        let temporary = self.out.add_scalar(name, value.ty, Role::Local);
        reversal.temporaries.push(temporary);
        reversal.code.push(Stmt::set(temporary, value, reversal.origin));
        self.out.load_scalar(temporary)
    }
}

fn is_one(expr: &Expr) -> bool {
    matches!(expr.kind, ExprKind::Float(value) if value == 1.0)
}

/// Whether the value of the expression, which its derivative is made of, takes long to compute again.
fn has_costly_value(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Call(func, ..) => !func.cost().is_below_a_load(),
        ExprKind::Binary(BinOp::Div, lhs, _) => is_one(lhs),
        _ => false,
    }
}

impl<'p> Reversal<'p> {
    pub(super) fn of(stmt: &'p Stmt) -> Reversal<'p> {
        let origin = Origin { phase: Phase::Adjoint, ..stmt.origin };
        Reversal { stmt, origin, temporaries: Vec::new(), code: Block::new(), values: Vec::new() }
    }

    pub(super) fn finish(self) -> Block {
        if self.temporaries.is_empty() {
            return self.code;
        }
        let kind = StmtKind::Scope { buffers: self.temporaries, body: self.code };
        vec![Stmt::new(kind, self.origin)]
    }
}
