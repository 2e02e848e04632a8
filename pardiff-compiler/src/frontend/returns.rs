//! Where a function ends with a value: by `return`, or at the end of its body.

use crate::visit::changing::{self as visit_mut, VisitMut};
use quote::ToTokens;
use syn::{Block, Expr, Stmt};

/// Visits each `return e` of the function with this body, those inside of `e` first. What closures and items in the
/// body return is their own.
pub(super) fn each_return(body: &mut Block, visit: &mut dyn FnMut(&mut Expr)) {
    Returns { visit }.visit_block_mut(body);
}

/// Visits each expression whose value the function with this body returns: that of each `return e`, and at the end of
/// the body that of each branch.
pub(super) fn each_exit(body: &mut Block, visit: &mut dyn FnMut(&mut Expr)) {
    each_return(body, &mut |e| {
        if let Expr::Return(syn::ExprReturn { expr: Some(value), .. }) = e {
            exit(value, visit);
        }
    });
    tail(body, visit);
}

/// The last expression of a block whose value is that of the function.
fn tail(block: &mut Block, visit: &mut dyn FnMut(&mut Expr)) {
    if let Some(Stmt::Expr(e, None)) = block.stmts.last_mut() {
        exit(e, visit);
    }
}

fn exit(e: &mut Expr, visit: &mut dyn FnMut(&mut Expr)) {
    match e {
        Expr::Block(e) if e.label.is_none() => tail(&mut e.block, visit),
        Expr::If(e) => {
            tail(&mut e.then_branch, visit);
            if let Some((_, els)) = &mut e.else_branch {
                exit(els, visit);
            }
        }
        Expr::Match(e) => e.arms.iter_mut().for_each(|arm| exit(&mut arm.body, visit)),
        Expr::Paren(inner) => exit(&mut inner.expr, visit),
        Expr::Group(inner) => exit(&mut inner.expr, visit),
        e if never_ends(e) => {}
        e => visit(e),
    }
}

pub(super) fn is_call_of(call: &syn::ExprCall, name: &str) -> bool {
    matches!(&*call.func, Expr::Path(path) if path.path.segments.last().is_some_and(|last| last.ident == name))
}

/// Whether an expression has no value because the function goes on elsewhere, or ends.
fn never_ends(e: &Expr) -> bool {
    match e {
        Expr::Return(_) | Expr::Break(_) | Expr::Continue(_) => true,
        Expr::Loop(of) => !super::hygiene::names(of.body.to_token_stream()).contains("break"),
        Expr::Macro(of) => {
            let last = of.mac.path.segments.last().map(|last| last.ident.to_string()).unwrap_or_default();
            matches!(last.as_str(), "panic" | "unreachable" | "unimplemented" | "todo")
        }
        _ => false,
    }
}

struct Returns<'a> {
    visit: &'a mut dyn FnMut(&mut Expr),
}

impl VisitMut for Returns<'_> {
    fn visitor(&mut self) -> &mut dyn VisitMut {
        self
    }

    fn visit_expr_mut(&mut self, e: &mut Expr) {
        if matches!(e, Expr::Closure(_)) {
            return;
        }
        visit_mut::visit_expr_mut(self, e);
        if matches!(e, Expr::Return(syn::ExprReturn { expr: Some(_), .. })) {
            (self.visit)(e);
        }
    }

    fn visit_item_mut(&mut self, _: &mut syn::Item) {}
}
