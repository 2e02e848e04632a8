//! Names for costly values: a function whose value the reversal uses is computed once.
//!
//! ```text
//! s += exp(x[i]) * y[i]         becomes         scope v { v = exp(x[i]); s += v * y[i] }
//! ```
//!
//! *Legality.* The operands of a float expression are all evaluated, and evaluating one changes nothing; so each may be
//! evaluated before the statement. Indices, conditions and integers stay where they are; so do operands that may get no
//! contribution at all, because a name would get zero, and pass on zero times an infinite derivative.
//!
//! A scope of scalars in a scope gives them to that one: it runs exactly once in each run of the outer scope, so that one
//! assignment in it is a definition there.

use super::activity::Activity;
use crate::ir::{Block, BufferId, Expr, ExprKind, Func, Kind, Origin, Program, Role, Stmt, StmtKind};

/// Gives a name to every costly active value inside an expression.
pub(super) fn name_costly_values(program: &mut Program, wrt: &[BufferId]) {
    let activity = Activity::of(program, wrt);
    let body = std::mem::take(&mut program.body);
    program.body = block(program, &activity, body, None);
}

/// The block with its values named; the names go to the scope `own` that the block is the body of, if it is.
fn block(
    program: &mut Program,
    activity: &Activity,
    body: Block,
    mut own: Option<&mut Vec<BufferId>>,
) -> Block {
    let mut all = Block::new();
    for mut stmt in body {
        let origin = stmt.origin;
        let (mut names, mut definitions) = (Vec::new(), Block::new());
        let is_assign = stmt.as_assign().is_some();
        match &mut stmt.kind {
            StmtKind::Assign { target, value } | StmtKind::Reduce { target, value, .. }
                if activity.is_active(target.buffer) =>
            {
                let (names, code) = (&mut names, &mut definitions);
                let mut naming = Naming { program, activity, origin, names, code };
                // what is assigned has a name already
                *value = if is_assign { naming.operands(value) } else { naming.value(value) };
            }
            StmtKind::Scope { buffers, body } => {
                let inner = std::mem::take(body);
                *body = block(program, activity, inner, Some(buffers));
                if let Some(own) = &mut own
                    && buffers.iter().all(|&buffer| program[buffer].rank() == 0)
                {
                    own.append(buffers);
                    all.append(body);
                    continue;
                }
            }
            _ => {
                for inner in stmt.blocks_mut() {
                    let taken = std::mem::take(inner);
                    *inner = block(program, activity, taken, None);
                }
            }
        }
        definitions.push(stmt);
        match &mut own {
            _ if names.is_empty() => all.extend(definitions),
            Some(own) => {
                own.extend(names);
                all.extend(definitions);
            }
            None => {
                let kind = StmtKind::Scope { buffers: names, body: definitions };
                all.push(Stmt::new(kind, origin));
            }
        }
    }
    all
}

struct Naming<'a> {
    program: &'a mut Program,
    activity: &'a Activity,
    origin: Origin,
    names: &'a mut Vec<BufferId>,
    code: &'a mut Block,
}

impl Naming<'_> {
    fn value(&mut self, expr: &Expr) -> Expr {
        let rebuilt = self.operands(expr);
        match &expr.kind {
            ExprKind::Call(func, ..) if is_costly(*func) && self.activity.depends(expr) => {
                let name = self.program.add_scalar(&format!("{}_of", func.name()), expr.ty, Role::Local);
                self.names.push(name);
                self.code.push(Stmt::set(name, rebuilt, self.origin));
                self.program.load_scalar(name)
            }
            _ => rebuilt,
        }
    }

    fn operands(&mut self, expr: &Expr) -> Expr {
        match &expr.kind {
            ExprKind::Load(_) | ExprKind::Select(_) => expr.clone(),
            ExprKind::Call(func, ..) if func.has_guards() => expr.clone(),
            _ => expr.with_operands(&mut |operand| match operand.ty.is_float() {
                true => self.value(operand),
                false => operand.clone(),
            }),
        }
    }
}

fn is_costly(func: Func) -> bool {
    func.kind() == Kind::Float && !func.cost().is_below_a_load()
}
