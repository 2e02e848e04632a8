//! Adapters that make more than one loop, or one that follows what came before: `chain`, `flat_map`, `flatten`, `scan`,
//! `take_while`, `skip_while`, and those that open `Option`s.

use super::super::chain::{Chain, ChainKind, Closure, Inner, Scan};
use super::super::hygiene::fresh_at;
use super::super::infer::{Class, Type};
use super::super::returns::each_return;
use super::super::tree::{Block, Expr, Kind, Len, Pattern, Stmt};
use super::changed::writes_outside;
use super::iterator::is_chain;
use super::{Resolver, bare, rayon};
use quote::{ToTokens, quote_spanned};
use syn::spanned::Spanned;

impl Resolver<'_> {
    /// The adapter behind `inner`; the outer `None` if it is none of these and may stand where it does.
    pub(super) fn irregular(
        &mut self,
        call: &syn::ExprMethodCall,
        name: &str,
        inner: &Chain,
    ) -> Option<Option<Chain>> {
        let own =
            ["chain", "filter_map", "flat_map", "flatten", "scan", "take_while", "skip_while", "map_while"]
                .contains(&name);
        if !own {
            return self.refuse_behind(call, name, inner).then_some(None);
        }
        if inner.parallel || call.args.iter().any(rayon::is_parallel) {
            self.wrong_arguments(call, name);
            return Some(None);
        }
        let inner = inner.clone();
        Some(match (name, call.args.len()) {
            ("chain", 1) => self.chained(call, inner),
            ("filter_map" | "map_while", 1) => self.some_mapped(call, inner, name),
            ("flat_map", 1) => self.flat_mapped(call, inner),
            ("flatten", 0) => self.flattened(call, inner),
            ("scan", 2) => self.scanned(call, inner),
            ("take_while" | "skip_while", 1) => {
                let seen = Type::reference(false, inner.item.clone());
                self.closure(&call.args[0], &seen).map(|(closure, ty)| {
                    self.unify(&ty, &Type::BOOL, closure.body.span);
                    let item = inner.item.clone();
                    let inner = Box::new(inner);
                    let kind = match name {
                        "take_while" => ChainKind::TakeWhile(inner, closure),
                        _ => ChainKind::SkipWhile(inner, closure),
                    };
                    Chain::new(kind, item)
                })
            }
            _ => {
                self.wrong_arguments(call, name);
                None
            }
        })
    }

    /// The numbers of rows of one length by their position, where `flatten` made them of an array of arrays.
    ///
    /// ```text
    /// rows.iter().flatten()            rows[k / N][k % N] at each position k
    /// ```
    pub(super) fn by_position(&self, chain: Chain) -> Chain {
        let Chain { kind, item, parallel, changes } = chain;
        let kind = match kind {
            ChainKind::Map(inner, closure) => ChainKind::Map(Box::new(self.by_position(*inner)), closure),
            ChainKind::Copied(inner) => ChainKind::Copied(Box::new(self.by_position(*inner))),
            ChainKind::FlatMap(outer, inner) => match self.rows_of_one_length(&outer, &inner) {
                Some(array) => {
                    ChainKind::Numbers { arrays: vec![array], rank: 2, indexed: false, text: String::new() }
                }
                None => ChainKind::FlatMap(outer, inner),
            },
            kind => kind,
        };
        Chain { kind, item, parallel, changes }
    }

    /// The array whose rows `outer` goes through, and `inner` through the numbers of each.
    fn rows_of_one_length(&self, outer: &Chain, inner: &Inner) -> Option<Expr> {
        let (ChainKind::Elements(array), ChainKind::Elements(row)) = (&outer.kind, &inner.chain.kind) else {
            return None;
        };
        let Type::Array(rows, _) = self.infer.peel(&array.ty) else { return None };
        let Type::Array(number, Len::Known(_)) = self.infer.peel(&rows) else { return None };
        let all = matches!((&inner.param, &row.kind), (Pattern::Bind(a), Kind::Local(b)) if a == b);
        let is_number =
            matches!(self.infer.peel(&number), Type::Scalar(_)) || self.infer.class(&number) != Class::Any;
        (all && is_number && inner.stmts.is_empty()).then(|| array.clone())
    }

    /// Refuses adapters that need an item by its number behind those of which it is not known.
    fn refuse_behind(&mut self, call: &syn::ExprMethodCall, name: &str, inner: &Chain) -> bool {
        let is_chained = |chain: &Chain| chain.any(&|kind| matches!(kind, ChainKind::Chain(..)));
        let (what, help) = match name {
            "rev" if inner.any(&|kind| matches!(kind, ChainKind::Scan(..))) => (
                "an iterator that only `next` goes on",
                "collect the items first, `let all: Vec<f64> = ….collect();`, and write `all.iter().rev()`",
            ),
            "cycle" if inner.any(&|kind| matches!(kind, ChainKind::Scan(..) | ChainKind::Chain(..))) => (
                "`scan` or `chain`",
                "collect the items first: `let both: Vec<f64> = a.iter().chain(b).copied().collect();`",
            ),
            "step_by" if is_chained(inner) && !inner.is_in_order() => (
                "`chain`",
                "collect the items first: `let both: Vec<f64> = a.iter().chain(b).copied().collect();`",
            ),
            "rev" if inner.any(&|kind| matches!(kind, ChainKind::FlatMap(..))) => {
                ("`flat_map`", "write loops inside of each other, each with `.rev()`")
            }
            "zip" if is_chained(inner) && call.args.first().is_some_and(has_chain) => (
                "`chain`",
                "collect one side first: `let both: Vec<f64> = a.iter().chain(b).copied().collect();`",
            ),
            _ => return false,
        };
        self.refuse(
            call.method.span(),
            format!("`{name}` behind {what}"),
            "which item comes next follows from those before it, and not from its number",
            help,
        );
        true
    }

    fn chained(&mut self, call: &syn::ExprMethodCall, inner: Chain) -> Option<Chain> {
        let other = self.items(&call.args[0])?;
        let item = inner.item.clone();
        if self.is_endless(&inner) {
            self.refuse(
                call.method.span(),
                "`chain` behind an iterator without an end",
                "what follows is never reached",
                "give the range an end: `(0..n).chain(…)`",
            );
            return None;
        }
        self.unify(&item, &other.item, call.args[0].span());
        Some(Chain::new(ChainKind::Chain(Box::new(inner), Box::new(other)), item))
    }

    fn flat_mapped(&mut self, call: &syn::ExprMethodCall, outer: Chain) -> Option<Chain> {
        let first = self.locals.len();
        let closure = self.function_of(&call.args[0], 1)?;
        let span = closure.body.span();
        let (param, stmts, chain) = self.scoped(false, |this| {
            let param = this.pattern(&closure.inputs[0], &outer.item);
            let (stmts, tail) = match bare(&closure.body) {
                syn::Expr::Block(body) if body.label.is_none() => match body.block.stmts.split_last() {
                    Some((syn::Stmt::Expr(tail, None), stmts)) => (stmts, tail),
                    _ => (&[][..], &*closure.body),
                },
                body => (&[][..], body),
            };
            this.items_of(stmts);
            let (block, _) = this.statements_of(stmts);
            (param, block.stmts, this.items(tail))
        });
        let chain = chain?;
        let written = {
            let mut found = None;
            stmts.iter().for_each(|stmt| {
                stmt.children(&mut |e| found = found.or_else(|| writes_outside(e, first)));
            });
            chain.children(&mut |e| found = found.or_else(|| writes_outside(e, first)));
            found
        };
        if let Some(span) = written {
            self.refuse(
                span,
                "a closure that changes a variable outside of it",
                "`flat_map` is lazy, and which items it sees depends on the adapters around it",
                "write a `for` over the items",
            );
            return None;
        }
        if self.is_endless(&chain) {
            self.refuse(
                span,
                "`flat_map` to an iterator without an end",
                "the second item is never reached",
                "give the range an end: `0..n`",
            );
            return None;
        }
        let item = chain.item.clone();
        let inner = Box::new(Inner { param, stmts, chain, span });
        Some(Chain::new(ChainKind::FlatMap(Box::new(outer), inner), item))
    }

    fn flattened(&mut self, call: &syn::ExprMethodCall, outer: Chain) -> Option<Chain> {
        let span = call.method.span();
        let ty = outer.item.clone();
        if let Some(of) = self.option_type(&ty) {
            return Some(self.of_some(outer, of, "flatten", span));
        }
        let row = self.hidden("row", ty.clone(), false, span);
        let chain = self.elements(Expr::new(Kind::Local(row), ty, span), None)?;
        let item = chain.item.clone();
        let inner = Box::new(Inner { param: Pattern::Bind(row), stmts: Vec::new(), chain, span });
        Some(Chain::new(ChainKind::FlatMap(Box::new(outer), inner), item))
    }

    /// `enumerate` behind what leaves items out: the number of an item is how many came before it.
    ///
    /// ```text
    /// chain.enumerate()        chain.scan(0, |n, item| { let k = *n; *n += 1; Some((k, item)) })
    /// ```
    pub(super) fn counted(&mut self, call: &syn::ExprMethodCall, inner: Chain) -> Option<Chain> {
        let span = call.method.span();
        let new = |name: &str| fresh_at(name, span, call.to_token_stream());
        let [chain, n, k, item] = ["chain", "n", "k", "item"].map(new);
        let scan = syn::parse_quote_spanned!(span=> #chain.scan(0usize, |#n, #item| {
            let #k = *#n;
            *#n += 1;
            Some((#k, #item))
        }));
        self.scanned(&scan, inner)
    }

    /// `scan(start, |s, x| { *s = …; Some(…) })`
    fn scanned(&mut self, call: &syn::ExprMethodCall, inner: Chain) -> Option<Chain> {
        let span = call.method.span();
        let start = self.expr(&call.args[0]);
        let ty = match self.infer.shallow(&start.ty) {
            Type::Never => return None,
            ty => ty,
        };
        let state = self.hidden("state", ty.clone(), true, span);
        let first = self.locals.len();
        let mut closure = self.function_of(&call.args[1], 2)?;
        let mut value = closure.body.clone();
        let mut has_end = false;
        let mut body: syn::Block = syn::parse_quote!({ #value });
        each_return(&mut body, &mut |_| has_end = true);
        has_end |= !unwrap_some(&mut value);
        if !has_end {
            closure.body = value;
        }
        let (param, body) = self.scoped(false, |this| {
            let reference = Type::reference(true, ty.clone());
            let bound = this.pattern(&closure.inputs[0], &reference);
            let param = this.pattern(&closure.inputs[1], &inner.item);
            let body = this.closure_body(&closure);
            let borrowed = Kind::Borrow(Expr::local(state, &ty, span).boxed());
            let borrowed = Expr::new(borrowed, reference, span);
            let stmts = vec![Stmt::Let(bound, Some(borrowed), span)];
            let of = body.ty.clone();
            (param, Expr::new(Kind::Block(Block { stmts, tail: Some(body.boxed()) }), of, span))
        });
        let mut written = None;
        super::changed::changed_outside(&body, first, &mut |local, span| {
            if local != state {
                written.get_or_insert(span);
            }
        });
        if let Some(span) = written {
            self.refuse(
                span,
                "a closure that changes a variable outside of it",
                "`scan` is lazy, and which items it sees depends on the adapters around it",
                "keep what changes in its state",
            );
            return None;
        }
        let item = body.ty.clone();
        let closure = Closure { param, body: body.boxed() };
        let scan = Box::new(Scan { state, start, closure });
        let made = Chain::new(ChainKind::Scan(Box::new(inner), scan), item.clone());
        if !has_end {
            return Some(made);
        }
        let Some(of) = self.option_type(&item) else {
            self.wrong_arguments(call, "scan");
            return None;
        };
        Some(self.of_some(made, of, "map_while", span))
    }

    /// `skip` and `step_by` behind what makes its items in order: those that are left out are made as well.
    ///
    /// ```text
    /// chain.skip(n)         left = n, then = 0
    /// chain.step_by(n)      left = 0, then = n - 1
    ///
    /// chain.scan((left, then), |(left, then), item| {
    ///     let skips = *left > 0;
    ///     *left = if skips { *left - 1 } else { *then };
    ///     Some((skips, item))
    /// }).filter(|(skips, _)| !*skips).map(|(_, item)| item)
    /// ```
    pub(super) fn skipped(&mut self, call: &syn::ExprMethodCall, inner: Chain) -> Option<Chain> {
        let (span, n) = (call.method.span(), &call.args[0]);
        let new = |name: &str| fresh_at(name, span, call.to_token_stream());
        let [chain, left, then, skips, item] = ["chain", "left", "then", "skips", "item"].map(new);
        let start = match call.method == "skip" {
            true => quote_spanned!(span=> (#n, 0usize)),
            false => quote_spanned!(span=> {
                let #then: usize = #n;
                assert!(#then != 0);
                (0usize, #then - 1)
            }),
        };
        let written: syn::Expr = syn::parse_quote_spanned!(span=> #chain
            .scan(#start, |(#left, #then), #item| {
                let #skips = *#left > 0;
                *#left = if #skips { *#left - 1 } else { *#then };
                Some((#skips, #item))
            })
            .filter(|(#skips, _)| !*#skips)
            .map(|(_, #item)| #item));
        self.adapted_as(&written, inner)
    }

    /// `inspect` is a `map` to the item itself.
    pub(super) fn inspected(&mut self, call: &syn::ExprMethodCall, inner: Chain) -> Option<Chain> {
        let (span, f) = (call.method.span(), &call.args[0]);
        let [chain, item] = ["chain", "item"].map(|name| fresh_at(name, span, call.to_token_stream()));
        self.adapted_as(&syn::parse_quote_spanned!(span=> #chain.map(|#item| { (#f)(&#item); #item })), inner)
    }

    /// The adapters that are written behind a name that stands for `inner`.
    fn adapted_as(&mut self, written: &syn::Expr, inner: Chain) -> Option<Chain> {
        let syn::Expr::MethodCall(call) = written else { return Some(inner) };
        let inner = self.adapted_as(&call.receiver, inner)?;
        self.adapted(call, &call.method.to_string(), inner)
    }
}

/// Whether an iterator is chained with another, by its form.
fn has_chain(e: &syn::Expr) -> bool {
    match bare(e) {
        syn::Expr::MethodCall(call) if is_chain(e) => call.method == "chain" || has_chain(&call.receiver),
        _ => false,
    }
}

/// Takes the value out of the `Some` that a closure ends with, and nowhere else.
fn unwrap_some(e: &mut syn::Expr) -> bool {
    match e {
        syn::Expr::Group(e) => unwrap_some(&mut e.expr),
        syn::Expr::Paren(e) => unwrap_some(&mut e.expr),
        syn::Expr::Block(e) if e.label.is_none() => match e.block.stmts.last_mut() {
            Some(syn::Stmt::Expr(tail, None)) => unwrap_some(tail),
            _ => false,
        },
        syn::Expr::If(e) => match &mut e.else_branch {
            Some((_, els)) => {
                let then = match e.then_branch.stmts.last_mut() {
                    Some(syn::Stmt::Expr(tail, None)) => unwrap_some(tail),
                    _ => false,
                };
                then && unwrap_some(els)
            }
            None => false,
        },
        syn::Expr::Call(call) => {
            let is_some = matches!(bare(&call.func), syn::Expr::Path(path) if path.path.is_ident("Some"));
            match call.args.first() {
                Some(value) if is_some && call.args.len() == 1 => {
                    *e = value.clone();
                    true
                }
                _ => false,
            }
        }
        _ => false,
    }
}
