//! `Result`s as `Option`s: what an error holds is no number, and all that a function does with it is that it has one.
//!
//! ```text
//! fn solve(a: &[f64]) -> Result<f64, Singular>     fn solve(a: &[f64]) -> Option<f64>
//! Ok(x), Err(Singular::At(k))                      Some(x), None
//! match solve(a) { Ok(x) => …, Err(_) => … }       match solve(a) { Some(x) => …, None => … }
//! Err(e) => return Err(e.into())                   None => return None
//! ```
//!
//! Legal where nobody reads the value of an error, and where making it does nothing else. Any other `Err` stays as it is, and
//! is refused where it stands: `Err(e)` whose `e` is used, `Err(Kind::A)` as a pattern, `Err(f(x))`. The methods of `Result`
//! are read as those of `Option` (`resolve/some`).

use crate::visit::Visit;
use crate::visit::changing::{self as visit_mut, VisitMut};
use proc_macro2::{Group, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use std::collections::HashSet;
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::{Expr, GenericArgument, Ident, Item, ItemConst, ItemFn, Pat, PathArguments, Token, Type};

/// The body of a function.
pub(super) fn in_body(item: &mut ItemFn) {
    let constants = Constants::of(|them| them.visit_block(&item.block));
    Rewrite(constants).visit_block_mut(&mut item.block);
}

/// What a function takes and returns, of a helper.
pub(super) fn in_signature(item: &mut ItemFn) {
    Rewrite::default().visit_signature_mut(&mut item.sig);
}

/// An item of a module.
pub(super) fn in_item(item: &mut Item) {
    let constants = Constants::of(|them| them.visit_item(item));
    Rewrite(constants).visit_item_mut(item);
}

/// The constants that a body declares: outside of it, a lone name that is one is found by the compiler behind us, see
/// `attribute::bindings`.
#[derive(Default)]
struct Constants(HashSet<Ident>);

impl Constants {
    fn of(visit: impl FnOnce(&mut Constants)) -> Constants {
        let mut constants = Constants::default();
        visit(&mut constants);
        constants
    }
}

impl Visit for Constants {
    fn visitor(&mut self) -> &mut dyn Visit {
        self
    }

    fn visit_item_const(&mut self, item: &ItemConst) {
        self.0.insert(item.ident.clone());
    }
}

#[derive(Default)]
struct Rewrite(Constants);

impl VisitMut for Rewrite {
    fn visitor(&mut self) -> &mut dyn VisitMut {
        self
    }

    fn visit_type_mut(&mut self, ty: &mut Type) {
        visit_mut::visit_type_mut(self, ty);
        if let Some((of, _)) = value_and_error(ty) {
            *ty = syn::parse_quote_spanned!(ty.span()=> Option<#of>);
        }
    }

    fn visit_expr_mut(&mut self, e: &mut Expr) {
        visit_mut::visit_expr_mut(self, e);
        match e {
            Expr::Call(call) if call.args.len() == 1 => {
                let Expr::Path(path) = &*call.func else { return };
                let span = path.span();
                if is(&path.path, "Ok") {
                    *call.func = syn::parse_quote_spanned!(span=> Some);
                } else if is(&path.path, "Err") && does_nothing(&call.args[0]) {
                    *e = syn::parse_quote_spanned!(span=> None);
                }
            }
            Expr::Path(path) if is(&path.path, "Ok") => {
                path.path = syn::parse_quote_spanned!(path.span()=> Some);
            }
            Expr::If(e) => {
                if let Expr::Let(condition) = &mut *e.cond {
                    self.absent(&mut condition.pat, &e.then_branch);
                }
            }
            _ => {}
        }
    }

    /// `matches!(e, Ok(x) if x > 0.0)`: what macros are given is read as tokens.
    fn visit_macro_mut(&mut self, mac: &mut syn::Macro) {
        mac.tokens = in_tokens(std::mem::take(&mut mac.tokens));
    }

    fn visit_arm_mut(&mut self, arm: &mut syn::Arm) {
        visit_mut::visit_arm_mut(self, arm);
        match &mut arm.pat {
            Pat::Guard(pat) => {
                let (guard, body) = (&pat.guard, &arm.body);
                self.absent(&mut pat.pat, &quote!(#guard #body));
            }
            pat => self.absent(pat, &arm.body),
        }
    }

    fn visit_pat_mut(&mut self, pat: &mut Pat) {
        visit_mut::visit_pat_mut(self, pat);
        if let Pat::TupleStruct(ok) = pat
            && is(&ok.path, "Ok")
        {
            ok.path = syn::parse_quote_spanned!(ok.path.span()=> Some);
        }
        if let Some((err, Pat::Wild(_) | Pat::Rest(_))) = error_of(pat) {
            *pat = none(err);
        }
    }
}

impl Rewrite {
    /// `Err(e)` as the pattern of what does not read `e`.
    fn absent(&self, pat: &mut Pat, then: &impl ToTokens) {
        let Some((err, error)) = error_of(pat) else { return };
        let is_constant = matches!(error, Pat::Ident(name) if self.0.0.contains(&name.ident));
        if !is_constant && !is_read(error, then) {
            *pat = none(err);
        }
    }
}

/// The `e` of `Err(e)`, and where that is.
fn error_of(pat: &Pat) -> Option<(Span, &Pat)> {
    match pat {
        Pat::TupleStruct(err) if is(&err.path, "Err") && err.elems.len() == 1 => {
            Some((err.path.span(), &err.elems[0]))
        }
        _ => None,
    }
}

fn in_tokens(tokens: TokenStream) -> TokenStream {
    let mut out: Vec<TokenTree> = Vec::new();
    for tree in tokens {
        let last = match out.last() {
            Some(TokenTree::Ident(ident)) => ident.to_string(),
            _ => String::new(),
        };
        match tree {
            TokenTree::Group(group)
                if last == "Err" && matches!(&*group.stream().to_string(), "_" | "..") =>
            {
                let at = out.pop().map_or_else(Span::call_site, |err| err.span());
                out.push(Ident::new("None", at).into());
            }
            TokenTree::Group(group) => {
                if let Some(ok) = out.last_mut().filter(|_| last == "Ok") {
                    *ok = Ident::new("Some", ok.span()).into();
                }
                let mut inner = Group::new(group.delimiter(), in_tokens(group.stream()));
                inner.set_span(group.span());
                out.push(inner.into());
            }
            other => out.push(other),
        }
    }
    out.into_iter().collect()
}

/// Whether the pattern of an error reads it, or what follows does. A name with a capital is a constant, which is compared.
pub(super) fn is_read(error: &Pat, then: &impl ToTokens) -> bool {
    // what the panic says is not what the function computes
    if only_panics(then.to_token_stream()) && matches!(error, Pat::Ident(_)) {
        return false;
    }
    match error {
        Pat::Wild(_) | Pat::Rest(_) => false,
        Pat::Ident(name) => {
            let is_constant = name.ident.to_string().contains(char::is_uppercase);
            is_constant || name.subpat.is_some() || mentions(then.to_token_stream(), &name.ident)
        }
        _ => true,
    }
}

/// Whether the tokens are one `panic!`, in braces or not.
fn only_panics(tokens: TokenStream) -> bool {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    match &tokens[..] {
        [TokenTree::Group(group)] => only_panics(group.stream()),
        [TokenTree::Ident(name), TokenTree::Punct(not), TokenTree::Group(_), end @ ..] => {
            let is = |punct: &TokenTree| matches!(punct, TokenTree::Punct(punct) if punct.as_char() == ';');
            (name == "panic" || name == "unreachable") && not.as_char() == '!' && end.iter().all(is)
        }
        _ => false,
    }
}

fn none(span: Span) -> Pat {
    let ident = Ident::new("None", span);
    Pat::Ident(syn::PatIdent { attrs: Vec::new(), by_ref: None, mutability: None, ident, subpat: None })
}

fn mentions(tokens: TokenStream, name: &Ident) -> bool {
    tokens.into_iter().any(|tree| match tree {
        TokenTree::Ident(ident) => ident == *name,
        TokenTree::Group(group) => mentions(group.stream(), name),
        // a text may hold names: `format!("{e}")`
        TokenTree::Literal(literal) => literal.to_string().contains(&name.to_string()),
        TokenTree::Punct(_) => false,
    })
}

/// Whether a path is `name` or `Result::name`.
fn is(path: &syn::Path, name: &str) -> bool {
    path.is_ident(name)
        || path.segments.len() == 2 && path.segments[0].ident == "Result" && path.segments[1].ident == name
}

/// The types of `Result<T, E>`.
pub(super) fn value_and_error(ty: &Type) -> Option<(Type, Type)> {
    let Type::Path(path) = ty else { return None };
    let names = super::names(&path.path);
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let std = matches!(names[..], ["Result"] | ["result", "Result"] | ["std" | "core", "result", "Result"]);
    let PathArguments::AngleBracketed(args) = &path.path.segments.last()?.arguments else { return None };
    let mut types = args.args.iter();
    match (std && path.qself.is_none(), types.next()?, types.next()?) {
        (true, GenericArgument::Type(of), GenericArgument::Type(error)) if args.args.len() == 2 => {
            Some((of.clone(), error.clone()))
        }
        _ => None,
    }
}

/// Whether making an error does nothing that is seen elsewhere, and cannot panic: names, literals, variants, texts.
pub(super) fn does_nothing(e: &Expr) -> bool {
    let all = |args: &Punctuated<Expr, Token![,]>| args.iter().all(does_nothing);
    match e {
        Expr::Lit(_) | Expr::Path(_) => true,
        Expr::Paren(e) => does_nothing(&e.expr),
        Expr::Group(e) => does_nothing(&e.expr),
        Expr::Reference(e) => does_nothing(&e.expr),
        Expr::Field(e) => does_nothing(&e.base),
        Expr::Unary(e) if matches!(e.op, syn::UnOp::Deref(_)) => does_nothing(&e.expr),
        Expr::Cast(e) => does_nothing(&e.expr),
        Expr::Tuple(e) => all(&e.elems),
        Expr::Struct(e) => e.rest.is_none() && e.fields.iter().all(|field| does_nothing(&field.expr)),
        // a variant, or `String::from`
        Expr::Call(call) => {
            let Expr::Path(path) = &*call.func else { return false };
            let last = path.path.segments.last().map(|segment| segment.ident.to_string()).unwrap_or_default();
            let makes = last.starts_with(char::is_uppercase) || is_text(&path.path) && last == "from";
            makes && all(&call.args)
        }
        Expr::MethodCall(call) => {
            let of_text = matches!(&*call.receiver, Expr::Lit(_));
            let name = call.method.to_string();
            call.args.is_empty()
                && (name == "into" || of_text && matches!(name.as_str(), "to_string" | "to_owned"))
                && does_nothing(&call.receiver)
        }
        Expr::Macro(e) if e.mac.path.is_ident("format") => {
            let args = e.mac.parse_body_with(Punctuated::<Expr, Token![,]>::parse_terminated);
            args.is_ok_and(|args| all(&args))
        }
        _ => false,
    }
}

fn is_text(path: &syn::Path) -> bool {
    path.segments.first().is_some_and(|first| first.ident == "String")
}
