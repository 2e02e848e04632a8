//! What ends an iterator chain: sums, folds, collections. Each becomes a loop over the items.

use super::super::chain::{Chain, ChainKind};
use super::super::display::{same_text, tidy, tidy_type};
use super::super::hygiene::fresh_at;
use super::super::infer::{Class, Type};
use super::super::param_types::{self, Shape};
use super::super::records::Function;
use super::super::tree::{Access, Expr, Kind, Method, Pattern, Stmt};
use super::{Resolver, iterator, rayon};
use crate::ir::BinOp;
use proc_macro2::Span;
use quote::{ToTokens, quote_spanned};
use syn::spanned::Spanned;

impl Resolver<'_> {
    /// A method that makes, adapts or ends an iterator; `None` if it is none of these.
    pub(super) fn iterated(&mut self, e: &syn::ExprMethodCall, name: &str) -> Option<Expr> {
        if let Some(parallel) = self.parallel(e, name) {
            return Some(parallel);
        }
        if iterator::is_chain(&e.receiver) || iterator::is_chain(&syn::Expr::MethodCall(e.clone())) {
            return Some(self.consumer(e));
        }
        if let Some(consumed) = self.nd_consumer(e, name) {
            return Some(consumed);
        }
        match (name, e.args.len()) {
            ("map", 1) => Some(self.map_array(e)),
            ("partition_point", 1) => Some(self.partition_point(e)),
            _ => None,
        }
    }

    /// `[a, b].map(f)`
    fn map_array(&mut self, e: &syn::ExprMethodCall) -> Expr {
        let span = e.span();
        let array = self.expr(&e.receiver);
        if let Type::Never = self.infer.peel(&array.ty) {
            return self.error(span);
        }
        if self.nd_rank(&array.ty) > 0 {
            return self.unknown_nd_method("map", &array, e.method.span());
        }
        let Type::Array(elem, len) = self.infer.peel(&array.ty) else {
            let ty = self.infer.show(&array.ty);
            return self.refuse(
                e.method.span(),
                format!("`map` on a value of type `{ty}`"),
                "arrays and iterators are mapped",
                "write `x.iter().map(…)`",
            );
        };
        let Some(chain) = self.elements(array, None).map(|chain| Chain { item: (*elem).clone(), ..chain })
        else {
            return self.error(span);
        };
        let Some((closure, ty)) = self.closure(&e.args[0], &elem) else { return self.error(span) };
        let chain = Chain::new(ChainKind::Map(Box::new(chain), closure), ty.clone());
        Expr::new(Kind::Collect(Box::new(chain)), Type::array(ty, len), span)
    }

    /// Gives what a method makes the type that is written behind its name.
    pub(super) fn unify_written(&mut self, e: &syn::ExprMethodCall, ty: &Type) {
        if let Some(turbofish) = &e.turbofish
            && let Some(syn::GenericArgument::Type(written)) = turbofish.args.first()
            && let Some(written) = self.type_of(written)
        {
            self.unify(&written, ty, e.method.span());
        }
    }

    /// `std::array::from_fn(f)`, of a length that is written behind `from_fn` or follows from where the array goes.
    pub(super) fn array_from_fn(&mut self, path: &syn::Path, f: &syn::Expr, span: Span) -> Expr {
        let (open, len) = self.open_length(span);
        let range = ChainKind::Range { lo: Expr::usize(0, span), hi: Some(len), inclusive: false };
        let Some((closure, item)) = self.closure(f, &Type::USIZE) else { return self.error(span) };
        let chain = ChainKind::Map(Box::new(Chain::new(range, Type::USIZE)), closure);
        let chain = Chain::new(chain, item.clone());
        let ty = Type::array(item.clone(), open);
        if let Some(syn::PathArguments::AngleBracketed(args)) =
            path.segments.last().map(|last| &last.arguments)
            && let [syn::GenericArgument::Type(elem), len, ..] = &args.args.iter().collect::<Vec<_>>()[..]
        {
            if let Some(elem) = self.type_of(elem) {
                self.unify(&elem, &item, span);
            }
            let len = match len {
                syn::GenericArgument::Const(len) => Some(self.length(len)),
                syn::GenericArgument::Type(syn::Type::Path(path)) => {
                    Some(self.length(&syn::parse_quote!(#path)))
                }
                _ => None,
            };
            if let Some(len) = len {
                self.unify(&Type::array(item, len), &ty, span);
            }
        }
        Expr::new(Kind::Collect(Box::new(chain)), ty, span)
    }

    /// A method of an iterator that is no adapter.
    pub(super) fn consumer(&mut self, e: &syn::ExprMethodCall) -> Expr {
        let (span, name) = (e.span(), e.method.to_string());
        match (name.as_str(), e.args.len()) {
            ("sum" | "product", 0) => self.accumulated(e, name == "sum"),
            ("fold", 2) => self.fold(e),
            ("rfold", 2) if !rayon::is_parallel(&e.receiver) => {
                let (chain, start, f) = (&e.receiver, &e.args[0], &e.args[1]);
                self.fold(&syn::parse_quote_spanned!(span=> #chain.rev().fold(#start, #f)))
            }
            ("any" | "all", 1) if !rayon::is_parallel(&e.receiver) => self.any_or_all(e, name == "any"),
            ("for_each", 1) => self.for_each(e),
            ("try_for_each", 1) if !rayon::is_parallel(&e.receiver) => self.for_each_while(e),
            ("is_sorted", 0) if let Some(array) = iterated_array(&e.receiver) => {
                self.expr(&syn::parse_quote_spanned!(span=> (#array).is_sorted()))
            }
            ("collect", 0) => self.collect(e),
            ("unzip", 0) | ("partition", 1) => self.two_vectors(e),
            ("count" | "len", 0) => {
                let Some(chain) = self.chain(&e.receiver) else { return self.error(span) };
                let one = Expr::usize(1, span);
                self.running(chain, Kind::Int(0), BinOp::Add, ("count", Type::USIZE), Some(one), span)
            }
            ("remainder", 0) if let Some(call) = chunks_exact(&e.receiver) => {
                let (array, size) = (&call.receiver, &call.args[0]);
                let [all, of] = ["all", "of"].map(|name| fresh_at(name, span, e.to_token_stream()));
                self.expr(&syn::parse_quote_spanned!(span=> {
                    let (#all, #of) = (&#array[..], #size);
                    &#all[#all.len() - #all.len() % #of..]
                }))
            }
            _ if iterator::is_chain(&syn::Expr::MethodCall(e.clone())) => self.refuse(
                e.method.span(),
                format!("an iterator as a value (`{name}`)"),
                "an iterator is known here only where it is used up",
                "write the whole chain in the `for`, or end it with `sum()`, `fold(…)` or `collect()`",
            ),
            _ => self.refuse_consumer(e, &name),
        }
    }

    pub(super) fn refuse_consumer(&mut self, e: &syn::ExprMethodCall, name: &str) -> Expr {
        if rayon::is_parallel(&e.receiver)
            && let Some(help) = rayon::refused(name)
        {
            return self.refuse_rayon(e, name, help);
        }
        let help = match name {
            "max" | "max_by" | "reduce" => {
                "write a fold: `x.iter().fold(f64::NEG_INFINITY, |m, &v| m.max(v))`, or `fold(i32::MIN, …)`"
            }
            "min" | "min_by" => {
                "write a fold: `x.iter().fold(f64::INFINITY, |m, &v| m.min(v))`, or `fold(i32::MAX, …)`"
            }
            "any" => "write a fold: `x.iter().fold(false, |any, &v| any || v < 0.0)`",
            "all" => "write a fold: `x.iter().fold(true, |all, &v| all && v > 0.0)`",
            "last" | "nth" | "next" => "index: `x[i]`",
            "position" | "rposition" | "find" | "max_by_key" | "min_by_key" => {
                "write a `for` over `0..n` that keeps the index in a variable"
            }
            _ => "write a `for` over the items",
        };
        self.refuse(
            e.method.span(),
            format!("the iterator method `{name}`"),
            "an iterator here ends in `for`, `for_each`, `sum`, `product`, `fold`, `count` or `collect`",
            help,
        )
    }

    /// `sum` and `product`.
    fn accumulated(&mut self, e: &syn::ExprMethodCall, sum: bool) -> Expr {
        let span = e.span();
        let Some(chain) = self.chain_in_order(&e.receiver) else { return self.error(span) };
        let ty = self.infer.peel(&chain.item);
        self.unify_written(e, &ty);
        if let Some(of) = self.option_type(&ty) {
            let made = self.options_accumulated(chain, of, sum, span);
            return self.paired(made, span);
        }
        if let Type::Array(..) | Type::Tuple(_) | Type::Record(_) = ty {
            let shown = self.infer.show(&ty);
            let own = self.accumulating(&self.infer.named(&ty), trait_of(sum), &chain.item);
            if let Some(own) = own.first().filter(|_| self.is_record(&ty)) {
                return self.accumulated_by_impl(chain, own, e);
            }
            let help = match ty {
                Type::Record(_) => {
                    "write a fold from the value that it starts with: `….fold(zero, |a, b| a + b)`"
                }
                _ => "write `map(…)` before it, with a number for each item",
            };
            return self.refuse(
                e.method.span(),
                format!("the {} of items of type `{shown}`", e.method),
                "numbers are added and multiplied",
                help,
            );
        }
        let (start, op, name) = self.neutral(&ty, sum);
        self.running(chain, start, op, (name, ty), None, span)
    }

    /// `sum` and `product` of structs whose `impl Sum` or `impl Product` is a fold.
    fn accumulated_by_impl(&mut self, chain: Chain, of: &Function, e: &syn::ExprMethodCall) -> Expr {
        let (span, item) = (e.span(), &of.item);
        let fold = match (&item.block.stmts[..], item.sig.inputs.first()) {
            ([syn::Stmt::Expr(syn::Expr::MethodCall(fold), None)], Some(syn::FnArg::Typed(items)))
                if fold.method == "fold" && fold.args.len() == 2 && same_text(&fold.receiver, &items.pat) =>
            {
                fold
            }
            _ => {
                return self.refuse(
                    e.method.span(),
                    format!("the `{}` of an `impl` that is more than a fold", e.method),
                    "an iterator is known here only where it is used up, and not in a function that it is given to",
                    "write the `impl` as one fold: `fn sum<I: Iterator<Item = S>>(items: I) -> S { items.fold(zero, |a, b| a + b) }`",
                );
            }
        };
        let own = self.infer.peel(&chain.item);
        self.within_impl((&item.sig.generics, &of.of), Some(&own), span, |this| {
            let start = this.expr(&fold.args[0]);
            let Some(closure) = this.function_of(&fold.args[1], 2) else { return this.error(span) };
            this.folded(chain, start, &closure, span)
        })
    }

    /// What a sum or a product starts with, its operation, and how it is called.
    pub(super) fn neutral(&self, ty: &Type, sum: bool) -> (Kind, BinOp, &'static str) {
        // the neutral element of std's sum of floats is -0.0
        let start = match (self.infer.class(ty), sum) {
            (Class::Float, true) => Kind::Float("-0.0".to_owned()),
            (Class::Float, false) => Kind::Float("1.0".to_owned()),
            (_, sum) => Kind::Int(i128::from(!sum)),
        };
        let (op, name) = if sum { (BinOp::Add, "sum") } else { (BinOp::Mul, "product") };
        (start, op, name)
    }

    /// `{ let mut total = start; for item in chain { total op= item; } total }`, or `total op= by`.
    fn running(
        &mut self,
        chain: Chain,
        start: Kind,
        op: BinOp,
        (name, ty): (&str, Type),
        by: Option<Expr>,
        span: Span,
    ) -> Expr {
        let total = self.hidden(name, ty.clone(), true, span);
        let (pattern, by) = match by {
            Some(by) => (Pattern::Wild, by),
            None => {
                let item = self.hidden("item", chain.item.clone(), false, span);
                (Pattern::Bind(item), Expr::local(item, &chain.item, span))
            }
        };
        let (total, start) = (Expr::local(total, &ty, span), Expr::new(start, ty, span));
        let update = Stmt::update(op, &total, by);
        self.accumulation(total, start, chain, pattern, update)
    }

    /// `{ let mut total = start; for pattern in chain { update } total }`
    fn accumulation(
        &mut self,
        total: Expr,
        start: Expr,
        chain: Chain,
        pattern: Pattern,
        update: Stmt,
    ) -> Expr {
        let span = total.span;
        let looped = self.loop_over(chain, pattern, vec![update], span);
        let Kind::Local(id) = total.kind else { return self.error(span) };
        total.behind(vec![Stmt::bind(id, start), Stmt::Expr(looped)], span)
    }

    /// The sum of a value for each item.
    pub(super) fn summed(&mut self, chain: Chain, pattern: Pattern, value: Expr, span: Span) -> Expr {
        let ty = self.infer.peel(&value.ty);
        let start = match self.infer.class(&ty) {
            Class::Float => Kind::Float("0.0".to_owned()),
            _ => Kind::Int(0),
        };
        let total = self.hidden("sum", ty.clone(), true, span);
        let (total, start) = (Expr::local(total, &ty, span), Expr::new(start, ty, span));
        let update = Stmt::update(BinOp::Add, &total, value);
        self.accumulation(total, start, chain, pattern, update)
    }

    pub(super) fn loop_over(&mut self, chain: Chain, pattern: Pattern, stmts: Vec<Stmt>, span: Span) -> Expr {
        let id = self.next_loop();
        self.loop_as(id, chain, pattern, stmts, span)
    }

    fn for_each(&mut self, e: &syn::ExprMethodCall) -> Expr {
        let span = e.span();
        let Some(chain) = self.chain_in_order(&e.receiver) else { return self.error(span) };
        let Some(closure) = self.function_of(&e.args[0], 1) else { return self.error(span) };
        let first = self.locals.len();
        let (pattern, body) = self.scoped(false, |this| {
            let pattern = this.pattern(&closure.inputs[0], &chain.item);
            (pattern, this.closure_body(&closure))
        });
        self.refuse_copies(&closure, &body, first);
        self.loop_over(chain, pattern, vec![Stmt::Expr(body)], span)
    }

    /// `collect::<Vec<_>>()`
    fn collect(&mut self, e: &syn::ExprMethodCall) -> Expr {
        let span = e.span();
        if let Some(made) = self.collected_options(e) {
            return self.paired(made, span);
        }
        let Some(chain) = self.chain_in_order(&e.receiver) else { return self.error(span) };
        if let Some(turbofish) = &e.turbofish
            && let Some(syn::GenericArgument::Type(written)) = turbofish.args.first()
        {
            match param_types::shape(self.module, written) {
                Ok(Shape::Vec(_)) => {
                    if let Some(written) = self.type_of(written) {
                        let item = Type::slice(chain.item.clone());
                        self.unify(&written, &item, span);
                    }
                }
                Err(refusal) => {
                    self.refusals.0.push(refusal);
                    return self.error(span);
                }
                Ok(_) => {
                    return self.refuse(
                        written.span(),
                        format!("`collect` into `{}`", tidy_type(written)),
                        "items are collected into vectors",
                        "write `collect::<Vec<f64>>()`",
                    );
                }
            }
        }
        let elem = match self.infer.shallow(&chain.item) {
            Type::Ref(..) => {
                return self.refuse(
                    e.method.span(),
                    "a vector of references",
                    "which elements it points to would be known only at run time",
                    "write `.copied()` before `collect`",
                );
            }
            other => other,
        };
        if let Type::Tuple(_) = elem
            && !self.is_element(&elem)
        {
            let shown = self.infer.show(&elem);
            return self.refuse(
                e.method.span(),
                format!("a vector of `{shown}`"),
                "the elements of an array are numbers, and arrays of constant length and tuples and structs of these",
                "dereference its members, `map(|(a, b)| (*a, *b))`, or collect each into a vector of its own",
            );
        }
        self.vector_of(chain, elem, tidy(e), span)
    }

    /// A vector of the items.
    pub(super) fn vector_of(&mut self, chain: Chain, elem: Type, text: String, span: Span) -> Expr {
        let ty = Type::slice(elem);
        if !chain.is_filtered() {
            return Expr::new(Kind::Collect(Box::new(chain)), ty, span);
        }
        let vector = self.hidden("collected", ty.clone(), true, span);
        let item = self.hidden("item", chain.item.clone(), false, span);
        let vector = Expr::local(vector, &ty, span);
        let args = vec![vector.clone(), Expr::local(item, &chain.item, span)];
        let access = Access { array: "collected".to_owned(), text };
        let push = Stmt::Expr(Expr::method(Method::Push, args, &access, Type::UNIT, span));
        let empty = Expr::new(Kind::EmptyVec, ty, span);
        self.accumulation(vector, empty, chain, Pattern::Bind(item), push)
    }

    /// `unzip` and `partition`: the items are collected, and then go to two vectors.
    fn two_vectors(&mut self, e: &syn::ExprMethodCall) -> Expr {
        let (span, chain) = (e.span(), &e.receiver);
        let new = |name: &str| fresh_at(name, span, e.to_token_stream());
        let [items, item] = ["items", "item"].map(new);
        let [first, second] = match e.args.first() {
            None => [0, 1].map(|at| {
                let at = syn::Index { index: at, span };
                quote_spanned!(span=> #items.iter().map(|#item| #item.#at))
            }),
            Some(which) => [quote_spanned!(span=> ), quote_spanned!(span=> !)]
                .map(|not| quote_spanned!(span=> #items.iter().copied().filter(|#item| #not(#which)(#item)))),
        };
        self.expr(&syn::parse_quote_spanned!(span=> {
            let #items = #chain.collect::<Vec<_>>();
            (#first.collect::<Vec<_>>(), #second.collect::<Vec<_>>())
        }))
    }
}

/// The trait of sums or of products.
fn trait_of(sum: bool) -> &'static str {
    if sum { "Sum" } else { "Product" }
}

/// The `x` of `x.iter()`.
fn iterated_array(e: &syn::Expr) -> Option<&syn::Expr> {
    match super::bare(e) {
        syn::Expr::MethodCall(call) if call.method == "iter" && call.args.is_empty() => Some(&call.receiver),
        _ => None,
    }
}

/// `x.chunks_exact(k)`
fn chunks_exact(e: &syn::Expr) -> Option<&syn::ExprMethodCall> {
    match super::bare(e) {
        syn::Expr::MethodCall(call) => {
            (call.method == "chunks_exact" && call.args.len() == 1).then_some(call)
        }
        _ => None,
    }
}
