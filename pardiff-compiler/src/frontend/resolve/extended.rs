//! Vectors that take over the items of an iterator.
//!
//! ```text
//! v.extend_from_slice(x);     for item in x { v.push(*item) }
//! v.extend(x.iter().map(f));  for item in x.iter().map(f) { v.push(item) }
//! ```

use super::super::display::tidy;
use super::super::infer::Type;
use super::super::tree::{Access, Block, Expr, Kind, Method, Pattern, Stmt};
use super::Resolver;
use super::expr::array_name;
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
        let vector = self.borrowed(receiver.clone(), true);
        let name = self.hidden("vector", vector.ty.clone(), false, span);
        let named = Expr::new(Kind::Local(name), vector.ty.clone(), span);
        let item = self.hidden("item", items.item.clone(), false, span);
        let value = Expr::new(Kind::Local(item), items.item.clone(), span);
        let value = self.dereferenced(value);
        self.unify(&elem, &value.ty, e.args[0].span());
        let access = Access { array: array_name(&e.receiver), text: tidy(e) };
        let push = Kind::Method(Method::Push, vec![named, value], access);
        let push = Stmt::Expr(Expr::new(push, Type::UNIT, span));
        let looped = self.loop_over(items, Pattern::Bind(item), vec![push], span);
        let stmts = vec![Stmt::Let(Pattern::Bind(name), Some(vector), span), Stmt::Expr(looped)];
        Some(Expr::new(Kind::Block(Block { stmts, tail: None }), Type::UNIT, span))
    }
}
