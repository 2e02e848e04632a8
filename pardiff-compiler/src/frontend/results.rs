//! `Result`s as `Option`s: what an error holds is no number, and all that a function does with it is that it has one.
//!
//! ```text
//! fn solve(a: &[f64]) -> Result<f64, Singular>     fn solve(a: &[f64]) -> Option<f64>
//! Ok(x), Err(Singular::At(k))                      Some(x), None
//! match solve(a) { Ok(x) => …, Err(_) => … }       match solve(a) { Some(x) => …, None => … }
//! Err(e) => return Err(e.into())                   None => return None
//! ```
//!
//! Legal where nobody reads the value of an error, and where making it changes nothing else, see [`errors`]. Any
//! other `Err` stays as it is, and is refused where it stands: `Err(e)` whose `e` is used, `Err(Kind::A)` as a
//! pattern. The methods of `Result` are read as those of `Option` (`resolve/some`).

use super::errors;
use crate::visit::Visit;
use crate::visit::changing::{self as visit_mut, VisitMut};
use proc_macro2::{Group, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use std::collections::HashSet;
use syn::spanned::Spanned;
use syn::{Expr, GenericArgument, Ident, Item, ItemConst, ItemFn, Pat, PathArguments, Stmt, Type};

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
                } else if is(&path.path, "Err") && errors::does_nothing(&call.args[0]) {
                    *e = syn::parse_quote_spanned!(span=> None);
                }
            }
            Expr::Path(path) if is(&path.path, "Ok") => {
                path.path = syn::parse_quote_spanned!(path.span()=> Some);
            }
            Expr::Macro(of) => {
                if let Some(left) = errors::left_early(&of.mac) {
                    *e = left;
                }
            }
            Expr::If(e) => {
                if let Expr::Let(condition) = &mut *e.cond {
                    self.absent(&mut condition.pat, &e.then_branch);
                }
            }
            _ => {}
        }
    }

    /// `bail!("singular");`
    fn visit_stmt_mut(&mut self, stmt: &mut Stmt) {
        if let Stmt::Macro(of) = stmt
            && let Some(left) = errors::left_early(&of.mac)
        {
            *stmt = Stmt::Expr(left, of.semi_token);
        }
        visit_mut::visit_stmt_mut(self, stmt);
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

/// The types of `Result<T, E>`; no second one of `Result<T>`, an alias that says what it is.
pub fn value_and_error(ty: &Type) -> Option<(Type, Option<Type>)> {
    let Type::Path(path) = ty else { return None };
    let names = super::names(&path.path);
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let is_std =
        matches!(names[..], ["Result"] | ["result", "Result"] | ["std" | "core", "result", "Result"]);
    let PathArguments::AngleBracketed(args) = &path.path.segments.last()?.arguments else { return None };
    let mut types = args.args.iter();
    match (types.next()?, types.next()) {
        _ if path.qself.is_some() || args.args.len() > 2 || names.last() != Some(&"Result") => None,
        (GenericArgument::Type(of), Some(GenericArgument::Type(error))) if is_std => {
            Some((of.clone(), Some(error.clone())))
        }
        (GenericArgument::Type(of), None) => Some((of.clone(), None)),
        _ => None,
    }
}
