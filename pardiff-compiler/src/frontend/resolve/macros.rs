//! Macro calls: assertions, `vec!`, panics, `matches!` and `cfg!`. Those that the module declares are expanded
//! before; others hide their expansion from an attribute.

use super::super::display::tidy;
use super::super::errors;
use super::super::infer::Type;
use super::super::tree::{Arm, Expr, Kind, Match, MatchPattern};
use super::Resolver;
use crate::ir::BinOp;
use proc_macro2::{Span, TokenStream};
use std::collections::HashMap;
use syn::Token;
use syn::parse::{Parse, ParseStream, Parser};
use syn::punctuated::Punctuated;

impl Resolver<'_> {
    pub(super) fn macro_call(&mut self, mac: &syn::Macro, span: Span) -> Expr {
        let name = mac.path.segments.last().map(|segment| segment.ident.to_string()).unwrap_or_default();
        let debug = name.starts_with("debug_");
        match name.as_str() {
            "assert" | "debug_assert" => self.assert(mac, span, debug),
            "assert_eq" | "debug_assert_eq" => self.assert_compare(mac, span, BinOp::Eq, debug),
            "assert_ne" | "debug_assert_ne" => self.assert_compare(mac, span, BinOp::Ne, debug),
            "vec" => self.vec(mac, span),
            "azip" => self.azip(mac, span),
            "panic" | "unreachable" | "unimplemented" | "todo" => {
                let text = match message(mac.tokens.clone()) {
                    Some(text) => text,
                    None if name == "panic" => "explicit panic".to_owned(),
                    None => tidy(mac),
                };
                Expr::new(Kind::Panic(text), Type::Never, span)
            }
            "matches" => self.matches(mac, span),
            "cfg" => {
                let tokens = quote::quote!(#mac);
                let text = tidy(mac);
                let id = self.opaque(tokens, text, Type::BOOL, span);
                self.path_value(id, span)
            }
            "dbg" => self.shown(mac, span),
            name if super::approximate::is_known(name) => self.approximate(name, mac, span),
            _ if errors::is_print(mac) => self.printed(mac, span),
            "write" | "writeln" => self.refuse(
                span,
                format!("`{name}!`"),
                "what it writes to may be read again",
                "write outside of the differentiated function",
            ),
            "array" => self.refuse(
                span,
                "the macro `array!`",
                "of what makes arrays of `ndarray`, `zeros`, `ones` and `from_elem` are known",
                "write an array of Rust, `[1.0, 2.0]`, or make one and assign its elements: `Array1::zeros(2)`",
            ),
            _ => self.refuse(
                span,
                format!("the macro `{name}!`"),
                "the attribute expands a macro that `macro_rules!` declares in its module or in the body, and that \
                 names no variable around it",
                "declare it there, or write what it stands for",
            ),
        }
    }

    fn arguments(&mut self, mac: &syn::Macro, span: Span) -> Option<Vec<syn::Expr>> {
        match Punctuated::<syn::Expr, Token![,]>::parse_terminated.parse2(mac.tokens.clone()) {
            Ok(args) => Some(args.into_iter().collect()),
            Err(error) => {
                self.refuse(
                    span,
                    format!("the arguments of `{}`: {error}", tidy(&mac.path)),
                    "they are not expressions",
                    "write expressions separated by commas",
                );
                None
            }
        }
    }

    /// What the function prints, and its derivatives do not.
    fn printed(&mut self, mac: &syn::Macro, span: Span) -> Expr {
        // fields of `tracing`, `info!(%x, "text")`, are no expressions
        if errors::printed(mac).is_some_and(|args| !args.iter().all(errors::does_nothing)) {
            return self.refuse(
                span,
                format!("`{}!` of what may change a variable", tidy(&mac.path)),
                "derivatives print nothing, and leave out what is computed for it",
                "compute it in front, in a variable",
            );
        }
        Expr::new(Kind::Tuple(Vec::new()), Type::UNIT, span)
    }

    /// `dbg!(x)` is `x`.
    fn shown(&mut self, mac: &syn::Macro, span: Span) -> Expr {
        let Some(args) = self.arguments(mac, span) else { return self.error(span) };
        match &args[..] {
            [] => Expr::new(Kind::Tuple(Vec::new()), Type::UNIT, span),
            [value] => self.expr(value),
            values => self.expr(&syn::parse_quote!((#(#values),*))),
        }
    }

    fn assert(&mut self, mac: &syn::Macro, span: Span, debug: bool) -> Expr {
        let Some(args) = self.arguments(mac, span) else { return self.error(span) };
        let Some(cond) = args.first() else {
            return self.refuse(
                span,
                "an assertion of nothing",
                "it needs a condition",
                "write `assert!(n > 0);`",
            );
        };
        let text = match args.get(1).and_then(text_of) {
            Some(text) => text,
            None => format!("assertion failed: {}", tidy(cond)),
        };
        let cond = self.condition(cond);
        Expr::new(Kind::Assert(cond.boxed(), text, debug), Type::UNIT, span)
    }

    fn assert_compare(&mut self, mac: &syn::Macro, span: Span, op: BinOp, debug: bool) -> Expr {
        let Some(args) = self.arguments(mac, span) else { return self.error(span) };
        let [left, right, rest @ ..] = &args[..] else {
            return self.refuse(
                span,
                "a comparison of less than two values",
                "it compares two values",
                "write `assert_eq!(a, b);`",
            );
        };
        let text = match rest.first().and_then(text_of) {
            Some(text) => text,
            None => format!("assertion failed: {} {} {}", tidy(left), op.symbol(), tidy(right)),
        };
        if [left, right].into_iter().any(is_some) {
            // of no value nothing else is compared
            let equal = self.expr(&syn::parse_quote_spanned!(span=> #left == #right));
            let cond = if op == BinOp::Ne { equal.not() } else { equal };
            return Expr::new(Kind::Assert(cond.boxed(), text, debug), Type::UNIT, span);
        }
        let (left, right) = (self.expr(left), self.expr(right));
        if let Some(cond) = self.member_by_member(op, &left, &right, span) {
            return Expr::new(Kind::Assert(cond.boxed(), text, debug), Type::UNIT, span);
        }
        self.unify(&left.ty, &right.ty, span);
        if let Type::Array(..) | Type::Tuple(_) | Type::Record(_) = self.infer.peel(&left.ty) {
            return self.refuse(
                span,
                "a comparison of arrays, tuples or structs",
                "comparisons work on scalars",
                "compare the lengths or the elements",
            );
        }
        let cond = Expr::new(Kind::Binary(op, left.boxed(), right.boxed()), Type::BOOL, span);
        Expr::new(Kind::Assert(cond.boxed(), text, debug), Type::UNIT, span)
    }

    fn vec(&mut self, mac: &syn::Macro, span: Span) -> Expr {
        match Elements::parse.parse2(mac.tokens.clone()) {
            Ok(Elements::List(list)) => self.array_literal(list.iter(), false, span),
            Ok(Elements::Repeat(value, len)) => {
                let value = self.expr(&value);
                let len = self.usize(&len);
                let ty = Type::slice(value.ty.clone());
                Expr::new(Kind::Repeat(value.boxed(), len.boxed()), ty, span)
            }
            Err(error) => self.refuse(
                span,
                format!("the arguments of `vec!`: {error}"),
                "they are not expressions",
                "write `vec![0.0; n]` or `vec![a, b]`",
            ),
        }
    }

    fn matches(&mut self, mac: &syn::Macro, span: Span) -> Expr {
        let parser = |input: ParseStream| -> syn::Result<(syn::Expr, syn::Pat, Option<syn::Expr>)> {
            let e = input.parse()?;
            input.parse::<Token![,]>()?;
            let pat = syn::Pat::parse_multi_with_leading_vert(input)?;
            let guard = if input.peek(Token![if]) {
                input.parse::<Token![if]>()?;
                Some(input.parse()?)
            } else {
                None
            };
            input.parse::<Option<Token![,]>>()?;
            Ok((e, pat, guard))
        };
        let Ok((e, pat, guard)) = parser.parse2(mac.tokens.clone()) else {
            return self.refuse(
                span,
                "the arguments of `matches!`",
                "they are not an expression and a pattern",
                "write `matches!(k, 1 | 2)`",
            );
        };
        if super::text::is_text(&pat) {
            let guard = guard.map(|guard| quote::quote_spanned!(span=> if #guard));
            return self
                .expr(&syn::parse_quote_spanned!(span=> match #e { #pat #guard => true, _ => false }));
        }
        let scrutinee = self.expr(&e);
        self.need_matchable(&scrutinee.ty, scrutinee.span);
        let truth = |value: bool| Expr::bool(value, span);
        let yes = self.scoped(false, |this| {
            let pattern = this.match_pattern(&pat, &scrutinee.ty, &mut HashMap::new());
            let guard = guard.map(|guard| this.expr(&guard));
            Arm { pattern, guard, body: truth(true) }
        });
        let no = Arm { pattern: MatchPattern::Wild, guard: None, body: truth(false) };
        Expr::new(Kind::Match(Box::new(Match { scrutinee, arms: vec![yes, no] })), Type::BOOL, span)
    }
}

enum Elements {
    List(Vec<syn::Expr>),
    Repeat(Box<syn::Expr>, Box<syn::Expr>),
}

impl Parse for Elements {
    fn parse(input: ParseStream) -> syn::Result<Elements> {
        if input.is_empty() {
            return Ok(Elements::List(Vec::new()));
        }
        let first: syn::Expr = input.parse()?;
        if input.peek(Token![;]) {
            input.parse::<Token![;]>()?;
            return Ok(Elements::Repeat(Box::new(first), Box::new(input.parse()?)));
        }
        let mut list = vec![first];
        while !input.is_empty() {
            input.parse::<Token![,]>()?;
            if !input.is_empty() {
                list.push(input.parse()?);
            }
        }
        Ok(Elements::List(list))
    }
}

/// `Some(v)`
fn is_some(e: &syn::Expr) -> bool {
    let syn::Expr::Call(call) = super::bare(e) else { return false };
    matches!(super::bare(&call.func), syn::Expr::Path(path) if path.path.is_ident("Some"))
}

/// A message that is a plain string.
fn text_of(e: &syn::Expr) -> Option<String> {
    match super::bare(e) {
        syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Str(text), .. }) => Some(text.value()),
        _ => None,
    }
}

fn message(tokens: TokenStream) -> Option<String> {
    let args = Punctuated::<syn::Expr, Token![,]>::parse_terminated.parse2(tokens).ok()?;
    args.first().and_then(text_of)
}
