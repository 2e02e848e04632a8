//! What ends an iterator over `Option`s at its first `None`: sums, products and vectors of what they hold.

use super::conditions::Made;

use crate::frontend::chain::Chain;
use crate::frontend::display::tidy;
use crate::frontend::infer::Type;
use crate::frontend::param_types::{self, Shape};
use crate::frontend::resolve::Resolver;
use crate::frontend::tree::{Access, Expr, Kind, Method, Pattern, Stmt};
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
        let value = Expr::local(total, &of, span);
        let mut stmts = vec![Stmt::bind(total, Expr::new(start, of, span))];
        let cond = self.until_none(chain, span, &mut stmts, &mut |item| Stmt::update(op, &value, item));
        Made { stmts, cond, value }
    }

    /// A loop over `Option`s that does something with the values up to the first `None`, and whether there is none.
    fn until_none(
        &mut self,
        chain: Chain,
        span: Span,
        outer: &mut Vec<Stmt>,
        then: &mut dyn FnMut(Expr) -> Stmt,
    ) -> Expr {
        let all = self.hidden("all", Type::BOOL, true, span);
        let all_value = Expr::local(all, &Type::BOOL, span);
        let item = self.hidden("item", chain.item.clone(), false, span);
        let Made { mut stmts, cond, value } = self.parts_of(Expr::local(item, &chain.item, span));
        let id = self.next_loop();
        let none = vec![Stmt::assign(&all_value, Expr::bool(false, span)), Stmt::leave(id, span)];
        stmts.push(Stmt::when(cond, vec![then(value)], Some(none)));
        let looped = self.loop_as(id, chain, Pattern::Bind(item), stmts, span);
        outer.extend([Stmt::bind(all, Expr::bool(true, span)), Stmt::Expr(looped)]);
        all_value
    }

    /// `collect::<Option<Vec<_>>>()`, where the `Option` is opened at once.
    pub(crate) fn collected_options(&mut self, e: &syn::ExprMethodCall) -> Option<Made> {
        let written = match e.turbofish.as_ref()?.args.first()? {
            syn::GenericArgument::Type(written) => written,
            _ => return None,
        };
        let Ok(Shape::Option(of, _)) = param_types::shape(self.module, written) else { return None };
        let Shape::Vec(_) = *of else { return None };
        let span = e.span();
        let chain = self.chain_in_order(&e.receiver)?;
        let of = self.option_type(&chain.item)?;
        let ty = Type::slice(of);
        let written = self.type_of(written)?;
        self.unify(&written, &Type::Tuple(vec![Type::BOOL, ty.clone()]), span);
        let vector = self.hidden("collected", ty.clone(), true, span);
        let value = Expr::local(vector, &ty, span);
        let access = Access { array: "collected".to_owned(), text: tidy(e) };
        let mut stmts = vec![Stmt::bind(vector, Expr::new(Kind::EmptyVec, ty, span))];
        let cond = self.until_none(chain, span, &mut stmts, &mut |item| {
            let args = vec![value.clone(), item];
            Stmt::Expr(Expr::method(Method::Push, args, &access, Type::UNIT, span))
        });
        Some(Made { stmts, cond, value })
    }
}
