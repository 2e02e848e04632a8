//! Vectors that take over the items of an iterator.
//!
//! ```text
//! v.extend_from_slice(x);     for item in x { v.push(*item) }
//! v.extend(x.iter().map(f));  for item in x.iter().map(f) { v.push(item) }
//! ```

use super::super::infer::Type;
use super::super::tree::{Access, Expr, Method, Pattern, Stmt};
use super::Resolver;
use syn::spanned::Spanned;

impl Resolver<'_> {
    /// `v.extend_from_slice(x)` and `v.extend(items)`; `None` if it is neither, or of something else than a vector.
    pub(super) fn extended(&mut self, e: &syn::ExprMethodCall, receiver: &Expr, name: &str) -> Option<Expr> {
        if !matches!(name, "extend" | "extend_from_slice")
            || e.args.len() != 1
            || self.nd_rank(&receiver.ty) > 0
        {
            return None;
        }
        let Type::Array(elem, _) = self.infer.peel(&receiver.ty) else { return None };
        let span = e.span();
        let items = match name {
            "extend" => self.items(&e.args[0]),
            _ => {
                let slice = self.expr(&e.args[0]);
                self.elements(slice, Some(false))
            }
        };
        let Some(items) = items else { return Some(self.error(span)) };
        let mut stmts = Vec::new();
        let vector = self.borrowed(receiver.clone(), true);
        let vector = self.named("vector", vector, &mut stmts);
        let item = self.hidden("item", items.item.clone(), false, span);
        let value = self.dereferenced(Expr::local(item, &items.item, span));
        self.unify(&elem, &value.ty, e.args[0].span());
        let access = Access::of(&e.receiver, e);
        let push = Stmt::Expr(Expr::method(Method::Push, vec![vector, value], &access, Type::UNIT, span));
        stmts.push(Stmt::Expr(self.loop_over(items, Pattern::Bind(item), vec![push], span)));
        Some(Expr::block(stmts, Type::UNIT, span))
    }
}
