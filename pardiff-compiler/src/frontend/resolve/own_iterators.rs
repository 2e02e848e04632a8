//! Iterators of the program itself: structs with an `impl Iterator`.
//!
//! ```text
//! for p in steps { … }                 { let mut items = steps; while let Some(p) = items.next() { … } }
//! steps.map(f).sum::<f64>()            (0..).scan(steps, |items, _| items.next()).map(f).sum::<f64>()
//! ```
//!
//! Legal because `next` is all that the adapters of std call, once for each item and in order.

use super::super::chain::{Chain, ChainKind, Closure, Scan};
use super::super::hygiene::fresh_at;
use super::super::infer::Type;
use super::super::tree::{Expr, Pattern, Stmt};
use super::iterator::{is_adapter, is_chain};
use super::{Name, Resolver, bare};
use proc_macro2::Span;
use quote::ToTokens;
use syn::spanned::Spanned;

/// Methods that use an iterator up.
const CONSUMERS: &str = "sum product fold for_each collect unzip partition count reduce last max min max_by min_by max_by_key \
    min_by_key try_fold";

/// Methods that leave in it what they do not take.
const STEPS: &str = "by_ref nth any all find position";

impl Resolver<'_> {
    /// A `for` over a struct with an `impl Iterator`, or over a `&mut` of one.
    ///
    /// ```text
    /// for p in steps { … }             { let mut items = steps; while let Some(p) = items.next() { … } }
    /// ```
    pub(super) fn own_iterator(&mut self, e: &syn::ExprForLoop) -> Option<Expr> {
        if !self.module.records().has_function("next") || is_chain(&e.expr) {
            return None;
        }
        let refusals = self.refusals.0.len();
        let value = self.expr(&e.expr);
        if !self.is_own_iterator(&value.ty) {
            self.refusals.0.truncate(refusals);
            return None;
        }
        let (span, pat, body, label) = (e.for_token.span(), &e.pat, &e.body, &e.label);
        let items = fresh_at("items", span, e.to_token_stream());
        let mut looped: syn::ExprWhile =
            syn::parse_quote_spanned!(span=> #label while let Some(#pat) = #items.next() #body);
        looped.attrs.clone_from(&e.attrs);
        let ty = value.ty.clone();
        Some(self.scoped(false, |this| {
            let local = this.declare(&items.to_string(), ty, true, span);
            let looped = this.expr(&syn::Expr::While(looped));
            Expr::block(vec![Stmt::bind(local, value), Stmt::Expr(looped)], Type::UNIT, span)
        }))
    }

    /// Whether values of a type, or what they refer to, have an `impl Iterator` of the module.
    pub(super) fn is_own_iterator(&self, ty: &Type) -> bool {
        match self.infer.peel(ty) {
            Type::Record(of) => self.module.records().has_trait(&of.name.to_string(), "Iterator"),
            _ => false,
        }
    }

    /// The items of one: what `next` returns, up to the first `None`.
    pub(super) fn own_items(&mut self, start: Expr) -> Chain {
        let (span, ty) = (start.span, start.ty.clone());
        let items = fresh_at("items", span, proc_macro2::TokenStream::new());
        self.made_one_by_one(start, true, span, |this| {
            let state = this.declare(&items.to_string(), ty, true, span);
            (state, this.expr(&syn::parse_quote_spanned!(span=> #items.next())))
        })
    }

    /// The items that `next` makes of a state, up to the first `None` if that ends them.
    fn made_one_by_one(
        &mut self,
        start: Expr,
        ends: bool,
        span: Span,
        next: impl FnOnce(&mut Self) -> (usize, Expr),
    ) -> Chain {
        let numbers = ChainKind::Range { lo: Expr::usize(0, span), hi: None, inclusive: false };
        let numbers = Chain::new(numbers, Type::USIZE);
        let (state, made) = self.scoped(false, next);
        let pair = made.ty.clone();
        let closure = Closure { param: Pattern::Wild, body: made.boxed() };
        let scan = Box::new(Scan { state, start, closure });
        let options = Chain::new(ChainKind::Scan(Box::new(numbers), scan), pair.clone());
        match self.option_type(&pair).filter(|_| ends) {
            Some(of) => self.of_some(options, of, "map_while", span),
            None => options,
        }
    }

    /// `successors(first, next)`
    pub(super) fn successors(&mut self, call: &syn::ExprCall) -> Option<Chain> {
        let (span, first, next) = (call.span(), &call.args[0], &call.args[1]);
        let new = |name: &str| fresh_at(name, span, call.to_token_stream());
        let [state, item, successor] = ["state", "item", "successor"].map(new);
        self.chain(&syn::parse_quote_spanned!(span=> (0usize..).scan(#first, |#state, _| match *#state {
            Some(#item) => {
                let #successor = #next;
                *#state = #successor(&#item);
                Some(#item)
            }
            None => None,
        })))
    }

    /// `from_fn(f)`, which the first `None` ends, and `repeat_with(f)`, which has no end.
    pub(super) fn calls_of(&mut self, call: &syn::ExprCall, ends: bool) -> Option<Chain> {
        let span = call.span();
        let closure = self.function_of(&call.args[0], 0)?;
        let first = self.locals.len();
        let chain = self.made_one_by_one(Expr::usize(0, span), ends, span, |this| {
            let state = this.hidden("state", Type::USIZE, false, span);
            let made = this.closure_body(&closure);
            this.refuse_copies(&closure, &made, first);
            (state, made)
        });
        Some(chain)
    }

    /// A method of an iterator of the program that its `impl` does not write.
    pub(super) fn of_own_iterator(&mut self, e: &syn::ExprMethodCall, _: &str) -> Option<Expr> {
        let written = self.with_own_source(&syn::Expr::MethodCall(e.clone()))?;
        Some(self.expr(&written))
    }

    /// A chain of methods of an iterator of the program, as one of `into_iter`, which is the iterator itself.
    ///
    /// ```text
    /// steps.zip(y).map(f)        steps.into_iter().zip(y).map(f)
    /// steps.any(f)               (&mut steps).into_iter().any(f)
    /// ```
    pub(super) fn with_own_source(&mut self, e: &syn::Expr) -> Option<syn::Expr> {
        if !self.module.records().has_function("next") || is_chain(e) {
            return None;
        }
        let mut written = bare(e).clone();
        let syn::Expr::MethodCall(outermost) = &mut written else { return None };
        let mut first = outermost;
        while let syn::Expr::MethodCall(inner) = bare(&first.receiver)
            && is_of_iterators(inner)
        {
            let syn::Expr::MethodCall(inner) = &mut *first.receiver else { return None };
            first = inner;
        }
        if !is_of_iterators(first) || !self.is_of_own_iterator(first) {
            return None;
        }
        let (span, of) = (first.method.span(), &first.receiver);
        let is_step = super::is_word(STEPS, &first.method.to_string());
        let is_place = is_step && matches!(bare(of), syn::Expr::Path(_) | syn::Expr::Field(_));
        let source: syn::Expr = match is_place {
            true => syn::parse_quote_spanned!(span=> (&mut #of).into_iter()),
            false => syn::parse_quote_spanned!(span=> #of.into_iter()),
        };
        if first.method == "by_ref" {
            let syn::Expr::MethodCall(source) = source else { return None };
            *first = source;
        } else {
            *first.receiver = source;
        }
        Some(written)
    }

    /// Whether a call is one of a method of `Iterator` on an iterator of the program, which does not write it itself.
    fn is_of_own_iterator(&mut self, call: &syn::ExprMethodCall) -> bool {
        let ty = match bare(&call.receiver) {
            syn::Expr::Path(path) => {
                match path.path.get_ident().and_then(|name| self.lookup(&name.to_string())) {
                    Some(Name::Local(local)) => self.locals[*local].ty.clone(),
                    _ => return false,
                }
            }
            // what it is follows from resolving it, once more than for its value
            receiver => {
                let (refusals, had_errors) = (self.refusals.0.len(), self.has_errors);
                let ty = self.expr(receiver).ty;
                self.refusals.0.truncate(refusals);
                self.has_errors = had_errors;
                ty
            }
        };
        match self.infer.peel(&ty) {
            Type::Record(of) => {
                let (of, name) = (of.name.to_string(), call.method.to_string());
                let records = self.module.records();
                records.has_trait(&of, "Iterator") && records.functions(&of, &name).is_empty()
            }
            _ => false,
        }
    }
}

/// Whether a call may be one of a method of `Iterator`, by its form; `max` and `min` of numbers are not.
fn is_of_iterators(call: &syn::ExprMethodCall) -> bool {
    let name = call.method.to_string();
    let known = is_adapter(&name) || super::is_word(CONSUMERS, &name) || super::is_word(STEPS, &name);
    known && (call.args.is_empty() || !matches!(name.as_str(), "max" | "min"))
}
