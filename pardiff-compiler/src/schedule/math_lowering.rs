//! Which implementation of each float function a scheduled program uses, and where products and sums are fused.
//!
//! ```text
//! y = exp(x)          y = polynomial exp(x)
//! r = a * b + c   =>  r = polynomial mul_add(a, b, c)
//! ```
//!
//! Legal because the promise of a float function is its error bound, not its bits (`strict` asks for those of std, and
//! leaves everything as it is). The choice is made once, by one syntactic rule, for every statement of the program: a
//! value that is computed again in the reverse sweep comes from the same expression, and so has the bits it had.

use crate::ir::{
    BinOp, Block, Exec, Expr, ExprKind, Flavour, For, Func, Level, Program, Stmt, StmtKind, change_exprs,
};

/// Chooses the polynomials of the runtime and fused products, in a program that has task loops, or kernels.
pub(crate) fn choose(program: &mut Program) {
    let is_task = |stmt: &Stmt| {
        matches!(&stmt.kind, StmtKind::For(For { exec: Exec::Parallel(Level::Task | Level::Grid), .. }))
    };
    if crate::ir::any(&program.body, &mut &is_task) {
        program.fuses = true;
        block(&mut program.body);
    }
}

fn block(stmts: &mut Block) {
    change_exprs(stmts, &mut |expr| {
        if has_choice(expr) {
            *expr = expr.map(&mut node);
        }
    });
}

fn has_choice(expr: &Expr) -> bool {
    expr.any(&mut |expr| {
        expr.ty.is_float()
            && matches!(expr.kind, ExprKind::Call(..) | ExprKind::Binary(BinOp::Add | BinOp::Sub, ..))
    })
}

fn node(expr: Expr) -> Expr {
    if !expr.ty.is_float() {
        return expr;
    }
    let ty = expr.ty;
    let fused = |a: Expr, b: Expr, c: Expr| Expr {
        ty,
        kind: ExprKind::Call(Func::MulAdd, Flavour::Polynomial, vec![a, b, c]),
    };
    let kind = match expr.kind {
        // the same bits, and a product that can be fused
        ExprKind::Call(Func::Powi, Flavour::Std, args) if is_square(&args) => {
            let [base, _] = &args[..] else { return Expr::call(ty, Func::Powi, args) };
            ExprKind::Binary(BinOp::Mul, Box::new(base.clone()), Box::new(base.clone()))
        }
        // a product and a sum are fused where the source has them apart, not where it asks for one rounding
        ExprKind::Call(func, Flavour::Std, args) if func.polynomial().is_some() && func != Func::MulAdd => {
            ExprKind::Call(func, Flavour::Polynomial, args)
        }
        ExprKind::Binary(op @ (BinOp::Add | BinOp::Sub), lhs, rhs) => match product(*lhs) {
            Ok((a, b)) if op == BinOp::Add => return fused(a, b, *rhs),
            Ok((a, b)) => return fused(a, b, -*rhs),
            Err(c) => match product(*rhs) {
                Ok((a, b)) if op == BinOp::Add => return fused(a, b, c),
                Ok((a, b)) => return fused(-a, b, c),
                Err(rhs) => ExprKind::Binary(op, Box::new(c), Box::new(rhs)),
            },
        },
        kind => kind,
    };
    Expr { ty, kind }
}

/// Whether the operands of an integer power are something that is read, and two.
fn is_square(args: &[Expr]) -> bool {
    matches!(args, [Expr { kind: ExprKind::Load(_), .. }, Expr { kind: ExprKind::Int(2), .. }])
}

/// The factors of a product.
fn product(expr: Expr) -> Result<(Expr, Expr), Expr> {
    match expr.kind {
        ExprKind::Binary(BinOp::Mul, a, b) => Ok((*a, *b)),
        kind => Err(Expr { ty: expr.ty, kind }),
    }
}
