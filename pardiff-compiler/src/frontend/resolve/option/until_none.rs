//! What ends an iterator over `Option`s at its first `None`: sums, products and vectors of what they hold.

use super::conditions::Made;
use super::selected::{conditional, left, local};
use crate::frontend::chain::Chain;
use crate::frontend::display::tidy;
use crate::frontend::infer::Type;
use crate::frontend::param_types::{self, Shape};
use crate::frontend::resolve::Resolver;
use crate::frontend::tree::{Access, Expr, Kind, Len, Method, Pattern, Stmt};
use proc_macro2::Span;
use syn::spanned::Spanned;

impl Resolver<'_> {
    /// The sum or product of the values in `Option`s: the first `None` ends it.
    ///
    /// ```text
    /// let mut total = start; let mut all = true;
    /// for item in chain { if let Some(v) = item { total op= v } else { all = false; break } }
    /// ```
    pub(crate) fn options_accumulated(&mut self, chain: Chain, of: Type, sum: bool, span: Span) -> Made {
        let (start, op, name) = self.neutral(&of, sum);
        let total = self.hidden(name, of.clone(), true, span);
        let total_value = local(total, &of, span);
        let start = Expr::new(start, of.clone(), span);
        let (stmts, all) = self.until_none(chain, span, &mut |_, value| {
            let update = Kind::AssignOp(op, total_value.clone().boxed(), value.boxed());
            Expr::new(update, Type::UNIT, span)
        });
        let first = Stmt::Let(Pattern::Bind(total), Some(start), span);
        Made { stmts: std::iter::once(first).chain(stmts).collect(), cond: all, value: total_value }
    }

    /// A loop over `Option`s that does something with the values up to the first `None`, and whether there is none.
    fn until_none(
        &mut self,
        chain: Chain,
        span: Span,
        then: &mut dyn FnMut(&mut Self, Expr) -> Expr,
    ) -> (Vec<Stmt>, Expr) {
        let all = self.hidden("all", Type::BOOL, true, span);
        let all_value = local(all, &Type::BOOL, span);
        let truth = |truth| Expr::new(Kind::Bool(truth), Type::BOOL, span);
        let ty = chain.item.clone();
        let item = self.hidden("item", ty.clone(), false, span);
        let Made { stmts, cond, value } = self.parts_of(local(item, &ty, span));
        let id = self.next_loop();
        let none = Kind::Assign(all_value.clone().boxed(), truth(false).boxed());
        let none = vec![Stmt::Expr(Expr::new(none, Type::UNIT, span)), left(id, span)];
        let then = vec![Stmt::Expr(then(self, value))];
        let body = stmts.into_iter().chain([Stmt::Expr(conditional(cond, then, Some(none)))]).collect();
        let looped = self.loop_as(id, chain, Pattern::Bind(item), body, span);
        let first = Stmt::Let(Pattern::Bind(all), Some(truth(true)), span);
        (vec![first, Stmt::Expr(looped)], all_value)
    }

    /// `collect::<Option<Vec<_>>>()`, where the `Option` is opened at once.
    pub(super) fn collected_options(&mut self, e: &syn::ExprMethodCall) -> Option<Made> {
        let written = match e.turbofish.as_ref()?.args.first()? {
            syn::GenericArgument::Type(written) => written,
            _ => return None,
        };
        let Ok(Shape::Option(of)) = param_types::shape(self.module, written) else { return None };
        let Shape::Vec(_) = *of else { return None };
        let span = e.span();
        let chain = self.chain_in_order(&e.receiver)?;
        let of = self.option_type(&chain.item)?;
        let ty = Type::array(of, Len::Dynamic);
        let written = self.type_of(written)?;
        self.unify(&written, &Type::Tuple(vec![Type::BOOL, ty.clone()]), span);
        let vector = self.hidden("collected", ty.clone(), true, span);
        let variable = local(vector, &ty, span);
        let access = Access { array: "collected".to_owned(), text: tidy(e) };
        let (stmts, all) = self.until_none(chain, span, &mut |_, value| {
            let push = Kind::Method(Method::Push, vec![variable.clone(), value], access.clone());
            Expr::new(push, Type::UNIT, span)
        });
        let first = Stmt::Let(Pattern::Bind(vector), Some(Expr::new(Kind::EmptyVec, ty, span)), span);
        Some(Made { stmts: std::iter::once(first).chain(stmts).collect(), cond: all, value: variable })
    }
}
