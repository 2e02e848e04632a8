//! Where a function ends with a value by `return`.

use crate::visit::changing::{self as visit_mut, VisitMut};
use syn::{Block, Expr};

/// Visits each `return e` of the function with this body, those inside of `e` first. What closures and items in the
/// body return is their own.
pub(super) fn each_return(body: &mut Block, visit: &mut dyn FnMut(&mut Expr)) {
    Returns { visit }.visit_block_mut(body);
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
