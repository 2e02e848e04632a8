//! `ndarray`'s own loops over arrays of one shape: `Zip::from(&mut y).and(&x).for_each(|y, &x| …)`, and `azip!`, which is
//! the same in other words.

use super::super::chain::{Chain, ChainKind};
use super::super::display::tidy;
use super::super::hygiene::fresh_at;
use super::super::infer::Type;
use super::super::tree::{Expr, Pattern, Stmt};
use super::{Resolver, bare};
use proc_macro2::Span;
use quote::quote;
use syn::parse::{ParseStream, Parser};
use syn::spanned::Spanned;
use syn::{Token, parse_quote};

/// What a `Zip` goes through.
struct Zipped {
    arrays: Vec<syn::Expr>,
    indexed: bool,
}

impl Resolver<'_> {
    /// A method of a `Zip`; `None` if it is none.
    pub(super) fn zipped(&mut self, e: &syn::ExprMethodCall, name: &str) -> Option<Expr> {
        let zipped = zipped(&e.receiver)?;
        let span = e.span();
        match (name, e.args.first()) {
            ("for_each", Some(closure)) if e.args.len() == 1 => {
                let syn::Expr::Closure(closure) = bare(closure) else {
                    return Some(self.refuse(
                        closure.span(),
                        "this argument of `for_each`",
                        "what is done with the elements must be seen here",
                        "write the closure where it is used: `|y, &x| *y += x`",
                    ));
                };
                Some(self.zip_loop(&zipped, closure, tidy(&e.receiver), span))
            }
            ("fold", Some(start)) if e.args.len() == 2 => match bare(&e.args[1]) {
                syn::Expr::Closure(closure) if !closure.inputs.is_empty() => {
                    Some(self.zip_fold(&e.receiver, start, closure, span))
                }
                other => Some(self.refuse(
                    other.span(),
                    "this argument of `fold`",
                    "what is done with the elements must be seen here",
                    "write the closure where it is used: `|sum, x, y| sum + x * y`",
                )),
            },
            _ => Some(self.refuse(
                e.method.span(),
                format!("the method `{name}` of a `Zip`"),
                "what is gone through side by side ends in `for_each` or `fold` here",
                "write `for_each`, with a variable outside for a sum, or a `for` over the indices",
            )),
        }
    }

    /// `zip.fold(start, |sum, x, y| …)`: `let mut all = start; zip.for_each(|x, y| { let sum = all; all = …; }); all`
    fn zip_fold(
        &mut self,
        zip: &syn::Expr,
        start: &syn::Expr,
        closure: &syn::ExprClosure,
        span: Span,
    ) -> Expr {
        let all = fresh_at("all", span, quote!(#zip #start #closure));
        let (inputs, body) = (&closure.inputs, &closure.body);
        let (sum, items) = (&inputs[0], inputs.iter().skip(1));
        self.expr(&syn::parse_quote_spanned!(span=> {
            let mut #all = #start;
            #zip.for_each(|#(#items),*| {
                let #sum = #all;
                #all = #body;
            });
            #all
        }))
    }

    /// `azip!((y in &mut y, &x in &x) *y += x)`
    pub(super) fn azip(&mut self, mac: &syn::Macro, span: Span) -> Expr {
        match parse_azip.parse2(mac.tokens.clone()) {
            Ok((zipped, closure)) => self.zip_loop(&zipped, &closure, tidy(&mac.path), span),
            Err(error) => self.refuse(
                span,
                format!("the arguments of `azip!`: {error}"),
                "they are patterns with their arrays, and what is done with them",
                "write `azip!((y in &mut y, &x in &x) *y += x)`",
            ),
        }
    }

    fn zip_loop(&mut self, zipped: &Zipped, closure: &syn::ExprClosure, text: String, span: Span) -> Expr {
        let mut arrays = Vec::new();
        let mut members = Vec::new();
        let mut ranks = Vec::new();
        for array in &zipped.arrays {
            let array = self.expr(array);
            let Type::Array(row, _) = self.infer.peel(&array.ty) else {
                if let Type::Never = self.infer.peel(&array.ty) {
                    return self.error(span);
                }
                return self.refuse(
                    array.span,
                    "this argument of a `Zip`",
                    "arrays, their views and their rows are gone through side by side",
                    "write `&x`, `&mut y` or `a.rows()`",
                );
            };
            let mutable = matches!(self.infer.shallow(&array.ty), Type::Ref(true, _));
            let rank = self.nd_rank(&array.ty);
            let member = if rank > 0 { self.nd_element(&array.ty) } else { *row };
            members.push(Type::reference(mutable, member));
            ranks.push((rank.max(1), array.span));
            arrays.push(array);
        }
        let rank = ranks.first().map_or(1, |(rank, _)| *rank);
        if let Some((other, at)) = ranks.iter().find(|(other, _)| *other != rank) {
            return self.refuse(
                *at,
                format!("a `Zip` of arrays of {rank} and of {other} dimensions"),
                "they must have one shape",
                "go through the rows of the larger one: `a.rows()`",
            );
        }
        if closure.inputs.len() != arrays.len() + usize::from(zipped.indexed) {
            return self.refuse(
                closure.span(),
                format!("a closure of {} arguments for {} arrays", closure.inputs.len(), arrays.len()),
                "it has one for each array, behind the indices if there are any",
                "write `|y, &x| *y += x`, or with `Zip::indexed`, `|(i, j), y| …`",
            );
        }
        if zipped.indexed {
            let index = if rank == 1 { Type::USIZE } else { Type::Tuple(vec![Type::USIZE; rank]) };
            members.insert(0, index);
        }
        let lone = members.len() == 1;
        let item = if lone { members.swap_remove(0) } else { Type::Tuple(members) };
        let text = format!("`{text}`: the shapes of the arrays differ");
        let kind = ChainKind::Numbers { arrays, rank, indexed: zipped.indexed, text };
        let chain = Chain::new(kind, item);
        let first = self.locals.len();
        let (pattern, body) = self.scoped(false, |this| {
            let types: Vec<Type> = match &chain.item {
                Type::Tuple(members) if !lone => members.clone(),
                one => vec![one.clone()],
            };
            let patterns: Vec<Pattern> =
                closure.inputs.iter().zip(&types).map(|(input, ty)| this.pattern(input, ty)).collect();
            (patterns, this.closure_body(closure))
        });
        let mut pattern = pattern;
        let pattern = if lone { pattern.swap_remove(0) } else { Pattern::Tuple(pattern) };
        self.refuse_copies(closure, &body, first);
        self.loop_over(chain, pattern, vec![Stmt::Expr(body)], span)
    }
}

/// `Zip::from(a).and(b)` and `Zip::indexed(a).and(b)`
fn zipped(e: &syn::Expr) -> Option<Zipped> {
    match bare(e) {
        syn::Expr::MethodCall(call) if call.method == "and" && call.args.len() == 1 => {
            let mut zipped = zipped(&call.receiver)?;
            zipped.arrays.push(call.args[0].clone());
            Some(zipped)
        }
        syn::Expr::Call(call) if call.args.len() == 1 => {
            let syn::Expr::Path(path) = bare(&call.func) else { return None };
            let mut names = path.path.segments.iter().rev().map(|segment| segment.ident.to_string());
            let (function, zip) = (names.next()?, names.next()?);
            let known = zip == "Zip" && (function == "from" || function == "indexed");
            known.then(|| Zipped { arrays: vec![call.args[0].clone()], indexed: function == "indexed" })
        }
        _ => None,
    }
}

fn parse_azip(input: ParseStream) -> syn::Result<(Zipped, syn::ExprClosure)> {
    let list;
    syn::parenthesized!(list in input);
    let mut zipped = Zipped { arrays: Vec::new(), indexed: false };
    let mut patterns: Vec<syn::Pat> = Vec::new();
    while !list.is_empty() {
        let word = list.fork().parse::<syn::Ident>().is_ok_and(|word| word == "index");
        if word && !list.peek2(Token![in]) {
            list.parse::<syn::Ident>()?;
            zipped.indexed = true;
            patterns.push(syn::Pat::parse_single(&list)?);
        } else {
            patterns.push(syn::Pat::parse_single(&list)?);
            list.parse::<Token![in]>()?;
            zipped.arrays.push(list.parse()?);
        }
        if !list.is_empty() {
            list.parse::<Token![,]>()?;
        }
    }
    let body: syn::Expr = input.parse()?;
    Ok((zipped, parse_quote!(|#(#patterns),*| #body)))
}
